"""How far apart documents are, and the words that say so."""

from typing import TYPE_CHECKING

import lazy_loader

# These share their name with their module, which would take it over if it were imported first.
from lexicloud.divergences.drift import Drift, drift
from lexicloud.divergences.similarity import similarity
from lexicloud.divergences.standardise import standardise

if TYPE_CHECKING:
    from lexicloud.divergences.all_pairs import DivergenceMatrices, divergence_matrices, divergence_matrix
    from lexicloud.divergences.attribution.classifier import DivergenceClassifier
    from lexicloud.divergences.attribution.consensus import Consensus, choose_features, consensus
    from lexicloud.divergences.attribution.contrast import Contrast, contrast
    from lexicloud.divergences.attribution.features import Features, settings
    from lexicloud.divergences.attribution.impostors import Population
    from lexicloud.divergences.attribution.leave_one_out import Attribution, leave_one_out
    from lexicloud.divergences.attribution.model import Answer, AttributionModel, train
    from lexicloud.divergences.attribution.rolling import Rolling, rolling
    from lexicloud.divergences.attribution.verify import Verification, verify
    from lexicloud.divergences.matrix import DivergenceMatrix
    from lexicloud.divergences.methods import make_method
    from lexicloud.divergences.pair import Divergence, divergence
    from lexicloud.divergences.point_clouds import entropy, knn_divergence, knn_entropy
    from lexicloud.divergences.similarity import Similarity
    from lexicloud.divergences.words import WordShare, WordShift, word_shift

__all__ = [
    "Answer",
    "Attribution",
    "AttributionModel",
    "Consensus",
    "Contrast",
    "Divergence",
    "DivergenceClassifier",
    "DivergenceMatrices",
    "DivergenceMatrix",
    "Drift",
    "Features",
    "Population",
    "Rolling",
    "Similarity",
    "Verification",
    "WordShare",
    "WordShift",
    "choose_features",
    "consensus",
    "contrast",
    "divergence",
    "divergence_matrices",
    "divergence_matrix",
    "drift",
    "entropy",
    "knn_divergence",
    "knn_entropy",
    "leave_one_out",
    "make_method",
    "rolling",
    "settings",
    "similarity",
    "standardise",
    "train",
    "verify",
    "word_shift",
]

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "attribution.classifier": ["DivergenceClassifier"],
        "attribution.consensus": ["Consensus", "choose_features", "consensus"],
        "attribution.contrast": ["Contrast", "contrast"],
        "attribution.features": ["Features", "settings"],
        "attribution.leave_one_out": ["Attribution", "leave_one_out"],
        "attribution.model": ["Answer", "AttributionModel", "train"],
        "attribution.impostors": ["Population"],
        "attribution.rolling": ["Rolling", "rolling"],
        "attribution.verify": ["Verification", "verify"],
        "all_pairs": ["DivergenceMatrices", "divergence_matrices", "divergence_matrix"],
        "matrix": ["DivergenceMatrix"],
        "methods": ["make_method"],
        "pair": ["Divergence", "divergence"],
        "point_clouds": ["entropy", "knn_divergence", "knn_entropy"],
        "similarity": ["Similarity"],
        "words": ["WordShare", "WordShift", "word_shift"],
    },
)
