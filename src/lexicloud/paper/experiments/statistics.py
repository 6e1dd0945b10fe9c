"""Dataset statistics: tokens, distinct tokens, tokens without a vector, distinct sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.paper.published import DATASETS, published
from lexicloud.paper.tables import Entry, Report, Table

if TYPE_CHECKING:
    from lexicloud.paper.workbench import Workbench

_SOURCES = {
    "gatsby": "another edition of the text, and punkt_tab in place of the punkt of 2020",
    "reuters": "NLTK's own tokens and sentences; the paper leaves out sentences without a vector",
    "brown": "NLTK's own tokens and sentences; the paper leaves out sentences without a vector",
    "gutenberg": "fewer books, and editions of our own; one word list serves all books",
    "race": "the official archive",
}


def run(bench: Workbench) -> Report:
    """Count every dataset."""
    columns = published()["datasets"]["columns"]
    entries: list[Entry] = []
    for name in DATASETS:
        theirs = dict(zip(columns, published()["datasets"][name], strict=True))
        ours = _counted(bench, name) if bench.has(name) else {}
        entries += [_entry(name, column, ours.get(column), theirs[column]) for column in columns]
        entries.append(_entry(name, "unique_lower_case", ours.get("unique_lower_case"), None))
    table = Table(
        "datasets",
        "Descriptive statistics",
        ("dataset",),
        entries,
        "count",
        bench.about_vectors,
        (
            (
                "The paper's number of unique tokens lies between our counts of tokens as they are written "
                "and in lower case: near the first for Gatsby, near the second for Brown and in between "
                "for Reuters."
            ),
            (
                "Tokens without a vector depend on the vectors: these are lower-case GloVe vectors of "
                "400,000 words by default, the paper's are fastText's with upper case and about two "
                "million words."
            ),
        ),
        bench.sample,
        digits=0,
    )
    return Report((table,))


def _counted(bench: Workbench, name: str) -> dict[str, Any]:
    return bench.recall(
        "datasets", lambda: _count(bench, name), datasets=(name,), code=(_count,), dataset=name
    )


def _count(bench: Workbench, name: str) -> dict[str, Any]:
    written = bench.sentences(name)
    embedded = np.add.reduceat(
        written.embedded[written.stream].astype(np.int64),
        np.minimum(written.bounds[:-1], len(written.stream) - 1),
    )
    kept = np.flatnonzero((embedded > 0) & (written.lengths > 0))
    texts = written.texts
    assert texts is not None
    return {
        "total_tokens": len(written.stream),
        "unique_tokens": len(written.vocabulary),
        "unembedded_tokens": int((~written.embedded).sum()),
        "unique_sentences": len({texts[int(i)] for i in kept}),
        "unique_lower_case": len(bench.sentences(name, lower=True).vocabulary),
    }


def _entry(name: str, column: str, ours: float | None, theirs: float | None) -> Entry:
    why = "" if ours is None or theirs is None or ours == theirs else _SOURCES[name]
    return Entry((name,), column, ours, theirs, explanation=why)
