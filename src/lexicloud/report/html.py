"""Pieces of HTML: every text that comes from outside is escaped here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

__all__ = [
    "Html",
    "bullets",
    "details",
    "escape",
    "facts",
    "join",
    "note",
    "paragraph",
    "table",
    "tag",
    "text",
]

_VOID = frozenset({"br", "img"})  # elements without content have no end tag


@dataclass(frozen=True)
class Html:
    """Markup that is safe to put into a page as it stands."""

    markup: str

    def __str__(self) -> str:
        return self.markup

    def _repr_html_(self) -> str:
        return self.markup


def text(value: object) -> Html:
    """Make anything safe: markup stays, everything else is escaped."""
    return value if isinstance(value, Html) else Html(escape(str(value)))


def join(parts: Iterable[object], between: str = "") -> Html:
    """Put pieces together."""
    return Html(between.join(str(text(part)) for part in parts))


def tag(name: str, content: object = "", **attributes: object) -> Html:
    """Return an element; a trailing underscore of an attribute's name goes (`class_`), others become hyphens.

    >>> str(tag("p", "a < b", class_="soft"))
    '<p class="soft">a &lt; b</p>'
    """
    listed = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{listed}>" if name in _VOID else f"<{name}{listed}>{text(content)}</{name}>")


def paragraph(content: object, kind: str | None = None) -> Html:
    """Return a paragraph; `kind` may be "lead" or "soft"."""
    return tag("p", _unbroken(content), class_=kind)


def note(content: object) -> Html:
    """Return a remark that stands apart from the text."""
    return tag("p", _unbroken(content), class_="note", role="note")


def _unbroken(content: object) -> object:
    """Keep a percent sign on the line of its number."""
    return content.replace(" %", "\u00a0%") if isinstance(content, str) else content


def bullets(items: Iterable[object]) -> Html:
    """Return a plain list."""
    return tag("ul", join(tag("li", item) for item in items))


def details(summary: object, content: object) -> Html:
    """Return something that opens on demand, with or without scripts."""
    return tag("details", join([tag("summary", summary), content]))


def facts(items: Mapping[str, object]) -> Html:
    """Return a row of figures with their names."""
    return tag(
        "dl",
        join(tag("div", join([tag("dt", key), tag("dd", value)])) for key, value in items.items()),
        class_="facts",
    )


def table(
    headers: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    caption: object | None = None,
    best: Iterable[int] = (),
) -> Html:
    """Return a table that scrolls by itself where it is too wide; numbers stand to the right, rows in `best` stand out.

    The first cell of a row is its heading.
    """
    marked = set(best)
    listed = [list(row) for row in rows]
    numeric = [
        bool(listed) and all(_is_number(row[i]) for row in listed if i < len(row))
        for i in range(len(headers))
    ]
    head = tag("tr", join(tag("th", h, scope="col", class_=_kind(numeric, i)) for i, h in enumerate(headers)))
    body = join(
        tag("tr", _cells(row, numeric), class_="best" if i in marked else None)
        for i, row in enumerate(listed)
    )
    title = tag("caption", caption) if caption is not None else ""
    whole = tag("table", join([title, tag("thead", head), tag("tbody", body)]))
    # Focusable, so that a wide table can be scrolled from the keyboard.
    return tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption or "table")


def _cells(row: Sequence[object], numeric: Sequence[bool]) -> Html:
    first = tag("th", number(row[0]), scope="row", class_=_kind(numeric, 0)) if row else Html("")
    return join(
        [first, *(tag("td", number(cell), class_=_kind(numeric, i + 1)) for i, cell in enumerate(row[1:]))]
    )


def _kind(numeric: Sequence[bool], i: int) -> str | None:
    return "number" if i < len(numeric) and numeric[i] else None


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool)) or value == "–"


def number(value: object) -> object:
    """Write numbers for people: thousands apart, four significant figures, a dash for nothing."""
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3g}"
