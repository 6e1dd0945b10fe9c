"""The command line: `lexicloud COMMAND …`.

The overview (`lexicloud --help`) is printed from the table below without importing anything heavy; a command's
own module is imported only when it is called.
"""

from __future__ import annotations

import os
import sys
from typing import Final

# command → (module under lexicloud.cli, what it does in one line)
COMMANDS: Final = {
    "compare": ("compare", "How far apart two texts are, and the words that drive it"),
    "matrix": ("compare", "All pairs of a folder: CSV, heat map, dendrogram, map"),
    "attribute": ("attribute", "Who wrote it, or none of these: probabilities and the evidence"),
    "train": ("attribute", "Learn known authors once, to ask `attribute` any number of times"),
    "verify": ("verify", "Did one hand write these? A calibrated likelihood ratio"),
    "rolling": ("attribute", "Who wrote which part of a text, and where the hand changes"),
    "style": ("attribute", "What gives a writer away in a draft, and what changing it would do"),
    "contrast": ("contrast", "What sets groups or periods apart: key words with intervals"),
    "drift": ("compare", "Divergence along one text, for changes of hand or theme"),
    "zipf": ("zipf", "Zipf's law: rank plot, fits, parts of speech, clusters, projection"),
    "index": ("index", "A search index: build, add, remove, compact, info, verify"),
    "search": ("search", "Related or varied sentences, with the reason for each"),
    "duplicates": ("search", "Texts of an index that say the same, in clusters"),
    "evaluate": ("search", "The variety of each search method on an index"),
    "survey": ("survey", "Ask people which suggestions they prefer: create, run, report"),
    "label": ("label", "Labels for short texts from a few examples, with reasons"),
    "report": ("report", "One self-contained page about a folder of texts"),
    "demo": ("report", "The report on the built-in State of the Union addresses"),
    "paper": ("paper", "Rerun the paper, table by table"),
    "serve": ("serve", "The web app and the API, on this machine"),
    "mcp": ("serve", "The same tools for assistants, over stdin and stdout"),
    "vectors": ("vectors", "Word vectors: list, get, info, convert, train"),
    "corpus": ("corpus", "What a corpus holds, its coverage and what was lost"),
    "neighbours": ("vectors", "The nearest words of a word"),
}


def overview() -> str:
    """Return what `lexicloud --help` prints."""
    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:<{width}}  {line}" for name, (_, line) in COMMANDS.items())
    return (
        "Compare, attribute, label and search texts by words and meaning.\n\n"
        f"usage: lexicloud COMMAND [OPTIONS]\n\n{rows}\n\n"
        "  lexicloud COMMAND --help   shows a command's options and an example\n"
        "  lexicloud --version        shows the version\n"
        "  lexicloud --install-completion   lets the shell complete commands\n\n"
        "first:\n"
        "  lexicloud compare emma.txt dubliners.txt     two texts of yours\n"
        "  lexicloud report FOLDER --out report.html    all about a folder of texts\n"
        "  lexicloud serve                              the same in the browser\n"
    )


def main(arguments: list[str] | None = None) -> None:
    """Run one command; an interrupt ends it in one line, even while its module is being imported."""
    try:
        _main(arguments)
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("lexicloud: stopped\n")
        raise SystemExit(130) from None


def _say(text: str) -> None:
    """Write to stdout; a closed or full stream, or a reader that has gone, is no error."""
    try:
        if sys.stdout is not None:
            sys.stdout.write(text)
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _main(arguments: list[str] | None) -> None:
    arguments = sys.argv[1:] if arguments is None else arguments
    first = arguments[0] if arguments else "--help"
    if first in {"--install-completion", "--show-completion"} or "_LEXICLOUD_COMPLETE" in os.environ:
        from lexicloud.cli.shell import complete

        complete(arguments)
        return
    if first in {"--help", "-h", "help"}:
        _say(overview())
        return
    if first in {"--version", "-V"}:
        from lexicloud.version import __version__

        _say(f"lexicloud {__version__}\n")
        return
    if first not in COMMANDS:
        from difflib import get_close_matches

        close = get_close_matches(first, COMMANDS, n=1)
        hint = f"did you mean {close[0]}?" if close else "lexicloud --help lists the commands"
        if sys.stderr is not None:
            sys.stderr.write(f"lexicloud: error: no command {first!r}; {hint}\n")
        raise SystemExit(2)

    from lexicloud.cli.shell import run

    run(first, arguments[1:])
