"""Words by rank with their counts, and the straight line through log count against log rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np
from scipy import sparse

from lexicloud.corpus import Corpus
from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import TabularResult
from lexicloud.say.blocks import Block, Figure, Sentence, percent, table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.zipf.fit import ZipfFit

    Source = Corpus | Mapping[str, int] | Iterable[int]
    Mask = NDArray[np.bool_]


def descending_counts(
    source: Corpus | RankFrequency | Mapping[str, int] | Iterable[int],
) -> NDArray[np.int64]:
    """Return the counts above zero, largest first; those of a sparse table are added up over its rows.

    >>> descending_counts({"the": 7, "whale": 2, "ship": 3}).tolist()
    [7, 3, 2]
    """
    if isinstance(source, Corpus):
        source = rank_frequency(source)
    if isinstance(source, RankFrequency):
        return source.counts
    values: Any = source.values() if isinstance(source, Mapping) else source
    # A sparse table is documents × vocabulary, as `corpus.counts` is.
    counts = checked_counts(np.asarray(values.sum(axis=0)).ravel() if _is_sparse(values) else values)
    return np.sort(counts[counts > 0])[::-1]


def _is_sparse(values: object) -> bool:
    return bool(sparse.issparse(values))


def checked_counts(values: Any) -> NDArray[np.int64]:
    """Return counts as whole numbers; refuse one that is negative or not whole."""
    if isinstance(values, str):
        raise OptionError(
            "counts are numbers, not a text: count its words first, with rank_frequency(corpus)"
        )
    array = np.asarray(values if isinstance(values, np.ndarray) else list(values))
    if array.ndim != 1:
        raise OptionError(f"counts have one dimension, not {array.ndim}: give one number per word")
    if not array.size:
        raise EstimateError("there are no counts: 0 words")
    if array.dtype.kind not in "iufb":
        raise OptionError(f"counts are whole numbers, not {array.dtype}")
    return _whole(array)


def _whole(array: NDArray[Any]) -> NDArray[np.int64]:
    if array.dtype.kind == "f":
        wrong = ~np.isfinite(array) | (array != np.floor(array))
        if wrong.any():
            place = int(np.argmax(wrong))
            raise OptionError(f"counts are whole numbers, but number {place} is {array[place]}")
    if (array < 0).any():
        place = int(np.argmax(array < 0))
        raise OptionError(f"counts cannot be negative, but number {place} is {array[place]}")
    whole: NDArray[np.int64] = array.astype(np.int64)
    return whole


def require_spread(counts: NDArray[np.int64], least: int, what: str) -> None:
    """Refuse counts from which no slope follows: too few words, or all counts equal."""
    if len(counts) < least:
        raise EstimateError(f"{what} needs at least {least} words, and there are {len(counts)}")
    if counts[0] == counts[-1]:
        raise EstimateError(f"{what} has no answer: all {len(counts)} counts are equal to {counts[0]}")


@dataclass(frozen=True, eq=False)
class RankFrequency(TabularResult):
    """Words and counts, most frequent first; equal counts keep the order they came in.

    `left_out` is the number of tokens that were not counted (punctuation, or words outside a mask).
    """

    _derived = ("tokens",)
    HEAD: ClassVar = 100
    LISTED: ClassVar = 10

    counts: NDArray[np.int64]
    words: tuple[str, ...] | None
    name: str
    which: str
    left_out: int = 0

    @property
    def ranks(self) -> NDArray[np.int64]:
        """The ranks 1, 2, 3 … of the words."""
        return np.arange(1, len(self.counts) + 1)

    @property
    def tokens(self) -> int:
        """The number of tokens counted."""
        return int(self.counts.sum())

    def __len__(self) -> int:
        return len(self.counts)

    def fit(self, **options: Any) -> ZipfFit:
        """Fit Zipf's law; see `fit_zipf`."""
        from lexicloud.zipf.fit import fit_zipf

        return fit_zipf(self, **options)

    def plot(self, ax: Axes | None = None, *, fit: ZipfFit | None = None) -> Axes:
        """Draw count against rank, both on logarithmic scales, with the lines of a fit if there is one."""
        from lexicloud.zipf.zipf_plots import plot_ranks

        return plot_ranks(self, ax, fit=fit)

    def to_columns(self) -> dict[str, Any]:
        """Return rank, word (if known) and count."""
        words = {} if self.words is None else {"word": list(self.words)}
        return {"rank": self.ranks, **words, "count": self.counts}

    def blocks(self) -> list[Block]:
        """Return how many words there are, count against rank, and the most frequent words."""
        share = self.counts[: self.HEAD].sum() / self.tokens
        head = min(self.HEAD, len(self))
        said = f"{self.name}: {len(self):,} words, {self.tokens:,} tokens ({self.which})."
        why = f"The {head} most frequent words make {percent(float(share))} of the tokens."
        words = self.words or tuple("" for _ in self.counts)
        rows = [(i + 1, w, int(n)) for i, (w, n) in enumerate(zip(words, self.counts, strict=True))]
        alt = f"Count against rank of {len(self):,} words on logarithmic scales, falling from left to right."
        return [
            Sentence(said, "answer"),
            Sentence(why),
            Figure("ranks", alt, self.plot, "Count against rank"),
            table(["rank", "word", "count"], rows, top=self.LISTED),
        ]

    def __repr__(self) -> str:
        return f"<RankFrequency of {self.name}: {len(self):,} words, {self.tokens:,} tokens, {self.which}>"


@overload
def rank_frequency(
    source: Source,
    document: str | None = None,
    *,
    by_document: Literal[False] = False,
    punctuation: bool = False,
    mask: Mask | None = None,
) -> RankFrequency: ...
@overload
def rank_frequency(
    source: Source,
    document: str | None = None,
    *,
    by_document: Literal[True],
    punctuation: bool = False,
    mask: Mask | None = None,
) -> dict[str, RankFrequency]: ...
def rank_frequency(
    source: Source,
    document: str | None = None,
    *,
    by_document: bool = False,
    punctuation: bool = False,
    mask: Mask | None = None,
) -> RankFrequency | dict[str, RankFrequency]:
    """Rank the words of a corpus, of one of its documents, or of each (`by_document=True`: name → ranks).

    All words count, also stop words and words without a vector; punctuation counts only with `punctuation=True`. A
    `mask` over the vocabulary (such as `corpus.content`) limits them. Counts can be given directly, as a mapping or as
    plain numbers.

    >>> import lexicloud as lc
    >>> corpus = lc.Corpus.from_texts({"a": "the sea, the ship, the whale", "b": "a ship"})
    >>> ranks = lc.rank_frequency(corpus)
    >>> ranks.words[:2], ranks.counts.tolist(), ranks.left_out
    (('the', 'ship'), [3, 2, 1, 1, 1], 2)
    >>> lc.rank_frequency(corpus, "b").words   # equal counts in the order of the vocabulary
    ('ship', 'a')
    """
    if not isinstance(source, Corpus):
        if document is not None or by_document or mask is not None:
            raise OptionError("document, by_document and mask choose within a corpus; these are plain counts")
        return _of_counts(source)
    if by_document:
        if document is not None:
            raise OptionError(f"by_document=True ranks every document: leave out document={document!r}")
        return {name: _of_corpus(source, name, punctuation, mask) for name in source.names}
    return _of_corpus(source, document, punctuation, mask)


def _of_corpus(corpus: Corpus, document: str | None, punctuation: bool, mask: Mask | None) -> RankFrequency:
    allowed, which = _allowed(corpus, punctuation, mask)
    tokens = corpus.stream if document is None else corpus.tokens(corpus.position(document))
    totals = np.bincount(tokens, minlength=len(corpus.vocabulary))
    kept = np.flatnonzero(allowed & (totals > 0))
    name = document if document is not None else _corpus_name(corpus)
    if not len(kept):
        raise EstimateError(
            f"{name}: none of the {len(tokens)} tokens counts ({which}), so there is nothing to rank"
        )
    order = kept[np.argsort(-totals[kept], kind="stable")]
    words = tuple(corpus.vocabulary[i] for i in order)
    counts = totals[order].astype(np.int64)
    return RankFrequency(counts, words, name, which, int(len(tokens) - counts.sum()))


def _allowed(corpus: Corpus, punctuation: bool, mask: Mask | None) -> tuple[Mask, str]:
    allowed = np.ones(len(corpus.vocabulary), dtype=bool) if punctuation else ~corpus.punctuation
    which = "all tokens" if punctuation else "words without punctuation"
    if mask is None:
        return allowed, which
    mask = np.asarray(mask)
    if mask.dtype != bool or mask.shape != allowed.shape:
        raise OptionError(
            f"a mask has one boolean per word of the vocabulary ({len(allowed):,}), not {mask.shape} {mask.dtype}"
        )
    return allowed & mask, f"{which}, within a mask of {int(mask.sum()):,}"


def _corpus_name(corpus: Corpus) -> str:
    return corpus.names[0] if len(corpus) == 1 else f"{len(corpus):,} documents"


def _of_counts(source: Mapping[str, int] | Iterable[int]) -> RankFrequency:

    words = tuple(map(str, source)) if isinstance(source, Mapping) else None
    counts = checked_counts(source.values() if isinstance(source, Mapping) else source)
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    if not len(order):
        raise EstimateError(f"all {len(counts)} counts are zero, so there is nothing to rank")
    chosen = None if words is None else tuple(words[i] for i in order)
    return RankFrequency(counts[order], chosen, "counts", "as given")


@dataclass(frozen=True)
class Line:
    """The line log₁₀ count = intercept + slope · log₁₀ rank; its interval assumes independent points."""

    slope: float
    intercept: float
    interval: tuple[float, float]
    r_squared: float


def least_squares(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return slope, intercept and R² of the line through some points; R² is 0 if all y are equal.

    >>> least_squares(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]))
    (2.0, 1.0, 1.0)
    """
    (xx, xy), (_, yy) = np.cov(x, y, bias=True)
    slope = float(xy / xx)
    return slope, float(y.mean() - slope * x.mean()), float(xy**2 / (xx * yy)) if yy else 0.0


def log_log_line(counts: NDArray[np.int64], level: float = 0.95) -> Line:
    """Fit the line of log count against log rank by least squares, every rank with the same weight.

    The slope is biased as an estimate of −α (Clauset, Shalizi and Newman 2009, appendix A): the long flat steps of
    words that occur once or twice tilt it. Sorted counts are not independent, so the interval is far too narrow.

    >>> import numpy as np
    >>> line = log_log_line(np.array([1200, 600, 400, 300]))
    >>> round(line.slope, 2)
    -1.0
    """
    from scipy.special import stdtrit

    x, y = np.log10(np.arange(1, len(counts) + 1)), np.log10(counts)
    slope, intercept, explained = least_squares(x, y)
    free = len(counts) - 2
    error = np.sqrt(max(0.0, 1 - explained) * y.var() / x.var() / free) if free else float("nan")
    half = float(stdtrit(free, (1 + level) / 2) * error)
    return Line(slope, intercept, (slope - half, slope + half), explained)


@dataclass(frozen=True)
class SizeLine:
    """The line log₁₀ size = intercept + slope · log₁₀ rank, by least squares.

    `exponential` is the R² of a line through log size against the rank itself. If it is larger than `r_squared`, sizes
    fall exponentially with rank rather than by a power law.
    """

    slope: float
    intercept: float
    r_squared: float
    exponential: float = float("nan")

    def at(self, ranks: Any) -> NDArray[np.float64]:
        """Return the line's sizes at some ranks."""
        return np.asarray(10 ** (self.intercept + self.slope * np.log10(np.asarray(ranks))))


def size_line(sizes: NDArray[np.int64]) -> SizeLine:
    """Fit the paper's line to cluster sizes in any order, without empty clusters.

    >>> round(size_line(np.array([1200, 600, 400, 300])).slope, 6)
    -1.0
    """
    ordered = np.sort(sizes[sizes > 0])[::-1]
    if len(ordered) < 2:
        raise EstimateError("all sentences fell into one cluster: one size has no slope")
    if ordered[0] == ordered[-1]:
        return SizeLine(0.0, float(np.log10(ordered[0])), 1.0, 1.0)
    # The line's own interval assumes independent points, which sorted sizes are not; a bootstrap replaces it.
    line = log_log_line(ordered)
    with_rank = np.corrcoef(np.arange(len(ordered)), np.log10(ordered))[0, 1]
    return SizeLine(line.slope, line.intercept, line.r_squared, float(with_rank**2))
