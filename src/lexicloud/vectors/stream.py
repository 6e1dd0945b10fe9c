"""Reading bytes of a vector file, gzipped or not, with errors that name the file."""

from __future__ import annotations

import gzip
import zlib
from typing import IO, TYPE_CHECKING, Final, cast

from lexicloud.errors import VectorsError

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

GZIP: Final = b"\x1f\x8b"


class Stream:
    """Bytes in order, with a look ahead; `path` is set when they lie in a plain file, which can be memory-mapped."""

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
    """A file whose first bytes were already taken and are put back."""

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
