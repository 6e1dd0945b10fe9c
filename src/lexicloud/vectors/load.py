"""Load vectors (built in, from a file or folder, from the catalogue), and load them again where they are needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from lexicloud.errors import BrokenIndex, LexicloudError, OptionError, VectorsError
from lexicloud.progress import stage
from lexicloud.vectors.builtin import NAME, builtin_vectors
from lexicloud.vectors.word_vectors import Lookup, Refinement, WordVectors, take

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from lexicloud.vectors.builder import Stream

PEEK: Final = 1 << 16
NO_VECTORS: Final = "none"
"""The name for having no vectors: words are only counted, and no word is near another."""
FASTTEXT_MAGIC: Final = b"\xba\x16\x4f\x2f"  # 793,712,314, little-endian
_HEADER: Final = re.compile(rb"\A(?:\xef\xbb\xbf)?[ \t]*(\d{1,12})[ \t]+(\d{1,6})[ \t]*\r?\n")
# Files that people give by mistake: how they begin, what they are, and what to do about it.
_REFUSED: Final = (
    (b"PK\x03\x04", "a zip archive: unpack it and give the file inside"),
    (b"BZh", "a bzip2 archive: unpack it and give the file inside"),
    (b"\xfd7zXZ", "an xz archive: unpack it and give the file inside"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive: unpack it and give the file inside"),
    (b"\x80\x02", "a pickle, which is never loaded: open it with gensim and use WordVectors.from_gensim"),
    (b"\x80\x03", "a pickle, which is never loaded: open it with gensim and use WordVectors.from_gensim"),
    (b"\x80\x04", "a pickle, which is never loaded: open it with gensim and use WordVectors.from_gensim"),
    (b"\x80\x05", "a pickle, which is never loaded: open it with gensim and use WordVectors.from_gensim"),
    (b"\xff\xfe", "UTF-16 text: save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text: save it as UTF-8"),
    (b"PAR1", "a Parquet table: save the vectors as .npy with a word list beside it"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself: run git lfs pull"),
    (b"<!DOCTYPE", "a web page, not vectors: download the file itself"),
    (b"<html", "a web page, not vectors: download the file itself"),
)


def recognise(stream: Stream) -> str:
    """Return the format of a file: `npy`, `fasttext-bin`, `wink-json`, `word2vec-bin` or `text`."""
    head = stream.peek(PEEK)
    if not head.strip():
        raise VectorsError(f"{stream.name} is empty: get the file again")
    for start, what in _REFUSED:
        if head.startswith(start):
            raise VectorsError(f"{stream.name} is {what}")
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(FASTTEXT_MAGIC):
        return "fasttext-bin"
    if head.lstrip().startswith(b"{") and b'"words"' in head[:4096]:
        return "wink-json"
    return "word2vec-bin" if _is_binary(head) else "text"


def header(head: bytes) -> tuple[int, int, int] | None:
    """Read a first line of two numbers; return the number of words, the dimension, and where the line ends."""
    found = _HEADER.match(head)
    return (int(found[1]), int(found[2]), found.end()) if found else None


def _is_binary(head: bytes) -> bool:
    """Return whether float32 bytes, not digits, follow the first word after the header."""
    top = header(head)
    if top is None:
        return False
    _, dimension, end = top
    space = head.find(b" ", end)
    if space < 0:
        return bool(head[end:].strip())
    numbers = head[space + 1 : space + 1 + 4 * dimension]
    return bool(numbers.translate(None, b"0123456789+-.eE \t\r\n")) and not _text_line(head[end:], dimension)


def _text_line(rest: bytes, dimension: int) -> bool:
    """Return whether the first line is text: a word and numbers (also nan and inf), or mostly printable characters."""
    line = rest.split(b"\n", 1)[0]
    fields = line.split()
    try:
        for field in fields[1:][-dimension:]:
            float(field)
    except ValueError:
        # This is a damaged text file; the reader of text files can name the line.
        return sum(32 <= byte < 127 for byte in line[:400]) > 0.95 * len(line[:400])
    return len(fields) > 1


def load_vectors(
    source: str | Path | None = None, limit: int | None = None, only: Iterable[str] | None = None
) -> WordVectors:
    """Load vectors: the built-in GloVe, a file or folder, or a name of the catalogue.

    Files are recognised by content: fastText `.vec` and `.bin`, GloVe text, word2vec text and binary, `.npy` with a
    word list beside it (each also gzipped), model2vec folders, and folders written by `lexicloud vectors convert`.
    `limit` takes the first words of the file. `only` takes the words that it lists among them (see
    `lexicloud.vectors.forms` for the other spellings that a lookup may try); a file of any size is then read in bounded
    memory. "none" is a table without words.

    >>> vectors = load_vectors()
    >>> len(vectors), vectors.dimension, [word for word, _ in vectors.nearest("whale", k=3)]
    (400000, 50, ['whales', 'shark', 'humpback'])
    """
    if limit is not None and limit < 1:
        raise OptionError(f"limit = {limit}: ask for at least one word")
    if isinstance(only, str):
        raise OptionError(f"only = {only!r}: give a list of words")
    if not isinstance(source, str | Path | None):
        raise OptionError(
            f"vectors are loaded from a path or a name, not from a {type(source).__name__}: "
            "WordVectors.from_dict and WordVectors.from_gensim take what is in memory"
        )
    wanted = None if only is None else set(only)
    if source is None or str(source) == NAME:
        return _select(builtin_vectors(), limit, wanted)
    if str(source) == NO_VECTORS:
        return WordVectors([], np.zeros((0, 1), dtype=np.float32), NO_VECTORS, check=False)
    try:
        path = _find(source)
        return _folder(path, limit, wanted) if path.is_dir() else _file(path, limit, wanted)
    except OSError as error:
        raise VectorsError(f"{error.filename or source} cannot be read: {error.strerror or error}") from error


def _find(source: str | Path) -> Path:
    """Return the path of a file or folder, or of a fetched source of the catalogue."""
    from lexicloud.vectors.catalogue import CATALOGUE, cached

    path = Path(source).expanduser()
    if path.exists():
        return path
    name = str(source)
    if name not in CATALOGUE:
        known = ", ".join(CATALOGUE)
        raise VectorsError(f"{name} is no file, no folder and no name of the catalogue ({known})")
    fetched = cached(name)
    if fetched is None:
        raise VectorsError(f"the vectors {name} are not fetched yet: run lexicloud vectors get {name}")
    return fetched


def _folder(path: Path, limit: int | None, only: set[str] | None) -> WordVectors:
    from lexicloud.vectors.folder_format import is_vectors_folder, open_vectors
    from lexicloud.vectors.model2vec import TENSORS, TOKENIZER, read_model2vec
    from lexicloud.vectors.numpy_format import numpy_in

    if is_vectors_folder(path):
        return _select(open_vectors(path), limit, only)
    if (path / TENSORS).is_file() and (path / TOKENIZER).is_file():
        return read_model2vec(path, path.name, limit, only)
    matrix = numpy_in(path)
    if matrix is None:
        raise VectorsError(
            f"{path} holds no vectors we know: neither converted vectors, nor {TENSORS} with {TOKENIZER}, "
            "nor one .npy matrix with a word list"
        )
    return _file(matrix, limit, only)


def _file(path: Path, limit: int | None, only: set[str] | None) -> WordVectors:
    from lexicloud.vectors.builder import Stream

    with Stream.open(path) as stream, stage(f"reading {path.name}"):
        return read_stream(stream, _stem(path), limit, only, path)


def _stem(path: Path) -> str:
    name = path.name.removesuffix(".gz")
    for ending in (".txt", ".vec", ".bin", ".npy", ".json"):
        name = name.removesuffix(ending)
    return name or path.name


def read_stream(
    stream: Stream,
    name: str,
    limit: int | None = None,
    only: set[str] | None = None,
    path: Path | None = None,
) -> WordVectors:
    """Read vectors from a stream of bytes in any known format."""
    from lexicloud.vectors.binary_formats import read_fasttext_binary, read_word2vec_binary
    from lexicloud.vectors.numpy_format import read_numpy
    from lexicloud.vectors.text_format import read_text, read_wink

    kind = recognise(stream)
    if kind == "npy":
        return read_numpy(stream, path or Path(stream.name), name, limit, only)
    readers = {
        "fasttext-bin": read_fasttext_binary,
        "wink-json": read_wink,
        "word2vec-bin": read_word2vec_binary,
        "text": read_text,
    }
    return readers[kind](stream, name, limit, only)


class WordLookup(Protocol):
    """Something that finds the vectors of words: word vectors or a lexicon."""

    def lookup(self, words: Sequence[str]) -> Lookup:
        """Find the vectors of words."""


@dataclass(frozen=True, eq=False)
class VectorSource:
    """Where the vectors of an index or corpus come from: name, fingerprint, refinement; loaded when needed."""

    name: str
    fingerprint: str
    dimension: int
    refinement: Refinement
    _loaded: dict[str, WordVectors | None] = field(default_factory=dict, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    @classmethod
    def of(cls, vectors: WordVectors, name: str | None = None) -> VectorSource:
        """Return the source of loaded vectors; `name` is the name or path for `load_vectors`."""
        source = cls(name or vectors.name, vectors.fingerprint, vectors.dimension, vectors.refinement)
        source._loaded["vectors"] = vectors
        return source

    def load(self) -> WordVectors:
        """Return the vectors; raise an error if they are gone or differ from those of the index."""
        with self._lock:
            if self._loaded.get("vectors") is None:
                self._loaded["vectors"] = self.checked(load_vectors(self.name))
        vectors = self._loaded["vectors"]
        assert vectors is not None
        return vectors

    def checked(self, vectors: WordVectors) -> WordVectors:
        """Return the given vectors if they are those of the index, else raise an error."""
        if vectors.fingerprint != self.fingerprint:
            raise BrokenIndex(
                f"index of other vectors: it was built with {self.name} "
                f"({self.fingerprint}, {self.dimension} dimensions), not with {vectors.name} "
                f"({vectors.fingerprint}, {vectors.dimension} dimensions); build it again with these"
            )
        return vectors

    def use(self, vectors: WordVectors) -> None:
        """Look words up in these vectors from now on."""
        self._loaded["vectors"] = self.checked(vectors)

    def embed(
        self, words: Sequence[str]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
        """Return vectors of words, refined vectors, and which words have one: no word, if the source is gone."""
        nothing = np.zeros((len(words), self.dimension), dtype=np.float32)
        found = Lookup(nothing, np.zeros(len(words), dtype=np.int8))
        if words and self._loaded.get("vectors", ...) is not None:
            try:
                found = self.load().lookup(words)
            except BrokenIndex:
                raise
            except (LexicloudError, OSError):
                self._loaded["vectors"] = None  # gone: do not try again with every query
        return found.matrix, self.refinement.apply(found.matrix), found.status > 0

    def usual(self, words: Sequence[str], among: int) -> set[str]:
        """Return which words are among the first `among` (commonest) ones of the table; none if the source is gone."""
        if not words or self._loaded.get("vectors", ...) is None:
            return set()
        try:
            return {word for word, place in self.load().places(list(words)).items() if place < among}
        except (LexicloudError, OSError):
            return set()


def _select(vectors: WordVectors, limit: int | None, only: Sequence[str] | set[str] | None) -> WordVectors:
    """Return a table of the first `limit` words, and of those only the ones in `only`."""
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
        check=False,
    )
