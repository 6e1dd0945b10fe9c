"""The formats of files, and the function that reads the texts or rows of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from lexicloud.errors import InputError
from lexicloud.store.files import gunzip
from lexicloud.text.clean import cut_gutenberg, gutenberg_header
from lexicloud.text.document import Document, Extracted, extract, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lexicloud.text.document import ReadOptions
    from lexicloud.text.tables import TextTable


class NoText(InputError):
    """A file was read but holds no text; in a folder it is left out."""


def _plain(data: bytes, source: str, options: ReadOptions) -> list[Extracted]:
    return [extract(data, source, options.encoding, options.errors)]


def _markdown(data: bytes, source: str, options: ReadOptions) -> list[Extracted]:
    from lexicloud.text.markup import markdown_to_text

    found = extract(data, source, options.encoding, options.errors, "Markdown")
    return [replace(found, text=markdown_to_text(found.text))]


def _html(data: bytes, source: str, options: ReadOptions) -> list[Extracted]:
    from lexicloud.text.markup import decode_markup, read_html

    found = decode_markup(data, source, options.encoding, options.errors, "HTML")
    text, notes = read_html(found.text)
    return [replace(found, text=text, notes=found.notes + notes)]


def _xml(data: bytes, source: str, options: ReadOptions) -> list[Extracted]:
    from lexicloud.text.tei import read_xml

    return read_xml(data, source, options)


def _epub(data: bytes, source: str, options: ReadOptions) -> list[Extracted]:  # noqa: ARG001
    from lexicloud.text.office import read_epub

    return [read_epub(data, source)]


def _pdf(data: bytes, source: str, options: ReadOptions) -> list[Extracted]:  # noqa: ARG001
    from lexicloud.text.office import read_pdf

    return [read_pdf(data, source)]


def _docx(data: bytes, source: str, options: ReadOptions) -> list[Extracted]:
    from lexicloud.text.office import read_docx

    return [read_docx(data, source, options.keep)]


def _odt(data: bytes, source: str, options: ReadOptions) -> list[Extracted]:
    from lexicloud.text.office import read_odt

    return [read_odt(data, source, options.keep)]


def _rtf(data: bytes, source: str, options: ReadOptions) -> list[Extracted]:
    from lexicloud.text.office import read_rtf

    return [read_rtf(data, source, options.keep)]


def _eml(data: bytes, source: str, options: ReadOptions) -> list[Extracted]:
    from lexicloud.text.mail import read_eml

    return [read_eml(data, source, options.keep)]


def _mbox(data: bytes, source: str, options: ReadOptions) -> list[Extracted]:
    from lexicloud.text.mail import read_mbox

    return read_mbox(data, source, options.keep)


_TEXTS: Final[dict[str, Callable[[bytes, str, ReadOptions], list[Extracted]]]] = {
    ".txt": _plain,
    ".md": _markdown,
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
    ".xml": _xml,
    ".tei": _xml,
    ".docx": _docx,
    ".odt": _odt,
    ".rtf": _rtf,
    ".pdf": _pdf,
    ".epub": _epub,
    ".eml": _eml,
    ".mbox": _mbox,
}
_TABLES: Final = frozenset((".csv", ".tsv", ".jsonl", ".xlsx", ".parquet"))
ARCHIVE: Final = ".zip"
KNOWN: Final = (*_TEXTS, *sorted(_TABLES), ARCHIVE)
# Kinds that are not read, with what to do about them.
_ELSEWHERE: Final = {
    ".doc": "save it as .docx",
    ".xls": "save it as .xlsx",
    ".ods": "save it as .xlsx or .csv",
    ".pages": "export it as .docx",
    ".mobi": "convert it to .epub",
    ".azw3": "convert it to .epub",
    ".7z": "unpack it and give the folder",
    ".rar": "unpack it and give the folder",
    ".tar": "unpack it and give the folder",
}


def kind(name: str) -> str:
    """Return a file's ending without `.gz`, in lower case; empty if it is unknown.

    >>> kind("Emma.TXT.gz"), kind("cover.jpg")
    ('.txt', '')
    """
    suffix = PurePosixPath(name.lower().removesuffix(".gz")).suffix
    return suffix if suffix in KNOWN else ""


def is_table(name: str) -> bool:
    """Tell whether a file holds rows."""
    return kind(name) in _TABLES


def remedy(name: str) -> str:
    """Return what to do about a file of an unknown kind.

    >>> remedy("essay.doc")
    'save it as .docx'
    """
    suffix = PurePosixPath(name.lower()).suffix
    return _ELSEWHERE.get(suffix, f"{suffix} is not a known kind; the kinds are {', '.join(KNOWN)}")


def stem(name: str) -> str:
    """Return a file's name without its known ending.

    >>> stem("novels/Emma.v2.txt.gz")
    'novels/Emma.v2'
    """
    bare = name[:-3] if name.lower().endswith(".gz") else name
    return bare[: -len(kind(name))] if kind(name) else bare


def load(path: Path) -> bytes:
    """Return a file's bytes, unpacked if its name ends with .gz."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    return unzipped(data, path.name, str(path))


def unzipped(data: bytes, name: str, source: str) -> bytes:
    """Return the bytes of a file, unpacked if its name ends with .gz."""
    return gunzip(data, source) if name.lower().endswith(".gz") and data else data


def read_texts(data: bytes, name: str, source: str, options: ReadOptions) -> list[Document]:
    """Read the texts of one file; most files have one, a TEI corpus or a mailbox has several."""
    if not data.strip():
        raise InputError(f"{source} is empty")
    found = _TEXTS[kind(name) or ".txt"](data, source, options)
    if len(found) == 1:  # a single text takes the name of the file
        found = [replace(found[0], name="")]
    documents = [document for each in found if (document := _document(each, name, source, options))]
    if not documents:
        parts = next((", ".join(each.left_out) for each in found if each.left_out), "")
        raise NoText(f"{source} holds no text" + (f" but {parts}, which are left out" if parts else ""))
    return documents


def _document(found: Extracted, name: str, source: str, options: ReadOptions) -> Document | None:
    """Return a text as a document, without Gutenberg's licence; None if nothing is left."""
    text, cut = cut_gutenberg(found.text, options.gutenberg)
    if not text.strip():
        return None
    name = readable(name)
    own = f"{stem(name)}:{readable(found.name)}" if found.name else stem(name)
    fields = {**gutenberg_header(found.text, cut=bool(cut)), **found.fields}
    label = fields.get(options.label_column) if options.label_column else None
    return Document(
        own,
        text,
        None if label is None else str(label),
        readable(source),
        tuple(f"{name}: {note}" for note in found.notes + cut),
        fields,
        found.kind,
        found.encoding,
        found.left_out,
    )


def read_table(data: bytes, name: str, source: str, options: ReadOptions) -> tuple[TextTable, Extracted]:
    """Return the rows of one file, and its kind and encoding."""
    from lexicloud.text.sheets import read_parquet, read_xlsx
    from lexicloud.text.tables import read_csv, read_jsonl

    if not data.strip():
        raise InputError(f"{source} is empty")
    if kind(name) in {".xlsx", ".parquet"}:
        return (read_xlsx if kind(name) == ".xlsx" else read_parquet)(data, source)
    found = extract(data, source, options.encoding, options.errors, "table")
    text, about = found.text, replace(found, text="")
    if kind(name) == ".jsonl":
        return read_jsonl(text, source), about
    return read_csv(text, source, "\t" if kind(name) == ".tsv" else None), about


def unique_names(documents: Sequence[Document]) -> list[Document]:
    """Rename documents that share a name: add the file's ending, else a number."""
    counts = Counter(d.name for d in documents)
    taken = {name for name, n in counts.items() if n == 1}
    numbers: Counter[str] = Counter()
    result = []
    for document in documents:
        name = document.name
        if counts[name] > 1:
            name = _free(name, Path(document.source).name, taken, numbers)
            taken.add(name)
        result.append(replace(document, name=name) if name != document.name else document)
    return result


def _free(name: str, file: str, taken: set[str], numbers: Counter[str]) -> str:
    ending = "" if is_table(file) else file[len(stem(file)) :]
    candidate = name + ending
    for candidate in _candidates(name, ending, numbers):
        if candidate not in taken:
            break
    return candidate


def _candidates(name: str, ending: str, numbers: Counter[str]) -> Iterator[str]:
    """Yield names to try; counting goes on where the last search for this name stopped."""
    yield name + ending
    while True:
        numbers[name] += 1
        yield f"{name} ({numbers[name] + 1})"
