"""`lexicloud corpus`: what a corpus holds, and saving one for later."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli.options import AsJson, Encoding, Language, VectorsOption
from lexicloud.cli.shell import console, new_app, note, print_json, progress

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus

app = new_app(
    "What a corpus holds, its coverage and what was lost.\n\nExample: lexicloud corpus info novels/",
    group=True,
)

Column = Annotated[str | None, typer.Option(help="For a table: the column of this name.")]


@app.command()
def info(
    path: Annotated[str, typer.Argument(help="A folder, a file, a saved corpus, or - for standard input.")],
    text: Column = None,
    label: Column = None,
    vectors: VectorsOption = None,
    language: Language = "english",
    encoding: Encoding = None,
    lost: Annotated[int, typer.Option("--lost", min=0, help="How many of the lost words to list.")] = 10,
    json: AsJson = False,
) -> None:
    """Show documents, tokens, vocabulary, and how much of it has vectors.

    Example: lexicloud corpus info novels/
    """
    with progress():
        corpus = read(path, text, label, vectors, language, encoding)
    if json:
        print_json(describe(corpus, lost))
        return
    show(corpus, lost)


@app.command()
def save(
    path: Annotated[str, typer.Argument(help="A folder, a file, or - for standard input.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to save to.")],
    text: Column = None,
    label: Column = None,
    vectors: VectorsOption = None,
    language: Language = "english",
    encoding: Encoding = None,
    json: AsJson = False,
) -> None:
    """Read texts once and save the corpus; commands that measure take the saved folder in place of the texts.

    Example: lexicloud corpus save novels/ --out novels.corpus
    """
    with progress():
        corpus = read(path, text, label, vectors, language, encoding)
        corpus.save(out)
    if json:
        print_json({"path": out, "documents": len(corpus), "tokens": len(corpus.stream)})
    else:
        note(f"saved {len(corpus):,} documents, {len(corpus.stream):,} tokens to {out}")


def read(
    path: str,
    text: str | None,
    label: str | None,
    vectors: str | None,
    language: str,
    encoding: str | None,
) -> Corpus:
    """Read a corpus as the options say."""
    from lexicloud.corpus import Corpus
    from lexicloud.text import TokenRules

    rules = TokenRules(language=language)
    return Corpus.from_folder(path, text=text, label=label, vectors=vectors, rules=rules, encoding=encoding)


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
    screen.print(f"vectors: {corpus.lexicon.source}, {corpus.vectors.shape[1]} dimensions", markup=False)
    screen.print(str(coverage), markup=False)
    if lost and coverage.lost:
        listed = ", ".join(f"{word} ({count:,})" for word, count in coverage.lost[:lost])
        screen.print(f"most frequent without a vector: {listed}", markup=False)
    for line in corpus.notes:
        note(line)
