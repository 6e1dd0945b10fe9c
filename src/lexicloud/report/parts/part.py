"""What every part of a study provides: a finding in words, plain values, figures, and a section of a page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, TypeVar

from lexicloud.errors import LexicloudError
from lexicloud.report.page import Page, Section

T = TypeVar("T")


class Part(ABC):
    """One part of a study. `id` is its anchor on the page and the name of the module that renders it."""

    id: ClassVar[str]
    title: ClassVar[str]

    @property
    @abstractmethod
    def finding(self) -> str:
        """What was found, in one plain sentence."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""

    def figures(self) -> dict[str, Callable[[], Any]]:
        """Return a function that draws each static figure, by name."""
        return {}

    def section(self) -> Section:
        """Return the part as a section of a page."""
        blocks = import_module(f"lexicloud.report.sections.{self.id}").blocks
        return Section(self.id, self.title, blocks(self))

    def _repr_html_(self) -> str:
        from lexicloud.report.figures import embedded

        return f"{Page(self.title, '', [self.section()])._repr_html_()}{embedded(self.figures())}"


@dataclass(frozen=True)
class Missing:
    """A part, or a piece of one, that these texts have no answer for, and why."""

    id: str
    title: str
    reason: str

    @property
    def finding(self) -> str:
        """The reason, as a sentence."""
        return f"Not for these texts: {self.reason}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"missing": self.reason}

    def figures(self) -> dict[str, Callable[[], Any]]:
        """There is nothing to draw."""
        return {}

    def section(self) -> Section:
        """Return a section that explains itself."""
        from lexicloud.report.html import note

        return Section(self.id, self.title, [note(self.finding)])

    def _repr_html_(self) -> str:
        return Page(self.title, "", [self.section()])._repr_html_()


def attempt(title: str, call: Callable[[], T]) -> T | Missing:
    """Return what `call` returns, or the reason why there is nothing."""
    try:
        return call()
    except LexicloudError as error:
        return Missing("", title, str(error))


def found(piece: T | Missing | None) -> T | None:
    """Return a piece if it is there."""
    return None if isinstance(piece, Missing) else piece
