"""Heaps' law: how the vocabulary grows as a text is read, V = K · N^β."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.corpus import Corpus
from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import TabularResult
from lexicloud.say.blocks import Block, Facts, Figure, Sentence, percent
from lexicloud.zipf.ranks import least_squares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Interval = tuple[float, float]

_POINTS: Final = 200
# The first tokens of a text are nearly all new; the law describes the rest.
_FIRST: Final = 100
# Contiguous blocks that the jackknife leaves out one at a time.
_BLOCKS: Final = 20
_LEAST: Final = 10 * _BLOCKS


@dataclass(frozen=True, eq=False)
class Heaps(TabularResult):
    """The growth of a vocabulary and the fitted V = K · N^β.

    The intervals are jackknife intervals over 20 contiguous blocks, because the points of one curve depend on each
    other and the usual interval of a regression would be far too narrow.
    """

    K: float
    beta: float
    K_interval: Interval
    beta_interval: Interval
    r_squared: float
    tokens: NDArray[np.int64]
    vocabulary: NDArray[np.int64]
    name: str
    level: float = 0.95

    def predict(self, tokens: Any) -> NDArray[np.float64]:
        """Return the vocabulary that the law expects after some tokens."""
        return np.asarray(self.K * np.asarray(tokens, dtype=np.float64) ** self.beta)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw distinct words against tokens read."""
        from lexicloud.zipf.zipf_plots import plot_heaps

        return plot_heaps(self, ax)

    def to_columns(self) -> dict[str, Any]:
        """Return the curve and the fitted law."""
        return {"tokens": self.tokens, "vocabulary": self.vocabulary, "law": self.predict(self.tokens)}

    def __repr__(self) -> str:
        low, high = self.beta_interval
        return f"<Heaps V = {self.K:.2f} · N^{self.beta:.3f} ({low:.3f} to {high:.3f}), {self.vocabulary[-1]:,} words>"

    def blocks(self) -> list[Block]:
        """Return how fast the vocabulary grows, and the law."""
        more = percent(float(2**self.beta - 1))
        said = f"Twice as much text brings {more} more words: the vocabulary of {self.name} grows as N^{self.beta:.2f}."
        low, high = self.beta_interval
        alt = "Distinct words against tokens read on logarithmic scales, nearly a straight line."
        return [
            Sentence(said, "answer"),
            Figure("heaps", alt, self.plot, "The growth of the vocabulary"),
            Facts(
                (
                    ("Heaps’ law", f"V = {self.K:.2f} · N^{self.beta:.3f} ({low:.3f} to {high:.3f})"),
                    ("words, tokens", f"{self.vocabulary[-1]:,}, {self.tokens[-1]:,}"),
                )
            ),
        ]


def heaps(
    source: Corpus | Sequence[Any],
    document: str | None = None,
    *,
    punctuation: bool = False,
    level: float = 0.95,
) -> Heaps:
    """Count the vocabulary as a corpus (or one document) is read, and fit Heaps' law.

    The line is fitted to log V against log N at 200 points evenly spaced in log N, from 100 tokens on. `source` may
    also be a sequence of words or numbers. Punctuation counts only if asked for.

    >>> import numpy as np
    >>> from lexicloud.zipf import heaps
    >>> growth = heaps(np.random.default_rng(0).zipf(2.0, 20_000))
    >>> 0.4 < growth.beta < 0.6      # 1/α for words drawn from a Zipf law of exponent 2
    True
    """
    if not 0 < level < 1:
        raise OptionError(f"level is a probability between 0 and 1, such as 0.95, not {level}")
    stream, name = _stream(source, document, punctuation)
    if len(stream) < _LEAST:
        raise EstimateError(f"Heaps' law needs at least {_LEAST} tokens; there are {len(stream)} in {name}")
    tokens, vocabulary = growth(stream)
    if vocabulary[0] == vocabulary[-1]:
        raise EstimateError(
            f"{name} has no new word after the first {tokens[0]} tokens ({vocabulary[0]} words): nothing grows"
        )
    beta, intercept, r_squared = least_squares(np.log(tokens), np.log(vocabulary))
    half = _jackknife(stream, level)
    return Heaps(
        K=float(np.exp(intercept)),
        beta=beta,
        K_interval=(float(np.exp(intercept - half[0])), float(np.exp(intercept + half[0]))),
        beta_interval=(beta - half[1], beta + half[1]),
        r_squared=r_squared,
        tokens=tokens,
        vocabulary=vocabulary,
        name=name,
        level=level,
    )


def _stream(
    source: Corpus | Sequence[Any], document: str | None, punctuation: bool
) -> tuple[NDArray[np.int64], str]:
    if not isinstance(source, Corpus):
        if document is not None:
            raise OptionError("document chooses within a corpus; these are plain tokens")
        return np.unique(np.asarray(source), return_inverse=True)[1].reshape(-1), "tokens"
    if source.texts is None:
        raise OptionError(
            "this corpus holds a sample, whose words have lost their order: follow the growth before sampling"
        )
    stream = source.stream if document is None else source.tokens(source.position(document))
    kept = stream if punctuation else stream[~source.punctuation[stream]]
    name = document or (source.names[0] if len(source) == 1 else f"{len(source):,} documents")
    return kept.astype(np.int64), name


def growth(stream: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return numbers of tokens, evenly spaced on a log scale, and how many distinct words each has had by then."""
    first_seen = np.sort(_first_places(stream))
    start = min(_FIRST, len(stream) // 2)
    tokens = np.unique(np.geomspace(start, len(stream), _POINTS).round().astype(np.int64))
    return tokens, np.searchsorted(first_seen, tokens)


def _first_places(stream: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first place of each distinct word.

    Places are written from the end of the stream, so that a word's first place overwrites the later ones.
    """
    first = np.full(int(stream.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[stream[::-1]] = np.arange(len(stream) - 1, -1, -1)
    return first[first >= 0]


def _jackknife(stream: NDArray[np.int64], level: float) -> tuple[float, float]:
    """Return half the width of the intervals of log K and β, by leaving out one block at a time."""
    from scipy.special import stdtrit

    edges = np.linspace(0, len(stream), _BLOCKS + 1).astype(int)
    pieces = [np.concatenate([stream[:a], stream[b:]]) for a, b in pairwise(edges)]
    grown = [growth(piece) for piece in pieces]
    lines = (least_squares(np.log(tokens), np.log(vocabulary)) for tokens, vocabulary in grown)
    fits = np.array([(intercept, beta) for beta, intercept, _ in lines])
    spread = np.sqrt((_BLOCKS - 1) / _BLOCKS * ((fits - fits.mean(axis=0)) ** 2).sum(axis=0))
    half = stdtrit(_BLOCKS - 1, (1 + level) / 2) * spread
    return float(half[0]), float(half[1])
