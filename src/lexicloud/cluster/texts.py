"""Documents on a cluster: counted file by file, compared in tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.cluster.workers import connected, run_on
from lexicloud.divergences.all_pairs import divergence_matrix as matrix_of
from lexicloud.divergences.tiles import ROWS, Work
from lexicloud.divergences.tiles import nearest_documents as nearest_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lexicloud.cluster.workers import Where
    from lexicloud.corpus import Corpus
    from lexicloud.divergences import DivergenceMatrix, NearestDocuments
    from lexicloud.divergences.base import Fitted, Method

    Floats = NDArray[np.float64]


def divergence_matrix(
    client: Where, corpus: Corpus, method: str | Method = "smoothed", *, rows: int = ROWS, **options: Any
) -> DivergenceMatrix:
    """Measure all pairs on a cluster, some `rows` a job; options are those of `lexicloud.divergence_matrix`.

    `client` is a `distributed.Client`, the address of a scheduler, or "local".
    """
    with connected(client) as lent:

        def between(fitted: Fitted, counts: sparse.csr_array) -> Floats:
            size = counts.shape[0]
            out = np.empty((size, size))
            jobs = [slice(i, min(size, i + rows)) for i in range(0, size, rows)]
            for job, found in run_on(lent)(_rows, Work(fitted, counts, 0), jobs, "measuring all pairs"):
                out[job] = found
            return out

        return matrix_of(corpus, method, between=between, **options)


def _rows(work: Work, rows: slice) -> Floats:
    return work.values(rows, slice(0, work.counts.shape[0]))


def nearest_documents(
    client: Where, corpus: Corpus, method: str | Method = "smoothed", **options: Any
) -> NearestDocuments:
    """Find the nearest documents of each on a cluster; options are those of `lexicloud.divergences.nearest_documents`.

    Checkpoints are written by this process, so that workers need no common disk.
    """
    with connected(client) as lent:
        return nearest_of(corpus, method, run=run_on(lent), **options)
