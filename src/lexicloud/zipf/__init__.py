"""Zipf's law: of words, and of what lies behind them in the latent space.

Names are loaded when they are first used: fitting a line does not import a clustering library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lexicloud.zipf.alternatives import Comparison, compare_distributions
    from lexicloud.zipf.cluster_count import KChoice, choose_k
    from lexicloud.zipf.clusters import Cluster, ClusterSizes, cluster_sizes
    from lexicloud.zipf.fit import ZipfFit, fit_zipf
    from lexicloud.zipf.goodness import GoodnessOfFit, goodness_of_fit
    from lexicloud.zipf.heaps_law import Heaps, heaps
    from lexicloud.zipf.null_models import NullModel
    from lexicloud.zipf.parts_of_speech import PartOfSpeechTable, part_of_speech_table
    from lexicloud.zipf.power_law import PowerLaw, fit_power_law
    from lexicloud.zipf.projection import Projection, project_words
    from lexicloud.zipf.purity import Purity, part_of_speech_purity
    from lexicloud.zipf.ranks import RankFrequency, rank_frequency
    from lexicloud.zipf.study import StudyOptions, ZipfStudy, study_zipf
    from lexicloud.zipf.sweep import ClusterSweep, sweep_clusters

_HOMES = {
    "Cluster": "clusters",
    "ClusterSizes": "clusters",
    "ClusterSweep": "sweep",
    "Comparison": "alternatives",
    "GoodnessOfFit": "goodness",
    "Heaps": "heaps_law",
    "KChoice": "cluster_count",
    "NullModel": "null_models",
    "PartOfSpeechTable": "parts_of_speech",
    "PowerLaw": "power_law",
    "Projection": "projection",
    "Purity": "purity",
    "RankFrequency": "ranks",
    "StudyOptions": "study",
    "ZipfFit": "fit",
    "ZipfStudy": "study",
    "choose_k": "cluster_count",
    "cluster_sizes": "clusters",
    "compare_distributions": "alternatives",
    "fit_power_law": "power_law",
    "fit_zipf": "fit",
    "goodness_of_fit": "goodness",
    "heaps": "heaps_law",
    "part_of_speech_purity": "purity",
    "part_of_speech_table": "parts_of_speech",
    "project_words": "projection",
    "rank_frequency": "ranks",
    "study_zipf": "study",
    "sweep_clusters": "sweep",
}

__all__ = [
    "Cluster",
    "ClusterSizes",
    "ClusterSweep",
    "Comparison",
    "GoodnessOfFit",
    "Heaps",
    "KChoice",
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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lexicloud.zipf' has no attribute {name!r}")
    value = getattr(import_module(f"lexicloud.zipf.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
