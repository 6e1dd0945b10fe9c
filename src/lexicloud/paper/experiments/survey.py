"""The two questionnaires: recompute the published percentages from the counts, and their intervals.

The authors published sums over all participants, not each person's answers. So people cannot be resampled, as
`lexicloud.survey` does for its intervals. Instead, the intervals assume independent answers, and a second number says
how strongly the answers of one person may correlate before a result disappears.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.paper.comparison import METHODS, ComparisonTable, Entry, Report, published
from lexicloud.paper.experiments.sentence_search import SURVEY_NAMES, survey_file

if TYPE_CHECKING:
    from lexicloud.paper.workbench import Workbench

_NORMAL_95: Final = 1.96
_NO_VECTORS: Final = "none: people's answers"
_ROUNDED: Final = "the published number is rounded"
_WEIGHTED: Final = ", weighted set cover (not in the paper)"
_INTERVALS: Final = (
    "Only sums over all participants are published, so whole people cannot be resampled (the cluster bootstrap of "
    "lexicloud survey is not possible). The intervals and p-values (binomial, Holm's correction) are those of answers "
    "that are all independent, and so the narrowest there can be. Undone at: the correlation between two answers of "
    "one person from which on the interval reaches chance (with n answers each, the variance grows by 1 + (n − 1) "
    "times it)."
)


def run(bench: Workbench) -> Report:
    """Recompute the published percentages from the counts, and how reliable they are."""
    files = {name: survey_file(bench, f"{name}-results.json") for name in ("choose-3", "head-to-head")}
    absent = [name for name, found in files.items() if found is None]
    notes = tuple(f"there is no survey/{name}-results.json in the data folder" for name in absent)
    tables = []
    if files["choose-3"] is not None:
        tables += _choose(files["choose-3"])
    if files["head-to-head"] is not None:
        path = Path(bench.options.data) / "survey" / "head-to-head-results.json"
        tables += [*_heads(files["head-to-head"], path), _strengths(files["head-to-head"])]
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


def undone_at(successes: int, n: int, chance: float, each: float) -> float:
    """Return the correlation between answers of one person from which on a share no longer differs from `chance`.

    `each` is the number of answers of one person. A result of 0 means that the share never differs from chance.

    >>> round(undone_at(330, 750, 0.5, 31), 3)
    0.062
    """
    p = successes / n
    error = (p * (1 - p) / n) ** 0.5
    widening = ((p - chance) / (_NORMAL_95 * error)) ** 2
    return float(max(0.0, (widening - 1) / (each - 1)))


def p_values(counts: dict[str, tuple[int, int]], chance: float) -> dict[str, float]:
    """Return the p-value of each share against chance, with Holm's correction."""
    from scipy.stats import binomtest

    from lexicloud.survey.inference import holm

    raw = [binomtest(successes, n, chance).pvalue for successes, n in counts.values()]
    return dict(zip(counts, holm([float(p) for p in raw]), strict=True))


def _carry(row: str, counts: dict[str, tuple[int, int]], chance: float, people: float) -> list[Entry]:
    """Return the p-value of each share and the correlation of `undone_at`, if all people gave equally many answers."""
    p = p_values(counts, chance)
    return [
        Entry((row, share), column, value)
        for share, pair in counts.items()
        for column, value in (("p", p[share]), ("undone at", undone_at(*pair, chance, pair[1] / people)))
    ]


def _doubt(name: str, title: str, entries: list[Entry]) -> ComparisonTable:
    keys = ("question", "share")
    return ComparisonTable(name, title, keys, entries, "p, correlation", _NO_VECTORS, (_INTERVALS,), digits=3)


def _choose(found: dict[str, Any]) -> list[ComparisonTable]:
    theirs, asked = published()["survey"]["choose_3_chosen_percent"], found["num_answered_unweighted"]
    people, named = found["num_responses"], published()["survey"]["participants"]["choose_3"]
    counts = {m: (found[SURVEY_NAMES[m]]["included_count_unweighted"], asked) for m in METHODS}
    entries = [Entry(("participants",), "all", people, named)]
    entries += [_share("chosen", method, pair, theirs[method]) for method, pair in counts.items()]
    entries.append(Entry(("chosen",), "chance", 60.0, theirs["chance"]))
    why = (
        f"{asked:,} answers, {asked / people:.0f} of each participant. Three of five are chosen, so chance is 60 %. "
        f"{_against(entries, 60.0)}"
    )
    if "weighted_set_cover" in found:
        pair = found["weighted_set_cover"]["included_count_weighted"], found["num_answered_weighted"]
        entries.append(_share(f"chosen{_WEIGHTED}", "setcover", pair, None))
    title = "Choose 3 of 5: how often each method's sentence was chosen"
    return [
        ComparisonTable("survey-choose-3", title, ("what",), entries, "%", _NO_VECTORS, (why,), digits=1),
        _doubt("survey-choose-3-doubt", "How much these can carry", _carry("chosen", counts, 0.6, people)),
    ]


def _heads(found: dict[str, Any], path: Path) -> list[ComparisonTable]:
    from lexicloud.survey import read_aggregates

    theirs = published()["survey"]["head_to_head_setcover_percent"]
    people, named = found["num_responses"], published()["survey"]["participants"]["head_to_head"]
    entries, below = [Entry(("participants",), "all", people, named)], []
    aggregates = read_aggregates(path)
    for question, criterion, name in (
        ("preference", "usefulness", "preferred"),
        ("variety", "variety", "better_variety"),
    ):
        pairs = {method: _meetings(found, question, method) for method in METHODS[1:]}
        counts = {"all": _sum(list(pairs.values())), **{f"against {m}": p for m, p in pairs.items()}}
        assert aggregates.share("head-to-head", criterion, "setcover") == counts["all"][0] / counts["all"][1]
        entries += [
            _share(name, column, p, theirs[name] if column == "all" else None) for column, p in counts.items()
        ]
        # The participants were split into two groups of about the same size, one for each question.
        below += _carry(name, counts, 0.5, people / 2)
    why = f"50 % would be a draw. {_against(entries, 50.0)}"
    entries += _weighted(found)
    title = "Head to head: how often set cover won"
    return [
        ComparisonTable(
            "survey-head-to-head", title, ("question",), entries, "%", _NO_VECTORS, (why,), digits=1
        ),
        _doubt("survey-head-to-head-doubt", "How much head to head can carry", below),
    ]


def _weighted(found: dict[str, Any]) -> list[Entry]:
    """Return the wins of a weighted set cover that was in the questionnaire but not in the paper."""
    if "weighted_set_cover" not in found:
        return []
    return [
        _share(
            f"{name}{_WEIGHTED}",
            "all",
            _sum([_meetings(found, q, m, "weighted_set_cover") for m in METHODS[1:]]),
            None,
        )
        for q, name in (("preference", "preferred"), ("variety", "better_variety"))
    ]


def _strengths(found: dict[str, Any]) -> ComparisonTable:
    """Return Bradley–Terry strengths from the sums; set cover met each other method, which never met each other."""
    import numpy as np

    from lexicloud.survey.inference import strengths

    entries = []
    for question, name in (("preference", "preferred"), ("variety", "better_variety")):
        wins = np.zeros((1, len(METHODS), len(METHODS)))
        for i, method in enumerate(METHODS[1:], 1):
            won, met = _meetings(found, question, method)
            wins[0, 0, i], wins[0, i, 0] = won, met - won
        fitted = strengths(wins)
        entries += [Entry((name,), m, s.value) for m, s in zip(METHODS, fitted, strict=False)]
    why = (
        "Log odds around a mean of zero: of two methods, one that is stronger by 0.2 wins 55 % of their meetings. "
        "lexicloud survey gives no interval for fewer than six people, and sums are one."
    )
    title = "Head to head: Bradley–Terry strengths"
    return ComparisonTable("survey-strengths", title, ("question",), entries, "log odds", _NO_VECTORS, (why,))


def _meetings(found: dict[str, Any], question: str, method: str, one: str = "set_cover") -> tuple[int, int]:
    """Return how often set cover (or the weighted one) won against a method, and how often they met."""
    other = SURVEY_NAMES[method]
    won, lost = (found[one][kind][question][other] for kind in ("wins", "losses"))
    return won, won + lost


def _sum(pairs: list[tuple[int, int]]) -> tuple[int, int]:
    return sum(won for won, _ in pairs), sum(met for _, met in pairs)


def _against(entries: list[Entry], chance: float) -> str:
    """Return a sentence on which shares are above or below chance by more than their intervals."""
    measured = [entry for entry in entries if entry.low is not None and entry.high is not None]
    above = [_named(e) for e in measured if e.low is not None and e.low > chance]
    below = [_named(e) for e in measured if e.high is not None and e.high < chance]
    return (
        f"Above that by more than the 95 % interval: {', '.join(above) or 'none'}; below: "
        f"{', '.join(below) or 'none'}; the others cannot be told from it."
    )


def _named(entry: Entry) -> str:
    return f"{str(entry.row[0]).replace('_', ' ')} {entry.column}"


def _share(row: str, column: str, pair: tuple[int, int], theirs: float | None) -> Entry:
    low, high = interval(*pair)
    why = _ROUNDED if theirs is not None else ""
    return Entry((row,), column, 100 * pair[0] / pair[1], theirs, low=low, high=high, explanation=why)
