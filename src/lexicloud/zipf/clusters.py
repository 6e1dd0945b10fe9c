"""The sizes of clusters of sentences: do they follow a power law, and would those of noise do so too?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from scipy import sparse

from lexicloud.errors import OptionError
from lexicloud.progress import stage, track
from lexicloud.result import Result, TabularResult
from lexicloud.say.blocks import (
    Block,
    Facts,
    Figure,
    Passage,
    Passages,
    Sentence,
    cut,
    listed,
    many,
    signed,
    table,
)
from lexicloud.words.keyness import log_odds
from lexicloud.words.kinds import CONTENT
from lexicloud.zipf.kmeans import ITERATIONS, Clustering, check_k, k_means
from lexicloud.zipf.ranks import SizeLine, size_line
from lexicloud.zipf.sentence_means import (
    NULL_NAMES,
    NULLS,
    NullModel,
    SentenceMeans,
    null_model,
    sentence_means,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

# A word is listed if its log-odds inside against outside are above so many standard errors.
_NOTABLE: Final = 1.0


def characteristic_words(
    counts: sparse.csr_array, labels: NDArray[np.int32], k: int, top: int = 10
) -> list[list[tuple[int, float]]]:
    """Return for each cluster its most characteristic words as (number, z), most characteristic first.

    z compares the cluster with all others (`lexicloud.words.keyness.log_odds`). Only words with z above 1 are listed.

    >>> rows = sparse.csr_array(np.array([[5, 0, 5], [0, 5, 5]], dtype=np.float32))
    >>> [[word for word, _ in words] for words in characteristic_words(rows, np.array([0, 1]), 2)]
    [[0], [1]]
    """
    n = counts.shape[0]
    members = sparse.csr_array((np.ones(n, dtype=np.float32), (labels, np.arange(n))), shape=(k, n))
    inside = (members @ counts).tocsr()
    totals = np.asarray(inside.sum(axis=0), dtype=np.float64).ravel()
    return [_top_words(inside[[c]].toarray().ravel().astype(np.float64), totals, top) for c in range(k)]


def _top_words(inside: NDArray[np.float64], totals: NDArray[np.float64], top: int) -> list[tuple[int, float]]:
    scores = np.where(inside > 0, log_odds(inside, totals - inside), 0.0)
    order = np.argsort(-scores, kind="stable")[:top]
    return [(int(w), float(scores[w])) for w in order if scores[w] > _NOTABLE]


# So many sentences nearest to and farthest from each centre are shown, as in the paper.
EXAMPLES: Final = 5
# So many clusters are listed in a terminal and a notebook; a page and a file have all of them.
LISTED: Final = 10
_NORMAL_95: Final = 1.96


@dataclass(frozen=True)
class Cluster(Result):
    """One cluster: its size, the sentences nearest to and farthest from its centre, and its characteristic words."""

    size: int
    nearest: tuple[str, ...]
    farthest: tuple[str, ...]
    words: tuple[str, ...]

    def blocks(self) -> list[Block]:
        """Return the cluster's words and the sentences at its centre and at its edge."""
        said = f"A cluster of {many(self.size, 'sentence')}: {', '.join(self.words) or 'no characteristic word'}."
        return [
            Sentence(said, "answer"),
            Passages(tuple(Passage(text) for text in self.nearest), "At its centre"),
            Passages(tuple(Passage(text) for text in self.farthest), "At its edge"),
        ]


@dataclass(frozen=True, eq=False)
class ClusterSizes(TabularResult):
    """Clusters of distinct sentences, largest first, with the slope of log size against log rank.

    `interval` is the slope ± 1.96 standard errors of a bootstrap over sentences, each resample clustered anew (None
    without one). `null` holds the same k-means on points without themes. `labels` has the number of each sentence's
    cluster, or −1 for a repetition or a sentence without vectors.
    """

    _left_out = ("line", "centres", "labels")
    _derived = ("slope", "intercept", "r_squared", "exponential_r_squared", "verdict", "n_empty")
    _renamed: ClassVar = {"source": "vectors"}

    sizes: NDArray[np.int64]
    line: SizeLine
    interval: tuple[float, float] | None
    null: Mapping[str, NullModel]
    centres: NDArray[np.float32]
    clusters: tuple[Cluster, ...]
    labels: NDArray[np.int32]
    k: int
    n_sentences: int
    n_duplicates: int
    n_unembeddable: int
    objective: float
    iterations: int
    resamples: int
    seed: int
    source: str

    @property
    def slope(self) -> float:
        """The least-squares slope of log size against log rank; Zipf's law has −1."""
        return self.line.slope

    @property
    def intercept(self) -> float:
        """The line's log₁₀ size at rank 1."""
        return self.line.intercept

    @property
    def r_squared(self) -> float:
        """The share of the variance of log size that the line explains."""
        return self.line.r_squared

    @property
    def exponential_r_squared(self) -> float:
        """The share that a line through log size against rank itself explains, as for sizes that fall exponentially."""
        return self.line.exponential

    @property
    def n_empty(self) -> int:
        """How many of the k clusters stayed empty; they have no size and no rank."""
        return self.k - len(self.sizes)

    @property
    def summary(self) -> str:
        """The slope and those of the null models, in one sentence."""
        given = f"slope {self.slope:.2f}"
        if self.interval is not None:
            given += f" (95 %: {self.interval[0]:.2f} to {self.interval[1]:.2f})"
        others = [f"{name} {model.slope:.2f} ± {model.spread:.2f}" for name, model in self.null.items()]
        return f"{given}; null models: {', '.join(others)}" if others else given

    @property
    def verdict(self) -> str:
        """Whether the slope differs from the null models' by more than two standard errors, in words.

        Only a slope steeper than every null model's shows that themes make the sizes more unequal.
        """
        judged = [f"{self._against(model)} the {name} null model's" for name, model in self.null.items()]
        return " and ".join(judged) or "there is no null model to compare with"

    def _against(self, model: NullModel) -> str:
        own = 0.0 if self.interval is None else (self.interval[1] - self.slope) / _NORMAL_95
        if abs(self.slope - model.slope) <= 2 * np.hypot(own, model.spread):
            return "no different from"
        return "steeper than" if self.slope < model.slope else "flatter than"

    @property
    def themes(self) -> bool:
        """Whether the sizes are more unequal than those of every null model."""
        return bool(self.null) and all(self._against(m) == "steeper than" for m in self.null.values())

    @property
    def conclusion(self) -> str:
        """What the slope says beside those of the null models, in words that need no formula."""
        if not self.null:  # then only what the groups are about was asked
            own = [f"“{' · '.join(cluster.words[:3])}”" for cluster in self.clusters[:3] if cluster.words]
            first = f"; the largest are about {listed(own)}" if own else ""
            return f"{many(self.n_sentences, 'sentence')} in {len(self.sizes)} groups{first}."
        said = f"Clusters of sentences have sizes with a slope of {signed(self.slope)} (Zipf’s law: −1)"
        nulls = listed([f"{NULL_NAMES.get(n, n)} {signed(model.slope)}" for n, model in self.null.items()])
        verdict = (
            "themes make the sizes more unequal than that"
            if self.themes
            else "by itself the slope is no evidence of themes"
        )
        return f"{said}, but k-means gives unequal clusters on anything ({nulls}): {verdict}."

    def blocks(self) -> list[Block]:
        """Return what the slope proves, the shape of the sizes, and the clusters."""
        better, worse = ("an exponential", "a power law")
        powers = (self.exponential_r_squared, self.r_squared)
        if powers[0] < powers[1]:
            better, worse, powers = worse, better, powers[::-1]
        shape = f"Down the ranks {better} fits the sizes better than {worse} (R² {powers[0]:.2f} and {powers[1]:.2f})."
        alt = f"Sizes of {len(self.sizes)} clusters against rank on logarithmic scales, slope {signed(self.slope)}."
        rows = [
            (i + 1, c.size, " ".join(c.words[:8]), cut(c.nearest[0], 160) if c.nearest else None)
            for i, c in enumerate(self.clusters)
        ]
        return [
            Sentence(self.conclusion, "answer"),
            *([Sentence(f"The slope is {self.verdict}.", "sure")] if self.null else []),
            Sentence(shape),
            Figure("clusters", alt, self.plot, "Cluster size against rank"),
            table(["rank", "sentences", "its words", "the sentence at its centre"], rows, top=LISTED),
            Facts(tuple(self._facts())),
        ]

    def _facts(self) -> Iterator[tuple[str, str]]:
        low, high = self.interval or (self.slope, self.slope)
        yield (
            "slope",
            f"{signed(self.slope)} (95 %: {signed(low)} to {signed(high)})"
            if self.interval
            else signed(self.slope),
        )
        for name, model in self.null.items():
            yield NULL_NAMES.get(name, name), f"{signed(model.slope)} ± {model.spread:.2f}"
        yield "sentences", f"{self.n_sentences:,} in {self.k} clusters"
        yield "vectors", self.source

    def __str__(self) -> str:
        return f"{self.summary}: {self.verdict}"

    def to_columns(self) -> dict[str, Any]:
        """Return each cluster's rank, size, words and the sentences nearest to and farthest from its centre."""
        return {
            "rank": np.arange(1, len(self.sizes) + 1),
            "size": self.sizes,
            "words": [" ".join(cluster.words) for cluster in self.clusters],
            "nearest": [cluster.nearest[0] for cluster in self.clusters],
            "farthest": [cluster.farthest[0] for cluster in self.clusters],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw size against rank with its line, and the null models' sizes."""
        from lexicloud.zipf.zipf_plots import plot_cluster_sizes

        return plot_cluster_sizes(self, ax)


def cluster_sizes(
    corpus: Corpus,
    k: int = 35,
    *,
    seed: int = 0,
    iterations: int = ITERATIONS,
    resamples: int = 20,
    null: Sequence[str] = tuple(NULLS),
    null_seeds: int = 5,
    mask: NDArray[np.bool_] | None = None,
    refined: bool = False,
) -> ClusterSizes:
    """Cluster a corpus's sentences by their mean vectors and compare sizes, ranks and null models.

    `corpus` has documents, which are split, or is the result of `sentences()`. Repeated sentences count once.
    `resamples=0` leaves out the interval, `null=()` the null models. `mask` limits the words that are averaged (the
    paper takes all).

    >>> from lexicloud.corpus import Corpus
    >>> text = "Cats purr. Dogs bark. Birds sing. Rain fell all day. Snow fell all night. The wind blew."
    >>> found = cluster_sizes(Corpus.from_texts([text]), k=2, resamples=2, null_seeds=2)
    >>> int(found.sizes.sum()), sorted(found.null)
    (6, ['gaussian', 'shuffled'])
    """
    _check_options(k, resamples, null)
    found = sentence_means(corpus, mask=mask, refined=refined)
    check_k(k, len(found))
    with stage("clustering sentences"):
        clustering = _ranked(k_means(found.means, k, seed=seed, iterations=iterations))
    sizes = clustering.sizes
    line = size_line(sizes)
    error = _standard_error(found, k, seed, iterations, resamples)
    labels = np.full(len(found.sentences), -1, dtype=np.int32)
    labels[found.rows] = clustering.labels
    return ClusterSizes(
        sizes=sizes,
        line=line,
        interval=None
        if error is None
        else (line.slope - _NORMAL_95 * error, line.slope + _NORMAL_95 * error),
        null={
            name: null_model(found, name, k, seeds=null_seeds, seed=seed, iterations=iterations)
            for name in null
        },
        centres=clustering.centres,
        clusters=_describe(found, clustering),
        labels=labels,
        k=k,
        n_sentences=len(found),
        n_duplicates=found.n_duplicates,
        n_unembeddable=found.n_unembeddable,
        objective=clustering.objective,
        iterations=iterations,
        resamples=resamples,
        seed=seed,
        source=corpus.lexicon.source,
    )


def _check_options(k: int, resamples: int, null: Sequence[str]) -> None:
    check_k(k, k)
    if resamples < 0 or resamples == 1:
        raise OptionError(f"resamples = {resamples}: an interval needs at least 2 (or 0 for none)")
    unknown = set(null) - NULLS.keys()
    if unknown:
        raise OptionError(f"unknown null model {min(unknown)!r}: choose from {', '.join(NULLS)}")


def _ranked(clustering: Clustering) -> Clustering:
    """Renumber clusters by size, largest first, and drop empty ones."""
    sizes = clustering.sizes
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    numbers = np.empty(len(sizes), dtype=np.int32)
    numbers[order] = np.arange(len(order))
    return Clustering(clustering.centres[order], numbers[clustering.labels], clustering.squared)


def _standard_error(found: SentenceMeans, k: int, seed: int, iterations: int, resamples: int) -> float | None:
    """Return the bootstrap error of the slope: each resample has other sentences and another seed of k-means."""
    if not resamples:
        return None
    slopes = []
    for i in track(range(resamples), "resampling sentences"):
        drawn = np.random.default_rng([seed, i]).integers(len(found), size=len(found))
        clustering = k_means(found.means[drawn], k, seed=seed + 1 + i, iterations=iterations)
        slopes.append(size_line(clustering.sizes).slope)
    return float(np.std(slopes, ddof=1))


def _describe(found: SentenceMeans, clustering: Clustering) -> tuple[Cluster, ...]:
    k = len(clustering.centres)
    # Names and function words say whose sentences they are, and not what they are about.
    telling = sparse.diags_array((found.sentences.kinds == CONTENT).astype(np.float32))
    words = characteristic_words(sparse.csr_array(found.counts() @ telling), clustering.labels, k)
    # Nearest first within each cluster, clusters one after another.
    order = np.lexsort((clustering.squared, clustering.labels))
    members = np.split(order, np.cumsum(clustering.sizes)[:-1])
    vocabulary = found.sentences.vocabulary
    return tuple(
        Cluster(
            size=len(rows),
            nearest=tuple(found.text(i) for i in rows[:EXAMPLES]),
            farthest=tuple(found.text(i) for i in rows[::-1][:EXAMPLES]),
            words=tuple(vocabulary[w] for w, _ in listed),
        )
        for rows, listed in zip(members, words, strict=True)
    )
