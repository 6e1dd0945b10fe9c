"""Options that several commands share, so that they are named and explained alike everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli.shell import note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.corpus import Corpus
    from lexicloud.divergences import WordShare
    from lexicloud.report.chapters import Reading

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON to stdout and nothing else there.")]
Seed = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of everything random; the same seed gives the same answer.")
]
VectorsOption = Annotated[
    str | None,
    typer.Option(
        "--vectors", help="A vector file, a converted folder or a catalogue name; GloVe 6B 50-d is built in."
    ),
]
Sample = Annotated[
    int | None,
    typer.Option(
        "--sample", min=1, help="Draw this many tokens of each text; shorter texts are left out and named."
    ),
]
Language = Annotated[
    str, typer.Option("--language", help="Language of the stop words: english, french, german, …")
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        help="Encoding of the files, detected when not given; utf-8:replace replaces bytes that do not fit.",
    ),
]


# Rarer options: a command's help names them in its text and does not list them.
UnlistedSeed = Annotated[int, typer.Option("--seed", min=0, hidden=True)]
UnlistedEncoding = Annotated[str | None, typer.Option("--encoding", hidden=True)]
UnlistedSkipBad = Annotated[bool, typer.Option("--skip-bad", hidden=True)]

MethodOption = Annotated[
    str,
    typer.Option(
        "--method",
        help="smoothed (words and their neighbours), knn (the paper's), categorical, jensen-shannon or delta.",
    ),
]
K = Annotated[int | None, typer.Option("--k", min=1, help="Which nearest word counts, for method knn (3).")]
Symmetric = Annotated[bool, typer.Option("--symmetric", help="D(a‖b) + D(b‖a).")]
SkipBad = Annotated[
    bool,
    typer.Option(
        "--skip-bad", help="Leave out files and texts that cannot be read or measured, and name them."
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", help="Leave out: punctuation, name, function or content; may be repeated."),
]
Label = Annotated[
    str | None, typer.Option("--label", help="@name (Austen_Emma.txt), @folder, or the column of a table.")
]
Labels = Annotated[
    Path | None, typer.Option("--labels", help="A table with the names of the texts and their labels.")
]
Plot = Annotated[str | None, typer.Option("--plot", help="Draw it to this file (.png, .svg or .pdf).")]

BAR = 24  # characters of the longest bar


def method_options(**given: Any) -> dict[str, Any]:
    """Return the options that were given; the method refuses those that it does not have."""
    return {name: value for name, value in given.items() if value is not None}


def tell_notes(read: Corpus | Reading) -> None:
    """Pass on what reading did to the files."""
    for line in read.notes:
        note(line)


def bars(words: Sequence[WordShare], a: str, b: str) -> Any:
    """Return a table of words with bars: orange sets the texts apart, blue brings them together."""
    from rich.table import Table
    from rich.text import Text

    latent = any(w.neighbour for w in words)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("word", header_style="bold")
    table.add_column("adds", justify="right", header_style="bold")
    table.add_column("", min_width=BAR)
    for name in (a, b):
        table.add_column(Text(f"in {_short(name)}"), justify="right", header_style="bold", no_wrap=True)
    if latent:
        table.add_column("carried by", header_style="bold")
    widest = max((abs(w.value) for w in words), default=0.0) or 1.0
    for w in words:
        table.add_row(*_row(w, widest), *([Text(w.neighbour or "")] if latent else []))
    return table


def _row(w: WordShare, widest: float) -> list[Any]:
    from rich.text import Text

    from lexicloud.plotting import APART, TOWARDS

    length = max(1, round(BAR * abs(w.value) / widest))
    bar = Text("█" * length, style=APART if w.value > 0 else TOWARDS)
    return [Text(w.word), f"{w.value:+.4f}", bar, f"{w.count_a:,}", f"{w.count_b:,}"]


def _short(name: str, width: int = 14) -> str:
    return name if len(name) <= width else f"{name[: width - 1]}…"


def draw(ax: Any, path: str | Path) -> None:
    """Write a figure and say so."""
    from lexicloud.plotting import save_figure

    note(f"wrote {save_figure(ax, path)}")
