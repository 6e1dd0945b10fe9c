"""lexicloud: every document is a cloud of word vectors.

Names are loaded when they are first used, so that `import lexicloud` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from lexicloud.version import __version__

_HOMES = {
    "Corpus": "lexicloud.corpus",
    "DivergenceClassifier": "lexicloud.divergence",
    "LexicloudError": "lexicloud.errors",
    "Neighbours": "lexicloud.neighbours",
    "SentenceIndex": "lexicloud.search",
    "TokenRules": "lexicloud.text",
    "WordVectors": "lexicloud.vectors",
    "cluster_sizes": "lexicloud.zipf",
    "divergence_matrix": "lexicloud.divergence",
    "fit_power_law": "lexicloud.zipf",
    "fit_zipf": "lexicloud.zipf",
    "goodness_of_fit": "lexicloud.zipf",
    "heaps": "lexicloud.zipf",
    "knn_divergence": "lexicloud.divergence",
    "leave_one_out": "lexicloud.divergence",
    "load_vectors": "lexicloud.vectors",
    "part_of_speech_purity": "lexicloud.zipf",
    "rank_frequency": "lexicloud.zipf",
    "variety": "lexicloud.search",
    "word_shift": "lexicloud.divergence",
}
# `divergence` is a package that can be called: see its __init__.
_MODULES = (
    "corpus",
    "divergence",
    "errors",
    "neighbours",
    "paper",
    "report",
    "search",
    "text",
    "vectors",
    "zipf",
)

__all__ = [*sorted(_HOMES), *_MODULES, "__version__"]  # noqa: PLE0604 — both hold strings only


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _MODULES:
        value = import_module(f"lexicloud.{name}")
    else:
        raise AttributeError(f"module 'lexicloud' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
