"""`lexicloud compare`: how far apart two texts are, and the words that drive it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, Encoding, Language, Sample, Seed, VectorsOption
from lexicloud.cli.shell import console, new_app, print_json, progress

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.divergences import Divergence

app: typer.Typer = new_app("How far apart two texts are, and the words that drive it.")


@app.command()
def compare(
    texts: Annotated[
        list[str],
        typer.Argument(
            metavar="A B", help="Two files (- is standard input), or a folder or table and two names in it."
        ),
    ],
    method: m.MethodOption = "smoothed",
    k: m.K = None,
    symmetric: m.Symmetric = False,
    interval: Annotated[
        bool, typer.Option("--interval/--no-interval", help="A 95 % interval, from blocks of running text.")
    ] = True,
    permutations: Annotated[
        int,
        typer.Option(
            "--permutations", min=0, help="Deal blocks between the texts so often, for the p of 'same text'."
        ),
    ] = 0,
    hypothesis: Annotated[
        str | None,
        typer.Option("--hypothesis", help="Add a p-value: 'same text', 'same book' or 'same hand'."),
    ] = None,
    without: m.Without = None,
    sample: Sample = None,
    top: Annotated[int, typer.Option("--top", min=0, help="How many words to list.")] = 20,
    plot: m.Plot = None,
    vectors: VectorsOption = None,
    language: Language = "english",
    encoding: Encoding = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Measure how far text A is from text B, with an interval and the words behind it.

    Orange words set the texts apart, blue ones bring them together. Only the two texts count, whoever else is
    in the folder. Below the value stands what to read it against: texts of one source, pairs by one hand and
    by different hands.

    Example: lexicloud compare emma.txt dubliners.txt

    Example: lexicloud compare novels/ emma dubliners --method knn --k 5
    """
    from lexicloud.divergences import divergence

    options = m.method_options(k=k)
    with progress():
        corpus, a, b = _read(texts, vectors=vectors, language=language, encoding=encoding)
        found = divergence(
            corpus,
            a,
            b,
            method,
            symmetric=symmetric,
            interval=interval,
            permutations=permutations,
            hypothesis=hypothesis,  # type: ignore[arg-type]  # checked there
            without=without or (),
            seed=seed,
            sample=sample,
            top=top,
            **options,
        )
    m.tell_notes(corpus)
    if plot:
        m.draw(found.plot(), plot)
    if json:
        print_json(found)
    else:
        _show(found)


def _read(
    texts: list[str], *, vectors: str | None, language: str, encoding: str | None
) -> tuple[Corpus, str, str]:
    """Read two files, or a folder of which two texts are named."""
    from lexicloud.corpus import Corpus
    from lexicloud.corpus.store import corpus_from_documents
    from lexicloud.errors import OptionError
    from lexicloud.text import TokenRules

    rules = TokenRules(language=language)
    if len(texts) == 3:
        corpus = Corpus.from_folder(texts[0], vectors=vectors, rules=rules, encoding=encoding)
        return corpus, texts[1], texts[2]
    if len(texts) != 2:
        raise OptionError(f"compare takes two files, or a folder and two names in it, but {len(texts)} given")
    if texts == ["-", "-"]:
        raise OptionError("only one of the two texts can come from standard input: give the other as a file")
    documents = _told_apart([_one(path, encoding) for path in texts])
    corpus = corpus_from_documents(documents, vectors=vectors, rules=rules)
    return corpus, corpus.names[0], corpus.names[1]


def _one(path: str, encoding: str | None) -> Any:
    from lexicloud.errors import InputError
    from lexicloud.text import read_documents

    documents = read_documents(path, encoding=encoding)
    if len(documents) != 1:
        raise InputError(
            f"{path} holds {len(documents)} texts: name two of them, lexicloud compare {path} "
            f"{documents[0].name} {documents[1].name}"
        )
    return documents[0]


def _told_apart(documents: list[Any]) -> list[Any]:
    """Number the names of two files that are called the same."""
    from dataclasses import replace

    if documents[0].name != documents[1].name:
        return documents
    return [replace(d, name=f"{d.name} ({i})") for i, d in enumerate(documents, 1)]


def _show(found: Divergence) -> None:
    screen = console()
    screen.print(_headline(found), style="bold", markup=False)
    for line in _yardstick(found):
        screen.print(line, markup=False)
    screen.print(_provenance(found), style="dim", markup=False)
    if found.words:
        screen.print()
        screen.print(m.bars(found.words, found.a, found.b))
        screen.print("\n+ (orange) sets the texts apart, - (blue) brings them together", style="dim")
    for part in found.kinds[1:] if found.words else ():
        screen.print(str(part), style="dim", markup=False)


def _headline(found: Divergence) -> str:
    both = f" + D({found.b} ‖ {found.a})" if found.symmetric else ""
    line = f"D({found.a} ‖ {found.b}){both} = {found.value:.4f}"
    if found.interval:
        line += f"   {found.level:.0%} interval {found.interval[0]:.4f} … {found.interval[1]:.4f}"
    if found.p_value is not None:
        line += f"   p = {found.p_value:.3g} if {found.hypothesis}"
    return line


def _yardstick(found: Divergence) -> list[str]:
    """Say what the value is to be read against."""
    if found.yardstick is None:
        return []
    usual = found.yardstick
    lines = [
        f"texts of one source and these lengths: {usual.same_source:.4f}, so {usual.excess:+.4f} beyond that"
    ]
    if usual.standing is not None:
        lines.append(f"at {usual.standing.tokens:,} tokens each: {usual.standing}")
    return lines


def _provenance(found: Divergence) -> str:
    k = f", k = {found.options['k']}" if "k" in found.options else ""
    sampled = f"; {found.repeats} × samples of {found.sample:,} tokens" if found.sample else ""
    used = " and ".join(f"{n:,}" for n in found.tokens)
    lost = " and ".join(f"{n:,}" for n in found.lost)
    return (
        f"method {found.method}{k}{sampled}; background {found.background}; {used} tokens used, {lost} ignored; "
        f"vectors {found.vectors}"
    )
