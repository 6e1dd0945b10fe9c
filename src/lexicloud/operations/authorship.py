"""Who wrote it: one of several hands or none of them, and whether one hand wrote two texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from pydantic import Field

from lexicloud.errors import OptionError
from lexicloud.operations.asked import (
    TEXTS,
    Body,
    Name,
    NamedText,
    Operation,
    Shelf,
    SourceId,
    TextItem,
    corpus_of,
    named_apart,
    refuse_languages,
    refuse_senseless,
    refuse_short,
    squeezed,
)
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Sentence, listed

if TYPE_CHECKING:
    from lexicloud.authorship import Answer, AttributionModel, Rolling, Style, Verification

# Tokens of a window: for fewer than 300 words an answer is little more than a guess.
WIDEST, NARROWEST = 2000, 250
_EVIDENCE: Final = 24
_KNOWN: Final = 50  # the most known texts of an author


@dataclass(frozen=True)
class Attributed(Result):
    """Who wrote each of some texts, among known authors.

    `left_out` names known texts that contain an unknown one: a text compared with itself would always find its author.
    `along` has the authors along each text, window by window, where that was asked for and the text is long enough.
    """

    authors: tuple[str, ...]
    left_out: tuple[str, ...]
    answers: tuple[Answer, ...]
    along: tuple[Rolling | None, ...] = ()

    def blocks(self) -> list[Block]:
        """Return each answer, and the authors along each text."""
        found: list[Block] = []
        for i, answer in enumerate(self.answers):
            if len(self.answers) > 1:
                found.append(Sentence(answer.name, "title"))
            found += answer.blocks()
            rolled = self.along[i] if i < len(self.along) else None
            found += rolled.blocks() if rolled is not None else []
        if self.left_out:
            names = listed(self.left_out)
            found.append(
                Sentence(f"Left out of the known texts, because an unknown one is in it: {names}.", "note")
            )
        return found


class AskKnown(Operation):
    """Known texts by two authors at least: sent, or those of a source."""

    known: list[TextItem] | None = Field(default=None, min_length=2, max_length=TEXTS)
    source: SourceId | None = Field(default=None, description="Take the known texts from a source.")

    def check(self, shelf: Shelf) -> None:
        """Refuse anything but either known texts or a source, by two authors at least."""
        if (self.known is None) == (self.source is None):
            raise OptionError("give either known texts or a source: send known, or source")
        if self.known is not None:
            _check_authors(named_apart(self.known))
        else:
            shelf.get(self.source).whole_texts()  # raises while they are being read

    def hands(self, shelf: Shelf, unknown: Sequence[str]) -> tuple[AttributionModel, list[str]]:
        """Return a model of the authors, and the names of known texts left out because they contain an unknown one."""
        from lexicloud.authorship import train

        source = None if self.known is not None else shelf.get(self.source)
        known = source.whole_texts() if source is not None else named_apart(self.known or [])
        known = [text for text in known if text.author]
        asked = [squeezed(text) for text in unknown]
        in_question = [NamedText("the unknown text", text) for text in unknown]
        refuse_short(in_question)
        refuse_languages([*known, *in_question])
        left_out = {text.name for text in known if any(one in squeezed(text.text) for one in asked)}
        kept = [text for text in known if text.name not in left_out]
        _check_authors(kept)
        if source is not None:
            return source.hands(frozenset(left_out)), sorted(left_out)
        return train(corpus_of(kept, shelf.vectors)), sorted(left_out)


class Attribute(AskKnown):
    """Say how likely each known author wrote each unknown text, or none of them, and the words behind the answer."""

    path: ClassVar[str] = "attribute"
    heading: ClassVar[str] = "authorship"
    doing: ClassVar[str] = "reading the hands"

    unknown: list[TextItem] = Field(min_length=1, max_length=20)
    rolling: bool = Field(default=False, description="Also go along each unknown text, window by window.")

    def run(self, shelf: Shelf) -> Attributed:
        """Learn the authors' styles and judge the unknown texts."""
        self.check(shelf)
        texts = {text.name: text.text for text in named_apart(self.unknown)}
        model, left_out = self.hands(shelf, list(texts.values()))
        answers = tuple(model.attribute(texts, evidence=_EVIDENCE))
        along = tuple(_along(model, *text) for text in texts.items()) if self.rolling else ()
        return Attributed(tuple(model.classes), tuple(left_out), answers, along)


class FindStyle(AskKnown):
    """Say which words, marks and spellings of a draft point to its writer, or keep it from an author's style."""

    path: ClassVar[str] = "style"
    heading: ClassVar[str] = "authorship"
    doing: ClassVar[str] = "reading the draft"

    draft: Body
    author: str | None = Field(default=None, max_length=200, description="Look for this author.")
    towards: str | None = Field(
        default=None, max_length=200, description="Instead: what keeps the draft from this author's style."
    )

    def run(self, shelf: Shelf) -> Style:
        """Learn the authors' styles, and ask again with words changed."""
        from lexicloud.authorship import style

        self.check(shelf)
        model, _ = self.hands(shelf, [self.draft])
        return style(self.draft, model, author=self.author, towards=self.towards)


def _check_authors(known: Sequence[NamedText]) -> None:
    authors = {text.author for text in known if text.author}
    if len(authors) < 2:
        raise OptionError(
            f"the known texts have {len(authors)} author(s): give texts by at least two authors"
        )


def _along(model: AttributionModel, name: str, text: str) -> Rolling | None:
    """Return the authors along a text, with smaller windows for a short text; None for a text that is too short."""
    from lexicloud.authorship import rolling
    from lexicloud.text import tokenize

    window = min(WIDEST, len(tokenize(text, model.rules)) // 4)
    if window < NARROWEST:
        return None
    return rolling(text, model, window=window, step=max(1, window // 8), name=name)


class Verify(Operation):
    """Say whether the writer of the known texts wrote the unknown one, and by which words."""

    path: ClassVar[str] = "verify"
    heading: ClassVar[str] = "authorship"
    doing: ClassVar[str] = "comparing the hands"

    known: list[Body] | None = Field(default=None, min_length=1, max_length=50)
    source: SourceId | None = Field(default=None, description="Take the known texts from a source.")
    author: Name | None = Field(default=None, description="Whose texts of the source are meant.")
    unknown: Body

    def check(self, shelf: Shelf) -> None:
        """Refuse anything but either known texts or a source, by one author."""
        if (self.known is None) == (self.source is None):
            raise OptionError("give either known texts or a source: send known, or source")
        if self.source is not None:
            authors = {text.author for text in shelf.get(self.source).whole_texts() if text.author}
            if self.author is None and len(authors) > 1:
                raise OptionError(
                    f"these texts are by {len(authors)} authors, so one hand did not write them all: "
                    "say whose are meant, or ask which of them wrote it"
                )

    def run(self, shelf: Shelf) -> Verification:
        """Compare the known texts with the unknown one."""
        from lexicloud.authorship import verify

        self.check(shelf)
        known = self._known(shelf)
        refuse_senseless([*known, NamedText("the unknown text", self.unknown)])
        return verify([text.text for text in known], self.unknown)

    def _known(self, shelf: Shelf) -> list[NamedText]:
        """Return the known texts; a text of the source that contains the unknown one is left out."""
        if self.known is not None:
            return [NamedText(f"known text {i}", text) for i, text in enumerate(self.known, 1)]
        asked = squeezed(self.unknown)
        own = [t for t in shelf.get(self.source).whole_texts() if self.author in (None, t.author)]
        known = [text for text in own if asked not in squeezed(text.text)][:_KNOWN]
        if not known:
            raise OptionError(
                f"there is no other text by {self.author or 'this hand'}: bring one, or choose another author"
            )
        return known
