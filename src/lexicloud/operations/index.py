"""The records of an index: read and counted and, for an index named at the start of the server, written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Self

from pydantic import Field, StringConstraints, model_validator

from lexicloud.errors import OptionError
from lexicloud.operations.asked import ROWS, Asked, Identifier, Name, Operation, Shelf, SourceId
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Sentence, many
from lexicloud.search.query import MOST
from lexicloud.search.records import Facets, Record

if TYPE_CHECKING:
    from lexicloud.search import IndexInfo, SentenceIndex


@dataclass(frozen=True)
class Written(Result):
    """What was written to an index: `action` is "added", "removed" or "changed"; `missing` are unknown ids.

    `new_columns` are those that no record had before, which may be slips.
    """

    _left_out = ("what",)

    source: str
    action: str
    number: int
    sentences: int
    missing: tuple[int | str, ...] = ()
    what: str = "sentence"
    new_columns: tuple[str, ...] = ()

    def blocks(self) -> list[Block]:
        """Return what was done, how many there are now, and which ids were not there."""
        now = f"{self.source} has {many(self.sentences, 'sentence')} now"
        said: list[Block] = [Sentence(f"{many(self.number, self.what)} {self.action}; {now}.", "answer")]
        if self.missing:
            listed = ", ".join(map(str, self.missing[:LISTED])) + (
                ", …" if len(self.missing) > LISTED else ""
            )
            said.append(Sentence(f"No sentence or document has the id {listed}.", "note"))
        if self.new_columns:
            said.append(Sentence(f"No record had a column {', '.join(self.new_columns)} before.", "note"))
        return said


LISTED: Final = 20  # the most missing ids that are named


def remove_records(
    index: SentenceIndex, ids: Sequence[int | str], source: str, *, strict: bool = False
) -> Written:
    """Remove records and report ids that do not exist; if none exists, or with `strict` one does not, refuse."""
    missing = index.missing(ids)
    if missing and (strict or len(missing) == len(set(ids))):
        index.remove(ids)  # raises, and says why
    gone = index.remove([name for name in ids if name not in set(missing)])
    return Written(source, "removed", gone, len(index), tuple(missing))


def update_record(index: SentenceIndex, name: int | str, changes: dict[str, Any], source: str) -> Written:
    """Change some columns of a record."""
    known = {*index.snapshot.columns, *index.fields}
    index.update(name, **changes)
    new = tuple(column for column, value in changes.items() if column not in known and value is not None)
    return Written(source, "changed", 1, len(index), new_columns=new)


SentenceText = Annotated[str, StringConstraints(max_length=100_000)]
Value = str | int | float | bool | None | list[str | int | float | bool]


class NewSentence(Asked):
    """One sentence for an index."""

    text: SentenceText | None = None
    fields: dict[Name, SentenceText] | None = Field(
        default=None,
        description="The text fields of a record, instead of its text, for an index that has some.",
    )
    id: Identifier | None = None
    metadata: dict[Name, Value] | None = None

    @model_validator(mode="after")
    def _check_text(self) -> Self:
        if (self.text is None) == (self.fields is None):
            raise ValueError("give text, or fields for an index that has text fields")
        return self

    def item(self, index: SentenceIndex) -> Any:
        """Return it in a form that `add` of an index takes."""
        metadata = {key: value for key, value in (self.metadata or {}).items() if value is not None}
        if self.fields is not None:
            unknown = [name for name in self.fields if name not in index.fields]
            if unknown:
                raise OptionError(
                    f"{unknown[0]} is no text field of this index: there are {', '.join(index.fields) or 'none'}"
                )
            column = index.schema.get("id") or "id"
            return {**metadata, **self.fields, **({} if self.id is None else {column: self.id})}
        if self.id is None:
            return {"text": self.text, "metadata": metadata or None}
        return self.id, self.text, metadata


class WriteIndex(Operation):
    """The base of the operations that write to an index."""

    heading: ClassVar[str] = "index"
    writes: ClassVar[bool] = True

    source: SourceId

    def run(self, shelf: Shelf) -> Written:
        """Write; one writer at a time, and on disk before it returns."""
        source = shelf.get(self.source)
        if source.kind != "index":
            raise OptionError(
                f"{source.title!r} is not an index: start the server with --index INDEX to write to one"
            )
        with source.writing:
            written = self.write(source.index, source.id)
        source.changed()
        return written

    def write(self, index: SentenceIndex, source: str) -> Written:
        """Write to the index that is called `source`."""
        raise NotImplementedError


class AddSentences(WriteIndex):
    """Add sentences to an index; ids that are there already are refused, unless `overwrite` is set."""

    path: ClassVar[str] = "index/add"
    doing: ClassVar[str] = "adding sentences"

    items: list[NewSentence] = Field(min_length=1, max_length=ROWS)
    overwrite: bool = False

    def write(self, index: SentenceIndex, source: str) -> Written:
        """Add the sentences."""
        index.add([item.item(index) for item in self.items], overwrite=self.overwrite, workers=1)
        return Written(source, "added", len(self.items), len(index))


class RemoveSentences(WriteIndex):
    """Remove sentences from an index by their ids, or all sentences of documents by theirs; missing ids are named."""

    path: ClassVar[str] = "index/remove"
    doing: ClassVar[str] = "removing sentences"

    ids: list[Identifier] = Field(min_length=1, max_length=ROWS)

    def write(self, index: SentenceIndex, source: str) -> Written:
        """Remove the sentences."""
        return remove_records(index, self.ids, source, strict=len(self.ids) == 1)


class UpdateRecord(WriteIndex):
    """Change some columns or text fields of a record and leave the others as they are; null takes one away."""

    path: ClassVar[str] = "index/update"
    doing: ClassVar[str] = "changing a record"

    id: Identifier
    changes: dict[Name, Value] = Field(min_length=1, max_length=100)

    def write(self, index: SentenceIndex, source: str) -> Written:
        """Change the record."""
        return update_record(index, self.id, self.changes, source)


class SetSynonyms(WriteIndex):
    """Keep synonyms in an index, in place of those before: a query with a word then finds its synonyms too."""

    path: ClassVar[str] = "index/synonyms"
    doing: ClassVar[str] = "keeping synonyms"

    synonyms: dict[Name, list[Name]] = Field(
        max_length=MOST,
        description='What each word also stands for: {"OOM": ["out of memory"]}; {} for none.',
    )

    def write(self, index: SentenceIndex, source: str) -> Written:
        """Keep them."""
        index.set_synonyms(self.synonyms)
        return Written(source, "changed", len(index.synonyms), len(index), what="synonym entry")


class GetRecord(Operation):
    """Return one record of an index by its id: its text, its text fields and its metadata."""

    path: ClassVar[str] = "index/get"
    heading: ClassVar[str] = "index"
    quick: ClassVar[bool] = True

    id: Identifier
    source: SourceId | None = None

    def run(self, shelf: Shelf) -> Record:
        """Look it up."""
        return shelf.get(self.source).index.record(self.id)


class CountValues(Operation):
    """Count the records of an index by the values of a column, the commonest first; `where` filters as in a search."""

    path: ClassVar[str] = "index/facets"
    heading: ClassVar[str] = "index"
    quick: ClassVar[bool] = True

    column: Name
    source: SourceId | None = None
    where: dict[str, Any] | None = Field(default=None, description='A filter, such as {"year": {"<": 1900}}.')

    def run(self, shelf: Shelf) -> Facets:
        """Count."""
        return shelf.get(self.source).index.count_values(self.column, self.where)


class DescribeIndex(Operation):
    """Say what an index holds: how many records, its text fields, its columns, and what each was found to hold."""

    path: ClassVar[str] = "index/info"
    heading: ClassVar[str] = "index"
    quick: ClassVar[bool] = True

    source: SourceId | None = None

    def run(self, shelf: Shelf) -> IndexInfo:
        """Describe it, but for where it is kept."""
        return replace(shelf.get(self.source).index.info, path=None)
