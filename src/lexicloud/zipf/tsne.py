"""t-SNE of words from the shared table of exact neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.zipf.pca import principal_plane

if TYPE_CHECKING:
    from numpy.typing import NDArray

PERPLEXITY: Final = 30.0
# openTSNE's rule: a perplexity's Gaussian kernel has all but died away after three times as many neighbours.
NEIGHBOURS: Final = 90
# openTSNE's own rule: from here on, interpolation over a grid (linear in n) beats the Barnes–Hut tree.
_FFT_FROM: Final = 10_000
# Below this, threads wait for one another longer than they work.
_THREADS_FROM: Final = 5_000


def tsne(
    points: NDArray[np.float32],
    neighbours: NDArray[np.int32],
    distances: NDArray[np.float32],
    *,
    seed: int = 0,
    iterations: int = 500,
) -> NDArray[np.float64]:
    """Lay points out by t-SNE, from their nearest neighbours (rows of numbers and distances, nearest first).

    The start is the principal plane, so the large-scale order of the layout means something and the
    seed matters little.
    """
    import openTSNE
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    table = PrecomputedNeighbors(neighbours.astype(np.int64), distances.astype(np.float64))
    perplexity = min(PERPLEXITY, neighbours.shape[1] / 3)
    affinities = PerplexityBasedNN(
        perplexity=perplexity, knn_index=table, k_neighbors=neighbours.shape[1], random_state=seed
    )
    method = "fft" if len(points) >= _FFT_FROM else "bh"
    start, _ = principal_plane(points)
    start *= 1e-4 / max(
        float(start[:, 0].std()), 1e-12
    )  # t-SNE starts from a cloud much smaller than its result
    embedding = openTSNE.TSNEEmbedding(
        start,
        affinities,
        negative_gradient_method=method,
        random_state=seed,
        n_jobs=-1 if len(points) >= _THREADS_FROM else 1,
    )
    embedding = embedding.optimize(n_iter=250, exaggeration=12, momentum=0.5)
    embedding = embedding.optimize(n_iter=iterations, momentum=0.8)
    return np.array(embedding, dtype=np.float64)
