"""`lexicloud neighbours`: the nearest words of a word."""

from __future__ import annotations

from typing import Annotated

import typer

from lexicloud.cli.options import AsJson, VectorsOption
from lexicloud.cli.shell import console, new_app, print_json, progress

app = new_app("The nearest words of a word.")


@app.command()
def neighbours(
    word: Annotated[str, typer.Argument(help="The word.")],
    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus", help="Look among the words of these texts (a folder, a file or a saved corpus)."
        ),
    ] = None,
    k: Annotated[int, typer.Option("--k", min=1, help="How many.")] = 10,
    refined: Annotated[bool, typer.Option("--refined", help="Use refined vectors.")] = False,
    vectors: VectorsOption = None,
    json: AsJson = False,
) -> None:
    """Show the words nearest to a word, in all the vectors or among the words of some texts.

    Example: lexicloud neighbours whale --corpus novels/ --k 5
    """
    from lexicloud.corpus import Corpus
    from lexicloud.vectors import load_vectors

    with progress():
        if corpus is None:
            table = load_vectors(vectors)
            found = (table.refined() if refined else table).nearest(word, k, "euclidean")
        else:
            found = Corpus.from_folder(corpus, vectors=vectors).nearest(word, k, refined=refined)
    if json:
        print_json([{"word": other, "distance": distance} for other, distance in found])
        return
    screen = console()
    width = max(len(other) for other, _ in found)
    for other, distance in found:
        screen.print(f"{other:<{width}}  {distance:.3f}", markup=False)
