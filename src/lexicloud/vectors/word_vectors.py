"""A table of words and their vectors."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import OptionError, UnknownWord, VectorsError
from lexicloud.neighbours.nearest import Metric, distances, nearest_rows
from lexicloud.store.folder import PackedStrings
from lexicloud.vectors.lookup import WordIndex, recover_all
from lexicloud.vectors.subwords import RefinedSubwords, Subwords

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from lexicloud.vectors.lookup import HashedWords


BLOCK: Final = 16_384


@dataclass(frozen=True)
class Refinement:
    """The mean and the components that `apply` removes from vectors."""

    mean: NDArray[np.float32]
    components: NDArray[np.float32]  # rows are orthonormal directions

    @classmethod
    def fit(
        cls, matrix: NDArray[np.float32], components: int | None = None, rows: int = 100_000
    ) -> Refinement:
        """Find the mean and top components of the first `rows` vectors (files list frequent words first).

        >>> rng = np.random.default_rng(0)
        >>> table = rng.normal(size=(500, 8)).astype(np.float32) * [9, 1, 1, 1, 1, 1, 1, 1] + 5
        >>> int(np.abs(Refinement.fit(table, components=1).components).argmax())  # where all words are stretched
        0
        """
        sample = matrix[:rows]
        mean = _sum(sample) / max(1, len(sample))
        scatter = np.zeros((matrix.shape[1], matrix.shape[1]))
        for block in _blocks(sample):
            centred = block - mean
            scatter += centred.T @ centred
        _, directions = np.linalg.eigh(scatter)
        count = default_components(matrix.shape[1]) if components is None else components
        top = directions[:, ::-1][:, :count].T
        return cls(mean.astype(np.float32), np.ascontiguousarray(top, dtype=np.float32))

    def apply(self, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
        """Refine vectors; rows of zeros (words without a vector) stay zero."""
        out = np.empty(matrix.shape, dtype=np.float32)
        for start in range(0, len(matrix), BLOCK):
            out[start : start + BLOCK] = self._apply(
                np.asarray(matrix[start : start + BLOCK], dtype=np.float32)
            )
        return out

    def _apply(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        out = rows - self.mean
        # One component after the other: with a matrix product, the last bits of a row may depend on the rows beside it.
        for direction in self.components:
            out -= (out * direction).sum(axis=1, keepdims=True) * direction
        norms = np.linalg.norm(out, axis=1, keepdims=True)
        out /= np.where(norms > 0, norms, 1)
        out[~np.any(rows, axis=1)] = 0
        return out


def default_components(dimension: int) -> int:
    """Return how many components to remove: three, or one for every hundred dimensions if that is more.

    Mu and Viswanath's rule of thumb, one for every hundred, is too few for short vectors. Spearman's ρ without and
    with 1, 2, 3, 4 components, for the built-in vectors: WordSim-353 .50 and .58, .60, .63, .63; SimLex-999 .27 and
    .28, .30, .29, .29. For GloVe 840B 300-d: .75 and .78, .78, .79, .80; .41 and .41, .41, .43, .47. Three was chosen
    with these figures in view, so they are no independent proof of it. On 80 graded pairs of our own, refinement gained
    nothing (.79 and .78 built in, .89 and .87 for 840B).
    """
    return max(3, round(dimension / 100))


def _sum(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    total = np.zeros(rows.shape[1])
    for block in _blocks(rows):
        total += block.sum(axis=0)
    return total


def _blocks(rows: NDArray[np.float32]) -> Iterator[NDArray[np.float64]]:
    for start in range(0, len(rows), BLOCK):
        yield np.asarray(rows[start : start + BLOCK], dtype=np.float64)


CHECKED: Final = 1 << 16  # rows that are checked together
LOST: Final = 0
EXACT: Final = 1
RECOVERED: Final = 2


@dataclass(frozen=True)
class Lookup:
    """The vectors of some words: `status` is LOST (0), EXACT (1) or RECOVERED (2) for each.

    `via` says how a recovered word was found (such as "lower case", "split" or "subwords"); it is None for the others.
    """

    matrix: NDArray[np.float32]
    status: NDArray[np.int8]
    via: tuple[str | None, ...] = ()


class WordVectors:
    """Words and their vectors; `vectors["whale"]` is an array.

    `repairs` counts what had to be corrected in the file; `format` names the kind of file. Numbers that are not finite
    and words that occur twice are refused; `check=False` skips this check.

    >>> vectors = WordVectors.from_dict({"whale": [1, 0], "ship": [0, 1]})
    >>> vectors["whale"].tolist(), "sea" in vectors, len(vectors), vectors.dimension
    ([1.0, 0.0], False, 2, 2)
    >>> vectors.lookup(["Whale", "whale-ship", "sea"]).status.tolist()
    [2, 2, 0]
    """

    def __init__(
        self,
        words: Sequence[str],
        matrix: NDArray[np.float32],
        name: str = "unnamed",
        *,
        repairs: Mapping[str, int] | None = None,
        subwords: Subwords | None = None,
        hashed: HashedWords | None = None,
        format: str = "memory",  # noqa: A002
        check: bool = True,
    ) -> None:
        matrix = (
            matrix if getattr(matrix, "dtype", None) == np.float32 else np.asarray(matrix, dtype=np.float32)
        )
        if matrix.ndim != 2 or len(words) != len(matrix):
            raise VectorsError(
                f"{name}: {len(words):,} words but a table of shape {matrix.shape}: give one row for each word"
            )
        if check:
            _check(words, matrix, name)
        self.words = words
        self.matrix = matrix
        self.name = name
        self.repairs = dict(repairs or {})
        self.subwords = subwords
        self.format = format
        self.rows = WordIndex(words, hashed)

    @classmethod
    def from_dict(cls, vectors: Mapping[str, Any], name: str = "dict") -> WordVectors:
        """Build from a mapping of words to arrays; words with a vector of zeros are left out and counted."""
        from lexicloud.vectors.builder import TableBuilder

        first = next(iter(vectors.values()), None)
        if first is None:
            raise VectorsError(f"{name}: no words at all: give at least one word and its vector")
        try:
            rows = np.array(list(vectors.values()), dtype=np.float32)
        except ValueError:
            raise VectorsError(f"{name}: the vectors are not all lists of {len(first)} numbers") from None
        builder = TableBuilder(name, int(rows.shape[-1]) if rows.ndim == 2 else 0)
        builder.add(list(vectors), rows.reshape(len(vectors), -1))
        return builder.build(name, format="memory")

    @classmethod
    def from_gensim(cls, vectors: Any, name: str = "gensim") -> WordVectors:
        """Build from gensim's `KeyedVectors`, or from a model that holds them as `.wv`.

        The n-grams of gensim's fastText models are kept, so that unknown words have vectors too.
        """
        from lexicloud.vectors.builder import TableBuilder
        from lexicloud.vectors.subwords import Ngrams

        keyed = getattr(vectors, "wv", vectors)
        if not hasattr(keyed, "index_to_key") or not hasattr(keyed, "vectors"):
            raise VectorsError(f"{type(vectors).__name__} is not a gensim KeyedVectors of gensim 4 or later")
        builder = TableBuilder(name, int(keyed.vectors.shape[1]))
        # Rows after the named ones belong to subword buckets in some models.
        builder.add(
            [str(w) for w in keyed.index_to_key], np.asarray(keyed.vectors)[: len(keyed.index_to_key)]
        )
        ngrams = getattr(keyed, "vectors_ngrams", None)
        subwords = None if ngrams is None else Ngrams(ngrams, int(keyed.min_n), int(keyed.max_n))
        return builder.build(name, format="gensim", subwords=subwords)

    @property
    def dimension(self) -> int:
        """The number of coordinates of each vector."""
        return int(self.matrix.shape[1])

    @property
    def index(self) -> dict[str, int]:
        """Word → row."""
        return self.rows.mapping

    @cached_property
    def fingerprint(self) -> str:
        """A short checksum of words and numbers, the same wherever the same vectors are loaded."""
        return fingerprint(self.words, self.matrix)

    @cached_property
    def refinement(self) -> Refinement:
        """What `refined` removes: the mean and the top components of this table."""
        return Refinement.fit(self.matrix)

    def refined(self) -> WordVectors:
        """Return the same words with refined vectors."""
        return WordVectors(
            self.words,
            self.refinement.apply(self.matrix),
            f"{self.name}+refined",
            repairs=self.repairs,
            subwords=RefinedSubwords(self.subwords, self.refinement) if self.subwords else None,
            hashed=self.rows.hashed if isinstance(self.words, PackedStrings) else None,
            format=self.format,
            check=False,
        )

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.rows.find(word) >= 0

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        row = self.rows.find(word)
        if row >= 0:
            return np.array(self.matrix[row])
        made = self.subwords.vectors([word])[0] if self.subwords and word else None
        if made is None or not made.any():
            # Whoever calls it from Python may want `lookup`, which recovers variants of a spelling.
            raise UnknownWord(f"no vector for {word!r} in {self.name}: try another spelling")
        return np.asarray(made)

    def get(self, word: str, default: Any = None) -> Any:
        """Return the vector of a word, or `default` where there is none."""
        try:
            return self[word]
        except UnknownWord:
            return default

    def lookup(self, words: Sequence[str]) -> Lookup:
        """Find the vectors of many words at once; a missing word is recovered by other spellings or by subwords.

        A word that cannot be recovered gets a row of zeros and the status LOST.
        """
        rows = self.rows.find_many(words)
        matrix = np.zeros((len(words), self.dimension), dtype=np.float32)
        found = rows >= 0
        matrix[found] = take(self.matrix, rows[found])
        status = np.where(found, EXACT, LOST).astype(np.int8)
        via: list[str | None] = [None] * len(words)
        if len(self.words):
            self._recover_by_spelling(words, matrix, status, via)
        if self.subwords is not None:
            self._recover_by_subwords(self.subwords, words, matrix, status, via)
        status[~matrix.any(axis=1)] = LOST
        return Lookup(matrix, status, tuple(via))

    def _recover_by_spelling(
        self,
        words: Sequence[str],
        matrix: NDArray[np.float32],
        status: NDArray[np.int8],
        via: list[str | None],
    ) -> None:
        missing = np.flatnonzero(status == LOST).tolist()
        if not missing:
            return
        recovered = recover_all({words[i] for i in missing}, self.places)
        places = [i for i in missing if words[i] in recovered]
        if not places:
            return
        found = [recovered[words[i]] for i in places]
        counts = np.array([len(f.rows) for f in found])
        rows = np.array([row for f in found for row in f.rows], dtype=np.int64)
        sums = np.add.reduceat(take(self.matrix, rows), np.cumsum(counts) - counts, axis=0)
        matrix[places] = sums / counts[:, None].astype(np.float32)
        status[places] = RECOVERED
        for i, f in zip(places, found, strict=True):
            via[i] = f.via

    def places(self, words: list[str]) -> dict[str, int]:
        """Return the rows of the words that the table has; most tables put common words first."""
        if not words:
            return {}
        rows = self.rows.find_many(words).tolist()
        return {word: row for word, row in zip(words, rows, strict=True) if row >= 0}

    def _recover_by_subwords(
        self,
        model: Subwords,
        words: Sequence[str],
        matrix: NDArray[np.float32],
        status: NDArray[np.int8],
        via: list[str | None],
    ) -> None:
        missing = [i for i in np.flatnonzero(status == LOST).tolist() if words[i]]
        made = model.vectors([words[i] for i in missing]) if missing else ()
        for i, vector in zip(missing, made, strict=True):
            if vector.any():
                matrix[i], status[i], via[i] = vector, RECOVERED, "subwords"

    def nearest(
        self, word: str | NDArray[np.float32], k: int = 10, metric: Metric = "cosine"
    ) -> list[tuple[str, float]]:
        """Return the k nearest words of a word (itself left out) or of a vector, with distances, nearest first.

        >>> vectors = WordVectors.from_dict({"whale": [1, 0], "orca": [1, 0.1], "ship": [0, 1]})
        >>> [w for w, _ in vectors.nearest("whale", k=2)]
        ['orca', 'ship']
        """
        if metric not in {"cosine", "euclidean"}:
            raise OptionError(f"metric {metric!r} is neither 'cosine' nor 'euclidean'")
        if k < 1:
            raise OptionError(f"k = {k}: ask for at least one word")
        itself = self.rows.find(word) if isinstance(word, str) else -1
        vector = self[word] if isinstance(word, str) else np.asarray(word, dtype=np.float32)
        if vector.shape != (self.dimension,):
            raise VectorsError(
                f"a vector of shape {vector.shape}, but {self.name} has {self.dimension} dimensions"
            )
        far = distances(self.matrix, vector, metric)
        if itself >= 0:
            far[itself] = np.inf
        return [(self.words[int(i)], float(far[i])) for i in nearest_rows(far, k)]

    def __repr__(self) -> str:
        extra = ", with subwords" if self.subwords else ""
        return f"<{type(self).__name__} {self.name}: {len(self):,} words, {self.dimension} dimensions{extra}>"

    def _repr_html_(self) -> str:
        from html import escape

        notes = "".join(f"<li>{escape(note)}: {n:,}</li>" for note, n in self.repairs.items())
        some = ", ".join(escape(w) for w in self.words[:12])
        return (
            f"<b>{escape(self.name)}</b>: {len(self):,} words × {self.dimension} dimensions"
            f" ({escape(self.format)}, {self.fingerprint})<br>{some}, …{f'<ul>{notes}</ul>' if notes else ''}"
        )


def _check(words: Sequence[str], matrix: NDArray[np.float32], name: str) -> None:
    """Refuse numbers that are not finite and words that occur twice."""
    for start in range(0, len(matrix), CHECKED):
        block = matrix[start : start + CHECKED]
        if not np.isfinite(block).all():
            i = start + int(np.flatnonzero(~np.isfinite(block).all(axis=1))[0])
            bad = matrix[i][~np.isfinite(matrix[i])][0]
            raise VectorsError(
                f"{name}: the vector of {words[i]!r} (row {i}) holds {bad}: leave this word out"
            )
    seen = dict(zip(words, range(len(words)), strict=True))
    if len(seen) < len(words):
        i, word = next((i, w) for i, w in enumerate(words) if seen[w] != i)
        raise VectorsError(
            f"{name}: the word {word!r} occurs more than once (rows {i} and {seen[word]}): give each word one vector"
        )


def take(matrix: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return some rows; from a table stored by columns they are taken column by column, which is faster."""
    if matrix.flags.f_contiguous and not matrix.flags.c_contiguous:
        return np.asarray(matrix.T[:, rows].T)
    return np.asarray(matrix[rows])


# Evenly spaced rows of a fingerprint: enough to tell apart tables of the same words, few enough to read from disk.
ROWS: Final = 64


def fingerprint(words: Sequence[str], matrix: NDArray[np.float32]) -> str:
    """Hash the shape, all words and evenly spaced rows (with the first and last) into 16 hexadecimal digits.

    The same vectors have the same fingerprint, whatever the file they came from.
    """
    digest = hashlib.sha256(f"{matrix.shape[0]}x{matrix.shape[1]}".encode())
    digest.update(_letters(words))
    for row in np.unique(np.linspace(0, len(words) - 1, ROWS).astype(np.int64)) if len(words) else ():
        digest.update(words[int(row)].encode("utf-8", "surrogatepass") + b"\0")
        # Adding zero turns −0 into 0: they are equal numbers with different bytes.
        digest.update(np.asarray(matrix[int(row)], dtype="<f4").__add__(np.float32(0)).tobytes())
    return digest.hexdigest()[:16]


def _letters(words: Sequence[str]) -> bytes:
    if isinstance(words, PackedStrings):
        return words.blob.tobytes()
    return "".join(words).encode("utf-8", "surrogatepass")
