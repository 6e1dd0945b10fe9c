"""Blocks in a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from lexicloud.say.blocks import (
    Bars,
    Block,
    Columns,
    Facts,
    Figure,
    Folded,
    Passage,
    Passages,
    Sentence,
    Table,
)
from lexicloud.say.figures import APART, TOWARDS
from lexicloud.say.map_block import Map

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

_STYLES: Final = {
    "answer": "bold",
    "sure": "",
    "why": "",
    "note": "yellow",
    "title": f"bold {TOWARDS}",
    "command": "",
}
_BAR: Final = 20  # characters of the longest bar
_GAP: Final = 2  # characters between two columns
_PIECES: Final = re.compile(r"\s+|[^\s_]*_+|[^\s_]+")  # between which a line may be broken


def show(blocks: Iterable[Block], screen: Console) -> None:
    """Print blocks without figures; an empty line goes before titles and tables."""
    first = True
    for block in _in_a_column(blocks):
        if not first and (not isinstance(block, Sentence) or block.role == "title"):
            screen.print()
        first = False
        if isinstance(block, Sentence):
            _sentence(block, screen)
            continue
        if block.title:
            _sentence(Sentence(block.title, "title"), screen)
        _DRAW[type(block)](block, screen)  # type: ignore[operator]


def _in_a_column(blocks: Iterable[Block]) -> Iterator[Sentence | Facts | Table | Bars | Passages]:
    """Yield what a terminal shows: no figures, no hints on how to read them, nothing folded."""
    for block in blocks:
        if isinstance(block, Columns):
            for column in block.columns:
                yield from _in_a_column(column)
        elif not (
            isinstance(block, Figure | Map | Folded) or (isinstance(block, Sentence) and block.role == "how")
        ):
            yield block


def _sentence(block: Sentence, screen: Console) -> None:
    from rich.text import Text

    screen.print(Text(block.text, style=_STYLES[block.role]))


def _facts(block: Facts, screen: Console) -> None:
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid.grid(padding=(0, 2, 0, 0))
    for name, fact in block.items:
        grid.add_row(Text(f"  {name}", style="dim"), Text(fact))
    screen.print(grid)


def _grid(columns: Iterable[str], numeric: Iterable[int] = ()) -> Grid:
    from rich.table import Table as Grid
    from rich.text import Text

    grid, right = Grid(box=None, padding=(0, _GAP, 0, 0), pad_edge=False), set(numeric)
    for i, heading in enumerate(columns):
        grid.add_column(
            Text(heading),
            header_style="bold dim",
            justify="right" if i in right else "left",
            overflow="fold",
            no_wrap=i in right,
        )
    return grid


def _table(block: Table, screen: Console) -> None:
    from rich.text import Text

    columns, rows = fitted(block, screen.width)
    grid = _grid(columns, block.numeric)
    grid.show_header = any(block.columns)
    for i, row in enumerate(rows):
        style = "bold" if i in block.best else ""
        grid.add_row(*(Text(cell, style=style) for cell in row))
    screen.print(grid)
    if block.more:
        screen.print(Text(block.more, style="dim"))


def fitted(block: Table, width: int) -> tuple[list[str], list[list[str]]]:
    r"""Return headings and rows within a width: columns of words share what those of numbers leave over.

    >>> fitted(Table(("text", "difference (points)"), (("Austen_emma", "12.5"),), numeric=(1,)), 19)
    (['text', 'difference\n(points)'], [['Austen_\nemma', '12.5']])
    """
    from rich.cells import cell_len

    columns, rows = list(block.columns), [list(row) for row in block.rows]
    needed = [max(map(cell_len, cells)) for cells in zip(columns, *rows, strict=True)]
    room = width - _GAP * (len(needed) - 1)
    if sum(needed) <= room:
        return columns, rows
    for i in block.numeric:
        cells = max((cell_len(row[i]) for row in rows), default=0)
        columns[i] = _wrapped(columns[i], max(cells, *map(len, columns[i].split()), 1))
        needed[i] = max(cells, *map(len, columns[i].split("\n")))
    words = sorted(set(range(len(needed))) - set(block.numeric), key=needed.__getitem__)
    room -= sum(needed[i] for i in block.numeric)
    for left, i in enumerate(words):  # the narrowest first: what one does not need is for the others
        share = min(needed[i], max(4, room // (len(words) - left)))
        room -= share
        columns[i] = _wrapped(columns[i], share)
        for row in rows:
            row[i] = _wrapped(row[i], share)
    return columns, rows


def _wrapped(text: str, width: int) -> str:
    r"""Break lines at blanks, names of files also behind underlines, and what is longer than a line anywhere.

    >>> _wrapped("0.489 Austen_pride_and_prejudice", 20)
    '0.489 Austen_pride_\nand_prejudice'
    """
    from rich.cells import cell_len, chop_cells

    lines = [""]
    for piece in _PIECES.findall(text):
        if cell_len(lines[-1] + piece.rstrip()) <= width:
            lines[-1] += piece
        else:
            lines += chop_cells(piece.lstrip(), width)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _bars(block: Bars, screen: Console) -> None:
    from rich.text import Text

    both = bool(block.left) or any(bar.length < 0 for bar in block.bars)
    grid = _grid(["", "", "", *block.columns], [1, *range(3, 3 + len(block.columns))])
    grid.show_header = bool(block.columns)
    for bar in block.bars:
        colour = (APART if bar.length > 0 else TOWARDS) if both else TOWARDS
        drawn = Text("█" * max(1, round(_BAR * abs(bar.length))), style=colour)
        grid.add_row(Text(bar.name), Text(bar.value), drawn, *map(Text, bar.cells))
    screen.print(grid)
    sides = [f"{sign} {side}" for sign, side in (("+", block.right), ("−", block.left)) if side]
    if sides:
        screen.print(Text(", ".join(sides), style="dim"))


def _passages(block: Passages, screen: Console) -> None:
    from rich.text import Text

    for i, item in enumerate(block.items, 1):
        line = Text(f"{i:>2}  ", style="dim")
        line.append_text(_marked(item))
        screen.print(line)
        below = " · ".join(part for part in (item.source, item.remark) if part)
        if below:
            screen.print(Text(f"    {below}", style="dim"))


def _marked(item: Passage) -> Text:
    from rich.text import Text

    line = Text(item.text)
    for start, end in item.marks:
        line.stylize(f"bold {TOWARDS}", start, end)
    return line


_DRAW: Final = {Facts: _facts, Table: _table, Bars: _bars, Passages: _passages}
