"""Zipf's law: of words, of their parts of speech, and of clusters of sentences in the space of word vectors.

Names are loaded when they are first used: fitting a line does not import a clustering library.
"""

from typing import TYPE_CHECKING

from lexicloud.lazy import attach

if TYPE_CHECKING:
    from lexicloud.zipf.cluster_count import ClusterSweep, KChoice, choose_k, sweep_clusters
    from lexicloud.zipf.clusters import Cluster, ClusterSizes, cluster_sizes
    from lexicloud.zipf.fit import ZipfFit, fit_zipf
    from lexicloud.zipf.goodness import GoodnessOfFit, LawComparison, compare_distributions, goodness_of_fit
    from lexicloud.zipf.heaps_law import Heaps, heaps
    from lexicloud.zipf.parts_of_speech import PartOfSpeechTable, part_of_speech_table
    from lexicloud.zipf.power_law import PowerLaw, fit_power_law
    from lexicloud.zipf.projection import Projection, project_words
    from lexicloud.zipf.purity import Purity, part_of_speech_purity
    from lexicloud.zipf.ranks import RankFrequency, rank_frequency
    from lexicloud.zipf.sentence_means import NullModel
    from lexicloud.zipf.study import StudyOptions, ZipfStudy, study_zipf

__all__ = [
    "Cluster",
    "ClusterSizes",
    "ClusterSweep",
    "GoodnessOfFit",
    "Heaps",
    "KChoice",
    "LawComparison",
    "NullModel",
    "PartOfSpeechTable",
    "PowerLaw",
    "Projection",
    "Purity",
    "RankFrequency",
    "StudyOptions",
    "ZipfFit",
    "ZipfStudy",
    "choose_k",
    "cluster_sizes",
    "compare_distributions",
    "fit_power_law",
    "fit_zipf",
    "goodness_of_fit",
    "heaps",
    "part_of_speech_purity",
    "part_of_speech_table",
    "project_words",
    "rank_frequency",
    "study_zipf",
    "sweep_clusters",
]

__getattr__, __dir__ = attach(
    __name__,
    submod_attrs={
        "cluster_count": ["ClusterSweep", "KChoice", "choose_k", "sweep_clusters"],
        "clusters": ["Cluster", "ClusterSizes", "cluster_sizes"],
        "fit": ["ZipfFit", "fit_zipf"],
        "goodness": ["LawComparison", "GoodnessOfFit", "compare_distributions", "goodness_of_fit"],
        "heaps_law": ["Heaps", "heaps"],
        "sentence_means": ["NullModel"],
        "parts_of_speech": ["PartOfSpeechTable", "part_of_speech_table"],
        "power_law": ["PowerLaw", "fit_power_law"],
        "projection": ["Projection", "project_words"],
        "purity": ["Purity", "part_of_speech_purity"],
        "ranks": ["RankFrequency", "rank_frequency"],
        "study": ["StudyOptions", "ZipfStudy", "study_zipf"],
    },
)
