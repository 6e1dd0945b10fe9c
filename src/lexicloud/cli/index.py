"""`lexicloud index`: build a sentence index and keep it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli.options import AsJson, Language, VectorsOption
from lexicloud.cli.shell import answer, console, fail, new_app, note, print_json, progress, stdin_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.search import IndexInfo, Items

app: typer.Typer = new_app(
    "Build a sentence index and keep it.\n\n"
    "Example: lexicloud index build issues.csv --text body --id number --out issues.index",
    group=True,
)

_COVERED = 0.5  # below this share of words with a vector, more is passed over than used
Index = Annotated[Path, typer.Argument(help="The folder of the index.")]
Paths = Annotated[
    list[str],
    typer.Argument(
        help="Files, tables or folders of texts, or one saved corpus; - reads standard input, one text a line."
    ),
]
TextColumn = Annotated[
    str | None,
    typer.Option("--text", help="For tables: the column of the text; dots lead into it (fields.summary)."),
]
IdColumn = Annotated[str | None, typer.Option("--id", help="For tables: the column of the id.")]
MetaColumns = Annotated[
    list[str] | None,
    typer.Option("--meta", help="For tables: a column to keep for filters (repeatable; '*' keeps all)."),
]


@app.command()
def build(
    paths: Paths,
    out: Annotated[Path, typer.Option("--out", help="The folder to write the index to.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the index that is there.")] = False,
    text: TextColumn = None,
    id: IdColumn = None,  # noqa: A002 (the option's name)
    meta: MetaColumns = None,
    split: Annotated[
        bool | None,
        typer.Option(
            "--split/--no-split",
            help="Split texts into sentences. By default texts are, rows of tables are not.",
        ),
    ] = None,
    boilerplate: Annotated[
        bool,
        typer.Option("--boilerplate", help="Take out repeated lines, quoted replies, signatures and forms."),
    ] = False,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Leave longer sentences out.")
    ] = None,
    dense: Annotated[
        str,
        typer.Option(
            "--dense",
            help="Sentence embeddings to keep: auto (the package's, for English), none, or a model2vec folder.",
        ),
    ] = "auto",
    memory: Annotated[
        str | None,
        typer.Option(
            "--memory",
            help="For tables larger than memory: read them row by row and keep to a limit, such as 2G.",
        ),
    ] = None,
    vectors: VectorsOption = None,
    language: Language = "detect",
    json: AsJson = False,
) -> None:
    """Build an index from texts or tables.

    Example: lexicloud index build issues.csv --text body --id number --meta status --boilerplate --out issues.index
    """
    from lexicloud.corpus.from_files import corpus_from_path, is_saved
    from lexicloud.search import Boilerplate, SentenceIndex, clean
    from lexicloud.search.items import read_items
    from lexicloud.text import TokenRules

    if not overwrite:
        refuse_existing(out)
    if memory is not None:
        options: dict[str, Any] = {
            "rules": TokenRules(language=language),
            "vectors": vectors,
            "dense": None if dense == "none" else dense,
            "split": bool(split),
            "max_tokens": max_tokens,
            "boilerplate": boilerplate,
        }
        _build_on_disk(paths, out, memory, {"text": text, "id": id, "meta": meta}, options, json=json)
        return
    with progress():
        saved = len(paths) == 1 and is_saved(paths[0])
        found = (
            corpus_from_path(paths[0], vectors=vectors, text=text, name=id)
            if saved
            else read(paths, text, id, meta)
        )
        texts = read_items(found).texts
        learned = Boilerplate.fit(texts) if boilerplate else None
        if learned:
            note(str(clean(texts, learned)))
        index = SentenceIndex.build(
            found,
            vectors=None if saved else vectors,  # a saved corpus has its own vectors and rules
            rules=None if saved else TokenRules(language=language),
            split=_holds_texts(paths) if split is None else split,
            max_tokens=max_tokens,
            boilerplate=learned or False,
            dense=None if dense == "none" else dense,
            schema={"text": text, "id": id, "meta": meta},
        )
        index.save(out, overwrite=overwrite)
    if index.info.embedded < _COVERED:
        note(
            f"only {index.info.embedded:.0%} of the words have a vector: lexicloud vectors list shows others"
        )
    tell(index.info, f"built {out}", json=json)


def _build_on_disk(
    paths: Sequence[str],
    out: Path,
    memory: str,
    schema: dict[str, Any],
    options: dict[str, Any],
    *,
    json: bool,
) -> None:
    """Build an index of tables row by row, within a limit of memory."""
    from lexicloud.search import SentenceIndex
    from lexicloud.search.streaming import from_tables
    from lexicloud.text.table_rows import is_row_table

    other = next((path for path in paths if not is_row_table(path)), None)
    if other is not None:
        fail(f"{other} is not read row by row: give JSON lines, CSV or Parquet, or leave --memory out")
    with progress():
        rows = from_tables(paths, schema["text"], schema["id"], schema["meta"] or ())
        index = SentenceIndex.build_on_disk(out, rows, memory=memory, schema=schema, **options)
    tell(index.info, f"built {out}", json=json)


@app.command()
def add(
    index: Index,
    paths: Paths,
    text: TextColumn = None,
    id: IdColumn = None,  # noqa: A002 (the option's name)
    meta: MetaColumns = None,
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
        known = opened.schema
        text, id, meta = text or known.get("text"), id or known.get("id"), meta or known.get("meta")  # noqa: A001
        opened.add(read(paths, text, id, meta), overwrite=overwrite)
    tell(opened.info, f"{len(opened) - before:+,} sentences in {index}", json=json)


@app.command()
def remove(
    index: Index,
    ids: Annotated[
        list[str], typer.Argument(help="Ids of sentences or of whole documents; - reads them from stdin.")
    ],
    json: AsJson = False,
) -> None:
    """Remove sentences, or all sentences of documents, by their ids; of several, those that are not there are named.

    Example: lexicloud index remove issues.index 4711 4712
    """
    from lexicloud.search import SentenceIndex

    opened = SentenceIndex.open(index)
    names = stdin_lines() if ids == ["-"] else ids
    removed = opened.remove(opened.as_written(names), strict=len(names) == 1)
    tell(opened.info, f"removed {removed:,} sentences from {index}", json=json)


@app.command()
def compact(index: Index, json: AsJson = False) -> None:
    """Make one segment of all and let go of what was removed.

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


@app.command()
def info(index: Index, json: AsJson = False) -> None:
    """Show what an index holds and what a sentence costs.

    Example: lexicloud index info issues.index
    """
    from lexicloud.search import SentenceIndex

    answer(SentenceIndex.open(index).info, json=json)


@app.command()
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


def refuse_existing(out: Path) -> None:
    """Refuse to build where an index is, before any work is done; a damaged one is refused as well."""
    from lexicloud.search import SentenceIndex
    from lexicloud.store.folder import MANIFEST

    if not (out / MANIFEST).is_file():
        return
    held = f"{len(SentenceIndex.open(out)):,} sentences"
    fail(
        f"{out} holds an index of {held}: add to it with lexicloud index add, or replace it with --overwrite"
    )


def read(paths: Sequence[str], text: str | None, name: str | None, meta: list[str] | None) -> Items:
    """Read all paths as one list of texts, and tell what the reader noticed."""
    from lexicloud.corpus.from_files import is_saved
    from lexicloud.search.items import from_documents, read_items
    from lexicloud.text import read_documents

    if list(paths) == ["-"]:
        lines = stdin_lines()
        if not lines:
            fail("there is no text on standard input: write one a line")
        return read_items(lines)
    saved = [path for path in paths if is_saved(path)]
    if saved:
        fail(f"{saved[0]} is a saved folder: give it alone, or the texts that it was made from")
    documents = [d for p in paths for d in read_documents(p, text=text, name=name)]
    for line in dict.fromkeys(line for document in documents for line in document.notes):
        note(line)
    return from_documents(documents, meta or ())


def _holds_texts(paths: Sequence[str]) -> bool:
    """Tell texts, which are split into sentences, from rows of tables and lines of stdin, which are not."""
    tables = (".csv", ".tsv", ".jsonl", ".csv.gz", ".tsv.gz", ".jsonl.gz")
    return not all(path == "-" or path.lower().endswith(tables) for path in paths)


def tell(found: IndexInfo, what: str, *, json: bool) -> None:
    """Say what was done, or print the state of the index as JSON."""
    if json:
        print_json(found)
    else:
        note(f"{what}: {found.sentences:,} sentences, {found.words:,} words, {found.size}")
