"""`read_documents`: the one door for files, folders and standard input."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lexicloud.errors import InputError
from lexicloud.text.readers.document import Document, labels_from_names
from lexicloud.text.readers.files import KNOWN, is_table, kind, load, read_table, read_text, stem
from lexicloud.text.readers.folder import read_folder, unique_names
from lexicloud.text.readers.options import FROM_FOLDER, FROM_NAME, ReadOptions
from lexicloud.text.readers.rows import table_documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.text.readers.gutenberg import Gutenberg


def read_documents(
    path: str | Path,
    *,
    text: str | None = None,
    name: str | None = None,
    label: str | None = None,
    encoding: str | None = None,
    errors: str = "strict",
    gutenberg: Gutenberg = "auto",
) -> list[Document]:
    """Read a file, a folder of files, or standard input (`-`).

    Kinds: .txt .md .html .epub .csv .tsv .jsonl .pdf .docx, each also .gz. `text`, `name` and `label`
    choose columns of tables; without `text` a likely column is taken and named in the notes.
    `label="@name"` takes the label from names such as `Austen_Emma.txt`, `label="@folder"` from the folder a
    file lies in; in a folder, a table that lists the files beside it lends them its columns. Encodings are
    detected unless given.
    `errors="replace"` replaces undecodable bytes and counts them. `gutenberg` is "auto", "cut" or "keep".

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "Melville_Moby.txt").write_text("Call me Ishmael.", encoding="utf-8")
    ...     [(d.name, d.label, d.text) for d in read_documents(folder, label="@name")]
    [('Melville_Moby', 'Melville', 'Call me Ishmael.')]
    """
    options = ReadOptions(text, name, label, encoding, errors, gutenberg)
    if str(path) == "-":
        documents = [read_text(sys.stdin.buffer.read(), "stdin", "standard input", options)]
    elif not str(path).strip():
        raise InputError("the path is empty: give a file, a folder, or - for standard input")
    else:
        documents = _read_path(Path(path).expanduser(), options)
    if label == FROM_NAME:
        labels = labels_from_names(d.name for d in documents)
        documents = [replace(d, label=found) for d, found in zip(documents, labels, strict=True)]
    _check_columns(documents, options, str(path))
    return documents


def _read_path(path: Path, options: ReadOptions) -> list[Document]:
    if path.is_dir():
        return read_folder(path, options)
    if not path.exists():
        raise InputError(f"there is no file or folder {path}")
    data = load(path)
    if is_table(path.name):
        table, notes = read_table(data, path.name, str(path), options)
        documents = unique_names(table_documents(table, stem(path.name), options))
        return [documents[0].noting(*notes), *documents[1:]]
    if not kind(path.name) and path.suffix:
        return [_unknown_kind(data, path, options)]
    return [_labelled_by_folder(read_text(data, path.name, str(path), options), path, options)]


def _unknown_kind(data: bytes, path: Path, options: ReadOptions) -> Document:
    """Read a file of unknown ending as plain text, because someone named it; binary data is refused."""
    try:
        document = read_text(data, path.name, str(path), options)
    except InputError as error:
        raise type(error)(
            f"{error} ({path.suffix} is not a known kind; the kinds are {', '.join(KNOWN)})"
        ) from None
    return _labelled_by_folder(document, path, options).noting(f"{path.name}: read as plain text")


def _labelled_by_folder(document: Document, path: Path, options: ReadOptions) -> Document:
    return replace(document, label=path.absolute().parent.name) if options.label == FROM_FOLDER else document


def _check_columns(documents: Sequence[Document], options: ReadOptions, path: str) -> None:
    """Refuse a column where there is no table: the wish would otherwise be ignored silently."""
    if options.columns and not any(d.fields or is_table(d.source) for d in documents):
        raise InputError(
            f"{path} is not a table, so there is no column {options.columns[0]!r}; "
            "labels of text files come from label='@name' or label='@folder'"
        )
