"""Words on a plane by t-SNE, PCA and MDS, and how much of the part of speech each plane keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.paper.experiments.neighbours import tags_of
from lexicloud.paper.tables import Drawing, Entry, Report, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from lexicloud.paper.corpora import Workbench

METHODS: Final = ("tsne", "pca", "mds")
TITLES: Final = {"tsne": "t-SNE", "pca": "PCA", "mds": "MDS"}
# The most frequent words: a plane of all 60,000 shows no more and takes many minutes.
WORDS: Final = 8_000
QUICK_WORDS: Final = 1_000
NEAREST: Final = 10


def run(bench: Workbench) -> Report:
    """Project the words of every dataset."""
    entries: list[Entry] = []
    drawings: list[Drawing] = []
    for name in bench.datasets:
        found = {method: _projected(bench, name, method) for method in METHODS}
        entries += [Entry((name,), TITLES[method], planes["plane"]) for method, planes in found.items()]
        entries.append(Entry((name,), "all dimensions", found["pca"]["space"]))
        entries.append(Entry((name,), "chance", found["pca"]["chance"]))
        drawings.append(_drawing(name, found))
    table = Table(
        "projections",
        f"Share of a word's {NEAREST} nearest words with its part of speech, on each plane",
        ("dataset",),
        entries,
        "%",
        bench.about_vectors,
        (
            (
                "The paper shows t-SNE and says that it tells more than PCA and MDS; it gives no number. "
                f"Here is one, for the {QUICK_WORDS if bench.options.quick else WORDS:,} most frequent "
                "words of each dataset."
            ),
        ),
        bench.sample,
    )
    return Report((table,), tuple(drawings))


def _projected(bench: Workbench, name: str, method: str) -> dict[str, Any]:
    n = QUICK_WORDS if bench.options.quick else WORDS
    return bench.recall(
        "projection",
        lambda: _project(bench, name, method, n),
        datasets=(name,),
        code=(_project, _purity, tags_of),
        dataset=name,
        method=method,
        words=n,
        tagger=bench.tagger,
    )


def _project(bench: Workbench, name: str, method: Any, n: int) -> dict[str, Any]:
    from lexicloud.zipf import project_words

    corpus = bench.sentences(name, lower=True)
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


def _drawing(name: str, found: dict[str, dict[str, Any]]) -> Drawing:
    def draw() -> Figure:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(10, 3.9), layout="constrained")
        for ax, (method, planes) in zip(figure.subplots(1, len(found)), found.items(), strict=True):
            _scatter(ax, planes, f"{TITLES[method]}: {planes['plane']:.0f} %")
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=6, fontsize="small", markerscale=3)
        return figure

    words = len(found["pca"]["parts"])
    return Drawing(
        f"projection-{name}",
        f"The words of {name} on three planes, coloured by part of speech",
        f"{name}: the {words:,} most frequent words. In the titles, the share of the ten nearest words on "
        "the plane with the same part of speech.",
        draw,
    )


def _scatter(ax: Any, planes: dict[str, Any], title: str) -> None:
    from lexicloud.plotting import PARTS_OF_SPEECH

    parts, points = np.array(planes["parts"]), np.asarray(planes["coordinates"])
    size = float(np.clip(12_000 / len(parts), 1.5, 10))
    for part in sorted(PARTS_OF_SPEECH, key=lambda part: -int((parts == part).sum())):
        x, y = points[parts == part].T
        ax.scatter(x, y, s=size, c=PARTS_OF_SPEECH[part], lw=0, label=part)
    ax.set(xticks=[], yticks=[], title=title)
