"""A study of Zipf's law in a corpus: all analyses in one result that can be shown and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeVar

from lexicloud.errors import EstimateError, LexicloudError, MissingExtra
from lexicloud.progress import track
from lexicloud.result import Result, TabularResult, as_json, csv_text
from lexicloud.say.blocks import Block, Figure, Sentence, chance, many, table
from lexicloud.say.figures import drawn, new_axes
from lexicloud.store.folder import replace_bytes, replace_text
from lexicloud.zipf.fit import ZipfFit, fit_zipf
from lexicloud.zipf.power_law import tail_named
from lexicloud.zipf.ranks import RankFrequency, rank_frequency

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.text.tags import Tagger
    from lexicloud.zipf.cluster_count import ClusterSweep, KChoice
    from lexicloud.zipf.clusters import ClusterSizes
    from lexicloud.zipf.goodness import GoodnessOfFit, LawComparison
    from lexicloud.zipf.heaps_law import Heaps
    from lexicloud.zipf.parts_of_speech import PartOfSpeechTable
    from lexicloud.zipf.power_law import PowerLaw
    from lexicloud.zipf.projection import Projection
    from lexicloud.zipf.purity import Purity

T = TypeVar("T")
# The pieces other than the ranks, in the order of reading, and the title of each.
PIECES: Final = {
    "fit": "Rank and frequency",
    "power_law": "The tail of frequent words",
    "goodness": "Is the tail a power law?",
    "heaps": "The growth of the vocabulary",
    "parts_of_speech": "Parts of speech",
    "purity": "Neighbours of the same part of speech",
    "choice": "The number of clusters",
    "clusters": "Clusters of sentences",
    "sweep": "The slope by the number of clusters",
    "projection": "The vocabulary on a plane",
}
# The paper's k for a single novel; the other corpora had 75 to 100.
PAPER_K: Final = 35
# With fewer sentences a cluster, sizes are mostly chance; fewer clusters give no slope.
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
    preset: str | None = None
    clusters: int | Literal["auto"] | None = None
    sweep: bool = False
    projection: Literal["tsne", "pca", "mds"] | None = None
    projected: int | None = None
    """How many words are projected; None means all."""
    strict: bool = True
    """Whether to raise an error if a piece that was asked for by name has no answer; else `missing` says why."""
    seed: int = 0
    workers: int | None = None


@dataclass(frozen=True, eq=False)
class ZipfStudy(Result):
    """The pieces of a study; a piece is None if it was not asked for, or if `missing` says why it has no answer."""

    _left_out = ("ranks", "projection", "options")
    _derived = ("notes",)
    _renamed: ClassVar = {"source": "vectors"}

    ranks: RankFrequency
    fit: ZipfFit | None
    source: str
    power_law: PowerLaw | None = None
    goodness: GoodnessOfFit | None = None
    alternatives: tuple[LawComparison, ...] = ()
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
        """Why some pieces have no answer, a line each."""
        return tuple(dict.fromkeys(self.missing.values()))

    @property
    def pieces(self) -> dict[str, Any]:
        """The results other than the ranks, by name, in the order of reading."""
        there = {name: getattr(self, name) for name in PIECES}
        return {name: piece for name, piece in there.items() if piece is not None}

    def figures(self) -> dict[str, Callable[..., Any]]:
        """Return the functions that draw the figures, on given or new Axes, by name."""
        found: dict[str, Callable[..., Any]] = {"ranks": lambda ax=None: self.ranks.plot(ax, fit=self.fit)}
        plots = {name: piece.plot for name, piece in self.pieces.items() if hasattr(piece, "plot")}
        plots.pop("fit", None)  # drawn with the ranks
        return {**found, **plots}

    def tables(self) -> dict[str, dict[str, Any]]:
        """Return the columns of every table, by name."""
        rows = {name: piece for name, piece in self.pieces.items() if isinstance(piece, TabularResult)}
        found = {
            "ranks": self.ranks.to_columns(),
            **{name: piece.to_columns() for name, piece in rows.items()},
        }
        return {**found, "documents": documents_table(self.documents)} if self.documents else found

    def to_dict(self) -> dict[str, Any]:
        """Return plain values without the long columns (every word, every point), which are in the tables."""
        ranks = {**self.ranks.to_dict(), "types": len(self.ranks)}
        ranks["words"], ranks["counts"] = (ranks["words"] or [])[:50], ranks["counts"][:50]
        projection = None if self.projection is None else _without_points(self.projection.to_dict())
        return {"conclusion": self.conclusion, "ranks": ranks, **super().to_dict(), "projection": projection}

    @property
    def conclusion(self) -> str:
        """Whether the law holds for words, and for clusters of sentences compared with the null models."""
        if self.fit is None:
            said = f"{many(len(self.ranks), 'distinct word')} are too few to judge Zipf’s law."
        else:
            said = self.fit.conclusion
        test = self.goodness
        if self.fit is not None and test is not None:
            verdict = "is passed" if test.plausible else "fails"
            which = tail_named(test.x_min)
            said += f" A strict test for a power law, of {which}, {verdict} ({chance(test.p_value)})."
        return said if self.clusters is None else f"{said} {self.clusters.conclusion}"

    def blocks(self) -> list[Block]:
        """Return whether the law holds, then every piece under its title, or why it is missing."""
        found: list[Block] = [Sentence(self.conclusion, "answer"), Sentence("Words by rank", "title")]
        found += self._ranked()
        for name, title in PIECES.items():
            piece = getattr(self, name)
            if piece is not None:
                told = [
                    b for b in piece.blocks() if not (isinstance(b, Sentence) and b.text in self.conclusion)
                ]
                found += [Sentence(title, "title"), *under_title(told)]
            elif name in self.missing:
                found += [
                    Sentence(title, "title"),
                    Sentence(f"Not here: {self.missing[name]}.", "note"),
                ]
        if self.alternatives:
            found += [Sentence("Other laws for the tail", "title")]
            found += [Sentence(test.conclusion) for test in self.alternatives]
        return [*found, *self._of_documents()]

    def _ranked(self) -> list[Block]:
        """Return the blocks of the ranks, their figure with the lines of the fit."""
        read = (
            "Both scales of the figure are logarithmic, so that a power law is a straight line. The dashed line is "
            "least squares, which rare words pull down; the curve is the Zipf–Mandelbrot law by maximum likelihood."
        )
        shown = [
            replace(b, draw=self.figures()["ranks"]) if isinstance(b, Figure) else b
            for b in under_title(self.ranks.blocks())
        ]
        return [*shown[:2], Sentence(read), *shown[2:]]

    def _of_documents(self) -> list[Block]:
        """Return a table of the documents' fits, and why some have none."""
        untold = [Sentence(f"{why}.", "note") for name, why in self.missing.items() if name not in PIECES]
        if not self.documents:
            return [*untold]
        columns = documents_table(self.documents)
        rows = zip(*columns.values(), strict=True)
        return [Sentence("Each document", "title"), table(list(columns), rows), *untold]

    def __str__(self) -> str:
        return f"{self.ranks.name}: {self.fit}"

    def write(self, folder: str | Path, name: str | None = None) -> list[Path]:
        """Write figures (PNG and SVG), tables (CSV) and `<name>.json`; return the files."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        files = []
        for figure, plot in track(self.figures().items(), "drawing"):
            axes = plot(new_axes(None, 7, 4.6))
            replace_bytes(folder / f"{figure}.png", drawn(axes, "png"))
            replace_bytes(folder / f"{figure}.svg", drawn(axes, "svg", letters=True))
            files += [folder / f"{figure}.png", folder / f"{figure}.svg"]
        for listed, columns in self.tables().items():
            replace_text(folder / f"{listed}.csv", csv_text(columns))
            files.append(folder / f"{listed}.csv")
        values = {**self.to_dict(), "options": asdict(self.options)}
        replace_text(folder / f"{name or 'zipf'}.json", as_json(values, 2) + "\n")
        return [folder / f"{name or 'zipf'}.json", *files]


def under_title(blocks: list[Block]) -> list[Block]:
    """Return blocks to put below a title, where the answer of a piece is a sentence like the others."""
    return [replace(b, role="why") if isinstance(b, Sentence) and b.role == "answer" else b for b in blocks]


def _without_points(values: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value
        for key, value in values.items()
        if key not in {"coordinates", "words", "parts", "counts", "points"}
    }


def documents_table(fits: dict[str, ZipfFit]) -> dict[str, Any]:
    """Return the slope, α and β of each document, by columns."""
    names = ("slope", "r_squared", "alpha", "beta", "c", "zipf_alpha", "words", "tokens", "converged")
    return {"document": list(fits), **{name: [getattr(fit, name) for fit in fits.values()] for name in names}}


def study_zipf(
    corpus: Corpus, options: StudyOptions | None = None, *, sentences: Corpus | None = None
) -> ZipfStudy:
    """Run all analyses that the options ask for.

    Ranks and fits must succeed. If a corpus is too small for the power law or for Heaps' law, a note says so. Errors of
    parts of speech, clusters and projections are raised, because they were asked for by name (unless `strict=False`).
    `sentences` is the corpus split into sentences, if that was done before.

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


def _or_reason(
    name: str, call: Callable[[], T], missing: dict[str, str], *, strict: bool = False
) -> T | None:
    """Return the result of a call, or None and note the reason in `missing`.

    With `strict`, errors are raised, except for a missing package.
    """
    try:
        return call()
    except LexicloudError as error:
        if strict and not isinstance(error, MissingExtra):
            raise
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
        tests = _or_reason("alternatives", lambda: compare_distributions(law), missing, strict=True)
        found["alternatives"] = tests or ()
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
    from lexicloud.zipf.parts_of_speech import part_of_speech_table, tagging
    from lexicloud.zipf.projection import project_words

    wanted: dict[str, Callable[[], Any]] = {}
    if options.pos:
        wanted["parts_of_speech"] = lambda: part_of_speech_table(
            corpus, tagger=options.tagger, preset=options.preset
        )
        wanted["purity"] = lambda: _purity(corpus, options)
    if options.projection:
        chosen: dict[str, Any] = {} if options.projected is None else {"n": options.projected}
        method = options.projection
        wanted["projection"] = lambda: project_words(
            corpus, method, seed=options.seed, tagger=tagging(options.tagger, options.preset)[0], **chosen
        )
    strict = options.strict
    found = {name: _or_reason(name, call, missing, strict=strict) for name, call in wanted.items()}
    clusters = _or_reason("clusters", lambda: _clusters(corpus, sentences, options), missing, strict=strict)
    return {**found, **(clusters or {})}


def _purity(corpus: Corpus, options: StudyOptions) -> Purity:
    from lexicloud.zipf.purity import PAPER_K as PAPER_KS
    from lexicloud.zipf.purity import part_of_speech_purity

    words = int((corpus.embedded & (corpus.totals > 0)).sum())
    # If the k nearest words are half of the vocabulary, they are not near.
    ks = tuple(k for k in PAPER_KS if k * 2 <= words) or (1,)
    chosen = PAPER_KS if options.strict else ks
    return part_of_speech_purity(
        corpus, chosen, tagger=options.tagger, seed=options.seed, preset=options.preset
    )


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
    """Return k, or less if there are few sentences."""
    k = min(k, len(sentences) // SENTENCES_A_CLUSTER)
    if k < LEAST_CLUSTERS:
        raise EstimateError(
            f"{len(sentences):,} sentences make too few clusters for a slope: at least "
            f"{LEAST_CLUSTERS * SENTENCES_A_CLUSTER} are needed"
        )
    return k
