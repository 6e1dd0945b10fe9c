"""The charts of the report: results in, drawings out, nothing computed."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from lexicloud.say.blocks import cut, signed
from lexicloud.say.charts import GREY, INK, Series, bar_chart, heat_chart, mixed, tree_chart, xy_chart
from lexicloud.say.figures import APART, CATEGORICAL, PARTS_OF_SPEECH, TOWARDS
from lexicloud.say.map_block import grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lexicloud.report.chapters.attribution import AttributionChapter
    from lexicloud.report.chapters.divergence_map import DivergenceMapChapter
    from lexicloud.say.html import Html
    from lexicloud.zipf import ClusterSizes, PartOfSpeechTable, Purity, RankFrequency, ZipfFit

_BLUE, _ORANGE = CATEGORICAL[0], CATEGORICAL[5]
_NULLS: Final = {
    "gaussian": (CATEGORICAL[1], "Gaussian cloud"),
    "shuffled": (CATEGORICAL[2], "shuffled words"),
}
_POINTS: Final = 400  # of a rank plot; more could not be seen apart


def label_colours(labels: Sequence[str | None]) -> list[str]:
    """Return the colour of each text: its label's, as on the map."""
    found = grouped("label", labels)
    return [found.groups[i].colour if i >= 0 else INK for i in found.of]


def heat_map(part: DivergenceMapChapter, alt: str) -> Html:
    """Draw all pairs in the order of the tree; the diagonal is empty."""
    order = list(part.texts.tree.leaves)[::-1]
    values = part.shown.values[order][:, order].tolist()
    off = sorted(value for i, row in enumerate(values) for j, value in enumerate(row) if i != j)
    names = [cut(part.names[i], 26) for i in order]
    low, high = off[round(0.02 * (len(off) - 1))], off[round(0.98 * (len(off) - 1))]
    if part.standardised:
        high = max(abs(low), abs(high)) or 1.0
        low = -high

    def colour(i: int, j: int) -> str | None:
        return None if i == j else mixed((values[i][j] - low) / ((high - low) or 1.0), TOWARDS, APART)

    def title(i: int, j: int) -> str:
        return f"{names[i]} from {names[j]}: {signed(values[i][j])}"

    return heat_chart(names, colour, title, alt)


def dendrogram(part: DivergenceMapChapter, alt: str) -> Html:
    """Draw the tree, root to the right, names coloured by label."""
    tree, colours = part.texts.tree, label_colours(part.labels)
    joins = list(zip(tree.heights, tree.positions, strict=True))
    names = [cut(part.names[i], 30) for i in tree.leaves]
    return tree_chart(names, [colours[i] for i in tree.leaves], joins, alt, "distance at which they join")


def corners(counts: Sequence[int]) -> list[int]:
    """Return both ends of each step in descending counts: all other points lie on flat lines between them.

    Of very many places, it returns some that are evenly spaced on a logarithmic scale.
    """
    change = [i for i, (a, b) in enumerate(pairwise(counts)) if a != b]
    places = sorted({0, *change, *(i + 1 for i in change), len(counts) - 1})
    if len(places) <= _POINTS:
        return places
    return [places[i - 1] for i in sorted({round(x) for x in spaced(1, len(places), _POINTS)})]


def spaced(low: float, high: float, n: int) -> list[float]:
    """Return numbers from low to high that are evenly spaced on a logarithmic scale.

    >>> spaced(1, 100, 3)
    [1.0, 10.0, 100.0]
    """
    return [low * (high / low) ** (i / (n - 1)) for i in range(n)]


def ranks(ranked: RankFrequency, fit: ZipfFit | None, alt: str) -> Html:
    """Draw count against rank with the fitted laws."""
    counts = ranked.counts.tolist()
    places = corners(counts)
    words = ranked.words or [""] * len(ranked)
    titles = [f"{words[i]}: rank {i + 1:,}, {counts[i]:,} times" for i in places]
    series = [Series("words", [i + 1 for i in places], [counts[i] for i in places], _BLUE, "dots", titles)]
    if fit is not None:
        x = spaced(1, fit.words, 80)
        series.append(Series(f"least squares, slope {signed(fit.slope)}", x, fit.line(x), GREY, "dashed"))
        if fit.converged:
            name = f"Zipf–Mandelbrot, α = {fit.alpha:.2f}, β = {signed(fit.beta)}"
            series.append(Series(name, x, fit.predict(x), _ORANGE))
    shown = [_above(s, 0.5) for s in series]
    return xy_chart(shown, alt, names=("rank", "count"), log=(True, True))


def _above(series: Series, least: float) -> Series:
    """Return a series without the points below `least`, the lower edge of the plot."""
    kept = [i for i, y in enumerate(series.y) if y >= least]
    x, y = [series.x[i] for i in kept], [series.y[i] for i in kept]
    titles = [series.titles[i] for i in kept] if series.titles else ()
    return Series(series.name, x, y, series.colour, series.look, titles, series.width)


def part_ranks(table: PartOfSpeechTable, alt: str) -> Html:
    """Draw count against rank within each part of speech, and for all words."""
    counts = {part: found.tolist() for part, found in table.counts.items() if len(found)}
    everything = sorted((n for found in counts.values() for n in found), reverse=True)
    series = [_steps(everything, "all words", INK, 3.0)]
    series += [_steps(found, part, PARTS_OF_SPEECH[part], 1.8) for part, found in counts.items()]
    return xy_chart(series, alt, names=("rank within the part", "count"), log=(True, True))


def _steps(counts: Sequence[int], name: str, colour: str, width: float) -> Series:
    places = corners(counts)
    x, y = [i + 1 for i in places], [counts[i] for i in places]
    return Series(name, x, y, colour, "line" if len(places) > 1 else "dots", (), width)


def purity(found: Purity, alt: str) -> Html:
    """Draw the share of neighbours with the same part of speech against k, chance dotted."""
    series = [
        Series(
            part,
            found.k,
            found.per_category[i],
            PARTS_OF_SPEECH[part],
            "line",
            _shares(part, found.per_category[i]),
        )
        for i, part in enumerate(found.parts)
        if found.n_per_category[i]
    ]
    series.append(
        Series("all words", found.k, found.percent, INK, "line", _shares("all words", found.percent), 3.5)
    )
    return xy_chart(
        series, alt, names=("nearest words k", "same part of speech (%)"), log=(True, False), ticks=found.k,
        height=340.0, line=(found.chance, "chance"), top=100.0,
    )  # fmt: skip


def _shares(name: str, values: Iterable[float]) -> list[str]:
    return [f"{name}: {value:.1f} %" for value in values]


def clusters(found: ClusterSizes, alt: str) -> Html:
    """Draw cluster size against rank, with the fitted line and the null models, which have no themes."""
    places = range(1, len(found.sizes) + 1)
    sizes = zip(found.sizes.tolist(), found.clusters, strict=False)
    titles = [f"{n:,} sentences: {' '.join(c.words[:6])}" for n, c in sizes]
    series = [
        Series(f"sentences, slope {signed(found.slope)}", places, found.sizes, _BLUE, "dots", titles),
        Series("", places, found.line.at(places), _BLUE),
    ]
    for key, model in found.null.items():
        colour, name = _NULLS[key]
        mean = model.sizes.mean(axis=0)
        series.append(
            Series(f"{name}, slope {signed(model.slope)}", range(1, len(mean) + 1), mean, colour, "dashed")
        )
    ticks = [t for t in (1, 2, 5, 10, 20, 50, 100) if t <= len(places)]
    return xy_chart(
        series, alt, names=("rank of the cluster", "sentences in it"), log=(True, True), ticks=ticks
    )


def accuracy(part: AttributionChapter, alt: str) -> Html:
    """Draw bars of accuracy, a group for each length of text, with chance as a dotted line."""
    groups = ["whole texts", *(f"{e.words:,} words" for e in part.excerpts)]
    series = [
        (
            method,
            CATEGORICAL[i % len(CATEGORICAL)],
            [
                100 * s
                for s in (result.accuracy, *(e.accuracy.get(method, float("nan")) for e in part.excerpts))
            ],
        )
        for i, (method, result) in enumerate(part.results.items())
    ]
    return bar_chart(groups, series, alt, name="found (%)", line=(100 * part.main.chance, "chance"))


def confusion(part: AttributionChapter, alt: str) -> Html:
    """Draw true labels against labels found; the diagonal is right."""
    table = part.main.confusion
    names = [cut(label, 24) for label in part.main.classes]
    shares = table / table.sum(axis=1, keepdims=True).clip(1)

    def colour(i: int, j: int) -> str | None:
        return (
            mixed(0.35 * (1 - float(shares[i, j])), TOWARDS if i == j else APART, APART)
            if table[i, j]
            else None
        )

    def title(i: int, j: int) -> str:
        return f"{names[i]}, found: {names[j]}, {table[i, j]} texts"

    return heat_chart(names, colour, title, alt, across=f"{part.kind} found")
