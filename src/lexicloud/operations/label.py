"""Labels for short texts from a few examples."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field, StringConstraints

from lexicloud.errors import OptionError
from lexicloud.operations.asked import ROWS, Asked, Name, Operation, Shelf, settled
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Sentence, many, percent, table

if TYPE_CHECKING:
    from lexicloud.labelling import LabelReasons, TextLabel


@dataclass(frozen=True)
class LabelledRows(Result):
    """The guessed labels of the rows that had none.

    `rows` are the places of the guessed rows in the table, `next` those worth labelling next, `reasons` say why, by
    the place of the row. `single` are labels of one row each: nothing can be learnt from one example.
    """

    classes: tuple[str, ...]
    rows: tuple[int, ...]
    guesses: tuple[TextLabel, ...]
    next: tuple[int, ...]
    reasons: dict[int, LabelReasons]
    single: tuple[str, ...] = ()

    _derived = ("said",)

    @property
    def said(self) -> tuple[str, ...]:
        """Each guess in words, with how sure it is."""
        return tuple(
            f"{'none of these, or ' if guess.label is None else ''}{guess.guess} {percent(guess.probability)}"
            for guess in self.guesses
        )

    def blocks(self) -> list[Block]:
        """Return how many rows were given a label, and how sure the guesses are."""
        kept = [guess for guess in self.guesses if guess.label is not None]
        counts = Counter(guess.label for guess in kept)
        none = len(self.guesses) - len(kept)
        said = f"{many(len(kept), 'row')} of {len(self.guesses):,} are given a label"
        said += f"; {many(none, 'row')} are like none of the examples." if none else "."
        rows = [
            (
                label,
                counts[label],
                percent(sum(g.probability for g in kept if g.label == label) / counts[label])
                if counts[label]
                else None,
            )
            for label in self.classes
        ]
        alone = f"Never guessed, because only one row has it: {', '.join(self.single)}. Label a second row."
        return [
            Sentence(said, "answer"),
            *([Sentence(alone, "note")] if self.single else []),
            table(["label", "rows", "mean probability"], rows),
        ]


class Row(Asked):
    """A text, and its label where a person gave one."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=20_000)]
    label: Name | None = None


class Label(Operation):
    """Learn from the labelled rows of a table, guess the others, say why, and which rows to label next."""

    path: ClassVar[str] = "label"
    heading: ClassVar[str] = "label"
    doing: ClassVar[str] = "learning from your labels"

    rows: list[Row] = Field(min_length=2, max_length=ROWS)
    next: int = Field(
        default=10, ge=0, le=100, description="How many rows to name that are worth labelling next."
    )
    explain: list[Annotated[int, Field(ge=0)]] = Field(default_factory=list, max_length=100)

    def run(self, shelf: Shelf) -> LabelledRows:
        """Learn and guess."""
        from lexicloud.labelling import Labeller

        given = [row for row in self.rows if row.label is not None and row.text.strip()]
        counts = Counter(str(row.label) for row in given)
        single = tuple(label for label, n in counts.items() if n < 2)
        if len(counts) - len(single) < 2:
            raise OptionError(
                f"{many(len(given), 'labelled row')}, {many(len(counts), 'different label')}: "
                "label at least two rows with each of two labels"
            )
        known = [row for row in given if counts[str(row.label)] > 1]
        open_rows = [i for i, row in enumerate(self.rows) if row.label is None and row.text.strip()]
        texts = [self.rows[i].text for i in open_rows]
        labels = [str(row.label) for row in known]
        rules, vectors, _ = settled((row.text for row in self.rows), shelf.vectors)
        examples = [row.text for row in known]
        model = Labeller(vectors=vectors, rules=rules).fit(examples, labels, unlabelled=texts)
        following = model.next(texts, n=min(self.next, len(texts))) if texts and self.next else []
        worth = [open_rows[one.index] for one in following]
        explained = [i for i in dict.fromkeys([*self.explain, *worth]) if i < len(self.rows)]
        return LabelledRows(
            tuple(str(c) for c in model.classes_),
            tuple(open_rows),
            tuple(model.label(texts) if texts else ()),
            tuple(worth),
            {i: model.explain(self.rows[i].text) for i in explained},
            single,
        )
