"""`lexicloud paper`: rerun the paper, table by table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from lexicloud.cli.options import AsJson, Seed, VectorsOption
from lexicloud.cli.shell import answer_with_files, command, progress


@command
def paper(
    out: Annotated[Path, typer.Option(help="Folder for the page, tables, figures and the cache.")],
    tables: Annotated[
        str | None,
        typer.Option(
            help="Some of: datasets, kl, trial, neighbours, pos, projections, zipf, clusters, slopes, vectors, unique, "
            "jaccard, examples, survey, checks; separated by commas.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder with books/, nltk_data/, RACE/, survey/; $LEXICLOUD_DATA or ./data."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A sample of the data, in about two minutes; every table says so.")
    ] = False,
    vectors: VectorsOption = None,
    beside: Annotated[
        str | None,
        typer.Option(help="Other vectors for the tables that depend on vectors, separated by commas."),
    ] = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Run the paper's experiments and put each published number beside ours.

    A run that was stopped continues where it was: results are kept in OUT/cache.

    Example: lexicloud paper --tables kl,pos --data data --out paper-rerun
    """
    from lexicloud.paper import PaperOptions, run_paper
    from lexicloud.paper.runner import write_results

    folder = data or Path(os.environ.get("LEXICLOUD_DATA") or "data")
    with progress():
        options = PaperOptions(folder, out, _listed(tables), vectors, quick, seed, _listed(beside))
        result = run_paper(options)
        files = write_results(result, out)
    answer_with_files(result, (*result.missing.values(), *result.notes), files, json=json)


def _listed(names: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (names or "").split(",") if name.strip())
