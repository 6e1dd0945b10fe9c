"""Byte-pair encoding of many words at once, with NumPy alone.

A word begins as its letters. In each step the neighbouring pair with the lowest rank becomes one token (of several the
leftmost), until no pair of the word has a rank. All words take each step together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

SPACE: Final = "▁"  # is put before a word that follows a space
# Letters; a longer word is cut into pieces, because the work grows with the square of its length.
LONGEST: Final = 1000
_NEVER: Final = np.int64(1 << 40)  # the rank of a pair that is not joined
_BLOCK: Final = 1 << 16  # words that are encoded together
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
        blocks = [
            self._encode(words[i : i + _BLOCK], spaced[i : i + _BLOCK]) for i in range(0, len(words), _BLOCK)
        ]
        tokens = np.concatenate([np.zeros(0, np.int64), *(tokens for tokens, _ in blocks)])
        counts = np.concatenate([np.zeros(1, np.int64), *(counts for _, counts in blocks)])
        return tokens, np.cumsum(counts)

    def _encode(self, words: Sequence[str], spaced: NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """Return the tokens of some words, and how many each has."""
        marked = [SPACE + w if w and space else w for w, space in zip(words, spaced.tolist(), strict=True)]
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
