"""`lexicloud corpus`: what a corpus holds, and saving one for later."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli.options import AsJson, Cluster, Encoding, Keep, Language, Lemmas, VectorsOption
from lexicloud.cli.shell import console, fail, new_group, note, print_json, progress

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.text.read import ReadReport

corpus: typer.Typer = new_group(
    "What a corpus holds, its coverage and what was lost.\n\nExample: lexicloud corpus info novels/",
)

Column = Annotated[str | None, typer.Option(help="For a table: the column of this name.")]


@corpus.command()
def info(
    path: Annotated[str, typer.Argument(help="A folder, a file, a saved corpus, or - for standard input.")],
    text: Column = None,
    label: Column = None,
    vectors: VectorsOption = None,
    language: Language = "detect",
    encoding: Encoding = None,
    lost: Annotated[int, typer.Option(min=0, help="How many of the lost words to list.")] = 10,
    keep_parts: Keep = None,  # noqa: ARG001 — the shell tells the readers
    json: AsJson = False,
) -> None:
    """Show each file (kind, encoding, language, labels, what was left out), tokens, and how many have vectors.

    Example: lexicloud corpus info novels/
    """
    with progress():
        corpus, report = read(path, text, label, vectors, language, encoding)
    if json:
        print_json({**describe(corpus, lost), "files": report.files if report else []})
        return
    if report:
        show_files(report)
    show(corpus, lost)


@corpus.command()
def save(
    path: Annotated[str, typer.Argument(help="A folder, a file, or - for standard input.")],
    out: Annotated[Path, typer.Option(help="The folder to save to.")],
    text: Column = None,
    label: Column = None,
    vectors: VectorsOption = None,
    language: Language = "detect",
    lemmas: Lemmas = False,
    encoding: Encoding = None,
    json: AsJson = False,
    passes: Annotated[
        bool, typer.Option("--passes", help="File by file, for more texts than memory.")
    ] = False,
    cluster: Cluster = None,
) -> None:
    """Read texts once and save the corpus; commands that measure take the saved folder in place of the texts.

    Rarer options: --cluster tcp://… or local lets the workers of a Dask cluster read and count the files.

    Example: lexicloud corpus save novels/ --out novels.corpus
    """
    if lemmas and (passes or cluster):
        fail("--lemmas counts all texts at once: leave out --passes or --cluster")
    reading = {"text": text, "label": label, "encoding": encoding}
    with progress():
        if passes:
            corpus = _in_passes(path, out, vectors, language, reading)
        else:
            corpus = (
                _on_cluster(cluster, path, vectors, language, reading)
                if cluster
                else read(path, text, label, vectors, language, encoding, lemmas=lemmas)[0]
            )
            corpus.save(out)
    if json:
        print_json({"path": out, "documents": len(corpus), "tokens": len(corpus.stream)})
    else:
        note(f"saved {len(corpus):,} documents, {len(corpus.stream):,} tokens to {out}")


def _in_passes(path: str, out: Path, vectors: str | None, language: str, reading: dict[str, Any]) -> Corpus:
    from lexicloud.corpus.from_files import save_in_passes
    from lexicloud.text import TokenRules
    from lexicloud.text.streamed import documents_of, files_of

    documents = (document for file in files_of(path) for document in documents_of([file], **reading))
    return save_in_passes(documents, out, vectors=vectors, rules=TokenRules(language=language))


def _on_cluster(
    cluster: str, path: str, vectors: str | None, language: str, reading: dict[str, Any]
) -> Corpus:
    from lexicloud.cluster.texts import from_folder
    from lexicloud.text import TokenRules

    return from_folder(cluster, path, vectors=vectors, rules=TokenRules(language=language), **reading)


def read(
    path: str,
    text: str | None,
    label: str | None,
    vectors: str | None,
    language: str,
    encoding: str | None,
    *,
    lemmas: bool = False,
) -> tuple[Corpus, ReadReport | None]:
    """Return a corpus with its labels where they are clear, and the report on its files; None for a saved corpus."""
    from lexicloud.corpus import Corpus
    from lexicloud.corpus.from_files import corpus_from_documents, is_saved
    from lexicloud.corpus.labels import with_found_labels
    from lexicloud.text import TokenRules, read_documents
    from lexicloud.text.read import ReadReport, language_of

    rules = TokenRules(language=language, lemmas=lemmas)
    options: dict[str, Any] = {"vectors": vectors, "rules": rules}
    if is_saved(path):
        return Corpus.from_folder(path, text=text, label=label, encoding=encoding, **options), None
    documents = read_documents(path, text=text, label=label, encoding=encoding)
    corpus = with_found_labels(corpus_from_documents(documents, **options), documents)
    return corpus, ReadReport.of(documents, language_of)


def show_files(report: ReadReport) -> None:
    """Print one line for each file."""
    for file in report.files:
        console().print(str(file), markup=False, highlight=False, soft_wrap=True)
    console().print()


def describe(corpus: Corpus, lost: int) -> dict[str, Any]:
    """Return what `info` shows, as plain values."""
    coverage = corpus.coverage.to_dict()
    coverage["lost"], coverage["recovered"] = coverage["lost"][:lost], coverage["recovered"][:lost]
    return {
        "documents": [
            {"name": name, "tokens": int(n), "types": int(t), "label": label}
            for name, n, t, label in zip(
                corpus.names,
                corpus.lengths,
                corpus.counts.indptr[1:] - corpus.counts.indptr[:-1],
                corpus.labels or [None] * len(corpus),
                strict=True,
            )
        ],
        "tokens": len(corpus.stream),
        "vocabulary": len(corpus.vocabulary),
        "vectors": corpus.lexicon.source,
        "rules": corpus.rules,
        "coverage": coverage,
        "notes": corpus.notes,
    }


def show(corpus: Corpus, lost: int) -> None:
    """Print a corpus's description for people."""
    from rich.table import Table
    from rich.text import Text

    screen, coverage = console(), corpus.coverage
    table = Table(box=None, pad_edge=False)
    for title, side in (("document", "left"), ("tokens", "right"), ("distinct", "right"), ("label", "left")):
        table.add_column(title, justify=side)  # type: ignore[arg-type]
    for row in describe(corpus, 0)["documents"]:
        table.add_row(Text(row["name"]), f"{row['tokens']:,}", f"{row['types']:,}", Text(row["label"] or ""))
    screen.print(table)
    screen.print(
        f"\n{len(corpus):,} documents, {len(corpus.stream):,} tokens, {len(corpus.vocabulary):,} distinct words"
    )
    if corpus.lexicon.source != "none":
        screen.print(f"vectors: {corpus.lexicon.source}, {corpus.vectors.shape[1]} dimensions", markup=False)
        screen.print(str(coverage), markup=False)
        if lost and coverage.lost:
            listed = ", ".join(f"{word} ({count:,})" for word, count in coverage.lost[:lost])
            screen.print(f"most frequent without a vector: {listed}", markup=False)
    for line in corpus.notes:
        note(line)
