"""How far apart documents are, and the words that set them apart."""

from typing import TYPE_CHECKING

# These functions share their name with their module, which would hide them if it were imported first.
from lexicloud.divergences.similarity import similarity
from lexicloud.divergences.standardise import standardise
from lexicloud.lazy import attach

if TYPE_CHECKING:
    from lexicloud.divergences.matrix import (
        DivergenceMatrices,
        DivergenceMatrix,
        divergence_matrices,
        divergence_matrix,
    )
    from lexicloud.divergences.methods import make_method
    from lexicloud.divergences.pair import Divergence, divergence
    from lexicloud.divergences.point_clouds import entropy, knn_divergence, knn_entropy
    from lexicloud.divergences.similarity import Similarity
    from lexicloud.divergences.tiles import NearestDocuments, nearest_documents
    from lexicloud.divergences.words import WordShift, word_shift

__all__ = [
    "Divergence",
    "DivergenceMatrices",
    "DivergenceMatrix",
    "NearestDocuments",
    "Similarity",
    "WordShift",
    "divergence",
    "divergence_matrices",
    "divergence_matrix",
    "entropy",
    "knn_divergence",
    "knn_entropy",
    "make_method",
    "nearest_documents",
    "similarity",
    "standardise",
    "word_shift",
]

__getattr__, __dir__ = attach(
    __name__,
    submod_attrs={
        "matrix": ["DivergenceMatrices", "DivergenceMatrix", "divergence_matrices", "divergence_matrix"],
        "methods": ["make_method"],
        "tiles": ["NearestDocuments", "nearest_documents"],
        "pair": ["Divergence", "divergence"],
        "point_clouds": ["entropy", "knn_divergence", "knn_entropy"],
        "similarity": ["Similarity"],
        "words": ["WordShift", "word_shift"],
    },
)
