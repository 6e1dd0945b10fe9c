"""Counts of words, whatever they come in: a corpus, a mapping, an array, a rank–frequency table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lexicloud.corpus import Corpus
from lexicloud.errors import EstimateError, OptionError
from lexicloud.zipf.ranks import RankFrequency, rank_frequency

if TYPE_CHECKING:
    from numpy.typing import NDArray


def descending_counts(
    source: Corpus | RankFrequency | Mapping[str, int] | Iterable[int],
) -> NDArray[np.int64]:
    """Return the counts above zero, largest first; those of a sparse table are added up over its rows.

    >>> descending_counts({"the": 7, "whale": 2, "ship": 3}).tolist()
    [7, 3, 2]
    """
    if isinstance(source, Corpus):
        source = rank_frequency(source)
    if isinstance(source, RankFrequency):
        return source.counts
    values: Any = source.values() if isinstance(source, Mapping) else source
    # A sparse table is documents × vocabulary, as `corpus.counts` is.
    counts = checked_counts(np.asarray(values.sum(axis=0)).ravel() if _is_sparse(values) else values)
    return np.sort(counts[counts > 0])[::-1]


def _is_sparse(values: object) -> bool:
    return bool(sparse.issparse(values))


def checked_counts(values: Any) -> NDArray[np.int64]:
    """Return whole numbers that are not negative, or say which one is neither."""
    if isinstance(values, str):
        raise OptionError(
            "counts are numbers, not a text: count its words first, with rank_frequency(corpus)"
        )
    array = np.asarray(values if isinstance(values, np.ndarray) else list(values))
    if array.ndim != 1:
        raise OptionError(f"counts have one dimension, not {array.ndim}: give one number per word")
    if not array.size:
        raise EstimateError("there are no counts: 0 words")
    if array.dtype.kind not in "iufb":
        raise OptionError(f"counts are whole numbers, not {array.dtype}")
    return _whole(array)


def _whole(array: NDArray[Any]) -> NDArray[np.int64]:
    if array.dtype.kind == "f":
        wrong = ~np.isfinite(array) | (array != np.floor(array))
        if wrong.any():
            place = int(np.argmax(wrong))
            raise OptionError(f"counts are whole numbers, but number {place} is {array[place]}")
    if (array < 0).any():
        place = int(np.argmax(array < 0))
        raise OptionError(f"counts cannot be negative, but number {place} is {array[place]}")
    whole: NDArray[np.int64] = array.astype(np.int64)
    return whole


def require_spread(counts: NDArray[np.int64], least: int, what: str) -> None:
    """Refuse counts that say nothing about a slope: too few words, or all alike."""
    if len(counts) < least:
        raise EstimateError(f"{what} needs at least {least} words, and there are {len(counts)}")
    if counts[0] == counts[-1]:
        raise EstimateError(f"{what} has no answer: all {len(counts)} counts are equal to {counts[0]}")
