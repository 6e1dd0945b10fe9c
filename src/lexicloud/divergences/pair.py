"""The divergence of one document from another, with its interval, its p-value and the words behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.corpus import require_corpus
from lexicloud.divergences.base import Method
from lexicloud.divergences.checks import (
    check_whole,
    nothing_shared,
    require,
    require_sampled,
    runs,
    warn_about_company,
    warn_about_negative,
    warn_about_sizes,
)
from lexicloud.divergences.methods import DEFAULT, make_method
from lexicloud.divergences.uncertainty import (
    DRAWS,
    deviations,
    interval_level,
    permutation_p_value,
    quantiles,
)
from lexicloud.divergences.words import WordShare, explain, merged, word_shares
from lexicloud.errors import EstimateError
from lexicloud.result import TabularResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import WordContributions


@dataclass(frozen=True)
class Question:
    """What is asked about a pair beyond the method: see `divergence`."""

    symmetric: bool = False
    interval: bool | float = False
    permutations: int = 0
    seed: int = 0
    sample: int | None = None
    repeats: int = 1
    top: int = 20

    def __post_init__(self) -> None:
        interval_level(self.interval)
        check_whole(self.permutations, "permutations", 0)
        check_whole(self.seed, "seed", 0)
        check_whole(self.repeats, "repeats", 1)
        check_whole(self.top, "top", 0)
        if self.sample is not None:
            check_whole(self.sample, "sample", 1)


@dataclass(frozen=True)
class Divergence(TabularResult):
    """D(a‖b), how sure it is, and the words that drive it.

    `p_value` is None unless asked for, `interval` if it was left out. `words` holds the largest contributions, whatever
    their sign. `tokens` and `lost` count what the method used and ignored of each text.
    """

    _table = "words"

    a: str
    b: str
    value: float
    method: str
    options: dict[str, Any]
    words: tuple[WordShare, ...] = ()
    interval: tuple[float, float] | None = None
    level: float | None = None
    p_value: float | None = None
    permutations: int = 0
    symmetric: bool = False
    tokens: tuple[int, int] = (0, 0)
    lost: tuple[int, int] = (0, 0)
    sample: int | None = None
    repeats: int = 1
    seed: int = 0
    vectors: str = ""
    spread: float | None = field(default=None)  # standard deviation over repeated samples

    @property
    def apart(self) -> tuple[WordShare, ...]:
        """The listed words that set the texts apart."""
        return tuple(w for w in self.words if w.value > 0)

    @property
    def together(self) -> tuple[WordShare, ...]:
        """The listed words that bring the texts together."""
        return tuple(w for w in self.words if w.value < 0)

    def plot(self, ax: Axes | None = None, top: int = 30) -> Axes:
        """Draw the listed words as bars: right and orange sets apart, left and blue brings together."""
        from lexicloud.divergences.plots import shift_bars

        return shift_bars(self, ax, top)

    def __str__(self) -> str:
        sign = "+ reverse" if self.symmetric else ""
        interval = f" [{self.interval[0]:.4g}, {self.interval[1]:.4g}]" if self.interval else ""
        return f"D({self.a} ‖ {self.b}){sign} = {self.value:.4g}{interval} ({self.method})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(w.word)}</td><td>{w.value:+.4f}</td><td>{w.count_a}</td><td>{w.count_b}</td>"
            f"<td>{escape(w.neighbour or '')}</td></tr>"
            for w in self.words
        )
        titles = ("word", "adds", f"in {self.a}", f"in {self.b}", "carried by")
        head = "<tr>" + "".join(f"<th>{escape(title)}</th>" for title in titles) + "</tr>"
        return f"<p><b>{escape(str(self))}</b></p><table>{head}{rows}</table>"


def divergence(
    corpus: Corpus,
    a: str,
    b: str,
    method: str | Method = DEFAULT,
    *,
    symmetric: bool = False,
    interval: bool | float = True,
    permutations: int = 0,
    seed: int = 0,
    sample: int | None = None,
    repeats: int = 1,
    top: int = 20,
    **options: Any,
) -> Divergence:
    """Measure how far document `a` is from document `b`: D(a‖b), or with `symmetric=True` D(a‖b) + D(b‖a).

    `options` belong to the method: `k`, `alpha` and `compat` for "knn", and so on. `interval` is the level of
    the bootstrap interval (True: 95 %; False leaves it out, which is faster), `permutations=n` adds a p-value,
    `sample=n` compares samples of n tokens and averages over `repeats` of them, `top` says how many words are
    listed.

    >>> from lexicloud.corpus import Corpus
    >>> texts = {"sea": "the whale and the ship and the sea", "land": "the horse and the cart and the field"}
    >>> answer = divergence(Corpus.from_texts(texts), "sea", "land", method="categorical", mu=10)
    >>> answer.value > 0, answer.words[0].word, answer.words[0].count_b
    (True, 'sea', 0)
    """
    require_corpus(corpus)
    question = Question(symmetric, interval, permutations, seed, sample, repeats, top)
    chosen = make_method(method, **options)
    a, b = corpus.names[corpus.position(a)], corpus.names[corpus.position(b)]
    times = question.repeats if sample is not None else 1
    draws = [_measure(corpus, (a, b), chosen, question, seed + r) for r in range(times)]
    return _answer(draws, (a, b), chosen, question)


@dataclass(frozen=True)
class _Draw:
    """One measurement, on the texts or on one sample of them."""

    corpus: Corpus
    rows: tuple[int, int]
    contributions: WordContributions
    value: float
    tokens: NDArray[np.int64]
    deviated: NDArray[np.float64] | None
    p_value: float | None


def _measure(corpus: Corpus, names: tuple[str, str], method: Method, question: Question, seed: int) -> _Draw:
    fitted = method.fit(corpus)
    if question.sample is not None:
        require_sampled(corpus, names, question.sample, fitted)
        corpus = corpus.sample(question.sample, seed, running=runs(fitted, corpus))
        fitted = method.fit(corpus)
    rows = corpus.position(names[0]), corpus.position(names[1])
    require(corpus, rows, method, fitted)
    p, q = corpus.counts[[rows[0]]], corpus.counts[[rows[1]]]
    contributions = explain(fitted, p, q, symmetric=question.symmetric)
    value = contributions.value
    if not len(contributions.ids) or not np.isfinite(value):
        raise EstimateError(nothing_shared(*names))
    rng = np.random.default_rng(seed)
    deviated = p_value = None
    if question.interval:
        size = max(1, DRAWS // question.repeats)
        deviated = deviations(method, fitted, p, q, rng, symmetric=question.symmetric, draws=size)
    if question.permutations:
        p_value = permutation_p_value(fitted, p, q, question.permutations, rng, symmetric=question.symmetric)
    tokens = fitted.tokens(corpus.counts[list(rows)])
    return _Draw(corpus, rows, contributions, value, tokens, deviated, p_value)


def _answer(draws: list[_Draw], names: tuple[str, str], method: Method, question: Question) -> Divergence:
    first = draws[0]
    value = float(np.mean([d.value for d in draws]))
    contributions = (
        first.contributions if len(draws) == 1 else merged([d.contributions for d in draws], 1 / len(draws))
    )
    deviated = (
        None
        if first.deviated is None
        else np.concatenate([d.deviated for d in draws if d.deviated is not None])
    )
    level = interval_level(question.interval)
    N, M = map(int, first.tokens)
    lengths = first.corpus.lengths[list(first.rows)]
    warn_about_sizes(method, first.tokens)
    warn_about_company(method, len(first.corpus))
    warn_about_negative(method, value, N, M)
    return Divergence(
        a=names[0],
        b=names[1],
        value=value,
        method=method.name,
        options={k: v for k, v in method.to_dict().items() if k != "method"},
        words=word_shares(first.corpus, contributions, *first.rows, question.top),
        interval=None if deviated is None or level is None else quantiles(value, deviated, level),
        level=level,
        p_value=None if first.p_value is None else float(np.mean([d.p_value for d in draws])),
        permutations=question.permutations,
        symmetric=question.symmetric,
        tokens=(N, M),
        lost=(int(lengths[0]) - N, int(lengths[1]) - M),
        sample=question.sample,
        repeats=len(draws),
        seed=question.seed,
        vectors=first.corpus.lexicon.source,
        spread=float(np.std([d.value for d in draws], ddof=1)) if len(draws) > 1 else None,
    )
