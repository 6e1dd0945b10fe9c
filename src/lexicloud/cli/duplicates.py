"""`lexicloud duplicates`: texts of an index that say the same, in clusters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexicloud.cli.options import AsJson
from lexicloud.cli.shell import console, new_app, note, print_json, progress

if TYPE_CHECKING:
    from lexicloud.search.duplicates import DuplicateCluster

app: typer.Typer = new_app("Texts of an index that say the same, in clusters, with a confidence for each.")


@app.command()
def duplicates(
    index: Annotated[Path, typer.Argument(help="The folder of an index (lexicloud index build makes one).")],
    confidence: Annotated[
        float, typer.Option("--confidence", help="Leave out pairs that are less sure, from 0 to 1.")
    ] = 0.5,
    templates: Annotated[
        bool,
        typer.Option(
            "--templates", help="Let forms, bots' phrases and signatures count; by default they are left out."
        ),
    ] = False,
    json: AsJson = False,
) -> None:
    """List clusters of duplicates, the surest first.

    Example: lexicloud duplicates issues.index --confidence 0.7
    """
    from lexicloud.search import SentenceIndex, find_duplicates

    with progress():
        found = find_duplicates(SentenceIndex.open(index), confidence=confidence, templates=templates)
    if json:
        print_json(found)
        return
    for cluster in found.clusters:
        _show(cluster)
    note(f"{len(found.clusters):,} clusters among {found.texts:,} texts")


def _show(cluster: DuplicateCluster) -> None:
    kinds = ", ".join(dict.fromkeys(pair.kind for pair in cluster.pairs))
    screen = console()
    screen.print(f"{cluster.confidence:.0%}  {kinds}", style="bold", markup=False)
    for name, text in zip(cluster.ids, cluster.texts, strict=True):
        line = " ".join(text.split())
        screen.print(
            f"  [{name}] {line if len(line) <= 200 else line[:199] + '…'}", markup=False, highlight=False
        )
