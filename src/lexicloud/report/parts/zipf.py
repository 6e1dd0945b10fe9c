"""Zipf's law in these texts: of words, of their parts of speech, and of clusters of sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lexicloud import zipf
from lexicloud.report.parts.part import Missing, Part, attempt, found
from lexicloud.report.wording import listed, percent, signed

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.zipf import (
        ClusterSizes,
        GoodnessOfFit,
        Heaps,
        PartOfSpeechTable,
        PowerLaw,
        Projection,
        Purity,
        RankFrequency,
        ZipfFit,
    )

T = TypeVar("T")

CLUSTERS: Final = 35  # the paper's k for one book
# Fewer than this many sentences a cluster, and sizes are mostly chance.
_SENTENCES_A_CLUSTER: Final = 10
PROJECTED: Final = 2000  # words on the plane: more cannot be pointed at, and a browser draws these at once
SAMPLES: Final = 100  # of the power law's bootstrap: p to about 0.05
_NULLS: Final = {"gaussian": "a Gaussian cloud", "shuffled": "the same words dealt out at random"}
# Whole books and corpora of English have α between about 0.9 and 1.2.
_CLOSE_TO_ONE: Final = 0.2
PURITY_K: Final = (3, 5, 10, 20, 50)


@dataclass(frozen=True, eq=False)
class ZipfPart(Part):
    """What there is to say about Zipf's law; a piece that could not be had says why."""

    id = "zipf"
    title = "Does Zipf’s law hold"

    ranks: RankFrequency
    fit: ZipfFit | Missing
    power_law: PowerLaw | Missing
    goodness: GoodnessOfFit | Missing
    heaps: Heaps | Missing
    parts_of_speech: PartOfSpeechTable | Missing
    purity: Purity | Missing
    clusters: ClusterSizes | Missing
    projection: Projection | Missing

    @classmethod
    def gather(cls, corpus: Corpus, *, sentences: Corpus | Missing, seed: int = 0) -> ZipfPart:
        """Fit, tag, cluster and project."""
        ranks = zipf.rank_frequency(corpus)
        law = attempt("The tail of frequent words", lambda: zipf.fit_power_law(ranks))
        return cls(
            ranks,
            attempt("Rank and frequency", lambda: zipf.fit_zipf(ranks)),
            law,
            _then(law, "Goodness of fit", lambda it: zipf.goodness_of_fit(it, samples=SAMPLES, seed=seed)),
            attempt("The growth of the vocabulary", lambda: zipf.heaps(corpus)),
            attempt("Parts of speech", lambda: zipf.part_of_speech_table(corpus)),
            attempt("Neighbours of the same part of speech", lambda: _purity(corpus, seed)),
            _then(sentences, "Clusters of sentences", lambda it: _clusters(it, seed)),
            attempt("The vocabulary on a plane", lambda: zipf.project_words(corpus, n=PROJECTED, seed=seed)),
        )

    @property
    def finding(self) -> str:
        """Whether the law holds, in words and in clusters of sentences beside the null models."""
        return " ".join(text for text in (self._words_finding, self._clusters_finding) if text)

    @property
    def _words_finding(self) -> str:
        fit, goodness, law = found(self.fit), found(self.goodness), found(self.power_law)
        if fit is None:
            return f"{len(self.ranks):,} distinct words are too few to judge Zipf’s law."
        text = f"The counts of {len(self.ranks):,} words fall with their rank {_shape(fit)}"
        if goodness is None or law is None:
            return f"{text}."
        share = percent(law.n_tail / law.words)
        p = f"p = {goodness.p_value:.2f}" if goodness.p_value >= 0.01 else "p < 0.01"
        verdict = "passes" if goodness.plausible else "fails"
        return (
            f"{text}; the tail of words that occur at least {law.x_min:,} times ({share} of the "
            f"vocabulary) {verdict} a strict "
            f"test for a power law ({p})."
        )

    @property
    def _clusters_finding(self) -> str:
        clusters = found(self.clusters)
        if clusters is None:
            return ""
        nulls = listed(
            [f"{_NULLS.get(name, name)} {signed(model.slope)}" for name, model in clusters.null.items()]
        )
        steeper = clusters.verdict.count("steeper than") == len(clusters.null) > 0
        verdict = (
            "themes make the sizes more unequal than that"
            if steeper
            else "by itself the slope is no evidence of themes"
        )
        return (
            f"Clusters of sentences have sizes with a slope of {signed(clusters.slope)} (Zipf: −1), but "
            "k-means gives unequal clusters on "
            f"anything ({nulls}): {verdict}."
        )

    def figures(self) -> dict[str, Callable[[], Any]]:
        """Every figure that the pieces can draw."""
        fit = found(self.fit)
        drawn: dict[str, Callable[[], Any]] = {"ranks": lambda: self.ranks.plot(fit=fit)}
        for name in ("power_law", "heaps", "parts_of_speech", "purity", "clusters", "projection"):
            piece = getattr(self, name)
            if not isinstance(piece, Missing):
                drawn[name] = piece.plot
        return drawn

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; every word and every point is left to the page."""
        pieces = ("fit", "power_law", "goodness", "heaps", "parts_of_speech", "purity", "clusters")
        plain = {name: getattr(self, name).to_dict() for name in pieces}
        words = self.ranks.words or ()
        top = [[w, int(n)] for w, n in zip(words[:50], self.ranks.counts[:50], strict=False)]
        projected = found(self.projection)
        return {
            "finding": self.finding,
            "words": len(self.ranks),
            "tokens": self.ranks.tokens,
            "most_frequent": top,
            **plain,
            "projected": 0 if projected is None else len(projected),
        }


def _shape(fit: ZipfFit) -> str:
    """Say how close the exponent comes to the law's 1."""
    if not fit.converged:
        return f"with a least-squares slope of {signed(fit.slope)} (Zipf’s law: −1)"
    if abs(fit.alpha - 1) <= _CLOSE_TO_ONE:
        return f"as Zipf’s law says, with α = {fit.alpha:.2f}"
    return f"{'faster' if fit.alpha > 1 else 'more slowly'} than Zipf’s law says, with α = {fit.alpha:.2f} instead of 1"


def _then(piece: Any, title: str, call: Callable[[Any], T]) -> T | Missing:
    """Go on from a piece, or pass its reason on."""
    if isinstance(piece, Missing):
        return Missing("", title, piece.reason)
    return attempt(title, lambda: call(piece))


def _purity(corpus: Corpus, seed: int) -> Purity:
    words = int((corpus.embedded & (corpus.totals > 0)).sum())
    # A neighbourhood that is half the vocabulary says nothing about nearness.
    ks = tuple(k for k in PURITY_K if k * 2 <= words) or (1,)
    return zipf.part_of_speech_purity(corpus, ks, seed=seed)


def _clusters(sentences: Corpus, seed: int) -> ClusterSizes:
    from lexicloud.errors import EstimateError

    k = min(CLUSTERS, len(sentences) // _SENTENCES_A_CLUSTER)
    if k < 4:
        raise EstimateError(
            f"{len(sentences):,} sentences make too few clusters for a slope: at least "
            f"{4 * _SENTENCES_A_CLUSTER} are needed"
        )
    return zipf.cluster_sizes(sentences, k, seed=seed, resamples=5, null_seeds=3)
