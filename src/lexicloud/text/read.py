"""`read_documents` reads files, folders, tables and standard input."""

from __future__ import annotations

import sys
from collections import Counter
from contextvars import ContextVar
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError, warn
from lexicloud.result import Result, TabularResult
from lexicloud.store.files import refuse_device
from lexicloud.text.document import FROM_FOLDER, FROM_NAME, ReadOptions, labels_from_names, parts_to_keep
from lexicloud.text.folder import read_folder, read_zip
from lexicloud.text.formats import (
    ARCHIVE,
    is_table,
    kind,
    load,
    read_table,
    read_texts,
    remedy,
    stem,
    unique_names,
    unzipped,
)
from lexicloud.text.tables import table_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lexicloud.text.clean import Gutenberg
    from lexicloud.text.document import Document

    Detect = Callable[[str], str | None]


_ABOUT: Final = ("author", "title", "date", "language")
_CHARACTERS: Final = 20_000  # first characters of a file, from which its language is detected
# Parts that the option `keep` includes; first those with another name in the counts.
_ASKED: Final = {"quoted lines": "quotes", "lines of signatures": "signatures"}
_KEPT: Final = frozenset(("headings", "notes", "speakers", "stage", "front", "back"))


@dataclass(frozen=True)
class FileReading(Result):
    """One file: its kind and encoding, how much was read, what it says about its texts, and what was left out."""

    file: str
    kind: str
    encoding: str
    texts: int
    characters: int
    found: Mapping[str, str]
    left_out: Mapping[str, int]
    language: str | None = None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the facts in one line."""
        kind = f"{self.kind}, {self.encoding}" if self.encoding else self.kind
        texts = f"{self.texts:,} texts, " if self.texts != 1 else ""
        parts = [f"{self.file}: {kind}", f"{texts}{self.characters:,} characters"]
        parts += [f"{key} {value}" for key, value in self.found.items()]
        if self.language and "language" not in self.found:
            parts.append(f"language {self.language}")
        parts += [f"left out {counted(self.left_out)}"] if self.left_out else []
        return "; ".join([*parts, *self.notes])


@dataclass(frozen=True)
class ReadReport(TabularResult):
    """All files in the order of reading, and notes that concern several of them.

    >>> from lexicloud.text.read import read_bytes
    >>> print(ReadReport.of(read_bytes(b"<TEI><text><body><head>I</head><p>It was.</p></body></text></TEI>", "a.xml")))
    a.xml: TEI, utf-8; 7 characters; left out 1 heading
    """

    _table = "files"

    files: tuple[FileReading, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, documents: Sequence[Document], detect: Detect | None = None) -> ReadReport:
        """Collect the facts and notes of documents; `detect` finds the language of a text that does not name it."""
        by_file: dict[str, list[Document]] = {}
        for document in documents:
            by_file.setdefault(document.source, []).append(document)
        files = tuple(_file(source, own, detect) for source, own in by_file.items())
        told = {note for file in files for note in _prefixed(file)}
        return cls(files, tuple(dict.fromkeys(n for d in documents for n in d.notes if n not in told)))

    def __str__(self) -> str:
        return "\n".join([*map(str, self.files), *self.notes])

    def summary(self) -> tuple[str, ...]:
        """Return the notes of files and folders, and one line for all that was left out."""
        notes = [note for file in self.files for note in _prefixed(file)]
        left_out: Counter[str] = Counter()
        for file in self.files:
            left_out.update(file.left_out)
        having = [file for file in self.files if file.left_out]
        if having:
            where = having[0].file if len(having) == 1 else f"{len(having):,} files"
            notes.append(f"left out of {where}: {counted(left_out)}{_remedy(left_out)}")
        return (*notes, *self.notes)


def language_of(text: str) -> str | None:
    """Return the language of a text, or None if it is not recognised."""
    if find_spec("lexicloud.text.detection") is None:
        return None
    found = str(import_module("lexicloud.text.detection").detect_language(text).language)
    return None if found == "unknown" else found


def _remedy(left_out: Iterable[str]) -> str:
    """Return a hint how to read parts that are left out by default."""
    parts = [_ASKED.get(part, part) for part in left_out]
    wanted = [part for part in parts if part in _KEPT or part in _ASKED.values()]
    return f"; to read them: --keep {','.join(wanted)}" if wanted else ""


def counted(left_out: Mapping[str, int]) -> str:
    """Return what was left out, with numbers.

    >>> counted({"headings": 12, "notes": 1, "front": 1})
    '12 headings, 1 note, 1 front matter'
    """
    return ", ".join(f"{count:,} {_called(what, count)}" for what, count in left_out.items())


def _called(what: str, count: int) -> str:
    name = {"front": "front matter", "back": "back matter", "stage": "stage directions"}.get(what, what)
    return name.removesuffix("s") if count == 1 else name


def _prefixed(file: FileReading) -> list[str]:
    return [f"{file.file}: {note}" for note in file.notes]


def _file(source: str, documents: Sequence[Document], detect: Detect | None) -> FileReading:
    first = documents[0]
    left_out: Counter[str] = Counter()
    for document in documents:
        left_out.update(document.left_out)
    name, notes = _own_notes(documents)
    sample = "\n".join(d.text[:_CHARACTERS] for d in documents[:5])[:_CHARACTERS]
    return FileReading(
        name or source.replace("\\", "/").rpartition("/")[2],
        first.kind,
        first.encoding,
        len(documents),
        sum(len(d.text) for d in documents),
        _said(documents),
        dict(left_out),
        detect(sample) if detect else None,
        notes,
    )


def _own_notes(documents: Sequence[Document]) -> tuple[str, tuple[str, ...]]:
    """Return a file's name as its notes spell it, and the notes without that name."""
    base = documents[0].source.replace("\\", "/").rpartition("/")[2]
    notes: dict[str, None] = {}
    name = ""
    for document in documents:
        for note in document.notes:
            start, colon, rest = note.partition(": ")
            if colon and (start == base or start.endswith(f"/{base}")):
                name = start
                notes[rest] = None
    return name, tuple(notes)


def _said(documents: Sequence[Document]) -> dict[str, str]:
    """Return what a file says about its texts; if values differ, how many there are."""
    found: dict[str, str] = {}
    for key in _ABOUT:
        values: dict[Any, None] = {d.fields[key]: None for d in documents if _plain(d.fields.get(key))}
        if len(values) == 1:
            found[key] = str(next(iter(values)))
        elif values:
            found[f"{key}s"] = f"{len(values):,} different"
    return found


def _plain(value: Any) -> bool:
    return isinstance(value, str | int) and value != ""


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
