"""The plane in which points spread most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def principal_plane(points: NDArray[Any]) -> tuple[Floats, Floats]:
    """Return the points' first two principal components, and the share of the variance along each.

    Signs are fixed (the largest loading is positive), so that figures do not flip from run to run.

    >>> plane, shares = principal_plane(np.array([[0, 0], [2, 0], [4, 0]]))
    >>> plane[:, 0].tolist(), shares[0].item()
    ([-2.0, 0.0, 2.0], 1.0)
    """
    centred = np.asarray(points, dtype=np.float64) - np.mean(points, axis=0, dtype=np.float64)
    variances, axes = np.linalg.eigh(centred.T @ centred)
    top = axes[:, ::-1][:, :2]
    top = top * np.sign(top[np.abs(top).argmax(axis=0), np.arange(top.shape[1])])
    plane = centred @ top
    if plane.shape[1] < 2:  # one-dimensional vectors lie on a line
        plane = np.column_stack([plane[:, 0], np.zeros(len(plane))])
    shares = np.zeros(2)
    largest = np.maximum(variances[::-1][:2], 0)
    shares[: len(largest)] = largest / max(float(variances.sum()), np.finfo(float).tiny)
    return plane, shares
