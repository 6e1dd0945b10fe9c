"""The aggregate answers of the two questionnaires, with what chance would give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lexicloud.paper.experiments.suggestions import SURVEY_NAMES, survey_file
from lexicloud.paper.published import METHODS, published
from lexicloud.paper.tables import Entry, Report, Table

if TYPE_CHECKING:
    from lexicloud.paper.corpora import Workbench

_NORMAL_95: Final = 1.96
_NO_VECTORS: Final = "none: people's answers"


def run(bench: Workbench) -> Report:
    """Recompute the published percentages from the counts, each with its interval."""
    choose, heads = (survey_file(bench, f"{name}-results.json") for name in ("choose-3", "head-to-head"))
    absent = [name for name, found in (("choose-3", choose), ("head-to-head", heads)) if found is None]
    notes = tuple(f"there is no survey/{name}-results.json in the data folder" for name in absent)
    tables = []
    if choose is not None:
        tables.append(_choose(choose))
    if heads is not None:
        tables.append(_heads(heads))
    return Report(tuple(tables), notes=notes)


def interval(successes: int, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share, in percent.

    >>> [round(x, 1) for x in interval(50, 100)]
    [40.4, 59.6]
    """
    z, p = _NORMAL_95, successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5 / (1 + z * z / n)
    return 100 * (centre - half), 100 * (centre + half)


def _choose(found: dict[str, Any]) -> Table:
    theirs, asked = published()["survey"]["choose_3_chosen_percent"], found["num_answered_unweighted"]
    entries = [
        Entry(
            ("participants",),
            "all",
            found["num_responses"],
            published()["survey"]["participants"]["choose_3"],
        )
    ]
    for method in METHODS:
        chosen = found[SURVEY_NAMES[method]]["included_count_unweighted"]
        low, high = interval(chosen, asked)
        entries.append(
            Entry(
                ("chosen",),
                method,
                100 * chosen / asked,
                theirs[method],
                low=low,
                high=high,
                explanation="the published number is rounded",
            )
        )
    entries.append(Entry(("chosen",), "chance", 60.0, theirs["chance"]))
    return Table(
        "survey-choose-3",
        "Choose 3 of 5: how often each method's sentence was chosen",
        ("what",),
        entries,
        "%",
        _NO_VECTORS,
        (
            (
                f"{asked:,} answers. Three of five are chosen, so chance is 60 %. {_against(entries, 60.0)} "
                "Answers of one participant are not independent, so the intervals are too narrow; who "
                "answered what is not published."
            ),
        ),
        digits=1,
    )


def _heads(found: dict[str, Any]) -> Table:
    theirs = published()["survey"]["head_to_head_setcover_percent"]
    entries = [
        Entry(
            ("participants",),
            "all",
            found["num_responses"],
            published()["survey"]["participants"]["head_to_head"],
        )
    ]
    for question, name in (("preference", "preferred"), ("variety", "better_variety")):
        wins, losses = (found["set_cover"][kind][question] for kind in ("wins", "losses"))
        pairs = {method: (wins[SURVEY_NAMES[method]], losses[SURVEY_NAMES[method]]) for method in METHODS[1:]}
        total = (sum(w for w, _ in pairs.values()), sum(lost for _, lost in pairs.values()))
        entries.append(_share((name,), "all", total, theirs[name]))
        entries += [_share((name,), f"against {method}", pair, None) for method, pair in pairs.items()]
    return Table(
        "survey-head-to-head",
        "Head to head: how often set cover won",
        ("question",),
        entries,
        "%",
        _NO_VECTORS,
        (f"50 % would be a draw. {_against(entries, 50.0)}",),
        digits=1,
    )


def _against(entries: list[Entry], chance: float) -> str:
    """Say which shares lie above and below chance by more than their intervals."""
    measured = [entry for entry in entries if entry.low is not None and entry.high is not None]
    above = [_named(e) for e in measured if e.low is not None and e.low > chance]
    below = [_named(e) for e in measured if e.high is not None and e.high < chance]
    return (
        f"Above that by more than the 95 % interval: {', '.join(above) or 'none'}; below: "
        f"{', '.join(below) or 'none'}; the others cannot be told from it."
    )


def _named(entry: Entry) -> str:
    return (
        f"{entry.row[0].replace('_', ' ')} {entry.column}" if isinstance(entry.row[0], str) else entry.column
    )


def _share(row: tuple[str, ...], column: str, pair: tuple[int, int], theirs: float | None) -> Entry:
    wins, losses = pair
    low, high = interval(wins, wins + losses)
    return Entry(
        row,
        column,
        100 * wins / (wins + losses),
        theirs,
        low=low,
        high=high,
        explanation="the published number is rounded" if theirs is not None else "",
    )
