"""The divergences of all pairs of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.corpus import require_corpus
from lexicloud.divergence.measured import Plan, measure
from lexicloud.divergence.methods import DEFAULT, Method, make_method
from lexicloud.divergence.table import DivergenceMatrix
from lexicloud.errors import OptionError

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus

__all__ = ["DivergenceMatrices", "DivergenceMatrix", "divergence_matrix", "several"]


@dataclass(frozen=True)
class DivergenceMatrices(Mapping[int, DivergenceMatrix]):
    """One matrix for each k, computed together: `matrices[10].values`."""

    by_k: dict[int, DivergenceMatrix]

    def __getitem__(self, k: int) -> DivergenceMatrix:
        if k not in self.by_k:
            raise OptionError(f"there is no matrix for k = {k}: the ks are {', '.join(map(str, self.by_k))}")
        return self.by_k[k]

    def __contains__(self, k: object) -> bool:
        return k in self.by_k

    def __iter__(self) -> Iterator[int]:
        return iter(self.by_k)

    def __len__(self) -> int:
        return len(self.by_k)

    def add(self, corpus: Corpus) -> DivergenceMatrices:
        """Add documents to every matrix; see `DivergenceMatrix.add`."""
        return DivergenceMatrices({k: matrix.add(corpus) for k, matrix in self.by_k.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {str(k): matrix.to_dict() for k, matrix in self.by_k.items()}


def divergence_matrix(
    corpus: Corpus,
    method: str | Method = DEFAULT,
    *,
    symmetric: bool = False,
    standardise: bool = False,
    skip_bad: bool = False,
    sample: int | None = None,
    repeats: int = 1,
    seed: int = 0,
    **options: Any,
) -> DivergenceMatrix | DivergenceMatrices:
    """Measure D(row‖column) for all pairs of documents.

    `options` belong to the method; with method "knn" and several k, `k=(3, 5, 10)`, one pass gives a matrix
    for each. `symmetric=True` gives D(P‖Q) + D(Q‖P). `standardise=True` asks of every pair whether it is
    closer than either text usually is. Documents that the method cannot measure raise an error, or are left
    out and named in `skipped` with `skip_bad=True`. `sample=n` draws n tokens of each (shorter documents are
    left out and named), averaged over `repeats` draws.

    >>> from lexicloud.corpus import Corpus
    >>> texts = {"a": "red green blue red", "b": "red green green", "c": "one two three"}
    >>> matrix = divergence_matrix(Corpus.from_texts(texts), method="jensen-shannon")
    >>> matrix.nearest("a", 1)
    (('b', 0.144...),)
    """
    require_corpus(corpus)
    plan = Plan(symmetric, standardise, skip_bad, sample, repeats, seed)
    ks = several(options.get("k"))
    if ks is None:
        chosen = [make_method(method, **options)]
        return _average([measure(corpus, chosen, plan, r)[0] for r in _draws(plan)])
    if method != "knn":
        raise OptionError(f"several k are for method 'knn'; method {method!r} takes one set of options")
    chosen = [make_method("knn", **{**options, "k": k}) for k in ks]
    runs = [measure(corpus, chosen, plan, r) for r in _draws(plan)]
    return DivergenceMatrices({k: _average([run[j] for run in runs]) for j, k in enumerate(ks)})


def several(k: Any) -> list[int] | None:
    """Return the different k of a sequence, or None where k is not one."""
    if not isinstance(k, Sequence | np.ndarray | range) or isinstance(k, str):
        return None
    if not len(k):
        raise OptionError("no k is given: write k=3 or k=(3, 5, 10)")
    return list(dict.fromkeys(int(v) if isinstance(v, np.integer) else v for v in k))


def _draws(plan: Plan) -> range:
    return range(plan.repeats if plan.sample is not None else 1)


def _average(matrices: list[DivergenceMatrix]) -> DivergenceMatrix:
    """Return the mean of matrices of different draws."""
    if len(matrices) == 1:
        return matrices[0]
    return replace(matrices[0], values=np.mean([m.values for m in matrices], axis=0), source=None)
