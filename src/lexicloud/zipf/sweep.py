"""How much the slope of cluster sizes depends on k and on the seed, beside the null models at every k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.progress import stage
from lexicloud.result import TabularResult
from lexicloud.zipf.kmeans import ITERATIONS, check_k, k_means
from lexicloud.zipf.lines import size_line
from lexicloud.zipf.null_models import NULLS
from lexicloud.zipf.sentence_means import sentence_means

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.progress import Advance

    Slopes = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClusterSweep(TabularResult):
    """Slopes of cluster sizes: rows follow `ks`, columns the seeds."""

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

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per k: mean slope, its spread over seeds, and the null models' mean slopes."""
        import pandas as pd

        columns = {"slope": self.mean, "spread": self.spread}
        columns |= {name: slopes.mean(axis=1) for name, slopes in self.null.items()}
        return pd.DataFrame(columns, index=pd.Index(self.ks, name="k"))

    def __str__(self) -> str:
        return "slope by k: " + ", ".join(f"{k}: {m:.2f}" for k, m in zip(self.ks, self.mean, strict=True))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw slope against k with the spread over seeds, and the null models."""
        from lexicloud.zipf.plots import plot_sweep

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

    Values below 2 or above the number of sentences have no answer; they are left out and named in `skipped`.

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
