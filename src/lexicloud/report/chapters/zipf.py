"""Zipf's law in these texts: of words, of their parts of speech, and of clusters of sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lexicloud.report import interactive as plots
from lexicloud.report.chapters.chapter import Chapter, Missing, found, how_to_read
from lexicloud.report.html import Html, facts, note, paragraph, table, tag
from lexicloud.report.page import Plot, Section
from lexicloud.report.phrases import cut, listed, percent, signed
from lexicloud.zipf.law_study import StudyOptions, ZipfStudy, study_zipf

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

CLUSTERS: Final = 35  # the paper's k for one book
PROJECTED: Final = 2000  # words on the plane: more cannot be pointed at, and a browser draws these at once
SAMPLES: Final = 100  # of the power law's bootstrap: p to about 0.05
_NOT_ASKED: Final = "it was not asked for"
_TITLES: Final = {
    "fit": "Rank and frequency",
    "power_law": "The tail of frequent words",
    "goodness": "Goodness of fit",
    "heaps": "The growth of the vocabulary",
    "parts_of_speech": "Parts of speech",
    "purity": "Neighbours of the same part of speech",
    "clusters": "Clusters of sentences",
    "projection": "The vocabulary on a plane",
}
_NULLS: Final = {"gaussian": "a Gaussian cloud", "shuffled": "the same words dealt out at random"}
# Whole books and corpora of English have α between about 0.9 and 1.2.
_CLOSE_TO_ONE: Final = 0.2


@dataclass(frozen=True, eq=False)
class ZipfChapter(Chapter):
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
    def gather(cls, corpus: Corpus, *, sentences: Corpus | Missing, seed: int = 0) -> ZipfChapter:
        """Fit, tag, cluster and project."""
        split = found(sentences)
        options = StudyOptions(
            samples=SAMPLES,
            pos=True,
            clusters=None if split is None else CLUSTERS,
            projection="tsne",
            projected=PROJECTED,
            strict=False,
            seed=seed,
        )
        study = study_zipf(corpus, options, sentences=split)
        reasons = {} if split is not None else {"clusters": sentences.reason}  # type: ignore[union-attr]
        return cls.of(study, reasons)

    @classmethod
    def of(cls, study: ZipfStudy, reasons: Mapping[str, str] | None = None) -> ZipfChapter:
        """Show a study; `reasons` say why a piece is not there, beyond those that the study knows."""
        why = {**study.missing, **(reasons or {})}

        def piece(name: str) -> Any:
            there = getattr(study, name)
            return Missing("", _TITLES[name], why.get(name, _NOT_ASKED)) if there is None else there

        return cls(study.ranks, **{name: piece(name) for name in _TITLES})

    def blocks(self) -> list[object]:
        """Return the markup and plots of the section."""
        return _render(self)

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


def _render(part: ZipfChapter) -> list[object]:
    """Return words, parts of speech, clusters and the plane; a piece that is not there says why."""
    return [
        paragraph(part.finding, "lead"),
        tag("h3", "Words by rank"),
        *_words(part),
        *_piece(part.parts_of_speech, _parts_of_speech),
        *_piece(part.purity, _show_purity),
        *_piece(part.clusters, _show_clusters),
        *_piece(part.projection, _projection),
    ]


def more_sections(study: ZipfStudy) -> list[Section]:
    """Return what a study may hold beyond the chapter: the choice of k, the sweep over k, and each document."""
    from lexicloud.report.html import embedded

    sections = []
    for name, title in (
        ("choice", "The number of clusters"),
        ("sweep", "Slope against the number of clusters"),
    ):
        result = getattr(study, name)
        if result is not None:
            blocks = [Html(result._repr_html_()), embedded({name: result.plot})]
            sections.append(Section(name, title, blocks))
    if study.alternatives:
        tests = [[str(test)] for test in study.alternatives]
        sections.append(
            Section("alternatives", "Other laws for the tail", [table(["power law against"], tests)])
        )
    if study.documents:
        listed = study.tables()["documents"]
        rows = [[*row] for row in listed.round(3).itertuples(index=False)]
        sections.append(Section("documents", "Each document", [table(list(listed.columns), rows)]))
    return sections


def _piece(piece: Any, render: Any) -> list[object]:
    if isinstance(piece, Missing):
        return [] if piece.reason == _NOT_ASKED else [tag("h3", piece.title), note(piece.finding)]
    blocks: list[object] = render(piece)
    return blocks


def _words(part: ZipfChapter) -> list[object]:
    fit = found(part.fit)
    words = part.ranks.words or ()
    first = [
        [i + 1, w, int(n)] for i, (w, n) in enumerate(zip(words[:30], part.ranks.counts[:30], strict=False))
    ]
    alt = (
        f"Count against rank of {len(part.ranks):,} words on logarithmic scales, falling from left to right."
    )
    missing = [note(p.finding) for p in (part.fit, part.power_law, part.heaps) if isinstance(p, Missing)]
    return [
        how_to_read(
            "Both scales are logarithmic, so that a power law is a straight line. The dashed line is least "
            "squares, which the rare "
            "words pull down; the orange curve is the Zipf–Mandelbrot law by maximum likelihood."
        ),
        _figures(part),
        *missing,
        Plot(
            plots.ranks(part.ranks, fit),
            "Count against rank",
            alt,
            table(
                ["rank", "word", "count"],
                first,
                caption=f"The first {len(first)} of {len(part.ranks):,} words",
            ),
        ),
    ]


def _figures(part: ZipfChapter) -> Html:
    shown: dict[str, object] = {}
    fit, law, goodness, growth = (
        found(part.fit),
        found(part.power_law),
        found(part.goodness),
        found(part.heaps),
    )
    if fit is not None:
        shown["least-squares slope"] = signed(fit.slope)
        if fit.converged:
            shown["Zipf–Mandelbrot α"] = f"{fit.alpha:.3f}"
            shown["Zipf–Mandelbrot β"] = signed(fit.beta)
    if law is not None:
        shown["power law of the tail, α"] = f"{law.alpha:.2f}"
    if goodness is not None:
        shown["its p-value"] = f"{goodness.p_value:.2f}"
    if growth is not None:
        shown["vocabulary grows as"] = f"N^{growth.beta:.2f}"
    return facts(shown)


def _parts_of_speech(found: PartOfSpeechTable) -> list[object]:
    rows = [
        [part, int(found.tokens[i]), percent(found.token_percent[i] / 100, 1), int(found.words[i]),
         percent(found.word_percent[i] / 100, 1), found.spread.get(part)]
        for i, part in enumerate(found.parts)
    ]  # fmt: skip
    shown = table(
        ["part of speech", "tokens", "share", "words", "share", "spread"],
        rows,
        caption="Tokens and distinct words by part of speech; the spread is the standard deviation of a "
        "token’s log₁₀ count",
    )
    return [
        tag("h3", "Parts of speech"),
        how_to_read(
            "If parts of speech made Zipf’s law, each part’s counts would be spread more narrowly than "
            "all words’ "
            f"({found.total_spread:.2f}); they account for {percent(found.explained)} of the variance of a "
            "token’s log count. Each word has "
            f"one tag, out of context ({found.tagger})."
        ),
        Plot(
            plots.part_ranks(found),
            "Count against rank within each part of speech",
            "Count against rank for all words and within each of six parts of speech, on logarithmic scales.",
            shown,
        ),
    ]


def _show_purity(found: Purity) -> list[object]:
    present = [i for i in range(len(found.parts)) if found.n_per_category[i]]
    headers = ["k", "all words", "chance", *(found.parts[i] for i in present)]
    rows = [
        [k, *(percent(v / 100, 1) for v in (found.percent[j], found.chance, *found.per_category[present, j]))]
        for j, k in enumerate(found.k)
    ]
    k, share = found.k[0], found.percent[0] / 100
    return [
        tag("h3", "Neighbours of the same part of speech"),
        how_to_read(
            f"Of a word’s {k} nearest words, {percent(share)} share its part of speech; a shuffled tagging "
            f"would give {percent(found.chance / 100)}. "
            "Vectors know grammar as well as meaning."
        ),
        Plot(
            plots.purity(found),
            "Nearest words with the same part of speech",
            f"Lines that fall slowly as k grows from {found.k[0]} to {found.k[-1]}, all words at "
            f"{percent(share)} for the smallest k, "
            f"above the chance line at {percent(found.chance / 100)}.",
            table(
                headers,
                rows,
                caption=f"Share of the k nearest words with the same part of speech, {found.n_words:,} words",
            ),
            height="22rem",
        ),
    ]


def _show_clusters(found: ClusterSizes) -> list[object]:
    rows = [
        [i + 1, c.size, " ".join(c.words[:8]), cut(c.nearest[0], 160) if c.nearest else "–"]
        for i, c in enumerate(found.clusters)
    ]
    behind = table(
        ["rank", "sentences", "its words", "the sentence at its centre"],
        rows,
        caption=f"The {len(rows)} clusters",
    )
    return [
        tag("h3", "Clusters of sentences"),
        how_to_read(
            f"{found.n_sentences:,} sentences in {found.k} clusters by their mean vectors. A slope near −1 "
            "would look like Zipf’s law, but k-means "
            "gives unequal clusters on anything: the dashed lines are the same k-means on a Gaussian "
            "cloud, and on the same words dealt out "
            "to sentences at random. Only a slope steeper than both says that themes make the sizes unequal."
        ),
        paragraph(
            f"{found.summary[:1].upper()}{found.summary[1:]}: {found.verdict}.".replace("-", "−").replace(
                "'", "’"
            )
        ),
        Plot(
            plots.clusters(found),
            "Cluster size against rank",
            f"Sizes of {len(rows)} clusters against rank on logarithmic scales, slope {found.slope:.2f}, "
            "beside two null models.",
            behind,
        ),
    ]


def _projection(found: Projection) -> list[object]:
    rows = [
        [w, p, int(n)]
        for w, p, n in zip(found.words[:200], found.parts[:200], found.counts[:200], strict=True)
    ]
    behind = table(
        ["word", "part of speech", "count"],
        rows,
        caption=f"The {len(rows)} most frequent of {len(found):,} words",
    )
    return [
        tag("h3", "The vocabulary on a plane"),
        how_to_read(
            f"The {len(found):,} most frequent words; words of similar meaning stand together. Point at "
            "one to read it, drag to move, "
            "use the buttons at the corner to zoom, and click a part of speech to hide it.",
            *(f"{n}." for n in found.notes),
        ),
        Plot(
            plots.projection(found),
            f"{len(found):,} words ({'t-SNE' if found.method == 'tsne' else found.method})",
            "A cloud of words coloured by part of speech, in which words of similar meaning stand together.",
            behind,
            height="38rem",
        ),
    ]
