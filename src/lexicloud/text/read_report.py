"""A report on reading: for each file what was read, what was left out, and what the file says about its texts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from lexicloud.result import Result, TabularResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

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
