"""Label every book by the others, with every method, for one draw of samples.

Each book gets the label from whose books it diverges least on average (the paper's rule), or the label of the nearest
book. The paper's methods, categorical and smoothed see the same samples: n content words of each book. Methods marked
"running" see n words of running text, with stop words and punctuation, for which our default method is made.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import CorpusError, EstimateError
from lexicloud.paper.comparison import TASKS
from lexicloud.paper.data import labels_of_books

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lexicloud.corpus import Corpus
    from lexicloud.divergences import DivergenceMatrix
    from lexicloud.paper.workbench import Workbench

    Labels = Sequence[str | None]
    Labeller = Callable[[Labels, str], int]  # labels and rule → how many books are labelled correctly

KS: Final = (3, 5, 10, 25, 50, 100)
PUBLISHED: Final = ("baseline", *(f"k={k}" for k in KS))
AUTHORS: Final = tuple(f"{column} (authors' code)" for column in PUBLISHED)
STRONGER: Final = (
    "k=3, standardised",
    "categorical",
    "smoothed",
    "delta, running",
    "smoothed, running",
    "default, running",
)
RULES: Final = ("category-mean", "nearest")
# "unique" is no author: a book with this label counts as right when it is taken for any other unique author's. This
# task leaves those books out.
KNOWN: Final = "author, unique left out"
ALL_TASKS: Final = (*TASKS, KNOWN)
_UNIQUE: Final = "unique"


def label_books(bench: Workbench, size: int, draw: int) -> dict[str, Any]:
    """Return how many books each method labels correctly, by rule, task and column."""
    return bench.recall(
        "kl",
        lambda: _label(bench, size, bench.options.seed + draw),
        datasets=("gutenberg",),
        code=(_label, task_labels, _paper_methods, _our_methods, _by_matrix, _default),
        size=size,
        draw=draw,
    )


def _label(bench: Workbench, size: int, seed: int) -> dict[str, Any]:
    books = bench.documents("gutenberg")
    try:
        content = books.sample(size, seed)
    except CorpusError:  # every book is shorter
        return {"books": 0}
    running = books.subset(content.names).sample(size, seed, running=True)
    labels = {task: task_labels(bench, content, task) for task in ALL_TASKS}
    correct: dict[str, Any] = {rule: {task: {} for task in ALL_TASKS} for rule in RULES}
    for column, score in {**_paper_methods(content), **_our_methods(content, running)}.items():
        for rule in RULES:
            for task in ALL_TASKS:
                correct[rule][task][column] = _correct(score, rule, labels[task])
    counts = {task: Counter(label for label in labels[task] if label is not None) for task in ALL_TASKS}
    return {
        "books": len(content),
        "correct": correct,
        "of": {task: c.total() for task, c in counts.items()},
        "majority": {task: max(c.values(), default=0) for task, c in counts.items()},
        "ceiling": {task: sum(n for n in c.values() if n > 1) for task, c in counts.items()},
        "counts": counts,
    }


def task_labels(bench: Workbench, books: Corpus, task: str) -> list[str | None]:
    """Return the label of each book for a task; None for a book that the task leaves out."""
    labels = labels_of_books(bench.options.data)
    if task != KNOWN:
        return [getattr(labels[name], task) for name in books.names]
    return [None if labels[name].author == _UNIQUE else labels[name].author for name in books.names]


def _correct(label: Labeller, rule: str, labels: Labels) -> int | None:
    try:
        return label(labels, rule)
    except EstimateError:  # such as one label for all, in a small set of books
        return None


def _paper_methods(content: Corpus) -> dict[str, Labeller]:
    """Return the paper's columns, scores as they are, and its best k standardised as ours are."""
    from lexicloud.divergences import divergence_matrices, divergence_matrix

    out: dict[str, Labeller] = {}
    variants: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
        (PUBLISHED, {}),
        (AUTHORS, {"compat": "authors"}),
    )
    for columns, compat in variants:
        baseline: Any = divergence_matrix(
            content, "categorical", support="intersection", words="content", **compat
        )
        out[columns[0]] = _by_matrix(baseline, standardise=False)
        matrices: Any = divergence_matrices(content, ks := possible_ks(content), **compat)
        for column, k in zip(columns[1:], KS, strict=True):
            if k in ks:
                out[column] = _by_matrix(matrices[k], standardise=False)
        if not compat and KS[0] in ks:
            out[STRONGER[0]] = _by_matrix(matrices[KS[0]], standardise=True)
    return out


def possible_ks(content: Corpus) -> tuple[int, ...]:
    """Return those k for which every book has enough distinct words."""
    least = int((content.counts > 0).sum(axis=1).min())
    return tuple(k for k in KS if k < least - 1)


def _our_methods(content: Corpus, running: Corpus) -> dict[str, Labeller]:
    from lexicloud.divergences import divergence_matrix

    def matrix(corpus: Corpus, method: str) -> Labeller:
        measured: Any = divergence_matrix(corpus, method)
        return _by_matrix(measured, standardise=True)

    return {
        "categorical": matrix(content, "categorical"),
        "smoothed": matrix(content, "smoothed"),
        "delta, running": matrix(running, "delta"),
        "smoothed, running": matrix(running, "smoothed"),
        "default, running": _default(running),
    }


def _by_matrix(matrix: DivergenceMatrix, *, standardise: bool) -> Labeller:
    from lexicloud.authorship import leave_one_out

    # The paper leaves out the one book alone.
    return lambda labels, rule: (
        leave_one_out(matrix, labels, rule=rule, standardise=standardise, equal=False).correct
    )


def _default(running: Corpus) -> Labeller:
    """Label by the default of trained models, row by row, measuring the pairs once for all labels and rules."""
    from lexicloud.authorship.leave_one_out import Attribution
    from lexicloud.authorship.scoring import COMBINED, scoring_method, without_single_members

    likeness = scoring_method(COMBINED)
    measured = likeness.fit(running).measured

    def label(labels: Labels, rule: str) -> int:
        kept = [i for i, given in enumerate(labels) if given is not None]
        truth = [given for given in labels if given is not None]
        classes = sorted(set(truth))
        if len(classes) < 2 or len(truth) == len(classes):
            raise EstimateError(f"{len(classes)} labels for {len(truth)} books")
        block = np.ix_(kept, kept)
        among = {name: D[block] for name, D in measured.items()}
        # No length is like another: what is usual of each book takes no part, as in trained models.
        scores = likeness.left_out_of(among, truth, np.zeros(len(kept)))
        found = without_single_members(scores, truth, classes, rule)
        names = tuple(running.names[i] for i in kept)
        return Attribution.of(names, tuple(truth), tuple(classes), found, rule=rule, method=COMBINED).correct

    return label
