"""The divergence of one document from another, with its interval, its yardstick, its p-value and its words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from lexicloud.corpus import require_corpus
from lexicloud.corpus.cut import without_kinds
from lexicloud.divergences.base import (
    COMPANY,
    Method,
    check_whole,
    nothing_shared,
    require,
    require_sampled,
    runs,
    warn_about_company,
    warn_about_lengths,
    warn_about_negative,
    warn_about_sizes,
)
from lexicloud.divergences.methods import DEFAULT, METHODS, make_method
from lexicloud.divergences.uncertainty import (
    DEALS,
    Pair,
    Spread,
    Yardstick,
    interval_level,
    jackknife,
    permutation_p_value,
    same_source,
    standing,
    widening,
)
from lexicloud.divergences.words import APART_SAID, TOGETHER_SAID, KindShare, by_kind, explain, merged
from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import TabularResult
from lexicloud.say.blocks import Block, Facts, Sentence, chance, listed, many, number, signed, table
from lexicloud.words.kinds import word_kinds
from lexicloud.words.reason import Reason, reason_bars

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import WordContributions
    from lexicloud.divergences.uncertainty import Standing

    Floats = NDArray[np.float64]

Hypothesis = Literal["same text", "same book", "same hand"]
HYPOTHESES: Final = {
    "same text": "the share of random deals of both texts' blocks that are as far apart",
    "same book": "the share of reference passages of one book that are as far apart",
    "same hand": "the share of reference pairs by one author that are as far apart",
}
PERMUTATIONS: Final = 199
# With fewer words in the shorter text a value says little: passages of one book differ as much as books do.
SHORT: Final = 500
SIDE: Final = 15  # words of each text that are shown side by side
FEWEST: Final = 20  # words that count; the one word of two texts looks farther from itself than it can be


@dataclass(frozen=True)
class PairQuestion:
    """The options of a comparison besides the method; see `divergence`."""

    symmetric: bool = False
    interval: bool | float = False
    yardstick: bool = False
    permutations: int = 0
    hypothesis: Hypothesis | None = None
    seed: int = 0
    sample: int | None = None
    repeats: int = 1
    top: int = 20
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        interval_level(self.interval)
        check_whole(self.permutations, "permutations", 0)
        check_whole(self.seed, "seed", 0)
        check_whole(self.repeats, "repeats", 1)
        check_whole(self.top, "top", 0)
        if self.sample is not None:
            check_whole(self.sample, "sample", 1)
        if self.hypothesis not in (None, *HYPOTHESES):
            raise OptionError(f"hypothesis is one of {', '.join(HYPOTHESES)}, not {self.hypothesis!r}")

    @property
    def tested(self) -> Hypothesis | None:
        """The hypothesis of the p-value that is asked for."""
        return self.hypothesis or ("same text" if self.permutations else None)

    @property
    def deals(self) -> int:
        """How often the blocks of both texts are dealt anew."""
        if self.tested == "same text":
            return self.permutations or PERMUTATIONS
        return DEALS if self.yardstick else 0


@dataclass(frozen=True)
class Divergence(TabularResult):
    """D(a‖b), how sure it is, what to read it against, and the words that drive it.

    `p_value` is None unless asked for, and `hypothesis` names its null hypothesis. `interval` and `yardstick` are
    None if they were not asked for, or if the texts are too short. `words` holds the content words with the
    largest contributions of either sign; `kinds` has a part each for content words, names, function words and
    punctuation, and the parts add up to the value. `tokens` and `lost` count what the method used and ignored of
    each text. `background` says which frequencies the method took as usual.
    """

    _table = "words"

    a: str
    b: str
    value: float
    method: str
    options: dict[str, Any]
    words: tuple[Reason, ...] = ()
    kinds: tuple[KindShare, ...] = ()
    interval: tuple[float, float] | None = None
    level: float | None = None
    yardstick: Yardstick | None = None
    p_value: float | None = None
    hypothesis: str | None = None
    permutations: int = 0
    symmetric: bool = False
    tokens: tuple[int, int] = (0, 0)
    lost: tuple[int, int] = (0, 0)
    without: tuple[str, ...] = ()
    background: str = ""
    sample: int | None = None
    repeats: int = 1
    seed: int = 0
    vectors: str = ""
    spread: float | None = field(default=None)  # standard deviation over repeated samples

    @property
    def claim(self) -> str | None:
        """What the p-value is the share of."""
        return HYPOTHESES[self.hypothesis] if self.hypothesis else None

    @property
    def apart(self) -> tuple[Reason, ...]:
        """The listed words that set the texts apart."""
        return tuple(w for w in self.words if w.adds > 0)

    @property
    def together(self) -> tuple[Reason, ...]:
        """The listed words that bring the texts together."""
        return tuple(w for w in self.words if w.adds < 0)

    def plot(self, ax: Axes | None = None, top: int = 30) -> Axes:
        """Draw the listed words as bars: orange ones to the right set apart, blue ones to the left bring together."""
        from lexicloud.divergences.divergence_plots import shift_bars

        return shift_bars(self, ax, top)

    def __str__(self) -> str:
        sign = "+ reverse" if self.symmetric else ""
        interval = f" [{self.interval[0]:.4g}, {self.interval[1]:.4g}]" if self.interval else ""
        usual = f", one source {self.yardstick.same_source:.4g}" if self.yardstick else ""
        return f"D({self.a} ‖ {self.b}){sign} = {self.value:.4g}{interval}{usual} ({self.method})"

    def blocks(self) -> list[Block]:
        """Return whether the texts are far apart, how sure that is, the words behind it, and the numbers."""
        sides = (f"in {self.a}", f"in {self.b}")
        found: list[Block] = [Sentence(self.conclusion, "answer")]
        found += [Sentence(text, "sure") for text in self._doubts()]
        if self.words:
            found += self._of_both(sides) if self._mutual else [self._of_one(sides)]
            found.append(table(["kind of words", "adds", "strongest"], [self._part(p) for p in self.kinds]))
        return [*found, Facts(tuple(self._facts()))]

    def _of_one(self, sides: tuple[str, str]) -> Block:
        """Return the words of `a`: those that set the texts apart, and those that bring them together."""
        return reason_bars(self.words, sides=sides, right=APART_SAID, left=TOGETHER_SAID, top=len(self.words))

    @property
    def _mutual(self) -> bool:
        """Whether both texts count alike: then a word of either sets them apart."""
        return self.symmetric or METHODS[self.method].is_symmetric

    def _of_both(self, sides: tuple[str, str]) -> Iterator[Block]:
        """Yield the words that set the texts apart, each on the side of the text that has more of it in as many
        words, and those that bring them together.
        """
        a, b = (max(n, 1) for n in self.tokens)
        apart = [w for w in self.words if w.adds > 0]
        turned = [w if w.counts[0] / a >= w.counts[1] / b else replace(w, adds=-w.adds) for w in apart]
        turned = [w for side in (1, -1) for w in [w for w in turned if w.adds * side > 0][:SIDE]]
        right, left = (f"more in {name}" for name in (self.a, self.b))
        yield reason_bars(turned, sides=sides, right=right, left=left, top=len(turned), plus=False)
        together = [w.word for w in self.words if w.adds < 0]
        if together:
            yield Sentence(f"What {TOGETHER_SAID}: {listed(together[:12])}.", "why")

    @property
    def conclusion(self) -> str:
        """What the value says, in words that need no formula; without a yardstick there is only the number."""
        usual, names = self.yardstick, f"{self.a} and {self.b}"
        if usual is None:
            return f"{names} are {number(self.value)} apart ({self.method})."
        if min(self.tokens) < FEWEST:
            return f"{names} are too short to say how far apart they are."
        if usual.excess <= 0:
            return f"{names} are no farther apart than two parts of one text."
        if self.interval and self.interval[0] <= usual.same_source:
            said = f"{names} may be farther apart than two parts of one text, which is not sure"
        else:
            said = f"{names} are farther apart than two parts of one text"
        return f"{said}; {usual.standing}." if usual.standing else f"{said}."

    def _doubts(self) -> Iterator[str]:
        if min(self.tokens) < SHORT:
            counted = (
                f"{many(min(self.tokens), 'word')} that {'counts' if min(self.tokens) == 1 else 'count'}"
            )
            yield f"That means little: the shorter text has {counted}, below {SHORT}."
        if self.yardstick is not None and self.yardstick.no_standing:
            yield f"How near other pairs of texts are cannot be said: {self.yardstick.no_standing}."
        if self.p_value is not None:
            yield f"{chance(self.p_value)} under “{self.hypothesis}”: {self.claim}."

    def _part(self, part: KindShare) -> tuple[str, str, str]:
        left = part.kind in self.without
        return part.plural, "left out" if left else signed(part.value, 4, plus=True), part.strongest

    def _facts(self) -> Iterator[tuple[str, str]]:
        """Yield the value, its interval, what to compare it with, and what it was measured on."""
        both = f" + D({self.b} ‖ {self.a})" if self.symmetric else ""
        yield f"D({self.a} ‖ {self.b}){both}", signed(self.value, 4)
        if self.interval:
            yield (
                f"{self.level:.0%} interval",
                f"{signed(self.interval[0], 4)} to {signed(self.interval[1], 4)}",
            )
        usual = self.yardstick
        if usual is not None:
            more = "more" if usual.excess >= 0 else "less"
            one = signed(usual.same_source, 4)
            yield (
                "one source",
                f"{one} for two texts of these lengths; this is {abs(usual.excess):.4f} {more}",
            )
            if usual.standing is not None:
                yield "other pairs", f"at {usual.standing.tokens:,} tokens each, {usual.standing}"
        yield "background", self.background
        k = f", k = {self.options['k']}" if "k" in self.options else ""
        sampled = f", sample of {self.sample:,} tokens" if self.sample else ""
        left = f", without {', '.join(self.without)}" if self.without else ""
        yield "method", f"{self.method}{k}{sampled}{left}, vectors {self.vectors}"
        lost = f" ({self.lost[0]:,} and {self.lost[1]:,} ignored)" if any(self.lost) else ""
        yield "tokens", f"{self.tokens[0]:,} and {self.tokens[1]:,}{lost}"


def divergence(
    corpus: Corpus,
    a: str,
    b: str,
    method: str | Method = DEFAULT,
    *,
    symmetric: bool = False,
    interval: bool | float = True,
    yardstick: bool = True,
    permutations: int = 0,
    hypothesis: Hypothesis | None = None,
    without: Sequence[str] = (),
    seed: int = 0,
    sample: int | None = None,
    repeats: int = 1,
    top: int = 20,
    **options: Any,
) -> Divergence:
    """Measure how far document `a` is from document `b`: D(a‖b), or with `symmetric=True` D(a‖b) + D(b‖a).

    Other documents of the corpus do not change the result.
    (A distance, "delta" or "jensen-shannon", is the same in both directions and is not doubled.)

    `options` belong to the method: `k`, `alpha` and `compat` for "knn", and so on; `preset="paper"` sets them as
    published. `interval` is the level of
    the interval (True: 95 %), from leaving out blocks of running text. `yardstick` adds what texts of one
    source give and where the value stands among reference pairs. `hypothesis="same text"` adds the p-value of
    dealing the blocks of both anew (`permutations` times), `"same book"` and `"same hand"` that among reference
    passages of one book, or pairs by one author. `without` leaves kinds of words out of the measure: any of
    "content", "name", "function", "punctuation". `sample=n` compares samples of n tokens and averages over `repeats` of
    them, `top` says how many words are listed.

    >>> from lexicloud.corpus import Corpus
    >>> texts = {"sea": "the whale and the ship and the sea", "land": "the horse and the cart and the field"}
    >>> answer = divergence(Corpus.from_texts(texts), "sea", "land", method="categorical", mu=10)
    >>> answer.value > 0, answer.words[0].word, answer.words[0].counts
    (True, 'sea', (1, 0))
    """
    require_corpus(corpus)
    chosen = make_method(method, **options)
    both = symmetric and not chosen.is_symmetric
    question = PairQuestion(
        both, interval, yardstick, permutations, hypothesis, seed, sample, repeats, top, tuple(without)
    )
    rows = corpus.position(a), corpus.position(b)
    kinds = word_kinds(corpus, rows)
    corpus = without_kinds(corpus, without, rows) if without else corpus
    times = question.repeats if sample is not None else 1
    names = corpus.names[rows[0]], corpus.names[rows[1]]
    draws = [_measure(corpus, names, chosen, question, seed + r) for r in range(times)]
    return _answer(draws, names, chosen, question, kinds)


@dataclass(frozen=True)
class _Draw:
    """One measurement, on the texts or on one sample of them."""

    corpus: Corpus
    rows: tuple[int, int]
    contributions: WordContributions
    value: float
    tokens: NDArray[np.int64]
    spread: Spread | None
    dealt: Floats
    standing: Standing | str | None  # a str says why there is none; None: not asked for


def _measure(
    corpus: Corpus, names: tuple[str, str], method: Method, question: PairQuestion, seed: int
) -> _Draw:
    rows = corpus.position(names[0]), corpus.position(names[1])
    fitted = method.fit_pair(corpus, rows)
    if question.sample is not None:
        require_sampled(corpus, names, question.sample, fitted)
        corpus = corpus.subset(list(dict.fromkeys(names))).sample(
            question.sample, seed, running=runs(fitted, corpus)
        )
        rows = corpus.position(names[0]), corpus.position(names[1])
        fitted = method.fit_pair(corpus, rows)
    require(corpus, rows, method, fitted)
    pair = Pair.of(corpus, rows, fitted, symmetric=question.symmetric)
    value = float(pair.values([pair.a], [pair.b])[0])
    if not np.isfinite(value):
        raise EstimateError(nothing_shared(*names))
    return _Draw(
        corpus,
        rows,
        explain(fitted, corpus.counts[[rows[0]]], corpus.counts[[rows[1]]], symmetric=question.symmetric),
        value,
        fitted.tokens(corpus.counts[list(rows)]),
        jackknife(pair, _wider(method, corpus, rows)) if question.interval else None,
        same_source(pair, question.deals, question.seed) if question.deals else np.zeros(0),
        _placed(corpus, method, pair, question),
    )


def _placed(corpus: Corpus, method: Method, pair: Pair, question: PairQuestion) -> Standing | str | None:
    """Return where the pair stands among reference pairs, if asked for, or why that cannot be said."""
    if not (question.yardstick or question.tested in ("same hand", "same book")):
        return None
    if question.without:
        return "reference pairs were measured by all words"
    return standing(corpus, method, pair)


def _wider(method: Method, corpus: Corpus, rows: tuple[int, int]) -> tuple[float, float]:
    return widening(method, corpus, rows[0]), widening(method, corpus, rows[1])


def _answer(
    draws: list[_Draw],
    names: tuple[str, str],
    method: Method,
    question: PairQuestion,
    kinds: NDArray[np.int8],
) -> Divergence:
    first = draws[0]
    value = float(np.mean([d.value for d in draws]))
    contributions = (
        merged([d.contributions for d in draws], 1 / len(draws)) if draws[1:] else first.contributions
    )
    level = interval_level(question.interval)
    N, M = map(int, first.tokens)
    lengths = first.corpus.lengths[list(first.rows)]
    _warn(method, first, value)
    parts = by_kind(first.corpus, contributions, first.rows, kinds, question.top)
    return Divergence(
        a=names[0],
        b=names[1],
        value=value,
        method=method.name,
        options={k: v for k, v in method.to_dict().items() if k != "method"},
        words=parts[0].words,
        kinds=parts,
        interval=_interval(draws, method, value, level),
        level=level,
        yardstick=_yardstick(draws, value) if question.yardstick else None,
        p_value=_p_value(draws, value, question),
        hypothesis=question.tested,
        permutations=question.deals if question.tested == "same text" else 0,
        symmetric=question.symmetric,
        tokens=(N, M),
        lost=(int(lengths[0]) - N, int(lengths[1]) - M),
        without=question.without,
        background=method.pair_background(first.corpus),
        sample=question.sample,
        repeats=len(draws),
        seed=question.seed,
        vectors=first.corpus.lexicon.source,
        spread=float(np.std([d.value for d in draws], ddof=1)) if draws[1:] else None,
    )


def _interval(
    draws: list[_Draw], method: Method, value: float, level: float | None
) -> tuple[float, float] | None:
    """Return the interval around the mean of the draws, with the mean of their spreads.

    Samples of one text share its blocks, so that more draws do not make the spread smaller.
    """
    spreads = [d.spread for d in draws if d.spread is not None]
    if level is None or not spreads:
        return None
    a, b = (float(np.mean([getattr(s, of) for s in spreads])) for of in ("of_a", "of_b"))
    low, high = Spread(a, b).interval(value, level)
    return max(method.bounds[0], low), min(method.bounds[1], high)


def _yardstick(draws: list[_Draw], value: float) -> Yardstick | None:
    dealt = np.concatenate([d.dealt for d in draws])
    if not np.isfinite(dealt).all():  # the texts are too short to measure parts of both
        return None
    mean, found = float(dealt.mean()), draws[0].standing
    known, why = (None, found) if isinstance(found, str) else (found, None)
    return Yardstick(mean, value - mean, len(draws[0].dealt), known, why)


def _p_value(draws: list[_Draw], value: float, question: PairQuestion) -> float | None:
    """Return the p-value of the mean over the draws; the dealt values are averaged over the draws, not the p-values."""
    if question.tested in ("same hand", "same book"):
        standing = draws[0].standing
        if standing is None or isinstance(standing, str):
            raise EstimateError(f"{standing}: test the hypothesis 'same text'")
        return standing.one_hand if question.tested == "same hand" else standing.one_text
    return permutation_p_value(value, np.mean([d.dealt for d in draws], axis=0)) if question.tested else None


def _warn(method: Method, draw: _Draw, value: float) -> None:
    N, M = map(int, draw.tokens)
    warn_about_sizes(method, draw.tokens)
    warn_about_lengths(method, N, M)
    if method.pair_background(draw.corpus) == COMPANY:
        warn_about_company(method, len(draw.corpus))
    warn_about_negative(method, value, N, M)
