"""`lexicloud matrix`: all pairs of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, Encoding, Language, Sample, Seed, VectorsOption
from lexicloud.cli.shell import console, fail, new_app, note, print_json, progress

if TYPE_CHECKING:
    from lexicloud.divergences import DivergenceMatrix

app: typer.Typer = new_app("All pairs of a folder: CSV, heat map, dendrogram, map.")


def _file(what: str) -> Any:
    return typer.Option(help=f"Write {what} to this file.")


@app.command()
def matrix(
    path: Annotated[
        str, typer.Argument(metavar="FOLDER", help="A folder of texts, a table, or a saved corpus.")
    ],
    method: m.MethodOption = "smoothed",
    k: Annotated[
        str | None,
        typer.Option("--k", help="For method knn (3); several, like 3,5,10, are measured together."),
    ] = None,
    alpha: m.Alpha = None,
    compat: m.Compat = None,
    symmetric: m.Symmetric = False,
    standardise: Annotated[
        bool, typer.Option("--standardise", help="Is a pair closer than either text usually is?")
    ] = False,
    sample: Sample = None,
    repeats: m.Repeats = 1,
    skip_bad: m.SkipBad = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="A folder for all of it: CSV, heat map, dendrogram, map.")
    ] = None,
    csv: Annotated[Path | None, _file("the matrix as CSV")] = None,
    heatmap: Annotated[Path | None, _file("a heat map")] = None,
    dendrogram: Annotated[Path | None, _file("a tree of the texts")] = None,
    map: Annotated[Path | None, _file("the texts as points on a plane")] = None,  # noqa: A002
    label: m.Label = None,
    vectors: VectorsOption = None,
    language: Language = "english",
    encoding: Encoding = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Measure the divergence of every text from every other, and show the nearest of each.

    Example: lexicloud matrix novels/ --out novels-matrix

    Example: lexicloud matrix novels/ --method knn --k 3,5,10 --sample 10000 --csv pairs.csv
    """
    from lexicloud.corpus import Corpus
    from lexicloud.divergences import divergence_matrix
    from lexicloud.text import TokenRules

    files = _files(out, {"csv": csv, "heatmap": heatmap, "dendrogram": dendrogram, "map": map})
    rules = TokenRules(language=language)
    options = m.method_options(k=_ks(k), alpha=alpha, compat=compat)
    with progress():
        corpus = Corpus.from_folder(path, label=label, vectors=vectors, rules=rules, encoding=encoding)
        found = divergence_matrix(
            corpus,
            method,
            symmetric=symmetric,
            standardise=standardise,
            skip_bad=skip_bad,
            sample=sample,
            repeats=repeats,
            seed=seed,
            **options,
        )
    m.tell_notes(corpus)
    matrices = _each(found)
    for skipped in matrices[0].skipped:
        note(f"left out {skipped.name}: {skipped.reason}")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    for each in matrices:
        _write(each, files if len(matrices) == 1 else _numbered(files, each.options["k"]))
    if json:
        print_json(found)
    else:
        for each in matrices:
            _show(each)


def _each(found: Any) -> list[DivergenceMatrix]:
    return [found] if hasattr(found, "values") and not callable(found.values) else list(found.values())


def _ks(k: str | None) -> int | list[int] | None:
    """Read 3 or 3,5,10."""
    from lexicloud.errors import OptionError

    if k is None:
        return None
    try:
        numbers = [int(part) for part in k.split(",")]
    except ValueError:
        raise OptionError(f"--k takes a whole number, or several like 3,5,10, not {k!r}") from None
    return numbers[0] if len(numbers) == 1 else numbers


def _files(out: Path | None, given: dict[str, Path | None]) -> dict[str, Path]:
    """Return where each thing goes."""
    files = {}
    if out is not None:
        if out.exists() and not out.is_dir():
            fail(f"{out} is a file, not a folder: choose another place for --out")
        files = {name: out / ("matrix.csv" if name == "csv" else f"{name}.png") for name in given}
    return files | {name: path for name, path in given.items() if path is not None}


def _numbered(files: dict[str, Path], k: int) -> dict[str, Path]:
    """Put k into the names, where there are several."""
    return {name: path.with_name(f"{path.stem}-k{k}{path.suffix}") for name, path in files.items()}


def _write(found: DivergenceMatrix, files: dict[str, Path]) -> None:
    drawn: dict[str, Any] = {"heatmap": found.plot, "dendrogram": found.dendrogram, "map": found.map}
    for name, path in files.items():
        if name == "csv":
            found.to_csv(path)
            note(f"wrote {path}")
        else:
            m.draw(drawn[name](), path)


def _show(found: DivergenceMatrix, near: int = 3) -> None:
    from rich.table import Table
    from rich.text import Text

    k = f", k = {found.options['k']}" if "k" in found.options else ""
    kind = ", standardised" if found.standardised else ""
    title = f"{len(found)} texts, method {found.method}{k}{kind}, vectors {found.vectors}"
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("text", "nearest", "", ""):
        table.add_column(heading, header_style="bold")
    for name in found.names:
        closest = [Text(f"{other} {value:.3f}") for other, value in found.nearest(name, near)]
        table.add_row(Text(name), *closest)
    screen = console()
    screen.print(title, style="bold", markup=False)
    screen.print(table)
