"""`lexicloud mcp`: the tools for assistants, over stdin and stdout."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lexicloud.cli.options import VectorsOption
from lexicloud.cli.shell import fail, new_app

app = new_app("The tools for assistants (Model Context Protocol), over stdin and stdout.")


@app.command()
def mcp(
    index: Annotated[
        list[Path] | None, typer.Option("--index", help="An index to search and write to (repeatable).")
    ] = None,
    folder: Annotated[
        list[Path] | None, typer.Option("--folder", help="A folder of texts to search (repeatable).")
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo/--no-demo", help="Offer the built-in State of the Union addresses.")
    ] = True,
    vectors: VectorsOption = None,
) -> None:
    """Let an assistant search, compare and attribute texts; `lexicloud serve` offers the same at /mcp.

    Example: lexicloud mcp --index notes.index
    """
    from lexicloud.web import ServerSettings
    from lexicloud.web.mcp import run_stdio

    for path in (*(index or ()), *(folder or ())):
        if not path.exists():
            fail(f"there is no folder {path}: give one that exists")
    run_stdio(
        ServerSettings(indexes=tuple(index or ()), folders=tuple(folder or ()), demo=demo, vectors=vectors)
    )
