"""The coefficients (`lines`) of logistic and ridge regression, and ridge scores of held-out texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_STEPS: Final = 60  # conjugate gradients; the systems are well conditioned and need about 20
_CLOSE: Final = 1e-6
_MOST_STEPS: Final = 300
_FEW_TEXTS: Final = 600  # up to so many texts, all pairs of texts are faster than all features
_CERTAIN: Final = 5.0  # the logit of a label that all texts have


def logistic_lines(features: Any, targets: Floats, strength: float) -> tuple[Floats, Floats]:
    """Return coefficients (features × labels) and constants of logistic regression.

    If texts have several labels, each label has a regression of its own against the rest.
    """
    if not features.shape[1]:
        return np.zeros((0, targets.shape[1])), np.zeros(targets.shape[1])
    if (targets.sum(axis=1) != 1).any():
        each = [_logistic(features, target, strength) for target in targets.T]
        return np.hstack([line for line, _ in each]), np.concatenate([level for _, level in each])
    lines, level = _logistic(features, targets.argmax(axis=1), strength)
    labels = np.flatnonzero(targets.any(axis=0))
    if len(labels) == 2:  # for two labels scikit-learn has only one row of coefficients
        lines, level = lines * [[-0.5, 0.5]], level * [-0.5, 0.5]
    out, constants = np.zeros((features.shape[1], targets.shape[1])), np.full(targets.shape[1], level.min())
    out[:, labels], constants[labels] = lines, level
    return out, constants


def _logistic(features: Any, y: NDArray[Any], strength: float) -> tuple[Floats, Floats]:
    from sklearn.linear_model import LogisticRegression

    if len(np.unique(y)) < 2:  # a label that all texts or none have
        return np.zeros((features.shape[1], 1)), np.array([_CERTAIN if y.any() else -_CERTAIN])
    short, back = _as_short_as_texts(features)
    model = LogisticRegression(C=strength, max_iter=_MOST_STEPS).fit(short, y)
    return back @ model.coef_.T, model.intercept_


def _as_short_as_texts(features: Any) -> tuple[Any, Any]:
    """Return features with no more columns than texts but the same products, and the map of coefficients back.

    The best coefficients are combinations of the texts, so few texts need few columns: with X = U S Vᵀ, a regression on
    U S is the same as on X.
    """
    texts, width = features.shape
    if texts > _FEW_TEXTS or width <= texts:
        return features, sparse.eye_array(width)
    products = features @ features.T
    products = products if isinstance(products, np.ndarray) else products.toarray()
    squares, U = np.linalg.eigh(products)
    kept = squares > _CLOSE * squares[-1]
    S = np.sqrt(squares[kept])
    return U[:, kept] * S, np.asarray(features.T @ (U[:, kept] / S))


def ridge_lines(features: Any, targets: Floats, ridge: float) -> tuple[Floats, Floats]:
    """Return coefficients (features × labels) and constants of ridge regression, by conjugate gradients on its dual.

    (X Xᵀ + λ) α = Y with the means of X and Y taken out; the coefficients are Xᵀ α.
    """
    centre = np.asarray(features.mean(axis=0)).ravel()
    level = targets.mean(axis=0)

    def product(alpha: Floats) -> Floats:
        back = features.T @ alpha - np.outer(centre, alpha.sum(axis=0))
        return np.asarray(features @ back - centre @ back + ridge * alpha)

    alpha = _conjugate_gradients(product, targets - level)
    lines = np.asarray(features.T @ alpha) - np.outer(centre, alpha.sum(axis=0))
    return lines, level - centre @ lines


def held_out_by_lines(features: Any, targets: Floats, ridge: float, part: NDArray[np.int64]) -> Floats:
    """Return each text's ridge scores by the coefficients of the other folds."""
    out = np.zeros(targets.shape)
    for fold in range(part.max() + 1):
        held = part == fold
        lines, constants = ridge_lines(features[~held], targets[~held], ridge)
        out[held] = features[held] @ lines + constants
    return out


def held_out_by_gram(features: Any, targets: Floats, ridge: float, part: NDArray[np.int64]) -> Floats:
    """Return the scores of `held_out_by_lines` from the products of all pairs of texts, computed once for all folds."""
    products = features @ features.T
    products = products if isinstance(products, np.ndarray) else products.toarray()
    out = np.zeros(targets.shape)
    for fold in range(part.max() + 1):
        held = part == fold
        known, new = products[np.ix_(~held, ~held)], products[np.ix_(held, ~held)]
        centre, level = known.mean(axis=0), targets[~held].mean(axis=0)
        middle = known - centre - centre[:, None] + centre.mean()
        middle[np.diag_indices_from(middle)] += ridge
        alpha = np.linalg.solve(middle, targets[~held] - level)
        out[held] = (new - new.mean(axis=1, keepdims=True) - centre + centre.mean()) @ alpha + level
    return out


def _conjugate_gradients(product: Any, right: Floats) -> Floats:
    """Solve a positive definite system for several right-hand sides at once."""
    solution, residual = np.zeros_like(right), right.copy()
    direction, size = residual.copy(), (residual**2).sum(axis=0)
    least = _CLOSE**2 * np.maximum(size, 1e-30)
    for _ in range(_STEPS):
        if (size <= least).all():
            break
        image = product(direction)
        step = size / np.maximum((direction * image).sum(axis=0), 1e-300)
        solution += step * direction
        residual -= step * image
        before, size = size, (residual**2).sum(axis=0)
        direction = residual + size / np.maximum(before, 1e-300) * direction
    return solution
