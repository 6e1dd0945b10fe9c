"""Words in a row that stand twice: a quotation, a copy or a refrain says nothing about who wrote the rest."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.say.blocks import many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Sides = tuple[list[list[str]], list[str]]

# Words and marks in a row. Two texts have so many in common by chance only in set phrases.
RUN: Final = 12
# A text is a copy if more than this share of its runs stands in other texts.
COPY: Final = 0.5
# The share of all runs that is looked at to find copies, one in so many.
SAMPLED: Final = 8


def own_words(sides: Sides) -> tuple[Sides, tuple[str, ...]]:
    """Leave out runs of words that both sides have, and those that a side has had before; say how many words.

    >>> song = "one two three four five six seven eight nine ten eleven twelve".split()
    >>> own_words(([[*song, "known"]], ["unknown", *song]))
    (([['known']], ['unknown']), ('24 words were left out: they stand in both word for word',))
    """
    known, unknown = _numbered([*sides[0], sides[1]])
    runs = [_runs(ids) for ids in known], _runs(unknown)
    theirs = np.unique(np.concatenate([*runs[0], np.zeros(0, dtype=np.uint64)]))
    quoted = [_covered(np.isin(each, runs[1]), len(ids)) for each, ids in zip(runs[0], known, strict=True)]
    quoted.append(_covered(np.isin(runs[1], theirs), len(unknown)))
    again = [*_seen_before(known, runs[0]), *_seen_before([unknown], [runs[1]])]
    texts = [
        [word for word, q, a in zip(text, q_, a_, strict=True) if not (q or a)]
        for text, q_, a_ in zip([*sides[0], sides[1]], quoted, again, strict=True)
    ]
    both = sum(int(q.sum()) for q in quoted)
    twice = sum(int((a & ~q).sum()) for q, a in zip(quoted, again, strict=True))
    notes = [f"{_were(both)} left out: they stand in both word for word"] if both else []
    notes += [f"{_were(twice)} left out: they stand in the same side before"] if twice else []
    return ([text for text in texts[:-1] if text], texts[-1]), tuple(notes)


def copies(texts: Sequence[NDArray[Any]]) -> list[int]:
    """Return which texts, given as the numbers of their words, are for the most part copies of texts before them."""
    runs = [np.unique(each[each % np.uint64(SAMPLED) == 0]) for each in map(_runs, texts)]
    edges = np.cumsum([0, *map(len, runs)])
    later = _later(runs)
    return [i for i, (a, b) in enumerate(pairwise(edges)) if a < b and later[a:b].mean() > COPY]


def _were(number: int) -> str:
    return f"{many(number, 'word')} {'was' if number == 1 else 'were'}"


def _numbered(texts: Sequence[Sequence[str]]) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    ids: dict[str, int] = {}
    found = [np.array([ids.setdefault(word, len(ids)) for word in text], dtype=np.int64) for text in texts]
    return found[:-1], found[-1]


def _runs(ids: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number for each run of words, by its first word; equal runs have equal numbers."""
    if len(ids) < RUN:
        return np.zeros(0, dtype=np.uint64)
    with np.errstate(over="ignore"):
        words = (np.asarray(ids).astype(np.int64) + 2).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        words ^= words >> np.uint64(29)
        two = _joined(words, words, 1)
        four = _joined(two, two, 2)
        return _joined(_joined(four, four, 4), four, 8)


def _joined(first: NDArray[np.uint64], second: NDArray[np.uint64], apart: int) -> NDArray[np.uint64]:
    """Return a number for each run made of a run and of another one that begins so many words later."""
    number = len(second) - apart
    found = first[:number] * np.uint64(0xBF58476D1CE4E5B9) + second[apart:]
    return np.asarray(found ^ (found >> np.uint64(31)))


def _covered(starts: NDArray[np.bool_], words: int) -> NDArray[np.bool_]:
    """Return which words are in a run that begins at one of the starts."""
    edges = np.zeros(words + 1, dtype=np.int64)
    edges[: len(starts)] += starts
    edges[RUN : RUN + len(starts)] -= starts
    return np.asarray(np.cumsum(edges)[:words] > 0)


def _seen_before(
    texts: Sequence[NDArray[Any]], runs: Sequence[NDArray[np.uint64]]
) -> list[NDArray[np.bool_]]:
    """Return which words are in a run that began before, in the same text or in one before it."""
    later, edges = _later(runs), np.cumsum([0, *map(len, runs)])
    return [_covered(later[a:b], len(ids)) for (a, b), ids in zip(pairwise(edges), texts, strict=True)]


def _later(runs: Sequence[NDArray[np.uint64]]) -> NDArray[np.bool_]:
    """Tell of each run, all texts one after the other, whether an equal one stands before it."""
    joined = np.concatenate([*runs, np.zeros(0, dtype=np.uint64)])
    later = np.ones(len(joined), dtype=bool)
    later[np.unique(joined, return_index=True)[1]] = False
    return later
