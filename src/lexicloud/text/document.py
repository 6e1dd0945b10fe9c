"""What readers take and return: options, decoding of bytes, and documents."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import EncodingError, InputError, OptionError
from lexicloud.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lexicloud.text.clean import Gutenberg

# A UTF-32 mark begins with a UTF-16 mark, so UTF-32 is tried first.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Control characters that do not occur in text, unlike tab, line ends, form feed, escape, and Ctrl-Z in DOS files.
_BINARY: Final = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f]")
# Signatures of formats that people rename: PDF, zip (docx, epub), gzip, PNG, JPEG, old Office.
_SIGNATURES: Final = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", b"\xff\xd8\xff", b"\xd0\xcf\x11\xe0")
# In Western European text at most about one letter in eight is accented. Cyrillic or Greek text in a one-byte encoding
# consists almost only of bytes above 127.
_WESTERN_SHARE: Final = 0.2
# With fewer bytes above 127, detection has too little evidence, and Windows-1252 is the likelier guess.
_ENOUGH_TO_DETECT: Final = 200

REPLACE: Final = ":replace"


@dataclass(frozen=True)
class Extracted:
    """One text from a file, with the kind of file, what was left out, and what the file says about the text.

    `left_out` counts what is in the file but not in the text; `fields` hold author, title, date and language if the
    file names them; `name` distinguishes the texts of one file.
    """

    text: str
    kind: str = "plain text"
    encoding: str = ""
    notes: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""


def decode(
    data: bytes, source: str, encoding: str | None = None, errors: str = "strict"
) -> tuple[str, tuple[str, ...]]:
    """Return the text of `data`, and notes on how it was decoded unless it was plain UTF-8.

    An encoding written as `utf-8:replace` asks for `errors="replace"` too.

    >>> decode("naïve".encode("utf-16"), "a.txt")
    ('naïve', ('read as utf-16',))
    """
    found = extract(data, source, encoding, errors)
    return found.text, found.notes


def extract(
    data: bytes, source: str, encoding: str | None = None, errors: str = "strict", kind: str = "plain text"
) -> Extracted:
    """Return the text of `data` as `decode` does, with the name of its encoding."""
    if encoding and encoding.endswith(REPLACE):
        encoding, errors = encoding.removesuffix(REPLACE) or None, "replace"
    if errors not in {"strict", "replace"}:
        raise OptionError(f"errors={errors!r} is not known; choose 'strict' or 'replace'")
    chosen = _checked(encoding) if encoding else _detect(data, source, errors)
    try:
        text, replaced = data.decode(chosen), 0
    except UnicodeDecodeError as error:
        if errors == "strict":
            raise _undecodable(source, chosen, error) from None
        text = data.decode(chosen, "replace")
        replaced = text.count("\ufffd")
    except UnicodeError as error:  # UTF-16 or UTF-32 with a missing mark or half a character
        raise EncodingError(f"{source} is not {chosen}: {error}") from None
    notes = [] if chosen in {"utf-8", "utf-8-sig"} or encoding else [f"read as {chosen}"]
    if replaced:
        notes.append(f"{replaced:,} undecodable {'place' if replaced == 1 else 'places'} replaced ({chosen})")
    return Extracted(text.removeprefix("\ufeff"), kind, chosen.removesuffix("-sig"), tuple(notes))


def _checked(encoding: str) -> str:
    try:
        with suppress(UnicodeError):
            b"a".decode(encoding)  # codecs that make no text, such as uu, are refused here
        return codecs.lookup(encoding).name
    except LookupError:
        raise OptionError(
            f"there is no encoding {encoding!r}; utf-8, cp1252, utf-16 are common ones"
        ) from None


def _detect(data: bytes, source: str, errors: str) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    _refuse_binary(data, source)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        guess = None if _damaged_utf8(data) else _guess(data)
        if guess is None and errors == "strict":
            raise _undecodable(source, "utf-8", error) from None
        return guess or "utf-8"
    return "utf-8"


def _refuse_binary(data: bytes, source: str) -> None:
    start = data[:65536]
    controls = len(_BINARY.findall(start))
    if data.startswith(_SIGNATURES) or controls > len(start) * 0.001:
        where = (
            ""
            if not (first := _BINARY.search(start))
            else f" (byte {first.start():,} is {start[first.start()]:#04x})"
        )
        raise InputError(
            f"{source} is not text but binary data{where}: convert it, or give it its proper file name ending"
        )


def _damaged_utf8(data: bytes) -> bool:
    """Tell whether most non-ASCII text is valid UTF-8: then a wrong byte is damage, not another encoding."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    return sum(c > "\x7f" for c in text) - bad > 2 * bad


def _guess(data: bytes) -> str | None:
    high = len(data) - len(data.translate(None, bytes(range(128, 256))))
    letters = high + sum(map(bytes.isalpha, (data[i : i + 1] for i in range(min(len(data), 100_000)))))
    if high < _ENOUGH_TO_DETECT and high < _WESTERN_SHARE * letters and _decodes(data, "cp1252"):
        return "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    return best.encoding.replace("_", "-") if best else None


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _undecodable(source: str, encoding: str, error: UnicodeDecodeError) -> EncodingError:
    byte = error.object[error.start]
    return EncodingError(
        f"{source} is not {encoding}: byte {error.start:,} is {byte:#04x}; "
        "give its encoding, or ask for undecodable bytes to be replaced (errors='replace', or --encoding utf-8:replace)"
    )


@dataclass(frozen=True)
class Document(Result):
    """One text, its name and label, and what reading did to it.

    `notes` say what was guessed, cut, replaced or skipped; `fields` hold the other columns of a table's row, or what a
    file says about its text (author, title, date, language). `kind` and `encoding` are those of the file, and
    `left_out` counts the parts of the file that are not in the text.
    """

    name: str
    text: str
    label: str | None = None
    source: str = ""
    notes: tuple[str, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)
    kind: str = ""
    encoding: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict, hash=False)

    def noting(self, *notes: str) -> Document:
        """Return the document with further notes."""
        return replace(self, notes=self.notes + notes) if notes else self


_YEAR: Final = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)")


def first_year(text: str) -> int | None:
    """Return the first year in a date or a name.

    >>> first_year("printed 1857 in Prague"), first_year("2021-04-09"), first_year("long ago")
    (1857, 2021, None)
    """
    found = _YEAR.search(text)
    return int(found[1]) if found else None


_UNSEEN: Final = dict.fromkeys((*range(32), *range(127, 160), *range(0xD800, 0xE000)), "\ufffd")


def readable(name: str) -> str:
    r"""Return a file's name as text: control characters and bytes that are not UTF-8 become U+FFFD.

    >>> readable("caf\udce9.txt"), readable("a\x1b[2J.txt")
    ('caf�.txt', 'a�[2J.txt')
    """
    return name.translate(_UNSEEN)


_SEPARATORS: Final = ("_", " - ", "-")


def labels_from_names(names: Iterable[str]) -> list[str | None]:
    """Return the author's part of each name, as in `Austen_Emma.txt`; None for a name of one part.

    Underscores separate the parts, or dashes if no name has an underscore. Numbers and shelf marks before the author
    (`FRA00301_Aimard`), which no two texts share, are skipped. `lexicloud.corpus.labels` decides whether these parts
    are authors at all.

    >>> labels_from_names(["Austen_Emma", "novels/Melville_Moby_Dick.txt", "CS0035_1876_Svetla_Kriz", "beowulf"])
    ['Austen', 'Melville', 'Svetla', None]
    """
    stems = [name.rsplit("/", 1)[-1] for name in names]
    mark = next((m for m in _SEPARATORS if any(m in stem for stem in stems)), _SEPARATORS[0])
    parts = [[part.strip() for part in stem.split(mark)] for stem in stems]
    often = Counter(some[0] for some in parts if any(map(str.isalpha, some[0])))
    return [_author_part(some, repeated=often[some[0]] > 1) for some in parts]


def _author_part(parts: Sequence[str], *, repeated: bool) -> str | None:
    """Return the first part without a digit; or the very first, if several texts share it (`user7_letter`)."""
    if len(parts) < 2 or not parts[0]:
        return None
    if repeated:
        return parts[0]
    return next((part for part in parts if part and not any(map(str.isdigit, part))), parts[0])


FROM_NAME: Final = "@name"
FROM_FOLDER: Final = "@folder"


# Parts of files that are left out unless the user asks for them.
PARTS: Final = ("headings", "notes", "speakers", "stage", "front", "back", "quotes", "signatures")


def parts_to_keep(keep: str | Iterable[str]) -> frozenset[str]:
    """Return the names of parts as a set, from a list or a text with commas.

    >>> sorted(parts_to_keep("notes, headings"))
    ['headings', 'notes']
    """
    names = keep.split(",") if isinstance(keep, str) else keep
    return frozenset(name.strip().lower() for name in names if name.strip())


@dataclass(frozen=True)
class ReadOptions:
    """The options of `read_documents`, checked."""

    text: str | None = None
    name: str | None = None
    label: str | None = None
    encoding: str | None = None
    errors: str = "strict"
    gutenberg: Gutenberg = "auto"
    skip_bad: bool = False
    keep: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        unknown = sorted(self.keep - set(PARTS))
        if unknown:
            raise OptionError(f"keep={unknown[0]!r} is not known; choose from {', '.join(PARTS)}")
        for option, value, allowed in (
            ("errors", self.errors, ("strict", "replace")),
            ("gutenberg", self.gutenberg, ("auto", "keep", "cut")),
        ):
            if value not in allowed:
                raise OptionError(
                    f"{option}={value!r} is not known; choose {' or '.join(map(repr, allowed))}"
                )
        if self.label and self.label.startswith("@") and self.label not in {FROM_NAME, FROM_FOLDER}:
            raise OptionError(f"label={self.label!r} is not known; choose a column, '@name' or '@folder'")

    @property
    def label_column(self) -> str | None:
        """The column that holds labels, if a column was asked for."""
        return self.label if self.label not in {FROM_NAME, FROM_FOLDER} else None

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that was asked for."""
        return tuple(c for c in (self.text, self.name, self.label_column) if c)
