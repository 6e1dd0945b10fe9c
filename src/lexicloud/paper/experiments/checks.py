"""Checks of published numbers: cluster sizes, sums of tables, suggestions by the query's length and ours too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.paper.comparison import DATASETS, METHODS, ComparisonTable, Entry, Report, published
from lexicloud.paper.experiments.sentence_search import SURVEY_NAMES, TOP, databases, letters, survey_file
from lexicloud.zipf.ranks import size_line

if TYPE_CHECKING:
    from lexicloud.paper.workbench import Workbench

    Shown = dict[str, Any]

NO_VECTORS: Final = "none"
# Lengths of queries in words: the shortest, those of the paper's databases, and longer ones.
LENGTHS: Final = {
    "up to 8 words": (1, 8),
    "9 to 15": (9, 15),
    "16 and more": (16, 10_000),
    "up to 15": (1, 15),
}
# The smallest clusters of RACE, which are left out once to see their effect on the slope.
SMALLEST: Final = 20
QUERIES_LABEL: Final = "100 the paper's queries, our databases"


def run(bench: Workbench) -> Report:
    """Check the published numbers against each other and against the published code and suggestions."""
    tables = [_sizes(), _sums()]
    shown = survey_file(bench, "suggestions.json")
    if shown is not None:
        tables.append(_by_length(shown))
        if bench.has("gutenberg") and not bench.options.quick:
            tables.append(_overlap(bench, shown))
    return Report(tuple(tables))


def _sizes() -> ComparisonTable:
    """Fit two laws to the cluster sizes in the authors' notebook, and list its slopes by k."""
    notebook = published()["kmeans_notebook"]
    sizes = np.sort(np.array(notebook["race_cluster_sizes"]))
    whole, larger = size_line(sizes), size_line(sizes[SMALLEST:])
    rows = {
        "RACE, all 95 clusters": (whole, notebook["race_slope"]),
        f"without the {SMALLEST} smallest": (larger, None),
    }
    entries = []
    for row, (line, theirs) in rows.items():
        entries += [
            Entry((row,), "slope", line.slope, theirs),
            Entry((row,), "R², power law", line.r_squared),
        ]
        entries.append(Entry((row,), "R², exponential", line.exponential))
    entries += [
        Entry((f"their sweep, k = {k}",), "slope", None, slope) for k, slope in notebook["slope_by_k"].items()
    ]
    why = (
        "Sizes and slopes are printed in the notebook that was published with the paper's code. An exponential is a "
        "line through log size against rank itself. The notebook does not say which dataset its sweep is of; most "
        "likely it is Gutenberg."
    )
    return ComparisonTable(
        "checks-sizes", "The authors' own cluster sizes", ("clusters",), entries, "slope", NO_VECTORS, (why,)
    )


def _sums() -> ComparisonTable:
    """Compare the sums of the parts of speech in the paper's table 6 with the totals in its table 5."""
    totals = {
        name: dict(zip(published()["datasets"]["columns"], published()["datasets"][name], strict=True))
        for name in DATASETS
    }
    entries = []
    for kind in ("total", "unique"):
        for name in DATASETS:
            parts = sum(published()[f"pos_{kind}_tokens"][name])
            entries.append(Entry((name,), f"{kind} tokens", parts, totals[name][f"{kind}_tokens"]))
    why = "Ours is the sum of the six parts in the paper's table 6, published the total of its table 5."
    return ComparisonTable(
        "checks-sums",
        "The paper's tables beside each other",
        ("dataset",),
        entries,
        "tokens",
        NO_VECTORS,
        (why,),
    )


def _by_length(shown: Shown) -> ComparisonTable:
    """Return the share of suggestions that no other method made, by the length of the query."""
    entries = []
    for label, (least, most) in LENGTHS.items():
        chosen = [one for one in shown.values() if least <= len(one["query"].split()) <= most]
        unique = {method: _unique(chosen, name) for method, name in SURVEY_NAMES.items()}
        entries += [Entry((label, len(chosen)), method, unique[method]) for method in METHODS]
    why = "Of the suggestions shown in the questionnaire. The published numbers are of all lengths together."
    return ComparisonTable(
        "checks-length", "Suggestions that no other method makes, by the query's length", ("query", "queries"), entries,
        "%", NO_VECTORS, (why,), digits=1,
    )  # fmt: skip


def _unique(chosen: list[Shown], name: str) -> float:
    others = [n for n in SURVEY_NAMES.values() if n != name]
    found = [
        text not in {t for n in others for t in one[n].values()}
        for one in chosen
        for text in one[name].values()
    ]
    return 100 * float(np.mean(found)) if found else float("nan")


# ---- overlap


def _overlap(bench: Workbench, shown: Shown) -> ComparisonTable:
    """Count how many published suggestions are ours too, and how tokens and stop words change that."""
    counts = bench.recall(
        "overlap",
        lambda: _agreement(bench, shown),
        datasets=("gutenberg",),
        code=(_agreement, _agreed, jaccard_lists),
    )
    entries = [
        Entry((row,), column, values[column])
        for row, values in counts.items()
        for column in ("shown", "in our database", "ours too")
    ]
    why = (
        "Shown in the questionnaire; of these, the ones whose letters are those of a sentence in our database of the "
        "same reading level; and of these, the ones among our first five. The last rows are Jaccard alone: whose "
        "tokens, whether case counts, and whose stop words. For NLTK *don't* is *do* and *n't*, and *n't* is no stop "
        "word, so that it counts as a word in common."
    )
    title = "Published suggestions that are ours too"
    vectors = bench.about_vectors
    return ComparisonTable("checks-overlap", title, ("method",), entries, "suggestions", vectors, (why,))


def _agreement(bench: Workbench, shown: Shown) -> dict[str, dict[str, int]]:
    from lexicloud.paper.comparison import LEVELS

    held = databases(bench)
    found: dict[str, dict[str, int]] = {}
    for level in LEVELS:
        asked = [one for one in shown.values() if one["difficulty"] == level]
        queries = [one["query"] for one in asked]
        there = set(map(letters, held.texts(level)))
        for method in METHODS:
            lists = held.suggestions(level, queries, method, QUERIES_LABEL)
            _add(found, method, _agreed(asked, SURVEY_NAMES[method], lists, there))
        for label, rules in JACCARD.items():
            lists = jaccard_lists(held.texts(level), queries, *rules)
            _add(found, f"jaccard, {label}", _agreed(asked, "jaccard", lists, there))
    return found


def _add(found: dict[str, dict[str, int]], row: str, counts: dict[str, int]) -> None:
    before = found.setdefault(row, dict.fromkeys(counts, 0))
    found[row] = {key: before[key] + value for key, value in counts.items()}


def _agreed(asked: list[Shown], name: str, lists: list[list[str]], there: set[str]) -> dict[str, int]:
    theirs = [{letters(text) for text in one[name].values()} for one in asked]
    possible = [found & there for found in theirs]
    both = [len(found & set(map(letters, ours))) for found, ours in zip(possible, lists, strict=True)]
    return {"shown": sum(map(len, theirs)), "in our database": sum(map(len, possible)), "ours too": sum(both)}


# Label → whether NLTK's tokenizer is used, whether its pieces such as n't are stop words, whether case counts.
JACCARD: Final[dict[str, tuple[bool, bool, bool]]] = {
    "our tokens": (False, True, False),
    "NLTK's tokens": (True, True, False),
    "NLTK's tokens and stop words": (True, False, False),
    "NLTK's tokens, stop words and case": (True, False, True),
}


def jaccard_lists(
    texts: list[str], queries: list[str], nltk: bool, pieces: bool, case: bool
) -> list[list[str]]:
    """Return for each query the five texts whose words without stop words overlap most, the query left out.

    Ties go to the earlier text. `pieces` says whether what NLTK cuts off (*n't*, *'s*) is a stop word.
    """
    from lexicloud.text import TokenRules, is_punctuation, stopwords, tokenize

    rules = TokenRules(lowercase=False, tokenizer="nltk" if nltk else "rules")
    dropped = stopwords("english")
    if not pieces:
        dropped = frozenset(word for word in dropped if not (word.startswith("'") or word == "n't"))

    def words(text: str) -> frozenset[str]:
        found = (rules.normalise(token) for token in tokenize(text, rules))
        tokens = [t for t in found if t.lower() not in dropped and not is_punctuation(t)]
        return frozenset(tokens if case else map(str.lower, tokens))

    sets = [words(text) for text in texts]
    holders: dict[str, list[int]] = {}
    for i, found in enumerate(sets):
        for word in found:
            holders.setdefault(word, []).append(i)
    return [_nearest(words(query), query, texts, sets, holders) for query in queries]


def _nearest(
    asked: frozenset[str],
    query: str,
    texts: list[str],
    sets: list[frozenset[str]],
    holders: dict[str, list[int]],
) -> list[str]:
    candidates = {i for word in asked for i in holders.get(word, ())}
    scored = sorted((-len(asked & sets[i]) / len(asked | sets[i]), i) for i in candidates)
    same = letters(query)
    return [texts[i] for _, i in scored[: 2 * TOP] if letters(texts[i]) != same][:TOP]
