"""`lexicloud evaluate`: the variety of each search method on an index."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lexicloud.cli.options import AsJson, Seed
from lexicloud.cli.shell import answer, fail, new_app, progress

app: typer.Typer = new_app("The variety of each search method on an index.")


@app.command()
def evaluate(
    index: Annotated[Path, typer.Argument(help="The folder of an index (lexicloud index build makes one).")],
    queries: Annotated[
        int, typer.Option("--queries", help="How many sentences of the index to search for.")
    ] = 5000,
    seed: Seed = 0,
    methods: Annotated[
        str, typer.Option("--methods", help="Methods to compare, separated by commas; bm25 is also there.")
    ] = "setcover,average,wmd,jaccard,levenshtein",
    top: Annotated[int, typer.Option("--top", help="Suggestions for each query.")] = 5,
    weighting: Annotated[
        str, typer.Option("--weighting", help="Set cover: uniform as in the paper, or idf as in search.")
    ] = "uniform",
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", help="Pass longer sentences over.")
    ] = None,
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
