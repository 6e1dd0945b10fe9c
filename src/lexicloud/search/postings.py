"""From texts to postings of their words and terms; every distinct run of non-space characters is read once."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from scipy import sparse

from lexicloud.progress import stage
from lexicloud.text.stems import terms_by
from lexicloud.text.tokens import is_punctuation, stopwords
from lexicloud.words.counting import count_tokens, cut, numbering

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.text import TokenRules

    Stream = tuple[list[str], NDArray[np.int32], NDArray[np.int64]]

_MOST: Final = 2**16 - 1  # the highest count of a word in a text
_SOME: Final = 16_384  # texts counted at a time
_CHARACTERS: Final = 8_000_000  # of texts that one thread reads at a time
_FEW: Final = 2_000  # fewer texts are read faster than Arrow is imported
_EXACT: Final = 128  # lengths up to here have a class each


class CutTexts(NamedTuple):
    """Texts cut at white space: the distinct pieces, the numbers of those of all texts, and where each text begins."""

    pieces: list[str]
    stream: NDArray[np.int32]
    ends: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of words in texts, by rows and by columns, and of terms; both are in the order of their UTF-8 bytes.

    Stop words and punctuation are among the words, but the counts leave them out: no method looks at them, and they are
    half of all tokens.
    """

    words: list[str]
    stopwords: NDArray[np.bool_]
    punctuation: NDArray[np.bool_]
    df: NDArray[np.int32]  # of all words
    by_row: sparse.csr_array
    by_word: sparse.csc_array
    lengths: NDArray[np.int32]
    terms: list[str]
    by_term: sparse.csc_array
    term_lengths: NDArray[np.uint8]
    runs: CutTexts


def count_texts(texts: Sequence[str], rules: TokenRules, workers: int | None = None) -> Counts:
    """Count the words and the terms of texts."""
    (words, tokens, token_bounds), (terms, parts, part_bounds), runs = _streams(texts, rules, workers)
    stop = stopwords(rules.language)
    stops = np.fromiter((w in stop for w in words), dtype=bool, count=len(words))
    marks = np.fromiter((is_punctuation(w) for w in words), dtype=bool, count=len(words))
    with stage("indexing", None):
        content = ~(stops | marks)
        by_row, by_word = _matrices(*_only(content, tokens, token_bounds), len(words), _MOST)
        _, by_term = _matrices(parts, part_bounds, len(terms), np.iinfo(np.uint8).max)
        df = np.diff(by_word.indptr).astype(np.int32)
        df[~content] = _text_counts(~content, tokens, token_bounds)
        return Counts(
            words,
            stops,
            marks,
            df,
            by_row,
            by_word,
            np.diff(token_bounds).astype(np.int32),
            terms,
            by_term,
            length_classes(np.diff(part_bounds)),
            runs,
        )


@contextmanager
def not_collecting() -> Iterator[None]:
    """Switch the garbage collector off, which would walk through hundreds of thousands of tuples again and again."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _only(
    words: NDArray[np.bool_], tokens: NDArray[np.int32], bounds: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the tokens that are marked in `words`, and where each text begins among them."""
    wanted = words[tokens]
    return tokens[wanted], _sum_before(np.cumsum(wanted), bounds)


def _sum_before(sums: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of all values before each place, given their running sums."""
    if not len(sums):
        return np.zeros(len(places), np.int64)
    return np.where(places > 0, sums[places - 1], 0)


def _text_counts(
    words: NDArray[np.bool_], tokens: NDArray[np.int32], bounds: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return how many texts have each of a few words; a table of texts × words is filled for some texts at a time."""
    tokens, bounds = _only(words, tokens, bounds)
    columns = np.cumsum(words) - 1
    counts = np.zeros(int(words.sum()), np.int64)
    for first in range(0, len(bounds) - 1, _SOME):
        some = bounds[first : first + _SOME + 1]
        has = np.zeros((len(some) - 1, len(counts)), dtype=bool)
        has[np.repeat(np.arange(len(has)), np.diff(some)), columns[tokens[some[0] : some[-1]]]] = True
        counts += has.sum(axis=0)
    return counts


# ---- streams of numbers


def _streams(texts: Sequence[str], rules: TokenRules, workers: int | None) -> tuple[Stream, Stream, CutTexts]:
    """Return the words of texts and their terms, each as a sorted list, a stream of numbers, and where texts begin; and
    the pieces between white space, from which they were read.
    """
    if not texts:
        none: Stream = ([], np.zeros(0, np.int32), np.zeros(1, np.int64))
        return none, none, CutTexts(*none)
    runs, stream, sizes = _number_runs(texts, workers)
    cut_texts = CutTexts(runs, stream, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
    if rules.tokenizer != "rules":  # NLTK's tokens depend on the sentence around them
        words, tokens, bounds = count_tokens(texts, rules, workers)
        names, numbers = _in_order(words)
        own = names, numbers[tokens] if len(tokens) else tokens, bounds
        return own, _spread(list(map(terms_by(rules).read, runs)), stream, sizes), cut_texts
    of_words, of_terms = _read_runs(runs, rules)
    return _spread(of_words, stream, sizes), _spread(of_terms, stream, sizes), cut_texts


def _read_runs(runs: list[str], rules: TokenRules) -> tuple[list[Any], list[Any]]:
    """Return the words and the terms of each run."""
    read = terms_by(rules).words_and_terms
    both = [read(run) for run in runs]
    return [words for words, _ in both], [terms for _, terms in both]


def _number_runs(
    texts: Sequence[str], workers: int | None
) -> tuple[list[str], NDArray[np.int32], NDArray[np.int64]]:
    """Return the distinct runs of non-space characters, every run's number, and how many each text has."""
    ids = numbering()
    streams: list[NDArray[np.int32]] = []
    sizes: list[NDArray[np.int64]] = []
    batches = cut(texts, _CHARACTERS)
    jobs = ([texts[i] for i in batch] for batch in batches)
    with stage("counting words", len(texts)) as advance, ExitStack() as pools:
        # Threads, since Arrow's loops release the interpreter, and starting processes would take as long as the work.
        # A single batch, as in most additions, runs without threads, and so cannot fail for lack of one.
        over = map if len(batches) == 1 else pools.enter_context(_threads(workers)).map
        for batch, (own, stream, lengths) in zip(batches, over(_runs_of, jobs), strict=True):
            numbers = np.array([ids[run] for run in own], dtype=np.int32)
            streams.append(numbers[stream] if len(numbers) else stream)
            sizes.append(lengths)
            advance(len(batch))
    return list(ids), np.concatenate(streams), np.concatenate(sizes)


def _threads(workers: int | None) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers or os.cpu_count())


def _runs_of(texts: list[str]) -> tuple[list[str], NDArray[np.int32], NDArray[np.int64]]:
    """Return the runs of some texts, as `_number_runs` does."""
    if len(texts) >= _FEW:
        try:
            return _runs_by_arrow(texts)
        except (ImportError, UnicodeEncodeError):  # Arrow is optional, and takes no half of a surrogate pair
            pass
    ids = numbering()
    runs = [text.split() for text in texts]
    sizes = np.array(list(map(len, runs)), np.int64)
    stream = np.fromiter(map(ids.__getitem__, chain.from_iterable(runs)), np.int32, int(sizes.sum()))
    return list(ids), stream, sizes


def _runs_by_arrow(texts: list[str]) -> tuple[list[str], NDArray[np.int32], NDArray[np.int64]]:
    """Return what `_runs_of` does in a third of the time; Arrow and Python agree on what white space is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    split = pc.utf8_split_whitespace(pa.array(texts, pa.large_string()))
    numbered = split.flatten().dictionary_encode()
    runs, stream = numbered.dictionary.to_pylist(), numbered.indices.to_numpy()
    ends = split.offsets.to_numpy().astype(np.int64)
    if "" not in runs:
        return runs, stream, np.diff(ends)
    # White space at the ends of a text leaves empty runs there.
    empty = runs.index("")
    kept = stream != empty
    sizes = np.diff(_sum_before(np.cumsum(kept), ends))
    stream = stream[kept]
    return runs[:empty] + runs[empty + 1 :], stream - (stream > empty).astype(np.int32), sizes


def _spread(of_runs: list[Any], stream: NDArray[np.int32], sizes: NDArray[np.int64]) -> Stream:
    """Replace every run by the words or terms that it holds."""
    ids = numbering()
    held = np.fromiter(map(len, of_runs), np.int32, len(of_runs))
    flat = np.fromiter(map(ids.__getitem__, chain.from_iterable(of_runs)), np.int32, int(held.sum()))
    names, numbers = _in_order(list(ids))
    lengths = held[stream]
    ends = np.cumsum(lengths, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    small = np.int32 if total < 2**31 else np.int64  # half the bytes, half the time
    begins = (np.cumsum(held) - held).astype(small)
    places = np.repeat(begins[stream] - (ends - lengths).astype(small), lengths)
    places += np.arange(total, dtype=small)
    bounds = _sum_before(ends, np.concatenate([[0], np.cumsum(sizes)]))
    return names, numbers[flat][places] if total else flat, bounds


def _in_order(names: list[str]) -> tuple[list[str], NDArray[np.int32]]:
    """Return names sorted by their UTF-8 bytes (the order of code points), and the new place of each."""
    order = sorted(range(len(names)), key=names.__getitem__)
    numbers = np.empty(len(names), dtype=np.int32)
    numbers[order] = np.arange(len(names), dtype=np.int32)
    return [names[i] for i in order], numbers


def _matrices(
    stream: NDArray[np.int32], bounds: NDArray[np.int64], width: int, most: int
) -> tuple[sparse.csr_array, sparse.csc_array]:
    """Return how often each text has each word, by texts and by words, up to `most` times."""
    shape = (len(bounds) - 1, width)
    columns = sparse.csr_array((np.ones(len(stream), np.int32), stream, bounds), shape=shape).tocsc()
    columns.sum_duplicates()  # fast: the rows of a column are in order already
    most = min(most, int(columns.data.max(initial=0)))
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
