"""`lexicloud compare`, `matrix` and `drift`: how far apart texts are, and the words that drive it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, AsPublished, Language, Sample, VectorsOption
from lexicloud.cli.shell import answer, command, fail, note, progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lexicloud.corpus import Corpus


@command
def compare(
    texts: Annotated[
        list[str],
        typer.Argument(
            metavar="A B", help="Two files (- is standard input), or a folder or table and two names in it."
        ),
    ],
    method: m.MethodOption = "smoothed",
    k: m.K = None,
    symmetric: m.Symmetric = False,
    hypothesis: Annotated[
        str | None,
        typer.Option(help="Add a p-value: 'same text', 'same book' or 'same hand'."),
    ] = None,
    without: m.Without = None,
    sample: Sample = None,
    plot: m.Plot = None,
    as_published: AsPublished = False,
    vectors: VectorsOption = None,
    language: Language = "detect",
    json: AsJson = False,
    top: Annotated[int, typer.Option(min=0, hidden=True)] = 20,
    seed: m.UnlistedSeed = 0,
    lemmas: m.UnlistedLemmas = False,
    encoding: m.UnlistedEncoding = None,
) -> None:
    """Measure how far text A is from text B, what to compare that with, and the words behind it.

    Other texts of the folder do not change the result. Below the value stands what two texts of one source would
    give, and how near other pairs are: by one author, by different authors.

    Rarer options: --lemmas counts the forms of a word as one (go, went), --top N lists so many words, --seed N sets
    the seed of the random deals, --encoding NAME.

    Example: lexicloud compare emma.txt dubliners.txt

    Example: lexicloud compare novels/ emma dubliners --method knn --k 5
    """
    from lexicloud.divergences.pair import divergence

    options = m.method_options(method, k, as_published=as_published) | (
        {"preset": "paper"} if as_published else {}
    )
    rules = m.published_rules(("divergence",), language, as_published=as_published, lemmas=lemmas)
    with progress():
        corpus, a, b = _read(texts, vectors=vectors, rules=rules, encoding=encoding)
        found = divergence(
            corpus,
            a,
            b,
            method,
            symmetric=symmetric,
            hypothesis=hypothesis,  # type: ignore[arg-type]  # checked there
            without=without or (),
            seed=seed,
            sample=sample,
            top=top,
            **options,
        )
    m.tell_notes(corpus)
    if plot:
        m.draw(found.plot(), plot)
    answer(found, json=json)


def _read(
    texts: list[str], *, vectors: str | None, rules: Any, encoding: str | None
) -> tuple[Corpus, str, str]:
    """Read two files, or a folder with the names of two of its texts."""
    from lexicloud.corpus import Corpus
    from lexicloud.corpus.from_files import corpus_from_documents
    from lexicloud.errors import OptionError

    if len(texts) == 3:
        corpus = Corpus.from_folder(texts[0], vectors=vectors, rules=rules, encoding=encoding)
        return corpus, texts[1], texts[2]
    if len(texts) != 2:
        raise OptionError(f"compare takes two files, or a folder and two names in it, but {len(texts)} given")
    if texts == ["-", "-"]:
        raise OptionError("only one of the two texts can come from standard input: give the other as a file")
    documents = _told_apart([_one(path, encoding) for path in texts])
    corpus = corpus_from_documents(documents, vectors=vectors, rules=rules)
    return corpus, corpus.names[0], corpus.names[1]


def _one(path: str, encoding: str | None) -> Any:
    from lexicloud.errors import InputError
    from lexicloud.text import read_documents

    documents = read_documents(path, encoding=encoding)
    if len(documents) != 1:
        raise InputError(
            f"{path} holds {len(documents)} texts: name two of them, lexicloud compare {path} "
            f"{documents[0].name} {documents[1].name}"
        )
    return documents[0]


def _told_apart(documents: list[Any]) -> list[Any]:
    """Return documents with numbers added to their names if these are the same."""
    from dataclasses import replace

    if documents[0].name != documents[1].name:
        return documents
    return [replace(d, name=f"{d.name} ({i})") for i, d in enumerate(documents, 1)]


@command
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
        Path | None, typer.Option(help="A folder for all of it: CSV, heat map, dendrogram, map.")
    ] = None,
    label: m.Label = None,
    vectors: VectorsOption = None,
    language: Language = "detect",
    json: AsJson = False,
    skip_bad: m.UnlistedSkipBad = False,
    seed: m.UnlistedSeed = 0,
    lemmas: m.UnlistedLemmas = False,
    encoding: m.UnlistedEncoding = None,
    nearest: Annotated[int | None, typer.Option(min=1, hidden=True)] = None,
    checkpoint: Annotated[Path | None, typer.Option(hidden=True)] = None,
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
        corpus = _read_folder(path, label, vectors=vectors, rules=rules, encoding=encoding)
        if nearest is not None:
            refused = {"--symmetric": symmetric, "--sample": sample, "--without": without}
            _refuse_options([name for name, value in refused.items() if value])
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


def _read_folder(path: str, label: str | None, **options: Any) -> Corpus:
    """Read the texts; pictures are in the authors' colours where files or their names say surely who wrote them."""
    from lexicloud.corpus import Corpus
    from lexicloud.corpus.labels import with_found_labels

    corpus = Corpus.from_folder(path, label=label, **options)
    return corpus if label else with_found_labels(corpus)


def _refuse_options(options: list[str]) -> None:
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


@command
def drift(
    path: Annotated[
        str, typer.Argument(metavar="TEXT", help="A file (- is standard input), or a folder or table.")
    ],
    name: Annotated[str | None, typer.Argument(help="Which text of a folder or table.")] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(help="Compare windows with this text, a file or a name; may be repeated."),
    ] = None,
    window: Annotated[int, typer.Option(min=1, help="Tokens in a window.")] = 4000,
    method: m.MethodOption = "smoothed",
    k: m.K = None,
    plot: m.Plot = None,
    vectors: VectorsOption = None,
    language: Language = "detect",
    json: AsJson = False,
    step: Annotated[int, typer.Option(min=1, hidden=True)] = 500,
    encoding: m.UnlistedEncoding = None,
) -> None:
    """Find where the hand changes along a text, and measure how far each window is from the rest or from
    other texts.

    A change is a place where the text before and the text after differ more than texts by one hand do; most texts
    have none.

    Rarer options: --step N tokens from one window to the next, --encoding NAME.

    Example: lexicloud drift novel.txt --plot drift.png

    Example: lexicloud drift henry8.txt --against shakespeare.txt --against fletcher.txt
    """
    from lexicloud.authorship import drift as measure
    from lexicloud.corpus import Corpus
    from lexicloud.corpus.from_files import corpus_from_documents, is_saved
    from lexicloud.text import TokenRules

    options = m.method_options(method, k)
    with progress():
        if is_saved(path):
            corpus, names = Corpus.from_folder(path, vectors=vectors), against or []
            name = _only(path, corpus.names, name)
        else:
            documents, name, names = _read_beside(path, name, against or [], encoding)
            corpus = corpus_from_documents(documents, vectors=vectors, rules=TokenRules(language=language))
        reference = names or "rest"
        found = measure(corpus, name, window=window, step=step, reference=reference, method=method, **options)
    m.tell_notes(corpus)
    if plot:
        m.draw(found.plot(), plot)
    answer(found, json=json)


def _read_beside(
    path: str, name: str | None, against: list[str], encoding: str | None
) -> tuple[list[Any], str, list[str]]:
    """Read the text and those to compare it with; each of these is the name of a text beside it, or else a file."""
    from dataclasses import replace

    from lexicloud.text import read_documents

    documents = read_documents(path, encoding=encoding)
    name = _only(path, [d.name for d in documents], name)
    names = []
    for other in against:
        taken = {d.name for d in documents}
        if other in taken:
            names.append(other)
            continue
        for read in read_documents(other, encoding=encoding):
            documents.append(replace(read, name=other) if read.name in taken else read)
            names.append(documents[-1].name)
    return documents, name, names


def _only(path: str, names: Sequence[str], name: str | None) -> str:
    """Return the name that was given, or that of the only text there is."""
    from lexicloud.errors import OptionError

    if name is None and len(names) > 1:
        raise OptionError(f"{path} holds {len(names)} texts: say which, lexicloud drift {path} NAME")
    return name or names[0]
