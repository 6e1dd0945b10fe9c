"""The number of clusters: how to choose it, and how much the slope depends on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from lexicloud.errors import EstimateError, OptionError
from lexicloud.progress import stage, track
from lexicloud.result import TabularResult
from lexicloud.say.blocks import Block, Figure, Sentence, signed, table
from lexicloud.zipf.kmeans import ITERATIONS, Clustering, check_k, k_means
from lexicloud.zipf.ranks import size_line
from lexicloud.zipf.sentence_means import NULL_NAMES, NULLS, SentenceMeans, gaussian_points, sentence_means

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.progress import Advance

    Scores = NDArray[np.float64]
    Slopes = NDArray[np.float64]

# Gaussian clouds with which each gap is computed.
_REFERENCES: Final = 3


@dataclass(frozen=True, eq=False)
class KChoice(TabularResult):
    """A number of clusters and why: `gaps` is the gap statistic at each of `ks`, `errors` its standard error."""

    _index = "k"

    k: int
    reason: str
    ks: tuple[int, ...]
    gaps: Scores
    errors: Scores
    objectives: Scores
    n_sentences: int
    n_used: int
    seed: int

    def to_columns(self) -> dict[str, Any]:
        """Return the candidates k with their gaps."""
        return {"k": self.ks, "gap": self.gaps, "error": self.errors, "objective": self.objectives}

    def __str__(self) -> str:
        return f"k = {self.k}: {self.reason}"

    def blocks(self) -> list[Block]:
        """Return the number of clusters, why, and the gap at every number that was tried."""
        rows = zip(self.ks, self.gaps, self.errors, strict=True)
        shown = table(["clusters k", "gap", "its error"], ((k, float(g), float(e)) for k, g, e in rows))
        alt = f"The gap between these sentences and a Gaussian cloud against k, with k = {self.k} marked."
        return [
            Sentence(f"{self.k} clusters were chosen: {self.reason}.", "answer"),
            Sentence(f"Judged on {self.n_used:,} of {self.n_sentences:,} sentences.", "sure"),
            Figure("choice", alt, self.plot, "Choosing the number of clusters"),
            shown,
        ]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the gap against k and mark the choice."""
        from lexicloud.zipf.zipf_plots import plot_choice

        return plot_choice(self, ax)


def choose_k(
    corpus: Corpus,
    candidates: Sequence[int] | None = None,
    *,
    sample: int = 20_000,
    seed: int = 0,
    mask: NDArray[np.bool_] | None = None,
    refined: bool = False,
) -> KChoice:
    """Choose the number of clusters of a corpus's sentences by the gap statistic, and give the reason.

    It is the smallest k whose gap to a Gaussian cloud with the same mean and covariance is within a standard error of
    the next one's (Tibshirani, Walther and Hastie, 2001). If the gap grows over all candidates, none stands out; then
    the one with the largest gap is taken, and the reason says so. At most `sample` sentences are used.

    >>> from lexicloud.corpus import Corpus
    >>> text = "Cats purr. Dogs bark. Birds sing. Rain fell all day. Snow fell all night. The wind blew."
    >>> choose_k(Corpus.from_texts([text]), candidates=(2, 3, 4)).reason
    '...gap to the Gaussian cloud...'
    """
    found = sentence_means(corpus, mask=mask, refined=refined)
    used = _sampled(found, sample, seed)
    ks = _checked(candidates, len(used))
    clusterings = [k_means(used.means, k, seed=seed) for k in track(ks, "trying numbers of clusters")]
    objectives = _objectives(clusterings)
    gaps, errors = _gaps(used, ks, objectives, seed)
    best, why = first_level(gaps, errors)
    return KChoice(
        k=ks[best],
        reason=why,
        ks=ks,
        gaps=gaps,
        errors=errors,
        objectives=objectives,
        n_sentences=len(found),
        n_used=len(used),
        seed=seed,
    )


def _sampled(found: SentenceMeans, sample: int, seed: int) -> SentenceMeans:
    if len(found) <= sample:
        return found
    from dataclasses import replace

    rows = np.sort(np.random.default_rng(seed).choice(len(found), sample, replace=False))
    return replace(found, means=found.means[rows], rows=found.rows[rows])


def _checked(candidates: Sequence[int] | None, n: int) -> tuple[int, ...]:
    if candidates is None:
        # At least ten sentences a cluster; each candidate is about a quarter larger than the one before.
        most = min(160, max(4, n // 10))
        candidates = [round(5 * 1.25**i) for i in range(17)]
        candidates = [k for k in candidates if k <= most] or [2, 3, 4]
    ks = tuple(sorted(set(candidates)))
    if len(ks) < 3:
        raise OptionError(f"{len(ks)} candidates for k: give at least 3 to choose from")
    check_k(ks[0], n)
    if ks[-1] > n:
        raise EstimateError(f"candidate k = {ks[-1]} but only {n:,} sentences: give smaller candidates")
    return ks


def _objectives(clusterings: list[Clustering]) -> Scores:
    # With as many clusters as distinct points the objective is zero, which has no logarithm.
    return np.array([max(c.objective, np.finfo(float).tiny) for c in clusterings])


def first_level(gaps: Scores, errors: Scores) -> tuple[int, str]:
    """Return the first place where a gap is within a standard error of the next one, and the reason in words.

    >>> first_level(np.array([0.1, 0.5, 0.5]), np.array([0.01, 0.01, 0.01]))[0]
    1
    """
    level = np.flatnonzero(gaps[:-1] >= gaps[1:] - errors[1:])
    if len(level):
        best = int(level[0])
        return best, f"the next number tried does not widen the gap to the Gaussian cloud ({gaps[best]:.3f})"
    best = int(gaps.argmax())
    return (
        best,
        f"the gap to the Gaussian cloud grows over all the numbers tried (to {gaps[best]:.3f}), so none stands out",
    )


def _gaps(used: SentenceMeans, ks: tuple[int, ...], objectives: Scores, seed: int) -> tuple[Scores, Scores]:
    logs = []
    for i in track(range(_REFERENCES), "clustering Gaussian references"):
        points = gaussian_points(used, np.random.default_rng([seed, i]))
        logs.append([np.log(k_means(points, k, seed=seed + i).objective) for k in ks])
    reference = np.array(logs)
    errors = reference.std(axis=0) * np.sqrt(1 + 1 / _REFERENCES)
    return reference.mean(axis=0) - np.log(objectives), errors


@dataclass(frozen=True, eq=False)
class ClusterSweep(TabularResult):
    """Slopes of cluster sizes: a row for each of `ks`, a column for each seed."""

    _index = "k"

    _derived = ("mean", "spread")
    _renamed: ClassVar = {"source": "vectors"}

    ks: tuple[int, ...]
    slopes: Slopes
    null: Mapping[str, Slopes]
    k: int
    seeds: tuple[int, ...]
    skipped: tuple[int, ...]
    n_sentences: int
    iterations: int
    source: str

    @property
    def mean(self) -> Slopes:
        """The mean slope at each k."""
        return np.asarray(self.slopes.mean(axis=1))

    @property
    def spread(self) -> Slopes:
        """The standard deviation over seeds at each k (0 for a single seed)."""
        many = self.slopes.shape[1] > 1
        return np.asarray(self.slopes.std(axis=1, ddof=1)) if many else np.zeros(len(self.ks))

    def to_columns(self) -> dict[str, Any]:
        """Return for each k the mean slope, its spread over seeds, and the null models' mean slopes."""
        null = {name: slopes.mean(axis=1) for name, slopes in self.null.items()}
        return {"k": self.ks, "slope": self.mean, "spread": self.spread, **null}

    def blocks(self) -> list[Block]:
        """Return how much the slope depends on k, compared with the null models, and the slopes."""
        steep, flat = sorted((float(self.mean.min()), float(self.mean.max())))
        said = f"Over {self.ks[0]} to {self.ks[-1]} clusters the slope goes from {signed(flat)} to {signed(steep)}."
        steeper = [int((self.mean < slopes.mean(axis=1)).sum()) for slopes in self.null.values()]
        why = "; ".join(
            f"steeper than {NULL_NAMES.get(name, name)} at {n} of {len(self.ks)}"
            for name, n in zip(self.null, steeper, strict=True)
        )
        columns = self.to_columns()
        rows = ((k, *map(signed, row)) for k, *row in zip(*columns.values(), strict=True))
        alt = (
            "Slope of log cluster size against log rank for each number of clusters, beside the null models."
        )
        return [
            Sentence(said, "answer"),
            *([Sentence(f"It is {why}.", "sure")] if why else []),
            Figure("sweep", alt, self.plot, "Slope against the number of clusters"),
            table(["clusters k", *list(columns)[1:]], rows),
        ]

    def __str__(self) -> str:
        return "slope by k: " + ", ".join(f"{k}: {m:.2f}" for k, m in zip(self.ks, self.mean, strict=True))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw slope against k with the spread over seeds, and the null models."""
        from lexicloud.zipf.zipf_plots import plot_sweep

        return plot_sweep(self, ax)


def sweep_clusters(
    corpus: Corpus,
    k: int = 35,
    *,
    spread: int = 20,
    step: int = 5,
    seeds: Sequence[int] = (0, 1, 2),
    null: Sequence[str] = tuple(NULLS),
    null_seeds: Sequence[int] = (0, 1),
    iterations: int = ITERATIONS,
    mask: NDArray[np.bool_] | None = None,
    refined: bool = False,
) -> ClusterSweep:
    """Cluster the sentences for k − spread … k + spread and several seeds, as in the paper's appendix.

    Values of k below 2 or above the number of sentences are impossible; they are left out and listed in `skipped`.

    >>> from lexicloud.corpus import Corpus
    >>> text = "Cats purr. Dogs bark. Birds sing. Rain fell all day. Snow fell all night. The wind blew."
    >>> sweep = sweep_clusters(Corpus.from_texts([text]), k=3, spread=2, step=1, seeds=(0,), null_seeds=(0,))
    >>> sweep.ks, sweep.skipped
    ((2, 3, 4, 5), (1,))
    """
    _check_options(spread, step, seeds, null, null_seeds)
    found = sentence_means(corpus, mask=mask, refined=refined)
    check_k(k, len(found))
    wanted = range(k - spread, k + spread + 1, step)
    ks = tuple(value for value in wanted if 2 <= value <= len(found))
    with stage("clustering for each k", len(ks) * (len(seeds) + len(null) * len(null_seeds))) as advance:
        slopes = np.column_stack([_slopes(found.means, ks, s, iterations, advance) for s in seeds])
        nulls = {
            name: np.column_stack(
                [
                    _slopes(NULLS[name](found, np.random.default_rng([s, 0])), ks, s, iterations, advance)
                    for s in null_seeds
                ]
            )
            for name in null
        }
    return ClusterSweep(
        ks=ks,
        slopes=slopes,
        null=nulls,
        k=k,
        seeds=tuple(seeds),
        skipped=tuple(value for value in wanted if value not in ks),
        n_sentences=len(found),
        iterations=iterations,
        source=corpus.lexicon.source,
    )


def _slopes(
    points: NDArray[np.float32], ks: tuple[int, ...], seed: int, iterations: int, advance: Advance
) -> Slopes:
    slopes = []
    for k in ks:
        slopes.append(size_line(k_means(points, k, seed=seed, iterations=iterations).sizes).slope)
        advance(1)
    return np.array(slopes)


def _check_options(
    spread: int, step: int, seeds: Sequence[int], null: Sequence[str], null_seeds: Sequence[int]
) -> None:
    if spread < 0 or step < 1:
        raise OptionError(
            f"spread = {spread}, step = {step}: the spread is at least 0 and the step at least 1"
        )
    if not seeds or (null and not null_seeds):
        raise OptionError("a sweep needs at least one seed")
    unknown = set(null) - NULLS.keys()
    if unknown:
        raise OptionError(f"unknown null model {min(unknown)!r}: choose from {', '.join(NULLS)}")
