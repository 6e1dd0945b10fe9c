"""What a person brings: a file is read and sentences are indexed, each in a process that can be killed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import disk_usage, rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError
from lexicloud.text.document import Document, first_year
from lexicloud.web import processes
from lexicloud.web.faults import Fault
from lexicloud.web.shelf import ReadTable, ShelvedText, said_of

if TYPE_CHECKING:
    from lexicloud.search import SentenceIndex
    from lexicloud.web.sources import Library, Source


def read_file(
    name: str,
    data: bytes,
    wanted: Mapping[str, str | None],
    most: Callable[[int, int], None],
    beside: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the texts of one file as plain values, or its columns where it is not clear which holds the text.

    `wanted` names the columns for text, label and name; `most` refuses too many texts, or too long ones. A table
    without texts whose rows name files in `beside` describes these files.
    """
    from lexicloud.text.formats import is_table, kind, remedy
    from lexicloud.text.read import read_bytes

    base = name.replace("\\", "/").rpartition("/")[2]
    if not kind(base):
        raise Fault(415, f"{base[:80]!r} cannot be read", remedy(base))
    if is_table(base):
        return _read_rows(name, data, wanted, most, beside)
    documents = read_bytes(data, base, skip_bad=True)
    for document in documents:
        most(len(documents), len(document.text))
    one_file = len({document.source for document in documents}) == 1
    return {
        "documents": [_plain(d, name if one_file else d.source) for d in documents],
        "notes": _notes(documents),
    }


def _read_rows(
    name: str,
    data: bytes,
    wanted: Mapping[str, str | None],
    most: Callable[[int, int], None],
    beside: Sequence[str],
) -> dict[str, Any]:
    from lexicloud.text.document import ReadOptions
    from lexicloud.text.folder import key_column
    from lexicloud.text.formats import read_table, stem, unique_names, unzipped
    from lexicloud.text.tables import LABEL_COLUMNS, TEXT_COLUMNS, TextTable, table_documents

    table: TextTable
    base = name.replace("\\", "/").rpartition("/")[2]
    table, about = read_table(unzipped(data, base, base), base, base, ReadOptions())
    text = wanted.get("text") or table.known(TEXT_COLUMNS)
    key = key_column(table, beside) if text is None and beside else None
    if key is not None:
        return {"describes": {stem(str(row.get(key))): dict(row) for row in table.rows}, "key": key}
    if text is None:
        try:
            text = table.text_column()
        except InputError:
            return {"choose": _choices(table)}
    label = wanted.get("label") or table.known(LABEL_COLUMNS)
    options = ReadOptions(text, wanted.get("name") or None, label)
    documents = unique_names(table_documents(table, stem(base), options, about))
    for document in documents:
        most(len(documents), len(document.text))
    rows = [row for row in table.rows if str(row.get(text) or "").strip()]
    taken = ReadTable(table.columns, text, label, wanted.get("name"))
    return {
        "documents": [
            _plain(d, name, {key: value for key, value in row.items() if key != text}, d.label)
            for d, row in zip(documents, rows, strict=True)
        ],
        "table": taken.to_dict(),
        "notes": _notes(documents),
    }


def _choices(table: Any) -> dict[str, Any]:
    """Return the columns of a table with examples from its first rows."""
    first = table.rows[:3]
    return {
        "columns": [
            {"name": column, "examples": [str(row.get(column) or "")[:80] for row in first]}
            for column in table.columns
        ]
    }


def _notes(documents: Sequence[Document]) -> list[str]:
    return list(dict.fromkeys(note for document in documents for note in document.notes))[:20]


def _plain(
    document: Document, file: str, row: Mapping[str, Any] | None = None, label: str | None = None
) -> dict[str, Any]:
    from lexicloud.text.read import language_of

    about = document.fields if row is None else row
    date = next((about[key] for key in ("year", "date") if about.get(key)), "")
    title = about.get("title") if row is None else None
    return {
        "name": (title if isinstance(title, str) and title.strip() else document.name)[:200],
        "text": document.text,
        "label": label,
        "year": first_year(str(date)) or first_year(document.name),
        "language": _language(said_of(about, "language"))
        or (language_of(document.text[:4000]) if row is None else None),
        "file": file,
        "row": dict(about),
    }


def _language(said: str | None) -> str | None:
    """Return the name of the language that a file says it is in, by a code or a name that is known."""
    from lexicloud.errors import OptionError
    from lexicloud.text.language import UNKNOWN, language_name

    try:
        found = language_name(said) if said else UNKNOWN
    except OptionError:
        return said
    return None if found == UNKNOWN else found


def shelved(answer: Mapping[str, Any]) -> tuple[list[ShelvedText], tuple[str, ReadTable] | None]:
    """Return what was read as texts of a shelf, and how the table was read."""
    table = answer.get("table")
    texts = [ShelvedText(0, **plain) for plain in answer["documents"]]
    if table is None or not texts:
        return texts, None
    text = table["text"]  # put back into the row, which shares the string
    texts = [replace(one, row={**one.row, text: one.text}) for one in texts]
    return texts, (texts[0].file, ReadTable(tuple(table["columns"]), text, table["label"], table["name"]))


_ROOM: Final = 1 << 30  # bytes; several times the index of the largest request


class Intake:
    """Indexes texts in a process that can be killed, and passes the index to the server through a folder in memory."""

    def __init__(self, library: Library, source: Source) -> None:
        self._library, self._source = library, source
        self._folder = _private_folder() if processes.AVAILABLE else None
        self._version = source.version
        self._made: SentenceIndex | None = None

    def work(self) -> None:
        """Index the texts."""
        made = self._source.built()
        if self._folder is None:
            self._made = made
        else:
            made.save(self._folder)

    def then(self, _: Any) -> None:
        """Let the source use the new index; the folder is removed, since the index is memory-mapped."""
        from lexicloud.search import SentenceIndex

        if self._folder is not None:
            self._made = SentenceIndex.open(self._folder)
            shared = self._source.vectors()
            if shared is not None and self._made.info.fingerprint == shared.fingerprint:
                self._made = SentenceIndex.open(self._folder, vectors=shared)
        assert self._made is not None
        if (
            self._source.version == self._version
        ):  # otherwise the texts changed meanwhile, and are indexed again
            self._source.take(self._made)
        self._clear()

    def failed(self) -> None:
        """Remove the folder and the source; a shelf stays."""
        if self._source.kind == "texts":
            self._library.discard(self._source)
        self._clear()

    def _clear(self) -> None:
        if self._folder is not None:
            rmtree(self._folder, ignore_errors=True)


def _private_folder() -> Path:
    """Make a folder that nobody else can read: in memory where there is room, else on disk."""
    memory = Path("/dev/shm")  # noqa: S108 — made with a random name, for this user alone
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and disk_usage(memory).free > _ROOM
    return Path(mkdtemp(prefix="lexicloud-", dir=memory if roomy else None))
