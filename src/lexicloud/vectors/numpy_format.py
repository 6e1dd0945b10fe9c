"""A `.npy` matrix with a list of words beside it, one word on each line."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import InputError, VectorsError
from lexicloud.store.files import gunzip
from lexicloud.vectors.builder import TableBuilder
from lexicloud.vectors.word_vectors import WordVectors, take

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lexicloud.vectors.builder import Stream

LISTS: Final = (".txt", ".words", ".vocab")
BLOCK: Final = 65_536


def read_numpy(
    stream: Stream, path: Path, name: str, limit: int | None, only: set[str] | None
) -> WordVectors:
    """Read a matrix and its list of words; the matrix stays memory-mapped unless something has to be repaired."""
    matrix = _matrix(stream)
    words = read_words(words_beside(path))
    if matrix.ndim != 2:
        raise VectorsError(
            f"{path} has shape {matrix.shape}: a vector table has two axes, words and dimensions"
        )
    if len(words) != len(matrix):
        raise VectorsError(
            f"{path} has {len(matrix):,} rows but its word list {len(words):,} words: they must match"
        )
    rows = np.arange(len(words) if limit is None else min(limit, len(words)))
    if only is not None:
        rows = rows[[words[i] in only for i in rows.tolist()]]
    return _table(words, matrix, rows, str(path), name)


def _table(
    words: Sequence[str], matrix: NDArray[Any], rows: NDArray[np.int64], source: str, name: str
) -> WordVectors:
    kept = [words[i] for i in rows.tolist()]
    if matrix.dtype == np.float32 and len(rows) == len(words) and _clean(kept, matrix):
        return WordVectors(kept, matrix, name, format="npy", check=False)
    builder = TableBuilder(source, matrix.shape[1])
    for start in range(0, len(rows), BLOCK):
        part = rows[start : start + BLOCK]
        builder.add(kept[start : start + BLOCK], take(matrix, part), lambda i, part=part: f"row {part[i]}")  # type: ignore[misc]
    return builder.build(name, format="npy")


def _clean(words: list[str], matrix: NDArray[np.float32]) -> bool:
    """Return whether the file needs no repair: distinct words, finite numbers, no rows of zeros."""
    if len(set(words)) < len(words) or "" in words:
        return False
    blocks = (matrix[start : start + BLOCK] for start in range(0, len(matrix), BLOCK))
    return all(bool(np.isfinite(block).all() and block.any(axis=1).all()) for block in blocks)


def _matrix(stream: Stream) -> NDArray[Any]:
    try:
        if stream.path is not None:
            matrix = np.load(stream.path, mmap_mode="r", allow_pickle=False)
        else:
            matrix = _unpacked(_everything(stream))
    except (VectorsError, MemoryError):
        raise
    except Exception as error:  # a damaged header may raise anything
        raise VectorsError(
            f"{stream.name} is not a whole .npy file of numbers ({error}): save it again"
        ) from error
    if not np.issubdtype(matrix.dtype, np.number) or np.iscomplexobj(matrix):
        raise VectorsError(f"{stream.name} holds {matrix.dtype}, not real numbers")
    return np.asanyarray(matrix)


def _unpacked(data: bytes) -> NDArray[Any]:
    try:
        loaded: NDArray[Any] = np.load(io.BytesIO(data), allow_pickle=False)
    except MemoryError:  # the bytes are in memory already, so the header must ask for more than there are
        raise ValueError("its header promises more numbers than there are") from None
    return loaded


def _everything(stream: Stream) -> bytes:
    parts = []
    while part := stream.read(1 << 24):
        parts.append(part)
    return b"".join(parts)


def words_beside(path: Path) -> Path:
    """Find the word list of a matrix: its name with .txt, .words or .vocab (maybe .gz), or words.txt beside it."""
    stem = path.name.removesuffix(".gz").removesuffix(".npy")
    names = [
        f"{base}{ending}{gz}" for base in (stem, "words", "vocab") for ending in LISTS for gz in ("", ".gz")
    ]
    for candidate in names:
        if (path.parent / candidate).is_file():
            return path.parent / candidate
    raise VectorsError(
        f"{path} has no word list beside it: write one word a line into {path.parent / (stem + '.txt')}"
    )


def read_words(path: Path) -> list[str]:
    """Read a word list, one word on each line, in UTF-8."""
    data = path.read_bytes()
    try:
        text = (gunzip(data, str(path)) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise VectorsError(f"{path}, line {line}: not valid UTF-8: save the word list as UTF-8") from error
    except InputError as error:
        raise VectorsError(f"{error}: get the file again") from error
    # Split on newlines alone: a word may hold one of the other characters that Unicode calls a line end.
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines and not lines[-1] else lines


def numpy_in(folder: Path) -> Path | None:
    """Return the one matrix of a folder, if it has just one."""
    found = sorted(p for p in folder.iterdir() if p.name.endswith((".npy", ".npy.gz")))
    return found[0] if len(found) == 1 else None
