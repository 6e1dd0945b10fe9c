"""Blocks: the parts of an answer in words.

A result returns them from `blocks()`, in the order in which a person reads: the conclusion, how sure it is, why, the
numbers. Everything is decided, rounded and phrased there, once; a terminal, a page, a notebook and a browser draw the
same blocks and add nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Literal

from lexicloud.say.map_block import Map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing


def many(n: int, thing: str) -> str:
    """Return a number with its noun.

    >>> many(1, "text"), many(1200, "text"), many(2, "query")
    ('1 text', '1,200 texts', '2 queries')
    """
    return f"{n:,} {thing if n == 1 else plural(thing)}"


def plural(noun: str) -> str:
    """Return the plural of a regular English noun.

    >>> plural("author"), plural("century"), plural("day"), plural("class")
    ('authors', 'centuries', 'days', 'classes')
    """
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def signed(value: float, digits: int = 2, *, plus: bool = False) -> str:
    """Return a number with a true minus sign, which zero has not, and a plus sign where both signs matter.

    >>> signed(-1.107), signed(0.5, 1), signed(0.5, 1, plus=True), signed(-0.001)
    ('−1.11', '0.5', '+0.5', '0.00')
    """
    written = f"{value:{'+' if plus else ''}z.{digits}f}"
    return written.replace("-", "−")


def number(value: object) -> str:
    """Return a value as people read it: thousands separated, three significant figures, a dash for nothing.

    >>> number(1234), number(0.12345), number(None), number("sea")
    ('1,234', '0.123', '–', 'sea')
    """
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3g}"


def chance(p: float) -> str:
    """Return a p-value in words: never zero, and with two or three digits.

    >>> chance(0.034), chance(0.0001), chance(0.4)
    ('p = .034', 'p < .001', 'p = .40')
    """
    if p < 0.001:
        return "p < .001"
    return f"p = {f'{p:.3f}' if p < 0.1 else f'{p:.2f}'}".replace("= 0.", "= .")


def percent(share: float, digits: int = 0) -> str:
    """Return a share in percent, never rounded up to 100 or down to 0.

    >>> percent(0.5), percent(0.9996, 1), percent(0.9999, 1), percent(0.00001, 1)
    ('50 %', '99.9 %', '99.9 %', 'less than 0.1 %')
    """
    step = 10.0**-digits
    value = 100 * share
    if 0 < value < step:
        return f"less than {step:.{digits}f} %"
    if share < 1:
        value = min(value, 100 - step)
    return f"{value:.{digits}f} %"


def listed(items: Sequence[str], last: str = "and") -> str:
    """Return items as a list within a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}" if items else ""


def cut(text: str, width: int) -> str:
    """Shorten a text at a word, with an ellipsis where something is missing.

    >>> cut("the cat sat on the mat", 12)
    'the cat sat…'
    """
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    whole, _, last = text[:width].rpartition(" ")  # what follows the last space is a part of a word
    return f"{(whole or last[: width - 1]).rstrip(' ,;:')}…"


Role = Literal["answer", "sure", "why", "how", "note", "title", "command"]


@dataclass(frozen=True)
class Sentence:
    """One or more sentences: the answer, how sure it is, why, a note of warning, or the title of what follows.

    "how" says how to read a figure, and is left out where there are none; "command" is to be typed as it is.
    """

    text: str
    role: Role = "why"


@dataclass(frozen=True)
class Facts:
    """Named facts, each a short phrase."""

    items: tuple[tuple[str, str], ...]
    title: str = ""


@dataclass(frozen=True)
class Table:
    """A table of strings; columns in `numeric` are aligned to the right, rows in `best` are emphasised.

    `more` says what was left out below the last row.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    numeric: tuple[int, ...] = ()
    best: tuple[int, ...] = ()
    more: str = ""


@dataclass(frozen=True)
class Bar:
    """A bar: its name, its length from −1 to 1 of the longest, its value in words, and further cells."""

    name: str
    length: float
    value: str
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bars:
    """Bars to both sides of zero; `right` and `left` say what the sides mean, `columns` name the further cells."""

    bars: tuple[Bar, ...]
    title: str = ""
    right: str = ""
    left: str = ""
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Passage:
    """A piece of text, the places in it that matter as (start, end), where it comes from, and a remark."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()
    source: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Passages:
    """Pieces of text, one below the other."""

    items: tuple[Passage, ...]
    title: str = ""


@dataclass(frozen=True)
class Figure:
    """A drawing: its name, a description for those who cannot see it, and the function that draws it.

    `chart` returns the drawing as markup in the colours of a page, which a page prefers; `numbers` is the table behind
    it.
    """

    name: str
    alt: str
    draw: Callable[[], Axes | Drawing] | None = field(default=None, compare=False, repr=False)
    caption: str = ""
    chart: Callable[[], object] | None = field(default=None, compare=False, repr=False)
    numbers: Table | None = None


@dataclass(frozen=True)
class Folded:
    """Blocks that a page opens on demand, or shows `opened`; a terminal leaves them out."""

    summary: str
    blocks: tuple[Block, ...]
    opened: bool = False


@dataclass(frozen=True)
class Columns:
    """Groups of blocks side by side where there is room, else one below the other."""

    columns: tuple[tuple[Block, ...], ...]


Block = Sentence | Facts | Table | Bars | Passages | Figure | Map | Folded | Columns


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    title: str = "",
    best: Iterable[int] = (),
    top: int | None = None,
) -> Table:
    """Return a table with numbers as people read them and a dash for None; `top` keeps the first rows and says so.

    >>> table(["word", "times"], [["sea", 1200], ["whale", None]]).rows
    (('sea', '1,200'), ('whale', '–'))
    """
    listed = [tuple(row) for row in rows]
    shown = listed if top is None else listed[:top]
    numeric = tuple(
        i for i in range(len(columns)) if shown and all(_is_number(row[i]) for row in shown if i < len(row))
    )
    left = len(listed) - len(shown)
    return Table(
        tuple(columns),
        tuple(tuple(number(cell) for cell in row) for row in shown),
        title,
        numeric,
        tuple(best),
        f"… and {left:,} more" if left else "",
    )


# A number as it is written: a sign, a share, below something, from … to …, or several: one / two / three.
_WRITTEN: Final = re.compile(r"[<+−-]?\s?[\d,.]+(?:\s?%)?(?:\s…\s[+−-]?[\d,.]+)?(?:\s/\s[\d,.]+)*")


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        return value == "–" or _WRITTEN.fullmatch(value) is not None
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def bars(
    items: Iterable[tuple[str, float] | tuple[str, float, Sequence[str]]],
    *,
    title: str = "",
    right: str = "",
    left: str = "",
    columns: Sequence[str] = (),
    write: Callable[[float], str] | None = None,
) -> Bars:
    """Make bars of names and values (and further cells), the longest of which has the length 1.

    >>> bars([("sea", 0.5), ("ship", -0.25)]).bars[1]
    Bar(name='ship', length=-0.5, value='−0.25', cells=())
    """
    listed = [(item[0], float(item[1]), tuple(item[2]) if len(item) > 2 else ()) for item in items]
    longest = max((abs(value) for _, value, _ in listed), default=0.0) or 1.0
    written = write or (lambda value: signed(value, plus=bool(left)))
    return Bars(
        tuple(Bar(name, round(value / longest, 4), written(value), cells) for name, value, cells in listed),
        title,
        right,
        left,
        tuple(columns),
    )


def as_data(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    """Return blocks as plain values, for JSON and the browser; a figure only by its name and description.

    >>> as_data([Sentence("It is the sea.", "answer")])
    [{'block': 'sentence', 'text': 'It is the sea.', 'role': 'answer'}]
    """
    return [_data(block) for block in blocks]


def _data(block: Block) -> dict[str, Any]:
    return {
        "block": type(block).__name__.lower(),
        **(block.data() if isinstance(block, Map) else _plain(block)),
    }


def _plain(block: Any) -> dict[str, Any]:
    told = (part.name for part in fields(block) if part.name not in {"draw", "chart"})
    return {name: _value(getattr(block, name)) for name in told}


def _value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_value(item) for item in value]
    if isinstance(value, Bar | Passage):
        return _plain(value)
    return _data(value) if isinstance(value, Block) else value
