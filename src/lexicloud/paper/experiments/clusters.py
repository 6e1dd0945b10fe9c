"""Cluster size against rank and by k, compared with null models without themes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.paper.comparison import TITLES, ComparisonTable, Drawing, Entry, Report, published

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lexicloud.corpus import Corpus
    from lexicloud.paper.workbench import Workbench
    from lexicloud.vectors import WordVectors

# Of more sentences a random part is used for interval and null models, which need many runs of k-means.
LARGE: Final = 30_000
SWEPT: Final = 15_000  # sentences of a sweep, which needs dozens of runs of k-means


# The paper has slopes in its figures only; this one is printed in the notebook that was published with its code.
NOTEBOOK: Final = {"race": -0.723}

_WHY: Final = (
    (
        "The paper gives slopes in its figures alone; it calls Gatsby, Brown and Gutenberg close to −1 and Reuters and "
        "RACE less so. RACE's is from the notebook that was published with the code (492,921 sentences)."
    ),
    (
        "Gaussian null: as many points from a Gaussian with the sentences' mean and covariance. Shuffled null: the "
        "corpus's words dealt out to its sentences anew, each keeping its length. Neither has themes; only a slope "
        "steeper than both says that themes make the sizes unequal."
    ),
    "The range of a slope is ± 1.96 standard errors over ten resamples of the sentences, each clustered anew.",
)


def run(bench: Workbench) -> Report:
    """Cluster the sentences of every dataset with the paper's k."""
    found = {name: _clustered(bench, name) for name in bench.datasets}
    verdicts = [f"{name}: the slope is {values['verdict']}." for name, values in found.items()]
    parts = [
        f"{name}: slope, interval and nulls are of {v['note']}." for name, v in found.items() if v["note"]
    ]
    table = ComparisonTable(
        "clusters",
        "Clusters of mean sentence vectors",
        ("dataset", "k"),
        [entry for name, values in found.items() for entry in _entries(name, values)],
        "slope",
        bench.about_vectors,
        (*_WHY, *parts, *verdicts),
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
    theirs = NOTEBOOK.get(name)
    why = "other vectors, 82 % of the passages" if theirs is not None else ""
    return [
        Entry(row, "slope, all sentences", values["whole"], theirs, explanation=why),
        Entry(row, "slope", values["slope"], low=low, high=high),
        Entry(row, "R²", values["r_squared"]),
        *nulls,
        Entry(row, "largest / smallest", values["sizes"][0] / values["sizes"][-1]),
    ]


def cluster_number(bench: Workbench, name: str) -> int:
    """Return the paper's k, or less if a sample has too few sentences for it."""
    return min(int(published()["kmeans_k"][name]), max(2, len(bench.sentences(name)) // 10))


def _clustered(bench: Workbench, name: str) -> dict[str, Any]:
    """Return the clusters of at most `LARGE` sentences with interval and nulls, and the slope of all sentences."""
    part = bench.recall(
        "clusters",
        lambda: _cluster(bench, name),
        datasets=(name,),
        code=(_cluster, _at_most),
        dataset=name,
        most=LARGE,
    )
    if not part["note"]:
        return {**part, "whole": part["slope"]}
    whole = bench.recall(
        "clusters-whole", lambda: _whole(bench, name), datasets=(name,), code=(_whole,), dataset=name
    )
    return {**part, "whole": whole["slope"]}


def _cluster(bench: Workbench, name: str) -> dict[str, Any]:
    from lexicloud.zipf import cluster_sizes

    seed = bench.options.seed
    part, note = _at_most(bench.sentences(name, lower=True), LARGE, seed)
    resamples, nulls = (4, 2) if bench.options.quick else (10, 3)
    found = cluster_sizes(part, cluster_number(bench, name), seed=seed, resamples=resamples, null_seeds=nulls)
    values = {key: value for key, value in found.to_dict().items() if key != "clusters"}
    null_sizes = {f"null_{null}": model.sizes.mean(axis=0) for null, model in found.null.items()}
    return {**values, **null_sizes, "note": note}


def _whole(bench: Workbench, name: str) -> dict[str, Any]:
    from lexicloud.zipf import cluster_sizes

    sentences = bench.sentences(name, lower=True)
    seed, k = bench.options.seed, cluster_number(bench, name)
    found = cluster_sizes(sentences, k, seed=seed, resamples=0, null=())
    return {"slope": found.slope, "sentences": found.n_sentences}


def _drawing(found: dict[str, dict[str, Any]]) -> Drawing:
    def draw() -> Figure:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(2.6 * len(found) + 0.4, 3.4), layout="constrained")
        axes = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
        for ax, (name, values) in zip(axes, found.items(), strict=True):
            _sizes(ax, values, f"{TITLES[name]}, k = {values['k']}")
        figure.axes[0].set_ylabel("sentences in the cluster")
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize="small")
        return figure

    return Drawing(
        "clusters",
        "Cluster size against rank for each dataset, beside two null models",
        "Sizes of sentence clusters (dots), the least-squares line through them (dashed, its slope in the title), and "
        "the sizes that the same k-means gives on points without themes.",
        draw,
    )


def _sizes(ax: Any, values: dict[str, Any], title: str) -> None:
    from lexicloud.say.figures import CATEGORICAL

    sizes = np.array(values["sizes"])
    ranks = np.arange(1, len(sizes) + 1)
    ax.loglog(ranks, sizes, "o", ms=3, color=CATEGORICAL[0], label="clusters of sentences")
    ax.loglog(
        ranks,
        np.exp(np.polyval(np.polyfit(np.log(ranks), np.log(sizes), 1), np.log(ranks))),
        ls="--",
        lw=1,
        color=CATEGORICAL[0],
        label="line fitted to them",
    )
    for null, colour in (("gaussian", CATEGORICAL[1]), ("shuffled", CATEGORICAL[2])):
        mean = np.asarray(values[f"null_{null}"])
        ax.loglog(
            np.arange(1, len(mean) + 1),
            np.where(mean > 0, mean, np.nan),
            color=colour,
            lw=1.5,
            label=f"{null.title()} null",
        )
    ax.set(title=f"{title}: {values['slope']:.2f}".replace("-", "−"), xlabel="rank of cluster")
    ax.title.set_fontsize("medium")


def slopes(bench: Workbench) -> Report:
    """Sweep k for every dataset."""
    found = {name: swept(bench, name) for name in bench.datasets}
    entries = [entry for name, values in found.items() for entry in sweep_entries((name,), values)]
    notes = [f"{name}: {values['note']}" for name, values in found.items() if values["note"]]
    table = ComparisonTable(
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


def sweep_entries(row: tuple[str, ...], values: dict[str, Any]) -> list[Entry]:
    """Return a sweep's slopes, the mean over seeds with their range, for sentences and each null model."""
    return [
        Entry((*row, which), f"{k - values['k']:+d}", float(np.mean(found)), low=min(found), high=max(found))
        for which, slopes in (("sentences", values["slopes"]), *values["null"].items())
        for k, found in zip(values["ks"], slopes, strict=True)
    ]


def swept(bench: Workbench, name: str, vectors: WordVectors | None = None) -> dict[str, Any]:
    """Return the slopes of a dataset for every k."""
    return bench.recall(
        "slopes",
        lambda: _sweep(bench, name, vectors),
        datasets=(name,),
        code=(_sweep, _at_most),
        vectors=vectors,
        dataset=name,
    )


def _sweep(bench: Workbench, name: str, vectors: WordVectors | None) -> dict[str, Any]:
    from lexicloud.zipf import sweep_clusters

    sentences = bench.sentences(name, lower=True, vectors=vectors)
    corpus, note = _at_most(sentences, SWEPT, bench.options.seed)
    first = bench.options.seed
    # With other vectors the ends and the middle say enough.
    coarse = bench.options.quick or vectors is not None
    step, seeds = (20, (first,)) if coarse else (5, (first, first + 1))
    found = sweep_clusters(corpus, cluster_number(bench, name), step=step, seeds=seeds, null_seeds=seeds[:1])
    return {**found.to_dict(), "note": note}


def _at_most(sentences: Corpus, most: int, seed: int) -> tuple[Corpus, str]:
    """Return the sentences, or a random part of them and what to say about it where all would take too long."""
    if len(sentences) <= most:
        return sentences, ""
    chosen = np.sort(np.random.default_rng(seed).choice(len(sentences), most, replace=False))
    part = sentences.subset([sentences.names[i] for i in chosen])
    return part, f"a random {most:,} of {len(sentences):,} sentences"


def _slopes_drawing(found: dict[str, dict[str, Any]]) -> Drawing:
    def draw() -> Figure:
        from matplotlib.figure import Figure

        from lexicloud.say.figures import CATEGORICAL

        kinds = {
            "slopes": "Sentences",
            **{null: f"{null.title()} null" for null in next(iter(found.values()))["null"]},
        }
        figure = Figure(figsize=(3.2 * len(kinds) + 0.4, 3.6), layout="constrained")
        axes = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
        for ax, (kind, title) in zip(axes, kinds.items(), strict=True):
            for colour, (name, values) in zip(CATEGORICAL, found.items(), strict=False):
                slopes = values["slopes"] if kind == "slopes" else values["null"][kind]
                change = np.array(values["ks"]) - values["k"]
                label = f"{TITLES[name]} (k′ = {values['k']})"
                ax.plot(change, np.mean(slopes, axis=1), marker="o", ms=3, color=colour, label=label)
                ax.fill_between(
                    change, np.min(slopes, axis=1), np.max(slopes, axis=1), color=colour, alpha=0.2, lw=0
                )
            ax.axhline(-1, color="#888888", ls=":", lw=1)
            ax.set(title=title, xlabel="clusters less the paper's, k − k′")
        axes[0].set_ylabel("slope")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize="small")
        return figure

    return Drawing(
        "slopes",
        "Slope of cluster sizes against k relative to the paper's k for each dataset, beside two null models",
        "Left: the paper's figure, the mean of two seeds with a band from one to the other. Middle and right: the same "
        "k-means on points without themes, one seed. Dotted: −1.",
        draw,
    )
