"""`read_documents`: the one door for files, folders, tables and standard input."""

from __future__ import annotations

import os
import stat
import sys
from collections import Counter
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lexicloud.errors import InputError, warn
from lexicloud.progress import track
from lexicloud.text.document import FROM_FOLDER, FROM_NAME, Document, ReadOptions, labels_from_names, readable
from lexicloud.text.formats import KNOWN, NoText, is_table, kind, load, read_table, read_text, stem
from lexicloud.text.tables import TEXT_COLUMNS, Table, table_documents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lexicloud.text.clean import Gutenberg
    from lexicloud.text.document import Document

_SKIP_BAD: ContextVar[bool] = ContextVar("skip_bad", default=False)


def skip_bad_files() -> None:
    """From here on, leave out the files of a folder that cannot be read: what a shell's `--skip-bad` asks for."""
    _SKIP_BAD.set(True)


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
) -> list[Document]:
    """Read a file, a folder of files, or standard input (`-`).

    Kinds: .txt .md .html .epub .csv .tsv .jsonl .pdf .docx, each also .gz. `text`, `name` and `label`
    choose columns of tables; without `text` a likely column is taken and named in the notes.
    `label="@name"` takes the label from names such as `Austen_Emma.txt`, `label="@folder"` from the folder a
    file lies in; in a folder, a table that lists the files beside it lends them its columns. Encodings are
    detected unless given.
    `errors="replace"` replaces undecodable bytes and counts them. `gutenberg` is "auto", "cut" or "keep".
    Of a folder only regular files are read; with `skip_bad`, those that cannot be read are left out and noted
    (None: as `skip_bad_files` was told, and not if it was told nothing).

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "Melville_Moby.txt").write_text("Call me Ishmael.", encoding="utf-8")
    ...     [(d.name, d.label, d.text) for d in read_documents(folder, label="@name")]
    [('Melville_Moby', 'Melville', 'Call me Ishmael.')]
    """
    skip = _SKIP_BAD.get() if skip_bad is None else skip_bad
    options = ReadOptions(text, name, label, encoding, errors, gutenberg, skip)
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
    _refuse_device(path)
    data = load(path)
    if is_table(path.name):
        table, notes = read_table(data, path.name, str(path), options)
        documents = unique_names(table_documents(table, stem(path.name), options))
        return [documents[0].noting(*notes), *documents[1:]]
    if not kind(path.name) and path.suffix:
        return [_unknown_kind(data, path, options)]
    return [_labelled_by_folder(read_text(data, path.name, str(path), options), path, options)]


def _refuse_device(path: Path) -> None:
    """Refuse what never ends, as /dev/zero; a pipe or a terminal that someone names ends when they say so."""
    mode = path.stat().st_mode
    if (stat.S_ISCHR(mode) and str(path) != os.devnull and not _is_terminal(path)) or stat.S_ISBLK(mode):
        raise InputError(f"{path} is a device, not a file: give a file, a folder, or - for standard input")


def _is_terminal(path: Path) -> bool:
    with path.open("rb") as device:
        return device.isatty()


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


_LISTED: Final = 5  # how many skipped files a note names


def read_folder(folder: Path, options: ReadOptions) -> list[Document]:
    """Read every file of a known kind below a folder, in the order of their paths."""
    paths, notes = _visible(folder)
    known = [p for p in paths if kind(p.name)]
    if not known:
        raise InputError(
            f"{folder} holds no file that can be read; the kinds are {', '.join(KNOWN)}, each also .gz"
        )
    notes += _listed("of unknown kind and ignored", [p for p in paths if not kind(p.name)], folder)
    single = len([p for p in known if not is_table(p.name)]) > 0
    documents: list[Document] = []
    tables: list[Table] = []
    empty: list[Path] = []
    bad: dict[Path, InputError] = {}
    for path in track(known, "reading files"):
        try:
            data = load(path)
            if not data.strip():
                empty.append(path)
            elif is_table(path.name):
                table, said = read_table(data, path.name, readable(str(path)), options)
                notes += list(said)
                if _holds_texts(table, options, beside_texts=single):
                    documents += table_documents(table, stem(_relative(path, folder)), options)
                else:
                    tables.append(table)
            else:
                documents += _one(data, path, folder, options, empty)
        except InputError as error:
            bad[path] = error
            if not options.skip_bad:
                raise _with_remedy(error, len(known)) from None
    notes += _listed("empty and left out", empty, folder) + _unreadable(bad, folder)
    if _SKIP_BAD.get():  # somebody at a shell hears of it, whatever becomes of the notes
        for left_out in _unreadable(bad, folder):
            warn(left_out)
    if not documents:
        raise InputError(f"{folder} holds no text: all {len(known)} files are empty or cannot be read")
    documents, described = _describe(documents, tables, options)
    documents = unique_names(documents)
    return [documents[0].noting(*notes, *described), *documents[1:]]


def _with_remedy(error: InputError, files: int) -> InputError:
    """Say how to go on without a bad file, where there are others."""
    hint = "; or leave such files out (skip_bad=True or --skip-bad)" if files > 1 else ""
    return type(error)(f"{error}{hint}")


def _unreadable(bad: Mapping[Path, InputError], folder: Path) -> list[str]:
    """Name the files that were left out, and say of the first why."""
    reason = [f"left out because {next(iter(bad.values()))}"] if bad else []
    return _listed("not readable and left out", list(bad), folder) + reason


def _visible(folder: Path) -> tuple[list[Path], list[str]]:
    """Return the regular files below a folder in order, and notes on what else there is."""
    files: list[Path] = []
    others: list[Path] = []
    closed: list[OSError] = []
    for here, folders, names in os.walk(folder, onerror=closed.append):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in names:
            if not name.startswith("."):
                path = Path(here, name)
                (files if path.is_file() else others).append(path)
    notes = _listed("no regular file and ignored", sorted(others), folder)
    notes += [f"the folder {readable(str(e.filename))} cannot be opened: {e.strerror}" for e in closed]
    return sorted(files), notes


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


def _listed(what: str, paths: Sequence[Path], folder: Path) -> list[str]:
    if not paths:
        return []
    names = ", ".join(readable(_relative(p, folder)) for p in paths[:_LISTED])
    names += ", …" if len(paths) > _LISTED else ""
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
