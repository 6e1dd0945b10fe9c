"""Writing to an index that was named at the start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field, StringConstraints

from lexicloud.errors import OptionError
from lexicloud.operations.asked import ROWS, Asked, Collection, Identifier, Name, Operation, Shelf, SourceId
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Sentence
from lexicloud.say.phrases import many


@dataclass(frozen=True)
class Written(Result):
    """What was written to an index: `action` is "added" or "removed"."""

    source: str
    action: str
    number: int
    sentences: int

    def blocks(self) -> list[Block]:
        """Return what was done, and how many there are now."""
        now = f"{self.source} has {many(self.sentences, 'sentence')} now"
        return [Sentence(f"{many(self.number, 'sentence')} {self.action}; {now}.", "answer")]


class NewSentence(Asked):
    """One sentence for an index."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
    id: Identifier | None = None
    metadata: dict[Name, str | int | float | bool | None] | None = None

    def item(self) -> Any:
        """Return it as an index takes it."""
        metadata = {key: value for key, value in (self.metadata or {}).items() if value is not None}
        if self.id is None:
            return {"text": self.text, "metadata": metadata or None}
        return self.id, self.text, metadata


class AddSentences(Operation):
    """Add sentences to an index; ids that are there already are refused, unless `overwrite` is set."""

    path: ClassVar[str] = "index/add"
    heading: ClassVar[str] = "index"
    doing: ClassVar[str] = "adding sentences"
    writes: ClassVar[bool] = True

    source: SourceId
    items: list[NewSentence] = Field(min_length=1, max_length=ROWS)
    overwrite: bool = False

    def run(self, shelf: Shelf) -> Written:
        """Add, one writer at a time; on disk before it is answered."""
        source = _writable(shelf, self.source)
        with source.writing:
            source.index.add([item.item() for item in self.items], overwrite=self.overwrite, workers=1)
        source.changed()
        return Written(source.id, "added", len(self.items), len(source.index))


class RemoveSentences(Operation):
    """Remove sentences from an index by their ids, or all sentences of documents by theirs."""

    path: ClassVar[str] = "index/remove"
    heading: ClassVar[str] = "index"
    doing: ClassVar[str] = "removing sentences"
    writes: ClassVar[bool] = True

    source: SourceId
    ids: list[Identifier] = Field(min_length=1, max_length=ROWS)

    def run(self, shelf: Shelf) -> Written:
        """Remove, one writer at a time; on disk before it is answered."""
        source = _writable(shelf, self.source)
        with source.writing:
            gone = source.index.remove(self.ids)
        source.changed()
        return Written(source.id, "removed", gone, len(source.index))


def _writable(shelf: Shelf, identifier: str) -> Collection:
    source = shelf.get(identifier)
    if source.kind != "index":
        raise OptionError(
            f"{source.title!r} is not an index: start the server with --index INDEX to write to one"
        )
    return source
