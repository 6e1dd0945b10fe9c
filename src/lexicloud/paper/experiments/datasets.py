"""The datasets in numbers: tokens, words and sentences, and word count against rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.paper.comparison import DATASETS, TITLES, ComparisonTable, Drawing, Entry, Report, published
from lexicloud.paper.data import PASSAGES

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.paper.workbench import Workbench

_SOURCES: Final = {
    "gatsby": "another edition of the text",
    "reuters": "the same tokens and sentences; other vectors",
    "brown": "the same tokens and sentences; other vectors",
    "gutenberg": "73 of the 79 books, in editions of our own; other vectors",
    "race": "82 % of the passages; other vectors",
}
_SCALED: Final = "race, published numbers scaled to the passages that are here"
# Counted over all tokens, with and without a vector.
_BESIDE: Final = ("all tokens", "all distinct tokens", "distinct in lower case")
_WHY: Final = (
    (
        "Like with like: the paper's total and unique tokens are of words that have a vector (Gatsby's parts of speech "
        "add up to exactly the published 58,339 and 6,291), counted as they are written, and a unique sentence is a "
        "distinct row of tokens. So are ours. A word that is found in pieces (on both sides of a hyphen) counts as its "
        "pieces, as in the authors' code. All tokens, with and without a vector, stand beside them."
    ),
    (
        "What is left of the differences is the vectors: which words have one. Ours are in lower case, and a word "
        "counts as found if it is found in lower case; fastText's have upper case and two million words."
    ),
)
_WHY_SCALED: Final = (
    "RACE: {n:,} of {all:,} passages are here. The last row scales the published numbers to as many: tokens, "
    "unembedded words and sentences in proportion to the passages, distinct words by how much fewer of them "
    "{share:.0%} of our own passages have."
)


def statistics(bench: Workbench) -> Report:
    """Count the tokens, words and sentences of every dataset."""
    columns = published()["datasets"]["columns"]
    counted = {name: _dataset_counts(bench, name) for name in bench.datasets}
    entries: list[Entry] = []
    for name in DATASETS:
        theirs = dict(zip(columns, published()["datasets"][name], strict=True))
        ours = counted.get(name, {})
        entries += [_statistics_entry(name, column, ours.get(column), theirs[column]) for column in columns]
        entries += [Entry((name,), column, ours.get(column)) for column in _BESIDE]
    why = list(_WHY)
    if "shrunk" in counted.get("race", {}):
        entries += _scaled(counted["race"], columns)
        n = counted["race"]["passages"]
        why.append(_WHY_SCALED.format(n=n, all=PASSAGES, share=n / PASSAGES))
    title = "Descriptive statistics"
    table = ComparisonTable(
        "datasets",
        title,
        ("dataset",),
        entries,
        "count",
        bench.about_vectors,
        tuple(why),
        bench.sample,
        digits=0,
    )
    return Report((table,))


def _statistics_entry(name: str, column: str, ours: float | None, theirs: float) -> Entry:
    why = "" if ours is None or ours == theirs else _SOURCES[name]
    return Entry((name,), column, ours, theirs, explanation=why)


def _scaled(ours: dict[str, Any], columns: list[str]) -> list[Entry]:
    """Compare RACE's numbers with the published ones, scaled down to the passages that are here."""
    share = ours["passages"] / PASSAGES
    factors = {column: ours["shrunk"] if column == "unique_tokens" else share for column in columns}
    theirs = zip(columns, published()["datasets"]["race"], strict=True)
    why = "other vectors"
    return [
        Entry((_SCALED,), column, ours[column], round(number * factors[column]), explanation=why)
        for column, number in theirs
    ]


def _dataset_counts(bench: Workbench, name: str) -> dict[str, Any]:
    return bench.recall(
        "datasets",
        lambda: _count_dataset(bench, name),
        datasets=(name,),
        code=(_count_dataset, _pieces, _distinct_rows, _shrunk),
        dataset=name,
    )


def _count_dataset(bench: Workbench, name: str) -> dict[str, Any]:
    written = bench.sentences(name)
    words = [w for w, found in zip(written.vocabulary, written.embedded, strict=True) if found]
    totals = written.totals[written.embedded]
    pieces = _pieces(bench, words)
    counts = {
        "total_tokens": int(sum(len(found) * n for found, n in zip(pieces, totals.tolist(), strict=True))),
        "unique_tokens": len({piece for found in pieces for piece in found}),
        "unembedded_tokens": int((~written.embedded).sum()),
        "unique_sentences": _distinct_rows(written),
        "all tokens": len(written.stream),
        "all distinct tokens": len(written.vocabulary),
        "distinct in lower case": len(bench.sentences(name, lower=True).vocabulary),
    }
    if name == "race" and not bench.options.quick:
        passages = int(np.asarray(written.parents)[-1]) + 1
        shrunk = _shrunk(written, passages / PASSAGES, bench.options.seed)
        return {**counts, "passages": passages, "shrunk": shrunk}
    return counts


def _pieces(bench: Workbench, words: list[str]) -> list[tuple[str, ...]]:
    """Return for each word with a vector the word itself, or the pieces in which it was found."""
    from lexicloud.vectors.lookup import SPLIT

    via = bench.vectors.lookup(words).via
    return [
        tuple(filter(None, SPLIT.split(word))) if how and ("split" in how or "pieces" in how) else (word,)
        for word, how in zip(words, via, strict=True)
    ]


def _distinct_rows(sentences: Corpus) -> int:
    """Return how many different sentences there are, as rows of tokens, of those with a word that has a vector."""
    stream, bounds = np.asarray(sentences.stream), np.asarray(sentences.bounds)
    found = np.append(0, np.cumsum(sentences.embedded[stream]))
    kept = np.flatnonzero(found[bounds[1:]] > found[bounds[:-1]]).tolist()
    return len({stream[bounds[i] : bounds[i + 1]].tobytes() for i in kept})


def _shrunk(written: Corpus, share: float, seed: int) -> float:
    """Return the share of the distinct words with a vector that is left in a random part of the documents."""
    parents = np.repeat(np.asarray(written.parents), written.lengths)
    n = int(parents[-1]) + 1
    chosen = np.zeros(n, dtype=bool)
    chosen[np.random.default_rng(seed).choice(n, round(share * n), replace=False)] = True
    seen: NDArray[np.int32] = np.unique(np.asarray(written.stream)[chosen[parents]])
    return float(written.embedded[seen].sum() / written.embedded.sum())


def ranks(bench: Workbench) -> Report:
    """Fit Zipf's law to every dataset."""
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
    table = ComparisonTable(
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

        from lexicloud.say.figures import CATEGORICAL

        figure = Figure(figsize=(2.6 * len(found) + 0.4, 3.3), layout="constrained")
        for ax, (name, values) in zip(
            np.atleast_1d(figure.subplots(1, len(found))), found.items(), strict=True
        ):
            ax.loglog(values["ranks"], values["counts"], ".", ms=3, color=CATEGORICAL[0], label="words")
            ranks, line, law = np.asarray(values["curve"])
            ax.loglog(ranks, line, "--", lw=1.2, color=CATEGORICAL[7], label="least-squares line")
            ax.loglog(ranks, law, lw=1.2, color=CATEGORICAL[5], label="Zipf–Mandelbrot, maximum likelihood")
            # The line begins far above the first words, so the axis ends near them.
            top = 4 * float(values["counts"][0])
            title = f"{TITLES[name]}: {values['slope']:.2f}".replace("-", "−")
            ax.set(title=title, xlabel="rank", ylim=(0.5, top))
        figure.axes[0].set_ylabel("count")
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize="small", markerscale=2)
        return figure

    return Drawing(
        "zipf",
        "Word count against rank for each dataset on logarithmic scales",
        "Dashed: the least-squares line, its slope in the title. Solid: Zipf–Mandelbrot by maximum likelihood.",
        draw,
    )
