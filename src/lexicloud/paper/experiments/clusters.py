"""Cluster size against rank, beside null models that have no themes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.paper.published import published
from lexicloud.paper.tables import Drawing, Entry, Report, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lexicloud.corpus import Corpus
    from lexicloud.paper.corpora import Workbench

# Above this many sentences fewer resamples are drawn: each is a k-means of its own, and the interval is narrow.
LARGE: Final = 100_000


_WHY: Final = (
    "The paper prints no slope; it calls Gatsby, Brown and Gutenberg close to −1 and Reuters and RACE less so.",
    (
        "Gaussian null: as many points from a Gaussian with the sentences' mean and covariance. Shuffled null: the "
        "corpus's words dealt out to its sentences anew, each keeping its length. Neither has themes; only a slope "
        "steeper than both says that themes make the sizes unequal."
    ),
)


def run(bench: Workbench) -> Report:
    """Cluster the sentences of every dataset with the paper's k."""
    found = {name: _clustered(bench, name) for name in bench.datasets}
    verdicts = [f"{name}: the slope is {values['verdict']}." for name, values in found.items()]
    table = Table(
        "clusters",
        "Clusters of mean sentence vectors",
        ("dataset", "k"),
        [entry for name, values in found.items() for entry in _entries(name, values)],
        "slope",
        bench.about_vectors,
        (*_WHY, *verdicts),
        bench.sample,
        digits=3,
    )
    return Report((table,), (_drawing(found),) if found else ())


def _entries(name: str, values: dict[str, Any]) -> list[Entry]:
    row = (name, values["k"])
    low, high = values["interval"] or (None, None)
    nulls = [
        Entry(row, f"{null} null", model["slope"], low=min(model["slopes"]), high=max(model["slopes"]))
        for null, model in values["null"].items()
    ]
    return [
        Entry(row, "slope", values["slope"], low=low, high=high),
        Entry(row, "R²", values["r_squared"]),
        *nulls,
        Entry(row, "largest / smallest", values["sizes"][0] / values["sizes"][-1]),
    ]


def cluster_number(bench: Workbench, name: str) -> int:
    """Return the paper's k, or less where a sample has too few sentences for it."""
    return min(int(published()["kmeans_k"][name]), max(2, len(bench.sentences(name)) // 10))


def _clustered(bench: Workbench, name: str) -> dict[str, Any]:
    return bench.recall(
        "clusters", lambda: _cluster(bench, name), datasets=(name,), code=(_cluster,), dataset=name
    )


def _cluster(bench: Workbench, name: str) -> dict[str, Any]:
    from lexicloud.zipf import cluster_sizes

    sentences = bench.sentences(name, lower=True)
    resamples, nulls = (4, 2) if bench.options.quick or len(sentences) > LARGE else (20, 5)
    found = cluster_sizes(
        sentences, cluster_number(bench, name), seed=bench.options.seed, resamples=resamples, null_seeds=nulls
    )
    values = {key: value for key, value in found.to_dict().items() if key != "clusters"}
    null_sizes = {f"null_{null}": model.sizes.mean(axis=0) for null, model in found.null.items()}
    return {**values, **null_sizes}


def _drawing(found: dict[str, dict[str, Any]]) -> Drawing:
    def draw() -> Figure:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(2.6 * len(found) + 0.4, 3.4), layout="constrained")
        for ax, (name, values) in zip(
            np.atleast_1d(figure.subplots(1, len(found))), found.items(), strict=True
        ):
            _sizes(ax, values, f"{name}, k = {values['k']}")
        figure.axes[0].set_ylabel("sentences")
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize="small")
        return figure

    return Drawing(
        "clusters",
        "Cluster size against rank for each dataset, beside two null models",
        "Sizes of sentence clusters (dots, with the fitted line) and of the same k-means on points without "
        "themes.",
        draw,
    )


def _sizes(ax: Any, values: dict[str, Any], title: str) -> None:
    from lexicloud.plotting import CATEGORICAL

    sizes = np.array(values["sizes"])
    ranks = np.arange(1, len(sizes) + 1)
    ax.loglog(ranks, sizes, "o", ms=3, color=CATEGORICAL[0], label="sentences")
    ax.loglog(
        ranks,
        np.exp(np.polyval(np.polyfit(np.log(ranks), np.log(sizes), 1), np.log(ranks))),
        lw=1,
        color=CATEGORICAL[0],
    )
    for null, colour in (("gaussian", CATEGORICAL[1]), ("shuffled", CATEGORICAL[2])):
        mean = np.asarray(values[f"null_{null}"])
        ax.loglog(
            np.arange(1, len(mean) + 1),
            np.where(mean > 0, mean, np.nan),
            color=colour,
            lw=1.5,
            label=f"{null} null",
        )
    ax.set(title=f"{title}: {values['slope']:.2f}", xlabel="rank of cluster")
    ax.title.set_fontsize("medium")


def slopes(bench: Workbench) -> Report:
    """Sweep k for every dataset."""
    found = {name: _swept(bench, name) for name in bench.datasets}
    entries = []
    for name, values in found.items():
        for which, slopes in (("sentences", values["slopes"]), *values["null"].items()):
            for k, row in zip(values["ks"], slopes, strict=True):
                entries.append(
                    Entry(
                        (name, which),
                        f"{k - values['k']:+d}",
                        float(np.mean(row)),
                        low=min(row),
                        high=max(row),
                    )
                )
    notes = [f"{name}: {values['note']}" for name, values in found.items() if values["note"]]
    table = Table(
        "slopes",
        "Slope of log cluster size against log rank, by k relative to the paper's k",
        ("dataset", "points"),
        entries,
        "slope",
        bench.about_vectors,
        (
            (
                "The paper draws these lines and prints no number; it finds that slopes do not change "
                "enough to alter its conclusions, with the most variance for Gatsby."
            ),
            *notes,
        ),
        bench.sample,
        digits=3,
    )
    return Report((table,), (_slopes_drawing(found),) if found else ())


def _swept(bench: Workbench, name: str) -> dict[str, Any]:
    return bench.recall(
        "slopes", lambda: _sweep(bench, name), datasets=(name,), code=(_sweep, _at_most), dataset=name
    )


def _sweep(bench: Workbench, name: str) -> dict[str, Any]:
    from lexicloud.zipf import sweep_clusters

    corpus, note = _at_most(bench.sentences(name, lower=True), LARGE // 2, bench.options.seed)
    first = bench.options.seed
    step, seeds = (20, (first,)) if bench.options.quick else (5, (first, first + 1))
    found = sweep_clusters(corpus, cluster_number(bench, name), step=step, seeds=seeds, null_seeds=seeds[:1])
    return {**found.to_dict(), "note": note}


def _at_most(sentences: Corpus, most: int, seed: int) -> tuple[Corpus, str]:
    """Return the sentences, or a random part of them where a sweep over all would take too long."""
    if len(sentences) <= most:
        return sentences, ""
    chosen = np.sort(np.random.default_rng(seed).choice(len(sentences), most, replace=False))
    part = sentences.subset([sentences.names[i] for i in chosen])
    return part, f"a random {most:,} of {len(sentences):,} sentences, because each k is a k-means of its own"


def _slopes_drawing(found: dict[str, dict[str, Any]]) -> Drawing:
    def draw() -> Figure:
        from matplotlib.figure import Figure

        from lexicloud.plotting import CATEGORICAL

        figure = Figure(figsize=(2.6 * len(found) + 0.4, 3.2), layout="constrained")
        axes = np.atleast_1d(figure.subplots(1, len(found), sharey=True))
        for ax, (name, values) in zip(axes, found.items(), strict=True):
            lines = (("sentences", values["slopes"]), *values["null"].items())
            for colour, (which, slopes) in zip(CATEGORICAL, lines, strict=False):
                ax.plot(values["ks"], np.mean(slopes, axis=1), marker="o", ms=3, color=colour, label=which)
            ax.axhline(-1, color="#888888", ls=":", lw=1)
            ax.set(title=name, xlabel="clusters k")
        axes[0].set_ylabel("slope")
        axes[0].legend(fontsize="x-small")
        return figure

    return Drawing(
        "slopes",
        "Slope of cluster sizes against k for each dataset, beside two null models",
        "Dotted: −1, Zipf's law. Gaussian and shuffled are the null models.",
        draw,
    )
