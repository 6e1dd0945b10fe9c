"""Words on a plane by t-SNE, PCA and MDS, and how well each plane keeps parts of speech together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.paper.comparison import TITLES, ComparisonTable, Drawing, Entry, Report
from lexicloud.paper.experiments.parts_of_speech import tagged, tags_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from lexicloud.paper.workbench import Workbench
    from lexicloud.vectors import WordVectors

METHODS: Final = ("tsne", "pca", "mds")
PLANES: Final = {"tsne": "t-SNE", "pca": "PCA", "mds": "MDS"}
# The most frequent words: a plane of all 60,000 shows no more and takes many minutes.
WORDS: Final = 3_000
QUICK_WORDS: Final = 1_000
NEAREST: Final = 10


def run(bench: Workbench) -> Report:
    """Project the words of every dataset."""
    found = {name: {method: projected(bench, name, method) for method in METHODS} for name in bench.datasets}
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
        _drawing(method, {name: planes[method] for name, planes in found.items()}) for method in METHODS
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


def _drawing(method: str, planes: dict[str, dict[str, Any]]) -> Drawing:
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
