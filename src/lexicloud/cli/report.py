"""`lexicloud report` and `demo`: one self-contained page about texts."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from lexicloud.cli import options as m
from lexicloud.cli.options import AsJson, Language, Seed, VectorsOption
from lexicloud.cli.shell import answer, command, note, progress

Figures = Annotated[Path | None, typer.Option(help="Write the static figures here too, as PNG and SVG.")]


@command
def report(
    path: Annotated[
        str, typer.Argument(metavar="TEXTS", help="A folder, a .csv or .jsonl table, or a saved corpus.")
    ],
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
    label: m.Label = None,
    text: Annotated[str | None, typer.Option(help="For a table: the column with the text.")] = None,
    query: Annotated[
        list[str] | None, typer.Option(help="A sentence to search for; may be given again.")
    ] = None,
    figures: Figures = None,
    title: Annotated[str | None, typer.Option(help="The page's title.")] = None,
    method: m.MethodOption = "smoothed",
    vectors: VectorsOption = None,
    language: Language = "detect",
    json: AsJson = False,
    by: Annotated[str, typer.Option(hidden=True)] = "auto",
    name: Annotated[str | None, typer.Option(hidden=True)] = None,
    sample: Annotated[int | None, typer.Option(min=1, hidden=True)] = None,
    lemmas: m.UnlistedLemmas = False,
    encoding: m.UnlistedEncoding = None,
    seed: m.UnlistedSeed = 0,
) -> None:
    """Write one page about some texts: who is like whom, who wrote what, Zipf's law, and search.

    The page is a single file that opens anywhere, without a network. Labels come from --label, or are found in names
    such as Austen_Emma.txt. Where something cannot be computed for these texts, the page says why.

    Rarer options: --by text, label or auto (what a point of the map is), --name COLUMN (names in a table), --sample N
    (tokens drawn of each text), --lemmas (the forms of a word count as one), --seed N, --encoding NAME, --skip-bad.

    Example: lexicloud report novels/ --out report.html

    Example: lexicloud report tickets.csv --text body --label team --query "the printer is on fire" --out tickets.html
    """
    from lexicloud.report import write_report
    from lexicloud.text import TokenRules

    with progress():
        study = write_report(
            path,
            out,
            figures=figures,
            label=label,
            text=text,
            name=name,
            vectors=vectors,
            rules=TokenRules(language=language, lemmas=lemmas),
            encoding=encoding,
            title=title,
            queries=tuple(query or ()),
            method=method,
            by=by,
            sample=sample,
            seed=seed,
            command=command_line(),
        )
    m.tell_notes(study.reading)
    answer(study, json=json, page=out)
    note(f"wrote {out}" + (f" and figures in {figures}" if figures else ""))


def command_line() -> str:
    """Return the command as it was typed."""
    return shlex.join(["lexicloud", *sys.argv[1:]])


@command
def demo(
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("demo.html"),
    figures: Figures = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Show what lexicloud does, on two centuries of State of the Union addresses.

    It prints who speaks like whom, how often the words name the right president, whether Zipf's law holds, and what
    three queries find; it writes the whole report to a page that opens anywhere.

    Example: lexicloud demo --out demo.html
    """
    from lexicloud.report.demo import demo as demo_study
    from lexicloud.report.study import check_writable

    check_writable(out)
    with progress():
        study = demo_study(seed, command_line())
        study.save(out)
        if figures is not None:
            study.write_figures(figures)
    answer(study, json=json, page=out)
    note(f"wrote {out}: open it in a browser")
