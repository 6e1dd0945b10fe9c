"""List files of folders, or of any place that fsspec reaches, and read them one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from lexicloud.errors import InputError, LexicloudError, MissingExtra
from lexicloud.text.folder import visible_files
from lexicloud.text.formats import kind
from lexicloud.text.read import read_bytes

if TYPE_CHECKING:
    from lexicloud.text.document import Document

LOOKED_AT: Final = 200  # files from which the language is detected
_REMOTE: Final = "://"


class File(NamedTuple):
    """Where a file is, and its name inside its folder, from which its documents get their names."""

    place: str
    name: str


def files_of(*paths: str | Path, known: Callable[[str], Any] = kind) -> list[File]:
    """Return the files of folders in the order of their names, or those that are named.

    A path with a protocol (s3://bucket/texts, memory://texts) is asked of fsspec. Files whose names are not `known` are
    passed over.
    Each file is read alone: a table that describes the files beside it is texts like any other.
    """
    found = [
        file for path in paths for file in (_remote(str(path)) if _REMOTE in str(path) else _local(path))
    ]
    readable = [file for file in found if known(file.name)]
    if not readable:
        raise InputError(f"there is no file that can be read at {', '.join(map(str, paths)) or 'no path'}")
    return readable


def _local(path: str | Path) -> list[File]:
    place = Path(path).expanduser().absolute()
    if not place.exists():
        raise InputError(f"there is no file or folder {path}")
    if place.is_file():
        return [File(str(place), place.name)]
    return [File(str(file), file.relative_to(place).as_posix()) for file in visible_files(place)]


def _remote(url: str) -> list[File]:
    with _reaching(url) as fsspec:
        system, place = fsspec.core.url_to_fs(url)
        found = sorted(system.find(place))
    below = len(place.rstrip("/")) + 1
    return [File(system.unstrip_protocol(file), file[below:] or file.rsplit("/", 1)[-1]) for file in found]


def documents_of(files: Sequence[File], **reading: Any) -> list[Document]:
    """Read the documents of some files, options as in `read_documents`; empty files have none."""
    documents: list[Document] = []
    for file in files:
        data = _bytes(file.place)
        documents += read_bytes(data, file.name, **reading) if data.strip() else []
    return documents


def _bytes(place: str) -> bytes:
    with opened(place) as file:
        return bytes(file.read())


@contextmanager
def opened(place: str) -> Iterator[IO[bytes]]:
    """Open a file for reading, here or wherever fsspec reaches."""
    if _REMOTE in place:
        with _reaching(place) as fsspec, fsspec.open(place, "rb") as file:
            yield file
        return
    try:
        with Path(place).open("rb") as file:
            yield file
    except OSError as error:
        raise InputError(f"{place} cannot be read: {error.strerror or error}") from error


@contextmanager
def _reaching(url: str) -> Iterator[Any]:
    """Lend fsspec; whatever keeps a place from being reached is said in one line."""
    try:
        import fsspec
    except ImportError as error:
        raise MissingExtra(f"{url.partition(_REMOTE)[0]}://", "cluster") from error
    try:
        yield fsspec
    except LexicloudError:
        raise
    # Each place has errors of its own: of the network, of rights, of a package that is not installed.
    except Exception as error:
        told = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError(f"{url} cannot be read: {told}") from error


def cut(files: Sequence[File], parts: int) -> list[list[File]]:
    """Divide files into `parts` lists of about the same length."""
    parts = max(1, min(parts, len(files)))
    ends = [len(files) * i // parts for i in range(parts + 1)]
    return [list(files[a:b]) for a, b in pairwise(ends)]
