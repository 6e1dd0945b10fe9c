"""Options that several commands share, with one name and one explanation."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli.shell import note
from lexicloud.errors import OptionError

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.report.chapters import Reading

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON to stdout and nothing else there.")]
Seed = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of everything random; the same seed gives the same answer.")
]
VectorsOption = Annotated[
    str | None,
    typer.Option(
        "--vectors", help="A vector file, a converted folder or a catalogue name; GloVe 6B 50-d is built in."
    ),
]
Sample = Annotated[
    int | None,
    typer.Option(
        "--sample", min=1, help="Draw this many tokens of each text; shorter texts are left out and named."
    ),
]
AsPublished = Annotated[
    bool, typer.Option("--as-published", help="Use all settings of the paper, and print them.")
]
Language = Annotated[
    str,
    typer.Option(
        "--language",
        help="Language of the texts: polish, pl, ancient-greek, …; found in the texts when not given.",
    ),
]
Lemmas = Annotated[
    bool,
    typer.Option(
        "--lemmas",
        help="Count the forms of a word as one (go, went); results show words as they are written.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        help="Encoding of the files, detected when not given; utf-8:replace replaces bytes that do not fit.",
    ),
]


# Rarer options, which the help of a command mentions in its text but does not list.
UnlistedSeed = Annotated[int, typer.Option("--seed", min=0, hidden=True)]
UnlistedEncoding = Annotated[str | None, typer.Option("--encoding", hidden=True)]
UnlistedLemmas = Annotated[bool, typer.Option("--lemmas", hidden=True)]
UnlistedSkipBad = Annotated[bool, typer.Option("--skip-bad", hidden=True)]


def one_of(module: str, names: str) -> Callable[[str], str]:
    """Return a check of `--method` that is made before anything is read; the names come from where methods live."""

    def check(value: str) -> str:
        known = getattr(import_module(module), names)
        if value not in known:
            raise OptionError(f"no method {value!r}: choose from {', '.join(known)}")
        return value

    return check


Cluster = Annotated[str | None, typer.Option("--cluster", metavar="tcp://…|local", hidden=True)]

MethodOption = Annotated[
    str,
    typer.Option(
        "--method",
        callback=one_of("lexicloud.divergences.methods", "METHODS"),
        help="smoothed (words and their neighbours), knn (the paper's), categorical, jensen-shannon or delta.",
    ),
]
K = Annotated[int | None, typer.Option("--k", min=1, help="Which nearest word counts, for method knn (3).")]
Symmetric = Annotated[bool, typer.Option("--symmetric", help="D(a‖b) + D(b‖a).")]
SkipBad = Annotated[
    bool,
    typer.Option(
        "--skip-bad", help="Leave out files and texts that cannot be read or measured, and name them."
    ),
]
Keep = Annotated[
    str | None,
    typer.Option(
        "--keep",
        help="Read what is otherwise left out: headings, notes, speakers, stage, front or back (TEI), quotes or "
        "signatures (mail); several with commas.",
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", help="Leave out: punctuation, name, function or content; may be repeated."),
]
Label = Annotated[
    str | None, typer.Option("--label", help="@name (Austen_Emma.txt), @folder, or the column of a table.")
]
Labels = Annotated[
    Path | None, typer.Option("--labels", help="A table with the names of the texts and their labels.")
]
Plot = Annotated[str | None, typer.Option("--plot", help="Draw it to this file (.png, .svg or .pdf).")]


def method_options(method: str, k: int | None, *, as_published: bool = False) -> dict[str, Any]:
    """Return the options of a method that were given; `--k` is knn's, as are the paper's settings."""
    if k is not None and method != "knn" and not as_published:
        raise OptionError(f"--k goes with --method knn, not with {method}: leave it out, or add --method knn")
    return {} if k is None else {"k": k}


def tell_notes(read: Corpus | Reading) -> None:
    """Print the notes on how files were read."""
    for line in read.notes:
        note(line)


def draw(ax: Any, path: str | Path) -> None:
    """Write a figure to a file and print a note."""
    from lexicloud.say.figures import save_figure

    note(f"wrote {save_figure(ax, path)}")


def published_rules(
    parts: tuple[str, ...], language: str, *, as_published: bool, lemmas: bool = False
) -> Any:
    """Return how to cut text: by our rules, or by the paper's, and then tell what else of it is set."""
    from lexicloud.presets import preset
    from lexicloud.text import TokenRules

    if not as_published:
        return TokenRules(language=language, lemmas=lemmas)
    if lemmas:
        raise OptionError("the paper counts words, not lemmas: leave out --lemmas or --as-published")
    note(preset("paper").said("tokens", *parts))
    rules = preset("paper").rules
    if rules.sentences != "punkt":
        note(
            "NLTK's punkt is not installed (python -m nltk.downloader punkt_tab): sentences are cut by our own rules"
        )
    return rules
