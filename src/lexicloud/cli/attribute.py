"""`lexicloud attribute`, `train`, `rolling` and `style`: who wrote it, and what gives the writer away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, Encoding, Language, Seed, VectorsOption
from lexicloud.cli.shell import answer, command, console, note, note_written, print_json, progress, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.authorship.classifier import Guess
    from lexicloud.authorship.consensus import MethodComparison
    from lexicloud.authorship.leave_one_out import Attribution
    from lexicloud.authorship.model import Answer, AttributionModel
    from lexicloud.corpus import Corpus

LATENT = ("smoothed", "knn")  # methods that use vectors; for the others none are loaded


Against = Annotated[str, typer.Option(help="A trained model, or a folder of texts with labels.")]


@command
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
            callback=m.one_of("lexicloud.authorship.scoring", "LABELLING"),
            help="combined (words, frequent words, characters), characters, smoothed, knn, categorical, "
            "jensen-shannon or delta.",
        ),
    ] = "combined",
    error: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Name an author only if at most this share of such answers is wrong: 0.05.",
        ),
    ] = None,
    compare_methods: Annotated[
        bool, typer.Option("--compare-methods", help="Try every method and rule on the labelled texts.")
    ] = False,
    skip_bad: m.SkipBad = False,
    out: Annotated[
        Path | None, typer.Option(help="A folder for predictions, report and confusion table.")
    ] = None,
    vectors: VectorsOption = None,
    language: Language = "detect",
    lemmas: m.Lemmas = False,
    encoding: Encoding = None,
    json: AsJson = False,
) -> None:
    """Say who wrote a text: the probability of each candidate and of none of them, and the words that say so.

    With a folder, each of its texts is first labelled by the others, to show how often that is right; a model only
    answers.
    Labels come from names like Austen_Emma.txt, from folders (--label @folder), from a column of a table
    (--label author), or from a table of their own (--labels). A text called Unknown_… has none.

    Example: lexicloud attribute novels/ letter.txt

    Example: lexicloud train novels/ --out novels.model && lexicloud attribute novels.model letter.txt --error 0.05
    """
    from lexicloud.authorship import leave_one_out
    from lexicloud.corpus.labels import known_texts, labelled_corpus
    from lexicloud.text import TokenRules

    if is_model(path):
        _ask_model(path, texts or [], error, encoding, json=json)
        return
    with progress():
        reading: dict[str, Any] = {"vectors": vectors, "rules": TokenRules(language=language, lemmas=lemmas)}
        if vectors is None and method not in LATENT and not compare_methods:
            reading["vectors"] = "none"
        corpus = labelled_corpus(path, label=label, labels=labels, encoding=encoding, **reading)
        reading["rules"] = corpus.rules  # with the language that was detected
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
    for each in (result, *answers, *([compared] if compared else [])):
        answer(each, json=False)


def is_model(path: str) -> bool:
    """Tell whether a path is a trained model, and not texts."""
    from lexicloud.store.folder import MANIFEST, read_manifest

    return (Path(path) / MANIFEST).is_file() and read_manifest(path)["kind"] == "lexicloud attribution model"


def _ask_model(
    path: str, texts: list[Path], error: float | None, encoding: str | None, *, json: bool
) -> None:
    """Answer with a model that was trained before."""
    from lexicloud.authorship.model import AttributionModel
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
    for each in answers:
        answer(each, json=False)


def _with_unknown(corpus: Corpus, paths: list[Path], encoding: str | None, reading: dict[str, Any]) -> Corpus:
    """Return the corpus with the texts in question, which have no label, at its end."""
    from dataclasses import replace

    from lexicloud.corpus import Corpus
    from lexicloud.corpus.cut import concat

    for path in paths:
        new = Corpus.from_folder(path, encoding=encoding, **reading)
        corpus = concat(corpus, replace(new, labels=None))
    return corpus


def _answers(corpus: Corpus, result: Attribution, error: float | None) -> tuple[Guess | Answer, ...]:
    """Return the answers for texts without a label, learnt from those that were measured."""
    from lexicloud.authorship.model import train

    labels = corpus.labels or ()
    wanted = [name for name, label in zip(corpus.names, labels, strict=True) if label is None]
    if not wanted:
        return ()
    known, new = corpus.subset(list(result.names)), corpus.subset(wanted)
    if result.method != "combined":
        from lexicloud.authorship.classifier import label_unknown  # loads scikit-learn

        return label_unknown(known, list(result.labels), new, method=result.method)
    model = train(known, list(result.labels))
    if new.texts is None:
        return model.attribute_tokens(new, error=error)
    return model.attribute(dict(zip(new.names, new.texts, strict=True)), error=error)


def _compared(corpus: Corpus, result: Attribution) -> MethodComparison:
    from lexicloud.authorship.consensus import compare_methods

    return compare_methods(corpus.subset(list(result.names)), list(result.labels))


def _write(result: Attribution, answers: Sequence[Guess | Answer], out: Path) -> None:
    from lexicloud.result import columns_of_rows, csv_text
    from lexicloud.store.files import replace_text

    files = result.write(out)
    if answers:
        files.append(out / "unknown.csv")
        replace_text(files[-1], csv_text(columns_of_rows(a.to_dict() for a in answers)))
    note_written(files, out)


@command
def train(
    path: Annotated[str, typer.Argument(metavar="FOLDER", help="Texts with labels: a folder or a table.")],
    out: Annotated[Path, typer.Option(help="The folder that the model is written to.")],
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


@command
def rolling(
    path: Annotated[Path, typer.Argument(metavar="TEXT", help="The text.")],
    against: Against,
    window: Annotated[int, typer.Option(min=50, help="Tokens in a window.")] = 2000,
    step: Annotated[int, typer.Option(min=1, help="Tokens from one window to the next.")] = 250,
    out: Annotated[Path | None, typer.Option(help="A folder for the JSON, the CSV and the plot.")] = None,
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
    write(found, out)
    answer(found, json=json)


def known_hands(path: str, label: str | None, language: str, encoding: str | None) -> AttributionModel:
    """Open a trained model, or learn one from texts with labels."""
    from lexicloud.authorship.model import AttributionModel, train
    from lexicloud.corpus.labels import known_texts, labelled_corpus
    from lexicloud.text import TokenRules

    if is_model(path):
        return AttributionModel.open(path)
    rules = TokenRules(language=language)
    return train(
        known_texts(labelled_corpus(path, label=label, vectors="none", rules=rules, encoding=encoding))
    )


@command
def style(
    path: Annotated[Path, typer.Argument(metavar="DRAFT", help="The draft.")],
    against: Against,
    author: Annotated[
        str | None, typer.Option(help="The author to look for; the likeliest by default.")
    ] = None,
    towards: Annotated[
        str | None,
        typer.Option(help="Instead: what keeps the draft from the style of this author."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many words to list.")] = 15,
    out: Annotated[Path | None, typer.Option(help="A folder for the JSON and the CSV.")] = None,
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
    write(found, out)
    answer(found, json=json)
