"""Everything there is to say about Zipf's law in a corpus, in one result that can be shown and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from lexicloud.errors import EstimateError, LexicloudError, OptionError
from lexicloud.progress import track
from lexicloud.result import Result
from lexicloud.zipf.fit import ZipfFit, fit_zipf
from lexicloud.zipf.ranks import RankFrequency, rank_frequency

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from lexicloud.corpus import Corpus
    from lexicloud.text.tags import Tagger
    from lexicloud.zipf.cluster_count import KChoice
    from lexicloud.zipf.clusters import ClusterSizes
    from lexicloud.zipf.goodness import Comparison, GoodnessOfFit
    from lexicloud.zipf.heaps_law import Heaps
    from lexicloud.zipf.parts_of_speech import PartOfSpeechTable
    from lexicloud.zipf.power_law import PowerLaw
    from lexicloud.zipf.projection import Projection
    from lexicloud.zipf.purity import Purity
    from lexicloud.zipf.sweep import ClusterSweep

T = TypeVar("T")
# The paper's k for a single novel; the other corpora had 75 to 100.
PAPER_K = 35


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
    seed: int = 0
    workers: int | None = None


@dataclass(frozen=True, eq=False)
class ZipfStudy(Result):
    """The parts of a study; what was not asked for is None, and what had no answer is named in `notes`."""

    _left_out = ("ranks", "projection", "options")
    _renamed: ClassVar = {"source": "vectors"}

    ranks: RankFrequency
    fit: ZipfFit
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
    notes: tuple[str, ...] = ()

    def figures(self) -> dict[str, Callable[[Any], Any]]:
        """Return a function that draws on Axes for every figure, by name."""
        found: dict[str, Callable[[Any], Any]] = {"ranks": lambda ax: self.ranks.plot(ax, fit=self.fit)}
        for name in (
            "power_law",
            "heaps",
            "parts_of_speech",
            "purity",
            "choice",
            "clusters",
            "sweep",
            "projection",
        ):
            result = getattr(self, name)
            if result is not None:
                found[name] = result.plot
        return found

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return every table, by name."""
        found = {"ranks": self.ranks.to_pandas()}
        for name in ("heaps", "parts_of_speech", "purity", "choice", "clusters", "sweep", "projection"):
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
        lines += [f"Zipf: {self.fit}"]
        better = "Zipf–Mandelbrot" if self.fit.aic < self.fit.zipf_aic else "plain Zipf"
        if self.fit.converged:
            lines += [f"plain Zipf: α {self.fit.zipf_alpha:.3f}; {better} has the lower AIC"]
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
        """Write figures (PNG and SVG), tables (CSV), `zipf.json` and `index.html`; return the files."""
        from lexicloud.zipf.study_files import write_study

        return write_study(self, folder, name or "zipf")


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


def study_zipf(corpus: Corpus, options: StudyOptions | None = None) -> ZipfStudy:
    """Run everything the options ask for.

    Ranks and fits must succeed. A corpus too small for the power law or for Heaps' law gets a note in their
    place; parts of speech, clusters and projections were asked for by name, so that their errors are
    raised.

    >>> import lexicloud as lc
    >>> corpus = lc.Corpus.from_texts(["the cat and the dog and the bird saw the cat"])
    >>> study = study_zipf(corpus)
    >>> study.fit.words, study.power_law is None, len(study.notes) > 0
    (6, True, True)
    """
    options = options or StudyOptions()
    notes: list[str] = []
    ranks = rank_frequency(corpus, punctuation=options.punctuation)
    words = _words(corpus, ranks, options, notes)
    return ZipfStudy(
        ranks,
        fit_zipf(ranks),
        corpus.lexicon.source,
        **words,
        documents=_documents(corpus, options, notes) if options.by_document else {},
        **_parts(corpus, options),
        **_clusters(corpus, options),
        options=options,
        notes=tuple(notes),
    )


def _or_note(call: Callable[[], T], notes: list[str]) -> T | None:
    try:
        return call()
    except (EstimateError, OptionError) as error:
        notes.append(str(error))
        return None


def _words(corpus: Corpus, ranks: RankFrequency, options: StudyOptions, notes: list[str]) -> dict[str, Any]:
    from lexicloud.zipf.goodness import compare_distributions, goodness_of_fit
    from lexicloud.zipf.heaps_law import heaps
    from lexicloud.zipf.power_law import fit_power_law

    boot: dict[str, Any] = {"samples": options.samples, "seed": options.seed, "workers": options.workers}
    found: dict[str, Any] = {"heaps": _or_note(lambda: heaps(corpus, punctuation=options.punctuation), notes)}
    law = _or_note(lambda: fit_power_law(ranks, **boot), notes)
    if law is not None and options.samples:
        found["goodness"] = _or_note(lambda: goodness_of_fit(law, **boot), notes)
    if law is not None and options.alternatives:
        found["alternatives"] = compare_distributions(law)
    return {**found, "power_law": law}


def _documents(corpus: Corpus, options: StudyOptions, notes: list[str]) -> dict[str, ZipfFit]:
    fits = {}
    for name in track(corpus.names, "fitting each document"):
        try:
            fits[name] = rank_frequency(corpus, name, punctuation=options.punctuation).fit()
        except LexicloudError as error:
            notes.append(f"{name}: {error}")
    return fits


def _parts(corpus: Corpus, options: StudyOptions) -> dict[str, Any]:
    from lexicloud.zipf.parts_of_speech import part_of_speech_table
    from lexicloud.zipf.projection import project_words
    from lexicloud.zipf.purity import part_of_speech_purity

    found: dict[str, Any] = {}
    if options.pos:
        found["parts_of_speech"] = part_of_speech_table(corpus, tagger=options.tagger)
        found["purity"] = part_of_speech_purity(corpus, tagger=options.tagger, seed=options.seed)
    if options.projection:
        found["projection"] = project_words(
            corpus, options.projection, seed=options.seed, tagger=options.tagger
        )
    return found


def _clusters(corpus: Corpus, options: StudyOptions) -> dict[str, Any]:
    from lexicloud.zipf.cluster_count import choose_k
    from lexicloud.zipf.clusters import cluster_sizes
    from lexicloud.zipf.sweep import sweep_clusters

    if options.clusters is None and not options.sweep:
        return {}
    found: dict[str, Any] = {}
    sentences = corpus.sentences()
    k = PAPER_K if options.clusters is None else options.clusters
    if k == "auto":
        found["choice"] = choose_k(sentences, seed=options.seed)
        k = found["choice"].k
    if options.clusters is not None:
        found["clusters"] = cluster_sizes(sentences, k, seed=options.seed)
    if options.sweep:
        found["sweep"] = sweep_clusters(sentences, k, seeds=[options.seed + i for i in range(3)])
    return found
