"""Read the bytes of a vector file and build its table; safe repairs are made and counted."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from typing import IO, TYPE_CHECKING, Final, cast

import numpy as np

from lexicloud.errors import VectorsError
from lexicloud.store.files import refuse_device
from lexicloud.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType

    from numpy.typing import NDArray

    from lexicloud.vectors.subwords import Subwords

GZIP: Final = b"\x1f\x8b"


class Stream:
    """The bytes of a file, unzipped, in order, with a look ahead; `path` is set if the file can be memory-mapped."""

    def __init__(self, source: IO[bytes], name: str, path: Path | None = None) -> None:
        self.name = name
        self.path = path
        self._file = source
        self._source = source
        self._ahead = b""
        self.gzipped = self.peek(2) == GZIP
        if self.gzipped:
            self._source = _unzip(_Rewound(self._ahead, source))
            self._ahead = b""
            self.path = None

    @classmethod
    def open(cls, path: Path) -> Stream:
        """Open a file."""
        try:
            refuse_device(path)
            return cls(path.open("rb"), str(path), path)
        except OSError as error:
            raise VectorsError(f"cannot read {path}: {error.strerror}") from error

    def peek(self, size: int) -> bytes:
        """Return the next bytes, at most `size`, without moving on."""
        if len(self._ahead) < size:
            self._ahead += self._take(size - len(self._ahead))
        return self._ahead[:size]

    def read(self, size: int) -> bytes:
        """Return the next bytes; fewer than `size` only at the end."""
        head, self._ahead = self._ahead[:size], self._ahead[size:]
        if len(head) == size:
            return head
        rest = self._take(size - len(head))
        return head + rest if head else rest

    def _take(self, size: int) -> bytes:
        try:
            parts = []
            while size > 0 and (part := self._source.read(size)):
                parts.append(part)
                size -= len(part)
            return parts[0] if len(parts) == 1 else b"".join(parts)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise VectorsError(
                f"{self.name}: the gzip data are cut short or damaged ({error}): get the file again"
            ) from error
        except OSError as error:
            raise VectorsError(f"cannot read {self.name}: {error.strerror or error}") from error

    def close(self) -> None:
        """Close the file."""
        self._source.close()
        self._file.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _unzip(source: _Rewound) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(fileobj=cast("IO[bytes]", source), mode="rb"))


class _Rewound:
    """A file with the first bytes put back that were already read from it."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self.head = head
        self.rest = rest

    def read(self, size: int = -1) -> bytes:
        if not self.head:
            return self.rest.read(size)
        head, self.head = (self.head, b"") if size < 0 else (self.head[:size], self.head[size:])
        return head + (self.rest.read(size - len(head)) if size > len(head) else b"")

    def close(self) -> None:
        self.rest.close()


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
        """Append words and their rows; `where(i)` returns the place of the i-th one, for an error."""
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
        """Note a header that gives a wrong number of words."""
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
            check=False,
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
