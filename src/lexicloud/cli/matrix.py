"""`lexicloud matrix`: all pairs of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, Language, Sample, VectorsOption
from lexicloud.cli.shell import answer, fail, new_app, note, progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from lexicloud.corpus import Corpus

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
        typer.Option(
            "--standardise/--raw", help="By how close texts usually are (from 8 texts on), or nats."
        ),
    ] = None,
    without: m.Without = None,
    sample: Sample = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="A folder for all of it: CSV, heat map, dendrogram, map.")
    ] = None,
    label: m.Label = None,
    vectors: VectorsOption = None,
    language: Language = "detect",
    json: AsJson = False,
    skip_bad: m.UnlistedSkipBad = False,
    seed: m.UnlistedSeed = 0,
    lemmas: m.UnlistedLemmas = False,
    encoding: m.UnlistedEncoding = None,
    nearest: Annotated[int | None, typer.Option("--nearest", min=1, hidden=True)] = None,
    checkpoint: Annotated[Path | None, typer.Option("--checkpoint", hidden=True)] = None,
    cluster: m.Cluster = None,
) -> None:
    """Measure the divergence of every text from every other, and show the nearest of each.

    From eight texts on, values are standardised: how much closer a pair is than either text usually is, in standard
    deviations. In raw nats (--raw) a text with a rich vocabulary is near to all others.

    Rarer options: --lemmas counts the forms of a word as one (go, went), --skip-bad leaves out texts that
    cannot be measured, --seed N draws other samples, --encoding NAME.
    --nearest N keeps the N nearest of each text instead of all pairs, for up to a million texts; with --checkpoint
    FOLDER a run that was stopped continues where it was. --cluster tcp://… or local measures on a Dask cluster.

    Example: lexicloud matrix novels/ --out novels-matrix

    Example: lexicloud matrix novels/ --method knn --k 5 --sample 10000
    """
    from lexicloud.divergences.standardise import ENOUGH
    from lexicloud.text import TokenRules

    options = m.method_options(method, k)
    if checkpoint is not None and nearest is None:
        fail("--checkpoint keeps the pieces of --nearest N: give it too, or leave --checkpoint out")
    if out is not None and out.exists() and not out.is_dir():
        fail(f"{out} is a file, not a folder: choose another place for --out")
    with progress():
        rules = TokenRules(language=language, lemmas=lemmas)
        corpus = _read(path, label, vectors=vectors, rules=rules, encoding=encoding)
        if nearest is not None:
            refused = {"--symmetric": symmetric, "--sample": sample, "--without": without}
            _refuse([name for name, value in refused.items() if value])
            options |= {"n": nearest, "standardise": standardise, "checkpoint": checkpoint}
            found: Any = _on(cluster, "nearest_documents")(corpus, method, skip_bad=skip_bad, **options)
        else:
            if sample is None and method == "knn":
                sample = _equal_size(corpus)
            found = _on(cluster, "divergence_matrix")(
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
    if json:
        for skipped in found.skipped:
            note(f"left out {skipped.name}: {skipped.reason}")
    if out is not None:
        for file in found.write(out):
            note(f"wrote {file}")
    answer(found, json=json)


def _read(path: str, label: str | None, **options: Any) -> Corpus:
    """Read the texts; pictures are in the authors' colours where files or their names say surely who wrote them."""
    from lexicloud.corpus import Corpus
    from lexicloud.corpus.labels import with_found_labels

    corpus = Corpus.from_folder(path, label=label, **options)
    return corpus if label else with_found_labels(corpus)


def _refuse(options: list[str]) -> None:
    if options:
        fail(f"--nearest compares whole texts, one way: leave out {', '.join(options)}")


def _on(cluster: str | None, name: str) -> Callable[..., Any]:
    """Return a function of `lexicloud.divergences`, or its namesake on a cluster."""
    if cluster is None:
        from lexicloud import divergences

        return getattr(divergences, name)  # type: ignore[no-any-return]
    from functools import partial

    from lexicloud import cluster as elsewhere

    return partial(getattr(elsewhere, name), cluster)


def _equal_size(corpus: Corpus) -> int | None:
    """Return the content words of the shortest text if lengths differ: a k-NN estimate would rank texts by length."""
    words = corpus.counts[:, corpus.content].sum(axis=1)
    least, most = int(min(words)), int(max(words))
    if most <= 1.1 * least or not least:
        return None
    note(
        f"lengths differ, and knn would rank by them: samples of {least:,} content words each (--sample N for others)"
    )
    return least
