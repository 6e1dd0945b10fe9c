"""`lexicloud label`: labels for short texts from a few examples."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli.options import AsJson, Language, Seed, VectorsOption
from lexicloud.cli.shell import console, fail, new_app, note, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.labelling import Labeller, TextLabel, ToLabel
    from lexicloud.text import Document

app: typer.Typer = new_app("Labels for short texts from a few examples, with reasons.")

_WIDTH = 60  # characters of a text in a line


@app.command()
def label(
    path: Annotated[
        str, typer.Argument(metavar="ROWS", help="A table (.csv, .tsv, .jsonl) with a text column.")
    ],
    text: Annotated[str | None, typer.Option("--text", help="The column of the texts.")] = None,
    label: Annotated[
        str | None, typer.Option("--label", help="The column of the labels; empty where there is none yet.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", help="Label by this saved model; the table needs no labels.")
    ] = None,
    save: Annotated[Path | None, typer.Option("--save", help="Keep what was learnt in this folder.")] = None,
    next: Annotated[  # noqa: A002
        int, typer.Option("--next", min=0, help="Show this many rows to label by hand next, and no labels.")
    ] = 0,
    refuse: Annotated[
        float | None,
        typer.Option(
            "--refuse", min=0, max=0.5, help="Share of good texts that may be 'none of these'; 0.1."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Write the rows so labelled, or to label next, to this file (.csv, .jsonl)."
        ),
    ] = None,
    vectors: VectorsOption = None,
    language: Language = "english",
    seed: Seed = 0,
    json: AsJson = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", hidden=True)] = False,
) -> None:
    """Learn from the labelled rows of a table and label the others, each with its probability and the reason.

    Rows without a label teach, too, which words are rare in the table and which keep company, from 300 rows on.
    A text that is like no label's examples gets none. --next says which rows to label by hand next. A file that is
    there already may hold labels put right by hand: --overwrite replaces it.

    Example: lexicloud label tickets.csv --text body --label component --out labelled.csv

    Example: lexicloud label tickets.csv --label component --next 10
    """
    from lexicloud.text import read_documents

    if out is not None:
        _check_out(out, path, overwrite=overwrite)
    with progress():
        documents = read_documents(path, text=text, label=label)
        for line in documents[0].notes:
            note(line)
        known = [d for d in documents if (d.label or "").strip()]
        new = [d for d in documents if not (d.label or "").strip()]
        labeller = _labeller(model, known, new, vectors, language, refuse, seed)
        if save is not None:
            labeller.save(save)
            note(f"wrote {save}")
        if not new:
            note(f"every row of {path} has a label: nothing is left to do")
        texts = [d.text for d in new]
        if next:
            _tell_next(labeller.next(texts, next) if new else [], new, labeller, out, as_json=json)
            return
        if new:
            _note_refusal(labeller)
        found = labeller.label(texts) if new else []
        reasons = (
            [why.sentence for why in labeller.explain_many(texts, [a.guess for a in found])] if new else []
        )
    if out is not None and new:
        _write(out, _answers(new, found, reasons))
    if json:
        print_json(
            [
                {"name": d.name, **answer.to_dict(), "reasons": reason}
                for d, answer, reason in zip(new, found, reasons, strict=True)
            ]
        )
    else:
        _show(new, found, reasons, labeller)


def _check_out(out: Path, path: str, *, overwrite: bool) -> None:
    """Refuse to write over the table itself, by whatever name, or unasked over labels that somebody may have edited."""
    if out.suffix not in {".csv", ".jsonl"}:
        fail(f"--out {out}: give a name that ends in .csv or .jsonl")
    if out.exists() and Path(path).exists() and out.samefile(path):
        fail(f"--out is the table itself, {path}: give another file")
    if out.is_file() and out.stat().st_size and not overwrite:
        fail(f"{out} is there already: give another file, or replace it with --overwrite")


def _note_refusal(labeller: Labeller) -> None:
    """Say so where there are too few examples for "none of these"."""
    examples = len(labeller.evidence_.y)
    if labeller.refuse and 1 / (1 + examples) > labeller.refuse:
        need = ceil(1 / labeller.refuse) - 1
        note(f"with {examples} examples every row gets a label; 'none of these' needs {need}")


def _labeller(
    model: Path | None,
    known: Sequence[Document],
    new: Sequence[Document],
    vectors: str | None,
    language: str,
    refuse: float | None,
    seed: int,
) -> Labeller:
    from lexicloud.labelling import Labeller
    from lexicloud.text import TokenRules
    from lexicloud.vectors import load_vectors

    if model is not None:
        loaded = Labeller.load(model, None if vectors is None else load_vectors(vectors))
        loaded.refuse = loaded.refuse if refuse is None else refuse
        return loaded
    if not known:
        fail("no row has a label: fill the label column of a few rows, name it with --label, or give --model")
    rules = TokenRules(language=language)
    labeller = Labeller(vectors, refuse=0.1 if refuse is None else refuse, rules=rules, seed=seed)
    labels = [str(d.label).strip() for d in known]
    return labeller.fit([d.text for d in known], labels, unlabelled=[d.text for d in new])


def _show(
    new: Sequence[Document], found: Sequence[TextLabel], reasons: Sequence[str], labeller: Labeller
) -> None:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for column in ("row", "label", "sure", "text", "reasons"):
        table.add_column(column, header_style="bold")
    for document, answer, reason in zip(new, found, reasons, strict=True):
        label = "none of these" if answer.label is None else answer.label
        why = reason.partition(" because ")[2]
        table.add_row(document.name, label, f"{answer.probability:.2f}", _short(answer.text), why)
    if found:
        console().print(table, markup=False)
    console().print(_summary(labeller), markup=False)


def _tell_next(
    found: Sequence[ToLabel],
    new: Sequence[Document],
    labeller: Labeller,
    out: Path | None,
    *,
    as_json: bool,
) -> None:
    rows = [{"name": new[row.index].name, **row.to_dict()} for row in found]
    if out is not None and rows:
        _write(out, [{**new[row["index"]].fields, **row} for row in rows])
    if as_json:
        print_json(rows)
    elif found:
        _show_next(found, new, labeller)


def _show_next(found: Sequence[ToLabel], new: Sequence[Document], labeller: Labeller) -> None:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for column in ("row", "perhaps", "sure", "gain", "text"):
        table.add_column(column, header_style="bold")
    for row in found:
        table.add_row(
            new[row.index].name, row.guess, f"{row.probability:.2f}", f"{row.gain:+.1f}", _short(row.text)
        )
    console().print(table, markup=False)
    gain = sum(row.gain for row in found)
    console().print(
        f"labelling these {len(found)} of {len(new):,} rows puts about {gain:.1f} wrong guesses right, "
        "and whatever the other rows learn from them"
    )
    console().print(_summary(labeller), markup=False)


def _summary(labeller: Labeller) -> str:
    rows = labeller.source_.rows
    beside = "" if rows is None else f", and from all {rows.texts:,} rows what words mean"
    return (
        f"{len(labeller.classes_)} labels from {len(labeller.evidence_.y):,} examples{beside}; "
        f"held out, {labeller.accuracy_:.0%} of the examples were labelled right"
    )


def _answers(
    new: Sequence[Document], found: Sequence[TextLabel], reasons: Sequence[str]
) -> list[dict[str, Any]]:
    """Return a row for each text: the answer, its reasons, and the other columns that the text came with."""
    return [
        {
            **document.fields,
            "name": document.name,
            "label": answer.label or "",
            "guess": answer.guess,
            "probability": round(answer.probability, 4),
            "fit": round(answer.fit, 4),
            "reasons": reason,
            "text": answer.text,
        }
        for document, answer, reason in zip(new, found, reasons, strict=True)
    ]


def _write(out: Path, rows: Sequence[dict[str, Any]]) -> None:
    import pandas as pd

    from lexicloud.result import as_json, csv_text
    from lexicloud.storage import replace_text

    if out.suffix == ".jsonl":
        replace_text(out, "".join(as_json(row) + "\n" for row in rows))
    else:
        replace_text(out, csv_text(pd.DataFrame(rows)))
    note(f"wrote {out}")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"
