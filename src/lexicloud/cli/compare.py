"""`lexicloud compare`: how far apart two texts are, and the words that drive it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, AsPublished, Language, Sample, VectorsOption
from lexicloud.cli.shell import answer, new_app, progress

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus

app: typer.Typer = new_app("How far apart two texts are, and the words that drive it.")


@app.command()
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
        typer.Option("--hypothesis", help="Add a p-value: 'same text', 'same book' or 'same hand'."),
    ] = None,
    without: m.Without = None,
    sample: Sample = None,
    plot: m.Plot = None,
    as_published: AsPublished = False,
    vectors: VectorsOption = None,
    language: Language = "detect",
    json: AsJson = False,
    top: Annotated[int, typer.Option("--top", min=0, hidden=True)] = 20,
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
