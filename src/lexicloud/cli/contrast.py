"""`lexicloud contrast`: what sets two groups of texts apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexicloud.cli.options import AsJson, Encoding, Language, VectorsOption
from lexicloud.cli.shell import console, new_app, note, print_json, progress

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.divergences import Contrast

app: typer.Typer = new_app("What sets two groups of texts apart: key words, effect sizes, themes, contexts.")


@app.command()
def contrast(
    a: Annotated[str, typer.Argument(metavar="A", help="Texts: a folder or a file; with --in, a label.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The texts to compare with.")],
    within: Annotated[
        str | None, typer.Option("--in", help="A folder or table whose labels A and B are.")
    ] = None,
    label: Annotated[
        str | None, typer.Option("--label", help="The column of the labels, @name or @folder.")
    ] = None,
    order: Annotated[str, typer.Option("--order", help="log-ratio, zeta or eder.")] = "log-ratio",
    top: Annotated[int, typer.Option("--top", min=1, help="How many words of each group.")] = 15,
    word: Annotated[
        str | None, typer.Option("--word", help="Show where this word occurs in both groups.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="A folder for the JSON and the CSV.")] = None,
    vectors: VectorsOption = None,
    language: Language = "english",
    encoding: Encoding = None,
    json: AsJson = False,
) -> None:
    """Compare two groups of texts word by word, with intervals; near words are joined into themes.

    Example: lexicloud contrast austen/ dickens/

    Example: lexicloud contrast Austen Dickens --in novels/ --order zeta --word sensible
    """
    from lexicloud.divergences import contrast as compare

    with progress():
        corpus = _corpus(a, b, within, label, vectors, language, encoding)
        found = compare(corpus, a, b, order=order, top=top)
    if out is not None:
        note(f"wrote {', '.join(file.name for file in found.write(out))} to {out}")
    contexts = found.contexts(word) if word else None
    if json:
        print_json({**found.to_dict(), **({"contexts": contexts} if contexts else {})})
        return
    _show(found)
    for group, lines in (contexts or {}).items():
        console().print(f"\n{word} in {group}", style="bold", markup=False)
        for line in lines:
            console().print(f"  … {line} …", markup=False)


def _corpus(
    a: str,
    b: str,
    within: str | None,
    label: str | None,
    vectors: str | None,
    language: str,
    encoding: str | None,
) -> Corpus:
    """Read one folder with labels, or two groups of texts, each labelled by its own path."""
    from dataclasses import replace

    from lexicloud.corpus.from_files import corpus_from_documents
    from lexicloud.corpus.labels import labelled_corpus
    from lexicloud.text import TokenRules, read_documents

    rules = TokenRules(language=language)
    if within is not None:
        return labelled_corpus(within, label=label, vectors=vectors, rules=rules, encoding=encoding)
    documents = [
        replace(d, label=path, name=f"{path}/{d.name}")
        for path in (a, b)
        for d in read_documents(path, encoding=encoding)
    ]
    return corpus_from_documents(documents, vectors=vectors, rules=rules)


def _show(found: Contrast) -> None:
    from rich.table import Table
    from rich.text import Text

    screen = console()
    for group in found.groups:
        screen.print(f"\nmore in {group}", style="bold", markup=False)
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
        for heading in ("word", "log ratio", "95% interval", "Zeta", "Eder's", "counts", "theme"):
            left = heading in {"word", "theme"}
            table.add_column(heading, header_style="bold", justify="left" if left else "right")
        for w in found.of(group):
            low, high = w.interval
            counts = f"{w.counts[0]:,} / {w.counts[1]:,}"
            theme = "" if w.theme == w.word else w.theme
            table.add_row(
                Text(w.word), f"{w.log_ratio:+.2f}", f"{low:+.2f} … {high:+.2f}", f"{w.zeta:+.2f}", f"{w.eder:+.2f}",
                counts, Text(theme),
            )  # fmt: skip
        screen.print(table)
