"""How far apart documents are, and the words that say so."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lexicloud.divergence.clouds import knn_divergence
from lexicloud.divergence.drift import Drift, drift
from lexicloud.divergence.entropy import entropy, knn_entropy
from lexicloud.divergence.explain import WordShare
from lexicloud.divergence.matrix import DivergenceMatrices, DivergenceMatrix, divergence_matrix
from lexicloud.divergence.methods import make_method
from lexicloud.divergence.pair import Divergence, divergence
from lexicloud.divergence.shift import WordShift, word_shift
from lexicloud.divergence.standardise import standardise

if TYPE_CHECKING:
    from lexicloud.divergence.attribution import Attribution
    from lexicloud.divergence.classifier import DivergenceClassifier
    from lexicloud.divergence.evaluate import leave_one_out

__all__ = [
    "Attribution",
    "Divergence",
    "DivergenceClassifier",
    "DivergenceMatrices",
    "DivergenceMatrix",
    "Drift",
    "WordShare",
    "WordShift",
    "divergence",
    "divergence_matrix",
    "drift",
    "entropy",
    "knn_divergence",
    "knn_entropy",
    "leave_one_out",
    "make_method",
    "standardise",
    "word_shift",
]

# The classifier stands on scikit-learn, which takes longer to import than everything else here together.
_LATER = {
    "Attribution": "lexicloud.divergence.attribution",
    "DivergenceClassifier": "lexicloud.divergence.classifier",
    "leave_one_out": "lexicloud.divergence.evaluate",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'lexicloud.divergence' has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


class _CallableModule(ModuleType):
    """`lexicloud.divergence` is both this package and the function: importing the package binds its name in
    `lexicloud`, over any function of that name, so the package itself answers `lexicloud.divergence(corpus,
    "a", "b")`.
    """

    # The function itself, without a frame in between: warnings name the caller's line, and help() its arguments.
    __call__ = staticmethod(divergence)


sys.modules[__name__].__class__ = _CallableModule
