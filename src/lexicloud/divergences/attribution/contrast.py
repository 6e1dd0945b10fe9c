"""What sets two groups of texts apart: key words with effect sizes and intervals, joined into themes.

Every text is cut into segments of 2,000 tokens. The log ratio says how many times as frequent a word is (in
doublings); its interval comes from how much the rate varies between segments, so a word that one text alone repeats
has a wide one. Zeta is the share of segments that have the word, in one group less the other (Burrows, Craig); Eder's
Zeta divides the difference of the two shares by their sum, which brings rarer words forward.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import Result, TabularResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

SEGMENT: Final = 2000
# Fewer occurrences than this in both groups together say nothing.
LEAST: Final = 10
# The cosine of refined vectors from which on two key words are of one theme.
NEAR: Final = 0.6
ORDERS: Final = ("log-ratio", "zeta", "eder")


@dataclass(frozen=True)
class KeyWord(Result):
    """A word that one group uses more: above zero the first, below zero the second.

    `log_ratio` counts doublings, with its 95 % interval; `rates` are per million tokens; `theme` is the key word
    that it belongs to, itself where it stands alone.
    """

    word: str
    log_ratio: float
    interval: tuple[float, float]
    zeta: float
    eder: float
    counts: tuple[int, int]
    rates: tuple[float, float]
    theme: str


@dataclass(frozen=True, eq=False)
class Contrast(TabularResult):
    """The key words of two groups, the strongest of both first; see `contexts` for where they occur."""

    _table = "words"
    _left_out = ("corpus", "rows")

    groups: tuple[str, str]
    words: tuple[KeyWord, ...]
    tokens: tuple[int, int]
    segments: tuple[int, int]
    order: str
    corpus: Any
    rows: tuple[tuple[int, ...], tuple[int, ...]]

    def of(self, group: str) -> tuple[KeyWord, ...]:
        """Return the words that a group uses more."""
        if group not in self.groups:
            raise OptionError(f"no group {group!r}: the groups are {self.groups[0]!r} and {self.groups[1]!r}")
        sign = 1 if group == self.groups[0] else -1
        return tuple(w for w in self.words if sign * w.log_ratio > 0)

    def themes(self, group: str) -> dict[str, tuple[KeyWord, ...]]:
        """Return the words of a group, near words together, the strongest theme first."""
        found: dict[str, list[KeyWord]] = {}
        for word in self.of(group):
            found.setdefault(word.theme, []).append(word)
        return {theme: tuple(words) for theme, words in found.items()}

    def contexts(self, word: str, n: int = 3, around: int = 6) -> dict[str, tuple[str, ...]]:
        """Return where a word occurs in both groups, with the words around it."""
        wanted = self.corpus.vocabulary.ids.get(self.corpus.rules.normalise(word), -1)
        return {
            group: tuple(_contexts(self.corpus, rows, wanted, n, around))
            for group, rows in zip(self.groups, self.rows, strict=True)
        }

    def __str__(self) -> str:
        first, second = (", ".join(w.word for w in self.of(g)[:5]) for g in self.groups)
        return f"{self.groups[0]}: {first} · {self.groups[1]}: {second}"


def contrast(
    corpus: Corpus, a: str, b: str, *, order: str = "log-ratio", top: int | None = 100, segment: int = SEGMENT
) -> Contrast:
    """Compare two groups of texts word by word; `a` and `b` are labels, or names of texts.

    `order` says what makes a word strong: "log-ratio" (by the end of its interval that is nearer to zero, so that
    what is uncertain comes late), "zeta" or "eder". `top` keeps so many words of each group.
    """
    if order not in ORDERS:
        raise OptionError(f"no order {order!r}: choose from {', '.join(ORDERS)}")
    rows = (_members(corpus, a), _members(corpus, b))
    if set(rows[0]) & set(rows[1]):
        raise OptionError(f"{a!r} and {b!r} share a text: choose two different groups")
    pieces = [count_segments(corpus, group, segment) for group in rows]
    measured = effect_sizes(pieces[0], pieces[1])
    strength = measured[order]
    counts = np.stack([np.asarray(p.sum(axis=0), dtype=np.float64).ravel() for p in pieces])
    enough = np.flatnonzero(counts.sum(axis=0) >= LEAST)
    ranked = enough[np.argsort(-np.abs(strength[enough]), kind="stable")]
    chosen = _top(ranked, measured["ratio"], strength, top)
    themes = _themes(corpus, chosen, measured["ratio"])
    sizes = tuple(int(p.sum()) for p in pieces)
    words = tuple(_word(corpus, int(i), measured, counts, sizes, themes[int(i)]) for i in chosen)
    segments = (pieces[0].shape[0], pieces[1].shape[0])
    return Contrast((a, b), words, (sizes[0], sizes[1]), segments, order, corpus, rows)


def _members(corpus: Corpus, group: str) -> tuple[int, ...]:
    labels = corpus.labels or ()
    found = tuple(i for i, label in enumerate(labels) if label == group)
    if not found and group in corpus:
        found = (corpus.position(group),)
    if not found:
        raise OptionError(f"no label and no text is called {group!r}: see corpus.labels and corpus.names")
    return found


def count_segments(corpus: Corpus, rows: Sequence[int], size: int) -> sparse.csr_array:
    """Count the words of segments of about equal length; a text shorter than one is a segment."""
    pieces = []
    for row in rows:
        tokens = corpus.tokens(row)
        pieces += np.array_split(tokens, max(1, round(len(tokens) / size)))
    pieces = [piece for piece in pieces if len(piece)]
    if len(pieces) < 2:
        raise EstimateError(
            f"a group has {len(pieces)} segments of {size:,} tokens, but two are needed to say how much rates vary: "
            "use smaller segments"
        )
    ends = np.cumsum([len(piece) for piece in pieces])
    indptr = np.concatenate([[0], ends])
    shape = (len(pieces), len(corpus.vocabulary))
    counts = sparse.csr_array((np.ones(ends[-1]), np.concatenate(pieces), indptr), shape=shape)
    counts.sum_duplicates()
    return counts


def effect_sizes(first: sparse.csr_array, second: sparse.csr_array) -> dict[str, Floats]:
    """Return the effect sizes of every word, and the interval of the log ratio."""
    rates, errors, present = [], [], []
    for counts in (first, second):
        n, total = counts.shape[0], float(counts.sum())
        # Half an occurrence more keeps words that one group lacks finite.
        rate = (np.asarray(counts.sum(axis=0), dtype=np.float64).ravel() + 0.5) / (total + 1)
        rates.append(rate)
        errors.append(_log_error(counts, rate, total) ** 2)
        present.append(np.asarray((counts > 0).sum(axis=0)).ravel() / n)
    ratio, half = np.log2(rates[0] / rates[1]), 1.96 * np.sqrt(errors[0] + errors[1]) / np.log(2)
    zeta = present[0] - present[1]
    both = present[0] + present[1]
    eder = np.divide(zeta, both, out=np.zeros_like(zeta), where=both > 0)
    sure = np.where(np.abs(ratio) > half, ratio - np.sign(ratio) * half, 0.0)
    return {"ratio": ratio, "half": half, "zeta": zeta, "eder": eder, "log-ratio": sure}


def _log_error(counts: sparse.csr_array, rate: Floats, total: float) -> Floats:
    """Return the standard error of each word's log rate: of the segments' rates, at least that of independent words."""
    n, sizes = counts.shape[0], np.asarray(counts.sum(axis=1)).ravel()
    rows = np.repeat(np.arange(n), np.diff(counts.indptr))
    # Σ (c − rate·size)² over segments, of which those without the word add (rate·size)².
    off = counts.data - rate[counts.indices] * sizes[rows]
    terms = off**2 - (rate[counts.indices] * sizes[rows]) ** 2
    squares = np.bincount(counts.indices, terms, minlength=len(rate)) + rate**2 * float((sizes**2).sum())
    variance = np.maximum(squares, 0) * n / (n - 1)
    return np.asarray(np.sqrt(np.maximum(variance, rate * total)) / (rate * (total + 1)))


def _top(ranked: NDArray[Any], ratio: Floats, strength: Floats, top: int | None) -> NDArray[Any]:
    some = ranked[strength[ranked] != 0]
    kept = [some[sign * ratio[some] > 0][:top] for sign in (1, -1)]
    both = np.concatenate(kept)
    return both[np.argsort(-np.abs(strength[both]), kind="stable")]


def _themes(corpus: Corpus, chosen: NDArray[Any], ratio: Floats) -> dict[int, int]:
    """Give each word to the strongest word before it, on its side, that is near it; itself where there is none."""
    vectors = corpus.refined[chosen]
    near = (vectors @ vectors.T) >= NEAR
    side = np.sign(ratio[chosen])
    heads: list[int] = []
    found: dict[int, int] = {}
    for i, word in enumerate(chosen):
        head = next((h for h in heads if near[i, h] and side[i] == side[h]), i)
        if head == i:
            heads.append(i)
        found[int(word)] = int(chosen[head])
    return found


def _word(
    corpus: Corpus, i: int, measured: dict[str, Floats], counts: Floats, sizes: Sequence[int], theme: int
) -> KeyWord:
    ratio, half = float(measured["ratio"][i]), float(measured["half"][i])
    return KeyWord(
        word=corpus.vocabulary[i],
        log_ratio=ratio,
        interval=(ratio - half, ratio + half),
        zeta=float(measured["zeta"][i]),
        eder=float(measured["eder"][i]),
        counts=(int(counts[0, i]), int(counts[1, i])),
        rates=(1e6 * float(counts[0, i]) / sizes[0], 1e6 * float(counts[1, i]) / sizes[1]),
        theme=corpus.vocabulary[theme],
    )


def _contexts(corpus: Corpus, rows: Sequence[int], word: int, n: int, around: int) -> list[str]:
    found: list[str] = []
    for row in rows:
        tokens = corpus.tokens(row)
        for at in np.flatnonzero(tokens == word)[: n - len(found)]:
            span = tokens[max(0, at - around) : at + around + 1]
            found.append(" ".join(corpus.vocabulary[int(t)] for t in span))
    return found
