"""The parts of speech of every dataset, and how well nearest words and planes keep them together.

The planes are by t-SNE, PCA and MDS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.paper.comparison import DATASETS, TITLES, ComparisonTable, Drawing, Entry, Report, published
from lexicloud.paper.workbench import surface_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.paper.workbench import Workbench
    from lexicloud.vectors import WordVectors

# The authors' code groups tags so: modals and wh-pronouns are "other", wh-adverbs are adverbs.
GROUPING: Final = "authors"
_KINDS: Final = {
    "total": ("pos_total_tokens_percent", "token_percent"),
    "unique": ("pos_unique_tokens_percent", "word_percent"),
}
_NO_VECTORS: Final = "none: no vectors are used but to choose the words"
# Shares that differ by less agree: versions of the tagger differ by as much.
_AGREES: Final = 0.5
# How a dataset differs from the paper's, to add to an explanation.
_PARTLY: Final = {
    "gatsby": "; another edition",
    "reuters": "",
    "brown": "",
    "gutenberg": "; 73 of 79 books",
    "race": "; 82 % of the passages",
}
_SPREAD_WHY: Final = (
    "The paper rests on the explanation of Zipf's law by the part of speech as a latent variable: narrow "
    "distributions of different means that add up to a broad one. Where nouns, verbs, adjectives and adverbs by "
    "themselves are about as widely spread as all words together, explained stays small: it says how much of the "
    "breadth lies between parts."
)
_CHANCE_WHY: Final = (
    "Chance is what a shuffled tagging gives: half or more of any vocabulary are nouns. Above chance runs from 0 "
    "(shuffled) to 100 (every neighbour alike). Mean over parts counts every part of speech the same, so that nouns "
    "do not decide it."
)
_NEIGHBOURS_WHY: Final = (
    "Parts of speech by {tagger}, each word by itself, in the case in which it is written most often, grouped as in "
    "the authors' code. Neighbours are taken among the dataset's words in lower case: with lower-case vectors The and "
    "the would be neighbours at distance zero. The paper's words keep their case, which its vectors know: a word's own "
    "capitalised form, mostly of the same part, is then among its nearest, and purity is higher for it."
)
_GATSBY_WHY: Final = (
    "Gatsby in three ways at k = 3: {merged:.1f} with case merged and each word tagged as it is mostly written (the "
    "table), {lower:.1f} with case merged and each word tagged in lower case (as on the page on Zipf's law, with its "
    "own tokenizer), {own:.1f} with every written form a word of its own. The last is too high with lower-case "
    "vectors: The and the lie at distance zero."
)


def composition(bench: Workbench) -> Report:
    """Count the parts of speech of every dataset."""
    found = {name: _part_counts(bench, name) for name in bench.datasets}
    return Report((*(_shares(bench, kind, found) for kind in _KINDS), _spread(bench, found)))


def _shares(bench: Workbench, kind: str, found: dict[str, dict[str, Any]]) -> ComparisonTable:
    theirs, ours = _KINDS[kind]
    numbers = published()[theirs]
    entries = [
        _share_entry(name, part, found.get(name), ours, numbers[name][i])
        for name in DATASETS
        for i, part in enumerate(numbers["columns"])
    ]
    title = f"Parts of speech, share of {'all' if kind == 'total' else 'distinct'} tokens that have a vector"
    return ComparisonTable(
        f"pos-{kind}", title, ("dataset",), entries, "%", _NO_VECTORS, _why(bench), bench.sample
    )


def _share_entry(name: str, part: str, counted: dict[str, Any] | None, key: str, theirs: float) -> Entry:
    ours = None if counted is None else counted["parts"][part][key]
    if ours is None or abs(ours - theirs) <= _AGREES:
        return Entry((name,), part, ours, theirs)
    why = "other words have a vector"
    if key == "token_percent":
        why = "quotation marks and dashes, which are other here, have a vector in one model and not in the other"
    return Entry((name,), part, ours, theirs, explanation=why + _PARTLY[name])


def _why(bench: Workbench) -> tuple[str, ...]:
    if bench.tagger == "nltk":
        return (
            (
                "NLTK's perceptron tagger, one word at a time and in its own case, over words that have a vector. Tags "
                "are grouped as in the authors' code: modals (MD) and wh-pronouns (WP) are other, wh-adverbs (WRB) "
                "adverbs."
            ),
        )
    return (
        "NLTK's tagger has no data here, so TextBlob's tags stand in: its shares differ by tens of points.",
    )


def _spread(bench: Workbench, found: dict[str, dict[str, Any]]) -> ComparisonTable:
    entries = []
    for name, counted in found.items():
        parts = {f"spread of {part}": values["spread"] for part, values in counted["parts"].items()}
        columns = {"explained": 100 * counted["explained"], **parts, "spread of all": counted["total_spread"]}
        entries += [Entry((name,), column, value) for column, value in columns.items()]
    title = "Does the part of speech explain the breadth of word counts?"
    unit = "explained: % of the variance of a token's log count; spread: standard deviation of log₁₀ count"
    return ComparisonTable(
        "pos-spread", title, ("dataset",), entries, unit, _NO_VECTORS, (_SPREAD_WHY,), bench.sample
    )


def _part_counts(bench: Workbench, name: str) -> dict[str, Any]:
    return bench.recall(
        "pos",
        lambda: _count_parts(bench, name),
        datasets=(name,),
        code=(_count_parts, tagged),
        dataset=name,
        tagger=bench.tagger,
        grouping=GROUPING,
    )


def _count_parts(bench: Workbench, name: str) -> dict[str, Any]:
    from lexicloud.zipf import part_of_speech_table

    corpus = bench.sentences(name)
    embedded = [w for w, found in zip(corpus.vocabulary, corpus.embedded, strict=True) if found]
    return part_of_speech_table(corpus, tags=tagged(bench, embedded, embedded)).to_dict()


def tagged(bench: Workbench, words: Iterable[str], written: Iterable[str]) -> dict[str, str]:
    """Return the part of each word, tagged by itself as it is `written`, grouped as in the authors' code.

    Marks are "other": NLTK's tagger takes curly quotes and dashes, a twentieth of a novel's tokens, for nouns.
    """
    from lexicloud.text import is_punctuation, tag_words

    parts = tag_words(written, tagger=bench.tagger, grouping=GROUPING)
    pairs = zip(words, parts, strict=True)
    return {word: "other" if is_punctuation(word) else part for word, part in pairs}


def tags_of(bench: Workbench, name: str) -> dict[str, str]:
    """Return the part of every word in lower case, tagged as it is written most often."""
    surface = surface_of(bench.sentences(name))
    return tagged(bench, surface, surface.values())


# ---- neighbours


def neighbours(bench: Workbench) -> Report:
    """Measure the share of nearest words with the same part of speech in every dataset."""
    ks = published()["same_pos_neighbours_percent"]["k"]
    found = {name: measured(bench, name, ks) for name in bench.datasets}
    entries = [entry for name in DATASETS for entry in _compared(name, found.get(name), ks)]
    beside = [entry for name, ours in found.items() for entry in _beside(name, ours, ks)]
    about = (bench.about_vectors, _neighbours_why(bench), bench.sample)
    title = "Neighbours with the word's own part of speech"
    tables = (
        ComparisonTable("neighbours", title, ("dataset",), entries, "%", *about),
        ComparisonTable(
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


def _compared(name: str, ours: dict[str, Any] | None, ks: list[int]) -> list[Entry]:
    theirs = published()["same_pos_neighbours_percent"][name]
    values = [None] * len(ks) if ours is None else ours["percent"]
    why = ""
    if ours is not None:
        why = (
            "other vectors (the table of other vectors says how much they do); lower-case words"
            + _PARTLY[name]
        )
    return [
        Entry((name,), f"k={k}", value, number, explanation=why)
        for k, value, number in zip(ks, values, theirs, strict=True)
    ]


def _neighbours_why(bench: Workbench) -> tuple[str, ...]:
    tagger = "NLTK" if bench.tagger == "nltk" else "TextBlob (NLTK has no tagger data here)"
    lines = [_NEIGHBOURS_WHY.format(tagger=tagger)]
    if "gatsby" in bench.datasets:
        ways = _gatsby_ways(bench)
        lines.append(_GATSBY_WHY.format(**ways))
    return tuple(lines)


def measured(bench: Workbench, name: str, ks: list[int]) -> dict[str, Any]:
    """Return the purity of a dataset's words for all k, with chance."""
    return bench.recall(
        "neighbours",
        lambda: _measure(bench, name, ks),
        datasets=(name,),
        code=(_measure, purity, tags_of, tagged),
        dataset=name,
        k=ks,
        tagger=bench.tagger,
    )


def _measure(bench: Workbench, name: str, ks: list[int]) -> dict[str, Any]:
    corpus = bench.sentences(name, lower=True)
    return {**purity(bench, corpus, tags_of(bench, name), ks), "tagger": bench.tagger}


def purity(
    bench: Workbench,
    corpus: Corpus,
    tags: dict[str, str],
    ks: list[int],
    mask: NDArray[np.bool_] | None = None,
) -> dict[str, Any]:
    """Return purity for all k, chance, and the mean over parts."""
    from lexicloud.zipf import part_of_speech_purity

    eligible = corpus.embedded if mask is None else mask & corpus.embedded
    possible = [min(k, int(eligible.sum()) - 1) for k in ks]
    return part_of_speech_purity(corpus, possible, tags=tags, mask=mask, seed=bench.options.seed).to_dict()


def _gatsby_ways(bench: Workbench) -> dict[str, float]:
    """Return Gatsby's purity at k = 3 by what counts as a word and how it is tagged."""
    return bench.recall(
        "gatsby-purity",
        lambda: _three_ways(bench),
        datasets=("gatsby",),
        code=(_three_ways, purity, tags_of, tagged),
        tagger=bench.tagger,
    )


def _three_ways(bench: Workbench) -> dict[str, float]:
    written, lower = bench.sentences("gatsby"), bench.sentences("gatsby", lower=True)
    ways = {
        "merged": (lower, tags_of(bench, "gatsby")),
        "lower": (lower, tagged(bench, lower.vocabulary, lower.vocabulary)),
        "own": (written, tagged(bench, written.vocabulary, written.vocabulary)),
    }
    return {way: purity(bench, corpus, tags, [3])["percent"][0] for way, (corpus, tags) in ways.items()}


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

        from lexicloud.say.figures import CATEGORICAL

        figure = Figure(figsize=(2.3 * len(found) + 0.6, 3.2), layout="constrained")
        axes = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
        for ax, (name, ours) in zip(axes, found.items(), strict=True):
            ax.plot(ks, ours["percent"], marker="o", ms=4, color=CATEGORICAL[0], label="ours")
            theirs = published()["same_pos_neighbours_percent"][name]
            ax.plot(ks, theirs, marker="x", ls="--", lw=1, color=CATEGORICAL[1], label="published")
            ax.axhline(ours["chance"], color=CATEGORICAL[7], ls=":", lw=1.2, label="chance")
            ax.set(title=TITLES[name], xlabel="nearest words k", ylim=(40, 90))
        axes[0].set_ylabel("same part of speech (%)")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize="small")
        return figure

    return Drawing(
        "neighbours",
        "Share of neighbours with the same part of speech against k for each dataset, ours and published",
        "Solid: ours. Dashed: published. Dotted: what a shuffled tagging gives.",
        draw,
    )


PROJECTIONS: Final = ("tsne", "pca", "mds")
PLANES: Final = {"tsne": "t-SNE", "pca": "PCA", "mds": "MDS"}
# The most frequent words: a plane of all 60,000 shows no more and takes many minutes.
WORDS: Final = 3_000
QUICK_WORDS: Final = 1_000
NEAREST: Final = 10


def projections(bench: Workbench) -> Report:
    """Project the words of every dataset."""
    found = {
        name: {method: projected(bench, name, method) for method in PROJECTIONS} for name in bench.datasets
    }
    entries: list[Entry] = []
    for name, planes in found.items():
        entries += [Entry((name,), PLANES[method], plane["plane"]) for method, plane in planes.items()]
        entries.append(Entry((name,), "all dimensions", planes["pca"]["space"]))
        entries.append(Entry((name,), "chance", planes["pca"]["chance"]))
    title = f"Share of a word's {NEAREST} nearest words with its part of speech, on each plane"
    why = (
        (
            "The paper shows t-SNE and says that it tells more than PCA and MDS; it gives no number. Here is one, for "
            f"the {QUICK_WORDS if bench.options.quick else WORDS:,} most frequent words of each dataset."
        ),
    )
    table = ComparisonTable(
        "projections", title, ("dataset",), entries, "%", bench.about_vectors, why, bench.sample
    )
    drawings = [
        _planes_drawing(method, {name: planes[method] for name, planes in found.items()})
        for method in PROJECTIONS
    ]
    return Report((table,), tuple(drawings) if found else ())


def projected(bench: Workbench, name: str, method: str, vectors: WordVectors | None = None) -> dict[str, Any]:
    """Return a dataset's most frequent words on a plane, with their parts and how many neighbours share them."""
    n = QUICK_WORDS if bench.options.quick else WORDS
    return bench.recall(
        "projection",
        lambda: _project(bench, name, method, n, vectors),
        datasets=(name,),
        code=(_project, _purity, tags_of, tagged),
        vectors=vectors,
        dataset=name,
        method=method,
        words=n,
        tagger=bench.tagger,
    )


def _project(bench: Workbench, name: str, method: Any, n: int, vectors: WordVectors | None) -> dict[str, Any]:
    from lexicloud.zipf import project_words

    corpus = bench.sentences(name, lower=True, vectors=vectors)
    plane = project_words(corpus, method, n=n, seed=bench.options.seed, tags=tags_of(bench, name))
    parts = np.array(plane.parts)
    out: dict[str, Any] = {
        "coordinates": plane.coordinates.astype(np.float32),
        "parts": plane.parts,
        "plane": _purity(plane.coordinates, parts),
        "notes": list(plane.notes),
    }
    if method == "pca":
        rows = [corpus.vocabulary.ids[word] for word in plane.words]
        out["space"] = _purity(np.asarray(corpus.vectors)[rows], parts)
        shares = np.unique(parts, return_counts=True)[1]
        out["chance"] = float(100 * (shares * (shares - 1)).sum() / (len(parts) * (len(parts) - 1)))
    return out


def _purity(points: NDArray[Any], parts: NDArray[Any]) -> float:
    from sklearn.neighbors import NearestNeighbors

    k = min(NEAREST, len(points) - 1)
    nearest = NearestNeighbors(n_neighbors=k).fit(points).kneighbors(return_distance=False)
    return float(100 * (parts[nearest] == parts[:, None]).mean())


def _planes_drawing(method: str, planes: dict[str, dict[str, Any]]) -> Drawing:
    def draw() -> Figure:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(2.7 * len(planes) + 0.2, 3.3), layout="constrained")
        for ax, (name, plane) in zip(
            figure.subplots(1, len(planes), squeeze=False)[0], planes.items(), strict=True
        ):
            _scatter(ax, plane, f"{TITLES[name]}: {plane['plane']:.0f} % alike")
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=6, fontsize="small", markerscale=3)
        return figure

    where = (
        "As figure 2 and the appendix of the paper."
        if method == "tsne"
        else "The paper made it and left it out."
    )
    most = max((len(plane["parts"]) for plane in planes.values()), default=0)
    return Drawing(
        f"projections-{method}",
        f"The words of each dataset on a plane by {PLANES[method]}, coloured by part of speech",
        f"{PLANES[method]} of the {most:,} most frequent words of each dataset. {where} Alike: the share of "
        "the ten nearest words on the plane that have the same part of speech.",
        draw,
    )


def _scatter(ax: Any, planes: dict[str, Any], title: str) -> None:
    from lexicloud.say.figures import PARTS_OF_SPEECH

    parts, points = np.array(planes["parts"]), np.asarray(planes["coordinates"])
    size = float(np.clip(8_000 / len(parts), 1.0, 10))
    for part in sorted(PARTS_OF_SPEECH, key=lambda part: -int((parts == part).sum())):
        x, y = points[parts == part].T
        ax.scatter(x, y, s=size, c=PARTS_OF_SPEECH[part], lw=0, label=part)
    # Without this, a few words far out would squeeze all others into a corner.
    for axis, values in (("x", points[:, 0]), ("y", points[:, 1])):
        low, high = np.quantile(values, [0.002, 0.998])
        getattr(ax, f"set_{axis}lim")(low - 0.05 * (high - low), high + 0.05 * (high - low))
    ax.set(xticks=[], yticks=[], title=title)
