"""How sure a divergence is, and what to compare it with.

The words of a text are not independent draws: themes last for pages. So blocks of running text, never single words, are
left out (for an interval) or dealt anew (for a p-value). `docs/numbers-measured.md` has the coverage that was measured.

A divergence of word frequencies grows as texts get shorter, so a number alone says little. Two yardsticks go with it:
the divergence of two texts of the same lengths dealt from the blocks of both, and where the value stands among
reference pairs of that length, by one hand and by different hands. `benchmarks/make/reference_pairs.py` makes these.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.errors import OptionError
from lexicloud.result import Result
from lexicloud.text.language import written_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import Fitted, Method

    Floats = NDArray[np.float64]
    Tokens = NDArray[np.int32]

LEVEL: Final = 0.95
# Blocks of each text: few and long, so that a theme stays within one; Student's t allows for their small number.
BLOCKS: Final = 5
# The lengths in tokens of the factors in `Method.in_order`.
LENGTHS: Final = (100, 500, 2000, 10_000, 40_000)
# A further factor for other languages at these lengths, chosen on half of the authors of French, German and Spanish
# novels of 40,000 words.
ABROAD: Final = (1.0, 1.0, 1.0, 1.4, 1.4)
DEALT: Final = 10  # blocks that the shorter text is cut into to be dealt
LEAST: Final = 10  # with fewer tokens in the shorter text no block can be left out


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
        """Return the divergence of each text of `As` from its partner in `Bs`; of both directions if symmetric."""
        P, Q = (_counts(texts, len(self.fitted.words)) for texts in (As, Bs))
        # A part of a very short text may have too few words: its value is then not finite, which the caller checks.
        with np.errstate(divide="ignore", invalid="ignore"):
            there = self.fitted.pairs(P, Q)
            return there + self.fitted.pairs(Q, P) if self.symmetric else there


@dataclass(frozen=True)
class Spread:
    """The variance that each text brings to a divergence, from leaving out its blocks."""

    of_a: float
    of_b: float

    def interval(self, value: float, level: float) -> tuple[float, float]:
        """Return the interval around a value by Student's t, with Welch's degrees of freedom for five blocks each."""
        from scipy.special import stdtrit

        variance = self.of_a + self.of_b
        if variance == 0:
            return value, value
        freedom = (BLOCKS - 1) * variance**2 / (self.of_a**2 + self.of_b**2)
        half = float(stdtrit(freedom, (1 + level) / 2) * np.sqrt(variance))
        return value - half, value + half


def jackknife(pair: Pair, wider: tuple[float, float] = (1.0, 1.0)) -> Spread | None:
    """Return the variances from leaving out each of five blocks of either text; None where texts are too short.

    `wider` multiplies the deviation that the blocks of each text show.
    """
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
    return Spread(wider[0] ** 2 * of_a, wider[1] ** 2 * of_b)


def widening(method: Method, corpus: Corpus, row: int) -> float:
    """Return the factor by which passages like this text differ more than its blocks do."""
    tokens = corpus.tokens(row)
    running = in_running_order(tokens, corpus.punctuation, corpus.stopwords)
    return factor(method, len(tokens), running=running, english=corpus.rules.language == "english")


def factor(method: Method, n: int, *, running: bool, english: bool = True) -> float:
    """Return the factor of a text of n tokens, interpolated between the lengths that were measured.

    Themes last for pages, so blocks of running text resemble each other, and long ones more than short ones. In
    words without order nothing lasts.
    """
    factors = np.array(method.in_order if running else method.in_no_order)
    if running and not english:
        factors = factors * ABROAD
    return float(np.interp(np.log(max(1, n)), np.log(LENGTHS), factors))


def same_source(pair: Pair, deals: int, seed: int) -> Floats:
    """Deal the blocks of both texts into two texts of the same lengths, many times; return each divergence."""
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
    """Return the share of deals that diverge at least as much as observed.

    The observed split counts as one deal, so that the p-value is never zero; a deal that cannot be measured (nan)
    counts as one that is as far apart.
    """
    as_far = int((~(dealt < observed - 1e-12)).sum())
    return (1 + as_far) / (1 + len(dealt))


def in_running_order(tokens: Tokens, punctuation: NDArray[np.bool_], stopwords: NDArray[np.bool_]) -> bool:
    """Tell whether words are in the order of a text, or in none, as in a list that was shuffled or drawn at random.

    In a text the kind of a word (punctuation, function word or other) depends on the kind before it: this is a
    chi-squared test of the nine transitions. Where there are no such kinds (function words were dropped), a text
    is recognised by words that come in bursts. Fewer than 200 tokens are taken to be a text.
    """
    if len(tokens) < 200:
        return True
    kinds = np.where(punctuation[tokens], 0, np.where(stopwords[tokens], 1, 2))
    if np.sort(np.bincount(kinds, minlength=3))[1] >= 0.05 * len(tokens):
        return (
            _transitions(kinds) > 18.5
        )  # exceeded by one shuffled text in a thousand (four degrees of freedom)
    return _burstiness(tokens) < -2.5


def _transitions(kinds: NDArray[np.int64]) -> float:
    seen = np.zeros((3, 3))
    np.add.at(seen, (kinds[:-1], kinds[1:]), 1)
    expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / seen.sum()
    some = expected > 0
    return float(((seen - expected)[some] ** 2 / expected[some]).sum())


def _burstiness(tokens: Tokens) -> float:
    """Return how far words that occur 2 to 20 times are spread compared with random order, in standard deviations.

    Negative where they are closer together.
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
    rows = [np.bincount(text, minlength=width) for text in texts]
    words = [np.flatnonzero(row) for row in rows]
    ends = np.cumsum([0, *map(len, words)])
    counts = np.concatenate([row[some] for row, some in zip(rows, words, strict=True)])
    return sparse.csr_array((counts, np.concatenate(words), ends), shape=(len(texts), width))


RELATIONS: Final = ("one text", "one hand", "different hands")
DEALS: Final = 20


def _percent(share: float) -> str:
    """Return a share in per cent, from "at most 1 %" to 99 %: there are too few pairs to say "none" or "all"."""
    return "at most 1 %" if share < 0.015 else f"{min(99, round(100 * share))} %"


@dataclass(frozen=True)
class Standing(Result):
    """Where two texts stand among reference pairs: the share of pairs that are at least as far apart.

    `tokens` is the length that was compared: the middle of both texts, no longer than the shorter one or than
    the reference; `value` is the divergence there.
    """

    tokens: int
    value: float
    one_text: float
    one_hand: float
    different_hands: float

    def __str__(self) -> str:
        different, one = _percent(self.different_hands), _percent(self.one_hand)
        return f"nearer than {different} of pairs by different authors and than {one} of pairs by one"


@dataclass(frozen=True)
class Yardstick(Result):
    """The divergence of texts of one source and these lengths, the excess of this pair over it, and its standing.

    `standing` is None where there is no reference, and `no_standing` says why: another language, other options,
    other vectors, short texts, words left out.
    """

    same_source: float
    excess: float
    deals: int
    standing: Standing | None = None
    no_standing: str | None = None


def standing(corpus: Corpus, method: Method, pair: Pair) -> Standing | str:
    """Return where the middles of two texts stand among reference pairs of their length, or why there are none."""
    table = reference_pairs()
    missing = _missing(table, corpus, method)
    if missing:
        return missing
    by_relation = table["methods"][method.name]["both" if pair.symmetric else "one"]
    lengths = table["lengths"][: len(by_relation["one hand"])]
    n = min(len(pair.a), len(pair.b), lengths[-1])
    if n < lengths[0]:
        return f"reference pairs have {lengths[0]} tokens and more"
    value = float(pair.values([_middle(pair.a, n)], [_middle(pair.b, n)])[0])
    at = float(np.interp(np.log(n), np.log(lengths), np.arange(len(lengths))))
    fewest = table["pairs"][int(at)]
    shares = [_share(np.array(by_relation[of]), table["levels"], at, value) for of in RELATIONS]
    # No share is zero: at least one pair may be as far apart.
    return Standing(n, value, *(max(share, 1 / (fewest + 1)) for share in shares))


@cache
def reference_pairs() -> dict[str, Any]:
    """Return the table of reference pairs: quantiles of the divergence by method, length and relation."""
    source = resources.files("lexicloud.divergences") / "reference" / "pairs.json"
    table: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return table


def _missing(table: dict[str, Any], corpus: Corpus, method: Method) -> str | None:
    """Return why the reference does not apply: another language, other options or, where they matter, vectors."""
    made = table["methods"].get(method.name)
    if corpus.rules.language != table["language"]:
        return f"there are no reference pairs in {written_name(corpus.rules.language)}"
    if corpus.rules.lemmas:
        return "the reference pairs count words as they are written, not lemmas"
    options = {k: v for k, v in method.to_dict().items() if k != "method"}
    if made is None or options != made["options"]:
        return "there are no reference pairs for these options"
    if made["vectors"] and corpus.lexicon.source != made["vectors"]:
        return f"there are no reference pairs for the vectors {corpus.lexicon.source}"
    return None


def _share(by_length: Floats, levels: Sequence[float], at: float, value: float) -> float:
    """Return the share of reference pairs at least as far apart; `at` is a place between two lengths."""
    low = min(int(at), len(by_length) - 2)
    quantiles = by_length[low] + (at - low) * (by_length[low + 1] - by_length[low])
    return 1 - float(np.interp(value, quantiles, levels))


def _middle(tokens: NDArray[np.int32], n: int) -> NDArray[np.int32]:
    start = (len(tokens) - n) // 2
    return tokens[start : start + n]
