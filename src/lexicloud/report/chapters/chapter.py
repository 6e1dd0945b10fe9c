"""What every part of a study provides: a finding in words, plain values, figures, and blocks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from lexicloud.report.page import Section
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Sentence, many, percent
from lexicloud.say.html import Html, join, tag

if TYPE_CHECKING:
    from lexicloud.report.study import StudiedTexts

T = TypeVar("T")


class Chapter(Result, ABC):
    """One part of a study. `id` is its anchor on the page."""

    id: ClassVar[str]
    title: ClassVar[str]

    @property
    @abstractmethod
    def finding(self) -> str:
        """What was found, in one plain sentence."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""

    @abstractmethod
    def blocks(self) -> list[Block]:
        """Return the finding, then what is behind it."""

    def in_short(self) -> list[Block]:
        """Return the blocks of this part for a short summary."""
        return self.blocks()

    def figures(self) -> dict[str, Callable[[], Any]]:
        """Return a function that draws each static figure, by name."""
        return {}

    def section(self) -> Section:
        """Return the part as a section of a page."""
        return Section(self.id, self.title, self.blocks())


@dataclass(frozen=True)
class Missing(Result):
    """A part, or a piece of one, that could not be computed for these texts, and why."""

    id: str
    title: str
    reason: str

    @property
    def finding(self) -> str:
        """The reason, as a sentence."""
        return f"Not here: {self.reason}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"missing": self.reason}

    def figures(self) -> dict[str, Callable[[], Any]]:
        """Return nothing: there is nothing to draw."""
        return {}

    def blocks(self) -> list[Block]:
        """Return the reason."""
        return [Sentence(self.finding, "note")]

    def in_short(self) -> list[Block]:
        """Return the reason."""
        return self.blocks()

    def section(self) -> Section:
        """Return a section that explains itself."""
        return Section(self.id, self.title, self.blocks())


def found(piece: T | Missing | None) -> T | None:
    """Return a piece, or None if it is `Missing`."""
    return None if isinstance(piece, Missing) else piece


def subtitle(study: StudiedTexts) -> str:
    """Return, in one line, what the page is about."""
    reading = study.reading
    labels = f", {many(len(reading.labels), reading.kind)}" if reading.labels else ""
    return (
        f"{many(len(reading.documents), 'text')}{labels}, {reading.coverage.tokens:,} tokens, seen as "
        "clouds of word vectors "
        f"({reading.vectors}; {percent(reading.coverage.share, 1)} of the tokens covered)."
    )


def footer(study: StudiedTexts) -> Html:
    """Return the footer, with a link to how the page was made."""
    made, seconds = study.provenance.versions["lexicloud"], sum(study.provenance.seconds.values())
    said = f"Made by lexicloud {made} in {seconds:.0f} seconds. This page needs no network. "
    return join([said, tag("a", "Get it again", href="#provenance"), "."])


def summary(study: StudiedTexts) -> Section:
    """Return one sentence from each part that has an answer, with a link to the part."""
    parts = [p for p in study.parts if p is not study.provenance and not isinstance(p, Missing)]
    items = (tag("li", join([tag("a", p.title, href=f"#{p.id}"), tag("br"), p.finding])) for p in parts)
    return Section("summary", "In short", [tag("ol", join(items), class_="short")])
