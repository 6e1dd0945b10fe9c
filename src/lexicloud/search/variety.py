"""How varied the suggestions of methods are, and example queries to ask them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.result import TabularResult, plain
from lexicloud.say.blocks import Block, Sentence, many, table
from lexicloud.search.items import Suggestion
from lexicloud.text import stopwords

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.search.index import SentenceIndex

    Lists = Sequence[Sequence[str | Suggestion]]

# Tokens as the paper counted them: as written, punctuation included; a full stop belongs to the word
# before it unless it ends the text.
# On the paper's own suggestions this gives its published values within 0.0004.
_TOKEN: Final = re.compile(
    r"""\w[\w\-]*(?:\.(?!["'»”’)\]}>\s]*$|\.))?"""  # a word, with the full stop of an abbreviation
    r"""|'\w+|\.{2,}|--|[^\w\s]"""
)
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True)
class Variety(TabularResult):
    """The variety of each method's suggestions over the same queries.

    `unique` is the percentage of a method's suggestions that no other method made for the query (a list
    that is shorter than the longest counts as if it had been filled up with shared ones), `jaccard` the
    mean pairwise Jaccard similarity within a list, and `jaccard_content` the same without stop words and
    punctuation.
    """

    _index = "method"

    _left_out = ("methods", "jaccard", "jaccard_content")
    _renamed: ClassVar = {"unique": "unique_percent"}

    methods: tuple[str, ...]
    unique: dict[str, float]
    jaccard: dict[str, float]
    jaccard_content: dict[str, float]
    queries: int
    top: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        jaccard = {"stopwords_kept": self.jaccard, "stopwords_removed": self.jaccard_content}
        return {**super().to_dict(), "pairwise_jaccard": plain(jaccard)}

    def to_columns(self) -> dict[str, Any]:
        """Return the methods and their measures."""
        measures = {
            "unique %": self.unique,
            "jaccard": self.jaccard,
            "jaccard without stop words": self.jaccard_content,
        }
        by_method = {name: [values[m] for m in self.methods] for name, values in measures.items()}
        return {"method": self.methods, **by_method}

    def __str__(self) -> str:
        return f"{', '.join(self.methods)}: {self.queries:,} queries, {self.top} suggestions each"

    def blocks(self) -> list[Block]:
        """Return the paper's two tables: unique suggestions, and how alike a method's suggestions are."""
        least = min(self.methods, key=self.jaccard.__getitem__)
        varied = f"The suggestions of {least} are least alike, over {many(self.queries, 'query')}, {self.top} each."
        alike = [
            ("stop words kept", *(f"{self.jaccard[m]:.4f}" for m in self.methods)),
            ("removed", *(f"{self.jaccard_content[m]:.4f}" for m in self.methods)),
        ]
        unique = [("unique", *(f"{self.unique[m]:.2f}" for m in self.methods))]
        return [
            Sentence(varied, "answer"),
            table(["", *self.methods], unique, title="Suggestions that no other method made (%)"),
            table(["", *self.methods], alike, title="Mean pairwise Jaccard similarity within a method"),
        ]


def variety(
    suggestions: Mapping[str, Lists | Sequence[str | Suggestion]], language: str = "english"
) -> Variety:
    """Measure the variety of several methods' suggestions.

    `suggestions` maps each method to its lists of suggestions (texts or `Suggestion`s), one list per query
    in the same order for every method; for a single query the list alone will do.

    >>> found = variety({"a": ["The cat sat.", "A dog ran."], "b": ["The cat sat.", "The cat ran."]})
    >>> found.unique, round(found.jaccard_content["b"], 3)
    ({'a': 50.0, 'b': 50.0}, 0.333)
    """
    if not isinstance(suggestions, Mapping):
        raise OptionError(
            f"suggestions is a {type(suggestions).__name__}: give a dict of method → lists of suggestions"
        )
    lists = {method: _texts(found) for method, found in suggestions.items()}
    sizes = {method: len(found) for method, found in lists.items()}
    if len(set(sizes.values())) != 1:
        raise OptionError(
            f"every method needs one list of suggestions per query, but there are {sizes or 'no methods'}"
        )
    top = max((len(one) for found in lists.values() for one in found), default=0)
    queries = next(iter(sizes.values()))
    if not top:
        raise OptionError(f"there is no suggestion among {queries} queries: nothing to measure")
    # Words end at an apostrophe here, so the pieces of "don't" are stop words too.
    stop = frozenset(piece for word in stopwords(language) for piece in (word, *word.split("'")))
    return Variety(
        tuple(lists),
        {method: _unique(method, lists, top) for method in lists},
        {
            method: _mean_jaccard(found, lambda text: set(_TOKEN.findall(text)))
            for method, found in lists.items()
        },
        {method: _mean_jaccard(found, lambda text: _content(text, stop)) for method, found in lists.items()},
        queries,
        top,
    )


def _texts(found: Iterable[Any]) -> list[list[str]]:
    """Return one list of texts per query."""
    found = list(found)
    if found and all(isinstance(one, str | Suggestion) for one in found):
        found = [found]
    return [[one.text if isinstance(one, Suggestion) else str(one) for one in some] for some in found]


def _unique(method: str, lists: Mapping[str, list[list[str]]], top: int) -> float:
    """Return the percentage of a method's suggestions that no other method made for the same query."""
    alone = 0
    for i, mine in enumerate(lists[method]):
        others = {text for other, found in lists.items() if other != method for text in found[i]}
        alone += sum(text not in others for text in mine)
    return 100 * alone / (top * len(lists[method]))


def _content(text: str, stop: frozenset[str]) -> set[str]:
    return {word for word in _WORD.findall(text) if word.lower() not in stop}


def _mean_jaccard(lists: list[list[str]], words: Any) -> float:
    """Return the mean over all pairs within all lists; two texts with no word left are the same."""
    pairs = [pair for found in lists for pair in combinations([words(text) for text in found], 2)]
    return (
        sum(len(a & b) / len(a | b) if a | b else 1.0 for a, b in pairs) / len(pairs)
        if pairs
        else float("nan")
    )


# The methods of the paper's tables, in their order.
PAPER_METHODS: Final = ("setcover", "average", "wmd", "jaccard", "levenshtein")
_SHORTEST: Final = 5  # tokens: a shorter sentence says too little to ask for more like it


@dataclass(frozen=True)
class Evaluation(TabularResult):
    """The variety of each method on queries drawn from an index, and how they were drawn."""

    _index = "method"

    _left_out = ("variety",)

    variety: Variety
    seed: int
    options: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**self.variety.to_dict(), **super().to_dict()}

    def to_columns(self) -> dict[str, Any]:
        """Return the methods and their measures."""
        return self.variety.to_columns()

    def blocks(self) -> list[Block]:
        """Return the two tables."""
        return self.variety.blocks()

    def __str__(self) -> str:
        return str(self.variety)


def evaluate_methods(
    index: SentenceIndex,
    queries: int = 5000,
    *,
    seed: int = 0,
    methods: Sequence[str] = PAPER_METHODS,
    top: int = 5,
    weighting: str = "uniform",
    workers: int | None = None,
    **options: Any,
) -> Evaluation:
    """Draw sentences of the index as queries, search for each by every method, and measure the variety.

    Set cover is the paper's unless `weighting` says otherwise. An index with fewer sentences of at least
    five tokens than `queries` uses all of them.
    """
    if queries < 1:
        raise OptionError(f"{queries} queries: there must be at least one")
    drawn = draw_queries(index, queries, seed)
    if not drawn:
        raise OptionError(
            f"none of the {len(index):,} sentences has {_SHORTEST} tokens: there is no query to draw"
        )
    chosen = {"top": top, "weighting": weighting, **options}
    found = {method: index.search_many(drawn, method, workers=workers, **chosen) for method in methods}
    return Evaluation(variety(found), seed, chosen)


def draw_queries(index: SentenceIndex, queries: int, seed: int) -> list[str]:
    """Return the texts of sentences drawn at random without replacement, each text at most once."""
    database = index.database
    eligible = database.lengths >= _SHORTEST
    if database.eligible is not None:
        eligible = eligible & database.eligible
    rows = np.flatnonzero(eligible)
    drawn = (
        np.random.default_rng(seed).choice(rows, size=min(queries, len(rows)), replace=False)
        if len(rows)
        else rows
    )
    return [database.texts[int(row)] for row in drawn]


# Long enough to have a topic, short enough to be read at a glance.
_FEWEST_TOKENS, _MOST_TOKENS = 7, 22
_CONTENT: Final = 4  # content words, at least
_COMMON: Final = 3  # a word counts if so many sentences have it, so that it can find others
_FEW: Final = 50  # in so few sentences hardly any word occurs twice
_RARE: Final = 3000  # a word must be in one sentence of so many: rarer ones are oddities, not topics


def choose_queries(sentences: Corpus, n: int) -> tuple[str, ...]:
    """Return up to `n` sentences that make good queries, spread over the documents, with few words in common.

    >>> from lexicloud.corpus import Corpus
    >>> text = "It was so. The old sailor steered the heavy ship towards the harbour. The sailor and his ship sank."
    >>> choose_queries(Corpus.from_texts([text]).sentences(), 1)
    ('The old sailor steered the heavy ship towards the harbour.',)
    """
    if sentences.texts is None or sentences.parents is None or not len(sentences):
        return ()
    scores = _scores(sentences)
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > 0]
    chosen: list[int] = []
    used = np.zeros(len(sentences.vocabulary), dtype=bool)
    for documents in _spread(len(sentences.names), sentences.parents, n):
        row = _best(sentences, order[np.isin(sentences.parents[order], documents)], used)
        if row is not None:
            chosen.append(row)
            used[sentences.tokens(row)] = True
            used &= ~sentences.stopwords & ~sentences.punctuation
    return tuple(" ".join(sentences.texts[row].split()) for row in chosen)


def _scores(sentences: Corpus) -> NDArray[np.float64]:
    """Return the mean idf of each sentence's content words; 0 for sentences that make no good query.

    A sentence with words that have no vector is no good query; where no word has one, this does not count.
    """
    counts = sentences.counts
    seen = sentences.embedded if sentences.embedded.any() else np.ones_like(sentences.embedded)
    content_words = seen & ~sentences.stopwords & ~sentences.punctuation
    has = counts.astype(bool).astype(np.float64)
    frequency = np.asarray(has.sum(axis=0)).ravel()
    common = max(min(_COMMON, 1 + len(sentences) // _FEW), len(sentences) // _RARE)
    telling = content_words & (frequency >= common)
    idf = np.where(telling, np.log(len(sentences) / np.maximum(frequency, 1)), 0.0)
    content = has @ content_words.astype(np.float64)
    known = has @ (seen | sentences.punctuation).astype(np.float64)
    lengths = sentences.lengths
    good = (lengths >= _FEWEST_TOKENS) & (lengths <= _MOST_TOKENS) & (content >= _CONTENT)
    good &= known == np.diff(counts.indptr)
    return np.where(good, (has @ idf) / np.maximum(content, 1), 0.0)


def _spread(size: int, parents: NDArray[np.int32], n: int) -> list[NDArray[np.int32]]:
    """Cut the documents into n runs, one for each query."""
    documents = np.unique(parents[:size])
    return [run if len(run) else documents for run in np.array_split(documents, n)]


def _best(sentences: Corpus, order: NDArray[np.int64], used: NDArray[np.bool_]) -> int | None:
    """Return the first sentence that shares no content word with those chosen before."""
    assert sentences.texts is not None
    for row in order[:500]:
        text = sentences.texts[row].strip()
        if not used[sentences.tokens(row)].any() and text[:1].isupper() and text[-1:] in ".!?":
            return int(row)
    return int(order[0]) if len(order) and not used.any() else None
