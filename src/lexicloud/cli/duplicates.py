"""`lexicloud duplicates`: texts of an index that say the same, in clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lexicloud.cli.options import AsJson
from lexicloud.cli.shell import answer, new_app, progress

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
    answer(found, json=json)
