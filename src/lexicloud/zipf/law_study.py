"""Everything there is to say about Zipf's law in a corpus, in one result that can be shown and written."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from lexicloud.errors import EstimateError, LexicloudError
from lexicloud.plotting import new_axes
from lexicloud.progress import track
from lexicloud.result import Result, as_json
from lexicloud.storage import replace_bytes, replace_text
from lexicloud.zipf.fit import ZipfFit, fit_zipf
from lexicloud.zipf.ranks import RankFrequency, rank_frequency

if TYPE_CHECKING:
    import pandas as pd

    from lexicloud.corpus import Corpus
    from lexicloud.text.tags import Tagger
    from lexicloud.zipf.cluster_count import ClusterSweep, KChoice
    from lexicloud.zipf.clusters import ClusterSizes
    from lexicloud.zipf.goodness import Comparison, GoodnessOfFit
    from lexicloud.zipf.heaps_law import Heaps
    from lexicloud.zipf.parts_of_speech import PartOfSpeechTable
    from lexicloud.zipf.power_law import PowerLaw
    from lexicloud.zipf.projection import Projection
    from lexicloud.zipf.purity import Purity

T = TypeVar("T")
# The pieces that can be drawn; all but the first have a table too.
_DRAWN = ("power_law", "heaps", "parts_of_speech", "purity", "choice", "clusters", "sweep", "projection")
# The paper's k for a single novel; the other corpora had 75 to 100.
PAPER_K = 35
# With fewer sentences a cluster, sizes are mostly chance; with fewer clusters there is no slope.
SENTENCES_A_CLUSTER, LEAST_CLUSTERS = 10, 4


@dataclass(frozen=True)
class StudyOptions:
    """What a study includes beyond ranks, fits, the power law and Heaps' law."""

    punctuation: bool = False
    by_document: bool = False
    samples: int = 200
    alternatives: bool = False
    pos: bool = False
    tagger: Tagger = "textblob"
    clusters: int | Literal["auto"] | None = None
    sweep: bool = False
    projection: Literal["tsne", "pca", "mds"] | None = None
    projected: int | None = None
    """How many words are projected; all of them, or as many as the method takes, if None."""
    strict: bool = True
    """Whether a piece that was asked for by name and has no answer is an error; if not, `missing` says why."""
    seed: int = 0
    workers: int | None = None


@dataclass(frozen=True, eq=False)
class ZipfStudy(Result):
    """The pieces of a study; what was not asked for is None, and `missing` says why another has no answer."""

    _left_out = ("ranks", "projection", "options", "missing")
    _derived = ("notes",)
    _renamed: ClassVar = {"source": "vectors"}

    ranks: RankFrequency
    fit: ZipfFit | None
    source: str
    power_law: PowerLaw | None = None
    goodness: GoodnessOfFit | None = None
    alternatives: tuple[Comparison, ...] = ()
    heaps: Heaps | None = None
    documents: dict[str, ZipfFit] = field(default_factory=dict)
    parts_of_speech: PartOfSpeechTable | None = None
    purity: Purity | None = None
    choice: KChoice | None = None
    clusters: ClusterSizes | None = None
    sweep: ClusterSweep | None = None
    projection: Projection | None = None
    options: StudyOptions = StudyOptions()
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """What had no answer, and why, a line each."""
        return tuple(dict.fromkeys(self.missing.values()))

    def figures(self) -> dict[str, Callable[[Any], Any]]:
        """Return a function that draws on Axes for every figure, by name."""
        found: dict[str, Callable[[Any], Any]] = {"ranks": lambda ax: self.ranks.plot(ax, fit=self.fit)}
        for name in _DRAWN:
            result = getattr(self, name)
            if result is not None:
                found[name] = result.plot
        return found

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return every table, by name."""
        found = {"ranks": self.ranks.to_pandas()}
        for name in _DRAWN[1:]:
            result = getattr(self, name)
            if result is not None:
                found[name] = result.to_pandas()
        if self.documents:
            found["documents"] = documents_table(self.documents)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; the long columns (every word, every point) are left to the tables."""
        ranks = {**self.ranks.to_dict(), "types": len(self.ranks)}
        ranks["words"], ranks["counts"] = (ranks["words"] or [])[:50], ranks["counts"][:50]
        projection = None if self.projection is None else _without_points(self.projection.to_dict())
        return {"ranks": ranks, **super().to_dict(), "projection": projection}

    def summary(self) -> list[str]:
        """Return what there is to say, a line each."""
        lines = [
            f"{self.ranks.name}: {len(self.ranks):,} words, {self.ranks.tokens:,} tokens ({self.ranks.which})"
        ]
        lines += [f"Zipf: {self.fit}"] if self.fit is not None else []
        if self.fit is not None and self.fit.converged:
            holds = "can be kept" if self.fit.p_value > 0.05 else "is rejected"
            p = f"p = {self.fit.p_value:.2g}" if self.fit.p_value >= 0.001 else "p < 0.001"
            lines += [f"plain Zipf (β = 0, uncorrected α {self.fit.zipf_alpha:.3f}) {holds}: {p}"]
        lines += [repr(result)[1:-1] for result in (self.power_law, self.heaps) if result is not None]
        lines += [f"goodness of fit: {self.goodness}"] if self.goodness else []
        lines += [f"power law against {test}" for test in self.alternatives]
        return lines + self._latent_summary()

    def _latent_summary(self) -> list[str]:
        lines = []
        if self.parts_of_speech is not None:
            shares = zip(self.parts_of_speech.parts, self.parts_of_speech.word_percent, strict=True)
            lines.append(
                "words by part of speech: " + ", ".join(f"{part} {share:.1f} %" for part, share in shares)
            )
        if self.purity is not None:
            lines.append(str(self.purity))
        if self.choice is not None:
            lines.append(str(self.choice))
        if self.clusters is not None:
            lines.append(self.clusters.summary)
        if self.sweep is not None:
            lines.append(str(self.sweep))
        if self.projection is not None:
            lines.append(f"{self.projection.method}: {len(self.projection):,} words projected")
        return lines

    def __str__(self) -> str:
        return f"{self.ranks.name}: {self.fit}"

    def _repr_html_(self) -> str:
        return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in self.summary())}</ul>"

    def write(self, folder: str | Path, name: str | None = None) -> list[Path]:
        """Write figures (PNG and SVG), tables (CSV) and `<name>.json`; return the files."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        files = []
        for figure, plot in track(self.figures().items(), "drawing"):
            png, svg = drawn(plot)
            replace_bytes(folder / f"{figure}.png", png)
            replace_text(folder / f"{figure}.svg", svg)
            files += [folder / f"{figure}.png", folder / f"{figure}.svg"]
        for listed, table in self.tables().items():
            replace_text(folder / f"{listed}.csv", table.to_csv(index=False, lineterminator="\n"))
            files.append(folder / f"{listed}.csv")
        values = {**self.to_dict(), "options": asdict(self.options)}
        replace_text(folder / f"{name or 'zipf'}.json", as_json(values, 2) + "\n")
        return [folder / f"{name or 'zipf'}.json", *files]


def _without_points(values: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value
        for key, value in values.items()
        if key not in {"coordinates", "words", "parts", "counts", "points"}
    }


def documents_table(fits: dict[str, ZipfFit]) -> pd.DataFrame:
    """Return one row per document: the slope, α and β of each."""
    import pandas as pd

    columns = ("slope", "r_squared", "alpha", "beta", "c", "zipf_alpha", "words", "tokens", "converged")
    rows = [
        {"document": name, **{column: getattr(fit, column) for column in columns}}
        for name, fit in fits.items()
    ]
    return pd.DataFrame(rows)


def study_zipf(
    corpus: Corpus, options: StudyOptions | None = None, *, sentences: Corpus | None = None
) -> ZipfStudy:
    """Run everything the options ask for.

    Ranks and fits must succeed. A corpus too small for the power law or for Heaps' law gets a note in their
    place; parts of speech, clusters and projections were asked for by name, so that their errors are
    raised (unless `strict=False`). `sentences` saves splitting the corpus where that was done before.

    >>> import lexicloud as lc
    >>> corpus = lc.Corpus.from_texts(["the cat and the dog and the bird saw the cat"])
    >>> study = study_zipf(corpus)
    >>> study.fit.words, study.power_law is None, len(study.notes) > 0
    (6, True, True)
    """
    options = options or StudyOptions()
    missing: dict[str, str] = {}
    ranks = rank_frequency(corpus, punctuation=options.punctuation)
    fit = fit_zipf(ranks) if options.strict else _or_reason("fit", lambda: fit_zipf(ranks), missing)
    words = _words(corpus, ranks, options, missing)
    return ZipfStudy(
        ranks,
        fit,
        corpus.lexicon.source,
        **words,
        documents=_documents(corpus, options, missing) if options.by_document else {},
        **_latent(corpus, sentences, options, missing),
        options=options,
        missing=missing,
    )


def _or_reason(name: str, call: Callable[[], T], missing: dict[str, str]) -> T | None:
    try:
        return call()
    except LexicloudError as error:
        missing[name] = str(error)
        return None


def _words(
    corpus: Corpus, ranks: RankFrequency, options: StudyOptions, missing: dict[str, str]
) -> dict[str, Any]:
    from lexicloud.zipf.goodness import compare_distributions, goodness_of_fit
    from lexicloud.zipf.heaps_law import heaps
    from lexicloud.zipf.power_law import fit_power_law

    boot: dict[str, Any] = {"samples": options.samples, "seed": options.seed, "workers": options.workers}
    found: dict[str, Any] = {
        "heaps": _or_reason("heaps", lambda: heaps(corpus, punctuation=options.punctuation), missing)
    }
    law = _or_reason("power_law", lambda: fit_power_law(ranks, **boot), missing)
    if law is None:
        missing["goodness"] = missing["power_law"]
    elif options.samples:
        found["goodness"] = _or_reason("goodness", lambda: goodness_of_fit(law, **boot), missing)
    if law is not None and options.alternatives:
        found["alternatives"] = compare_distributions(law)
    return {**found, "power_law": law}


def _documents(corpus: Corpus, options: StudyOptions, missing: dict[str, str]) -> dict[str, ZipfFit]:
    fits = {}
    for name in track(corpus.names, "fitting each document"):
        try:
            fits[name] = rank_frequency(corpus, name, punctuation=options.punctuation).fit()
        except LexicloudError as error:
            missing[name] = f"{name}: {error}"
    return fits


def _latent(
    corpus: Corpus, sentences: Corpus | None, options: StudyOptions, missing: dict[str, str]
) -> dict[str, Any]:
    """Run the pieces that were asked for by name."""
    from lexicloud.zipf.parts_of_speech import part_of_speech_table
    from lexicloud.zipf.projection import project_words

    wanted: dict[str, Callable[[], Any]] = {}
    if options.pos:
        wanted["parts_of_speech"] = lambda: part_of_speech_table(corpus, tagger=options.tagger)
        wanted["purity"] = lambda: _purity(corpus, options)
    if options.projection:
        chosen: dict[str, Any] = {} if options.projected is None else {"n": options.projected}
        method = options.projection
        wanted["projection"] = lambda: project_words(
            corpus, method, seed=options.seed, tagger=options.tagger, **chosen
        )
    if options.strict:
        return {**{name: call() for name, call in wanted.items()}, **_clusters(corpus, sentences, options)}
    found = {name: _or_reason(name, call, missing) for name, call in wanted.items()}
    return {**found, **(_or_reason("clusters", lambda: _clusters(corpus, sentences, options), missing) or {})}


def _purity(corpus: Corpus, options: StudyOptions) -> Purity:
    from lexicloud.zipf.purity import PAPER_K as PAPER_KS
    from lexicloud.zipf.purity import part_of_speech_purity

    words = int((corpus.embedded & (corpus.totals > 0)).sum())
    # A neighbourhood that is half the vocabulary says nothing about nearness.
    ks = tuple(k for k in PAPER_KS if k * 2 <= words) or (1,)
    chosen = PAPER_KS if options.strict else ks
    return part_of_speech_purity(corpus, chosen, tagger=options.tagger, seed=options.seed)


def _clusters(corpus: Corpus, sentences: Corpus | None, options: StudyOptions) -> dict[str, Any]:
    from lexicloud.zipf.cluster_count import choose_k, sweep_clusters
    from lexicloud.zipf.clusters import cluster_sizes

    if options.clusters is None and not options.sweep:
        return {}
    found: dict[str, Any] = {}
    sentences = corpus.sentences() if sentences is None else sentences
    k = PAPER_K if options.clusters is None else options.clusters
    if k == "auto":
        found["choice"] = choose_k(sentences, seed=options.seed)
        k = found["choice"].k
    elif not options.strict:
        k = _affordable(k, sentences)
    if options.clusters is not None:
        few: dict[str, Any] = {} if options.strict else {"resamples": 5, "null_seeds": 3}
        found["clusters"] = cluster_sizes(sentences, k, seed=options.seed, **few)
    if options.sweep:
        found["sweep"] = sweep_clusters(sentences, k, seeds=[options.seed + i for i in range(3)])
    return found


def _affordable(k: int, sentences: Corpus) -> int:
    """Return k, or fewer where the sentences are few."""
    k = min(k, len(sentences) // SENTENCES_A_CLUSTER)
    if k < LEAST_CLUSTERS:
        raise EstimateError(
            f"{len(sentences):,} sentences make too few clusters for a slope: at least "
            f"{LEAST_CLUSTERS * SENTENCES_A_CLUSTER} are needed"
        )
    return k


def drawn(plot: Callable[[Any], Any]) -> tuple[bytes, str]:
    """Draw one figure as PNG and as SVG; no clock and no random ids, so that files can be compared."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "lexicloud", "svg.fonttype": "none"}):
        figure = plot(new_axes(None, 7, 4.6)).figure
        png, svg = io.BytesIO(), io.StringIO()
        figure.savefig(png, format="png", dpi=150)
        figure.savefig(svg, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return png.getvalue(), svg.getvalue()
