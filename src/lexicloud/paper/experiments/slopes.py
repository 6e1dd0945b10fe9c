"""The slope of cluster sizes for k' − 20 … k' + 20, beside the null models at every k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.paper.experiments.clusters import LARGE, cluster_number
from lexicloud.paper.tables import Drawing, Entry, Report, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lexicloud.corpus import Corpus
    from lexicloud.paper.workbench import Workbench

OFFSETS: Final = range(-20, 21, 5)


def run(bench: Workbench) -> Report:
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
    return Report((table,), (_drawing(found),) if found else ())


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


def _drawing(found: dict[str, dict[str, Any]]) -> Drawing:
    def draw() -> Figure:
        from matplotlib.figure import Figure

        from lexicloud.palette import CATEGORICAL

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
