"""Putting a vector table together from blocks of rows: what can safely be repaired is repaired and counted."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import VectorsError
from lexicloud.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from lexicloud.vectors.subwords import Subwords

DUPLICATES: Final = "duplicate words left out, the first counts"
ZEROS: Final = "words with a vector of zeros left out"
NAMELESS: Final = "vectors without a word left out"
UNDECODABLE: Final = "words with invalid UTF-8, the bytes replaced by U+FFFD"


class TableBuilder:
    """Collects words and rows; `build` gives the finished table.

    >>> builder = TableBuilder("a file", 2)
    >>> builder.add(["a", "b", "a", "c"], np.array([[1, 2], [0, 0], [3, 4], [5, 6]]))
    >>> vectors = builder.build("example")
    >>> list(vectors.words), sum(vectors.repairs.values())
    (['a', 'c'], 2)
    """

    def __init__(self, source: str, dimension: int) -> None:
        if dimension < 1:
            raise VectorsError(
                f"{source}: vectors of {dimension} dimensions: a vector needs at least one number"
            )
        self.source = source
        self.repairs: Counter[str] = Counter()
        self.words: list[str] = []
        self._rows = np.empty((1024, dimension), dtype=np.float32)

    def add(
        self, words: Sequence[str], rows: NDArray[np.floating], where: Callable[[int], str] | None = None
    ) -> None:
        """Append words and their rows; `where(i)` names the place of the i-th of them in an error."""
        with np.errstate(over="ignore"):
            narrow = np.asarray(rows, dtype=np.float32)
        self._check(words, narrow, where or (lambda i: f"entry {len(self.words) + i + 1}"))
        start, end = len(self.words), len(self.words) + len(words)
        if end > len(self._rows):
            # Doubling keeps appending linear; realloc moves large arrays without copying them on most systems.
            self._rows.resize((max(end, 2 * len(self._rows)), self._rows.shape[1]), refcheck=False)
        self._rows[start:end] = narrow
        self.words.extend(words)

    def _check(self, words: Sequence[str], rows: NDArray[np.float32], where: Callable[[int], str]) -> None:
        if np.isfinite(rows).all():
            return
        i = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        bad = rows[i][~np.isfinite(rows[i])][0]
        raise VectorsError(
            f"{self.source}, {where(i)}: the vector of {words[i]!r} holds {bad}, which is no finite number: "
            "remove this entry or get the file again"
        )

    def count(self, promised: int, found: int) -> None:
        """Note a header that does not tell the truth about the number of words."""
        if promised != found:
            self.repairs[f"wrong word count in the header: it says {promised:,}, the file has {found:,}"] += 1

    def build(
        self,
        name: str,
        *,
        format: str = "memory",  # noqa: A002
        subwords: Subwords | None = None,
    ) -> WordVectors:
        """Return the table without duplicates, zero vectors and entries without a word."""
        count = len(self.words)
        self._rows.resize((count, self._rows.shape[1]), refcheck=False)
        words, rows = self.words, self._rows
        keep = self._keep()
        if not keep.all():
            rows = rows[keep]
            words = [w for w, k in zip(words, keep.tolist(), strict=True) if k]
        return WordVectors(
            words,
            rows,
            name,
            repairs={k: n for k, n in self.repairs.items() if n},
            subwords=subwords,
            format=format,
        )

    def _keep(self) -> NDArray[np.bool_]:
        keep = np.ones(len(self.words), dtype=bool)
        seen: set[str] = set(self.words)
        if len(seen) < len(self.words):
            seen.clear()
            for i, word in enumerate(self.words):
                keep[i] = word not in seen
                seen.add(word)
            self.repairs[DUPLICATES] += int((~keep).sum())
        zeros = keep & ~self._rows.any(axis=1)
        self.repairs[ZEROS] += int(zeros.sum())
        nameless = keep & ~zeros & np.fromiter((not w for w in self.words), dtype=bool, count=len(keep))
        self.repairs[NAMELESS] += int(nameless.sum())
        return np.asarray(keep & ~zeros & ~nameless)


def select(vectors: WordVectors, limit: int | None, only: Sequence[str] | set[str] | None) -> WordVectors:
    """Keep the first `limit` words, and of them those in `only`; the table itself if nothing is to be cut."""
    from lexicloud.vectors.word_vectors import take

    if (limit is None or limit >= len(vectors)) and only is None:
        return vectors
    rows = np.arange(len(vectors) if limit is None else min(limit, len(vectors)))
    if only is not None:
        wanted = vectors.rows.find_many(sorted(set(only)))
        rows = np.intersect1d(rows, wanted)
    words = [vectors.words[int(i)] for i in rows]
    return WordVectors(
        words,
        np.ascontiguousarray(take(vectors.matrix, rows)),
        vectors.name,
        repairs=vectors.repairs,
        subwords=vectors.subwords,
        format=vectors.format,
    )
