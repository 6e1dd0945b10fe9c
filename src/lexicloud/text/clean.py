"""Remove what is not the author's text: Gutenberg's licence, mail headers and signatures, boilerplate of tickets."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from lexicloud.errors import OptionError
from lexicloud.progress import track
from lexicloud.result import Result, TabularResult

Gutenberg = Literal["auto", "keep", "cut"]

# Blanks before a marker match within its line only and without backtracking, so that blank lines take linear time.
# A marker with a long title may take two lines; the second pattern is the marker of the 1990s.
_START: Final = re.compile(
    r"^[^\S\n]*+\*{3}\s*START OF (?:THE |THIS )?PROJECT GUTENBERG E(?:BOOK|TEXT)[^*]{0,400}\*{3}[^\n]*$"
    r"|^[^\S\n]*+\*END\*?\s*THE SMALL PRINT![^\n]*\*END\*\s*$",
    re.MULTILINE | re.IGNORECASE,
)
_END: Final = re.compile(
    r"^[^\S\n]*+\*{3}\s*END OF (?:THE |THIS )?PROJECT GUTENBERG|^[^\S\n]*+End of (?:the )?Project Gutenberg",
    re.MULTILINE | re.IGNORECASE,
)


# The last words of the licence, and the first line of the next book in a file of several books.
_LICENCE_END: Final = re.compile(r"newsletter\s+to\s+hear\s+about\s+new\s+eBooks\.?", re.IGNORECASE)
_NEXT_BOOK: Final = re.compile(
    r"^[^\S\n]*+(?:The )?Project Gutenberg(?:['’]s|\s+E(?:Book|text))\b", re.MULTILINE | re.IGNORECASE
)
# The licence has about 19,000 characters, and a header fewer than 20,000, even with the small print of the 1990s.
_LICENCE: Final = 40_000


def cut_gutenberg(text: str, mode: Gutenberg = "auto") -> tuple[str, tuple[str, ...]]:
    r"""Return the text between Project Gutenberg's marker lines, for every book in it, and a note of what was cut.

    "auto" cuts at the marker lines if there are any, "cut" also notes if there are none, "keep" changes nothing.

    >>> before, after = "*** START OF THE PROJECT GUTENBERG EBOOK ***", "*** END OF THE PROJECT GUTENBERG"
    >>> cut_gutenberg(f"Licence\n{before}\nIt was.\n{after} EBOOK")[0]
    'It was.'
    """
    if mode not in {"auto", "keep", "cut"}:
        raise OptionError(f"gutenberg={mode!r} is not known; choose 'auto', 'keep' or 'cut'")
    if mode == "keep":
        return text, ()
    spans = _books(text)
    if spans is None:
        return text, ("no Project Gutenberg marker lines found",) if mode == "cut" else ()
    bodies = [body for begin, end in spans if (body := text[begin:end].strip())]
    if not bodies:  # markers with nothing between them: the text is about Gutenberg, not from it
        return text, ()
    if len(bodies) == 1:
        begin, end = next((b, e) for b, e in spans if text[b:e].strip())
        removed = [f"{begin:,} characters before"] if begin else []
        removed += [f"{len(text) - end:,} after"] if end < len(text) else []
        return bodies[0], (f"Project Gutenberg licence cut ({', '.join(removed)})",)
    kept = "\n\n\n".join(bodies)
    gone = len(text) - sum(map(len, bodies))
    return kept, (f"the Project Gutenberg licences around {len(bodies):,} texts cut ({gone:,} characters)",)


_ABOUT: Final = re.compile(
    r"^(Title|Author|Language|Release date):[^\S\n]*(\S[^\n]{0,300})$", re.MULTILINE | re.IGNORECASE
)


def gutenberg_header(text: str, *, cut: bool) -> dict[str, str]:
    """Return title, author and language from the header of a Gutenberg book; nothing if there are several books."""
    start = _START.search(text) if cut else None
    if not start or _START.search(text, start.end()):
        return {}
    found = {key.lower(): value.strip() for key, value in _ABOUT.findall(text[: start.start()][-_LICENCE:])}
    return {key: found[key] for key in ("title", "author", "language") if key in found}


def _books(text: str) -> list[tuple[int, int]] | None:
    """Return where each text between marker lines begins and ends; None where there are no markers."""
    starts = [(m.start(), m.end()) for m in _START.finditer(text)]
    ends = [m.start() for m in _END.finditer(text)]
    if not starts and not ends:
        return None
    marks = sorted([(at, after, True) for at, after in starts] + [(at, at, False) for at in ends])
    # The text before the first marker is a header, or a book whose header somebody has cut off.
    begin: int | None = None if marks[0][2] else 0
    spans: list[tuple[int, int]] = []
    for i, (at, after, starts_book) in enumerate(marks):
        if begin is not None:
            spans.append((begin, _before_header(text, begin, at) if starts_book else at))
        following = marks[i + 1] if i + 1 < len(marks) else None
        begin = after if starts_book else _after_licence(text, at, following)
    if begin is not None:
        spans.append((begin, len(text)))
    return spans


def _before_header(text: str, begin: int, start: int) -> int:
    """Return where the header of the next book begins; where its marker line begins if no header is found."""
    found = _NEXT_BOOK.search(text, max(begin, start - _LICENCE), start)
    return found.start() if found else start


def _after_licence(text: str, end: int, following: tuple[int, int, bool] | None) -> int | None:
    """Return where text continues after a licence; None if the next marker begins a book, or nothing follows."""
    if following and following[2]:
        return None
    stop = following[0] if following else len(text)
    found = _LICENCE_END.search(text, end, min(stop, end + _LICENCE))
    if found:
        return found.end()
    if following is None and stop - end <= _LICENCE:
        return None
    line = text.find("\n", end, stop)
    return stop if line < 0 else line


HEADER, QUOTE, SIGNATURE = "header", "quoted reply", "signature"

_QUOTED: Final = re.compile(r"\s*>")
_WROTE: Final = re.compile(
    r"\s*(on|am|le|el|il|op|em)\b.{4,300}\b(wrote|schrieb|a écrit|escribió|ha scritto|schreef|escreveu)\b.{0,80}:\s*",
    re.IGNORECASE | re.DOTALL,
)
# Signs of "On 3 May, Ann <ann@x.org> wrote:" that a sentence with the same ending lacks.
_SENDER: Final = re.compile(r"\d|@|<")
_FORWARDED: Final = re.compile(
    r"\s*-{2,}\s*(original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|"
    r"message d'origine)\s*-{2,}\s*",
    re.IGNORECASE,
)
_FIELD: Final = re.compile(
    r"\s*\**(from|sent|date|to|cc|subject|reply-to|von|gesendet|an|betreff|de|envoyé|à|objet)\**\s*:",
    re.IGNORECASE,
)
_RULE: Final = re.compile(r"\s*--\s*")
_SENT_FROM: Final = re.compile(
    r"\s*(sent from my|get outlook for|von meinem .* gesendet|envoyé de mon)\b.*", re.IGNORECASE
)
_CLOSING: Final = re.compile(
    r"\s*((with )?(best|kind|warm|many)?\s*(regards|wishes|thanks)|cheers|thanks|thank you|sincerely|yours( \w+)?|"
    r"mit freundlichen grüßen)\s*[,!.]?\s*",
    re.IGNORECASE,
)
# A signature is short: RFC 3676 asks for four lines, offices write more, nobody writes a page.
_SIGNATURE_LINES: Final = 12
_SIGNATURE_WIDTH: Final = 60


def mark_mail(lines: Sequence[str], *, quotes: bool = True, signatures: bool = True) -> list[str | None]:
    """Return the kind of every line (header, quoted reply, signature), or None for the sender's own words.

    >>> mark_mail(["It works.", "", "On 3 May, Ann wrote:", "> Does it?", "-- ", "Bob"])
    [None, None, 'quoted reply', 'quoted reply', 'signature', 'signature']
    """
    marks: list[str | None] = [None] * len(lines)
    if quotes:
        _mark_quotes(lines, marks)
    if signatures:
        _mark_signature(lines, marks)
    return marks


def _mark_quotes(lines: Sequence[str], marks: list[str | None]) -> None:
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    for i, line in enumerate(lines):
        if marks[i]:
            continue
        if _QUOTED.match(line):
            marks[i] = QUOTE
        elif length := _attribution(lines, i):
            marks[i : i + length] = [QUOTE] * length
        elif length := _headers(lines, i):
            if i == first:
                marks[i : i + length] = [HEADER] * length  # the mail's own header: the message follows
            else:
                marks[i:] = [QUOTE] * (len(lines) - i)
                return
        elif _FORWARDED.fullmatch(line) and i != first:
            marks[i:] = [QUOTE] * (len(lines) - i)
            return


def _attribution(lines: Sequence[str], i: int) -> int:
    """Return the number of lines of an "On …, … wrote:" that begins here; 0 if there is none."""
    for length in (1, 2, 3) if lines[i].strip() else ():
        text = " ".join(lines[i : i + length])
        if not _WROTE.fullmatch(text):
            continue
        rest = next((lines[j] for j in range(i + length, len(lines)) if lines[j].strip()), "")
        return length if _SENDER.search(text) or _QUOTED.match(rest) else 0
    return 0


def _headers(lines: Sequence[str], i: int) -> int:
    """Return the number of header lines (From, Sent, To, Subject …) from here; fewer than three are no header."""
    length = 0
    while i + length < len(lines) and _FIELD.match(lines[i + length]):
        length += 1
    return length if length >= 3 else 0


def _mark_signature(lines: Sequence[str], marks: list[str | None]) -> None:
    """Mark the sender's last lines, from a rule, a closing or a "Sent from my …" on, as the signature."""
    own = [i for i, mark in enumerate(marks) if mark is None and lines[i].strip()]
    for position in range(len(own) - 1, max(-1, len(own) - 2 - _SIGNATURE_LINES), -1):
        after = [lines[j] for j in own[position + 1 :]]
        line = lines[own[position]]
        starts = _SENT_FROM.fullmatch(line) if not after else _RULE.fullmatch(line) or _signs_off(line, after)
        # If the whole text looks like a signature, it is kept.
        if starts and position:
            for j in own[position:]:
                marks[j] = SIGNATURE


def _signs_off(line: str, after: Sequence[str]) -> bool:
    short = len(after) <= 6 and all(len(text.strip()) <= _SIGNATURE_WIDTH for text in after)
    return short and bool(_CLOSING.fullmatch(line))


REPEATED, LABEL, TEMPLATE = "repeated line", "field label", "template"

_UNFILLED: Final = re.compile(
    r"\s*([-*+]\s+\[[ xX]?\]\s+.*|[_*]*(no response|not applicable|n/a|none|tbd)[_*.]*)\s*", re.IGNORECASE
)
_LABEL: Final = re.compile(
    r"\s*(?:[-*#]+\s+|\*\*|__)?([^\W\d][\w /()'-]{0,40}?)(?:\*\*|__)?\s*:(?:\*\*|__)?\s+(?=\S)"
)
_DIGITS: Final = re.compile(r"\d+")
# A line must occur in so many documents, whatever their share.
_LEAST: Final = 3


@dataclass(frozen=True)
class Removed(Result):
    """Something that was removed: its kind, an example, and from how many documents."""

    kind: str
    text: str
    documents: int


@dataclass(frozen=True)
class Cleaned(TabularResult):
    """Documents without their boilerplate, and what was removed, the most frequent first."""

    _left_out = ("texts", "boilerplate")
    _derived = ("documents",)
    _table = "removed"

    texts: tuple[str, ...]
    removed: tuple[Removed, ...]
    boilerplate: Boilerplate

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return len(self.texts)

    def __str__(self) -> str:
        lines = Counter[str]()
        for item in self.removed:
            lines[item.kind] += item.documents
        parts = ", ".join(f"{count:,} × {kind}" for kind, count in lines.most_common())
        return f"removed from {len(self.texts):,} documents: {parts or 'nothing'}"


@dataclass(frozen=True)
class Boilerplate(Result):
    r"""What to remove from documents; `fit` learns which lines and labels repeat.

    >>> tickets = [f"Please fill in this form.\nVersion: {i}\nIt broke on day {i}{i}, {why}." for i, why in enumerate(
    ...     ["in the rain", "at sea", "while asleep", "for good"])]
    >>> boilerplate = Boilerplate.fit(tickets)
    >>> boilerplate.clean("Please fill in this form.\nVersion: 9\nNow it smokes.")
    '9\nNow it smokes.'
    """

    quotes: bool = True
    signatures: bool = True
    templates: bool = True
    lines: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()

    @classmethod
    def fit(cls, documents: Iterable[str], share: float = 0.2, **kinds: bool) -> Boilerplate:
        """Learn the lines and field labels that occur in at least this share of the documents, and in three or more.

        `quotes=False`, `signatures=False` and `templates=False` leave those alone; `share=1` learns only what all have.
        """
        if not 0 < share <= 1:
            raise OptionError(f"share = {share}, but it must be above 0 and at most 1")
        lines, labels = Counter[str](), Counter[str]()
        filled: defaultdict[str, set[str]] = defaultdict(set)
        total = 0
        for text in documents:
            total += 1
            rows = [row for row in text.splitlines() if row.strip()]
            if len(rows) > 1:  # a document of one line has no template
                lines.update({_key(row) for row in rows})
                fields = {_key(row): label for row in rows if (label := _label(row))}
                labels.update(set(fields.values()))
                for row, label in fields.items():
                    filled[label].add(row)
        enough = max(_LEAST, share * total)
        # A label that the same words always follow ("Note: …") is part of a repeated line, and no field.
        learned = {label for label, count in labels.items() if count >= enough and len(filled[label]) > 1}
        repeated = {line for line, count in lines.items() if count >= enough}
        repeated -= {row for label in learned for row in filled[label]}
        return cls(**kinds, lines=frozenset(repeated), labels=frozenset(learned))

    def clean(self, text: str) -> str:
        """Return a document without its boilerplate."""
        return self.separate(text)[0]

    def separate(self, text: str) -> tuple[str, list[tuple[str, str]]]:
        """Return a document without its boilerplate, and what was removed as (kind, line)."""
        removed: list[tuple[str, str]] = []
        if self.templates:
            text, comments = without_comments(text)
            removed += [(TEMPLATE, comment) for comment in comments]
        lines = text.splitlines()
        marks = mark_mail(lines, quotes=self.quotes, signatures=self.signatures)
        several = sum(1 for line in lines if line.strip()) > 1
        kept = []
        for line, mark in zip(lines, marks, strict=True):
            kind = mark or (self._kind(line) if several else None)
            if kind and line.strip():
                removed.append((kind, line.strip()))
            elif not kind:
                kept.append(self._without_label(line, removed))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip(), removed

    def _kind(self, line: str) -> str | None:
        if _key(line) in self.lines:
            return REPEATED
        return TEMPLATE if self.templates and _UNFILLED.fullmatch(line) else None

    def _without_label(self, line: str, removed: list[tuple[str, str]]) -> str:
        """Return the value of a form's field without its label."""
        if _label(line) not in self.labels:
            return line
        label, value = line.split(":", 1)
        removed.append((LABEL, f"{label.strip()}:"))
        return value.lstrip(" *_")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Boilerplate:
        """Make a `Boilerplate` from the dictionary that `to_dict` returned."""
        return cls(**{**values, "lines": frozenset(values["lines"]), "labels": frozenset(values["labels"])})


def without_comments(text: str) -> tuple[str, list[str]]:
    """Return a text without its HTML comments, and the comments; a comment that never ends is text.

    Not by a regular expression, which would search for the end anew from every beginning.
    """
    kept, comments, place = [], [], 0
    while (begin := text.find("<!--", place)) >= 0 and (end := text.find("-->", begin + 4)) >= 0:
        kept.append(text[place:begin])
        comments.append(text[begin : end + 3])
        place = end + 3
    return "".join([*kept, text[place:]]), comments


def _label(line: str) -> str | None:
    """Return the label of a line that looks like a form's field, normalised; None for other lines."""
    found = _LABEL.match(line)
    return " ".join(found[1].casefold().split()) if found else None


def _key(line: str) -> str:
    """Return a line normalised for comparison: case, spaces and numbers (except in a form's field) do not count."""
    plain = " ".join(line.casefold().split())
    return plain if _LABEL.match(line) else _DIGITS.sub("0", plain)


def clean(documents: Sequence[str], boilerplate: Boilerplate | None = None, **options: Any) -> Cleaned:
    """Remove the boilerplate of documents and report what was removed; `options` are those of `Boilerplate.fit`."""
    boilerplate = boilerplate or Boilerplate.fit(documents, **options)
    texts = []
    counts = Counter[tuple[str, str]]()
    examples: dict[tuple[str, str], str] = {}
    for document in track(documents, "removing boilerplate"):
        text, removed = boilerplate.separate(document)
        texts.append(text)
        keys = {(kind, _key(line)): line for kind, line in removed}
        counts.update(keys.keys())
        for key, line in keys.items():
            examples.setdefault(key, line)
    found = tuple(Removed(kind, examples[kind, key], count) for (kind, key), count in counts.most_common())
    return Cleaned(tuple(texts), found, boilerplate)
