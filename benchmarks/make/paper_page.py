"""Fill the tables of docs/paper/README.md and docs/zipf-measured.md from the results of the paper's rerun.

    python -m benchmarks.make.paper_page

A table stands in a page between `<!-- made: NAME -->` and `<!-- end -->`; NAME is a function below. Numbers come from
docs/paper/results.json and benchmarks/results/latent_zipf.json alone, so that two pages cannot disagree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from benchmarks.record import RESULTS, ROOT
from lexicloud.paper.claims import Claim, claims
from lexicloud.paper.comparison import (
    DATASETS,
    METHODS,
    TASKS,
    TITLES,
    ComparisonTable,
    Entry,
    Report,
    published,
)
from lexicloud.paper.experiments.label_books import KNOWN

PAGES = (ROOT / "docs" / "paper" / "README.md", ROOT / "docs" / "zipf-measured.md")
SMALL, LARGE = "glove-6b-50d", "glove-840b-300d-34k"
SIZES = (3_000, 10_000, 20_000, 32_000)
ESTIMATORS = ("equations", "authors' code")
PARTS = ("noun", "verb", "adverb", "adjective", "pronoun", "other")
KS = (3, 5, 10, 20, 50)
METHOD_NAMES = dict(zip(METHODS, ("set cover", "average", "WMD", "Jaccard", "Levenshtein"), strict=True))
_NOT_KEYS = {"published", "published_of", "ours", "ours_of", "ours_low", "ours_high", "difference", "ratio", "unit",
             "vectors", "sample", "explanation"}  # fmt: skip


@cache
def results() -> dict[str, Any]:
    """Return the results of the rerun."""
    found: dict[str, Any] = json.loads((ROOT / "docs" / "paper" / "results.json").read_text(encoding="utf-8"))
    return found


@cache
def by_cell(table: str) -> dict[tuple[object, ...], dict[str, Any]]:
    """Return the records of a table by row and column."""
    records = results()["tables"][table]["records"]
    return {tuple(v for k, v in r.items() if k not in _NOT_KEYS): r for r in records}


def record(table: str, *cell: object) -> dict[str, Any]:
    return by_cell(table)[cell]


def ours(table: str, *cell: object) -> float:
    return float(record(table, *cell)["ours"])


def number(value: float | None, digits: int = 0) -> str:
    """Write a number as the pages do: 7, 13.5, −0.67, a dash for nothing."""
    return "–" if value is None else f"{value:,.{digits}f}".replace("-", "−")


def count(value: float) -> str:
    """Write books that are right: a mean of draws has a decimal only where it needs one."""
    return number(value, 0 if float(value).is_integer() else 1)


def lines(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield a table."""
    heads = list(head)
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield f"| {' | '.join(row)} |"


# ---- tables


def judged() -> list[Claim]:
    """Return the paper's claims, judged by the results."""
    tables = {}
    for name, found in results()["tables"].items():
        if not found["records"] or "ours" not in found["records"][0]:
            continue
        entries = [
            Entry(cell[:-1], str(cell[-1]), r["ours"], r["published"], low=r["ours_low"], high=r["ours_high"])  # type: ignore[arg-type]
            for cell, r in by_cell(name).items()
        ]
        tables[name] = Report((ComparisonTable(name, "", (), entries, "", ""),))
    return claims(tables)


def claimed() -> Iterator[str]:
    head = ("claim", "published evidence", "ours", "verdict", "what a citation should now say")
    return lines(
        head,
        (
            (f"{c.claim} ({c.where.split(';')[0]})", c.published, c.evidence, f"**{c.verdict}**", c.cite)
            for c in judged()
        ),
    )


def datasets() -> Iterator[str]:
    columns = published()["datasets"]["columns"]
    head = ["", *(f"{c.replace('_', ' ')}, paper / ours" for c in columns)]
    rows = []
    for name in DATASETS:
        cells = [record("datasets", name, column) for column in columns]
        rows.append([TITLES[name], *(f"{number(r['published'])} / {number(r['ours'])}" for r in cells)])
    return lines(head, rows)


def labelled() -> Iterator[str]:
    stronger = ("smoothed", "smoothed, running", "default, running")
    head = ("task", "size", "baseline, paper", "ours", "k = 3, paper", "ours", "k = 3, authors' code",
            "smoothed", "smoothed, running words", "default")  # fmt: skip
    rows = []
    for task in (*TASKS, KNOWN):
        for size in SIZES:
            baseline, third = (record("kl", task, size, column) for column in ("baseline", "k=3"))
            rows.append(
                [
                    task.replace("_", " "),
                    number(size),
                    number(baseline["published"]),
                    f"{count(baseline['ours'])} of {baseline['ours_of']}",
                    number(third["published"]),
                    count(third["ours"]),
                    count(ours("kl-authors", task, size, "k=3 (authors' code)")),
                    *(count(ours("kl-stronger", task, size, column)) for column in stronger),
                ]
            )
    return lines(head, rows)


def tried() -> Iterator[str]:
    def cell(task: str, size: int, estimator: str, vectors: str, column: str) -> str:
        row = (task, size, "the same books", estimator, vectors, "as published")
        return count(ours("trial-cells", *row, column))

    rows = []
    for task in ("author", KNOWN, "reading_level", "genre"):
        name = task.replace("_", " ")
        rows.append([f"{name}: baseline", *(cell(task, s, ESTIMATORS[0], SMALL, "baseline") for s in SIZES)])
        for estimator in ESTIMATORS:
            pairs = [[cell(task, s, estimator, v, "k=3") for v in (SMALL, LARGE)] for s in SIZES]
            rows.append([f"{name}: k = 3, {estimator}", *(" / ".join(pair) for pair in pairs)])
    return lines(["of 30 books", *map(number, SIZES)], rows)


def shares(kind: str) -> Iterator[str]:
    rows = [
        [
            TITLES[n],
            *(
                f"{r['published']:.1f} / {r['ours']:.1f}"
                for r in (record(f"pos-{kind}", n, p) for p in PARTS)
            ),
        ]
        for n in DATASETS
    ]
    return lines(["", *PARTS], rows)


def spread() -> Iterator[str]:
    columns = [str(cell[-1]) for cell in by_cell("pos-spread") if cell[0] == DATASETS[0]]
    rows = [
        [TITLES[n], *(number(ours("pos-spread", n, c), 0 if c == "explained" else 2) for c in columns)]
        for n in DATASETS
    ]
    return lines(["", *(f"{c}, %" if c == "explained" else c for c in columns)], rows)


def neighbours() -> Iterator[str]:
    rows = []
    for name in DATASETS:
        cells = [record("neighbours", name, f"k={k}") for k in KS]
        chance, above = (ours("neighbours-chance", name, m, "k=3") for m in ("chance", "above chance"))
        pairs = [f"{r['published']:.1f} / {r['ours']:.1f}" for r in cells]
        rows.append([TITLES[name], *pairs, number(chance, 1), number(above)])
    return lines(["", *(f"k = {k}" for k in KS), "chance", "from chance to all alike"], rows)


def vectors() -> Iterator[str]:
    labels = {"GloVe 6B, 50-d, all its words": f"{SMALL}, all words", "GloVe 6B, 50-d": f"{SMALL}, the same words",
              "GloVe 6B, 100-d": "glove-100d, the same words", "GloVe 840B, 300-d": f"{LARGE}, the same words",
              "chance, the same words": "chance, the same words"}  # fmt: skip
    rows = [
        ["published, all words", *(number(record("neighbours", n, "k=3")["published"], 1) for n in DATASETS)]
    ]
    for label, row in labels.items():
        rows.append([label, *(number(ours("vectors-purity", n, row, "k=3"), 1) for n in DATASETS)])
    return lines(["", *TITLES.values()], rows)


def clusters() -> Iterator[str]:
    rows = []
    for name in DATASETS:
        k = published()["kmeans_k"][name]
        part = record("clusters", name, k, "slope")
        error = (part["ours_high"] - part["ours"]) / 1.96
        found = [ours("clusters", name, k, column) for column in ("gaussian null", "shuffled null", "R²")]
        whole = ours("clusters", name, k, "slope, all sentences")
        rows.append(
            [TITLES[name], str(k), number(whole, 2), f"{number(part['ours'], 2)} ± {error:.2f}"]
            + [number(v, 2) for v in found]
        )
    head = ("", "k", "all sentences", "at most 30,000", "Gaussian null", "shuffled words", "R² of the line")
    return lines(head, rows)


def sizes() -> Iterator[str]:
    """The authors' own cluster sizes."""
    columns = ("slope", "R², power law", "R², exponential")
    rows = [
        [str(row), *(number(record("checks-sizes", row, c)["ours"], 2) for c in columns)]
        for row in dict.fromkeys(cell[0] for cell in by_cell("checks-sizes"))
        if (row, columns[1]) in by_cell("checks-sizes")
    ]
    return lines(["", *columns], rows)


def latent() -> Iterator[str]:
    """Slopes by corpus, vectors and sentence length, beside shuffled words."""
    path = RESULTS / "latent_zipf.json"
    found = json.loads(path.read_text(encoding="utf-8"))["results"]
    rows = []
    for name, corpus in found.items():
        for part in ("all sentences", "10 words each"):
            cells = corpus[part]
            shown = [_pair(cells.get(key)) for key in ("k = 10", "k = 35", "k = 100", "unit length", "ward")]
            rows.append([name, part, number(cells["sentences"]), *shown, _exponentials(cells)])
    head = ("corpus, vectors", "sentences", "number", "k = 10", "k = 35", "k = 100", "unit length, k = 35",
            "Ward, k = 35", "exponential fits better")  # fmt: skip
    return lines(head, rows)


def _pair(cell: dict[str, Any] | None) -> str:
    """Return the slope of sentences / of shuffled words; bold where they differ by two standard errors."""
    if cell is None:
        return "–"
    a, b = cell["sentences"], cell["shuffled"]
    said = f"{number(a['slope'], 2)} / {number(b['slope'], 2)}"
    apart = b["slope"] - a["slope"] > 2 * (a["spread"] ** 2 + b["spread"] ** 2) ** 0.5
    return f"**{said}**" if apart else said


def _exponentials(cells: dict[str, Any]) -> str:
    fits = [c["sentences"] for c in cells.values() if isinstance(c, dict)]
    return f"{sum(f['exponential R²'] > f['power law R²'] for f in fits)} of {len(fits)}"


ROWS = {
    "recomputed from what was shown": ("100", "shown in the questionnaire"),
    "the paper's queries, our databases, 50-d": ("100", "the paper's queries, our databases"),
    "the same, 300-d": ("100", f"the paper's queries, our databases, {LARGE}"),
    "ours, 5,000 queries, 50-d": ("5000", "sampled queries"),
}


def unique() -> Iterator[str]:
    rows = []
    for queries in ("100", "5000"):
        theirs = published()["unique_suggestions_percent"][queries]
        rows.append([f"published, {int(queries):,} queries", *(number(v, 1) for v in theirs)])
    for label, row in ROWS.items():
        rows.append([label, *(number(ours("unique", *row, method), 1) for method in METHODS)])
    return lines(["", *METHOD_NAMES.values()], rows)


def alike() -> Iterator[str]:
    rows = []
    for queries in ("100", "5000"):
        both = (published()["pairwise_jaccard"][f"stopwords_{w}"][queries] for w in ("kept", "removed"))
        pairs = (f"{a:.3f} / {b:.3f}" for a, b in zip(*both, strict=True))
        rows.append([f"published, {int(queries):,} queries", *pairs])
    for label, row in ROWS.items():
        cells = [[ours("jaccard", *row, words, m) for words in ("kept", "removed")] for m in METHODS]
        rows.append([label, *(f"{a:.3f} / {b:.3f}" for a, b in cells)])
    return lines(["", *METHOD_NAMES.values()], rows)


def by_length() -> Iterator[str]:
    there = dict.fromkeys(cell[:2] for cell in by_cell("checks-length"))
    rows = [
        [f"{q} ({n} queries)", *(number(ours("checks-length", q, n, m), 1) for m in METHODS)]
        for q, n in there
    ]
    return lines(["length of the query", *METHOD_NAMES.values()], rows)


def overlap() -> Iterator[str]:
    rows = []
    for row in dict.fromkeys(str(cell[0]) for cell in by_cell("checks-overlap")):
        found = [number(ours("checks-overlap", row, c)) for c in ("shown", "in our database", "ours too")]
        rows.append([row, *found])
    return lines(["method", "shown", "in our database", "ours too"], rows)


def asked() -> Iterator[str]:
    chosen = [record("survey-choose-3", "chosen", m) for m in METHODS]
    rows = [
        ["chosen, published (chance is 60 %)", *(number(r["published"]) for r in chosen)],
        [
            "from the counts",
            *(f"{r['ours']:.1f} ({r['ours_low']:.1f} to {r['ours_high']:.1f})" for r in chosen),
        ],
    ]
    for key, label in (
        ("preferred", "set cover preferred to it"),
        ("better_variety", "set cover more varied than it"),
    ):
        shown = [number(ours("survey-head-to-head", key, f"against {m}"), 1) for m in METHODS[1:]]
        rows.append([label, f"all: {number(ours('survey-head-to-head', key, 'all'), 1)}", *shown])
    return lines(["%", *METHOD_NAMES.values()], rows)


MADE: dict[str, Callable[[], Iterator[str]]] = {
    **{f.__name__: f for f in (claimed, datasets, labelled, tried, spread, neighbours, vectors, clusters, sizes, latent,
                               unique, alike, by_length, overlap, asked)},
    "shares of tokens": lambda: shares("total"),
    "shares of words": lambda: shares("unique"),
}  # fmt: skip
_SLOT = re.compile(r"(<!-- made: ([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str) -> str:
    """Return a page with its tables made anew."""
    return _SLOT.sub(lambda slot: f"{slot[1]}{chr(10).join(MADE[slot[2]]())}\n{slot[3]}", text)


def main() -> None:
    for page in PAGES:
        page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
