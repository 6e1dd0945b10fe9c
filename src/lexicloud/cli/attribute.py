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

app: typer.Typer = new_app("Who wrote it: leave-one-out labels with a per-class report.")

# What people write for "I do not know" in a name or a column of labels.
NOBODY = {"", "?", "unknown", "anonymous", "anon", "disputed", "na", "n/a", "none"}


@dataclass(frozen=True)
class Choices:
    """How texts are labelled; the keywords of `leave_one_out` and `label_unknown`."""

    method: str
    rule: str
    standardise: bool
    symmetric: bool
    options: dict[str, Any] = field(default_factory=dict)

    def keywords(self) -> dict[str, Any]:
        """Return them as keywords."""
        own = {name: getattr(self, name) for name in ("method", "rule", "standardise", "symmetric")}
        return {**own, **self.options}


@app.command()
def attribute(
    path: Annotated[
        str, typer.Argument(metavar="FOLDER", help="A folder of texts, a table, or a saved corpus.")
    ],
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
            help="combined (latent and frequent words), smoothed, knn, categorical, jensen-shannon or delta.",
        ),
    ] = "combined",
    rule: Annotated[
        str, typer.Option("--rule", help="category-mean (closest on average, the paper's) or nearest.")
    ] = "category-mean",
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
    """Label every text by the others and compare with the truth; texts without a label are labelled by all.

    Labels come from names like Austen_Emma.txt, from folders (--label @folder), from a column of a table
    (--label author), or from a table of their own (--labels). A text called Unknown_… has none.

    Example: lexicloud attribute novels/

    Example: lexicloud attribute novels/ --unknown letter.txt --sample 3000 --running
    """
    from lexicloud.divergences import leave_one_out

    choices = Choices(method, rule, not raw, symmetric, m.method_options(k=k))
    with progress():
        corpus = _read(path, label, labels, vectors, language, encoding)
        corpus, wanted = _with_unknown(corpus, unknown or [], vectors, language, encoding)
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


def _read(
    path: str,
    label: str | None,
    labels: Path | None,
    vectors: str | None,
    language: str,
    encoding: str | None,
) -> Corpus:
    """Read the texts with their labels; None where there is none."""
    from dataclasses import replace

    from lexicloud.corpus import Corpus
    from lexicloud.errors import InputError
    from lexicloud.text import TokenRules, labels_from_names
    from lexicloud.text.tables import read_labels

    column = None if labels is not None else label
    rules = TokenRules(language=language)
    corpus = Corpus.from_folder(path, label=column, vectors=vectors, rules=rules, encoding=encoding)
    found: Any = corpus.labels
    if labels is not None:
        table = read_labels(labels, corpus.names, label)
        found = [table.get(name) for name in corpus.names]
    elif found is None and column is None:
        found = labels_from_names(corpus.names)
    if found is None or all(each is None for each in found):
        raise InputError(
            f"the {len(corpus)} texts have no labels: name them like Austen_Emma.txt, or give --label or --labels"
        )
    return replace(corpus, labels=tuple(each if _says_who(each) else None for each in found))


def _says_who(label: str | None) -> bool:
    return label is not None and label.strip().lower() not in NOBODY


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
) -> tuple[Guess, ...]:
    """Label the texts that have no label by those that were measured."""
    from lexicloud.divergences.attribution.classifier import label_unknown

    there = [name for name in wanted if name in corpus]
    for name in wanted:
        if name not in corpus:
            note(f"left out {name}: shorter than the sample")
    if not there:
        return ()
    texts = known.subset(list(result.names))
    return label_unknown(texts, list(result.labels), corpus.subset(there), **choices.keywords())


def _compared(known: Corpus, *, skip_bad: bool) -> list[dict[str, Any]]:
    """Try every method with both rules."""
    from lexicloud.divergences import leave_one_out
    from lexicloud.divergences.attribution.scorer import COMBINED, LABELLING, RULES
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


def _write(result: Attribution, guesses: tuple[Guess, ...], out: Path) -> None:
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


def _show(result: Attribution, guesses: tuple[Guess, ...], doubtful: int) -> None:
    screen = console()
    total = len(result.labels)
    screen.print(
        f"{result.correct} of {total} texts labelled right ({result.accuracy:.0%})",
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
        rows = [(g.name, g.found, g.runner_up, f"{g.margin:.2f}", ", ".join(g.nearest)) for g in guesses]
        screen.print(_rows_table(("text", "found", "runner-up", "margin", "nearest"), rows))


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
    right = {"texts", "precision", "recall", "F1", "margin", "category-mean", "nearest text"}
    for heading in headings:
        table.add_column(heading, header_style="bold", justify="right" if heading in right else "left")
    for row in rows:
        table.add_row(*(Text(cell, style="red" if cell.endswith(" ✗") else "") for cell in row))
    return table


def _show_methods(table: list[dict[str, Any]], total: int) -> None:
    if not table:
        return
    screen = console()
    screen.print(f"\ntexts labelled right, of {total}", style="bold")
    rows = []
    for row in sorted(table, key=lambda r: -(r["category-mean"] or -1)):
        kind = "standardised" if row["standardised"] else "raw"
        figures = [str(row[rule]) if row[rule] is not None else "–" for rule in ("category-mean", "nearest")]
        rows.append((row["method"], kind, *figures, row.get("why", "")))
    screen.print(_rows_table(("method", "", "category-mean", "nearest text", "no answer"), rows))
