"""TEI (P5) and other XML: the running text, and what the header says about it.

Only the body of a TEI file is read. Headings, notes, speakers, stage directions, front and back matter are counted and
left out unless the user asks for them. Of two readings the editor's is taken (corrections, expansions, the lemma of an
apparatus), but spelling stays the author's (`orig` before `reg`). Deletions, running titles and descriptions of figures
are not read.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError
from lexicloud.text.archive import Budget, XmlError, parse_xml
from lexicloud.text.document import Extracted, first_year
from lexicloud.text.markup import LINE, PARAGRAPH, decode_markup, html_to_text, layout, tag_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lexicloud.text.document import ReadOptions

# Tag → the name of its part, for the option `keep` and in counts.
_PARTS: Final = {
    "head": "headings",
    "note": "notes",
    "speaker": "speakers",
    "stage": "stage",
    "front": "front",
    "back": "back",
}
# Readings that are not taken, running titles, and descriptions of the text.
_NOT_READ: Final = frozenset(
    ("sic", "reg", "abbr", "rdg", "del", "surplus", "fw", "figDesc", "teiHeader", "standOff", "facsimile", "sourceDoc",
     "index")
)  # fmt: skip
_CHOICES: Final = frozenset(("sic", "reg", "abbr"))  # these are left out inside <choice> only
_BLOCKS: Final = tag_names(
    """
    ab argument body byline castItem castList closer dateline div div1 div2 div3 div4 div5 div6 div7 docAuthor docTitle
    epigraph group head imprimatur item lg list listBibl opener p postscript row sp spGrp speaker stage table text
    titlePage trailer
    """
)
_LINES: Final = frozenset(("l", "lb", "salute", "signed", "titlePart"))
_ROOTS: Final = frozenset(("TEI", "TEI.2"))
_LIFE: Final = re.compile(r"\s*\((?:ca?\.\s*)?\d{3,4}\??(?:\s*[-–—]\s*(?:ca?\.\s*)?\d{0,4}\??)?\)[\s.]*$")


class _Header:
    """Reads the header of a text: author, title, date and language."""

    def __init__(self) -> None:
        self.found: dict[str, list[str]] = {}
        # The open tags, and the kind of edition that each describes.
        self._path: list[tuple[str, str]] = []
        self._text: list[str] | None = None
        self._key = ""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take an opening tag inside the header."""
        self._path.append((tag, attributes.get("type", "")))
        names = [name for name, _ in self._path]
        if (
            tag in {"author", "title"}
            and self._text is None
            and ("titleStmt" in names or "sourceDesc" in names)
        ):
            self._key = f"{tag} {'titleStmt' if 'titleStmt' in names else 'sourceDesc'}"
            self._text = []
        elif tag == "date" and self._text is None:
            self._key, self._text = f"date {self._of_date(names)}", []
            when = attributes.get("when") or attributes.get("notBefore") or attributes.get("from") or ""
            self._add(when)
        elif tag == "language" and attributes.get("ident"):
            self._key = "language"
            self._add(attributes["ident"])

    def _of_date(self, names: list[str]) -> str:
        kinds = {kind for _, kind in self._path}
        if "creation" in names:
            return "creation"
        if "sourceDesc" not in names:
            return "digital"
        return next((kind for kind in ("firstEdition", "printSource") if kind in kinds), "source")

    def end(self, tag: str) -> None:
        """Take a closing tag inside the header."""
        if self._path:
            self._path.pop()
        if self._text is not None and self._key.startswith(f"{tag} "):
            self._add("".join(self._text))
            self._text = None

    def text(self, data: str) -> None:
        """Take text inside the header."""
        if self._text is not None:
            self._text.append(data)

    def _add(self, value: str) -> None:
        value = " ".join(value.split())
        if value and len(self.found.setdefault(self._key, [])) < 20:
            self.found[self._key].append(value)

    def fields(self) -> dict[str, Any]:
        """Return author, title, date and language, if the header has them."""
        authors = [_LIFE.sub("", name) for name in self._first("author titleStmt", "author sourceDesc")]
        found = {
            "author": "; ".join(dict.fromkeys(filter(None, authors))),
            "title": next(iter(self._first("title titleStmt", "title sourceDesc")), ""),
            "date": self._year(),
            "language": next(iter(self.found.get("language", ())), "").lower(),
        }
        return {key: value for key, value in found.items() if value}

    def _first(self, *keys: str) -> list[str]:
        return next((self.found[key] for key in keys if key in self.found), [])

    def _year(self) -> int | None:
        """Return the year of the work: of its creation, else of its first edition, else of the printed source."""
        for kind in ("creation", "firstEdition", "printSource", "source"):
            years = [year for year in map(first_year, self.found.get(f"date {kind}", ())) if year]
            if years:
                return min(years)
        return None


class _TeiReader:
    """Reads the texts of a TEI file; a corpus has several."""

    def __init__(self, keep: frozenset[str]) -> None:
        self.keep = keep
        self.texts: list[Extracted] = []
        self.shared: dict[str, Any] = {}  # fields from the header of a corpus, for all its texts
        self.roots = 0
        self._open: list[str] = []
        self._header: _Header | None = None
        self._begin({})

    def _begin(self, attributes: Mapping[str, str]) -> None:
        self.pieces: list[str] = []
        self.left_out: Counter[str] = Counter()
        self.about: dict[str, Any] = {}
        self.name = attributes.get("id") or attributes.get("n") or ""
        self.language = attributes.get("lang", "")
        self._skipping = 0
        self._in_text = 0
        self._after_word = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take an opening tag."""
        parent = self._open[-1] if self._open else ""
        self._open.append(tag)
        if self._header is not None:
            self._header.start(tag, attributes)
        elif tag in _ROOTS:
            self.roots += 1
            self._begin(attributes)
        elif tag == "teiHeader":
            self._header = _Header()
        elif self._skipping or self._is_left_out(tag, parent):
            self._skipping += 1
        elif self._in_text or tag == "text":
            self._in_text += tag == "text"
            self.language = self.language or (attributes.get("lang", "") if tag == "text" else "")
            if tag == "w" and self._after_word and not attributes.keys() & {"part", "join"}:
                self.pieces.append(" ")  # files that mark every word may have no blanks between them
            if not (tag == "lb" and attributes.get("break") == "no"):
                self.pieces.append(_edge(tag))

    def _is_left_out(self, tag: str, parent: str) -> bool:
        part = _PARTS.get(tag)
        if part and self._in_text and part not in self.keep:
            self.left_out[part] += 1
            return True
        return tag in _NOT_READ and (tag not in _CHOICES or parent == "choice")

    def end(self, tag: str) -> None:
        """Take a closing tag."""
        self._open.pop()
        if self._header is not None:
            if tag == "teiHeader":
                self._take_header(self._header.fields())
                self._header = None
            else:
                self._header.end(tag)
        elif self._skipping:
            self._skipping -= 1
        elif tag in _ROOTS:
            self._finish()
        elif self._in_text:
            self._in_text -= tag == "text"
            self._after_word = tag == "w"
            self.pieces.append(
                _edge(tag) if tag not in _LINES else ""
            )  # the tag of a line marks its beginning

    def text(self, data: str) -> None:
        """Take text."""
        if self._header is not None:
            self._header.text(data)
        elif self._in_text and not self._skipping:
            self.pieces.append(data)
            self._after_word = False

    def _take_header(self, fields: dict[str, Any]) -> None:
        if "TEI" in self._open or "TEI.2" in self._open:
            self.about = fields
        else:
            self.shared = fields

    def _finish(self) -> None:
        fields = {**self.shared, **self.about}
        if self.language:  # the text's own; the header lists every language that occurs in it
            fields["language"] = self.language.lower()
        text = layout("".join(self.pieces))
        self.texts.append(Extracted(text, "TEI", "", (), dict(self.left_out), fields, self.name))
        self._begin({})


def _edge(tag: str) -> str:
    if tag in _BLOCKS:
        return PARAGRAPH
    if tag in _LINES:
        return LINE
    return " " if tag == "cell" else ""


class _AnyXml:
    """Reads the text of unknown XML: a paragraph ends between two tags, but not between text and a tag."""

    def __init__(self) -> None:
        self.root = ""
        self.tags = 0
        self.pieces: list[str] = []
        self._after_tag = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        """Take an opening tag."""
        self.root = self.root or tag
        self.tags += 1
        self._meet()

    def end(self, tag: str) -> None:  # noqa: ARG002
        """Take a closing tag."""
        self._meet()

    def _meet(self) -> None:
        if self._after_tag:
            self.pieces.append(PARAGRAPH)
        self._after_tag = True

    def text(self, data: str) -> None:
        """Take text."""
        self.pieces.append(data)
        self._after_tag = self._after_tag and not data.strip()


def read_xml(data: bytes, source: str, options: ReadOptions) -> list[Extracted]:
    """Return the texts of a TEI file, or the text of any other XML file without its tags."""
    decoded = decode_markup(data, source, options.encoding, options.errors, "XML")
    page = _DECLARATION.sub("", decoded.text, count=1).encode("utf-8", "replace")
    budget = Budget(len(data), source)
    root = _root(page, budget, source)
    if root == "html":
        return [Extracted(html_to_text(decoded.text), "HTML", decoded.encoding, decoded.notes)]
    if root not in _ROOTS and root != "teiCorpus":
        return [_stripped(page, source, decoded)]
    reader = _TeiReader(options.keep)
    _parsed(page, reader, budget, source)
    return [
        Extracted(t.text, t.kind, decoded.encoding, decoded.notes, t.left_out, t.fields, t.name)
        for t in reader.texts
    ]


_DECLARATION: Final = re.compile(r"\A\s*<\?xml[^>]*\?>\s*|\A\s+")


class _FoundRoot(Exception):
    pass


def _root(page: bytes, budget: Budget, source: str) -> str:
    """Return the name of the outermost tag."""

    class First(_AnyXml):
        def start(self, tag: str, attributes: Mapping[str, str]) -> None:
            super().start(tag, attributes)
            raise _FoundRoot

    first = First()
    with suppress(_FoundRoot):
        _parsed(page, first, budget, source)
    return first.root


def _parsed(page: bytes, handler: Any, budget: Budget, source: str) -> None:
    try:
        parse_xml([page], handler, budget, encoding="utf-8")
    except XmlError as error:
        raise InputError(
            f"{source} is not well-formed XML: {error}; correct it, or rename it to .html or .txt to have it read"
        ) from None


def _stripped(page: bytes, source: str, decoded: Extracted) -> Extracted:
    handler = _AnyXml()
    _parsed(page, handler, Budget(len(page), source), source)
    note = (
        f"XML of another kind than TEI (<{handler.root[:40]}>): its {handler.tags:,} tags were stripped, and all text "
        "between them is read"
    )
    return Extracted(layout("".join(handler.pieces)), "XML", decoded.encoding, (*decoded.notes, note))
