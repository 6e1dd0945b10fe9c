"""`lexicloud rolling`: who wrote which part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, Encoding, Language
from lexicloud.cli.shell import answer, new_app, note, progress

if TYPE_CHECKING:
    from lexicloud.authorship.model import AttributionModel

app: typer.Typer = new_app("Who wrote which part: hands along a text, and where they change.")


@app.command()
def rolling(
    path: Annotated[Path, typer.Argument(metavar="TEXT", help="The text.")],
    against: Annotated[
        str, typer.Option("--against", help="A trained model, or a folder of texts with labels.")
    ],
    window: Annotated[int, typer.Option("--window", min=50, help="Tokens in a window.")] = 2000,
    step: Annotated[int, typer.Option("--step", min=1, help="Tokens from one window to the next.")] = 250,
    out: Annotated[
        Path | None, typer.Option("--out", help="A folder for the JSON, the CSV and the plot.")
    ] = None,
    label: m.Label = None,
    language: Language = "detect",
    encoding: Encoding = None,
    json: AsJson = False,
) -> None:
    """Label every window of a text with known authors, with probabilities, and find where the author changes.

    Example: lexicloud rolling henry8.txt --against plays/ --out henry8
    """
    from lexicloud.authorship import rolling as roll
    from lexicloud.text import read_documents

    with progress():
        model = known_hands(against, label, language, encoding)
        documents = read_documents(path, encoding=encoding)
        text = "\n".join(d.text for d in documents)
        found = roll(text, model, window=window, step=step, name=documents[0].name)
    if out is not None:
        note(f"wrote {', '.join(file.name for file in found.write(out))} to {out}")
    answer(found, json=json)


def known_hands(path: str, label: str | None, language: str, encoding: str | None) -> AttributionModel:
    """Open a trained model, or learn one from texts with labels."""
    from lexicloud.authorship.model import AttributionModel, train
    from lexicloud.cli.attribute import is_model
    from lexicloud.corpus.labels import known_texts, labelled_corpus
    from lexicloud.text import TokenRules

    if is_model(path):
        return AttributionModel.open(path)
    rules = TokenRules(language=language)
    return train(
        known_texts(labelled_corpus(path, label=label, vectors="none", rules=rules, encoding=encoding))
    )
