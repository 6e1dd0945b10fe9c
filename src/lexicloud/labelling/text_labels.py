"""What the labeller answers: labels, reasons, and which texts to label next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from lexicloud.result import Result, TabularResult

_TOLD: Final = 3  # words in a sentence of reasons
_SHORT: Final = 60  # characters of a text in a repr


@dataclass(frozen=True)
class TextLabel(Result):
    """A text's label, or None where it is like no label's examples.

    `guess` is the likeliest label all the same. `probabilities` are over the labels and add up to one. `fit` is the
    share of held-out examples that fitted their best label no better than this text does; up to the labeller's `refuse`
    there is no label.
    """

    text: str
    label: str | None
    guess: str
    probability: float
    probabilities: dict[str, float]
    fit: float

    def __str__(self) -> str:
        label = "none of these" if self.label is None else self.label
        return f"{label} {self.probability:.2f}, {_short(self.text)}"


@dataclass(frozen=True)
class WordReason(Result):
    """What one word adds to a label's score, and the words of the label's examples that it stands near."""

    word: str
    count: int
    adds: float
    known: bool  # whether the label's examples have the word itself
    near: tuple[str, ...]
    content: bool = True  # neither a stop word nor punctuation

    def __str__(self) -> str:
        if self.known:
            return f"{self.word} is in its examples"
        return f"{self.word} stands near {', '.join(self.near)}" if self.near else self.word


@dataclass(frozen=True)
class LabelReasons(TabularResult):
    """Why a text has a label: `start` and what the words add make up `score`.

    A score is the logarithm of the label's probability, less the mean of that over all labels; the probability is the
    softmax of the scores. `start` is the score of a text without words.
    """

    _derived: ClassVar[tuple[str, ...]] = ("sentence",)
    _table: ClassVar[str] = "words"

    text: str
    label: str
    probability: float
    score: float
    start: float
    words: tuple[WordReason, ...]  # what adds most first
    kinds: dict[str, float]  # what each kind of evidence adds

    @property
    def sentence(self) -> str:
        """The strongest reasons in one line."""
        can_be_told = (r for r in self.words if r.content and r.adds > 0 and (r.known or r.near))
        told = [str(reason) for reason in can_be_told][:_TOLD]
        return f"{self.label} because {'; '.join(told)}" if told else self.label

    def __str__(self) -> str:
        return f"{self.score:+.2f}, {self.sentence}"


@dataclass(frozen=True)
class ToLabel(Result):
    """A text that a person should label next: its place among the texts given, and the best guess so far.

    `covers` is how many wrong answers it stands for that no example and no text before it does: its own chance of being
    wrong, and that of the texts like it. `gain` is how many wrong answers it puts right by itself, on average: the
    chance that its guess is wrong. What other texts learn from it differs too much between tasks to be promised.
    """

    index: int
    text: str
    guess: str
    probability: float
    covers: float
    gain: float

    def __str__(self) -> str:
        return f"text {self.index}, perhaps {self.guess} {self.probability:.2f}, {_short(self.text)}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else line[: _SHORT - 1] + "…"
