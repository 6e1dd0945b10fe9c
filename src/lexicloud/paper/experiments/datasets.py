"""What the datasets hold: statistics, parts of speech, and word count against rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.paper.published import DATASETS, published
from lexicloud.paper.tables import Drawing, Entry, Report, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lexicloud.paper.corpora import Workbench

_SOURCES = {
    "gatsby": "another edition of the text, and punkt_tab in place of the punkt of 2020",
    "reuters": "NLTK's own tokens and sentences; the paper leaves out sentences without a vector",
    "brown": "NLTK's own tokens and sentences; the paper leaves out sentences without a vector",
    "gutenberg": "fewer books, and editions of our own; one word list serves all books",
    "race": "the official archive",
}


def statistics(bench: Workbench) -> Report:
    """Count every dataset."""
    columns = published()["datasets"]["columns"]
    entries: list[Entry] = []
    for name in DATASETS:
        theirs = dict(zip(columns, published()["datasets"][name], strict=True))
        ours = _dataset_counts(bench, name) if bench.has(name) else {}
        entries += [_statistics_entry(name, column, ours.get(column), theirs[column]) for column in columns]
        entries += [
            _statistics_entry(name, column, ours.get(column), None)
            for column in ("unique_written", "unique_lower_case")
        ]
    table = Table(
        "datasets",
        "Descriptive statistics",
        ("dataset",),
        entries,
        "count",
        bench.about_vectors,
        (
            (
                "The paper's unique tokens are of words that have a vector: Gatsby's parts of speech add up to "
                "exactly the published 6,291. So are ours here, with vectors of fewer words; all distinct tokens, as "
                "they are written and in lower case, stand beside them."
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


def _dataset_counts(bench: Workbench, name: str) -> dict[str, Any]:
    return bench.recall(
        "datasets",
        lambda: _count_dataset(bench, name),
        datasets=(name,),
        code=(_count_dataset,),
        dataset=name,
    )


def _count_dataset(bench: Workbench, name: str) -> dict[str, Any]:
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
        "unique_tokens": int(written.embedded.sum()),
        "unembedded_tokens": int((~written.embedded).sum()),
        "unique_sentences": len({texts[int(i)] for i in kept}),
        "unique_written": len(written.vocabulary),
        "unique_lower_case": len(bench.sentences(name, lower=True).vocabulary),
    }


def _statistics_entry(name: str, column: str, ours: float | None, theirs: float | None) -> Entry:
    why = "" if ours is None or theirs is None or ours == theirs else _SOURCES[name]
    return Entry((name,), column, ours, theirs, explanation=why)


_KINDS = {
    "total": ("pos_total_tokens_percent", "token_percent"),
    "unique": ("pos_unique_tokens_percent", "word_percent"),
}
_NO_VECTORS = "none: no vectors are used"
# A share that differs by less than this agrees: the tagger's own versions differ by as much.
_AGREES = 0.5


_SPREAD_WHY = (
    "The paper rests on the explanation of Zipf's law by the part of speech as a latent variable: narrow "
    "distributions of different means that add up to a broad one. Where nouns, verbs, adjectives and adverbs by "
    "themselves are about as widely spread as all words together, explained stays small: it says how much of the "
    "breadth lies between parts."
)


def composition(bench: Workbench) -> Report:
    """Count the parts of speech of every dataset."""
    found = {name: _part_counts(bench, name) for name in bench.datasets}
    return Report((*(_shares(bench, kind, found) for kind in _KINDS), _spread(bench, found)))


def _shares(bench: Workbench, kind: str, found: dict[str, dict[str, Any]]) -> Table:
    theirs, ours = _KINDS[kind]
    numbers = published()[theirs]
    entries = [
        _share_entry(name, part, found.get(name), ours, numbers[name][i])
        for name in DATASETS
        for i, part in enumerate(numbers["columns"])
    ]
    title = f"Parts of speech, share of {'all' if kind == 'total' else 'distinct'} tokens"
    return Table(f"pos-{kind}", title, ("dataset",), entries, "%", _NO_VECTORS, _why(bench), bench.sample)


def _spread(bench: Workbench, found: dict[str, dict[str, Any]]) -> Table:
    entries = []
    for name, counted in found.items():
        parts = {f"spread of {part}": values["spread"] for part, values in counted["parts"].items()}
        columns = {"explained": 100 * counted["explained"], **parts, "spread of all": counted["total_spread"]}
        entries += [Entry((name,), column, value) for column, value in columns.items()]
    return Table(
        "pos-spread",
        "Does the part of speech explain the breadth of word counts?",
        ("dataset",),
        entries,
        "explained: % of the variance of a token's log count; spread: standard deviation of log₁₀ count",
        _NO_VECTORS,
        (_SPREAD_WHY,),
        bench.sample,
    )


def _part_counts(bench: Workbench, name: str) -> dict[str, Any]:
    return bench.recall(
        "pos",
        lambda: _count_parts(bench, name),
        datasets=(name,),
        code=(_count_parts,),
        dataset=name,
        tagger=bench.tagger,
    )


def _count_parts(bench: Workbench, name: str) -> dict[str, Any]:
    from lexicloud.zipf import part_of_speech_table

    return part_of_speech_table(bench.sentences(name), tagger=bench.tagger).to_dict()


def _share_entry(name: str, part: str, counted: dict[str, Any] | None, key: str, theirs: float) -> Entry:
    ours = None if counted is None else counted["parts"][part][key]
    why = ""
    if ours is not None and abs(ours - theirs) > _AGREES:
        why = f"tagger {counted['tagger'] if counted else ''}; a word has one tag here, out of context"
        if part == "other" or key == "token_percent":
            why += "; punctuation counts as other"
        if name == "gutenberg":
            why += "; other books and editions"
    return Entry((name,), part, ours, theirs, explanation=why)


def _why(bench: Workbench) -> tuple[str, ...]:
    if bench.tagger == "nltk":
        return ("NLTK's perceptron tagger, one word at a time and in its own case; modals are verbs.",)
    return (
        "NLTK's tagger has no data here, so TextBlob's tags stand in: its shares differ by tens of points.",
    )


def ranks(bench: Workbench) -> Report:
    """Fit every dataset."""
    found = {name: _fitted(bench, name) for name in bench.datasets}
    entries = [
        Entry((name,), column, values.get(key), low=_end(values, span, 0), high=_end(values, span, 1))
        for name, values in found.items()
        for column, key, span in (
            ("slope of the line", "slope", ""),
            ("R² of the line", "r_squared", ""),
            ("α (Zipf–Mandelbrot)", "alpha", "alpha_interval"),
            ("β (Zipf–Mandelbrot)", "beta", "beta_interval"),
            ("α (Zipf)", "zipf_alpha", "zipf_interval"),
        )
    ]
    table = Table(
        "zipf",
        "Zipf's law of words",
        ("dataset",),
        entries,
        "slope",
        "none: no vectors are used",
        (
            (
                "The paper draws these lines and prints no slope: it calls Gatsby a very good fit, Brown "
                "the next, the others less close but still near −1."
            ),
            (
                "The least-squares line weighs every rank alike, so the long flat steps of words seen once "
                "or twice decide its slope, and larger texts get steeper lines. The maximum-likelihood "
                "fits use every token and correct for ranking by the same counts that are fitted."
            ),
            "Tokens as they are written, punctuation included, as in the paper.",
        ),
        bench.sample,
        digits=3,
    )
    return Report((table,), (_ranks_drawing(found),) if found else ())


def _end(values: dict[str, Any], key: str, i: int) -> float | None:
    return values[key][i] if key and values.get(key) else None


def _fitted(bench: Workbench, name: str) -> dict[str, Any]:
    return bench.recall("zipf", lambda: _fit(bench, name), datasets=(name,), code=(_fit,), dataset=name)


def _fit(bench: Workbench, name: str) -> dict[str, Any]:
    from lexicloud.zipf import fit_zipf, rank_frequency

    ranks = rank_frequency(bench.documents(name, lower=False), punctuation=True)
    fit = fit_zipf(ranks, seed=bench.options.seed)
    keys = (
        "slope",
        "intercept",
        "r_squared",
        "alpha",
        "alpha_interval",
        "beta",
        "beta_interval",
        "zipf_alpha",
        "zipf_interval",
    )
    values = {key: _plain(getattr(fit, key)) for key in keys}
    # A step of equal counts is drawn as its two ends.
    change = np.flatnonzero(np.diff(ranks.counts))
    ends = np.unique(np.concatenate([[0], change, change + 1, [len(ranks.counts) - 1]]))
    curve = np.geomspace(1, len(ranks.counts), 200)
    return {
        **values,
        "ranks": ends + 1,
        "counts": ranks.counts[ends],
        "curve": np.vstack(
            [curve, fit.line(curve), fit.predict(curve) if fit.converged else np.full(200, np.nan)]
        ),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return None if any(not np.isfinite(v) for v in value) else [float(v) for v in value]
    return float(value) if np.isfinite(value) else None


def _ranks_drawing(found: dict[str, dict[str, Any]]) -> Drawing:
    def draw() -> Figure:
        from matplotlib.figure import Figure

        from lexicloud.plotting import CATEGORICAL

        figure = Figure(figsize=(2.6 * len(found) + 0.4, 3), layout="constrained")
        for ax, (name, values) in zip(
            np.atleast_1d(figure.subplots(1, len(found))), found.items(), strict=True
        ):
            ax.loglog(values["ranks"], values["counts"], ".", ms=2, color=CATEGORICAL[0])
            ranks, line, law = np.asarray(values["curve"])
            ax.loglog(ranks, line, "--", lw=1, color=CATEGORICAL[7])
            ax.loglog(ranks, law, lw=1.2, color=CATEGORICAL[5])
            ax.set(title=f"{name}: {values['slope']:.2f}", xlabel="rank", ylim=(0.5, None))
        figure.axes[0].set_ylabel("count")
        return figure

    return Drawing(
        "zipf",
        "Word count against rank for each dataset on logarithmic scales",
        "Dashed: the least-squares line, its slope in the title. Solid: Zipf–Mandelbrot by maximum likelihood.",
        draw,
    )
