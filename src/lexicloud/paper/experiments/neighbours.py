"""How many of a word's nearest words have its part of speech, and how many would by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lexicloud.paper.corpora import surface_of
from lexicloud.paper.published import DATASETS, published
from lexicloud.paper.tables import Drawing, Entry, Report, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lexicloud.paper.corpora import Workbench


_CHANCE_WHY = (
    "Chance is what a shuffled tagging gives: half or more of any vocabulary are nouns. Above chance runs from 0 "
    "(shuffled) to 100 (every neighbour alike). Mean over parts counts every part of speech the same, so that nouns "
    "do not decide it."
)


def run(bench: Workbench) -> Report:
    """Measure every dataset that is there."""
    ks = published()["same_pos_neighbours_percent"]["k"]
    found = {name: measured(bench, name, ks) for name in bench.datasets}
    shared = (bench.about_vectors, _why(bench), bench.sample)
    entries = [entry for name in DATASETS for entry in _compared(bench, name, found.get(name), ks)]
    beside = [entry for name, ours in found.items() for entry in _beside(name, ours, ks)]
    title = "Neighbours with the word's own part of speech"
    tables = (
        Table("neighbours", title, ("dataset",), entries, "%", *shared),
        Table(
            "neighbours-chance",
            "The same beside chance",
            ("dataset", "measure"),
            beside,
            "%",
            bench.about_vectors,
            (_CHANCE_WHY,),
            bench.sample,
        ),
    )
    return Report(tables, (_drawing(found, ks),) if found else ())


def _compared(bench: Workbench, name: str, ours: dict[str, Any] | None, ks: list[int]) -> list[Entry]:
    theirs = published()["same_pos_neighbours_percent"][name]
    values = [None] * len(ks) if ours is None else ours["percent"]
    why = "" if ours is None else _said(bench)
    return [
        Entry((name,), f"k={k}", value, number, explanation=why)
        for k, value, number in zip(ks, values, theirs, strict=True)
    ]


def _said(bench: Workbench) -> str:
    if bench.options.vectors is None:
        return "GloVe 50-d holds less of syntax than fastText 300-d; lower-case words"
    return "other vectors than the paper's; lower-case words"


def _why(bench: Workbench) -> tuple[str, ...]:
    return (
        (
            "Parts of speech by "
            f"{'NLTK' if bench.tagger == 'nltk' else 'TextBlob (NLTK has no tagger data here)'}, each word "
            "by itself and in the case in which it is written most often, as in the paper. Neighbours are "
            "taken among the dataset's words in lower case: with lower-case vectors, The and the would be "
            "neighbours at distance zero."
        ),
    )


def measured(bench: Workbench, name: str, ks: list[int]) -> dict[str, Any]:
    """Return purity for all k, chance, and the mean over parts."""
    return bench.recall(
        "neighbours",
        lambda: _measure(bench, name, ks),
        datasets=(name,),
        code=(_measure, tags_of),
        dataset=name,
        k=ks,
        tagger=bench.tagger,
    )


def tags_of(bench: Workbench, name: str) -> dict[str, str]:
    """Return the part of every word in lower case, tagged as it is written most often."""
    from lexicloud.text import is_punctuation, tag_words

    surface = surface_of(bench.sentences(name))
    parts = tag_words(surface.values(), tagger=bench.tagger)
    pairs = zip(surface, parts, strict=True)
    return {word: "other" if is_punctuation(word) else part for word, part in pairs}


def _measure(bench: Workbench, name: str, ks: list[int]) -> dict[str, Any]:
    from lexicloud.zipf import part_of_speech_purity

    corpus = bench.sentences(name, lower=True)
    available = int(corpus.embedded.sum()) - 1
    found = part_of_speech_purity(
        corpus, [min(k, available) for k in ks], tags=tags_of(bench, name), seed=bench.options.seed
    )
    return {**found.to_dict(), "tagger": bench.tagger}


def _beside(name: str, ours: dict[str, Any], ks: list[int]) -> list[Entry]:
    measures = {
        "chance": [ours["chance"]] * len(ks),
        "above chance": ours["above_chance"],
        "mean over parts": ours["balanced"],
    }
    return [
        Entry((name, measure), f"k={k}", value)
        for measure, values in measures.items()
        for k, value in zip(ks, values, strict=True)
    ]


def _drawing(found: dict[str, dict[str, Any]], ks: list[int]) -> Drawing:
    def draw() -> Figure:
        from matplotlib.figure import Figure

        from lexicloud.plotting import CATEGORICAL

        figure = Figure(figsize=(7, 4), layout="constrained")
        ax = figure.subplots()
        for colour, (name, ours) in zip(CATEGORICAL, found.items(), strict=False):
            ax.plot(ks, ours["percent"], marker="o", color=colour, label=f"{name}, ours")
            theirs = published()["same_pos_neighbours_percent"][name]
            ax.plot(ks, theirs, marker="x", ls="--", lw=1, color=colour, label=f"{name}, published")
            ax.axhline(ours["chance"], color=colour, ls=":", lw=1)
        ax.set(xlabel="nearest words k", ylabel="same part of speech (%)", ylim=(0, 100))
        ax.legend(fontsize="x-small", ncols=2, loc="lower left")
        return figure

    return Drawing(
        "neighbours",
        "Share of neighbours with the same part of speech against k, ours and published",
        "Solid: ours. Dashed: published. Dotted: chance.",
        draw,
    )
