"""Read the files of a folder or a zip archive, with tables that describe them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from lexicloud.errors import InputError
from lexicloud.progress import track
from lexicloud.text.archive import Archive, Budget
from lexicloud.text.document import FROM_FOLDER, readable
from lexicloud.text.formats import (
    ARCHIVE,
    KNOWN,
    NoText,
    is_table,
    kind,
    load,
    read_table,
    read_texts,
    stem,
    unique_names,
    unzipped,
)
from lexicloud.text.tables import TEXT_COLUMNS, TextTable, table_documents

if TYPE_CHECKING:
    from lexicloud.text.document import Document, ReadOptions

_LISTED: Final = 5  # how many skipped files a note names


@dataclass(frozen=True)
class FolderEntry:
    """One file: its name inside the folder or archive, its source, and a function that loads it."""

    name: str
    source: str
    load: Callable[[], bytes]


def read_folder(folder: Path, options: ReadOptions) -> tuple[list[Document], list[str]]:
    """Read every file of a known kind below a folder, in the order of paths; return documents and unreadable files."""
    paths, notes = _visible(folder)
    entries = [
        FolderEntry(path.relative_to(folder).as_posix(), readable(str(path)), lambda path=path: load(path))  # type: ignore[misc]
        for path in paths
    ]
    return _read_all(entries, notes, str(folder), options)


def read_zip(data: bytes, source: str, options: ReadOptions) -> list[Document]:
    """Read every file of a known kind in a zip archive, within one limit; archives inside are left out."""
    budget = Budget(len(data), source)
    try:
        archive = Archive(data, budget)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged archive may raise anything
        raise InputError(f"{source} is not a readable .zip file: {error}") from None
    names = sorted(name for name in archive.names if not _hidden(name))
    inner = [name for name in names if kind(name) == ARCHIVE]
    entries = [
        FolderEntry(name, f"{source}/{readable(name)}", lambda name=name: _member(archive, name, source))  # type: ignore[misc]
        for name in names
        if kind(name) != ARCHIVE
    ]
    notes = _listed("an archive inside an archive and left out", inner)
    documents, _ = _read_all(entries, notes, source, options)
    for document in documents:  # each file may be within its own limit, and all together not
        budget.spend(len(document.text))
    return documents


def _member(archive: Archive, name: str, source: str) -> bytes:
    try:
        return unzipped(archive.read(name), name, f"{source}/{name}")
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged archive may raise anything
        raise InputError(f"{source} is not a readable .zip file: {error}") from None


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


@dataclass
class _Read:
    """What was read so far."""

    documents: list[Document]
    tables: list[TextTable]
    empty: list[str]
    bad: dict[str, InputError]
    notes: list[str]


def _read_all(
    entries: Sequence[FolderEntry], notes: list[str], where: str, options: ReadOptions
) -> tuple[list[Document], list[str]]:
    """Read the entries of known kinds; return their documents, and notes on those that cannot be read."""
    known = [entry for entry in entries if kind(entry.name)]
    if not known:
        raise InputError(
            f"{where} holds no file that can be read; the kinds are {', '.join(KNOWN)}, each also .gz"
        )
    notes += _listed("of unknown kind and ignored", [e.name for e in entries if not kind(e.name)])
    beside_texts = any(not is_table(entry.name) for entry in known)
    read = _Read([], [], [], {}, notes)
    for entry in track(known, "reading files"):
        try:
            _read_entry(entry, read, options, beside_texts=beside_texts)
        except InputError as error:
            read.bad[entry.name] = error
            if not options.skip_bad:
                raise _with_remedy(error, len(known)) from None
    unreadable = _unreadable(read.bad)
    notes += _listed("empty and left out", read.empty) + unreadable
    if not read.documents:
        raise InputError(f"{where} holds no text: all {len(known)} files are empty or cannot be read")
    documents, described = _describe(read.documents, read.tables, options)
    documents = unique_names(documents)
    return [documents[0].noting(*notes, *described), *documents[1:]], unreadable


def _read_entry(entry: FolderEntry, read: _Read, options: ReadOptions, *, beside_texts: bool) -> None:
    data = entry.load()
    if not data.strip():
        read.empty.append(entry.name)
    elif is_table(entry.name):
        table, about = read_table(data, entry.name, entry.source, options)
        read.notes += list(about.notes)
        if _holds_texts(table, options, beside_texts=beside_texts):
            read.documents += table_documents(table, stem(entry.name), options, about)
        else:
            read.tables.append(table)
    elif kind(entry.name) == ARCHIVE:
        inside = read_zip(data, entry.source, options)
        read.documents += [replace(d, name=f"{stem(entry.name)}/{d.name}") for d in inside]
    else:
        try:
            read.documents += _labelled(
                read_texts(data, entry.name, entry.source, options), entry.name, options
            )
        except NoText:
            read.empty.append(entry.name)


def _labelled(documents: list[Document], name: str, options: ReadOptions) -> list[Document]:
    if options.label != FROM_FOLDER:
        return documents
    return [replace(d, label=PurePosixPath(name).parent.name or None) for d in documents]


def _with_remedy(error: InputError, files: int) -> InputError:
    """Add to an error how to leave bad files out, if there are other files."""
    hint = "; or leave such files out (skip_bad=True or --skip-bad)" if files > 1 else ""
    return type(error)(f"{error}{hint}")


def _unreadable(bad: Mapping[str, InputError]) -> list[str]:
    """Return notes that name the files that were left out, and why the first one was."""
    reason = [f"left out because {next(iter(bad.values()))}"] if bad else []
    return _listed("not readable and left out", list(bad)) + reason


def visible_files(folder: Path) -> list[Path]:
    """Return the files below a folder that are considered for reading, in order."""
    return _visible(folder)[0]


def _visible(folder: Path) -> tuple[list[Path], list[str]]:
    """Return the regular files below a folder in order, and notes on what else there is."""
    files: list[Path] = []
    others: list[str] = []
    closed: list[OSError] = []
    for here, folders, names in os.walk(folder, onerror=closed.append):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in names:
            path = Path(here, name)
            if not name.startswith("."):
                if path.is_file():
                    files.append(path)
                else:
                    others.append(path.relative_to(folder).as_posix())
    notes = _listed("no regular file and ignored", sorted(others))
    notes += [f"the folder {readable(str(e.filename))} cannot be opened: {e.strerror}" for e in closed]
    return sorted(files), notes


def _listed(what: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    few = ", ".join(readable(name) for name in names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
    return [f"{len(names):,} {'file is' if len(names) == 1 else 'files are'} {what}: {few}"]


def _holds_texts(table: TextTable, options: ReadOptions, *, beside_texts: bool) -> bool:
    """Tell whether a table holds texts, and does not describe the text files beside it."""
    if options.text:
        return options.text in table.columns
    return not beside_texts or table.known(TEXT_COLUMNS) is not None


def _describe(
    documents: list[Document], tables: Sequence[TextTable], options: ReadOptions
) -> tuple[list[Document], list[str]]:
    """Give each document the fields and the label of the table row that names it."""
    notes = []
    for table in tables:
        key = key_column(table, [d.name for d in documents])
        if key is None:
            notes.append(f"{table.source} holds no column of texts and was ignored")
            continue
        rows = {stem(str(row.get(key))): row for row in table.rows}
        named = [rows.get(d.name) or rows.get(_last(d.name)) for d in documents]
        documents = [
            _described(d, row, options.label_column) for d, row in zip(documents, named, strict=True)
        ]
        found = sum(row is not None for row in named)
        notes.append(
            f"{table.source} describes {found:,} of {len(documents):,} documents by its column {key!r}"
        )
    return documents, notes


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def key_column(table: TextTable, names: Sequence[str]) -> str | None:
    """Return the column whose values are the names of at least half of the documents, with or without folders."""
    values = {c: {stem(str(v)) for v in table.values(c)} for c in table.columns}
    hits = {c: sum(n in known or _last(n) in known for n in names) for c, known in values.items()}
    best = max(hits, key=lambda c: hits[c], default=None)
    return best if best is not None and hits[best] * 2 >= len(names) else None


def _described(document: Document, row: Mapping[str, object] | None, label: str | None) -> Document:
    if row is None:
        return document
    value = row.get(label) if label else None
    return replace(
        document,
        fields={**document.fields, **row},
        label=document.label if value in {None, ""} else str(value),
    )
