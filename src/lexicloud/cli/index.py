"""`lexicloud index`: build a sentence index and keep it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli.options import AsJson, Cluster, Language, VectorsOption
from lexicloud.cli.shell import answer, console, fail, new_group, note, print_json, progress, stdin_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.search import IndexInfo, Items

index: typer.Typer = new_group(
    "Build a sentence index and keep it.\n\n"
    "Example: lexicloud index build issues.csv --text title^3 --text body --id number --out issues.index",
)

_COVERED = 0.5  # with a smaller share of words with a vector, other vectors are advised
Index = Annotated[Path, typer.Argument(help="The folder of the index.")]
Id = Annotated[str, typer.Argument(help="The id of a record.")]
Paths = Annotated[
    list[str],
    typer.Argument(
        help="Files, tables or folders of texts, or one saved corpus; - reads standard input, one text a line."
    ),
]
TextColumn = Annotated[
    list[str] | None,
    typer.Option(
        "--text",
        help="For tables: the column of the text, or several with weights (--text title^3 --text body); dots lead into "
        "a column (fields.summary).",
    ),
]
Sql = Annotated[
    str | None, typer.Option("--sql", help="For a SQLite file: the query that finds the records.")
]
IdColumn = Annotated[str | None, typer.Option("--id", help="For tables: the column of the id.")]
MetaColumns = Annotated[
    list[str] | None,
    typer.Option("--meta", help="For tables: a column to keep for filters (repeatable; '*' keeps all)."),
]


@index.command()
def build(
    paths: Paths,
    out: Annotated[Path, typer.Option(help="The folder to write the index to.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the index that is there.")] = False,
    text: TextColumn = None,
    id: IdColumn = None,  # noqa: A002 (the option's name)
    meta: MetaColumns = None,
    sql: Sql = None,
    split: Annotated[
        bool | None,
        typer.Option(
            help="Split texts into sentences. By default texts are, rows of tables are not.",
        ),
    ] = None,
    boilerplate: Annotated[
        bool,
        typer.Option("--boilerplate", help="Take out repeated lines, quoted replies, signatures and forms."),
    ] = False,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Leave longer sentences out.")] = None,
    dense: Annotated[
        str,
        typer.Option(
            help="Sentence embeddings to keep: auto (the package's, for English), none, or a model2vec folder.",
        ),
    ] = "auto",
    memory: Annotated[
        str | None,
        typer.Option(
            help="For more texts than memory: read tables row by row and other files one by one, and keep to a limit, "
            "such as 2G.",
        ),
    ] = None,
    vectors: VectorsOption = None,
    language: Language = "detect",
    json: AsJson = False,
    cluster: Cluster = None,
) -> None:
    """Build an index from texts, from tables (.csv .tsv .jsonl .json .xlsx .parquet, SQLite), or from an export of
    Jira, GitHub, GitLab or Confluence, which is recognised.

    Rarer options: --cluster tcp://… or local builds it in shards on a Dask cluster; search it with --cluster, too.

    Example: lexicloud index build issues.csv --text title^3 --text body --id number --meta status --out issues.index
    """
    from lexicloud.corpus.from_files import corpus_from_path, is_saved
    from lexicloud.search import Boilerplate, SentenceIndex, clean
    from lexicloud.search.items import read_items
    from lexicloud.text import TokenRules

    if not overwrite:
        refuse_existing(out)
    model = None if dense == "none" else dense
    options: dict[str, Any] = {"max_tokens": max_tokens, "dense": model}
    given: dict[str, Any] = {"vectors": vectors, "rules": TokenRules(language=language)}
    columns: dict[str, Any] = {"text": text, "id": id, "meta": meta, "sql": sql}
    if memory is not None and cluster is None:
        options |= {**given, "split": split, "boilerplate": boilerplate}
        _build_on_disk(paths, out, memory, columns, options, json=json)
        return
    if cluster is not None:
        fields = len(text or ()) > 1 or any("^" in name for name in text or ())
        rarer = {"--boilerplate": boilerplate, "-": "-" in paths, "--sql": sql, "several --text": fields}
        for name in [name for name, used in {**rarer, "--memory": memory}.items() if used]:
            fail(f"{name} cannot be used with --cluster: workers read files, each by itself")
        reading = {"text": text[0] if text else None, "name": id, "meta": meta}
        cut = _holds_texts(paths) and not text if split is None else split
        _build_shards(cluster, paths, out, {**options, **given, "split": cut}, reading, json=json)
        return
    with progress():
        saved = len(paths) == 1 and is_saved(paths[0])
        found = corpus_from_path(paths[0], vectors=vectors, name=id) if saved else read(paths, columns)
        texts = read_items(found).as_lines
        learned = Boilerplate.fit(texts) if boilerplate else None
        if learned:
            note(str(clean(texts, learned)))
        # the text fields of an export are known only now
        cut = _holds_texts(paths) and not columns["text"] if split is None else split
        options |= {"split": cut, "boilerplate": learned or False, "schema": columns}
        # a saved corpus has its own vectors and rules
        index = SentenceIndex.build(found, **options, **({} if saved else given))
        index.save(out, overwrite=overwrite)
    if index.info.vectors != "none" and index.info.embedded < _COVERED:
        note(
            f"only {index.info.embedded:.0%} of the words have a vector: lexicloud vectors list shows others"
        )
    tell(index.info, f"built {out}", json=json)


def _build_shards(
    cluster: str, paths: list[str], out: Path, options: dict[str, Any], reading: dict[str, Any], *, json: bool
) -> None:
    from lexicloud.cluster.index import ShardedIndex
    from lexicloud.cluster.workers import connected

    with progress(), connected(cluster) as client:
        built = ShardedIndex.build(client, paths, out, reading=reading, **options)
    told = {"path": out, "sentences": len(built), "shards": len(built.sizes)}
    if json:
        print_json(told)
    else:
        note(f"built {out}: {len(built):,} sentences in {len(built.sizes)} shards")


def _build_on_disk(
    paths: Sequence[str],
    out: Path,
    memory: str,
    schema: dict[str, Any],
    options: dict[str, Any],
    *,
    json: bool,
) -> None:
    """Build an index row by row and file by file, within a limit of memory."""
    from lexicloud.search import SentenceIndex
    from lexicloud.search.streaming import files_to_read, from_files

    schema["meta"] = schema["meta"] or []
    with progress():
        files = files_to_read(paths)
        if options["split"] is None:
            options["split"] = _holds_texts([file.name for file in files])
        rows = from_files(files, schema["text"], schema["id"], schema["meta"])
        index = SentenceIndex.build_on_disk(out, rows, memory=memory, schema=schema, **options)
    tell(index.info, f"built {out}", json=json)


@index.command()
def add(
    index: Index,
    paths: Paths,
    text: TextColumn = None,
    id: IdColumn = None,  # noqa: A002 (the option's name)
    meta: MetaColumns = None,
    sql: Sql = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", "--upsert", help="Replace texts whose ids are there already.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Add texts to an index, treated as the first ones were; columns of tables are those it was built with.

    Example: lexicloud index add issues.index new.csv --overwrite
    """
    from lexicloud.search import SentenceIndex

    with progress():
        opened = SentenceIndex.open(index)
        before = len(opened)
        given = {"text": text, "id": id, "meta": meta, "sql": sql}
        schema = {**opened.schema, **{name: value for name, value in given.items() if value}}
        items = read(paths, schema)
        there = len(items) - len(opened.missing(items.identifiers)) if overwrite else 0
        opened.add(items, overwrite=overwrite)
    replaced = f" ({there:,} replaced)" if overwrite else ""
    tell(opened.info, f"{len(opened) - before:+,} sentences{replaced} in {index}", json=json)


@index.command()
def remove(
    index: Index,
    ids: Annotated[
        list[str], typer.Argument(help="Ids of sentences or of whole documents; - reads them from stdin.")
    ],
    json: AsJson = False,
) -> None:
    """Remove sentences, or all sentences of documents, by their ids; unknown ids among several are named.

    Example: lexicloud index remove issues.index 4711 4712
    """
    from lexicloud.operations.index import remove_records
    from lexicloud.search import SentenceIndex

    opened = SentenceIndex.open(index)
    names = stdin_lines() if ids == ["-"] else ids
    answer(remove_records(opened, names, str(index), strict=len(names) == 1), json=json)


@index.command()
def compact(index: Index, json: AsJson = False) -> None:
    """Merge all segments into one and drop what was removed.

    Example: lexicloud index compact issues.index
    """
    from lexicloud.search import SentenceIndex

    with progress():
        opened = SentenceIndex.open(index)
        before = opened.info
        opened.compact()
    now = opened.info
    told = f"{before.segments} segments became {now.segments}, {before.size} became {now.size}"
    tell(now, told, json=json)


@index.command()
def info(index: Index, json: AsJson = False) -> None:
    """Show what an index holds and what a sentence costs.

    Example: lexicloud index info issues.index
    """
    from lexicloud.search import SentenceIndex

    answer(SentenceIndex.open(index).info, json=json)


@index.command()
def verify(index: Index, json: AsJson = False) -> None:
    """Read every file of an index and name those that are damaged.

    Example: lexicloud index verify issues.index
    """
    from lexicloud.search import verify_index

    problems = verify_index(index)
    if json:
        print_json({"path": index, "sound": not problems, "problems": problems})
    elif not problems:
        console().print(f"{index} is sound", markup=False)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        fail(f"{problems[0]}{more}; build {index} again")


@index.command()
def get(index: Index, id: Id, json: AsJson = False) -> None:  # noqa: A002 (the argument's name)
    """Show one record by its id.

    Example: lexicloud index get issues.index 4711
    """
    from lexicloud.search import SentenceIndex

    opened = SentenceIndex.open(index)
    answer(opened.record(id), json=json)


@index.command()
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


@index.command()
def facets(
    index: Index,
    column: Annotated[str, typer.Argument(help="The column whose values are counted.")],
    where: Annotated[
        list[str] | None,
        typer.Option(help="Count only what meets a filter, as in lexicloud search."),
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


@index.command()
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
    from lexicloud.search.query import SynonymList

    opened = SentenceIndex.open(index)
    if file is not None and clear:
        fail("give a file of synonyms or --clear, not both")
    if file is not None or clear:
        opened.set_synonyms(file)
    answer(SynonymList(opened.synonyms), json=json)


@index.command()
def export(
    index: Index,
    out: Annotated[Path, typer.Option(help="The folder to write to.")],
    to: Annotated[
        str, typer.Option(help="opensearch (bulk files and a mapping) or lancedb (Parquet files).")
    ] = "opensearch",
    name: Annotated[str, typer.Option(help="What the other engine calls the index.")] = "texts",
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


def refuse_existing(out: Path) -> None:
    """Refuse, before any work is done, to build where an index is, even a damaged one."""
    from lexicloud.search import SentenceIndex
    from lexicloud.store.folder import MANIFEST

    if not (out / MANIFEST).is_file():
        return
    held = f"{len(SentenceIndex.open(out)):,} sentences"
    fail(
        f"{out} holds an index of {held}: add to it with lexicloud index add, or replace it with --overwrite"
    )


def read(paths: Sequence[str], schema: dict[str, Any]) -> Items:
    """Return all paths as one list of records or texts; print notes, and put the fields of an export into `schema`."""
    from lexicloud.corpus.from_files import is_saved
    from lexicloud.search.items import from_documents, read_items
    from lexicloud.text.records import read_records
    from lexicloud.text.trackers import one_repository, told_apart

    if list(paths) == ["-"]:
        lines = stdin_lines()
        if not lines:
            fail("there is no text on standard input: write one a line")
        return read_items(lines)
    saved = [path for path in paths if is_saved(path)]
    if saved:
        fail(f"{saved[0]} is a saved folder: give it alone, or the texts that it was made from")
    export = schema.get("export")
    asked = {"text": None, "name": None} if export else {"text": schema["text"], "name": schema["id"]}
    found = [read_records(path, **asked, sql=schema["sql"]) for path in paths]
    documents = [document for records in found for document in records.documents]
    for line in dict.fromkeys(line for document in documents for line in document.notes):
        note(line)
    kinds = {tuple(records.weights.items()) for records in found}
    if len(kinds) > 1:
        fail("some of the files have text fields and others have not: name the columns with --text")
    weights = dict(found[0].weights)
    if weights and not export:
        schema["text"], schema["export"] = weights, found[0].export
        schema["repository"] = one_repository(documents)
    if "repository" in schema:  # each counts its tickets from 1
        documents = told_apart(documents, schema["repository"])
    meta = schema["meta"] or (["*"] if found[0].export else [])
    return replace(from_documents(documents, meta), weights=tuple(weights.values()))


def _holds_texts(paths: Sequence[str]) -> bool:
    """Tell texts, which are split into sentences, from rows of tables and lines of stdin, which are not."""
    from lexicloud.text.records import holds_rows
    from lexicloud.text.streamed import is_row_table

    return not all(is_row_table(path) or holds_rows(path) for path in paths)


def tell(found: IndexInfo, what: str, *, json: bool) -> None:
    """Print what was done, or the state of the index as JSON."""
    if json:
        print_json(found)
    else:
        note(f"{what}: {found.sentences:,} sentences, {found.words:,} words, {found.size}")
