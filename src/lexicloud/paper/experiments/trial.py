"""A fair trial of one claim of the paper: k-NN divergence beats categorical KL as documents grow.

Every variant sees the same samples of the same books, of words that have a vector in all the vectors of the run. The
baseline is treated like the k-NN divergence (both directions added, or standardised). Results are given for all books
that are long enough at each size, and for the same books at every size, so that only the size changes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import CorpusError, EstimateError
from lexicloud.paper.comparison import TASKS, ComparisonTable, Drawing, Entry, Report, published
from lexicloud.paper.experiments.label_books import ALL_TASKS, KNOWN, KS, PUBLISHED, possible_ks, task_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.paper.workbench import Workbench
    from lexicloud.words.lexicon import Lexicon

    Found = dict[int, list[dict[str, Any]]]  # size → draws

# Size → how many samples are drawn: small samples differ more from each other.
DRAWS: Final = {3_000: 2, 10_000: 1, 20_000: 1, 32_000: 1}
ESTIMATORS: Final[dict[str, dict[str, Any]]] = {"equations": {}, "authors' code": {"compat": "authors"}}
FORMS: Final = ("as published", "symmetric", "standardised", "symmetric, standardised")
SHOWN: Final = (FORMS[0], FORMS[2])  # the forms in the table of all counts
_DRAWN: Final = FORMS[:3]
BOOKS: Final = ("all books", "the same books")
_NEEDS: Final = (
    "only one set of vectors: give --beside glove-840b-300d-34k for 300 dimensions (first: lexicloud vectors get "
    "glove-840b-300d-34k)"
)
_WHY: Final = (
    (
        "Percentage points by which the k-NN divergence is ahead of its baseline (negative: behind), the mean of "
        "author, genre and reading level. Both see the same samples, and the baseline is treated alike: symmetric adds "
        "the two directions, standardised asks whether a pair is closer than either book usually is. Ranges are over "
        "draws."
    ),
    (
        "All books: those that are long enough at each size, as in the paper. The same books: those that are long "
        "enough for the largest, at every size, so that nothing but the size changes. Published: k = 3 (or the best k) "
        "less the baseline in the paper's table."
    ),
    (
        "Read it beside the counts by task. The lead for authors is one on books of unique authors, for which any "
        "other unique author counts as right; with these left out there is none."
    ),
)


def run(bench: Workbench) -> Report:
    """Label the books by every variant of the k-NN divergence and by the baseline, treated alike."""
    if not bench.has("gutenberg"):
        return Report(notes=(bench.missing["gutenberg"],))
    draws = {min(DRAWS): 1} if bench.options.quick else DRAWS
    names = [bench.about_vectors, *bench.largest]
    found: Found = {size: [_tried(bench, size, i, max(draws)) for i in range(n)] for size, n in draws.items()}
    found = {size: runs for size, runs in found.items() if runs[0]["books"]}
    if not found:
        return Report(notes=("no book is long enough for the smallest sample",))
    about = (" and ".join(names), bench.sample)
    tables = (
        _ahead(found, names, "k=3", "trial", "k = 3 against the baseline, by size", *about),
        _ahead(found, names, "best k", "trial-best", "The best k in hindsight against the baseline", *about),
        _cells(found, names, *about),
        _single_books(bench, max(found)),
    )
    return Report(tables, (_drawing(found, names),), () if bench.beside else (_NEEDS,))


def _tried(bench: Workbench, size: int, draw: int, largest: int) -> dict[str, Any]:
    fingerprints = [vectors.fingerprint for vectors in bench.largest.values()]
    return bench.recall(
        "trial",
        lambda: _try(bench, size, bench.options.seed + draw, largest),
        datasets=("gutenberg",),
        code=(_try, _common, _matrices, _count, _right, task_labels),
        size=size,
        draw=draw,
        largest=largest,
        beside=fingerprints,
    )


def _try(bench: Workbench, size: int, seed: int, largest: int) -> dict[str, Any]:
    books = bench.documents("gutenberg")
    lexicons = _common(bench)
    books = replace(books, lexicon=next(iter(lexicons.values())))
    try:
        sample = books.sample(size, seed)
    except CorpusError:  # every book is shorter
        return {"books": 0}
    content = np.asarray(books.counts[:, books.content].sum(axis=1)).ravel()
    long = {name for name, n in zip(books.names, content, strict=True) if n >= largest}
    chosen = {BOOKS[0]: list(sample.names), BOOKS[1]: [n for n in sample.names if n in long]}
    labels = {
        task: dict(zip(sample.names, task_labels(bench, sample, task), strict=True)) for task in ALL_TASKS
    }
    matrices = _matrices(sample, lexicons)
    correct = {
        which: {task: _count(matrices, sample.names, names, labels[task]) for task in ALL_TASKS}
        for which, names in chosen.items()
        if len(names) > 1
    }
    of = {
        which: {task: sum(labels[task][n] is not None for n in names) for task in ALL_TASKS}
        for which, names in chosen.items()
    }
    return {"books": len(sample), "correct": correct, "of": of}


def _common(bench: Workbench) -> dict[str, Lexicon]:
    """Return the lexicon of each of the run's vectors, all knowing the same words: those that have every vector."""
    every = {bench.about_vectors: bench.vectors, **bench.largest}
    lexicons = {
        name: bench.sentences("gutenberg", lower=True, vectors=found).lexicon for name, found in every.items()
    }
    status = np.min([lexicon.status for lexicon in lexicons.values()], axis=0)
    return {name: replace(lexicon, status=status, cache={}) for name, lexicon in lexicons.items()}


def _matrices(sample: Corpus, lexicons: dict[str, Lexicon]) -> dict[str, NDArray[np.float64]]:
    """Return the divergences of all pairs: the baseline's, and those of each estimator, vectors and k."""
    from lexicloud.divergences import divergence_matrices, divergence_matrix

    baseline: Any = divergence_matrix(sample, "categorical", support="intersection", words="content")
    out = {"baseline": baseline.values}
    for (estimator, options), (name, lexicon) in product(ESTIMATORS.items(), lexicons.items()):
        measured: Any = divergence_matrices(replace(sample, lexicon=lexicon), possible_ks(sample), **options)
        out |= {f"{estimator}, {name}, k={k}": matrix.values for k, matrix in measured.items()}
    return out


def _count(
    matrices: dict[str, NDArray[np.float64]],
    names: tuple[str, ...],
    chosen: list[str],
    labels: dict[str, str | None],
) -> dict[str, dict[str, int | None]]:
    """Return how many of the chosen books each matrix labels correctly, in each form."""
    rows = [names.index(name) for name in chosen]
    truth = [labels[name] for name in chosen]
    block = np.ix_(rows, rows)
    return {
        form: {column: _right(values[block], chosen, truth, form) for column, values in matrices.items()}
        for form in FORMS
    }


def _right(values: NDArray[np.float64], names: list[str], labels: list[str | None], form: str) -> int | None:
    from lexicloud.authorship import leave_one_out
    from lexicloud.divergences import DivergenceMatrix

    both = values + values.T if "symmetric" in form else values
    matrix = DivergenceMatrix(both, tuple(names), "trial")
    standardise = "standardised" in form
    try:
        # The paper leaves out the one book alone.
        return leave_one_out(
            matrix, labels, rule="category-mean", standardise=standardise, equal=False
        ).correct
    except EstimateError:  # such as one label for all, in a small set of books
        return None


def _left_out(bench: Workbench, size: int) -> dict[str, Any]:
    """Return how many authors are found without each book in turn, and which author is named most."""
    return bench.recall(
        "single-books",
        lambda: _leave_out(bench, size),
        datasets=("gutenberg",),
        code=(_leave_out, _named, task_labels),
        size=size,
    )


def _leave_out(bench: Workbench, size: int) -> dict[str, Any]:
    from lexicloud.divergences import divergence_matrices, divergence_matrix

    sample = bench.documents("gutenberg").sample(size, bench.options.seed)
    labels = task_labels(bench, sample, "author")
    measured: dict[str, Any] = {
        "baseline": divergence_matrix(sample, "categorical", support="intersection", words="content")
    }
    measured |= {
        f"k=3, {name}": divergence_matrices(sample, (3,), **more)[3] for name, more in ESTIMATORS.items()
    }
    out: dict[str, Any] = {"books": len(sample), "found": {}}
    for gone in (None, *range(len(sample))):
        rows = [i for i in range(len(sample)) if i != gone]
        name = "none" if gone is None else sample.names[gone]
        out["found"][name] = {
            column: _named(matrix.values[np.ix_(rows, rows)], [labels[i] for i in rows])
            for column, matrix in measured.items()
        }
    return out


def _named(values: NDArray[np.float64], labels: list[str | None]) -> dict[str, Any]:
    from lexicloud.authorship import leave_one_out
    from lexicloud.divergences import DivergenceMatrix

    matrix = DivergenceMatrix(values, tuple(map(str, range(len(labels)))), "trial")
    found = leave_one_out(matrix, labels, rule="category-mean", standardise=False, equal=False)
    most, times = Counter(found.predicted).most_common(1)[0]
    return {"right": found.correct, "most": most, "times": times}


# ---- tables


def _single_books(bench: Workbench, size: int) -> ComparisonTable:
    """Return how many authors are found with all books, and without each of the three that matter most."""
    found = _left_out(bench, size)
    base = found["found"]["none"]
    changes = {
        name: max(abs(one[c]["right"] - base[c]["right"]) for c in base)
        for name, one in found["found"].items()
        if name != "none"
    }
    shown = ["none", *sorted(changes, key=lambda name: -changes[name])[:3]]
    entries = [
        Entry((name,), column, one["right"], None, found["books"] - (name != "none"))
        for name in shown
        for column, one in found["found"][name].items()
    ]
    said = "; ".join(
        f"{column} names {one['most']} for {one['times']} of {found['books']} books"
        for column, one in base.items()
    )
    why = (
        (
            f"Authors at {size:,} words, by the paper's rule, with all books and without one: the three books whose "
            f"absence changes most. With all books {said}. A book that is near to all others takes them for its author "
            "as soon as that author has a second one."
        ),
    )
    title = "What a single book does"
    return ComparisonTable(
        "trial-single-books", title, ("without",), entries, "books", bench.about_vectors, why, bench.sample
    )


def _column(estimator: str, name: str, k: str, counted: dict[str, int | None]) -> int | None:
    """Return how many books are right at one k, or at the best k."""
    if k != "best k":
        return counted.get(f"{estimator}, {name}, {k}")
    found = [counted.get(f"{estimator}, {name}, k={k}") for k in KS]
    return max((n for n in found if n is not None), default=None)


def _points(
    run: dict[str, Any], which: str, task: str, form: str, variant: tuple[str, str, str]
) -> float | None:
    """Return by how many percentage points a variant is ahead of the baseline."""
    counted = run["correct"].get(which, {}).get(task, {}).get(form, {})
    ours, baseline = _column(*variant, counted), counted.get("baseline")
    if ours is None or baseline is None:
        return None
    return float(100 * (ours - baseline) / run["of"][which][task])


def _ahead(
    found: Found, names: list[str], k: str, name: str, title: str, vectors: str, sample: str
) -> ComparisonTable:
    """Return the mean lead over the paper's three tasks, for each variant and size."""
    entries = []
    for estimator, used, form, which in product(ESTIMATORS, names, FORMS, BOOKS):
        for size, runs in found.items():
            tasks = [
                [_points(run, which, task, form, (estimator, used, k)) for task in TASKS] for run in runs
            ]
            means = [
                float(np.mean([p for p in found if p is not None]))
                for found in tasks
                if any(p is not None for p in found)
            ]
            theirs = _published_lead(size, k) if form == FORMS[0] and which == BOOKS[0] else None
            mean = float(np.mean(means)) if means else None
            low, high = min(means, default=None), max(means, default=None)
            why = "other vectors and books; the paper has one draw" if theirs is not None else ""
            row = (estimator, used, form, which)
            entries.append(Entry(row, f"{size:,}", mean, theirs, low=low, high=high, explanation=why))
    keys = ("estimator", "word vectors", "form", "books")
    return ComparisonTable(
        name, title, keys, entries, "percentage points", vectors, (*_WHY, _verdict(entries)), sample, digits=1
    )


def _published_lead(size: int, k: str) -> float:
    numbers = published()["kl_books_labelled_correctly"]
    rows = [row["values"] for row in numbers["rows"] if row["size"] == size]
    ahead = [(max(v[1:]) if k == "best k" else v[PUBLISHED.index(k)]) - v[0] for v in rows]
    return float(100 * np.mean(ahead) / numbers["books_per_size"][str(size)])


def _verdict(entries: list[Entry]) -> str:
    """Return a sentence on how many cells the k-NN divergence leads in, and whether it gains with the size."""
    ahead = [entry for entry in entries if entry.ours is not None and entry.ours > 0]
    lines = [f"Ahead of the baseline in {len(ahead)} of {len(entries)} cells"]
    same = [e for e in entries if e.row[-1] == BOOKS[1] and e.ours is not None]
    by_row: dict[tuple[str | int, ...], list[float]] = {}
    for entry in same:
        by_row.setdefault(entry.row, []).append(float(entry.ours or 0.0))
    gains = sum(values[-1] > values[0] for values in by_row.values() if len(values) > 1)
    lines.append(
        f"on the same books, nearer to it at the largest size than at the smallest in {gains} of {len(by_row)}"
    )
    return "; ".join(lines) + "."


def _cells(found: Found, names: list[str], vectors: str, sample: str) -> ComparisonTable:
    """Return the counts behind the leads: books right by the baseline, k = 3 and the best k."""
    entries = []
    for size, runs in found.items():
        for task, which, estimator, used, form in product(ALL_TASKS, BOOKS, ESTIMATORS, names, SHOWN):
            of = runs[0]["of"][which][task]
            counted = [run["correct"].get(which, {}).get(task, {}).get(form, {}) for run in runs]
            row = (task, size, which, estimator, used, form)
            columns = {"baseline": [c.get("baseline") for c in counted]}
            columns |= {k: [_column(estimator, used, k, c) for c in counted] for k in ("k=3", "best k")}
            for column, values in columns.items():
                some = [v for v in values if v is not None]
                mean = float(np.mean(some)) if some else None
                entries.append(
                    Entry(
                        row, column, mean, None, of, low=min(some, default=None), high=max(some, default=None)
                    )
                )
    keys = ("task", "size", "books", "estimator", "word vectors", "form")
    title = "Books right, by task"
    return ComparisonTable(
        "trial-cells", title, keys, entries, "books", vectors, (), sample, digits=1, folded=True
    )


def _drawing(found: Found, names: list[str]) -> Drawing:
    return Drawing(
        "trial",
        "Percentage points by which k-NN with k = 3 is ahead of the baseline against the size of the samples",
        "The same books at every size; above zero the k-NN divergence wins. Upper row: as published. Middle: both "
        "directions of each pair added. Lower: standardised. The baseline, zero, is treated alike in each row.",
        partial(_draw, found, names),
    )


def _draw(found: Found, names: list[str]) -> Figure:
    from matplotlib.figure import Figure

    tasks = ("author", KNOWN, "reading_level", "genre")
    figure = Figure(figsize=(11, 7), layout="constrained")
    axes = figure.subplots(len(_DRAWN), len(tasks), sharex=True, sharey=True)
    for (form, task), ax in zip(product(_DRAWN, tasks), axes.flat, strict=True):
        _leads(ax, found, names, form, task)
    for ax, task in zip(axes[0], tasks, strict=True):
        ax.set_title(task.replace("_", " "))
    for ax in axes[-1]:
        ax.set(xticks=range(len(found)), xlabel="words of each book")
        ax.set_xticklabels([f"{size // 1000}k" for size in found])
    for ax, form in zip(axes[:, 0], _DRAWN, strict=True):
        ax.set_ylabel(f"{form}\n(points ahead)")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize="small")
    return figure


def _leads(ax: Axes, found: Found, names: list[str], form: str, task: str) -> None:
    """Draw the lead of k = 3 against the size: a colour for each set of vectors, dashed for the authors' code."""
    from lexicloud.say.figures import CATEGORICAL

    ax.axhline(0, color="#888888", lw=1)
    for (estimator, style), (used, colour) in product(
        zip(ESTIMATORS, ("-", "--"), strict=True), zip(names, CATEGORICAL, strict=False)
    ):
        points = [
            [_points(run, BOOKS[1], task, form, (estimator, used, "k=3")) for run in runs]
            for runs in found.values()
        ]
        means = [np.mean([p for p in row if p is not None] or [np.nan]) for row in points]
        label = f"{estimator}, {used}"
        ax.plot(range(len(found)), means, style, marker="o", ms=3, color=colour, label=label)
