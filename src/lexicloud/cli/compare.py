"""`lexicloud compare`: how far apart two texts are, and the words that drive it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, Language, Sample, VectorsOption
from lexicloud.cli.shell import console, new_app, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    hypothesis: Annotated[
        str | None,
        typer.Option("--hypothesis", help="Add a p-value: 'same text', 'same book' or 'same hand'."),
    ] = None,
    without: m.Without = None,
    sample: Sample = None,
    plot: m.Plot = None,
    vectors: VectorsOption = None,
    language: Language = "english",
    json: AsJson = False,
    top: Annotated[int, typer.Option("--top", min=0, hidden=True)] = 20,
    seed: m.UnlistedSeed = 0,
    encoding: m.UnlistedEncoding = None,
) -> None:
    """Measure how far text A is from text B, what to read that against, and the words behind it.

    Only the two texts count, whoever else is in the folder. Below the value stands what two texts of one source
    would give, and how near other pairs are: by one author, by different authors.

    Rarer options: --top N lists so many words, --seed N deals blocks otherwise, --encoding NAME.

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
    from lexicloud.corpus.from_files import corpus_from_documents
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
    from rich.table import Table
    from rich.text import Text

    screen = console()
    both = f" + D({found.b} ‖ {found.a})" if found.symmetric else ""
    screen.print(f"D({found.a} ‖ {found.b}){both} = {found.value:.4f}", style="bold", markup=False)
    facts = Table.grid(padding=(0, 2, 0, 0))
    for title, fact in _facts(found):
        facts.add_row(Text(f"  {title}"), Text(fact))
    screen.print(facts)
    if not found.words:
        return
    screen.print()
    screen.print(m.bars(found.words, found.a, found.b))
    screen.print("+ (orange) sets the texts apart, - (blue) brings them together\n", style="dim")
    parts = Table.grid(padding=(0, 2, 0, 0))
    for part in found.kinds:
        words = "the strongest are listed above" if part is found.kinds[0] else part.strongest
        left = part.kind in found.without
        parts.add_row(Text(part.plural), Text("left out" if left else f"{part.value:+.4f}"), Text(words))
    screen.print(parts)


def _facts(found: Divergence) -> Iterator[tuple[str, str]]:
    """Say how sure the value is, what it is to be read against, and what it was measured on."""
    if found.interval:
        yield f"{found.level:.0%} interval", f"{found.interval[0]:.4f} to {found.interval[1]:.4f}"
    usual = found.yardstick
    if usual is not None:
        more = "more" if usual.excess >= 0 else "less"
        text = (
            f"{usual.same_source:.4f} for two texts of these lengths; this is {abs(usual.excess):.4f} {more}"
        )
        yield "one source", text
    if usual is not None and usual.standing is not None:
        yield "other pairs", f"at {usual.standing.tokens:,} tokens each, {usual.standing}"
    elif usual is not None and usual.no_standing is not None:
        yield "other pairs", f"no standing: {usual.no_standing}"
    if found.p_value is not None:
        yield "p-value", f"{found.p_value:.3g} under “{found.hypothesis}”: {found.claim}"
    yield "background", found.background
    k = f", k = {found.options['k']}" if "k" in found.options else ""
    sampled = f", sample of {found.sample:,} tokens" if found.sample else ""
    left = f", without {', '.join(found.without)}" if found.without else ""
    yield "method", f"{found.method}{k}{sampled}{left}, vectors {found.vectors}"
    lost = f" ({found.lost[0]:,} and {found.lost[1]:,} ignored)" if any(found.lost) else ""
    yield "tokens", f"{found.tokens[0]:,} and {found.tokens[1]:,}{lost}"
