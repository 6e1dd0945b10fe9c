"""`lexicloud serve` and `mcp`: the web app, the API and the tools for assistants, on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from lexicloud.cli.options import AsJson, VectorsOption
from lexicloud.cli.shell import command, fail, note, print_json

Indexes = Annotated[list[Path] | None, typer.Option(help="An index to search and write to (repeatable).")]
Demo = Annotated[bool, typer.Option(help="Offer the built-in State of the Union addresses.")]


@command
def serve(
    index: Indexes = None,
    folder: Annotated[
        list[Path] | None,
        typer.Option(help="A folder of texts to search and explore (repeatable)."),
    ] = None,
    study: Annotated[
        Path | None,
        typer.Option(help="A survey to be answered in the browser, or made there: STUDY.json."),
    ] = None,
    participants: Annotated[int, typer.Option(min=1, help="How many people may answer the survey.")] = 1000,
    host: Annotated[
        str, typer.Option(help="The address to listen on; all but loopback need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8321,
    token_file: Annotated[
        Path | None,
        typer.Option(help="A file that holds the token; LEXICLOUD_TOKEN may hold it instead."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="A further host name the server is reached by (repeatable); needs a token."),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(help="The address of a proxy whose X-Forwarded headers are believed (repeatable)."),
    ] = None,
    demo: Demo = True,
    vectors: VectorsOption = None,
    json: AsJson = False,
) -> None:
    """Write, compare, attribute and explore in the browser; the API is under /api/v1.

    Nothing leaves this machine. Ctrl-C stops the server.

    Example: lexicloud serve --folder novels/ --port 8321
    """
    # The server forks its jobs. OpenBLAS ends its threads before a fork, and hangs for ever, with the whole server,
    # where another thread wakes them at that moment: so it has none. It reads this when NumPy is first imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from lexicloud.web import ServerLimits, ServerSettings
    from lexicloud.web import serve as run

    if study is not None and not study.parent.is_dir():
        fail(f"there is no folder {study.parent} for the study: make it, or name another place")
    settings = ServerSettings(
        host=host,
        port=port,
        token=_token(token_file),
        names=tuple(name or ()),
        proxies=frozenset(proxy or ()),
        indexes=_existing(index),
        folders=_existing(folder),
        study=study,
        demo=demo,
        vectors=vectors,
        limits=ServerLimits(participants=participants),
    )

    def ready(address: str) -> None:
        if json:
            print_json({"address": address, "token": settings.token is not None})
        note(f"open {address} in a browser; Ctrl-C stops the server")
        if study is not None:
            _tell_study(study, address, settings.owner if settings.token is None else None)

    run(settings, ready)


def _tell_study(study: Path, address: str, owner: str | None) -> None:
    """Say where a study is made, answered and evaluated, and by whom."""
    if not study.exists():
        note(f"there is no study yet: make {study} at {address}results")
    note(f"participants answer at {address}survey, results are at {address}results")
    note("anyone with the address may answer, unless people were invited (lexicloud survey invite)")
    if owner is not None:
        note(f"the results ask for the owner's code, new at each start: {owner}")


def _token(file: Path | None) -> str | None:
    if file is None:
        return os.environ.get("LEXICLOUD_TOKEN") or None
    found = file.read_text(encoding="utf-8").strip()
    if not found:
        fail(f"{file} is empty: write the token into it")
    return found


def _existing(paths: list[Path] | None) -> tuple[Path, ...]:
    for path in paths or ():
        if not path.exists():
            fail(f"there is no folder {path}: give one that exists")
    return tuple(path.resolve() for path in paths or ())


@command
def mcp(
    index: Indexes = None,
    folder: Annotated[
        list[Path] | None, typer.Option(help="A folder of texts to search (repeatable).")
    ] = None,
    demo: Demo = True,
    vectors: VectorsOption = None,
) -> None:
    """Let an assistant search, compare and attribute texts; `lexicloud serve` offers the same at /mcp.

    Example: lexicloud mcp --index notes.index
    """
    from lexicloud.web import ServerSettings
    from lexicloud.web.mcp import run_stdio

    run_stdio(ServerSettings(indexes=_existing(index), folders=_existing(folder), demo=demo, vectors=vectors))
