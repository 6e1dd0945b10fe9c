"""`lexicloud demo`: the report on the built-in State of the Union addresses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lexicloud.cli.options import AsJson, Seed
from lexicloud.cli.report import command_line
from lexicloud.cli.shell import answer, new_app, note, print_json, progress

app: typer.Typer = new_app("The report on the built-in State of the Union addresses.")


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", help="The page to write.")] = Path("demo.html"),
    figures: Annotated[
        Path | None, typer.Option("--figures", help="Write the static figures here too, as PNG and SVG.")
    ] = None,
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
    if json:
        print_json({**study.to_dict(), "page": out})
    else:
        answer(study, json=False)
    note(f"wrote {out}: open it in a browser")
