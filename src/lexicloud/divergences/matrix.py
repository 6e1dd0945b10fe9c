"""The divergences of all pairs of documents: measured, and a table that can be saved, drawn and queried."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

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
from lexicloud.divergences.methods import DEFAULT, make_method
from lexicloud.divergences.standardise import ENOUGH, standardise
from lexicloud.errors import CorpusError, EstimateError, OptionError, UnknownDocument
from lexicloud.result import Result, TabularResult, csv_text
from lexicloud.say.blocks import Block, Facts, Figure, Sentence, signed, table
from lexicloud.store.files import replace_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.result import Draw

    Floats = NDArray[np.float64]
    from scipy import sparse

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import Fitted, Method
    from lexicloud.divergences.knn import Knn, KnnFitted

# A heat map on a page stays legible up to this many documents.
SHOWN: Final = 40
NEAREST: Final = 3  # texts listed beside each


@dataclass(frozen=True, eq=False)
class DivergenceMatrix(TabularResult):
    """D(row‖column) for all pairs of documents, with its provenance.

    `skipped` names documents that were left out, with the reason. `tokens` and `lost` count what the method
    used and ignored of each.
    """

    _index = "document"

    values: Floats
    names: tuple[str, ...]
    method: str
    options: dict[str, Any] = field(default_factory=dict)
    labels: tuple[str | None, ...] | None = None
    symmetric: bool = False
    standardised: bool = False
    tokens: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    sample: int | None = None
    repeats: int = 1
    seed: int = 0
    vectors: str = ""
    skipped: tuple[Skipped, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<DivergenceMatrix of {len(self):,} documents by {self.method!r}>"

    def position(self, name: str) -> int:
        """Return the row of a document."""
        if name not in self.names:
            raise UnknownDocument(f"the matrix has no document named {name!r}; it has {len(self)} documents")
        return self.names.index(name)

    def ranked(self, *, raw: bool = False) -> Floats:
        """Return the values that texts are ranked, mapped and clustered by: standardised, or `raw` nats.

        In raw nats a text with a rich vocabulary is near to every other text. Values of fewer than eight texts stay
        raw: so few do not show what is usual.
        """
        if raw or self.standardised or len(self) < ENOUGH:
            return self.values
        values = standardise(self.values)
        return (values + values.T) / 2 if self.symmetric else values

    def nearest(self, name: str, n: int = 5, *, raw: bool = False) -> tuple[tuple[str, float], ...]:
        """Return the n documents nearest to `name`, with the values: standardised, or `raw`."""
        i, values = self.position(name), self.ranked(raw=raw)
        order = [j for j in np.argsort(values[i], kind="stable") if j != i][:n]
        return tuple((self.names[j], float(values[i, j])) for j in order)

    def standardise(self) -> DivergenceMatrix:
        """Return the matrix with standardised values in place of nats."""
        if self.standardised:
            return self
        values = standardise(self.values)
        return replace(self, values=(values + values.T) / 2 if self.symmetric else values, standardised=True)

    def distances(self, *, raw: bool = False) -> Floats:
        """Return symmetric distances for clustering and maps: the mean of both directions, standardised or `raw`.

        They are shifted so that none is below zero.
        """
        values, off = self.ranked(raw=raw), ~np.eye(len(self), dtype=bool)
        return np.where(off, (values + values.T) / 2 - self.moved(raw=raw), 0.0)

    def moved(self, *, raw: bool = False) -> float:
        """Return by how much `distances` are shifted: the value of the closest pair if it is below zero, else 0."""
        values, off = self.ranked(raw=raw), ~np.eye(len(self), dtype=bool)
        return min(0.0, float(((values + values.T) / 2)[off].min(initial=0.0)))

    def coordinates(self, *, raw: bool = False) -> Floats:
        """Return a point in the plane for each document: t-SNE of `distances`, or metric scaling of up to a dozen."""
        from lexicloud.plane.layout import lay_out_distances

        return lay_out_distances(self.distances(raw=raw), seed=self.seed)

    def linkage(self, *, raw: bool = False) -> Floats:
        """Return SciPy's average linkage of the documents."""
        from scipy.cluster.hierarchy import linkage
        from scipy.spatial.distance import squareform

        if len(self) < 2:
            raise OptionError("a dendrogram needs at least two documents")
        return np.asarray(linkage(squareform(self.distances(raw=raw), checks=False), method="average"))

    def nearest_pair(self, *, raw: bool = False) -> tuple[str, str]:
        """Return the names of the two documents that are nearest to each other."""
        if len(self) < 2:
            raise OptionError("a nearest pair needs at least two documents")
        far = self.distances(raw=raw)
        np.fill_diagonal(far, np.inf)
        i, j = sorted(map(int, np.unravel_index(int(far.argmin()), far.shape)))
        return self.names[i], self.names[j]

    # ---- out

    def to_columns(self) -> dict[str, Any]:
        """Return the documents, and the divergences from each of them to the column's document."""
        return {"document": self.names, **dict(zip(self.names, self.values.T, strict=True))}

    def _figures(self) -> dict[str, Draw]:
        """The heat map, the tree and the map; one document has neither a tree nor neighbours."""
        several = {"dendrogram": self.dendrogram, "map": self.map} if len(self) > 1 else {}
        return {"": self.plot, **several}

    def write(self, folder: str | Path, name: str | None = None) -> list[Path]:
        """Write `matrix.json`, `matrix.csv`, the heat map `matrix.png`, `matrix_dendrogram.png` and
        `matrix_map.png`; return the files.
        """
        return super().write(folder, name or "matrix")

    def to_csv(self, path: str | Path) -> None:
        """Write a table with the documents' names in the first row and column."""
        replace_text(path, csv_text(self.to_columns()))

    def plot(self, ax: Axes | None = None, *, raw: bool = False) -> Axes:
        """Draw a heat map, ordered so that close documents stand together; its scale says what is shown."""
        from lexicloud.divergences.divergence_plots import heat_map

        return heat_map(self, ax, raw=raw)

    def dendrogram(self, ax: Axes | None = None) -> Axes:
        """Draw the tree of the documents."""
        from lexicloud.divergences.divergence_plots import dendrogram

        return dendrogram(self, ax)

    def map(self, ax: Axes | None = None) -> Axes:
        """Draw the documents as points in the plane, coloured by label."""
        from lexicloud.divergences.divergence_plots import document_map

        return document_map(self, ax)

    def blocks(self) -> list[Block]:
        """Return the nearest pair, the nearest texts of each, and what was measured."""
        found: list[Block] = []
        if len(self) > 1:
            a, b = self.nearest_pair()
            found.append(Sentence(f"Of {len(self)} texts, {a} and {b} are nearest to each other.", "answer"))
        if self.standardised:
            said = "0 is as close as either text usually is, −2 is two standard deviations closer."
            found.append(Sentence(said, "sure"))
        found += [Sentence(f"{one.name} was left out: {one.reason}.", "note") for one in self.skipped]
        digits = 2 if self.standardised else 3
        rows = [
            (name, *(f"{signed(value, digits)} {other}" for other, value in self.nearest(name, NEAREST)))
            for name in self.names
        ]
        if len(self) > 1:
            found.append(
                table(["text", "nearest", *[""] * (min(NEAREST, len(self) - 1) - 1)], rows, top=SHOWN)
            )
        return [*found, Facts(tuple(self._facts())), *self._drawings()]

    def _facts(self) -> Iterator[tuple[str, str]]:
        k = f", k = {self.options['k']}" if "k" in self.options else ""
        values = "standardised" if self.standardised else "as measured" if self.method == "delta" else "nats"
        yield "method", f"{self.method}{k}, values {values}, vectors {self.vectors}"

    def _picture(self) -> list[Block]:
        return []  # drawn among the blocks where it can be read

    def _drawings(self) -> list[Block]:
        if not 1 < len(self) <= SHOWN:
            return []
        return [Figure("matrix", "Divergences of all pairs of texts", self.plot)]


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
