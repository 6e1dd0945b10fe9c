"""`read_documents` reads files, folders, tables and standard input."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lexicloud.errors import InputError, warn
from lexicloud.store.files import refuse_device
from lexicloud.text.document import FROM_FOLDER, FROM_NAME, ReadOptions, labels_from_names, parts_to_keep
from lexicloud.text.folder import read_folder, read_zip, unique_names
from lexicloud.text.formats import (
    ARCHIVE,
    is_table,
    kind,
    load,
    read_table,
    read_texts,
    remedy,
    stem,
    unzipped,
)
from lexicloud.text.tables import table_documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lexicloud.text.clean import Gutenberg
    from lexicloud.text.document import Document

_SKIP_BAD: ContextVar[bool] = ContextVar("skip_bad", default=False)
_KEEP: ContextVar[frozenset[str]] = ContextVar("keep", default=frozenset())


def skip_bad_files() -> None:
    """From now on, leave out files of a folder that cannot be read, as the option `--skip-bad` asks."""
    _SKIP_BAD.set(True)


def keep_parts(keep: str | Iterable[str]) -> None:
    """From now on, read parts that are otherwise left out, as the option `--keep` asks."""
    parts = parts_to_keep(keep)
    ReadOptions(keep=parts)  # raises an error for an unknown part
    _KEEP.set(parts)


def read_documents(
    path: str | Path,
    *,
    text: str | None = None,
    name: str | None = None,
    label: str | None = None,
    encoding: str | None = None,
    errors: str = "strict",
    gutenberg: Gutenberg = "auto",
    skip_bad: bool | None = None,
    keep: str | Iterable[str] | None = None,
) -> list[Document]:
    """Read a file, a folder of files, or standard input (`-`).

    Kinds: .txt .md .html .xml (TEI and other) .docx .odt .rtf .pdf .epub .eml .mbox, tables .csv .tsv .jsonl .xlsx
    .parquet, and .zip archives of these; each also .gz. `text`, `name` and `label` choose columns of tables; without
    `text` a column is taken if the choice is clear, and named in the notes. `fields` hold what a file says about its
    text (author, title, date, language). `label="@name"` takes the label from names such as `Austen_Emma.txt`,
    `label="@folder"` from the folder of a file. A table in a folder that lists the other files gives them its columns
    as fields. Encodings are detected unless given. `errors="replace"` replaces undecodable bytes and counts them.
    `gutenberg` is "auto", "cut" or "keep". `keep` names parts that are otherwise left out, as "headings,notes":
    headings, notes, speakers, stage, front and back of TEI; notes of office files; quotes and signatures of mail. None
    means what `keep_parts` set. Of a folder only regular files are read. With `skip_bad`, files that cannot be read are
    left out and noted; None means False unless `skip_bad_files` was called.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "Melville_Moby.txt").write_text("Call me Ishmael.", encoding="utf-8")
    ...     [(d.name, d.label, d.text) for d in read_documents(folder, label="@name")]
    [('Melville_Moby', 'Melville', 'Call me Ishmael.')]
    """
    options = _options(text, name, label, encoding, errors, gutenberg, skip_bad, keep)
    if str(path) == "-":
        documents = _read_bytes(sys.stdin.buffer.read(), "stdin", "standard input", options)
    elif not str(path).strip():
        raise InputError("the path is empty: give a file, a folder, or - for standard input")
    else:
        documents = _read_path(Path(path).expanduser(), options)
    return _finished(documents, str(path), options)


def read_bytes(data: bytes, name: str, /, **options: Any) -> list[Document]:
    """Read the bytes of a file, whose kind follows from the ending of its name; options as in `read_documents`.

    >>> [(d.name, d.text, d.kind) for d in read_bytes(b"<p>Call me Ishmael.</p>", "moby.html")]
    [('moby', 'Call me Ishmael.', 'HTML')]
    """
    given = _options(**options)
    return _finished(_read_bytes(unzipped(data, name, name), name, name, given), name, given)


def _options(
    text: str | None = None,
    name: str | None = None,
    label: str | None = None,
    encoding: str | None = None,
    errors: str = "strict",
    gutenberg: Gutenberg = "auto",
    skip_bad: bool | None = None,
    keep: str | Iterable[str] | None = None,
) -> ReadOptions:
    """Return the options, completed by `skip_bad_files` and `keep_parts`."""
    skip = _SKIP_BAD.get() if skip_bad is None else skip_bad
    parts = _KEEP.get() if keep is None else parts_to_keep(keep)
    return ReadOptions(text, name, label, encoding, errors, gutenberg, skip, parts)


def _finished(documents: list[Document], path: str, options: ReadOptions) -> list[Document]:
    if options.label == FROM_NAME:
        labels = labels_from_names(d.name for d in documents)
        documents = [replace(d, label=found) for d, found in zip(documents, labels, strict=True)]
    _check_columns(documents, options, path)
    return documents


def _read_path(path: Path, options: ReadOptions) -> list[Document]:
    try:
        return _read_there(path, options)
    except OSError as error:  # the system may refuse even to say what the path is
        raise InputError(f"{error.filename or path} cannot be read: {error.strerror or error}") from error


def _read_there(path: Path, options: ReadOptions) -> list[Document]:
    if path.is_dir():
        documents, unreadable = read_folder(path, options)
        if _SKIP_BAD.get():  # the user of the command line is told, even if the notes are not shown
            for left_out in unreadable:
                warn(left_out)
        return documents
    if not path.exists():
        raise InputError(f"there is no file or folder {path}")
    refuse_device(path)
    documents = _read_bytes(load(path), path.name, str(path), options)
    if options.label == FROM_FOLDER and not is_table(path.name) and kind(path.name) != ARCHIVE:
        return [replace(d, label=path.absolute().parent.name) for d in documents]
    return documents


def _read_bytes(data: bytes, name: str, source: str, options: ReadOptions) -> list[Document]:
    """Read one file of any kind."""
    if is_table(name):
        table, about = read_table(data, name, source, options)
        documents = unique_names(table_documents(table, stem(name), options, about))
        return [documents[0].noting(*about.notes), *documents[1:]]
    if kind(name) == ARCHIVE:
        return read_zip(data, source, options)
    if not kind(name) and Path(name).suffix:
        return _unknown_kind(data, name, source, options)
    return unique_names(read_texts(data, name, source, options))


def _unknown_kind(data: bytes, name: str, source: str, options: ReadOptions) -> list[Document]:
    """Read a file with an unknown ending as plain text, because the user named it; refuse binary data."""
    try:
        documents = read_texts(data, name, source, options)
    except InputError as error:
        raise type(error)(f"{error} ({remedy(name)})") from None
    return [d.noting(f"{d.name}: read as plain text") for d in documents]


def _check_columns(documents: Sequence[Document], options: ReadOptions, path: str) -> None:
    """Refuse an option for columns if there is no table, so that it is not ignored silently."""
    if options.columns and not any(d.fields or is_table(d.source) for d in documents):
        raise InputError(
            f"{path} is not a table, so there is no column {options.columns[0]!r}; "
            "labels of text files come from their names (--label @name) or folders (--label @folder)"
        )
