"""`lexicloud rolling`: who wrote which part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, Encoding, Language
from lexicloud.cli.shell import console, new_app, note, print_json, progress

if TYPE_CHECKING:
    from lexicloud.divergences import AttributionModel, Rolling

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
    language: Language = "english",
    encoding: Encoding = None,
    json: AsJson = False,
) -> None:
    """Label every window of a text by known hands, with probabilities, and find the seams between hands.

    Example: lexicloud rolling henry8.txt --against plays/ --out henry8
    """
    from lexicloud.divergences import rolling as roll
    from lexicloud.text import read_documents

    with progress():
        model = _model(against, label, language, encoding)
        documents = read_documents(path, encoding=encoding)
        text = "\n".join(d.text for d in documents)
        found = roll(text, model, window=window, step=step, name=documents[0].name)
    if out is not None:
        note(f"wrote {', '.join(file.name for file in found.write(out))} to {out}")
    if json:
        print_json(found.to_dict())
        return
    _show(found)


def _model(path: str, label: str | None, language: str, encoding: str | None) -> AttributionModel:
    from lexicloud.cli.attribute import is_model
    from lexicloud.corpus.labels import known_texts, labelled_corpus
    from lexicloud.divergences.attribution.model import AttributionModel, train
    from lexicloud.text import TokenRules

    if is_model(path):
        return AttributionModel.open(path)
    rules = TokenRules(language=language)
    return train(
        known_texts(labelled_corpus(path, label=label, vectors="none", rules=rules, encoding=encoding))
    )


def _show(found: Rolling) -> None:
    screen = console()
    parts = [0, *(seam.position for seam in found.seams), found.tokens]
    screen.print(
        f"{found.name}: {found.tokens:,} tokens, {len(found.windows)} windows", style="bold", markup=False
    )
    for hand, start, end in zip(found.hands, parts, parts[1:], strict=False):
        screen.print(f"{start:>9,} … {end:>9,}  {hand}", markup=False)
    for seam in found.seams:
        screen.print(
            f"\nseam at {seam.position:,}: {seam.before} | {seam.after}, two hands with {seam.probability:.0%}",
            markup=False,
        )
        screen.print(f"  … {seam.context} …", markup=False)
