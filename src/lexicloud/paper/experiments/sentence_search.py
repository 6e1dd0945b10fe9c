"""Databases of sentences by reading level, the queries, the suggestions of every method, and two measures of variety.

These are suggestions that only one method makes, and the similarity of a method's suggestions.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.paper.comparison import (
    LEVELS,
    METHODS,
    QUERIES,
    ComparisonTable,
    Entry,
    Listing,
    Report,
    published,
)
from lexicloud.paper.data import labels_of_books

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from lexicloud.paper.workbench import Workbench
    from lexicloud.search import SentenceIndex
    from lexicloud.vectors import WordVectors

    Lists = dict[str, list[list[str]]]

LONGEST: Final = 15  # tokens of a sentence in the paper's databases
SHORTEST: Final = 5  # tokens of a query; set cover scores no shorter sentence
TOP: Final = 5
# Column → options of a search; the first is the paper's set cover, the last is ours.
COLUMNS: Final[dict[str, dict[str, Any]]] = {
    "setcover": {"method": "setcover", "weighting": "uniform"},
    **{method: {"method": method} for method in METHODS[1:]},
    "setcover (idf)": {"method": "setcover", "weighting": "idf"},
}
# Columns that depend on the vectors.
OF_VECTORS: Final = ("setcover", "average", "wmd", "setcover (idf)")
SURVEY_NAMES: Final = {
    "setcover": "set_cover",
    "average": "embedding_average",
    "wmd": "word_movers_distance",
    "jaccard": "jaccard",
    "levenshtein": "edit_distance",
}


class Databases:
    """A database of short sentences for each reading level, built on first use."""

    def __init__(self, bench: Workbench, vectors: WordVectors | None = None) -> None:
        self.bench = bench
        self.vectors = vectors or bench.vectors
        self._indexes: dict[str, SentenceIndex] = {}
        self._texts: dict[str, list[str]] = {}

    def texts(self, level: str) -> list[str]:
        """Return the distinct sentences of at most `LONGEST` tokens of a reading level's books."""
        if level not in self._texts:
            self._texts[level] = _short_sentences(self.bench, level)
        return self._texts[level]

    def index(self, level: str) -> SentenceIndex:
        """Return the index over those sentences."""
        from lexicloud.search import SentenceIndex

        if level not in self._indexes:
            texts = {each: self.texts(each) for each in LEVELS}[level]
            self.bench.let_go()  # all indexes and all corpora at once would fill the memory
            self._indexes[level] = SentenceIndex.build(texts, vectors=self.vectors)
        return self._indexes[level]

    def sample(self, level: str, n: int) -> list[str]:
        """Draw queries from a reading level's own database."""
        from lexicloud.text import is_punctuation, is_stopword, tokenize

        texts = self.texts(level)
        order = np.random.default_rng([self.bench.options.seed, LEVELS.index(level)]).permutation(len(texts))
        chosen: list[str] = []
        for i in order:
            tokens = tokenize(texts[i])
            if len(tokens) >= SHORTEST and any(not is_stopword(t) and not is_punctuation(t) for t in tokens):
                chosen.append(texts[i])
            if len(chosen) == n:
                break
        return chosen

    def suggestions(self, level: str, queries: list[str], column: str, label: str) -> list[list[str]]:
        """Return what a method suggests for each query; computed once and saved as numbers of sentences."""
        kept = self.bench.recall(
            "suggestions",
            lambda: {"rows": self._search(level, queries, column)},
            datasets=("gutenberg",),
            code=(_short_sentences, Databases._search),
            vectors=self.vectors,
            level=level,
            queries=label,
            method=column,
            number=len(queries),
            longest=LONGEST,
        )
        texts = self.texts(level)
        return [[texts[i] for i in row if i >= 0] for row in kept["rows"]]

    def _search(self, level: str, queries: list[str], column: str) -> NDArray[np.int32]:
        rows = np.full((len(queries), TOP), -1, dtype=np.int32)
        found = self.index(level).search_many(queries, top=TOP, **COLUMNS[column])
        for i, suggested in enumerate(found):
            rows[i, : len(suggested)] = [s.id for s in suggested]
        return rows


def databases(bench: Workbench, vectors: WordVectors | None = None) -> Databases:
    """Return the databases of a run for its own or other vectors; all experiments share them."""
    name = f"databases {vectors.fingerprint if vectors else 'own'}"
    held = bench.shared.setdefault(name, Databases(bench, vectors))
    assert isinstance(held, Databases)
    return held


def _short_sentences(bench: Workbench, level: str) -> list[str]:
    labels = labels_of_books(bench.options.data)
    sentences = bench.sentences("gutenberg")
    names = [name.rpartition("#")[0] for name in sentences.names]
    short = np.flatnonzero(sentences.lengths <= LONGEST).tolist()
    texts = sentences.texts
    assert texts is not None
    return list(dict.fromkeys(texts[i] for i in short if labels[names[i]].reading_level == level))


def survey_file(bench: Workbench, name: str) -> Any:
    """Return the content of a JSON file in the survey folder, or None if it is not there."""
    path = Path(bench.options.data) / "survey" / name
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


# The level of each query, as the books of the paper's own suggestions show.
LEVEL: Final = dict(zip(QUERIES, ("college", "college", "college", "middle"), strict=True))


def letters(text: str) -> str:
    """Return a text without case, spaces and marks, so that copies in other editions are equal.

    >>> letters("“Come along,” she said.") == letters('"Come along", she said')
    True
    """
    return "".join(filter(str.isalnum, text.lower()))


def run(bench: Workbench) -> Report:
    """Search for each query in the database of its reading level."""
    if not bench.has("gutenberg"):
        return Report(notes=(bench.missing["gutenberg"],))
    ours = {
        "": _examples(bench, None),
        **{f", {name}": _examples(bench, v) for name, v in bench.largest.items()},
    }
    theirs = published()["example_suggestions"]
    lists: dict[tuple[str, str], list[str]] = {}
    for query, column in product(QUERIES, COLUMNS):
        if column in theirs[query]:
            lists[query, f"{column}, published"] = theirs[query][column]
        lists |= {
            (query, f"{column}{whose}"): found[query][column]
            for whose, found in ours.items()
            if column in found.get(query, ())
        }
    listing = Listing(
        "examples",
        "Suggestions for the paper's four queries",
        ("query", "method", "rank", "suggestion"),
        [(*key, rank, text) for key, texts in lists.items() for rank, text in enumerate(texts, 1)],
        " and ".join([bench.about_vectors, *bench.largest]),
        (_EXAMPLES_WHY, *(_alike(query, found) for query, found in ours[""].items())),
        bench.sample,
    )
    return Report((listing,))


_EXAMPLES_WHY: Final = (
    "Three queries go to the college database and the last to the pre-high-school one, as the books behind the paper's "
    "own suggestions show. Set cover is the paper's, setcover (idf) lexicloud's default. A column with a name of "
    "vectors is the same method with those. Copies of the query in another edition are left out."
)


def _examples(bench: Workbench, vectors: WordVectors | None) -> dict[str, dict[str, list[str]]]:
    """Return query → column → suggestions; with other vectors only for columns that depend on them."""
    columns = COLUMNS if vectors is None else OF_VECTORS
    return bench.recall(
        "examples",
        lambda: {query: _suggested(databases(bench, vectors), query, columns) for query in QUERIES},
        datasets=("gutenberg",),
        code=(_short_sentences, _suggested),
        vectors=vectors,
        longest=LONGEST,
    )


def _suggested(held: Databases, query: str, columns: Iterable[str]) -> dict[str, list[str]]:
    """Return the first suggestions that are no copies of the query, which another edition may hold."""
    if not held.texts(LEVEL[query]):
        return {}
    index, same = held.index(LEVEL[query]), letters(query)
    lists = {c: [s.text for s in index.search(query, top=2 * TOP, **COLUMNS[c])] for c in columns}
    return {
        column: [text for text in texts if letters(text) != same][:TOP] for column, texts in lists.items()
    }


def _alike(query: str, ours: dict[str, list[str]]) -> str:
    """Return a sentence on how many of the paper's printed suggestions are ours too."""
    counts = [
        f"{column} {len(set(map(letters, texts)) & set(map(letters, ours.get(column, ()))))}"
        for column, texts in published()["example_suggestions"][query].items()
    ]
    return f"Of the five that the paper prints for {query} ours has: {', '.join(counts)}."


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
