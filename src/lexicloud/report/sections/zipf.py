"""The section about Zipf's law."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lexicloud.report.html import Html, facts, note, paragraph, table, tag
from lexicloud.report.page import Plot
from lexicloud.report.parts.part import Missing, found
from lexicloud.report.plots import zipf as plots
from lexicloud.report.sections.frame import how_to_read
from lexicloud.report.wording import cut, percent, signed

if TYPE_CHECKING:
    from lexicloud.report.parts.zipf import ZipfPart
    from lexicloud.zipf import ClusterSizes, PartOfSpeechTable, Projection, Purity


def blocks(part: ZipfPart) -> list[object]:
    """Return words, parts of speech, clusters and the plane; a piece that is not there says why."""
    return [
        paragraph(part.finding, "lead"),
        tag("h3", "Words by rank"),
        *_words(part),
        *_piece(part.parts_of_speech, _parts_of_speech),
        *_piece(part.purity, _purity),
        *_piece(part.clusters, _clusters),
        *_piece(part.projection, _projection),
    ]


def _piece(piece: Any, render: Any) -> list[object]:
    if isinstance(piece, Missing):
        return [tag("h3", piece.title), note(piece.finding)]
    blocks: list[object] = render(piece)
    return blocks


def _words(part: ZipfPart) -> list[object]:
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


def _figures(part: ZipfPart) -> Html:
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


def _purity(found: Purity) -> list[object]:
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


def _clusters(found: ClusterSizes) -> list[object]:
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
