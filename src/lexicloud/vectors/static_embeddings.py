"""Static embeddings of sentences: the embedding of a text is the mean of its tokens' vectors.

The model that comes with lexicloud is wordllama's (32,000 tokens × 256, MIT), rounded to bytes. Any model2vec folder
can be used instead.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain, count, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from lexicloud.errors import OptionError, VectorsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    Ints = NDArray[np.int64]


SPACE: Final = "▁"  # is put before a word that follows a space
# Letters; a longer word is cut into pieces, because the work grows with the square of its length.
LONGEST: Final = 1000
_NO_RANK: Final = 1 << 40  # the rank of a pair that is not joined
_NEVER: Final = np.int64(_NO_RANK)
_BLOCK: Final = 1 << 16  # words that are encoded together
_SINGLE: Final = 32  # words; so few are encoded one by one
_PLACES: Final = 20  # bits for a piece's place within its word


@dataclass(frozen=True, eq=False)
class Bpe:
    """A byte-pair encoder: the tokens of letters, and the pairs of tokens that are joined.

    `first_byte` is the number of the token for byte 0: a letter that is no token becomes its UTF-8 bytes.
    """

    letters: NDArray[np.uint32]  # code points that are tokens, in order
    letter_tokens: NDArray[np.uint16]
    pairs: NDArray[np.uint32]  # in order: left token × 2¹⁶ + right token
    ranks: NDArray[np.uint16]  # of the pairs
    joined: NDArray[np.uint16]  # rank → the token that a pair becomes
    first_byte: int

    def encode(self, words: Sequence[str], spaced: NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """Return the tokens of all words one after the other, and where those of each word begin (and the last end)."""
        if len(words) <= _SINGLE and max(map(len, words), default=0) < LONGEST:
            each = [self._encode_one(w, space) for w, space in zip(words, spaced.tolist(), strict=True)]
            starts = np.cumsum([0, *map(len, each)])
            return np.array(list(chain.from_iterable(each)), np.int64), starts
        blocks = [
            self._encode(words[i : i + _BLOCK], spaced[i : i + _BLOCK]) for i in range(0, len(words), _BLOCK)
        ]
        tokens = np.concatenate([np.zeros(0, np.int64), *(tokens for tokens, _ in blocks)])
        counts = np.concatenate([np.zeros(1, np.int64), *(counts for _, counts in blocks)])
        return tokens, np.cumsum(counts)

    @property
    def parts(self) -> tuple[Any, ...]:
        """Its arrays, as the compiled loop takes them."""
        return self.letters, self.letter_tokens, self.pairs, self.ranks, self.joined, self.first_byte

    def _encode_one(self, word: str, spaced: bool) -> list[int]:
        """Return the tokens of one word, found without arrays: for a few words these take longer than the work."""
        letters, ranks, joined = self._lists
        tokens: list[int] = []
        for letter in SPACE + word if word and spaced else word:
            token = letters.get(letter)
            spelled = letter.encode("utf-8", "surrogatepass") if token is None else b""
            tokens += [self.first_byte + byte for byte in spelled] if token is None else [token]
        pairs = [ranks.get(left << 16 | right, _NO_RANK) for left, right in pairwise(tokens)]
        while pairs and (lowest := min(pairs)) < _NO_RANK:
            at = pairs.index(lowest)  # of several the leftmost
            tokens[at : at + 2] = [joined[lowest]]
            del pairs[at]
            for i in range(max(0, at - 1), min(at + 1, len(pairs))):
                pairs[i] = ranks.get(tokens[i] << 16 | tokens[i + 1], _NO_RANK)
        return tokens

    @cached_property
    def _lists(self) -> tuple[dict[str, int], dict[int, int], list[int]]:
        """Letter → token, pair → rank, and the token of each rank."""
        letters = zip(map(chr, self.letters.tolist()), self.letter_tokens.tolist(), strict=True)
        pairs = zip(self.pairs.tolist(), self.ranks.tolist(), strict=True)
        return dict(letters), dict(pairs), self.joined.tolist()

    def _encode(self, words: Sequence[str], spaced: NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """Return the tokens of some words, and how many each has."""
        marked = _marked(words, spaced)
        letters = np.array([len(word) for word in marked], np.int64)
        owners = np.repeat(np.arange(len(marked)), letters)
        points = np.frombuffer("".join(marked).encode("utf-32-le", "surrogatepass"), np.uint32)
        tokens, owners, places = self._begin(points, owners, letters)
        pieces = owners * (1 << _PLACES) + places // LONGEST
        tokens, owners = self._join(tokens, owners, pieces)
        return tokens, np.bincount(owners, minlength=len(marked)).astype(np.int64)

    def _begin(
        self, points: NDArray[np.uint32], owners: NDArray[np.int64], letters: NDArray[np.int64]
    ) -> tuple[Ints, Ints, Ints]:
        """Return a token for each letter, or several for one that is spelled in bytes; with their words and places."""
        at = np.minimum(np.searchsorted(self.letters, points), len(self.letters) - 1)
        tokens, there = self.letter_tokens[at].astype(np.int64), self.letters[at] == points
        places = np.arange(len(points)) - np.repeat(np.cumsum(letters) - letters, letters)
        if there.all():
            return tokens, owners, places
        spelled = [chr(p).encode("utf-8", "surrogatepass") for p in points[~there].tolist()]
        sizes = np.ones(len(points), np.int64)
        sizes[~there] = [len(s) for s in spelled]
        tokens, is_byte = np.repeat(tokens, sizes), np.repeat(~there, sizes)
        tokens[is_byte] = np.frombuffer(b"".join(spelled), np.uint8).astype(np.int64) + self.first_byte
        return tokens, np.repeat(owners, sizes), np.repeat(places, sizes)

    def _join(self, tokens: Ints, owners: Ints, pieces: Ints) -> tuple[Ints, Ints]:
        """Join pairs within pieces until none has a rank; return the tokens and the word of each, in order."""
        ranks = self._ranks(tokens, pieces)
        done: list[tuple[Ints, Ints, Ints]] = []
        places = np.arange(len(tokens))
        while len(tokens):
            starts = np.flatnonzero(np.concatenate([[True], pieces[1:] != pieces[:-1]]))
            # Rank and place in one number: the least is the leftmost pair of the lowest rank.
            best = np.minimum.reduceat(ranks * len(tokens) + np.arange(len(tokens)), starts)
            left = best % len(tokens)
            open_ = ranks[left] < _NEVER
            if not open_.all():
                busy = np.repeat(open_, np.diff(np.append(starts, len(tokens))))
                done.append((places[~busy], tokens[~busy], owners[~busy]))
                left = np.cumsum(busy)[left[open_]] - 1
                tokens, owners, pieces = tokens[busy], owners[busy], pieces[busy]
                places, ranks = places[busy], ranks[busy]
            if not len(left):
                break
            tokens[left] = self.joined[ranks[left]]
            keep = np.ones(len(tokens), bool)
            keep[left + 1] = False
            tokens, owners, pieces, places, ranks = (a[keep] for a in (tokens, owners, pieces, places, ranks))
            self._renew(ranks, tokens, pieces, left - np.arange(len(left)))
        order = np.argsort(np.concatenate([d[0] for d in done])) if done else np.zeros(0, np.int64)
        found = [np.concatenate([np.zeros(0, np.int64), *(d[i] for d in done)])[order] for i in (1, 2)]
        return found[0], found[1]

    def _renew(self, ranks: Ints, tokens: Ints, pieces: Ints, joined: Ints) -> None:
        """Update the ranks of the pairs on both sides of tokens that were just joined."""
        touched = np.concatenate([joined, joined[joined > 0] - 1])
        after = np.minimum(touched + 1, len(tokens) - 1)
        inside = (after > touched) & (pieces[after] == pieces[touched])
        ranks[touched] = np.where(inside, self._rank(tokens[touched], tokens[after]), _NEVER)

    def _ranks(self, tokens: Ints, pieces: Ints) -> Ints:
        """Return the rank of each token with the one after it; the last of a piece has none."""
        ranks = np.full(len(tokens), _NEVER)
        inside = np.flatnonzero(pieces[1:] == pieces[:-1])
        ranks[inside] = self._rank(tokens[inside], tokens[inside + 1])
        return ranks

    def _rank(self, left: Ints, right: Ints) -> Ints:
        wanted = (left << 16 | right).astype(np.uint32)
        at = np.minimum(np.searchsorted(self.pairs, wanted), len(self.pairs) - 1)
        return np.where(self.pairs[at] == wanted, self.ranks[at], _NEVER)


def _marked(words: Sequence[str], spaced: NDArray[np.bool_]) -> list[str]:
    """Return words with the mark of the space before them."""
    return [SPACE + w if w and space else w for w, space in zip(words, spaced.tolist(), strict=True)]


NAME: Final = "wordllama"
SHORT: Final = 32  # letters; up to so many the compiled loop adds the vectors of tokens as NumPy does
COMPILED: Final[dict[str, Any]] = {}  # the compiled loop once it is ready, by its name
_FOLDER: Final = Path(__file__).with_name("wordllama")
_FEW: Final = 64  # texts
_MET: Final = 4096  # pieces of queries that are remembered, a kB each, before it is begun anew
_TEXTS: Final = 4096  # that are embedded together: 4 MB of sums
_WORDS: Final = 8192  # whose tokens are gathered together
# What follows the word before it without a space, where a text was cut into words: do n't, whale 's.
_CLITICS: Final = ("'", "’", "n't", "n’t")
_OPENING: Final = frozenset("([{<“‘«„‹¿¡$£#@&+=/\\|~*_-–—")


class Tokenizer(Protocol):
    """Cuts words into tokens."""

    def encode(
        self, words: Sequence[str], spaced: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the tokens of all words one after the other, and where those of each word begin."""


@dataclass(frozen=True, eq=False)
class StaticEmbeddings:
    """Vectors of tokens and their tokenizer; `encode(texts)` returns a row of unit length for each text.

    >>> model = load_static_embeddings()
    >>> a, b, c = model.encode(["Where is the lighthouse?", "the way to the beacon", "quarterly tax returns"])
    >>> bool(a @ b > a @ c), model.dimension
    (True, 256)
    """

    name: str
    table: NDArray[np.int8] | NDArray[np.float32]
    scales: NDArray[np.float32]  # of the rows
    tokenizer: Tokenizer = field(repr=False)
    _met: dict[str, NDArray[np.float32]] = field(default_factory=dict, repr=False)

    @property
    def dimension(self) -> int:
        """The number of coordinates of an embedding."""
        return int(self.table.shape[1])

    def rows(self, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of tokens."""
        return np.multiply(self.table[tokens], self.scales[tokens, None], dtype=np.float32)

    def word_vectors(
        self, words: Sequence[str], spaced: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return for each word the sum of its tokens' vectors, and how many tokens it has.

        A text's embedding is the sum of its words' vectors divided by the number of their tokens. This is exact if the
        words are the text cut at white space, and nearly so if punctuation was cut off too. `spaced` says which words
        follow a space; by default `follows_space` guesses.
        """
        spaced = follows_space(words) if spaced is None else np.asarray(spaced, bool)
        loop = COMPILED.get("word_sums")
        if loop and isinstance(self.tokenizer, Bpe) and max(map(len, words), default=0) <= SHORT:
            return self._word_sums(loop, self.tokenizer, words, spaced)
        tokens, starts = self.tokenizer.encode(words, spaced)
        sums = np.zeros((len(words), self.dimension), np.float32)
        some = np.flatnonzero(np.diff(starts))
        for i in range(0, len(some), _WORDS):
            part = some[i : i + _WORDS]
            first, last = starts[part[0]], starts[part[-1] + 1]
            sums[part] = np.add.reduceat(self.rows(tokens[first:last]), starts[part] - first, axis=0)
        return sums, np.diff(starts)

    def _word_sums(
        self, loop: Any, coder: Bpe, words: Sequence[str], spaced: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return `word_vectors` by the compiled loop."""
        marked = _marked(words, spaced)
        ends = np.cumsum([0, *map(len, marked)])
        points = np.frombuffer("".join(marked).encode("utf-32-le", "surrogatepass"), np.uint32)
        sums, counts = loop(points, ends, coder.parts, self.table, self.scales)
        return sums, counts

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the embedding of each text at unit length, or zeros for an empty text.

        All white space counts as a single space. Each distinct piece between spaces is cut into tokens once.
        """
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        streams, ends = [np.zeros(0, np.int32)], [np.zeros(1, np.int64)]
        for i in range(0, len(texts), _TEXTS):
            # In blocks, so that only the distinct pieces stay in memory.
            cut = [text.split() for text in texts[i : i + _TEXTS]]
            ends.append(np.cumsum([len(pieces) for pieces in cut]) + ends[-1][-1])
            size = int(ends[-1][-1] - ends[-2][-1])
            streams.append(np.fromiter(map(numbers.__getitem__, chain.from_iterable(cut)), np.int32, size))
        return self.encode_pieces(list(numbers), np.concatenate(streams), np.concatenate(ends))

    def encode_pieces(
        self, pieces: Sequence[str], stream: NDArray[np.integer], ends: NDArray[np.integer]
    ) -> NDArray[np.float32]:
        """Return the embeddings of texts that are cut at white space already.

        `pieces` are the distinct pieces, `stream` has the numbers of the pieces of all texts one after the other, and
        those of text t are `stream[ends[t]:ends[t + 1]]`.
        """
        if len(ends) <= _FEW:
            return self._few(pieces, stream, ends)
        tokens, starts = self.tokenizer.encode(pieces, np.ones(len(pieces), bool))
        held = _csr(stream, ends, len(pieces))
        of_pieces = _csr(tokens, starts, len(self.table))
        table = self.rows(np.arange(len(self.table)))
        out = np.empty((held.shape[0], self.dimension), np.float32)
        for i in range(0, len(out), _TEXTS):
            out[i : i + _TEXTS] = unit((held[i : i + _TEXTS] @ of_pieces) @ table)
        return out

    def _few(
        self, pieces: Sequence[str], stream: NDArray[np.integer], ends: NDArray[np.integer]
    ) -> NDArray[np.float32]:
        """Return the same for few texts without a sparse matrix, whose import alone takes 0.2 s.

        Pieces are remembered: those of a query have mostly been in one before, and cutting them takes longest.
        """
        known = {piece: kept for piece in pieces if (kept := self._met.get(piece)) is not None}
        new = [piece for piece in pieces if piece not in known]
        if new:
            looked_up = dict(zip(new, self.word_vectors(new, np.ones(len(new), bool))[0], strict=True))
            known |= looked_up
            if len(self._met) > _MET:
                self._met.clear()
            self._met.update(looked_up)
        sums = np.array([known[piece] for piece in pieces], np.float32).reshape(-1, self.dimension)
        parts = (sums[stream[a:b]].sum(axis=0) for a, b in pairwise(ends.tolist()))
        return unit(np.array([*parts], np.float32).reshape(-1, self.dimension))


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale rows to unit length; a row of zeros stays as it is."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)


def _csr(columns: NDArray[Any], starts: NDArray[Any], width: int) -> sparse.csr_array:
    from scipy import sparse

    ones = np.ones(len(columns), np.float32)
    return sparse.csr_array((ones, columns, starts), shape=(len(starts) - 1, width))


def follows_space(words: Sequence[str]) -> NDArray[np.bool_]:
    """Guess which words of a text that was cut into words and punctuation follow a space.

    >>> follows_space(["whale", ",", "(", "n't", "'s", "1851"]).tolist()
    [True, False, True, False, False, True]
    """
    return np.fromiter(map(_follows_space, words), bool, len(words))


def _follows_space(word: str) -> bool:
    if word.startswith(_CLITICS):
        return False
    return not word or word[0] in _OPENING or unicodedata.category(word[0])[0] not in "PS"


def compile_loop() -> None:
    """Compile the loop over words, or load it, and use it from now on."""
    from lexicloud.vectors.bpe_numba import word_sums

    model = load_static_embeddings()
    points, ends = np.frombuffer("a".encode("utf-32-le"), np.uint32), np.array([0, 1])
    assert isinstance(model.tokenizer, Bpe)
    word_sums(points, ends, model.tokenizer.parts, model.table, model.scales)
    COMPILED["word_sums"] = word_sums


@cache
def load_static_embeddings(name: str | Path = NAME) -> StaticEmbeddings:
    """Return the static embeddings that come with lexicloud, or those of a model2vec folder."""
    if str(name) == NAME:
        return _shipped()
    if Path(name).expanduser().is_dir():
        return _model2vec(Path(name).expanduser())
    raise OptionError(f"no embeddings {str(name)!r}: give {NAME!r}, or the folder of a model2vec model")


def _shipped() -> StaticEmbeddings:

    try:
        with np.load(_FOLDER / "tokens.npz", allow_pickle=False) as data:
            parts = {part: data[part] for part in data.files}
        table = np.load(_FOLDER / "table.npy", mmap_mode="r", allow_pickle=False)
        scales = np.load(_FOLDER / "scales.npy", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise VectorsError(
            f"the static embeddings are damaged ({error}): pip install --force-reinstall lexicloud"
        ) from error
    parts["first_byte"] = int(parts["first_byte"])
    return StaticEmbeddings(NAME, np.asarray(table), scales, Bpe(**parts))


@dataclass(frozen=True, eq=False)
class _Model2VecTokenizer:
    """The tokenizer of a model2vec folder; it takes each word alone, since such tokenizers cut at spaces anyway."""

    coder: Any
    unknown: int | None
    size: int

    def encode(
        self, words: Sequence[str], _spaced: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the known tokens of all words, and where those of each word begin."""
        coded = self.coder.encode_batch(list(words), add_special_tokens=False)
        found = [[t for t in code.ids if t != self.unknown and t < self.size] for code in coded]
        starts = np.cumsum([0, *map(len, found)])
        return np.fromiter(chain.from_iterable(found), np.int64, int(starts[-1])), starts


def _model2vec(folder: Path) -> StaticEmbeddings:
    from lexicloud.vectors.model2vec import TENSORS, TOKENIZER, open_model2vec

    if not ((folder / TENSORS).is_file() and (folder / TOKENIZER).is_file()):
        raise OptionError(f"{folder} has no {TENSORS} with {TOKENIZER}: give the folder of a model2vec model")
    model = open_model2vec(folder)
    tokenizer = _Model2VecTokenizer(model.tokenizer, model.unknown, len(model.table))
    return StaticEmbeddings(str(folder), model.table, np.ones(len(model.table), np.float32), tokenizer)
