"""`lexicloud style`: what gives a writer away."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, Encoding, Language, VectorsOption
from lexicloud.cli.shell import answer, new_app, note, progress

app: typer.Typer = new_app("What in a draft points to its writer, and what changing it would do.")


@app.command()
def style(
    path: Annotated[Path, typer.Argument(metavar="DRAFT", help="The draft.")],
    against: Annotated[
        str, typer.Option("--against", help="A trained model, or a folder of texts with labels.")
    ],
    author: Annotated[
        str | None, typer.Option("--author", help="The author to look for; the likeliest by default.")
    ] = None,
    towards: Annotated[
        str | None,
        typer.Option("--towards", help="Instead: what keeps the draft from the style of this author."),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="How many words to list.")] = 15,
    out: Annotated[Path | None, typer.Option("--out", help="A folder for the JSON and the CSV.")] = None,
    label: m.Label = None,
    vectors: VectorsOption = None,
    language: Language = "detect",
    encoding: Encoding = None,
    json: AsJson = False,
) -> None:
    """List what in a draft points to its writer: words, punctuation, spellings, with passages and what others write.

    To see what a change does, the words are changed and the model is asked again. With --towards the list says what
    keeps the draft from an author's style, for a teacher or an editor.

    Example: lexicloud style draft.txt --against novels.model

    Example: lexicloud style draft.txt --against newsroom/ --towards Editor
    """
    from lexicloud.authorship import style as look
    from lexicloud.cli.rolling import known_hands
    from lexicloud.text import read_documents
    from lexicloud.vectors import load_vectors

    with progress():
        model = known_hands(against, label, language, encoding)
        documents = read_documents(path, encoding=encoding)
        text = "\n".join(d.text for d in documents)
        given = None if vectors is None else load_vectors(vectors)
        found = look(
            text, model, author=author, towards=towards, vectors=given, name=documents[0].name, top=top
        )
    if out is not None:
        note(f"wrote {', '.join(file.name for file in found.write(out))} to {out}")
    answer(found, json=json)
