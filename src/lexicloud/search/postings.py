"""From texts to postings of their words and terms: every distinct run of characters is looked at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.corpus.lexicon import count_tokens, in_batches, numbering
from lexicloud.progress import stage
from lexicloud.text.stems import terms_by
from lexicloud.text.tokens import tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.text import TokenRules

    Stream = tuple[list[str], NDArray[np.int32], NDArray[np.int64]]

_MOST: Final = 2**16 - 1  # times that a text is said to have a word
_EXACT: Final = 128  # lengths up to here have a class each


@dataclass(frozen=True, eq=False)
class Counts:
    """Texts by words, both ways, and by terms; words and terms are in the order of their UTF-8 bytes."""

    words: list[str]
    by_row: sparse.csr_array
    by_word: sparse.csc_array
    lengths: NDArray[np.int32]
    terms: list[str]
    by_term: sparse.csc_array
    term_lengths: NDArray[np.uint8]


def count_texts(texts: Sequence[str], rules: TokenRules, workers: int | None = None) -> Counts:
    """Count the words and the terms of texts."""
    (words, tokens, token_bounds), (terms, parts, part_bounds) = _streams(texts, rules, workers)
    with stage("indexing", None):
        by_row, by_word = _matrices(tokens, token_bounds, len(words), _MOST)
        _, by_term = _matrices(parts, part_bounds, len(terms), np.iinfo(np.uint8).max)
        lengths = np.diff(token_bounds).astype(np.int32)
        return Counts(words, by_row, by_word, lengths, terms, by_term, length_classes(np.diff(part_bounds)))


# ---- streams of numbers


def _streams(texts: Sequence[str], rules: TokenRules, workers: int | None) -> tuple[Stream, Stream]:
    """Return the words of texts and their terms, each as a sorted list, a stream of numbers, and where texts begin."""
    if not texts:
        none: Stream = ([], np.zeros(0, np.int32), np.zeros(1, np.int64))
        return none, none
    runs, stream, sizes = _number_runs(texts, workers)
    terms = terms_by(rules)
    of_terms = _spread([terms.read(run) for run in runs], stream, sizes)
    if rules.tokenizer != "rules":  # NLTK's tokens depend on the sentence around them
        words, tokens, bounds = count_tokens(texts, rules, workers)
        return _sorted(words, tokens, bounds), of_terms
    normalise = rules.normalise
    return _spread([list(map(normalise, tokenize(run, rules))) for run in runs], stream, sizes), of_terms


def _number_runs(
    texts: Sequence[str], workers: int | None
) -> tuple[list[str], NDArray[np.int32], NDArray[np.int64]]:
    """Return the distinct runs of non-space characters, every run's number, and how many each text has."""
    ids = numbering()
    streams: list[NDArray[np.int32]] = []
    sizes: list[int] = []
    with stage("counting words", len(texts)) as advance:
        for batch, (own, stream, lengths) in in_batches(_runs_of, texts, workers):
            numbers = np.array([ids[run] for run in own], dtype=np.int32)
            streams.append(numbers[stream] if len(numbers) else stream)
            sizes += lengths
            advance(len(batch))
    return list(ids), np.concatenate(streams), np.array(sizes, dtype=np.int64)


def _runs_of(texts: list[str]) -> tuple[list[str], NDArray[np.int32], list[int]]:
    ids = numbering()
    runs = [text.split() for text in texts]
    sizes = list(map(len, runs))
    stream = np.fromiter(map(ids.__getitem__, chain.from_iterable(runs)), np.int32, sum(sizes))
    return list(ids), stream, sizes


def _spread(of_runs: list[Any], stream: NDArray[np.int32], sizes: NDArray[np.int64]) -> Stream:
    """Put in place of every run what it holds."""
    ids = numbering()
    held = np.fromiter(map(len, of_runs), np.int64, len(of_runs))
    flat = np.fromiter(map(ids.__getitem__, chain.from_iterable(of_runs)), np.int32, int(held.sum()))
    starts = np.cumsum(held) - held
    lengths = held[stream]
    ends = np.cumsum(lengths)
    places = np.arange(int(lengths.sum())) + np.repeat(starts[stream] - (ends - lengths), lengths)
    bounds = np.concatenate([[0], ends])[np.concatenate([[0], np.cumsum(sizes)])]
    return _sorted(list(ids), flat[places], bounds)


def _sorted(names: list[str], stream: NDArray[np.int32], bounds: NDArray[np.int64]) -> Stream:
    """Number names in the order of their UTF-8 bytes, which is the order of their code points."""
    order = sorted(range(len(names)), key=names.__getitem__)
    renumber = np.empty(len(names), dtype=np.int32)
    renumber[order] = np.arange(len(names), dtype=np.int32)
    return [names[i] for i in order], renumber[stream] if len(stream) else stream, bounds


def _matrices(
    stream: NDArray[np.int32], bounds: NDArray[np.int64], width: int, most: int
) -> tuple[sparse.csr_array, sparse.csc_array]:
    """Return how often each text has each word, by texts and by words, up to `most` times."""
    shape = (len(bounds) - 1, width)
    columns = sparse.csr_array((np.ones(len(stream), np.int32), stream, bounds), shape=shape).tocsc()
    columns.sum_duplicates()  # quick: a column's rows are in order already
    columns.data = np.minimum(columns.data, most).astype(np.uint16 if most > 255 else np.uint8)
    return columns.tocsr(), columns


# ---- lengths


def length_classes(lengths: Iterable[int] | NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the class of each length: itself up to 127, then sixteen classes to every doubling.

    >>> length_classes(np.array([0, 5, 127, 128, 136, 10**9])).tolist()
    [0, 5, 127, 128, 129, 255]
    """
    exact = np.asarray(lengths)
    above = _EXACT + np.floor(16 * np.log2(np.maximum(exact, _EXACT) / _EXACT))
    return np.where(exact < _EXACT, exact, np.minimum(above, 255)).astype(np.uint8)


def class_lengths() -> NDArray[np.float64]:
    """Return the least length of each class."""
    classes = np.arange(256.0)
    return np.where(classes < _EXACT, classes, _EXACT * 2 ** ((classes - _EXACT) / 16))
