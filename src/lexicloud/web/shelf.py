"""The shelf of a browser: the texts that one person brought, as a table to edit, with removal and undo."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any, Final

from lexicloud.errors import InputError
from lexicloud.operations.asked import NamedText
from lexicloud.text.document import Document, first_year
from lexicloud.text.tokens import about_words
from lexicloud.web.faults import Fault
from lexicloud.web.sources import Source

_CHARACTERS: Final = 40_000_000  # of one shelf; sixty long novels


@dataclass(frozen=True)
class ShelvedText:
    """One text of a shelf; `row` holds what its file says about it, `told` names the fields that a person set.

    `label` is given by its table or by the sender; `author` is found from the label, or from its name and header.
    """

    id: int
    name: str
    text: str
    label: str | None = None
    author: str | None = None
    year: int | None = None
    language: str | None = None
    file: str = ""
    row: Mapping[str, Any] = field(default_factory=dict)
    chosen: bool = True
    told: frozenset[str] = frozenset()

    def to_dict(self) -> dict[str, Any]:
        """Return a line of the table of texts."""
        shown = ("id", "name", "author", "year", "language", "file", "chosen")
        return {key: getattr(self, key) for key in shown} | {"words": about_words(self.text)}


@dataclass(frozen=True)
class ReadTable:
    """The columns of a table that hold the text, the label and the name; an empty string means no column.

    `found` says where labels come from that were found without being asked for.
    """

    columns: tuple[str, ...]
    text: str
    label: str | None = None
    name: str | None = None
    found: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "columns": list(self.columns),
            "text": self.text,
            "label": self.label,
            "name": self.name,
            "found": self.found,
        }


@dataclass(eq=False)
class ShelfSource(Source):
    """The texts that a browser brought; the chosen ones are searched, compared and explored.

    A change takes effect at once. After a change, sentences are indexed again before a search.
    """

    items: dict[int, ShelvedText] = field(default_factory=dict)
    tables: dict[str, ReadTable] = field(default_factory=dict)
    most: int = 20_000  # texts
    _removed: list[ShelvedText] = field(default_factory=list)
    _last: int = 0
    _settled: bool = True
    _changing: Any = field(default_factory=RLock)

    @property
    def characters(self) -> int:
        """The number of characters of its texts, including those that can be put back."""
        return sum(len(one.text) for one in (*self.items.values(), *self._removed))

    @property
    def state(self) -> str:
        """`empty`, `changed` since its sentences were indexed, or `ready`."""
        if not self.texts:
            return "empty"
        return "ready" if self.opened is not None else "changed"

    def put(self, found: Iterable[ShelvedText], table: tuple[str, ReadTable] | None = None) -> list[int]:
        """Add texts, each with a new number; return the numbers."""
        with self._changing:
            new = [replace(one, id=self._last + i) for i, one in enumerate(found, 1)]
            if len(self.items) + len(new) > self.most:
                raise Fault(413, f"a shelf holds {self.most:,} texts", "remove some before you add more")
            size = sum(len(one.text) for one in new)
            if self.characters + size > _CHARACTERS:
                raise Fault(
                    413, f"a shelf holds {_CHARACTERS:,} characters", "remove some texts before you add more"
                )
            self._last += len(new)
            self.items |= {one.id: one for one in new}
            if table is not None:
                self.tables[table[0]] = table[1]
            self._settled = False
            self._renew()
            return [one.id for one in new]

    def change(self, ids: Sequence[int] | None, values: Mapping[str, Any]) -> None:
        """Set the name, author, year or choice of some texts, or of all."""
        with self._changing:
            told = frozenset(values) - {"chosen"}
            for one in self._named(ids):
                self.items[one.id] = replace(one, **values, told=one.told | told)
            self._renew()

    def take_columns(self, file: str, table: ReadTable) -> None:
        """Take other columns of a table for its text, labels and names; rows without text stay as they are."""
        with self._changing:
            known = self.tables.get(file)
            if known is None:
                raise Fault(404, f"there is no table {file[:80]!r} on your shelf", "bring it again")
            for column in (table.text, table.label, table.name):
                if column and column not in known.columns:
                    listed = ", ".join(known.columns)
                    raise Fault(422, f"{file} has no column {column[:80]!r}", f"choose one of: {listed}")
            self.tables[file] = replace(table, columns=known.columns)
            for one in [one for one in self.items.values() if one.file == file]:
                self.items[one.id] = _with_columns(one, table)
            self._settled = False
            self._renew()

    def describe(self, rows: Mapping[str, Mapping[str, Any]]) -> int:
        """Add to texts what a table says about their files; return how many texts it names."""
        with self._changing:
            named = [one for one in self.items.values() if one.file not in self.tables and _stem(one) in rows]
            for one in named:
                row = {**one.row, **rows[_stem(one)]}
                year = first_year(str(row.get("year") or row.get("date") or "")) or one.year
                self.items[one.id] = replace(one, row=row, year=one.year if "year" in one.told else year)
            self._settled = False
            self._renew()
            return len(named)

    @property
    def files(self) -> list[str]:
        """The names of the files that texts came from, without endings."""
        return [_stem(one) for one in self.items.values() if one.file not in self.tables]

    def remove(self, ids: Sequence[int] | None) -> int:
        """Take texts off the shelf; the last removal can be undone."""
        with self._changing:
            gone = self._named(ids)
            if gone:
                self._removed = gone
                self.items = {i: one for i, one in self.items.items() if one not in gone}
                self._renew()
            return len(gone)

    def undo(self) -> int:
        """Put back what was removed last."""
        with self._changing:
            back, self._removed = self._removed, []
            self.items = dict(sorted((self.items | {one.id: one for one in back}).items()))
            self._renew()
            return len(back)

    def listing(self) -> dict[str, Any]:
        """Return the table of texts, and how their tables were read."""
        with self._changing:
            self.settle()
            return {
                "id": self.id,
                "state": self.state,
                "texts": [one.to_dict() for one in self.items.values()],
                "tables": {file: table.to_dict() for file, table in self.tables.items()},
                "removed": len(self._removed),
            }

    def settle(self) -> None:
        """Find the authors of the texts, as `lexicloud.corpus.labels` does; an author that a person set stays."""
        if self._settled:
            return
        self._settled = True
        for file, group in self._groups().items():
            table = self.tables.get(file)
            authors, where = _authors(group, table)
            if table is not None:
                self.tables[file] = replace(table, found=where)
            for one, author in zip(group, authors, strict=True):
                if "author" not in one.told:
                    self.items[one.id] = replace(one, author=author)
        self._renew()

    def whole_texts(self) -> list[NamedText]:
        """Return the chosen texts."""
        with self._changing:
            self.settle()
            if not self.texts:
                raise Fault(404, "no text on your shelf is chosen", "bring texts, or tick some of them")
            return self.texts

    def rows(self, ids: Sequence[int] | None, file: str | None = None) -> list[dict[str, Any]]:
        """Return texts in full, with what their file says about them."""
        with self._changing:
            self.settle()
            return [
                {**one.to_dict(), "text": one.text, "row": _other_columns(one, self.tables.get(one.file))}
                for one in self._named(ids)
                if file is None or one.file == file
            ]

    def to_dict(self) -> dict[str, Any]:
        """Return its line in a page's list of sources."""
        self.settle()
        return super().to_dict()

    def renew_locks(self) -> None:
        """Make new locks, in a new process."""
        super().renew_locks()
        self._changing = RLock()

    def _groups(self) -> dict[str, list[ShelvedText]]:
        """Return the texts in groups: one for each table, and one for all other files."""
        groups: dict[str, list[ShelvedText]] = {}
        for one in self.items.values():
            groups.setdefault(one.file if one.file in self.tables else "", []).append(one)
        return groups

    def _named(self, ids: Sequence[int] | None) -> list[ShelvedText]:
        wanted = self.items if ids is None else dict.fromkeys(ids)
        missing = next((i for i in wanted if i not in self.items), None)
        if missing is not None:
            raise Fault(404, f"there is no text {missing} on your shelf", "look at the shelf again")
        return [self.items[i] for i in wanted]

    def _renew(self) -> None:
        """Update the chosen texts, and forget all that was computed before."""
        chosen = [one for one in self.items.values() if one.chosen]
        self.changed()
        self.opened, self.fault = None, None
        self.texts = [
            NamedText(name, one.text, one.author, one.year)
            for name, one in zip(_apart(one.name for one in chosen), chosen, strict=True)
        ]


def _apart(names: Iterable[str]) -> list[str]:
    """Return names with numbers added to those that occur again.

    >>> _apart(["letter", "diary", "letter"])
    ['letter', 'diary', 'letter (2)']
    """
    found: dict[str, None] = {}
    for name in names:
        n, own = 1, name
        while own in found:
            n += 1
            own = f"{name} ({n})"
        found[own] = None
    return list(found)


def _authors(group: Sequence[ShelvedText], table: ReadTable | None) -> tuple[list[str | None], str]:
    """Return the author of each text, found from all texts together or else from its own file, and where it is."""
    from lexicloud.corpus.labels import find_labels

    documents = [
        Document(_stem(one), one.text, one.label, one.file, (), _other_columns(one, table)) for one in group
    ]
    try:
        found = None if table is not None and table.label == "" else find_labels(documents)
    except InputError:  # several columns may hold the authors: a person chooses
        found = None
    if found is None:
        return [said_of(one.row, "author") if table is None else None for one in group], ""
    said = zip(found.labels, group, strict=True)
    return [
        label or (said_of(one.row, "author") if table is None else None) for label, one in said
    ], found.where


def _stem(one: ShelvedText) -> str:
    """Return the name of its file without ending, which may begin with the author."""
    from lexicloud.text.formats import stem

    return stem(one.file.rpartition("/")[2]) or one.name


def said_of(row: Mapping[str, Any], key: str) -> str | None:
    """Return the value of a key in a row, if it is a text; upper and lower case do not matter."""
    found = next((value for name, value in row.items() if str(name).lower() == key), None)
    return found[:200] if isinstance(found, str) and found.strip() else None


def _with_columns(one: ShelvedText, table: ReadTable) -> ShelvedText:
    text, label = one.row.get(table.text), one.row.get(table.label or "")
    name = one.row.get(table.name or "")
    return replace(
        one,
        text=str(text) if text not in (None, "") else one.text,
        label=None if label in (None, "") else str(label)[:200],
        name=str(name)[:200] if name not in (None, "") else one.name,
    )


def _other_columns(one: ShelvedText, table: ReadTable | None) -> dict[str, Any]:
    """Return the columns of a row besides its text and its name, to be saved with it."""
    used = () if table is None else (table.text, table.name)
    return {key: value for key, value in one.row.items() if key not in used}
