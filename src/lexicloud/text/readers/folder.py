"""A folder of files: what is read, what is skipped and said so, and tables that describe the files beside
them.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lexicloud.errors import InputError
from lexicloud.progress import track
from lexicloud.text.readers.files import KNOWN, NoText, is_table, kind, load, read_table, read_text, stem
from lexicloud.text.readers.options import FROM_FOLDER, ReadOptions
from lexicloud.text.readers.rows import table_documents
from lexicloud.text.readers.tables import TEXT_COLUMNS, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lexicloud.text.readers.document import Document

_LISTED: Final = 5  # how many skipped files a note names


def read_folder(folder: Path, options: ReadOptions) -> list[Document]:
    """Read every file of a known kind below a folder, in the order of their paths."""
    paths = sorted(_visible(folder))
    known = [p for p in paths if kind(p.name)]
    if not known:
        raise InputError(
            f"{folder} holds no file that can be read; the kinds are {', '.join(KNOWN)}, each also .gz"
        )
    notes = _ignored([p for p in paths if not kind(p.name)], folder)
    single = len([p for p in known if not is_table(p.name)]) > 0
    documents: list[Document] = []
    tables: list[Table] = []
    empty: list[Path] = []
    for path in track(known, "reading files"):
        data = load(path)
        if not data.strip():
            empty.append(path)
        elif is_table(path.name):
            table, said = read_table(data, path.name, str(path), options)
            notes += list(said)
            if _holds_texts(table, options, beside_texts=single):
                documents += table_documents(table, stem(_relative(path, folder)), options)
            else:
                tables.append(table)
        else:
            documents += _one(data, path, folder, options, empty)
    notes += _listed("empty and left out", empty, folder)
    if not documents:
        raise InputError(f"{folder} holds no text: all {len(known)} files are empty")
    documents, described = _describe(documents, tables, options)
    documents = unique_names(documents)
    return [documents[0].noting(*notes, *described), *documents[1:]]


def _visible(folder: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        yield from (Path(here, name) for name in files if not name.startswith("."))


def _relative(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _one(data: bytes, path: Path, folder: Path, options: ReadOptions, empty: list[Path]) -> list[Document]:
    name = _relative(path, folder)
    try:
        document = read_text(data, name, str(path), options)
    except NoText:
        empty.append(path)
        return []
    if options.label == FROM_FOLDER:
        document = replace(document, label=path.parent.name if path.parent != folder else None)
    return [document]


def _ignored(paths: Sequence[Path], folder: Path) -> list[str]:
    return _listed("of unknown kind and ignored", paths, folder)


def _listed(what: str, paths: Sequence[Path], folder: Path) -> list[str]:
    if not paths:
        return []
    names = ", ".join(_relative(p, folder) for p in paths[:_LISTED]) + (", …" if len(paths) > _LISTED else "")
    return [f"{len(paths):,} {'file is' if len(paths) == 1 else 'files are'} {what}: {names}"]


def _holds_texts(table: Table, options: ReadOptions, *, beside_texts: bool) -> bool:
    """Tell a table of texts from one that describes the text files beside it."""
    if options.text:
        return options.text in table.columns
    return not beside_texts or table.known(TEXT_COLUMNS) is not None


def _describe(
    documents: list[Document], tables: Sequence[Table], options: ReadOptions
) -> tuple[list[Document], list[str]]:
    """Give documents the fields, and the label, of a table row that names them."""
    notes = []
    for table in tables:
        key = _key_column(table, {d.name for d in documents})
        if key is None:
            notes.append(f"{table.source} holds no column of texts and was ignored")
            continue
        rows = {stem(str(row.get(key))): row for row in table.rows}
        documents = [_described(d, rows.get(d.name), options.label_column) for d in documents]
        found = sum(d.name in rows for d in documents)
        notes.append(
            f"{table.source} describes {found:,} of {len(documents):,} documents by its column {key!r}"
        )
    return documents, notes


def _key_column(table: Table, names: set[str]) -> str | None:
    """Return the column whose values name at least half of the documents."""
    hits = {c: len(names & {stem(str(v)) for v in table.values(c)}) for c in table.columns}
    best = max(hits, key=lambda c: hits[c], default=None)
    return best if best is not None and hits[best] * 2 >= len(names) else None


def _described(document: Document, row: dict[str, object] | None, label: str | None) -> Document:
    if row is None:
        return document
    value = row.get(label) if label else None
    return replace(
        document,
        fields={**document.fields, **row},
        label=document.label if value in {None, ""} else str(value),
    )


def unique_names(documents: Sequence[Document]) -> list[Document]:
    """Tell documents of one name apart: by their file's ending, else by a number."""
    counts = Counter(d.name for d in documents)
    taken = {name for name, n in counts.items() if n == 1}
    result = []
    for document in documents:
        name = document.name
        if counts[name] > 1:
            name = _free(name, Path(document.source).name, taken)
            taken.add(name)
        result.append(replace(document, name=name) if name != document.name else document)
    return result


def _free(name: str, file: str, taken: set[str]) -> str:
    ending = "" if is_table(file) else file[len(stem(file)) :]
    candidate, number = name + ending, 2
    while candidate in taken:
        candidate, number = f"{name} ({number})", number + 1
    return candidate
