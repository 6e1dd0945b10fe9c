"""Databases of sentences by reading level, the queries, and the suggestions of every method."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.paper.comparison import LEVELS, METHODS, QUERIES, Listing, Report, published
from lexicloud.paper.data import labels_of_books

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from lexicloud.paper.workbench import Workbench
    from lexicloud.search import SentenceIndex
    from lexicloud.vectors import WordVectors

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
