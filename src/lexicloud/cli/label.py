"""`lexicloud label`: labels for short texts from a few examples."""

from __future__ import annotations

from collections import Counter
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli.options import AsJson, Language, Seed, VectorsOption
from lexicloud.cli.shell import answer, command, fail, note, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lexicloud.labelling import Labeller, TextLabel
    from lexicloud.labelling.labelled_table import LabelledTable
    from lexicloud.result import Result
    from lexicloud.text import Document


@command
def label(
    path: Annotated[
        str, typer.Argument(metavar="ROWS", help="A table (.csv, .tsv, .jsonl, .xlsx) with a text column.")
    ],
    text: Annotated[str | None, typer.Option(help="The column of the texts.")] = None,
    label: Annotated[
        str | None, typer.Option(help="The column of the labels; empty where there is none yet.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="Label by this saved model; the table needs no labels.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Keep what was learnt in this folder.")] = None,
    next: Annotated[  # noqa: A002
        int, typer.Option(min=0, help="Show this many rows to label by hand next, and no labels.")
    ] = 0,
    check: Annotated[
        bool, typer.Option("--check", help="Show which of the given labels look wrong, and no new labels.")
    ] = False,
    split: Annotated[
        str | None,
        typer.Option(help="What stands between several labels of one row, such as ';'."),
    ] = None,
    refuse: Annotated[
        float | None,
        typer.Option(min=0, max=0.5, help="Share of fitting texts that may get 'none of these'; 0.1."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write all rows, with the answers in new columns, to this file (.csv, .jsonl, .xlsx).",
        ),
    ] = None,
    vectors: VectorsOption = None,
    language: Language = "detect",
    seed: Seed = 0,
    json: AsJson = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", hidden=True)] = False,
) -> None:
    """Learn from the labelled rows of a table and label the others, each with its probability and the reason.

    From 300 rows on, rows without a label also teach which words are rare in the table and which occur together.
    A text that is not like the examples of any label gets none. --check shows which of the given labels look wrong,
    --next which rows to label by hand next. With --model, the answer says how the shares of labels have changed since
    the model was trained. A file that is there already may hold labels corrected by hand: --overwrite replaces it.

    Example: lexicloud label tickets.csv --text body --label component --out labelled.csv

    Example: lexicloud label tickets.csv --label component --next 10

    Example: lexicloud label tickets.csv --label component --check
    """
    from lexicloud.labelling.labelled_table import LabelledTable

    if out is not None:
        _check_out(out, path, overwrite=overwrite)
    with progress():
        table = LabelledTable.read(path, text, label)
        for line in table.documents[0].notes:
            note(line)
        known = [i for i, d in enumerate(table.documents) if (d.label or "").strip()]
        new = [i for i, d in enumerate(table.documents) if not (d.label or "").strip()]
        learnt = known if model is not None or split else _without_lone(table.documents, known)
        labeller = _labeller(table, learnt, new, model, vectors, language, refuse, seed, split)
        if save is not None:
            labeller.save(save)
            note(f"wrote {save}")
        if check:
            shown, rows, answers = _checked(labeller, table, learnt)
        elif next:
            shown, rows, answers = _to_label(labeller, table, new, next)
        else:
            shown, rows, answers = _labelled(labeller, table, new)
            answers |= {i: {"label": table.documents[i].label, "reason": "given"} for i in known}
        if not new and not check:
            note(f"every row of {path} has a label: nothing is left to do")
    if out is not None:
        _write(out, table, answers)
    if json:
        print_json(rows)
        return
    answer(shown, json=False)
    if model is not None and new and not (check or next):
        answer(labeller.change([table.documents[i].text for i in new]), json=False)


def _check_out(out: Path, path: str, *, overwrite: bool) -> None:
    """Refuse to write over the table itself, or, without `overwrite`, over a file that somebody may have edited."""
    from lexicloud.labelling.labelled_table import check_ending

    check_ending(out)
    if out.exists() and Path(path).exists() and out.samefile(path):
        fail(f"--out is the table itself, {path}: give another file")
    if out.is_file() and out.stat().st_size and not overwrite:
        fail(f"{out} is there already: give another file, or replace it with --overwrite")


def _without_lone(documents: Sequence[Document], known: Sequence[int]) -> list[int]:
    """Return the rows without those of labels that have one example, if two other labels have more; print a note."""
    sizes = Counter(str(documents[i].label).strip() for i in known)
    lone = [label for label, size in sizes.items() if size == 1]
    if not lone or len(sizes) - len(lone) < 2:
        return list(known)
    named = ", ".join(repr(label) for label in lone[:3]) + (", …" if len(lone) > 3 else "")
    note(f"not learnt, for want of a second example: {len(lone):,} of {len(sizes):,} labels ({named})")
    return [i for i in known if sizes[str(documents[i].label).strip()] > 1]


def _labeller(
    table: LabelledTable,
    known: Sequence[int],
    new: Sequence[int],
    model: Path | None,
    vectors: str | None,
    language: str,
    refuse: float | None,
    seed: int,
    split: str | None,
) -> Labeller:
    """Open the saved model, or learn from the rows that have a label."""
    from lexicloud.labelling import Labeller
    from lexicloud.text import TokenRules
    from lexicloud.vectors import load_vectors

    if model is not None:
        labeller = Labeller.load(model, load_vectors(vectors) if vectors else None)
        labeller.refuse = labeller.refuse if refuse is None else refuse
        return labeller
    if not known:
        fail("no row has a label: fill the label column of a few rows, name it with --label, or give --model")
    rules = TokenRules(language=language)
    labeller = Labeller(vectors, refuse=0.1 if refuse is None else refuse, rules=rules, seed=seed)
    given = [str(table.documents[i].label).strip() for i in known]
    labels = [_parts(label, split) for label in given] if split else given
    texts, others = ([table.documents[i].text for i in rows] for rows in (known, new))
    return labeller.fit(texts, labels, unlabelled=others)


def _parts(label: str, split: str) -> list[str]:
    return [part.strip() for part in label.split(split) if part.strip()]


Answers = dict[int, dict[str, Any]]


def _labelled(
    labeller: Labeller, table: LabelledTable, new: Sequence[int]
) -> tuple[Result, list[dict[str, Any]], Answers]:
    """Return the answers in three forms: to show, for JSON, and for the table."""
    from lexicloud.labelling import LabelledTexts

    texts, names = [table.documents[i].text for i in new], tuple(table.documents[i].name for i in new)
    if new:
        _note_refusal(labeller)
    found = labeller.label(texts) if new else []
    why = labeller.explain_many(texts, [one.guess for one in found]) if new else []
    reasons = tuple(one.sentence for one in why)
    each = list(zip(names, found, reasons, strict=True))
    rows = [{"name": name, **one.to_dict(), "reasons": reason} for name, one, reason in each]
    answers = {i: _columns(one, reason) for i, (_, one, reason) in zip(new, each, strict=True)}
    return LabelledTexts(names, tuple(found), reasons, labeller.trust), rows, answers


def _columns(found: TextLabel, reason: str) -> dict[str, Any]:
    return {
        "label": ", ".join(found.labels),
        "guess": found.guess,
        "probability": round(found.probability, 4),
        "fit": round(found.fit, 4),
        "reason": reason,
    }


def _to_label(
    labeller: Labeller, table: LabelledTable, new: Sequence[int], n: int
) -> tuple[Result, list[dict[str, Any]], Answers]:
    from lexicloud.labelling import TextsToLabel

    found = labeller.next([table.documents[i].text for i in new], n) if new else []
    names = tuple(table.documents[new[row.index]].name for row in found)
    rows = [{"name": name, **row.to_dict()} for name, row in zip(names, found, strict=True)]
    answers = {
        new[row.index]: {"label next": rank, "perhaps": row.guess, "probability": round(row.probability, 4)}
        for rank, row in enumerate(found, start=1)
    }
    return TextsToLabel(names, tuple(found), len(new), labeller.trust), rows, answers


def _checked(
    labeller: Labeller, table: LabelledTable, known: Sequence[int]
) -> tuple[Result, list[dict[str, Any]], Answers]:
    from dataclasses import replace

    found = labeller.suspects()
    names = tuple(table.documents[known[row.index]].name for row in found.rows)
    rows = [{"name": name, **row.to_dict()} for name, row in zip(names, found.rows, strict=True)]
    answers = {
        known[row.index]: {"rather": row.better, "wrong": round(row.probability, 4), "reason": row.reason}
        for row in found.rows
    }
    return replace(found, names=names), rows, answers


def _note_refusal(labeller: Labeller) -> None:
    """Print a note if there are too few examples for "none of these"."""
    examples = len(labeller.evidence_.texts)
    if labeller.refuse and 1 / (1 + examples) > labeller.refuse:
        need = ceil(1 / labeller.refuse) - 1
        note(f"with {examples} examples every row gets a label; 'none of these' needs {need}")


def _write(out: Path, table: LabelledTable, answers: Mapping[int, Mapping[str, Any]]) -> None:
    from lexicloud.labelling.labelled_table import write_table

    write_table(out, table.with_answers(answers))
    note(f"wrote {out}")
