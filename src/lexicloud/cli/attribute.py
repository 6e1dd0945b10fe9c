"""`lexicloud attribute`: who wrote it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, Encoding, Language, Sample, Seed, VectorsOption
from lexicloud.cli.shell import console, new_app, note, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.attribution.classifier import Guess
    from lexicloud.divergences.attribution.leave_one_out import Attribution
    from lexicloud.divergences.attribution.model import Answer

app: typer.Typer = new_app("Who wrote it: leave-one-out labels with a per-class report.")


@dataclass(frozen=True)
class Choices:
    """How texts are labelled; the keywords of `leave_one_out` and `label_unknown`."""

    method: str
    rule: str
    standardise: bool
    symmetric: bool
    error: float | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def keywords(self) -> dict[str, Any]:
        """Return them as keywords."""
        own = {name: getattr(self, name) for name in ("method", "rule", "standardise", "symmetric")}
        return {**own, **self.options}


@dataclass(frozen=True)
class Asked:
    """What a model is asked, and how it answers."""

    error: float | None
    encoding: str | None
    json: bool


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
    labels: Annotated[
        Path | None, typer.Option("--labels", help="A table with the names of the texts and their labels.")
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            "--label",
            "--label-column",
            help="The column of the labels, or @name (Austen_Emma.txt) or @folder.",
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="combined (words, frequent words, characters), smoothed, knn, categorical, jensen-shannon or delta.",
        ),
    ] = "combined",
    rule: Annotated[
        str, typer.Option("--rule", help="category-mean (closest on average), nearest, or between the two.")
    ] = "between",
    error: Annotated[
        float | None,
        typer.Option(
            "--error", help="Name nobody unless at most this share of such answers is wrong, say 0.05."
        ),
    ] = None,
    k: m.K = None,
    symmetric: m.Symmetric = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Plain divergences, not standardised (not for method combined).")
    ] = False,
    sample: Sample = None,
    running: Annotated[
        bool, typer.Option("--running", help="Sample from all words, not from content words alone.")
    ] = False,
    unknown: Annotated[
        list[Path] | None, typer.Option("--unknown", help="A text to be labelled by the others; repeatable.")
    ] = None,
    compare_methods: Annotated[
        bool, typer.Option("--compare-methods", help="Try every method and both rules on the labelled texts.")
    ] = False,
    skip_bad: m.SkipBad = False,
    doubtful: Annotated[int, typer.Option("--doubtful", min=0, help="How many close calls to list.")] = 10,
    out: Annotated[
        Path | None, typer.Option("--out", help="A folder for predictions, report and confusion table.")
    ] = None,
    vectors: VectorsOption = None,
    language: Language = "english",
    encoding: Encoding = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Say who wrote a text, with probabilities, none of the candidates included, and the words that say so.

    Of a folder, every text is labelled by the others first and compared with the truth; a model only answers.
    Labels come from names like Austen_Emma.txt, from folders (--label @folder), from a column of a table
    (--label author), or from a table of their own (--labels). A text called Unknown_… has none.

    Example: lexicloud attribute novels/ letter.txt

    Example: lexicloud train novels/ --out novels.model && lexicloud attribute novels.model letter.txt --error 0.05
    """
    from lexicloud.corpus.labels import labelled_corpus
    from lexicloud.divergences import leave_one_out
    from lexicloud.text import TokenRules

    wished = [*(texts or []), *(unknown or [])]
    if is_model(path):
        _ask_model(path, wished, Asked(error, encoding, json))
        return
    choices = Choices(method, rule, not raw, symmetric, error, m.method_options(k=k))
    rules = TokenRules(language=language)
    with progress():
        corpus = labelled_corpus(
            path, label=label, labels=labels, vectors=vectors, rules=rules, encoding=encoding
        )
        corpus, wanted = _with_unknown(corpus, wished, vectors, language, encoding)
        if sample is not None:
            corpus = corpus.sample(sample, seed, running=running)
        known = _labelled(corpus)
        result = leave_one_out(known, skip_bad=skip_bad, **choices.keywords())
        guesses = _guess(known, corpus, wanted, result, choices)
        table = _compared(known, skip_bad=skip_bad) if compare_methods else []
    m.tell_notes(corpus)
    for skipped in result.skipped:
        note(f"left out {skipped.name}: {skipped.reason}")
    if out is not None:
        _write(result, guesses, out)
    if json:
        print_json({**result.to_dict(), "unknown": guesses, "methods": table})
        return
    _show(result, guesses, doubtful)
    _show_methods(table, len(result.labels))


def is_model(path: str) -> bool:
    """Tell a trained model from texts."""
    from lexicloud.storage import MANIFEST, read_manifest

    return (Path(path) / MANIFEST).is_file() and read_manifest(path)["kind"] == "lexicloud attribution model"


def _ask_model(path: str, texts: list[Path], asked: Asked) -> None:
    """Label texts by a model that was trained before."""
    from lexicloud.divergences.attribution.model import AttributionModel
    from lexicloud.errors import InputError
    from lexicloud.text import read_documents

    if not texts:
        raise InputError(f"{path} is a model: name the texts that it is asked about")
    with progress():
        model = AttributionModel.open(path)
        documents = [document for text in texts for document in read_documents(text, encoding=asked.encoding)]
        answers = model.attribute({d.name: d.text for d in documents}, error=asked.error)
    if asked.json:
        print_json({"model": path, "candidates": model.classes, "answers": answers})
        return
    _show_answers(answers)


def _with_unknown(
    corpus: Corpus, paths: list[Path], vectors: str | None, language: str, encoding: str | None
) -> tuple[Corpus, list[str]]:
    """Join the texts of --unknown on, and name all texts without a label."""
    from dataclasses import replace

    from lexicloud.corpus import Corpus
    from lexicloud.corpus.cut import joined
    from lexicloud.text import TokenRules

    for path in paths:
        rules = TokenRules(language=language)
        new = Corpus.from_folder(path, vectors=vectors, rules=rules, encoding=encoding)
        corpus = joined(corpus, replace(new, labels=None))
    assert corpus.labels is not None
    return corpus, [name for name, label in zip(corpus.names, corpus.labels, strict=True) if label is None]


def _labelled(corpus: Corpus) -> Corpus:
    assert corpus.labels is not None
    return corpus.subset(
        [n for n, label in zip(corpus.names, corpus.labels, strict=True) if label is not None]
    )


def _guess(
    known: Corpus, corpus: Corpus, wanted: list[str], result: Attribution, choices: Choices
) -> tuple[Guess | Answer, ...]:
    """Label the texts that have no label by those that were measured."""
    from lexicloud.divergences.attribution.classifier import label_unknown
    from lexicloud.divergences.attribution.model import train

    there = [name for name in wanted if name in corpus]
    for name in wanted:
        if name not in corpus:
            note(f"left out {name}: shorter than the sample")
    if not there:
        return ()
    texts = known.subset(list(result.names))
    if choices.method != "combined":
        return label_unknown(texts, list(result.labels), corpus.subset(there), **choices.keywords())
    model = train(texts, list(result.labels), rule=choices.rule)
    return model.attribute_tokens(corpus.subset(there), error=choices.error)


def _compared(known: Corpus, *, skip_bad: bool) -> list[dict[str, Any]]:
    """Try every method with both rules."""
    from lexicloud.divergences import leave_one_out
    from lexicloud.divergences.attribution.rules import RULES
    from lexicloud.divergences.attribution.scorer import COMBINED, LABELLING
    from lexicloud.errors import LexicloudError

    rows = []
    for method in LABELLING:
        for standardise in (True, False) if method != COMBINED else (True,):
            row: dict[str, Any] = {"method": method, "standardised": standardise}
            for rule in RULES:
                try:
                    found = leave_one_out(
                        known, method=method, rule=rule, standardise=standardise, skip_bad=skip_bad
                    )
                    row[rule] = found.correct
                except LexicloudError as error:
                    row[rule] = None
                    row["why"] = str(error)
            rows.append(row)
    return rows


def _write(result: Attribution, guesses: Sequence[Guess | Answer], out: Path) -> None:
    import pandas as pd

    from lexicloud.files import replace_text

    out.mkdir(parents=True, exist_ok=True)
    replace_text(out / "predictions.csv", result.to_pandas().to_csv())
    replace_text(out / "labels.csv", pd.DataFrame([vars(row) for row in result.report]).to_csv(index=False))
    table = pd.DataFrame(result.confusion, index=list(result.classes), columns=list(result.classes))
    replace_text(out / "confusion.csv", table.to_csv(index_label="label"))
    if guesses:
        replace_text(out / "unknown.csv", pd.DataFrame([g.to_dict() for g in guesses]).to_csv(index=False))
    m.draw(result.plot_confusion(), out / "confusion.png")
    note(f"wrote predictions.csv, labels.csv and confusion.csv to {out}")


def _show(result: Attribution, guesses: Sequence[Any], doubtful: int) -> None:
    screen = console()
    # A label with one text cannot be found without it, so it does not count.
    total = len(result.labels) - len(result.single_members)
    screen.print(
        f"{result.correct} of {total} texts labelled right ({result.correct / total:.0%})",
        style="bold",
        markup=False,
    )
    kind = ", standardised" if result.standardised else ""
    screen.print(f"method {result.method}{kind}, rule {result.rule}, vectors {result.vectors}", markup=False)
    screen.print(
        f"always the most frequent label: {result.majority:.0%}; guessing: {result.chance:.0%}; "
        f"mean F1 of the labels: {result.macro_f1:.2f}"
    )
    if result.single_members:
        listed = ", ".join(map(str, result.single_members[:8])) + (
            ", …" if len(result.single_members) > 8 else ""
        )
        screen.print(
            f"{len(result.single_members)} of the labels have one text and cannot be found without it: {listed}",
            markup=False,
        )
    screen.print()
    screen.print(_label_table(result))
    close = [text for text in result.texts if not text.right or text in result.doubtful(doubtful)]
    close = sorted(close, key=lambda text: text.margin)[:doubtful]
    if close:
        screen.print("\nclosest calls", style="bold")
        screen.print(_rows_table(("text", "label", "found", "runner-up", "margin"), [_row(t) for t in close]))
    if guesses:
        screen.print("\ntexts without a label", style="bold")
    answers = [g for g in guesses if hasattr(g, "probabilities")]
    rows = [
        (g.name, g.found, g.runner_up, f"{g.margin:.2f}", ", ".join(g.nearest))
        for g in guesses
        if not hasattr(g, "probabilities")
    ]
    if rows:
        screen.print(_rows_table(("text", "found", "runner-up", "margin", "nearest"), rows))
    _show_answers(answers)


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


def _show_methods(table: list[dict[str, Any]], total: int) -> None:
    if not table:
        return
    from lexicloud.divergences.attribution.rules import RULES

    screen = console()
    screen.print(f"\ntexts labelled right, of {total}", style="bold")
    rows = []
    for row in sorted(table, key=lambda r: -(r["between"] or -1)):
        kind = "standardised" if row["standardised"] else "raw"
        figures = [str(row[rule]) if row[rule] is not None else "–" for rule in RULES]
        rows.append((row["method"], kind, *figures, row.get("why", "")))
    screen.print(_rows_table(("method", "", *RULES, "no answer"), rows))
