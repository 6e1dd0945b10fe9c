"""`lexicloud index get|update|facets|synonyms|export`: commands for the records of an index."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from lexicloud.cli.options import AsJson
from lexicloud.cli.shell import answer, fail, note, progress

Index = Annotated[Path, typer.Argument(help="The folder of the index.")]
Id = Annotated[str, typer.Argument(help="The id of a record.")]


def get(index: Index, id: Id, json: AsJson = False) -> None:  # noqa: A002 (the argument's name)
    """Show one record by its id.

    Example: lexicloud index get issues.index 4711
    """
    from lexicloud.search import SentenceIndex

    opened = SentenceIndex.open(index)
    answer(opened.record(id), json=json)


def update(
    index: Index,
    id: Id,  # noqa: A002 (the argument's name)
    changes: Annotated[
        list[str],
        typer.Argument(help="Columns or text fields to change: status=closed; status= takes it away."),
    ],
    json: AsJson = False,
) -> None:
    """Change some columns of a record and leave the others as they are.

    Example: lexicloud index update issues.index 4711 status=closed priority=2
    """
    from lexicloud.operations.index import update_record
    from lexicloud.search import SentenceIndex
    from lexicloud.search.filters import parse_assignments

    opened = SentenceIndex.open(index)
    changed = parse_assignments(changes, opened.info.kinds)
    answer(update_record(opened, id, changed, str(index)), json=json)


def facets(
    index: Index,
    column: Annotated[str, typer.Argument(help="The column whose values are counted.")],
    where: Annotated[
        list[str] | None,
        typer.Option("--where", help="Count only what meets a filter, as in lexicloud search."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Count the records by the values of a column.

    Example: lexicloud index facets issues.index status --where created>=2022
    """
    from lexicloud.search import SentenceIndex
    from lexicloud.search.filters import parse_conditions

    opened = SentenceIndex.open(index)
    asked = parse_conditions(where, opened.snapshot.columns) if where else None
    answer(opened.count_values(column, asked), json=json)


def synonyms(
    index: Index,
    file: Annotated[
        Path | None,
        typer.Argument(help="A file: words with commas between them on a line, or OOM => out of memory."),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove the synonyms of the index.")] = False,
    json: AsJson = False,
) -> None:
    """Keep your own synonyms in an index, in place of earlier ones; without a file, show them.

    Example: lexicloud index synonyms issues.index synonyms.txt
    """
    from lexicloud.search import SentenceIndex
    from lexicloud.search.synonyms import SynonymList

    opened = SentenceIndex.open(index)
    if file is not None and clear:
        fail("give a file of synonyms or --clear, not both")
    if file is not None or clear:
        opened.set_synonyms(file)
    answer(SynonymList(opened.synonyms), json=json)


def export(
    index: Index,
    out: Annotated[Path, typer.Option("--out", help="The folder to write to.")],
    to: Annotated[
        str, typer.Option("--to", help="opensearch (bulk files and a mapping) or lancedb (Parquet files).")
    ] = "opensearch",
    name: Annotated[str, typer.Option("--name", help="What the other engine calls the index.")] = "texts",
    json: AsJson = False,
) -> None:
    """Write what another engine loads: texts, fields, metadata and embeddings.

    Example: lexicloud index export issues.index --to opensearch --out bulk
    """
    from lexicloud.search import SentenceIndex
    from lexicloud.search.exports import export_index

    with progress():
        found: Any = export_index(SentenceIndex.open(index), out, to=to, name=name)
    if json:
        answer(found, json=True)
    else:
        note(f"wrote {len(found.files)} files to {out}")
        answer(found, json=False)


COMMANDS: Final[tuple[Callable[..., None], ...]] = (get, update, facets, synonyms, export)
