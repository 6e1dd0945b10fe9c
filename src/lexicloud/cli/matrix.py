"""`lexicloud matrix`: all pairs of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, Language, Sample, VectorsOption
from lexicloud.cli.shell import console, fail, new_app, note, print_json, progress

if TYPE_CHECKING:
    from lexicloud.divergences import DivergenceMatrix

app: typer.Typer = new_app("All pairs of a folder: CSV, heat map, dendrogram, map.")


@app.command()
def matrix(
    path: Annotated[
        str, typer.Argument(metavar="FOLDER", help="A folder of texts, a table, or a saved corpus.")
    ],
    method: m.MethodOption = "smoothed",
    k: m.K = None,
    symmetric: m.Symmetric = False,
    standardise: Annotated[
        bool | None,
        typer.Option("--standardise/--raw", help="By how close texts usually are (from 8 on), or nats."),
    ] = None,
    without: m.Without = None,
    sample: Sample = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="A folder for all of it: CSV, heat map, dendrogram, map.")
    ] = None,
    label: m.Label = None,
    vectors: VectorsOption = None,
    language: Language = "english",
    json: AsJson = False,
    skip_bad: m.UnlistedSkipBad = False,
    seed: m.UnlistedSeed = 0,
    encoding: m.UnlistedEncoding = None,
) -> None:
    """Measure the divergence of every text from every other, and show the nearest of each.

    From eight texts on values are standardised: how much closer a pair is than either text usually is, in standard
    deviations. Raw nats (--raw) make a text with a rich vocabulary everybody's neighbour.

    Rarer options: --skip-bad leaves out texts that cannot be measured, --seed N draws other samples, --encoding NAME.

    Example: lexicloud matrix novels/ --out novels-matrix

    Example: lexicloud matrix novels/ --method knn --k 5 --sample 10000
    """
    from lexicloud.corpus import Corpus
    from lexicloud.divergences import divergence_matrix
    from lexicloud.divergences.standardise import ENOUGH
    from lexicloud.text import TokenRules

    options = m.method_options(k=k)
    if out is not None and out.exists() and not out.is_dir():
        fail(f"{out} is a file, not a folder: choose another place for --out")
    with progress():
        corpus = Corpus.from_folder(
            path, label=label, vectors=vectors, rules=TokenRules(language=language), encoding=encoding
        )
        found = divergence_matrix(
            corpus,
            method,
            symmetric=symmetric,
            skip_bad=skip_bad,
            sample=sample,
            seed=seed,
            without=without or (),
            **options,
        )
        if standardise or (standardise is None and len(found) >= ENOUGH):
            found = found.standardise()
    m.tell_notes(corpus)
    for skipped in found.skipped:
        note(f"left out {skipped.name}: {skipped.reason}")
    if out is not None:
        for file in found.write(out):
            note(f"wrote {file}")
    if json:
        print_json(found)
    else:
        _show(found)


def _show(found: DivergenceMatrix, near: int = 3) -> None:
    from rich.table import Table
    from rich.text import Text

    k = f", k = {found.options['k']}" if "k" in found.options else ""
    kind = ", standardised" if found.standardised else ", raw nats"
    title = f"{len(found)} texts, method {found.method}{k}{kind}, vectors {found.vectors}"
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("text", "nearest", "", ""):
        table.add_column(heading, header_style="bold", no_wrap=True, overflow="ellipsis")
    digits = 2 if found.standardised else 3
    for name in found.names:
        closest = [Text(f"{value:.{digits}f} {other}") for other, value in found.nearest(name, near)]
        table.add_row(Text(name), *closest)
    screen = console()
    screen.print(title, style="bold", markup=False)
    screen.print(table)
    if found.standardised:
        screen.print(
            "0 is as close as either text usually is, -2 two standard deviations closer", style="dim"
        )
