"""Divide examples into folds that are held out in turn; texts that are alike, or of one group, stay together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def alike_folds(features: Any, y: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return a fold for each text, so that a label's texts in one fold are alike; features are rows of unit length.

    A fold begins with the remaining text that is least like the others, and takes its nearest. There are as many folds
    as the smallest label has texts, at least 2 and at most `most`, and each has an equal part of every label's texts.
    """
    count = int(np.clip(np.bincount(y).min(), 2, most))
    part = np.empty(len(y), dtype=np.int64)
    for label in np.unique(y):
        left = np.flatnonzero(y == label)
        near = np.asarray((features[left] @ features[left].T).todense())
        for fold in range(count):
            inside = near.sum(axis=1) - near.diagonal()
            order = np.argsort(-near[inside.argmin()], kind="stable")
            size = len(left) // (count - fold)
            part[left[order[:size]]] = fold
            rest = np.sort(order[size:])
            left, near = left[rest], near[np.ix_(rest, rest)]
    return part


def folds(
    y: NDArray[np.int64], most: int, seed: int, groups: Sequence[str] | None = None
) -> NDArray[np.int64]:
    """Return a fold for each text; each label is spread evenly, and texts of one group stay together.

    There are as many folds as the smallest label has texts, at least 2 and at most `most`.
    """
    names = np.arange(len(y)) if groups is None else _groups(y, groups)
    order = np.random.default_rng(seed).permutation(len(y))
    order = order[np.argsort(-np.bincount(names)[names[order]], kind="stable")]  # large groups first
    part = np.full(len(y), -1, dtype=np.int64)
    sizes = np.zeros((int(np.clip(np.bincount(y).min(), 2, most)), int(y.max()) + 1), dtype=np.int64)
    for text in order:
        if part[text] < 0:
            together = np.flatnonzero(names == names[text])
            labels = np.bincount(y[together], minlength=sizes.shape[1])
            alike = (sizes * (labels > 0)).sum(axis=1)
            part[together] = fold = int(np.lexsort((sizes.sum(axis=1), alike))[0])
            sizes[fold] += labels
    return part


def _groups(y: NDArray[np.int64], groups: Sequence[str]) -> NDArray[np.int64]:
    """Return the number of each text's group; a label's only group is split up, or the label would be lost."""
    names = np.unique(np.asarray(groups, dtype=str), return_inverse=True)[1].astype(np.int64)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        if len(np.unique(names[rows])) == 1:
            names[rows] = names.max() + 1 + np.arange(len(rows))
    return names
