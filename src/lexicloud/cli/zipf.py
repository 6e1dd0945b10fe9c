"""`lexicloud zipf`: rank plot, fits, parts of speech, clusters, projection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, AsPublished, Language, Seed, VectorsOption
from lexicloud.cli.shell import answer_with_files, command, progress
from lexicloud.errors import OptionError

if TYPE_CHECKING:
    from lexicloud.zipf.study import ZipfStudy


PROJECTIONS = ("tsne", "pca", "mds")


@command
def zipf(
    path: Annotated[str, typer.Argument(help="A folder, a file, a saved corpus, or - for standard input.")],
    out: Annotated[Path | None, typer.Option(help="Folder for figures, tables, JSON and one page.")] = None,
    by_document: Annotated[bool, typer.Option("--by-document", help="Fit every document too.")] = False,
    pos: Annotated[bool, typer.Option("--pos", help="Parts of speech: tables and neighbour purity.")] = False,
    clusters: Annotated[
        str | None,
        typer.Option(metavar="K", help="Cluster sentences into K, or auto to choose K."),
    ] = None,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="Slope for K − 20 … K + 20 (K is 35 if not given).")
    ] = False,
    projection: Annotated[str | None, typer.Option(help="Words on a plane: tsne, pca or mds.")] = None,
    alternatives: Annotated[
        bool, typer.Option("--alternatives", help="Test the power law against other laws (slow).")
    ] = False,
    as_published: AsPublished = False,
    vectors: VectorsOption = None,
    language: Language = "detect",
    seed: Seed = 0,
    json: AsJson = False,
    samples: Annotated[int, typer.Option(min=0, hidden=True)] = 200,
    lemmas: m.UnlistedLemmas = False,
    encoding: m.UnlistedEncoding = None,
    cluster: m.Cluster = None,
) -> None:
    """Rank words by frequency and fit Zipf's law, in words and in the latent space.

    Rarer options: --lemmas counts the forms of a word as one (go, went), --samples N bootstrap samples for
    the power law (200; 0 for none), --encoding NAME, --cluster tcp://… or local, which lets the workers of a
    Dask cluster read and count the files.

    Example: lexicloud zipf gatsby.txt --pos --clusters 35 --projection tsne --out gatsby-zipf
    """
    from lexicloud.zipf.study import StudyOptions, study_zipf

    options = StudyOptions(
        by_document=by_document,
        samples=samples,
        alternatives=alternatives,
        pos=pos,
        clusters=_cluster_count(clusters),
        sweep=sweep,
        projection=None if projection is None else _one_of("--projection", projection, PROJECTIONS),
        preset="paper" if as_published else None,
        seed=seed,
    )
    rules = m.published_rules(("tags",), language, as_published=as_published, lemmas=lemmas)
    with progress():
        study = study_zipf(_read(path, vectors, rules, encoding, cluster), options)
        files = [] if out is None else [_page(study, out), *study.write(out)]
    answer_with_files(study, study.notes, files, json=json)


def _read(path: str, vectors: str | None, rules: Any, encoding: str | None, cluster: str | None) -> Any:
    from lexicloud.corpus import Corpus

    options = {"vectors": vectors, "rules": rules, "encoding": encoding}
    if cluster is None:
        corpus = Corpus.from_folder(path, **options)
    else:
        from lexicloud.cluster.texts import from_folder

        corpus = from_folder(cluster, path, **options)
    m.tell_notes(corpus)
    return corpus


def _page(study: ZipfStudy, out: Path) -> Path:
    """Write the report's chapter on Zipf's law as a page of its own."""
    from lexicloud.report.chapters.zipf import ZipfChapter
    from lexicloud.report.page import Page

    out.mkdir(parents=True, exist_ok=True)
    sections = [ZipfChapter(study).section()]
    return Page(f"Zipf’s law: {study.ranks.name}", "; ".join(study.notes), sections).save(out / "index.html")


def _one_of(option: str, value: str, allowed: tuple[str, ...]) -> Any:
    if value not in allowed:
        raise OptionError(f"{option} is {' or '.join(allowed)}, not {value!r}")
    return value


def _cluster_count(value: str | None) -> Any:
    if value is None or value == "auto":
        return value
    if not value.isdecimal():
        raise OptionError(f"--clusters takes a whole number or auto, not {value!r}")
    return int(value)
