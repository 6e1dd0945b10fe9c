"""Run the tables that depend on vectors with other vectors too, to see which differences disappear."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.paper.comparison import TITLES, ComparisonTable, Drawing, Entry, Report, published
from lexicloud.paper.experiments.clusters import sweep_entries, swept
from lexicloud.paper.experiments.parts_of_speech import PLANES, measured, projected, purity, tagged, tags_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lexicloud.paper.workbench import Workbench

_NEEDS: Final = (
    "no other vectors were given: --beside glove-100d,glove-840b-300d-34k runs these tables (first: lexicloud vectors "
    "get glove-840b-300d-34k)"
)
_PURITY_WHY: Final = (
    "The same words for all: those of the dataset that have a vector in every set, tagged alike, so that nothing but "
    "the vectors differs. The first row of a dataset has all words of the run's own vectors. What the vectors do is "
    "the difference between rows of the same words; what the choice of words does, that between the first two rows."
)
_COVERED: Final = (
    "Distinct words in lower case with a vector, and the share of all tokens that they cover. A selection of vectors "
    "leaves out the rare words, of which most are nouns."
)
_SWEEP_WHY: Final = (
    "The same sentences as in the table of slopes by k, with other vectors. The shuffled null deals the same words out "
    "anew, so it says what lengths and words alone give with these vectors."
)


def run(bench: Workbench) -> Report:
    """Run purity, planes and slopes with every other set of vectors."""
    if not bench.beside:
        return Report(notes=(_NEEDS,))
    ks = published()["same_pos_neighbours_percent"]["k"]
    found = {name: purities(bench, name, ks) for name in bench.datasets}
    vectors = " and ".join([bench.about_vectors, *bench.beside])
    tables = (
        _purity_table(bench, found, ks, vectors),
        _coverage(bench, found, vectors),
        _planes(bench, vectors),
        _slopes(bench, vectors),
    )
    return Report(tables, (_drawing(found, ks),))


def purities(bench: Workbench, name: str, ks: list[int]) -> dict[str, Any]:
    """Return the purity of the same words with each set of vectors, computed once."""
    return bench.recall(
        "purities",
        lambda: _measure(bench, name, ks),
        datasets=(name,),
        code=(_measure, purity, tags_of, tagged),
        dataset=name,
        k=ks,
        tagger=bench.tagger,
        beside=[vectors.fingerprint for vectors in bench.beside.values()],
    )


def _measure(bench: Workbench, name: str, ks: list[int]) -> dict[str, Any]:
    """Return purity of the same words with each set of vectors, and how many words each set knows."""
    tags = tags_of(bench, name)
    every = {bench.about_vectors: bench.vectors, **bench.beside}
    corpora = {label: bench.sentences(name, lower=True, vectors=found) for label, found in every.items()}
    shared = np.logical_and.reduce([corpus.embedded for corpus in corpora.values()])
    out: dict[str, Any] = {"shared": int(shared.sum()), "purity": {}, "known": {}}
    for label, corpus in corpora.items():
        found = purity(bench, corpus, tags, ks, shared)
        out["purity"][label] = {key: found[key] for key in ("percent", "chance", "above_chance")}
        tokens = float(corpus.totals[corpus.embedded].sum() / corpus.totals.sum())
        out["known"][label] = {"words": int(corpus.embedded.sum()), "tokens": 100 * tokens}
    return out


def _purity_table(bench: Workbench, found: dict[str, Any], ks: list[int], vectors: str) -> ComparisonTable:
    entries = []
    for name, ours in found.items():
        theirs = published()["same_pos_neighbours_percent"][name]
        rows = {f"{bench.about_vectors}, all words": measured(bench, name, ks)["percent"]}
        rows |= {f"{label}, the same words": p["percent"] for label, p in ours["purity"].items()}
        rows["chance, the same words"] = [next(iter(ours["purity"].values()))["chance"]] * len(ks)
        for row, values in rows.items():
            compared = theirs if not row.startswith("chance") else [None] * len(ks)
            why = "vectors" if "same" in row else "vectors, and words"
            entries += [
                Entry((name, row), f"k={k}", value, number, explanation=why)
                for k, value, number in zip(ks, values, compared, strict=True)
            ]
    title = "Neighbours with the word's own part of speech, by vectors"
    keys = ("dataset", "vectors and words")
    return ComparisonTable(
        "vectors-purity", title, keys, entries, "%", vectors, (_PURITY_WHY,), bench.sample, digits=1
    )


def _coverage(bench: Workbench, found: dict[str, Any], vectors: str) -> ComparisonTable:
    entries = [
        Entry((name, label), column, known[key])
        for name, ours in found.items()
        for label, known in ours["known"].items()
        for column, key in (("words", "words"), ("tokens, %", "tokens"))
    ]
    title, keys = "What the vectors cover", ("dataset", "word vectors")
    return ComparisonTable(
        "vectors-coverage", title, keys, entries, "count and %", vectors, (_COVERED,), bench.sample, digits=1
    )


def _planes(bench: Workbench, vectors: str) -> ComparisonTable:
    entries = []
    for name in bench.datasets:
        for label, other in {bench.about_vectors: None, **bench.largest}.items():
            planes = {method: projected(bench, name, method, other) for method in ("tsne", "pca")}
            entries += [Entry((name, label), PLANES[m], plane["plane"]) for m, plane in planes.items()]
            entries.append(Entry((name, label), "all dimensions", planes["pca"]["space"]))
            entries.append(Entry((name, label), "chance", planes["pca"]["chance"]))
    title, keys = "Part of speech kept on the plane, by vectors", ("dataset", "word vectors")
    why = ("The most frequent words that have a vector; t-SNE keeps what the vectors hold, PCA does not.",)
    return ComparisonTable("vectors-planes", title, keys, entries, "%", vectors, why, bench.sample, digits=1)


def _slopes(bench: Workbench, vectors: str) -> ComparisonTable:
    entries = [
        entry
        for name in bench.datasets
        for label, other in {bench.about_vectors: None, **bench.largest}.items()
        for entry in sweep_entries((name, label), swept(bench, name, other))
    ]
    title, keys = "Slope of cluster sizes by k, by vectors", ("dataset", "word vectors", "points")
    return ComparisonTable(
        "vectors-slopes", title, keys, entries, "slope", vectors, (_SWEEP_WHY,), bench.sample, folded=True
    )


def _drawing(found: dict[str, Any], ks: list[int]) -> Drawing:
    def draw() -> Figure:
        from matplotlib.figure import Figure

        from lexicloud.say.figures import CATEGORICAL

        figure = Figure(figsize=(2.3 * len(found) + 0.6, 3.3), layout="constrained")
        axes = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
        for ax, (name, ours) in zip(axes, found.items(), strict=True):
            for colour, (label, vectors_found) in zip(CATEGORICAL, ours["purity"].items(), strict=False):
                ax.plot(ks, vectors_found["percent"], marker="o", ms=3, color=colour, label=label)
            theirs = published()["same_pos_neighbours_percent"][name]
            ax.plot(
                ks,
                theirs,
                marker="x",
                ls="--",
                lw=1,
                color="#444444",
                label="published (fastText 300d, all words)",
            )
            chance = next(iter(ours["purity"].values()))["chance"]
            ax.axhline(chance, color=CATEGORICAL[7], ls=":", lw=1.2, label="chance")
            ax.set(title=f"{TITLES[name]}, {ours['shared']:,} words", xlabel="nearest words k", ylim=(40, 90))
            ax.title.set_fontsize("small")
        axes[0].set_ylabel("same part of speech (%)")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize="small")
        return figure

    return Drawing(
        "vectors",
        "Share of neighbours with the same part of speech against k, by vectors, for each dataset",
        "The same words with each set of vectors. Dashed: published, over all words. Dotted: chance.",
        draw,
    )
