"""Boilerplate: the lines of tickets and mails that nobody wrote for this ticket or this mail.

Quoted replies and signatures are told by their form; lines and field labels that come back in many documents
are learned from the documents. What was learned can be applied to documents that arrive later.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lexicloud.errors import OptionError
from lexicloud.progress import track
from lexicloud.search.mail import mark_mail

REPEATED, LABEL, TEMPLATE = "repeated line", "field label", "template"

_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_UNFILLED: Final = re.compile(
    r"\s*([-*+]\s+\[[ xX]?\]\s+.*|[_*]*(no response|not applicable|n/a|none|tbd)[_*.]*)\s*", re.IGNORECASE
)
_LABEL: Final = re.compile(
    r"\s*(?:[-*#]+\s+|\*\*|__)?([^\W\d][\w /()'-]{0,40}?)(?:\*\*|__)?\s*:(?:\*\*|__)?\s+(?=\S)"
)
_DIGITS: Final = re.compile(r"\d+")
# Fewer than this many documents prove nothing, whatever their share.
_LEAST: Final = 3


@dataclass(frozen=True)
class Removed:
    """One thing that was taken out: its kind, an example, and from how many documents."""

    kind: str
    text: str
    documents: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"kind": self.kind, "text": self.text, "documents": self.documents}


@dataclass(frozen=True)
class Cleaned:
    """Documents without their boilerplate, and what was taken out, the most frequent first."""

    texts: tuple[str, ...]
    removed: tuple[Removed, ...]
    boilerplate: Boilerplate

    def __str__(self) -> str:
        lines = Counter[str]()
        for item in self.removed:
            lines[item.kind] += item.documents
        parts = ", ".join(f"{count:,} × {kind}" for kind, count in lines.most_common())
        return f"removed from {len(self.texts):,} documents: {parts or 'nothing'}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, without the texts."""
        return {"documents": len(self.texts), "removed": [item.to_dict() for item in self.removed]}


@dataclass(frozen=True)
class Boilerplate:
    r"""What to take out of documents; `fit` learns which lines and labels repeat.

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
        """Learn the lines and field labels that stand in at least this share of the documents (and in three).

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
            if len(rows) > 1:  # a document of one line is no template
                lines.update({_key(row) for row in rows})
                fields = {_key(row): label for row in rows if (label := _label(row))}
                labels.update(set(fields.values()))
                for row, label in fields.items():
                    filled[label].add(row)
        enough = max(_LEAST, share * total)
        # A label that is always followed by the same words ("Note: …") is no field but a part of a repeated line.
        learned = {label for label, count in labels.items() if count >= enough and len(filled[label]) > 1}
        repeated = {line for line, count in lines.items() if count >= enough}
        repeated -= {row for label in learned for row in filled[label]}
        return cls(**kinds, lines=frozenset(repeated), labels=frozenset(learned))

    def clean(self, text: str) -> str:
        """Return a document without its boilerplate."""
        return self.separate(text)[0]

    def separate(self, text: str) -> tuple[str, list[tuple[str, str]]]:
        """Return a document without its boilerplate, and what was taken out as (kind, line)."""
        removed: list[tuple[str, str]] = []
        if self.templates:
            removed += [(TEMPLATE, found[0]) for found in _COMMENT.finditer(text)]
            text = _COMMENT.sub("", text)
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
        """Keep the value of a form's field and drop the label, which every form has."""
        if _label(line) not in self.labels:
            return line
        label, value = line.split(":", 1)
        removed.append((LABEL, f"{label.strip()}:"))
        return value.lstrip(" *_")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, from which `from_dict` makes it again."""
        kinds = {"quotes": self.quotes, "signatures": self.signatures, "templates": self.templates}
        return {**kinds, "lines": sorted(self.lines), "labels": sorted(self.labels)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Boilerplate:
        """Make it again from plain values."""
        return cls(**{**values, "lines": frozenset(values["lines"]), "labels": frozenset(values["labels"])})


def _label(line: str) -> str | None:
    """The label of a line that looks like a form's field, in the form under which labels are compared."""
    found = _LABEL.match(line)
    return " ".join(found[1].casefold().split()) if found else None


def _key(line: str) -> str:
    """The form under which lines are compared: case, spaces and (save in a form's field) numbers make no difference."""
    plain = " ".join(line.casefold().split())
    return plain if _LABEL.match(line) else _DIGITS.sub("0", plain)


def clean(documents: Sequence[str], boilerplate: Boilerplate | None = None, **options: Any) -> Cleaned:
    """Take the boilerplate out of documents and report what was taken; `options` are those of `Boilerplate.fit`."""
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
