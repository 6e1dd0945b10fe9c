"""Where vectors come from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lexicloud.errors import OptionError, VectorsError
from lexicloud.progress import stage
from lexicloud.vectors.builtin import NAME, builtin_vectors
from lexicloud.vectors.table import select

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lexicloud.vectors.stream import Stream
    from lexicloud.vectors.word_vectors import WordVectors


def load_vectors(
    source: str | Path | None = None, limit: int | None = None, only: Iterable[str] | None = None
) -> WordVectors:
    """Load vectors: the built-in GloVe, a file or folder, or a name of the catalogue.

    Files are recognised by content: fastText `.vec` and `.bin`, GloVe text, word2vec text and binary, `.npy` with a
    word list beside it (each also gzipped), model2vec folders, and folders written by `lexicloud vectors convert`.
    `limit` takes the first words of the file; `only` those among them that it lists (see `lexicloud.vectors.forms`
    for the other spellings that a lookup may want), and then a file of any size is read in bounded memory.

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
        return select(builtin_vectors(), limit, wanted)
    path = _find(source)
    return _folder(path, limit, wanted) if path.is_dir() else _file(path, limit, wanted)


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
    from lexicloud.vectors.folder import is_vectors_folder, open_vectors
    from lexicloud.vectors.model2vec_folder import TENSORS, TOKENIZER, read_model2vec
    from lexicloud.vectors.numpy_file import numpy_in

    if is_vectors_folder(path):
        return select(open_vectors(path), limit, only)
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
    from lexicloud.vectors.stream import Stream

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
    """Read vectors from a stream of bytes in whichever format it turns out to be."""
    from lexicloud.vectors.fasttext_binary import read_fasttext_binary
    from lexicloud.vectors.numpy_file import read_numpy
    from lexicloud.vectors.recognise import recognise
    from lexicloud.vectors.text_file import read_text
    from lexicloud.vectors.wink import read_wink
    from lexicloud.vectors.word2vec_binary import read_word2vec_binary

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
