"""lexicloud: every document is a cloud of word vectors.

Names are loaded when they are first used, so that `import lexicloud` costs next to nothing.
"""

from typing import TYPE_CHECKING

from lexicloud.lazy import attach
from lexicloud.version import __version__

if TYPE_CHECKING:
    from lexicloud import (
        authorship,
        corpus,
        divergences,
        errors,
        labelling,
        maps,
        neighbours,
        paper,
        report,
        search,
        text,
        vectors,
        zipf,
    )
    from lexicloud.authorship import (
        AttributionModel,
        DivergenceClassifier,
        contrast,
        drift,
        leave_one_out,
        rolling,
        style,
        train,
        verify,
    )
    from lexicloud.corpus import Corpus, train_vectors
    from lexicloud.divergences import (
        divergence,
        divergence_matrix,
        entropy,
        knn_divergence,
        similarity,
        word_shift,
    )
    from lexicloud.errors import LexicloudError
    from lexicloud.labelling import Labeller
    from lexicloud.maps import map_sentences, map_texts, map_words
    from lexicloud.neighbours import Neighbours
    from lexicloud.presets import preset
    from lexicloud.search import SentenceIndex, evaluate_methods, rerank, variety
    from lexicloud.text import TokenRules
    from lexicloud.vectors import WordVectors, load_vectors
    from lexicloud.zipf import (
        cluster_sizes,
        fit_power_law,
        fit_zipf,
        goodness_of_fit,
        heaps,
        part_of_speech_purity,
        part_of_speech_table,
        rank_frequency,
    )

__all__ = [
    "AttributionModel",
    "Corpus",
    "DivergenceClassifier",
    "Labeller",
    "LexicloudError",
    "Neighbours",
    "SentenceIndex",
    "TokenRules",
    "WordVectors",
    "__version__",
    "authorship",
    "cluster_sizes",
    "contrast",
    "corpus",
    "divergence",
    "divergence_matrix",
    "divergences",
    "drift",
    "entropy",
    "errors",
    "evaluate_methods",
    "fit_power_law",
    "fit_zipf",
    "goodness_of_fit",
    "heaps",
    "knn_divergence",
    "labelling",
    "leave_one_out",
    "load_vectors",
    "map_sentences",
    "map_texts",
    "map_words",
    "maps",
    "neighbours",
    "paper",
    "part_of_speech_purity",
    "part_of_speech_table",
    "preset",
    "rank_frequency",
    "report",
    "rerank",
    "rolling",
    "search",
    "similarity",
    "style",
    "survey",
    "text",
    "train",
    "train_vectors",
    "variety",
    "vectors",
    "verify",
    "word_shift",
    "zipf",
]

__getattr__, __dir__ = attach(
    __name__,
    submodules=[
        "authorship",
        "corpus",
        "divergences",
        "errors",
        "labelling",
        "maps",
        "neighbours",
        "paper",
        "report",
        "search",
        "survey",
        "text",
        "vectors",
        "zipf",
    ],
    submod_attrs={
        "corpus": ["Corpus", "train_vectors"],
        "presets": ["preset"],
        "authorship": [
            "AttributionModel",
            "DivergenceClassifier",
            "contrast",
            "drift",
            "leave_one_out",
            "rolling",
            "style",
            "train",
            "verify",
        ],
        "divergences": [
            "divergence",
            "divergence_matrix",
            "entropy",
            "knn_divergence",
            "similarity",
            "word_shift",
        ],
        "errors": ["LexicloudError"],
        "labelling": ["Labeller"],
        "neighbours": ["Neighbours"],
        "maps": ["map_sentences", "map_texts", "map_words"],
        "search": ["SentenceIndex", "evaluate_methods", "rerank", "variety"],
        "text": ["TokenRules"],
        "vectors": ["WordVectors", "load_vectors"],
        "zipf": [
            "cluster_sizes",
            "fit_power_law",
            "fit_zipf",
            "goodness_of_fit",
            "heaps",
            "part_of_speech_purity",
            "part_of_speech_table",
            "rank_frequency",
        ],
    },
)
