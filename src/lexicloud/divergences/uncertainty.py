"""How sure a divergence is: intervals from leaving out blocks of running text, p-values from dealing blocks
anew.
 Words of a text are no independent draws: themes last for pages. So what is left out or dealt is a block of
running text, never a word. Even so one passage cannot show how much passages differ: over books, the spread
between passages was 1.4 times what five blocks of a passage show, and the interval of a text in running order
is that much wider. Where words stand in no order (a shuffled list) nothing lasts, and it is not.
`docs/numbers.md` has the coverage that was measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import sparse

from lexicloud.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import Fitted

    Floats = NDArray[np.float64]
    Tokens = NDArray[np.int32]

LEVEL: Final = 0.95
# Blocks of each text: few and long, so that what lasts for pages is in them; Student's t allows for their number.
BLOCKS: Final = 5
# Spread between passages of a book over what the blocks of one show, tuned on half of the authors.
RUNNING: Final = 1.4
SHUFFLED: Final = 0.9  # a jackknife of these estimators overstates the spread of independent words a little
DEALT: Final = 10  # blocks of the shorter text that are dealt
LEAST: Final = 10  # tokens in the shorter text below which nothing can be left out


def interval_level(interval: bool | float) -> float | None:
    """Read the option `interval`: no, yes (95 %), or a level between 0 and 1."""
    if interval is False:
        return None
    level = LEVEL if interval is True else float(interval)
    if not 0 < level < 1:
        raise OptionError(f"interval is True, False or a level between 0 and 1, not {interval!r}")
    return level


@dataclass(frozen=True, eq=False)
class Pair:
    """Two texts in their order, and the divergence of texts made from their blocks."""

    a: Tokens
    b: Tokens
    fitted: Fitted
    symmetric: bool = False

    @classmethod
    def of(cls, corpus: Corpus, rows: tuple[int, int], fitted: Fitted, *, symmetric: bool = False) -> Pair:
        """Take two documents of a corpus."""
        return cls(corpus.tokens(rows[0]), corpus.tokens(rows[1]), fitted, symmetric)

    def values(self, As: Sequence[Tokens], Bs: Sequence[Tokens]) -> Floats:
        """Return the divergence of each text of `As` from its partner in `Bs`, both directions if
        symmetric.
        """
        P, Q = (_counts(texts, len(self.fitted.words)) for texts in (As, Bs))
        # A part of a very short text may have too few words: its value is not finite, and the caller sees it.
        with np.errstate(divide="ignore", invalid="ignore"):
            there = self.fitted.pairs(P, Q)
            return there + self.fitted.pairs(Q, P) if self.symmetric else there


@dataclass(frozen=True)
class Spread:
    """The variance that each text brings to a divergence, from leaving out its blocks."""

    of_a: float
    of_b: float
    running: bool

    def interval(self, value: float, level: float) -> tuple[float, float]:
        """Return the interval around a value: Student's t, with the freedom that five blocks each leave
        (Welch).
        """
        from scipy.stats import t

        variance = self.of_a + self.of_b
        if variance == 0:
            return value, value
        freedom = (BLOCKS - 1) * variance**2 / (self.of_a**2 + self.of_b**2)
        half = (
            float(t.ppf((1 + level) / 2, freedom))
            * np.sqrt(variance)
            * (RUNNING if self.running else SHUFFLED)
        )
        return value - half, value + half


def jackknife(pair: Pair, *, running: bool) -> Spread | None:
    """Leave out each of five blocks of either text in turn; None where too little is left to measure."""
    if min(len(pair.a), len(pair.b)) < LEAST:
        return None
    without_a, without_b = _left_out(pair.a), _left_out(pair.b)
    values = pair.values(
        [*without_a, *[pair.a] * BLOCKS],
        [*[pair.b] * BLOCKS, *without_b],
    )
    if not np.isfinite(values).all():
        return None
    of_a, of_b = ((BLOCKS - 1) * float(np.var(half)) for half in (values[:BLOCKS], values[BLOCKS:]))
    return Spread(of_a, of_b, running)


def same_source(pair: Pair, deals: int, seed: int) -> Floats:
    """Deal the blocks of both texts anew into two texts of the same lengths, many times, and measure each
    deal.
    """
    rng = np.random.default_rng(seed)
    N, M = len(pair.a), len(pair.b)
    length = max(1, min(N, M) // DEALT)
    blocks = [*_cut(pair.a, length), *_cut(pair.b, length)]
    As, Bs = [], []
    for _ in range(deals):
        mixed = np.concatenate([blocks[i] for i in rng.permutation(len(blocks))])
        As.append(mixed[:N])
        Bs.append(mixed[N:])
    return pair.values(As, Bs)


def permutation_p_value(observed: float, dealt: Floats) -> float:
    """Return how often texts dealt from one source diverge at least as much.

    The observed split counts as one deal, so that the p-value is never zero; a deal that has no answer (nan)
    counts as one that reaches the value.
    """
    reached = int((~(dealt < observed - 1e-12)).sum())
    return (1 + reached) / (1 + len(dealt))


def in_running_order(tokens: Tokens, punctuation: NDArray[np.bool_], stopwords: NDArray[np.bool_]) -> bool:
    """Tell whether words stand in the order of a text, or in none, as in a list that was shuffled or drawn at
    random.

    In a text, what follows a mark, a function word or another word depends on which it was: a chi-squared
    test of these nine transitions. Where there are no such kinds (function words were dropped), words that
    come in bursts give a text away. A text too short to tell is taken to be one.
    """
    if len(tokens) < 200:
        return True
    kinds = np.where(punctuation[tokens], 0, np.where(stopwords[tokens], 1, 2))
    if np.sort(np.bincount(kinds, minlength=3))[1] >= 0.05 * len(tokens):
        return _transitions(kinds) > 18.5  # one shuffled text in a thousand, four degrees of freedom
    return _burstiness(tokens) < -2.5


def _transitions(kinds: NDArray[np.int64]) -> float:
    seen = np.zeros((3, 3))
    np.add.at(seen, (kinds[:-1], kinds[1:]), 1)
    expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / seen.sum()
    some = expected > 0
    return float(((seen - expected)[some] ** 2 / expected[some]).sum())


def _burstiness(tokens: Tokens) -> float:
    """Return by how many standard deviations words that occur 2 to 20 times stand closer together than at
    random.
    """
    _, word, counts = np.unique(tokens, return_inverse=True, return_counts=True)
    places = np.arange(len(tokens))
    first, last = np.full(len(counts), len(tokens)), np.full(len(counts), -1)
    np.minimum.at(first, word, places)
    np.maximum.at(last, word, places)
    some = (counts >= 2) & (counts <= 20)
    c, span = counts[some].astype(np.float64), (last - first)[some] / len(tokens)
    variance = (2 * (c - 1) / ((c + 1) ** 2 * (c + 2))).sum()
    return float((span - (c - 1) / (c + 1)).sum() / np.sqrt(variance)) if variance else 0.0


def _left_out(tokens: Tokens) -> list[Tokens]:
    blocks = np.array_split(tokens, BLOCKS)
    return [np.concatenate(blocks[:i] + blocks[i + 1 :]) for i in range(BLOCKS)]


def _cut(tokens: Tokens, length: int) -> list[Tokens]:
    return [tokens[i : i + length] for i in range(0, len(tokens), length)]


def _counts(texts: Sequence[Tokens], width: int) -> sparse.csr_array:
    rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    ones = np.ones(len(rows), dtype=np.int64)
    counts = sparse.coo_array((ones, (rows, np.concatenate(texts))), shape=(len(texts), width)).tocsr()
    counts.sum_duplicates()
    return counts
