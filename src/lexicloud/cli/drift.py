"""`lexicloud drift`: divergence along one text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, Language, VectorsOption
from lexicloud.cli.shell import answer, new_app, progress

if TYPE_CHECKING:
    from collections.abc import Sequence


app: typer.Typer = new_app("Divergence along one text, for changes of hand or theme.")


@app.command()
def drift(
    path: Annotated[
        str, typer.Argument(metavar="TEXT", help="A file (- is standard input), or a folder or table.")
    ],
    name: Annotated[str | None, typer.Argument(help="Which text of a folder or table.")] = None,
    against: Annotated[
        list[str] | None,
        typer.Option("--against", help="Compare windows with this text, a file or a name; may be repeated."),
    ] = None,
    window: Annotated[int, typer.Option("--window", min=1, help="Tokens in a window.")] = 4000,
    method: m.MethodOption = "smoothed",
    k: m.K = None,
    plot: m.Plot = None,
    vectors: VectorsOption = None,
    language: Language = "detect",
    json: AsJson = False,
    step: Annotated[int, typer.Option("--step", min=1, hidden=True)] = 500,
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
            documents, name, names = _read(path, name, against or [], encoding)
            corpus = corpus_from_documents(documents, vectors=vectors, rules=TokenRules(language=language))
        reference = names or "rest"
        found = measure(corpus, name, window=window, step=step, reference=reference, method=method, **options)
    m.tell_notes(corpus)
    if plot:
        m.draw(found.plot(), plot)
    answer(found, json=json)


def _read(
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
