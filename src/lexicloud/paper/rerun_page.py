"""The page of a run: each published number, ours, the difference, and its explanation."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from typing import TYPE_CHECKING, Final

from lexicloud.paper.claims import claims
from lexicloud.paper.comparison import DATASETS, ComparisonTable, Entry, Listing, Report
from lexicloud.paper.experiments import EXPERIMENTS
from lexicloud.report.page import Page, Section
from lexicloud.say.blocks import Block
from lexicloud.say.figures import CATEGORICAL, PARTS_OF_SPEECH
from lexicloud.say.html import Html, bullets, details, facts, join, note, paragraph, table, tag

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lexicloud.paper.runner import PaperResult

_DPI: Final = 110
_SHADES: Final = 15  # of each colour up to white, for the edges of dots and letters


def png_of(figure: Figure) -> bytes:
    """Return a figure as a PNG with few colours, which is a quarter of the full size."""
    from PIL import Image

    raw, small = BytesIO(), BytesIO()
    figure.savefig(raw, format="png", dpi=_DPI, metadata={"Software": None})
    colours = Image.new("P", (1, 1))
    # A fixed palette: a computed one would merge a rare colour (pronouns) with its neighbour.
    colours.putpalette(_palette())
    image = Image.open(raw).convert("RGB").quantize(palette=colours, dither=Image.Dither.NONE)
    image.save(small, format="png", optimize=True)
    return small.getvalue()


def _palette() -> list[int]:
    """Return black and every colour of the figures, each in shades up to white."""
    named = ["#000000", *dict.fromkeys([*CATEGORICAL, *PARTS_OF_SPEECH.values()])]
    values = []
    for colour in named:
        rgb = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        for step in range(_SHADES):
            share = step / (_SHADES - 1)
            values += [round(part + (255 - part) * share) for part in rgb]
    return values


def embedded(png: bytes, alt: str, caption: str) -> Html:
    """Return a figure as HTML with the picture embedded."""
    image = tag("img", src=f"data:image/png;base64,{b64encode(png).decode()}", alt=alt)
    image = Html(str(image).removesuffix("</img>"))  # an image has no end tag
    return tag("figure", join([image, tag("figcaption", caption)]), class_="static")


def result_page(result: PaperResult, images: dict[str, bytes]) -> Page:
    """Return the page of a run; `images` are the figures by name."""
    sections = [_summary(result)]
    sections += [_section(name, report, images) for name, report in result.reports.items()]
    sections.append(_citation(result))
    return Page(
        "The paper, rerun",
        "On Extending NLP Techniques from the Categorical to the Latent Space: every table and figure, the "
        "published number beside ours.",
        sections,
        footer=", ".join(f"{name} {number}" for name, number in result.versions.items()),
    )


def _summary(result: PaperResult) -> Section:
    entries = [
        e
        for report in result.reports.values()
        for t in report.tables
        if isinstance(t, ComparisonTable)
        for e in t.entries
    ]
    compared = [e for e in entries if e.difference is not None]
    there = [name for name in DATASETS if name not in result.missing]
    blocks: list[Block | Html] = [
        facts(
            {
                "Datasets": f"{len(there)} of {len(DATASETS)}",
                "Numbers beside a published one": len(compared),
                "Numbers of ours alone": sum(e.ours is not None and e.published is None for e in entries),
                "Vectors": result.vectors,
                "Seed": result.options.seed,
                "Time": f"{result.seconds / 60:.0f} min",
                "Memory": f"{result.memory / 2**30:.1f} GiB",
            }
        ),
        paragraph(
            "In every table the large number is ours. Below it stand the published number and the "
            "difference; counts out of different totals are compared as shares, in percentage points (pp). "
            "The paper used fastText vectors of 300 dimensions; every number here that needs vectors uses "
            f"{result.vectors}, unless it says otherwise. Tables and figures are in the order of the paper; what each "
            "claim comes to stands at the end. Time is the sum over all results, memory the most that any of them "
            "needed, worker processes included."
        ),
    ]
    if result.options.quick:
        blocks.insert(
            0, note("This is a sample (--quick): it shows that everything runs, and no number here is final.")
        )
    if result.missing:
        blocks.append(note(join(["Not here, so left out: ", "; ".join(result.missing.values())])))
    if result.notes:
        blocks.append(bullets(result.notes))
    return Section("summary", "What was run", blocks)


def _citation(result: PaperResult) -> Section:
    """Return the last section: each claim, its verdict, and what a citation should now say."""
    judged = claims(result.reports)
    rows = [
        [join([tag("strong", c.claim), _wrapped(c.where)]), c.verdict, join([c.cite, _wrapped(c.evidence)])]
        for c in judged
    ]
    blocks: list[Block | Html] = [
        paragraph(
            "Each claim of the paper, what became of it in this run, and a sentence that can be cited, with the "
            "numbers behind it. The verdicts are of this run's data, vectors and seed."
        ),
        table(["Claim of the paper", "Here", "What a citation should now say"], rows),
    ]
    if result.options.quick:
        blocks.insert(0, note("A sample (--quick): nothing here may be cited."))
    return Section("citation", "What a citation should now say", blocks)


def _wrapped(text: str) -> Html:
    return tag("span", text, class_="reason", style="display:block")


def _section(name: str, report: Report, images: dict[str, bytes]) -> Section:
    blocks: list[Block | Html] = [note(line) for line in report.notes]
    for one in report.tables:
        blocks += _listing(one) if isinstance(one, Listing) else _table(one)
    blocks += [embedded(images[d.name], d.alt, d.caption) for d in report.drawings]
    return Section(
        name, EXPERIMENTS[name].title, blocks or [paragraph("Nothing to show: its data is not here.")]
    )


def _table(one: ComparisonTable) -> list[Html]:
    parts: list[Html] = [tag("h3", one.title)]
    if one.sample:
        parts.append(note(f"This table is of {one.sample}."))
    headers = [*one.keys, *one.columns]
    lines = [
        [*_row_name(row), *(_cell(cells.get(column), one.digits) for column in one.columns)]
        for row, cells in one.rows.items()
    ]
    parts.append(
        table(
            [h.replace("_", " ") for h in headers],
            lines,
            caption=f"Unit: {one.unit}. Vectors: {one.vectors}.",
        )
    )
    parts += [paragraph(line) for line in one.why]
    explained = _explanations(one)
    if explained:
        parts.append(details("Why single numbers differ", explained))
    return [details(one.title, join(parts))] if one.folded else parts


def _row_name(row: tuple[str | int, ...]) -> list[object]:
    return [f"{part:,}" if isinstance(part, int) else part.replace("_", " ") for part in row]


def _cell(entry: Entry | None, digits: int) -> Html:
    if entry is None or (entry.ours is None and entry.published is None):
        return Html("–")
    ours = "not here" if entry.ours is None else _number(entry.ours, digits)
    of = f" of {entry.ours_of}" if entry.ours_of and entry.ours is not None else ""
    lines: list[object] = [tag("strong", ours), of]
    if entry.low is not None and entry.high is not None and entry.low != entry.high:
        lines.append(_small(f"{_number(entry.low, digits)} to {_number(entry.high, digits)}"))
    if entry.published is not None:
        their_of = f" of {entry.published_of}" if entry.published_of else ""
        lines.append(_small(f"paper {_number(entry.published, digits)}{their_of}"))
    if entry.difference is not None:
        lines.append(_small(_difference(entry, digits)))
    return join(lines)


def _small(text: str) -> Html:
    return tag("span", text, class_="reason", style="white-space:nowrap")


def _number(value: float, digits: int) -> str:
    shown = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.{digits}f}"
    return shown.replace("-", "−")


def _difference(entry: Entry, digits: int) -> str:
    assert entry.difference is not None
    points = " pp" if entry.ours_of and entry.published_of else ""
    ratio = f", × {entry.ratio:.2f}" if entry.ratio is not None else ""
    return f"{entry.difference:+,.{1 if points else digits}f}{points}{ratio}".replace("-", "−")


def _explanations(one: ComparisonTable) -> Html | None:
    """Return each explanation once, with the numbers that it explains."""
    by_reason: dict[str, list[str]] = {}
    for entry in one.entries:
        if entry.explanation and entry.difference:
            where = " ".join(map(str, (*_row_name(entry.row), entry.column)))
            by_reason.setdefault(entry.explanation, []).append(where)
    if not by_reason:
        return None
    return bullets(join([tag("em", reason), f": {'; '.join(where)}"]) for reason, where in by_reason.items())


def _listing(one: Listing) -> list[Html]:
    parts: list[Html] = [tag("h3", one.title), paragraph(f"Vectors: {one.vectors}.", "soft")]
    if one.sample:
        parts.append(note(f"This table is of {one.sample}."))
    parts += [paragraph(line) for line in one.why]
    groups: dict[object, dict[object, list[object]]] = {}
    for first, second, *rest in one.lines:
        groups.setdefault(first, {}).setdefault(second, []).append(rest[-1])
    for first, columns in groups.items():
        parts.append(tag("h4", first))
        cells = [
            tag(
                "div",
                join(
                    [
                        tag("strong", second),
                        tag("ol", join(tag("li", x) for x in found), class_="suggestions"),
                    ]
                ),
            )
            for second, found in columns.items()
        ]
        parts.append(tag("div", join(cells), class_="columns"))
    return parts
