"""The results of the labeller: labels, reasons, texts to label next, doubtful labels, and labels over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from lexicloud.result import Result, TabularResult
from lexicloud.say.blocks import Block, Sentence, cut, listed, many, percent, signed, table
from lexicloud.text import is_punctuation
from lexicloud.words.reason import Reason, reason_bars

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lexicloud.text import TokenRules

_TOLD: Final = 3  # words in a sentence of reasons
_SHORT: Final = 60  # characters of a text in a line
NONE: Final = "none of these"
PAIR: Final = "pair"
"""The kind of a reason that is two words in a row."""
FEW_TEXTS: Final = 30
"""With fewer examples, the share of right answers cannot be estimated."""


@dataclass(frozen=True)
class TextLabel(Result):
    """A text's label, or None if it is unlike all examples.

    `guess` is the likeliest label in any case. `probabilities` add up to one, unless texts have several labels: then
    each is that of its label alone, and `labels` are all labels of the text. `fit` is the share of held-out examples
    that fitted their best label no better than this text. If it is at most the labeller's `refuse`, there is no label.
    """

    text: str
    label: str | None
    guess: str
    probability: float
    probabilities: dict[str, float]
    fit: float
    labels: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The label or labels in words."""
        return ", ".join(self.labels) or NONE

    def blocks(self) -> list[Block]:
        """Return the label, how sure it is, and the likeliest labels."""
        likeliest = sorted(self.probabilities.items(), key=lambda pair: -pair[1])[:5]
        rows = [[name, percent(p)] for name, p in likeliest]
        return [
            Sentence(f"{self.said}: {_line(self.text)}", "answer"),
            Sentence(
                f"{self.guess} is right with a probability of {percent(self.probability)}; "
                f"{percent(self.fit)} of the examples fitted their label no better.",
                "sure",
            ),
            table(["label", "probability"], rows),
        ]

    def __str__(self) -> str:
        return f"{self.said} {self.probability:.2f}, {_line(self.text)}"


@dataclass(frozen=True)
class LabelReasons(TabularResult):
    """Why a text has a label: `start` and what the words add make up `score`.

    A score is the logarithm of the label's probability, less the mean of these logarithms over all labels; the
    probability is the softmax of the scores. `start` is the score of a text without words. If texts have several
    labels, a score is the log odds of its label. The counts of a word are those in the text and in the label's
    examples.
    """

    _derived: ClassVar[tuple[str, ...]] = ("sentence",)
    _table: ClassVar[str] = "words"

    text: str
    label: str
    probability: float
    score: float
    start: float
    words: tuple[Reason, ...]  # words and pairs of words, those that add most first
    kinds: dict[str, float]  # what each kind of evidence adds

    @property
    def sentence(self) -> str:
        """The strongest reasons in one line."""
        told = list(self._told())[:_TOLD]
        return f"{self.label} because {'; '.join(told)}" if told else self.label

    def _told(self) -> Iterator[str]:
        for reason in self.words:
            if reason.adds <= 0 or reason.kind not in {"content", PAIR}:
                continue
            if reason.kind == PAIR and any(map(is_punctuation, reason.word.split())):
                continue  # counts, but tells a reader nothing
            if reason.counts[1]:
                yield f"{reason.word} is in its examples"
            elif reason.near:
                yield f"{reason.word} stands near {reason.near}"

    def blocks(self) -> list[Block]:
        """Return the label with its strongest reasons, how sure it is, and what each word adds."""
        kinds = sorted(self.kinds.items(), key=lambda pair: -pair[1])
        return [
            Sentence(f"{self.sentence}.", "answer"),
            Sentence(f"It is right with a probability of {percent(self.probability)}.", "sure"),
            reason_bars(
                self.words,
                sides=("in the text", "in its examples"),
                right=f"speaks for {self.label}",
                left="speaks against it",
            ),
            table(["kind of evidence", "adds"], [[name, round(adds, 2)] for name, adds in kinds]),
        ]

    def __str__(self) -> str:
        return f"{signed(self.score, plus=True)}, {self.sentence}"


@dataclass(frozen=True)
class LabelledTexts(TabularResult):
    """Texts with their labels and reasons, by name, and how far the labels can be trusted."""

    _table: ClassVar[str] = "rows"
    _left_out: ClassVar[tuple[str, ...]] = ("names",)

    names: tuple[str, ...]
    rows: tuple[TextLabel, ...]
    reasons: tuple[str, ...]
    trust: str

    def blocks(self) -> list[Block]:
        """Return the labels in a table, and how far they can be trusted."""
        none = sum(not row.labels for row in self.rows)
        said = f"{many(len(self.rows), 'text')} labelled" + (f", {none:,} like no label" if none else "")
        rows = [
            [name, row.said, percent(row.probability), _line(row.text), reason.partition(" because ")[2]]
            for name, row, reason in zip(self.names, self.rows, self.reasons, strict=True)
        ]
        shown: list[Block] = [
            Sentence(f"{said}.", "answer"),
            table(["row", "label", "sure", "text", "reasons"], rows),
        ]
        return [*(shown if rows else []), Sentence(self.trust, "sure")]


@dataclass(frozen=True)
class ToLabel(Result):
    """A text that a person should label next: its place among the texts given, and the best guess so far.

    `covers` is the expected number of wrong answers that it represents and that no example or earlier text does: its
    own chance of being wrong, and that of similar texts. `gain` is the expected number of wrong answers that it
    corrects by itself: the chance that its guess is wrong. What other texts gain from it differs too much between tasks
    to be predicted.
    """

    index: int
    text: str
    guess: str
    probability: float
    covers: float
    gain: float

    def __str__(self) -> str:
        return f"text {self.index}, perhaps {self.guess} {self.probability:.2f}, {_line(self.text)}"


@dataclass(frozen=True)
class TextsToLabel(TabularResult):
    """The texts that a person should label next, by name, most informative first."""

    _table: ClassVar[str] = "rows"

    names: tuple[str, ...]
    rows: tuple[ToLabel, ...]
    texts: int  # how many there were to choose from
    trust: str

    def blocks(self) -> list[Block]:
        """Return what labelling these texts would gain, and the texts in a table."""
        gain = sum(row.gain for row in self.rows)
        rows = [
            [name, row.guess, percent(row.probability), signed(row.gain, 1, plus=True), _line(row.text)]
            for name, row in zip(self.names, self.rows, strict=True)
        ]
        return [
            Sentence(
                f"Labelling these {len(rows)} of {self.texts:,} rows corrects about {gain:.1f} wrong guesses, "
                "and may help with the other rows.",
                "answer",
            ),
            table(["row", "perhaps", "sure", "gain", "text"], rows),
            Sentence(self.trust, "sure"),
        ]


@dataclass(frozen=True)
class Suspect(Result):
    """An example whose label may be wrong: its place, its label, the label that fits better, and the reason.

    `probability` is the chance that its own label is wrong, judged by the other examples.
    """

    index: int
    text: str
    label: str
    better: str
    probability: float
    reason: str

    def __str__(self) -> str:
        return f"text {self.index}, {self.label} or rather {self.better} {self.probability:.2f}, {_line(self.text)}"


@dataclass(frozen=True)
class SuspectedLabels(TabularResult):
    """Examples whose labels may be wrong, most certain first."""

    _table: ClassVar[str] = "rows"

    rows: tuple[Suspect, ...]
    texts: int
    names: tuple[str, ...] = ()

    def blocks(self) -> list[Block]:
        """Return how many labels are in doubt, and which."""
        if not self.rows:
            return [Sentence(f"No label of the {self.texts:,} examples looks wrong.", "answer")]
        names = self.names or tuple(str(row.index) for row in self.rows)
        rows = [
            [
                name,
                row.label,
                row.better,
                percent(row.probability),
                _line(row.text),
                row.reason.partition(" because ")[2],
            ]
            for name, row in zip(names, self.rows, strict=True)
        ]
        return [
            Sentence(
                f"{len(self.rows):,} of {self.texts:,} labels look wrong, most certain first.", "answer"
            ),
            Sentence(
                "Each was judged by the other examples alone. Look at each before you change it.",
                "sure",
            ),
            table(["row", "label", "rather", "wrong", "text", "reasons"], rows),
        ]


def _line(text: str) -> str:
    return cut(" ".join(text.split()), _SHORT)


# How the mix of labels moved between the texts that a labeller learnt from and later texts.

_ERRORS: Final = 0.05  # the chance that some label is reported as moved although none is
_NEW_WORDS: Final = 8
_LEAST_STRANGE: Final = 5  # texts without a label that are needed to name words


@dataclass(frozen=True)
class LabelShare(Result):
    """The share of texts with a label, before and now, and the difference with its interval.

    With 95 %, all intervals hold at once; each is wider the more labels there are.
    """

    label: str
    before: float
    now: float
    difference: float
    interval: tuple[float, float]

    @property
    def moved(self) -> bool:
        """Whether the interval excludes zero."""
        return self.interval[0] > 0 or self.interval[1] < 0


@dataclass(frozen=True)
class LabelChange(TabularResult):
    """How often each label was given before and now; "none of these" is the last of the shares.

    `new_words` are typical of the texts without a label, if their share has grown.
    """

    _table: ClassVar[str] = "shares"

    shares: tuple[LabelShare, ...]
    texts_before: int
    texts_now: int
    new_words: tuple[Reason, ...]

    def blocks(self) -> list[Block]:
        """Return what moved, whether there is a new kind of text, and the shares."""
        moved = [s for s in self.shares if s.moved]
        said = [f"{s.label} {percent(s.before)} → {percent(s.now)}" for s in moved]
        answer = (
            f"The mix has moved: {listed(said)}." if said else "The mix of labels has not moved measurably."
        )
        found: list[Block] = [Sentence(answer, "answer")]
        if self.new_words:
            words = ", ".join(word.word for word in self.new_words)
            found.append(Sentence(f"There may be a new kind of text; its words: {words}.", "answer"))
        texts = f"{many(self.texts_before, 'text')} before, {self.texts_now:,} now"
        sure = f"{texts}; with 95 %, all intervals hold at once."
        rows = [
            [
                s.label,
                percent(s.before),
                percent(s.now),
                f"{signed(100 * s.interval[0], 0, plus=True)} … {signed(100 * s.interval[1], 0, plus=True)}",
            ]
            for s in sorted(self.shares, key=lambda s: -abs(s.difference))
        ]
        return [*found, Sentence(sure, "sure"), table(["label", "before", "now", "points"], rows, top=20)]


def compare_mixes(names: Sequence[str], before: Sequence[int], now: Sequence[int]) -> tuple[LabelShare, ...]:
    """Compare two mixes: the number of texts with each label, then without any, and last of all texts."""
    from scipy.special import ndtri

    z = float(ndtri(1 - _ERRORS / 2 / (len(names) + 1)))
    n, m = before[-1], now[-1]
    rows = zip((*names, NONE), before[:-1], now[:-1], strict=True)
    return tuple(
        LabelShare(name, a / n, b / m, b / m - a / n, _newcombe(a, n, b, m, z)) for name, a, b in rows
    )


def wilson(right: int, texts: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's interval of a share.

    >>> low, high = wilson(8, 10)
    >>> round(low, 2), round(high, 2)
    (0.49, 0.94)
    """
    share, more = right / texts, z**2 / texts
    middle, half = share + more / 2, z * (share * (1 - share) / texts + more / (4 * texts)) ** 0.5
    # The interval must include the share itself, despite rounding.
    return (
        min(share, max(0.0, (middle - half) / (1 + more))),
        max(share, min(1.0, (middle + half) / (1 + more))),
    )


def _newcombe(a: int, n: int, b: int, m: int, z: float) -> tuple[float, float]:
    """Return the interval of b / m − a / n from Wilson's of both (Newcombe, 1998, method 10)."""
    p, q = a / n, b / m
    (low_p, high_p), (low_q, high_q) = wilson(a, n, z), wilson(b, m, z)
    down = ((q - low_q) ** 2 + (high_p - p) ** 2) ** 0.5
    up = ((high_q - q) ** 2 + (p - low_p) ** 2) ** 0.5
    return (q - p - down, q - p + up)


def words_of_a_new_kind(
    texts: Sequence[str], strange: Sequence[bool], rules: TokenRules
) -> tuple[Reason, ...]:
    """Return content words that texts without a label use more than the others, each in three or more of them."""
    from lexicloud.corpus import Corpus
    from lexicloud.vectors.load import NO_VECTORS
    from lexicloud.words.keyness import keywords

    named = {f"{i}": text for i, text in enumerate(texts) if text.strip()}
    inside = [name for name in named if strange[int(name)]]
    if len(inside) < _LEAST_STRANGE or len(inside) == len(named):
        return ()
    corpus = Corpus.from_texts(named, vectors=NO_VECTORS, rules=rules)
    rows = [corpus.position(name) for name in inside]
    having = (corpus.counts[rows] > 0).sum(axis=0)
    found = keywords(corpus, inside, top=100).over
    plain = corpus.stopwords | corpus.punctuation
    kept = [w for w in found if not plain[i := corpus.vocabulary.index(w.word)] and having[i] >= 3]
    return tuple(kept[:_NEW_WORDS])
