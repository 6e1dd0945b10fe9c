"""`lexicloud train`: a model of known authors, kept on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, Encoding, Language, Seed
from lexicloud.cli.shell import console, new_app, note, print_json, progress

app: typer.Typer = new_app("Learn known authors once, to ask `lexicloud attribute` any number of times.")


@app.command()
def train(
    path: Annotated[str, typer.Argument(metavar="FOLDER", help="Texts with labels: a folder or a table.")],
    out: Annotated[Path, typer.Option("--out", help="The folder that the model is written to.")],
    label: m.Label = None,
    labels: m.Labels = None,
    language: Language = "detect",
    lemmas: m.Lemmas = False,
    encoding: Encoding = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Learn from texts whose authors are known; texts without a label are left out.

    The model holds word counts and statistics, no texts, as plain arrays with checksums, which
    `lexicloud attribute MODEL text.txt` and `lexicloud rolling` open at once.

    Example: lexicloud train novels/ --out novels.model
    """
    from lexicloud.authorship.model import train as learn
    from lexicloud.corpus.labels import known_texts, labelled_corpus
    from lexicloud.text import TokenRules

    with progress():
        rules = TokenRules(language=language, lemmas=lemmas)
        corpus = labelled_corpus(
            path, label=label, labels=labels, vectors="none", rules=rules, encoding=encoding
        )
        model = learn(known_texts(corpus), seed=seed)
        model.save(out)
    m.tell_notes(corpus)
    lengths = list(model.calibration.lengths)
    if json:
        print_json(
            {"model": out, "candidates": model.classes, "texts": len(model.labels), "calibrated": lengths}
        )
        return
    note(f"wrote {out}")
    console().print(
        f"{len(model.labels)} texts by {len(model.classes)} candidates", style="bold", markup=False
    )
    at = ", ".join(f"{n:,}" for n in lengths) or "no length: too few or too short texts"
    console().print(f"probabilities calibrated at {at} tokens", markup=False)
