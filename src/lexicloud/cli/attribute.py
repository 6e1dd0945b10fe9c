"""`lexicloud attribute`: who wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, Encoding, Language, VectorsOption
from lexicloud.cli.shell import console, new_app, note, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.attribution.classifier import Guess
    from lexicloud.divergences.attribution.consensus import MethodComparison
    from lexicloud.divergences.attribution.leave_one_out import Attribution
    from lexicloud.divergences.attribution.model import Answer

app: typer.Typer = new_app("Who wrote it, or none of these: probabilities, and the words that say so.")
CLOSE = 10  # close calls that are listed
LATENT = ("smoothed", "knn")  # methods that look at vectors; for the others none are loaded


@app.command()
def attribute(
    path: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|FOLDER", help="A trained model; or texts: a folder, a table, a saved corpus."
        ),
    ],
    texts: Annotated[
        list[Path] | None, typer.Argument(metavar="TEXT…", help="Texts to be labelled by the others.")
    ] = None,
    label: m.Label = None,
    labels: m.Labels = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="combined (words, frequent words, characters), characters, smoothed, knn, categorical, "
            "jensen-shannon or delta.",
        ),
    ] = "combined",
    error: Annotated[
        float | None,
        typer.Option(
            "--error", help="Name nobody unless at most this share of such answers is wrong, say 0.05."
        ),
    ] = None,
    compare_methods: Annotated[
        bool, typer.Option("--compare-methods", help="Try every method and rule on the labelled texts.")
    ] = False,
    skip_bad: m.SkipBad = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="A folder for predictions, report and confusion table.")
    ] = None,
    vectors: VectorsOption = None,
    language: Language = "english",
    encoding: Encoding = None,
    json: AsJson = False,
) -> None:
    """Say who wrote a text, with probabilities, none of the candidates included, and the words that say so.

    Of a folder, every text is labelled by the others first and compared with the truth; a model only answers.
    Labels come from names like Austen_Emma.txt, from folders (--label @folder), from a column of a table
    (--label author), or from a table of their own (--labels). A text called Unknown_… has none.

    Example: lexicloud attribute novels/ letter.txt

    Example: lexicloud train novels/ --out novels.model && lexicloud attribute novels.model letter.txt --error 0.05
    """
    from lexicloud.corpus.labels import known_texts, labelled_corpus
    from lexicloud.divergences import leave_one_out
    from lexicloud.text import TokenRules

    if is_model(path):
        _ask_model(path, texts or [], error, encoding, json=json)
        return
    with progress():
        reading: dict[str, Any] = {"vectors": vectors, "rules": TokenRules(language=language)}
        if vectors is None and method not in LATENT and not compare_methods:
            reading["vectors"] = "none"
        corpus = labelled_corpus(path, label=label, labels=labels, encoding=encoding, **reading)
        corpus = _with_unknown(corpus, texts or [], encoding, reading)
        result = leave_one_out(known_texts(corpus), method=method, skip_bad=skip_bad)
        answers = _answers(corpus, result, error)
        compared = _compared(corpus, result) if compare_methods else None
    m.tell_notes(corpus)
    for skipped in result.skipped:
        note(f"left out {skipped.name}: {skipped.reason}")
    if out is not None:
        _write(result, answers, out)
    if json:
        tried = compared.tried if compared else ()
        print_json({**result.to_dict(), "unknown": answers, "methods": tried})
        return
    _show(result)
    _show_unknown(answers)
    _show_methods(compared)


def is_model(path: str) -> bool:
    """Tell a trained model from texts."""
    from lexicloud.storage import MANIFEST, read_manifest

    return (Path(path) / MANIFEST).is_file() and read_manifest(path)["kind"] == "lexicloud attribution model"


def _ask_model(
    path: str, texts: list[Path], error: float | None, encoding: str | None, *, json: bool
) -> None:
    """Label texts by a model that was trained before."""
    from lexicloud.divergences.attribution.model import AttributionModel
    from lexicloud.errors import InputError
    from lexicloud.text import read_documents

    if not texts:
        raise InputError(f"{path} is a model: name the texts that it is asked about")
    with progress():
        model = AttributionModel.open(path)
        documents = [document for text in texts for document in read_documents(text, encoding=encoding)]
        answers = model.attribute({d.name: d.text for d in documents}, error=error)
    if json:
        print_json({"model": path, "candidates": model.classes, "answers": answers})
        return
    _show_answers(answers)


def _with_unknown(corpus: Corpus, paths: list[Path], encoding: str | None, reading: dict[str, Any]) -> Corpus:
    """Join on the texts that are asked about, which have no label."""
    from dataclasses import replace

    from lexicloud.corpus import Corpus
    from lexicloud.corpus.cut import concat

    for path in paths:
        new = Corpus.from_folder(path, encoding=encoding, **reading)
        corpus = concat(corpus, replace(new, labels=None))
    return corpus


def _answers(corpus: Corpus, result: Attribution, error: float | None) -> tuple[Guess | Answer, ...]:
    """Label the texts that have no label by those that were measured."""
    from lexicloud.divergences.attribution.model import train

    labels = corpus.labels or ()
    wanted = [name for name, label in zip(corpus.names, labels, strict=True) if label is None]
    if not wanted:
        return ()
    known, new = corpus.subset(list(result.names)), corpus.subset(wanted)
    if result.method != "combined":
        from lexicloud.divergences.attribution.classifier import label_unknown  # loads scikit-learn

        return label_unknown(known, list(result.labels), new, method=result.method)
    model = train(known, list(result.labels))
    if new.texts is None:
        return model.attribute_tokens(new, error=error)
    return model.attribute(dict(zip(new.names, new.texts, strict=True)), error=error)


def _compared(corpus: Corpus, result: Attribution) -> MethodComparison:
    from lexicloud.divergences.attribution.consensus import compare_methods

    return compare_methods(corpus.subset(list(result.names)), list(result.labels))


def _write(result: Attribution, answers: Sequence[Guess | Answer], out: Path) -> None:
    import pandas as pd

    from lexicloud.files import replace_text

    files = result.write(out)
    if answers:
        files.append(out / "unknown.csv")
        replace_text(files[-1], pd.DataFrame([a.to_dict() for a in answers]).to_csv(index=False))
    note(f"wrote {', '.join(file.name for file in files)} to {out}")


def _show(result: Attribution) -> None:
    screen = console()
    counted = result.findable()  # a label with one text cannot be found without it
    screen.print(
        f"{counted.correct} of {len(counted.labels)} texts labelled right ({counted.accuracy:.0%})",
        style="bold",
        markup=False,
    )
    vectors = "" if result.vectors == "none" else f", vectors {result.vectors}"
    screen.print(f"method {result.method}, rule {result.rule}{vectors}", markup=False)
    screen.print(
        f"always the most frequent label: {counted.majority:.0%}; guessing: {counted.chance:.0%}; "
        f"mean F1 of the labels that can be found: {counted.macro_f1:.2f}"
    )
    if result.caution:
        screen.print(result.caution, markup=False)
    if result.single_members:
        few = ", ".join(map(str, result.single_members[:8])) + (
            ", …" if len(result.single_members) > 8 else ""
        )
        screen.print(
            f"{len(result.single_members)} of the labels have one text and cannot be found without it: {few}",
            markup=False,
        )
    screen.print()
    screen.print(_label_table(result))
    close = [text for text in result.texts if not text.right or text in result.doubtful(CLOSE)]
    screen.print("\nclosest calls", style="bold")
    rows = [_row(text) for text in sorted(close, key=lambda text: text.margin)[:CLOSE]]
    screen.print(_rows_table(("text", "label", "found", "runner-up", "margin"), rows))


def _show_unknown(answers: Sequence[Any]) -> None:
    """Show the texts without a label: probabilities by the default, the closest by other methods."""
    if not answers:
        return
    console().print("\ntexts without a label", style="bold")
    if hasattr(answers[0], "probabilities"):
        _show_answers(answers)
        return
    rows = [(g.name, g.found, g.runner_up, f"{g.margin:.2f}", ", ".join(g.nearest)) for g in answers]
    console().print(_rows_table(("text", "found", "runner-up", "margin", "nearest"), rows))


def _show_answers(answers: Sequence[Answer]) -> None:
    """Show each answer: the likeliest candidates, and the evidence for the first against the second."""
    screen = console()
    rows = []
    for a in answers:
        likeliest = [f"{c} {p:.0%}" for c, p in list(a.probabilities.items())[:3]]
        rows.append((a.name, a.label, *likeliest, *[""] * (3 - len(likeliest)), f"{a.none:.0%}"))
    if rows:
        screen.print(_rows_table(("text", "answer", "first", "second", "third", "none of these"), rows))
    for a in answers:
        for line in a.notes:
            note(f"{a.name}: {line}")
        screen.print(f"\n{a.name}: for {a.first} against {a.second}", style="bold", markup=False)
        shown = [
            (e.feature.replace(" ", "␣"), e.kind, f"{e.value:+.3f}", *(f"{r:.2f}" for r in (e.text, e.first, e.second)),
             e.passages[0] if e.passages else "")
            for e in a.evidence
        ]  # fmt: skip
        screen.print(_rows_table(("feature", "of", "adds", "here ‰", "first ‰", "second ‰", "where"), shown))


def _row(text: Any) -> tuple[str, ...]:
    mark = "" if text.right else " ✗"
    return text.name, text.label, f"{text.found}{mark}", text.runner_up, f"{text.margin:.2f}"


def _label_table(result: Attribution) -> Any:
    rows = []
    for i, row in enumerate(result.report):
        missed = [(int(n), result.classes[j]) for j, n in enumerate(result.confusion[i]) if j != i and n]
        taken = ", ".join(f"{label} {n}" for n, label in sorted(missed, key=lambda x: -x[0])[:4])
        figures = (f"{row.precision:.2f}", f"{row.recall:.2f}", f"{row.f1:.2f}")
        rows.append((str(row.label), str(row.texts), *figures, taken))
    return _rows_table(("label", "texts", "precision", "recall", "F1", "taken for"), rows)


def _rows_table(headings: tuple[str, ...], rows: Sequence[Sequence[str]]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    right = {"texts", "precision", "recall", "F1", "margin", "between", "category-mean", "nearest", "adds"}
    for heading in headings:
        table.add_column(heading, header_style="bold", justify="right" if heading in right else "left")
    for row in rows:
        table.add_row(*(Text(cell, style="red" if cell.endswith(" ✗") else "") for cell in row))
    return table


def _show_methods(compared: MethodComparison | None) -> None:
    if compared is None:
        return
    from lexicloud.divergences.attribution.scoring import RULES

    console().print(f"\ntexts labelled right, of {compared.texts}", style="bold")
    rows = []
    for each in compared.tried:
        kind = "standardised" if each.standardised else "raw"
        rows.append((each.method, kind, *(str(each.right.get(rule, "–")) for rule in RULES), each.why))
    console().print(_rows_table(("method", "", *RULES, "no answer"), rows))
