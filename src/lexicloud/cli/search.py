"""`lexicloud search`, `duplicates` and `evaluate`: questions to an index."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexicloud.cli.options import AsJson, AsPublished, Cluster, Seed
from lexicloud.cli.shell import (
    answer,
    as_json,
    command,
    console,
    fail,
    note,
    progress,
    stdin_stream,
    write_line,
)

if TYPE_CHECKING:
    from lexicloud.search import SentenceIndex


Index = Annotated[Path, typer.Argument(help="The folder of an index (lexicloud index build makes one).")]


@command
def search(
    index: Index,
    query: Annotated[
        str | None,
        typer.Argument(
            help="What to look for; without it, or with -, queries are read from stdin, one a line."
        ),
    ] = None,
    document: Annotated[Path | None, typer.Option(help="Use the text of a whole file as the query.")] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            help="related ranks (default); varied finds sentences unlike each other; interleaved takes turns.",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(help="Instead: setcover, average, wmd, jaccard, levenshtein or bm25."),
    ] = None,
    top: Annotated[int, typer.Option(help="How many sentences to find.")] = 5,
    weighting: Annotated[str | None, typer.Option(help="Set cover: idf, or uniform as in the paper.")] = None,
    keep: Annotated[
        float | None,
        typer.Option(
            help="Set cover: the share of its weight that a word keeps once covered; 0 is most varied, 1 most alike.",
        ),
    ] = None,
    own_words: Annotated[
        bool | None,
        typer.Option(
            help="Set cover: whether a query word counts itself, or only its neighbours do.",
            show_default=False,
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            help="Filter by metadata: key=value, key=a,b, key!=value, key>=value, key~part, a=1 | b=2 (repeatable).",
        ),
    ] = None,
    offset: Annotated[int, typer.Option(min=0, help="Leave out so many of the best.")] = 0,
    sort: Annotated[
        str | None,
        typer.Option(help="Order the best finds by a column: created, or -created for the last first."),
    ] = None,
    context: Annotated[
        int, typer.Option(min=0, help="Show so many sentences before and after each find.")
    ] = 0,
    words: Annotated[
        bool, typer.Option("--words", help="Rank by words alone, without sentence embeddings.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show which words led to each sentence.")
    ] = False,
    as_published: AsPublished = False,
    json: AsJson = False,
    cluster: Cluster = None,
) -> None:
    """Find the texts that a query is about, best first, or sentences that resemble it and differ from each other.

    Rarer options: --cluster tcp://… or local searches an index in shards by the workers of a Dask cluster.

    Example: lexicloud search issues.index "the app crashes on start" --where status=open --explain
    """
    from lexicloud.search.filters import parse_conditions

    given = {"weighting": weighting, "keep": keep, "own_words": own_words}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    options |= {
        "mode": mode,
        "method": method,
        "top": top,
        "context": context,
        "offset": offset,
        "sort": sort,
    }
    if as_published:
        from lexicloud.presets import preset

        note(preset("paper").said("search"))
        options |= {"preset": "paper"}
    options |= {"dense": None} if words else {}
    with _opened(index, cluster) as opened:
        columns = {} if cluster else opened.snapshot.columns
        options |= {"where": parse_conditions(where, columns) if where else None}
        if document is not None or query not in {None, "-"}:
            answer_one(opened, _text(document, query), options, explain=explain, json=json)
        else:
            answer_lines(opened, options, explain=explain, json=json)


@contextmanager
def _opened(index: Path, cluster: str | None) -> Iterator[Any]:
    """Open an index, or one in shards on a cluster."""
    from lexicloud.search import SentenceIndex
    from lexicloud.search.parts import WHOLE

    if cluster is None:
        yield SentenceIndex.open(index)
        return
    if not (index / WHOLE).is_dir():
        fail(f"{index} is no index in shards: lexicloud index build … --cluster {cluster} makes one")
    from lexicloud.cluster.index import ShardedIndex
    from lexicloud.cluster.workers import connected

    with connected(cluster) as client:
        yield ShardedIndex(client, index)


def answer_one(
    index: SentenceIndex, query: str, options: dict[str, Any], *, explain: bool, json: bool
) -> None:
    """Answer one query; as JSON, one object."""
    found = index.search(query, **options)
    if json:
        for line in found.notes:
            note(line)
    answer(found.explained() if explain else found, json=json)


def answer_lines(index: SentenceIndex, options: dict[str, Any], *, explain: bool, json: bool) -> None:
    """Answer each line of stdin as soon as it arrives; as JSON, one object a line."""
    if sys.stdin.isatty():
        fail('give a query, as in: lexicloud search INDEX "a stormy night"; or pipe queries in, one a line')
    number = 0
    for query in stdin_stream():
        found = index.search(query, **options)
        if json:
            write_line(as_json(found))
        else:
            if number:
                console().print()
            answer(found.explained() if explain else found, json=False)
        sys.stdout.flush()
        number += 1
    if not number:
        fail("there is no query on standard input: write one a line")


def _text(document: Path | None, query: str | None) -> str:
    if document is None:
        return query or ""
    if query not in {None, "-"}:
        fail("give a query or --document, not both")
    from lexicloud.text import read_documents

    return "\n\n".join(found.text for found in read_documents(document))


@command
def duplicates(
    index: Index,
    confidence: Annotated[float, typer.Option(help="Leave out pairs that are less sure, from 0 to 1.")] = 0.5,
    templates: Annotated[
        bool,
        typer.Option(
            "--templates", help="Let forms, bots' phrases and signatures count; by default they are left out."
        ),
    ] = False,
    json: AsJson = False,
) -> None:
    """List clusters of duplicates, the surest first.

    Example: lexicloud duplicates issues.index --confidence 0.7
    """
    from lexicloud.search import SentenceIndex, find_duplicates

    with progress():
        found = find_duplicates(SentenceIndex.open(index), confidence=confidence, templates=templates)
    answer(found, json=json)


@command
def evaluate(
    index: Index,
    queries: Annotated[int, typer.Option(help="How many sentences of the index to search for.")] = 5000,
    seed: Seed = 0,
    methods: Annotated[
        str, typer.Option(help="Methods to compare, separated by commas; bm25 is also there.")
    ] = "setcover,average,wmd,jaccard,levenshtein",
    top: Annotated[int, typer.Option(help="Suggestions for each query.")] = 5,
    weighting: Annotated[
        str, typer.Option(help="Set cover: uniform as in the paper, or idf as in search.")
    ] = "uniform",
    max_tokens: Annotated[int | None, typer.Option(help="Pass longer sentences over.")] = None,
    json: AsJson = False,
) -> None:
    """Print the paper's two tables for an index: unique suggestions, and how alike a method's suggestions
    are.

    Example: lexicloud evaluate books.index --queries 1000 --methods setcover,average,jaccard
    """
    from lexicloud.search import METHODS, SentenceIndex, evaluate_methods

    chosen = [method.strip() for method in methods.split(",") if method.strip()]
    wrong = [method for method in chosen if method not in METHODS]
    if wrong or not chosen:
        fail(f"no method {wrong[0] if wrong else methods!r}: choose among {', '.join(METHODS)}")
    opened = SentenceIndex.open(index)
    with progress():
        found = evaluate_methods(
            opened, queries, seed=seed, methods=chosen, top=top, weighting=weighting, max_tokens=max_tokens
        )
    answer(found, json=json)
