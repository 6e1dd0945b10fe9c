"""Two measures of variety: suggestions that only one method makes, and the similarity of a method's suggestions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lexicloud.paper.comparison import LEVELS, METHODS, ComparisonTable, Entry, Report, published
from lexicloud.paper.experiments.sentence_search import (
    COLUMNS,
    LONGEST,
    OF_VECTORS,
    SURVEY_NAMES,
    databases,
    survey_file,
)

if TYPE_CHECKING:
    from lexicloud.paper.workbench import Workbench
    from lexicloud.vectors import WordVectors

    Lists = dict[str, list[list[str]]]

MANY: Final = 5_000
PART: Final = 10  # the first tenth of the many queries of each level is run with other vectors too
OURS: Final = "setcover (idf)"


def uniqueness(bench: Workbench) -> Report:
    """Report the share of each method's suggestions that no other method makes."""
    theirs = published()["unique_suggestions_percent"]
    entries = []
    for row, found in _measured(bench).items():
        for i, method in enumerate(METHODS):
            entries.append(_entry(row, method, found["unique"][method], _theirs(theirs, row)[i]))
        if "ours_unique" in found:
            entries.append(Entry(row, OURS, found["ours_unique"]))
    table = ComparisonTable(
        "unique",
        "Suggestions that no other method makes",
        ("queries", "source"),
        entries,
        "%",
        " and ".join([bench.about_vectors, *bench.largest]),
        _why(bench),
        bench.sample,
    )
    return Report((table,), notes=_notes(bench))


def similarity(bench: Workbench) -> Report:
    """Report the mean Jaccard similarity of the suggestions of each method."""
    entries = []
    for row, found in _measured(bench).items():
        for words, key in (("kept", "jaccard"), ("removed", "jaccard_content")):
            theirs = published()["pairwise_jaccard"][f"stopwords_{words}"]
            for i, method in enumerate(METHODS):
                entries.append(_entry((*row, words), method, found[key][method], _theirs(theirs, row)[i]))
            if f"ours_{key}" in found:
                entries.append(Entry((*row, words), OURS, found[f"ours_{key}"]))
    why = (
        (
            "In the paper's table the labels Yes and No of removed stop words are swapped: recomputed from "
            "the suggestions that were shown. Here they are right."
        ),
        *_why(bench),
    )
    table = ComparisonTable(
        "jaccard",
        "Mean pairwise Jaccard similarity of a method's suggestions",
        ("queries", "source", "stop words"),
        entries,
        "similarity",
        " and ".join([bench.about_vectors, *bench.largest]),
        why,
        bench.sample,
        digits=4,
    )
    return Report((table,), notes=_notes(bench))


def _theirs(numbers: dict[str, Any], row: tuple[str, ...]) -> list[float | None]:
    """Return the published numbers for a row: of 100 queries, or of 5,000 for any other number."""
    found: list[float | None] = numbers["100" if row[0] == "100" else "5000"]
    return found


def _entry(row: tuple[str, ...], method: str, ours: float, theirs: float | None) -> Entry:
    why = ""
    if theirs is not None and abs(ours - theirs) > 0.005 * max(1.0, abs(theirs)):
        why = (
            "the shown suggestions differ a little from those that were counted"
            if row[1].startswith("shown")
            else "other vectors, other editions of 73 of the 79 books, sentences split by another punkt"
        )
    return Entry(row, method, ours, theirs, explanation=why)


def _measured(bench: Workbench) -> dict[tuple[str, str], dict[str, Any]]:
    out: dict[tuple[str, str], dict[str, Any]] = {}
    shown = survey_file(bench, "suggestions.json")
    if shown is not None:
        out["100", "shown in the questionnaire"] = _variety(shown_lists(shown))
    if bench.has("gutenberg"):
        sets = _query_sets(bench, shown)
        for label, queries in sets.items():
            if queries:
                out[label] = _searched(bench, queries, label)
        for name, vectors in bench.largest.items():
            for label, queries in _fewer(sets).items():
                number = label[0] if label in out else str(sum(map(len, queries.values())))
                if label not in out:  # our own vectors with the same queries, to compare like with like
                    out[number, label[1]] = _searched(bench, queries, label)
                out[number, f"{label[1]}, {name}"] = _searched(bench, queries, label, vectors)
    return out


def _fewer(
    sets: dict[tuple[str, str], dict[str, list[str]]],
) -> dict[tuple[str, str], dict[str, list[str]]]:
    """Return the queries for other vectors: all of the hundred, and a tenth of the many."""
    out = {}
    for (number, source), queries in sets.items():
        some = {
            level: found if number == "100" else found[: len(found) // PART]
            for level, found in queries.items()
        }
        out[number if number == "100" else str(MANY // PART), source] = some
    return out


def shown_lists(shown: dict[str, Any]) -> Lists:
    """Return the suggestions that the questionnaire showed, by method and query."""
    return {
        method: [[one[name][str(i)] for i in range(len(one[name]))] for one in shown.values()]
        for method, name in SURVEY_NAMES.items()
    }


def _query_sets(bench: Workbench, shown: Any) -> dict[tuple[str, str], dict[str, list[str]]]:
    """Return the queries of each level: the paper's own hundred (or a sample), and a large sample."""
    few, many = (30, 60) if bench.options.quick else (100, MANY)
    held = databases(bench)
    sets: dict[tuple[str, str], dict[str, list[str]]] = {}
    if shown is not None:
        own: dict[str, list[str]] = {level: [] for level in LEVELS}
        for one in shown.values():
            own[one["difficulty"]].append(one["query"])
        if bench.options.quick:
            own = {level: queries[: few // 3] for level, queries in own.items()}
        sets["100", "the paper's queries, our databases"] = own
    else:
        sets["100", "sampled queries"] = {level: held.sample(level, n) for level, n in _thirds(few)}
    sets["5000", "sampled queries"] = {level: held.sample(level, n) for level, n in _thirds(many)}
    # A level without short sentences has nothing to suggest.
    return {key: {k: v for k, v in found.items() if v and held.texts(k)} for key, found in sets.items()}


def _thirds(n: int) -> list[tuple[str, int]]:
    """Divide queries among the levels as the paper does: 33, 33 and 34."""
    return [(level, n // 3 + (n % 3 if level == LEVELS[-1] else 0)) for level in LEVELS]


def _searched(
    bench: Workbench,
    queries: dict[str, list[str]],
    label: tuple[str, str],
    vectors: WordVectors | None = None,
) -> dict[str, Any]:
    held = databases(bench, vectors)
    lists: Lists = {column: [] for column in COLUMNS}
    for level, some in queries.items():
        for column in COLUMNS:
            searched = held if column in OF_VECTORS else databases(bench)
            lists[column] += searched.suggestions(level, some, column, " ".join(label))
    found = _variety({method: lists[method] for method in METHODS})
    ours = _variety({"setcover": lists[OURS], **{m: lists[m] for m in METHODS[1:]}})
    mine = {f"ours_{key}": ours[key]["setcover"] for key in ("unique", "jaccard", "jaccard_content")}
    return {**found, **mine}


def _variety(lists: Lists) -> dict[str, Any]:
    from lexicloud.search.variety import variety

    found = variety(lists)
    return {
        "unique": found.unique,
        "jaccard": found.jaccard,
        "jaccard_content": found.jaccard_content,
        "queries": found.queries,
    }


def _why(bench: Workbench) -> tuple[str, ...]:
    lines = [
        (
            "Set cover is the paper's: r = 10, ρ = 0.5, every covered word counts the same. setcover (idf) "
            "is lexicloud's default, in place of the paper's set cover and beside the same four baselines."
        ),
    ]
    if bench.has("gutenberg"):
        held = databases(bench)
        sizes = ", ".join(f"{len(held.texts(level)):,} {level}" for level in LEVELS)
        lines.append(f"Databases: distinct sentences of at most {LONGEST} tokens by reading level ({sizes}).")
    if bench.largest and not bench.options.quick:
        lines.append(
            f"Rows with a name of vectors are of those: the hundred queries, and of the {MANY:,} the first tenth of "
            "each level, beside our own vectors on the same ones."
        )
    if bench.options.quick:
        lines.append("A sample: 30 and 60 queries in place of 100 and 5,000.")
    return tuple(lines)


def _notes(bench: Workbench) -> tuple[str, ...]:
    notes = []
    if survey_file(bench, "suggestions.json") is None:
        notes.append(
            "there is no survey/suggestions.json in the data folder: the shown suggestions are not recomputed"
        )
    if not bench.has("gutenberg"):
        notes.append(bench.missing["gutenberg"])
    return tuple(notes)
