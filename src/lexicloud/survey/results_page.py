"""The results as a page, plots, CSV and JSON, beside those of the paper or of another study."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.report.page import Page, Section
from lexicloud.result import columns_of_rows, csv_text
from lexicloud.say.blocks import Block, Figure, Folded, Sentence, chance, listed, many, signed, table
from lexicloud.say.charts import interval_chart
from lexicloud.say.figures import CATEGORICAL, new_axes
from lexicloud.say.html import Html
from lexicloud.store.folder import replace_text
from lexicloud.survey.inference import FEWEST, POINTS, Interval
from lexicloud.survey.results import PAPER, Aggregates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lexicloud.survey.results import ArmResults, Results

HOW: Final = (
    "The answers of one person hang together, so intervals resample whole people, and tests flip whole people. They "
    "speak of other people who answer these queries. With fewer people than "
    f"{FEWEST}, no interval is shown. How often the intervals hold and the tests err was measured on simulated people."
)

NO_TEST: Final = "Too few people for a test that nobody prefers any method."


def page(results: Results, beside: Sequence[Aggregates] = ()) -> Page:
    """Return the page; `beside` holds the shares of other studies, the paper's for a task that none of them has."""
    arms = [
        Section(f"arm-{i}", arm.name[0].upper() + arm.name[1:], arm_blocks(arm, _comparable(arm, beside)))
        for i, arm in enumerate(results.arms)
    ]
    return Page(
        results.title,
        f"{_taken_part(results)}; study {results.checksum[:12]}",
        [
            *arms,
            Section("how", "How sure this is", [Sentence(HOW)]),
            Section("people", "Who took part", _people(results)),
        ],
        footer=f"seed {results.seed}; study {results.checksum}",
    )


def study_blocks(results: Results) -> list[Block]:
    """Return what a study says: who took part, each arm, and how sure this is."""
    arms = [block for arm in results.arms for block in (Sentence(arm.name, "title"), *arm_blocks(arm))]
    title = results.title if results.title.endswith(("?", "!", ".")) else f"{results.title}:"
    return [Sentence(f"{title} {_taken_part(results)}.", "answer"), *arms, Sentence(HOW, "sure")]


def _taken_part(results: Results) -> str:
    answers = sum(arm.answers for arm in results.arms)
    return f"{many(len(results.participants), 'participant')}, {many(answers, 'answer')}"


def _comparable(arm: ArmResults, beside: Sequence[Aggregates]) -> Aggregates:
    return next((found for found in beside if (arm.task, arm.criterion) in found.shares), PAPER)


def arm_blocks(arm: ArmResults, others: Aggregates = PAPER) -> list[Block]:
    """Return what an arm says: its findings, shares, comparisons, strengths, groups and places."""
    said = [Sentence(text, "why" if i else "answer") for i, text in enumerate(findings(arm))]
    if not arm.answers:
        return [*said]
    found: list[Block] = [*said, *_share_blocks(arm, others), *_comparison_blocks(arm, others)]
    return [*found, *_strength_blocks(arm), *_group_blocks(arm), *_quality(arm)]


def findings(arm: ArmResults) -> list[str]:
    """Return the findings of an arm, in sentences."""
    if not arm.answers:
        return ["There are no answers yet."]
    if arm.participants < FEWEST:
        people = many(arm.participants, "participant")
        return [f"{people}: nothing can be said about others before there are {FEWEST}."]
    said = [_preferred(arm), _about_chance(arm), *_about_agreement(arm), *_about_places(arm)]
    needed = [c.needed - c.answers for c in arm.comparisons if c.needed is not None]
    if needed:
        said.append(_more_answers(max(0, *needed), arm))
    if arm.seconds:
        t = arm.seconds
        tenths = f"a tenth under {t.low:.0f}, a tenth over {t.high:.0f}"
        said.append(f"An answer took {t.median:.0f} seconds (median; {tenths}).")
    if arm.flags:
        said.append(f"{many(len(arm.flags), 'participant')} answered oddly: the last table names why.")
    return said


def _preferred(arm: ArmResults) -> str:
    """Say which methods were chosen more and less often than chance, by more than their intervals allow."""
    what = "chosen" if arm.task == "choose" else "preferred"
    usual = f"by chance ({100 * arm.shares[0].chance:.0f} %)"
    above = [s.method for s in arm.shares if s.share.low is not None and s.share.low > s.chance]
    below = [s.method for s in arm.shares if s.share.high is not None and s.share.high < s.chance]
    if not above and not below:
        return f"No method was {what} clearly more or less often than {usual}."
    told = [
        f"{listed(methods)} {'was' if len(methods) == 1 else 'were'} {what} {how} often than {usual}"
        for methods, how in ((above, "more"), (below, "less"))
        if methods
    ]
    rest = "; of the others one cannot say" if len(above) + len(below) < len(arm.shares) else ""
    return f"{', and '.join(told)}{rest}."


def _about_chance(arm: ArmResults) -> str:
    return (
        f"Test that nobody prefers any method: {chance(arm.p_equal)}." if arm.p_equal is not None else NO_TEST
    )


def _about_agreement(arm: ArmResults) -> list[str]:
    found = arm.agreement
    if found is None or isnan(found.value):
        return ["No two participants have answered the same question yet."]
    return [
        f"Agreement between participants: Krippendorff's α = {signed(found.value, 2)} ({_span(found, 1, 2)})."
    ]


def _about_places(arm: ArmResults) -> list[str]:
    if arm.positions is None or arm.positions.p_value is None:
        return []
    first, last = arm.positions.shares[0].value, arm.positions.shares[-1].value
    told = (
        f"Place on the screen: the first was chosen in {100 * first:.1f} %, the last in {100 * last:.1f} %; "
        f"test that places do not matter: {chance(arm.positions.p_value)}."
    )
    return [told]


def _more_answers(more: int, arm: ArmResults) -> str:
    if not more:
        return f"A difference of {100 * POINTS:.0f} points would be found about four times in five with these answers."
    each = arm.answers / arm.participants
    per = "" if arm.task == "choose" else " to each pair"
    share = 1 if arm.task == "choose" else len(arm.comparisons)
    return (
        f"To find a difference of {100 * POINTS:.0f} points in about four studies of five, "
        f"some {more:,} more answers{per} would be needed "
        f"({max(1, round(more * share / each)):,} more people like these)."
    )


def _share_blocks(arm: ArmResults, others: Aggregates) -> list[Block]:
    what = "Chosen" if arm.task == "choose" else "Won"
    attentive = {s.method: s.share.value for s in arm.attentive}
    share = f"{what.lower()} (%)"
    usual = f"{100 * arm.shares[0].chance:.0f}"
    headers = ["method", share, "95 % interval", what.lower(), "shown", f"{others.name} (%)"]
    headers += ["without those flagged (%)"] if attentive else []
    rows = []
    for s in arm.shares:
        theirs = others.share(arm.task, arm.criterion, s.method)
        row: list[object] = [s.method, _percent(s.share.value), _span(s.share, 100, 1)]
        row += [s.chosen, s.shown, "–" if theirs is None else _percent(theirs)]
        rows.append(row + ([_percent(attentive.get(s.method))] if attentive else []))
    shown = table(headers, rows, title=f"{what} where it was shown (by chance: {usual} %)")
    found = {s.method: s.share for s in arm.shares}
    alt = "; ".join(f"{s.method} {100 * s.share.value:.1f} %" for s in arm.shares)
    figure = interval_figure(found, 100, share, 100 * arm.shares[0].chance, alt)
    return [
        shown,
        Figure(
            "shares", alt, caption=f"{what} (%) with 95 % intervals; dashed: chance", chart=lambda: figure
        ),
    ]


def _comparison_blocks(arm: ArmResults, others: Aggregates) -> list[Block]:
    """Return the comparisons two by two, and what only some will want to know of them."""
    heads = arm.task == "head-to-head"
    headers = [
        "methods",
        "first won (%)" if heads else "difference (points)",
        "95 % interval",
        "p",
        "answers",
    ]
    headers += [f"{others.name} (%)"] if heads else []
    rows, further = [], []
    for c in arm.comparisons:
        theirs = others.won(arm.criterion, c.first, c.second)
        pair = f"{c.first} – {c.second}"
        row: list[object] = [pair, signed(100 * c.value.value, 1), _span(c.value, 100, 1), _p(c.p_holm)]
        rows.append([*row, c.answers, *([_percent(theirs)] if heads else [])])
        further.append([pair, _p(c.p_value), "–" if c.needed is None else c.needed])
    title = "Two methods at a time; p: nobody prefers either of them, adjusted for the number of pairs (Holm)"
    columns = ["methods", "p, not adjusted", "answers needed to find 5 points"]
    return [
        table(headers, rows, title=title),
        Folded("Other numbers of the pairs", (table(columns, further),)),
    ]


def _strength_blocks(arm: ArmResults) -> list[Block]:
    if not arm.strengths:
        return [Sentence("Some methods never met, so strengths cannot be compared yet.", "note")]
    rows = [[m, signed(s.value, 2), _span(s, 1, 2)] for m, s in arm.strengths.items()]
    shown = table(
        ["method", "strength", "95 % interval"], rows, title="Bradley–Terry strengths (log odds, mean 0)"
    )
    alt = "; ".join(f"{m} {signed(s.value, 2)}" for m, s in arm.strengths.items())
    figure = interval_figure(dict(arm.strengths), 1, "strength (log odds)", 0.0, alt)
    caption = "Bradley–Terry strengths with 95 % intervals"
    return [shown, Figure("strengths", alt, caption=caption, chart=lambda: figure)]


def _group_blocks(arm: ArmResults) -> list[Block]:
    if not arm.by_group:
        return []
    rows = [
        [s.method, group, _percent(s.share.value), _span(s.share, 100, 1), s.chosen, s.shown]
        for group, shares in arm.by_group.items()
        for s in shares
    ]
    headers = ["method", "group", "share (%)", "95 % interval", "chosen", "shown"]
    return [Folded("By group of queries", (table(headers, rows),))]


def _quality(arm: ArmResults) -> list[Block]:
    assert arm.positions is not None
    rows = [[i, _percent(s.value), _span(s, 100, 1)] for i, s in enumerate(arm.positions.shares, 1)]
    places = table(["place", "chosen (%)", "95 % interval"], rows, title="Places on the screen")
    flags = [[f.participant, f.reason] for f in arm.flags]
    careless = [table(["participant", "why"], flags, title="Answers to look at")] if flags else []
    return [places, *careless]


def _people(results: Results) -> list[Block | Html]:
    tables: list[Block | Html] = [
        table([question, "participants"], list(told.items())) for question, told in results.background.items()
    ]
    return tables or [Sentence("Nothing was asked about participants.")]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def _p(p_value: float | None) -> str:
    """Return a p-value for a column that is headed p.

    >>> _p(0.0001), _p(0.034), _p(None)
    ('< .001', '.034', '–')
    """
    return "–" if p_value is None else chance(p_value).removeprefix("p ").removeprefix("= ")


def _span(found: Interval, scale: float, digits: int) -> str:
    if found.low is None or found.high is None:
        return "too few people"
    return f"{signed(scale * found.low, digits)}\u00a0…\u00a0{signed(scale * found.high, digits)}"


def write_page(results: Results, file: Path, beside: Sequence[Aggregates] = ()) -> list[Path]:
    """Write the page and the table of comparisons beside a file of results, under its name."""
    html, table_file = file.with_suffix(".html"), file.with_name(f"{file.stem}_comparisons.csv")
    replace_text(html, page(results, beside).render())
    replace_text(table_file, csv_text(comparison_table(results)))
    return [html, table_file]


def comparison_table(results: Results) -> dict[str, Any]:
    """Return every comparison of two methods, by columns."""
    rows = [
        {"arm": arm.name, **{k: v for k, v in c.to_dict().items() if k != "value"}, **c.value.to_dict()}
        for arm in results.arms
        for c in arm.comparisons
    ]
    names = [
        *("arm", "first", "second", "answers", "value", "low", "high"),
        *("none", "p_value", "p_holm", "needed"),
    ]
    return columns_of_rows(rows, names)


# ---- plots


def draw_shares(arm: ArmResults, ax: Axes | None = None) -> Axes:
    """Draw how often each method was chosen, with its interval, beside chance."""
    ax = new_axes(ax, height=1.4 + 0.4 * len(arm.shares))
    _draw_intervals(ax, {s.method: s.share for s in arm.shares}, 100)
    if arm.shares:
        ax.axvline(100 * arm.shares[0].chance, color="#666666", linestyle="--", linewidth=1)
    ax.set_xlabel(f"{'chosen' if arm.arm.task == 'choose' else 'won'} (%), 95 % interval; dashed: chance")
    ax.set_title(f"{arm.arm.name}, {arm.participants} participants")
    return ax


def draw_strengths(arm: ArmResults, ax: Axes | None = None) -> Axes:
    """Draw Bradley–Terry strengths with their intervals."""
    ax = new_axes(ax, height=1.4 + 0.4 * len(arm.strengths))
    _draw_intervals(ax, arm.strengths, 1)
    ax.axvline(0, color="#666666", linestyle="--", linewidth=1)
    ax.set_xlabel("Bradley–Terry strength (log odds), 95 % interval; dashed: the mean")
    ax.set_title(f"{arm.arm.name}, {arm.participants} participants")
    return ax


def _draw_intervals(ax: Any, found: Any, scale: float) -> None:
    for row, interval in enumerate(found.values()):
        if interval.low is not None:
            ax.plot(
                [scale * interval.low, scale * interval.high], [row, row], color=CATEGORICAL[0], linewidth=2
            )
        ax.plot([scale * interval.value], [row], "o", color=CATEGORICAL[0])
    ax.set_yticks(range(len(found)), list(found))
    ax.set_ylim(len(found) - 0.5, -0.5)


def interval_figure(
    found: dict[str, Interval], scale: float, title: str, line: float | None, alt: str
) -> Html:
    """Draw values with intervals, one row each, and a dashed line."""
    rows = [
        (name, scale * one.value, _scaled(one.low, scale), _scaled(one.high, scale))
        for name, one in found.items()
    ]
    return interval_chart(rows, alt, name=title, colour=CATEGORICAL[0], line=line)


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else scale * value
