"""`lexicloud contrast`: what sets groups of texts apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexicloud.cli.options import AsJson, Encoding, Language, Lemmas, VectorsOption, tell_notes
from lexicloud.cli.shell import answer, command, console, progress, write

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.text import TokenRules


@command
def contrast(
    groups: Annotated[
        list[str],
        typer.Argument(
            metavar="A B…", help="Texts, two groups or more: folders or files; with --in, labels."
        ),
    ],
    within: Annotated[
        str | None, typer.Option("--in", help="A folder or table whose labels the groups are.")
    ] = None,
    label: Annotated[str | None, typer.Option(help="The column of the labels, @name or @folder.")] = None,
    order: Annotated[str, typer.Option(help="log-ratio, zeta or eder.")] = "log-ratio",
    top: Annotated[int, typer.Option(min=1, help="How many words of each group.")] = 15,
    word: Annotated[str | None, typer.Option(help="Show where this word occurs in each group.")] = None,
    periods: Annotated[
        bool, typer.Option("--periods", help="The groups follow each other in time: what comes and goes?")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="A folder for the JSON, the CSV and the picture.")] = None,
    vectors: VectorsOption = None,
    language: Language = "detect",
    lemmas: Lemmas = False,
    encoding: Encoding = None,
    json: AsJson = False,
) -> None:
    """Compare groups of texts word by word, with intervals; near words are joined into themes.

    Example: lexicloud contrast austen/ dickens/

    Example: lexicloud contrast Austen Dickens --in novels/ --order zeta --word sensible

    Example: lexicloud contrast 1790s 1850s 1910s 1970s --in addresses.csv --label decade --periods
    """
    from lexicloud.authorship import contrast as compare
    from lexicloud.errors import OptionError
    from lexicloud.say.terminal import show
    from lexicloud.text import TokenRules

    with progress():
        if len(groups) < 2:
            raise OptionError(f"one group, {groups[0]}, cannot be compared: name two or more")
        corpus = _corpus(
            groups, within, label, vectors, TokenRules(language=language, lemmas=lemmas), encoding
        )
        named = groups if within is not None else _names(groups)
        found = compare(corpus, *named, order=order, top=top, periods=periods)
    tell_notes(corpus)
    write(found, out)
    answer(found, json=json, **({"contexts": found.contexts(word)} if json and word else {}))
    if word and not json:
        show(found.context_blocks(word), console())


def _corpus(
    groups: list[str],
    within: str | None,
    label: str | None,
    vectors: str | None,
    rules: TokenRules,
    encoding: str | None,
) -> Corpus:
    """Read one folder with labels, or groups of texts, each labelled by its own name."""
    from dataclasses import replace

    from lexicloud.corpus.from_files import corpus_from_documents
    from lexicloud.corpus.labels import labelled_corpus
    from lexicloud.text import read_documents

    if within is not None:
        return labelled_corpus(within, label=label, vectors=vectors, rules=rules, encoding=encoding)
    documents = [
        replace(d, label=name, name=f"{path}/{d.name}")
        for path, name in zip(groups, _names(groups), strict=True)
        for d in read_documents(path, encoding=encoding)
    ]
    return corpus_from_documents(documents, vectors=vectors, rules=rules)


def _names(paths: list[str]) -> list[str]:
    """Return the names of files and folders without the way to them, where these tell the groups apart.

    >>> _names(["novels/Austen", "novels/Joyce.txt"]), _names(["a/texts", "b/texts"])
    (['Austen', 'Joyce'], ['a/texts', 'b/texts'])
    """
    names = [Path(path).stem if Path(path).suffix else Path(path).name for path in paths]
    return names if all(names) and len(set(names)) == len(names) else paths
