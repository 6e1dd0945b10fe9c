"""The section about how far apart the texts are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lexicloud.report.html import Html, details, join, note, paragraph, table, tag
from lexicloud.report.page import Plot
from lexicloud.report.plots import divergence_map as plots
from lexicloud.report.sections.frame import how_to_read
from lexicloud.report.wording import listed, many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.divergence import WordShare
    from lexicloud.report.parts.closeness import Closeness
    from lexicloud.report.parts.divergence_map import DivergenceMap

_WHOLE_TABLE: Final = 80  # more texts than this have their nearest listed instead of all pairs


def blocks(part: DivergenceMap) -> list[object]:
    """Return the plots, then each text with its nearest and the words behind it."""
    several = len(part.names) > 2
    return [
        paragraph(part.finding, "lead"),
        _meaning(part),
        *([note(_skipped(part))] if part.matrix.skipped else []),
        *(_plots(part) if several else [_pairs_table(part)]),
        tag("h3", f"Each {part.thing}, its nearest, and the words behind it"),
        _words_meaning(part),
        *(_one(part, name, first=i == 0) for i, name in enumerate(part.names)),
    ]  # fmt: skip


def _meaning(part: DivergenceMap) -> Html:
    matrix = part.matrix
    what = f"All texts of a {part.kind} count as one here. " if part.by == "label" else ""
    method = f"Method {matrix.method}"
    if part.standardised is None:
        return how_to_read(
            f"{what}{method}: the divergence of one text’s words from another’s; 0 means no difference."
        )
    return how_to_read(
        f"{what}{method}, standardised: 0 is how near two texts usually are here, −1 is a standard "
        "deviation closer "
        "than either usually is to others, +1 a standard deviation farther. Blue is near, orange is far. "
        "Names that have no room on the map appear when pointed at."
    )


def _skipped(part: DivergenceMap) -> str:
    reasons = "; ".join(f"{s.name} ({s.reason})" for s in part.matrix.skipped[:10])
    return f"{many(len(part.matrix.skipped), 'text')} could not be measured: {reasons}"


def _plots(part: DivergenceMap) -> list[object]:
    n, (near, lone) = len(part.names), (part.closest, part.loneliest)
    behind = _pairs_table(part)
    return [
        Plot(
            plots.heat_map(part),
            "Heat map of all pairs",
            f"A square of {n} by {n} cells, one for each pair, blue where the two are near and orange "
            "where they are far.",
            behind,
            height=f"{min(64.0, max(22.0, 0.85 * n + 12)):.0f}rem",
        ),
        Plot(
            plots.dendrogram(part),
            "Dendrogram",
            f"A tree of {n} names; those that join early (to the left) are alike.",
            _nearest_table(part),
            height=f"{min(90.0, max(16.0, 1.15 * n + 5)):.0f}rem",
        ),
        Plot(
            plots.document_map(part),
            "Map",
            f"A map of {n} points in which near ones stand close together; {near.a} and {near.b} are the "
            "closest pair and "
            f"{lone.a} stands most alone.",
            _points_table(part),
            height="38rem",
        ),
    ]


def _points_table(part: DivergenceMap) -> Html:
    rows = [[n, float(x), float(y)] for n, (x, y) in zip(part.names, part.points, strict=True)]
    return table(["text", "x", "y"], rows, caption="Where each text stands on the map")


def _nearest_table(part: DivergenceMap) -> Html:
    rows = [
        [name, *(f"{c.b} ({c.shown:+.2f})" if part.standardised else f"{c.b} ({c.shown:.3g})" for c in near)]
        for name, near in part.neighbours.items()
    ]
    width = max((len(row) for row in rows), default=1)
    heads = ["text", "nearest", "second", "third"][:width]
    return table(heads, rows, caption="The nearest texts of each")


def _pairs_table(part: DivergenceMap) -> Html:
    if len(part.names) > _WHOLE_TABLE:
        return _nearest_table(part)
    values = part.matrix.values
    rows = [[name, *map(float, row)] for name, row in zip(part.names, values, strict=True)]
    return table(
        ["divergence of ↓ from →", *part.names],
        rows,
        caption="The divergence of each row’s text from each column’s, as measured",
    )


def _words_meaning(part: DivergenceMap) -> Html:
    if len(part.names) == 2:
        return how_to_read(
            "Words in blue bring the two together, words in orange set them apart; a bar’s length is what "
            "a word adds to the divergence, and “≈” names the word of the other text that stood in for it."
        )
    return how_to_read(
        "Words in blue bring the two nearer to each other than to the rest, words in orange keep them "
        "apart; a bar’s length is "
        "what the word adds, and all words together make up the difference. Small figures count the word "
        "in both texts; “≈” names the "
        "word of the other text that stood in for it."
    )


def _one(part: DivergenceMap, name: str, *, first: bool) -> Html:
    near = part.neighbours[name]
    summary = join([tag("strong", name), " → ", listed([c.b for c in near])])
    columns = tag("div", join(_closeness(c) for c in near), class_="columns")
    opened = tag("details", join([tag("summary", summary), columns]), open="")
    return opened if first else details(summary, columns)


def _closeness(closeness: Closeness) -> Html:
    widest = max((abs(w.value) for w in (*closeness.together, *closeness.apart)), default=1.0) or 1.0
    return tag(
        "div",
        join(
            [
                tag("h4", closeness.b),
                tag("p", f"divergence {closeness.divergence:.3g}", class_="soft"),
                _bars("together", closeness.together, widest),
                _bars("apart", closeness.apart, widest),
                _manner(closeness),
            ]
        ),
    )


def _manner(closeness: Closeness) -> Html:
    """List the function words on one line, each in the colour of its effect."""
    words = [
        tag("span", w.word, class_="together" if w.value < 0 else "apart") for w in closeness.function_words
    ]
    return tag("p", join(["function words: ", join(words, ", ")]), class_="soft") if words else Html("")


def _bars(kind: str, words: Sequence[WordShare], widest: float) -> Html:
    if not words:
        return tag(
            "p",
            f"No word brings them {kind}." if kind == "together" else "No word sets them apart.",
            class_="soft",
        )
    rows = join(_bar(kind, w, widest) for w in words)
    label = "brings together" if kind == "together" else "sets apart"
    return tag("table", join([tag("caption", label), tag("tbody", rows)]), class_="words")


def _bar(kind: str, word: WordShare, widest: float) -> Html:
    near = tag("span", f" ≈ {word.neighbour}", class_="soft") if word.neighbour else ""
    width = f"width:{max(2.0, 100 * abs(word.value) / widest):.0f}%"
    return tag(
        "tr",
        join(
            [
                tag("th", join([tag("span", word.word, class_=kind), near]), scope="row"),
                tag(
                    "td",
                    tag("span", "", class_=f"bar {kind}", style=width, title=f"{word.value:+.5f}"),
                    class_="room",
                ),
                tag("td", f"{word.count_a:,} · {word.count_b:,}", class_="number soft"),
            ]
        ),
    )
