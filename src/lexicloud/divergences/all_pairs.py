"""Measuring all pairs of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lexicloud.corpus import require_corpus
from lexicloud.corpus.cut import without_kinds
from lexicloud.divergences.base import (
    Skipped,
    check_whole,
    nothing_shared,
    problems,
    runs,
    warn_about_company,
    warn_about_sizes,
)
from lexicloud.divergences.matrix import DivergenceMatrix
from lexicloud.divergences.methods import DEFAULT, make_method
from lexicloud.errors import CorpusError, EstimateError, OptionError
from lexicloud.result import Result

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import Fitted, Method
    from lexicloud.divergences.knn import Knn, KnnFitted

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """The options of a matrix besides the method; see `divergence_matrix`."""

    symmetric: bool = False
    standardise: bool = False
    skip_bad: bool = False
    sample: int | None = None
    repeats: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole(self.repeats, "repeats", 1)
        check_whole(self.seed, "seed", 0)
        if self.sample is not None:
            check_whole(self.sample, "sample", 1)


def measure(
    corpus: Corpus,
    methods: Sequence[Method],
    plan: Plan,
    draw: int = 0,
    between: Callable[[Fitted, sparse.csr_array], Floats] | None = None,
) -> list[DivergenceMatrix]:
    """Return the matrices of all pairs of one draw, one for each method.

    Several methods are k-NN with different k, which need one pass. `between` measures the pairs of one method
    elsewhere, as a cluster does.
    """
    method = max(methods, key=lambda m: m.least_types)
    fitted = method.fit(corpus)
    running = runs(fitted, corpus)
    if plan.sample is not None:
        corpus = corpus.sample(plan.sample, plan.seed + draw, running=running)
        fitted = method.fit(corpus)
    skipped = tuple(Skipped(name, "shorter than the sample") for name in corpus.dropped)
    names, bad = usable(corpus, range(len(corpus)), method, fitted, skip_bad=plan.skip_bad)
    if len(names) < 2:
        raise CorpusError(f"a matrix needs at least two documents, but only {len(names)} can be measured")
    if bad:
        corpus = corpus.subset(names)
        fitted = method.fit(corpus)
    tokens = fitted.tokens(corpus.counts)
    warn_about_sizes(method, tokens)
    warn_about_company(method, len(tokens))
    skipped = (*skipped, *bad)
    if between is not None:
        return [AllPairs(method, plan, corpus, between(fitted, corpus.counts), tokens, skipped).matrix()]
    return [
        AllPairs(m, plan, corpus, raw, tokens, skipped).matrix()
        for m, raw, own in _pairs(corpus, methods, fitted)
    ]


def _pairs(corpus: Corpus, methods: Sequence[Method], fitted: Fitted) -> list[tuple[Method, Floats, Any]]:
    if len(methods) == 1:
        return [(methods[0], *fitted.all_pairs(corpus.counts))]
    ks = [cast("Knn", m).k for m in methods]
    values, prepared = cast("KnnFitted", fitted).all_pairs_ks(corpus.counts, ks)
    return [(m, values[j], prepared[[j]]) for j, m in enumerate(methods)]


def usable(
    corpus: Corpus, rows: Sequence[int], method: Method, fitted: Fitted, *, skip_bad: bool
) -> tuple[list[str], tuple[Skipped, ...]]:
    """Return the names of the rows that the method can measure, and the others with the reason."""
    found = problems(corpus, rows, method, fitted)
    if found and not skip_bad:
        raise EstimateError(
            f"{next(iter(found.values()))}, or skip such documents (skip_bad=True or --skip-bad)"
        )
    skipped = tuple(Skipped(corpus.names[row], reason) for row, reason in found.items())
    return [corpus.names[row] for row in rows if row not in found], skipped


@dataclass(frozen=True)
class AllPairs:
    """All pairs of a corpus, measured."""

    method: Method
    plan: Plan
    corpus: Corpus
    raw: Floats  # D(row‖column), neither symmetric nor standardised
    tokens: NDArray[np.int64]
    skipped: tuple[Skipped, ...]

    def matrix(self) -> DivergenceMatrix:
        """Return the matrix that was asked for."""
        self._require_answers()
        corpus, plan = self.corpus, self.plan
        return DivergenceMatrix(
            values=self._shown(),
            names=corpus.names,
            labels=corpus.labels,
            method=self.method.name,
            options={k: v for k, v in self.method.to_dict().items() if k != "method"},
            symmetric=plan.symmetric,
            standardised=plan.standardise,
            tokens=tuple(map(int, self.tokens)),
            lost=tuple(int(n) for n in corpus.lengths - self.tokens),
            sample=plan.sample,
            repeats=plan.repeats if plan.sample is not None else 1,
            seed=plan.seed,
            vectors=corpus.lexicon.source,
            skipped=self.skipped,
        )

    def _shown(self) -> Floats:
        both = self.plan.symmetric and not self.method.is_symmetric
        values = self.raw + self.raw.T if both else self.raw
        if not self.plan.standardise:
            return values
        from lexicloud.divergences.standardise import standardise

        values = standardise(values)
        return (values + values.T) / 2 if self.plan.symmetric else values

    def _require_answers(self) -> None:
        if not np.isfinite(self.raw).all():
            i, j = np.argwhere(~np.isfinite(self.raw))[0]
            a, b = self.corpus.names[i], self.corpus.names[j]
            raise EstimateError(nothing_shared(a, b))


@dataclass(frozen=True)
class DivergenceMatrices(Result, Mapping[int, DivergenceMatrix]):
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {str(k): matrix.to_dict() for k, matrix in self.by_k.items()}

    def write(self, folder: str | Path, name: str | None = None) -> list[Path]:
        """Write each matrix into a folder of its own, `k10` for k = 10; return the files."""
        return [
            file for k, matrix in self.by_k.items() for file in matrix.write(Path(folder) / f"k{k}", name)
        ]

    def __str__(self) -> str:
        return f"{len(self)} matrices, k = {', '.join(map(str, self.by_k))}"


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
    without: Sequence[str] = (),
    between: Callable[[Fitted, sparse.csr_array], Floats] | None = None,
    **options: Any,
) -> DivergenceMatrix:
    """Measure D(row‖column) for all pairs of documents.

    `options` belong to the method, whose background is all the documents together. `symmetric=True` gives
    D(P‖Q) + D(Q‖P). `values` are nats. To rank, map or cluster eight or more documents, they are standardised first
    (is this pair closer than either text usually is?); `standardise=True` puts the standardised ones into `values`.
    `without` leaves kinds of words out of the measure: any of "content", "name", "function", "punctuation".
    Documents that the method cannot measure raise an error, or are left out and named in `skipped` with
    `skip_bad=True`. `sample=n` draws n tokens of each (shorter documents are left out and named), averaged
    over `repeats` draws. `between` is for `lexicloud.cluster`, which measures the pairs elsewhere.

    >>> from lexicloud.corpus import Corpus
    >>> texts = {"a": "red green blue red", "b": "red green green", "c": "one two three"}
    >>> matrix = divergence_matrix(Corpus.from_texts(texts), method="jensen-shannon")
    >>> matrix.nearest("a", 1)
    (('b', 0.144...),)
    """
    require_corpus(corpus)
    plan = Plan(symmetric, standardise, skip_bad, sample, repeats, seed)
    chosen = [make_method(method, **options)]
    corpus = without_kinds(corpus, without)
    return _average([measure(corpus, chosen, plan, draw, between)[0] for draw in _draws(plan)])


def divergence_matrices(
    corpus: Corpus, ks: Sequence[int], *, plan: Plan | None = None, **options: Any
) -> DivergenceMatrices:
    """Measure all pairs by method "knn" for several k in one pass; `plan` holds the options of `divergence_matrix`."""
    require_corpus(corpus)
    plan = plan or Plan()
    if not len(ks):
        raise OptionError("no k is given: write ks=(3, 5, 10)")
    ks = list(dict.fromkeys(int(k) if isinstance(k, np.integer) else k for k in ks))
    chosen = [make_method("knn", **{**options, "k": k}) for k in ks]
    runs = [measure(corpus, chosen, plan, draw) for draw in _draws(plan)]
    return DivergenceMatrices({k: _average([run[j] for run in runs]) for j, k in enumerate(ks)})


def _draws(plan: Plan) -> range:
    return range(plan.repeats if plan.sample is not None else 1)


def _average(matrices: list[DivergenceMatrix]) -> DivergenceMatrix:
    """Return the mean of matrices of different draws."""
    if len(matrices) == 1:
        return matrices[0]
    return replace(matrices[0], values=np.mean([m.values for m in matrices], axis=0))
