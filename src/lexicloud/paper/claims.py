"""Judge the paper's claims by a run: which hold, and what a citation should now say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from lexicloud.paper.comparison import DATASETS, METHODS, ComparisonTable, Entry, Report
from lexicloud.paper.experiments.label_books import KNOWN

HOLDS: Final = "holds"
IN_PART: Final = "holds in part"
FAILS: Final = "does not hold here"
UNTRIED: Final = "was not run"


@dataclass(frozen=True)
class Claim:
    """One claim of the paper, where it is made, the verdict, the evidence, and how to cite it now.

    `published` is the evidence that the paper gives.
    """

    where: str
    claim: str
    verdict: str
    evidence: str
    cite: str
    published: str = ""


class Numbers:
    """The numbers of a run, found by table, row and column."""

    def __init__(self, reports: Iterable[Report]) -> None:
        tables = [
            table for report in reports for table in report.tables if isinstance(table, ComparisonTable)
        ]
        self._entries = {table.name: list(table.entries) for table in tables}

    def of(self, table: str, column: str | None = None) -> list[Entry]:
        """Return the entries of a table that have a number of ours, of one column or of all."""
        found = self._entries.get(table, [])
        return [e for e in found if e.ours is not None and column in (None, e.column)]

    def by_dataset(self, table: str, column: str) -> dict[str, float]:
        """Return dataset → our number."""
        return {str(e.row[0]): float(e.ours or 0.0) for e in self.of(table, column) if e.row[0] in DATASETS}

    def one(self, table: str, row: tuple[str | int, ...], column: str) -> Entry | None:
        """Return one entry, or None if the run has no such number."""
        return next((e for e in self.of(table, column) if e.row == row), None)


def claims(reports: Mapping[str, Report]) -> list[Claim]:
    """Return every claim with its verdict, also those whose tables were not run."""
    numbers = Numbers(reports.values())
    return [replace(judge(numbers), published=theirs) for judge, theirs in JUDGES.items()]


def _claim(where: str, claim: str, found: tuple[str, str, str] | None) -> Claim:
    return Claim(where, claim, *(found or (UNTRIED, "its tables are not part of this run", "–")))


def _span(values: Iterable[float], digits: int = 0) -> str:
    """Return the least and the greatest of some numbers as text: "3 to 5"."""
    found = [f"{value:.{digits}f}".replace("-", "−") for value in sorted(values)]
    return found[0] if found[0] == found[-1] else f"{found[0]} to {found[-1]}"


def _grows(n: Numbers) -> Claim:
    where = "table 1; “as the document size grows, the performance of our estimator improves over the categorical”"
    claim = "k-NN divergence beats categorical KL as documents grow"
    if not n.of("trial"):
        return _claim(where, claim, None)
    raw, standardised = (_leads(n, form) for form in ("as published", "standardised"))
    known = [e for e in n.of("trial-cells", "k=3") if e.row[0] == KNOWN and e.row[2] == "the same books"]
    ahead = sum(float(e.ours or 0) > _baseline(n, e) for e in known)
    evidence = (
        f"the same books, mean of three tasks: as published {_signed(raw[0])} points at the smallest size and "
        f"{_signed(raw[-1])} at the largest, standardised {_signed(standardised[0])} and {_signed(standardised[-1])}; "
        f"with unique authors left out k-NN is ahead in {ahead} of {len(known)} cells"
    )
    if raw[-1] <= 0:
        cite = "A k-NN divergence of word vectors did not overtake KL of word counts, at any size tried."
        return _claim(where, claim, (FAILS, evidence, cite))
    if raw[-1] > raw[0] and standardised[-1] > 0 and ahead > len(known) / 2:
        cite = "A k-NN divergence of word vectors overtakes KL of word counts as samples grow."
        return _claim(where, claim, (HOLDS, evidence, cite))
    cite = (
        "As samples grow, the k-NN divergence overtakes KL over shared words for reading level and where “unique” "
        "counts as an author; it is not ahead for authors with two books or more, for genre, or once both are "
        "standardised."
    )
    return _claim(where, claim, (IN_PART, evidence, cite))


def _leads(n: Numbers, form: str) -> list[float]:
    """Return the lead of k = 3 on the same books by size, the mean over estimators and vectors."""
    cells = [e for e in n.of("trial") if e.row[2:] == (form, "the same books")]
    sizes = dict.fromkeys(e.column for e in cells)
    by_size = [[float(e.ours or 0) for e in cells if e.column == size] for size in sizes]
    return [sum(found) / len(found) for found in by_size] or [0.0]


def _baseline(n: Numbers, cell: Entry) -> float:
    found = n.one("trial-cells", cell.row, "baseline")
    return float(found.ours or 0) if found else 0.0


def _signed(value: float) -> str:
    return f"{value:+.0f}".replace("-", "−")


def _best_k(n: Numbers) -> Claim:
    where, claim = "table 1", "k = 3 is the best k for most tasks"
    rows: dict[tuple[str | int, ...], dict[str, float]] = {}
    for entry in n.of("kl"):
        if entry.column.startswith("k=") and entry.row[0] in ("author", "genre", "reading_level"):
            rows.setdefault(entry.row, {})[entry.column] = float(entry.ours or 0)
    if not rows:
        return _claim(where, claim, None)
    best = sum(values["k=3"] >= max(values.values()) for values in rows.values())
    close = sum(values["k=3"] >= max(values.values()) - 1 for values in rows.values())
    verdict = HOLDS if best > len(rows) / 2 else IN_PART
    evidence = f"k = 3 is best in {best} of {len(rows)} rows, and within a book of the best in {close}"
    cite = "k = 3 served best for authors and for small samples; larger samples take a larger k as well or better."
    return _claim(where, claim, (verdict, evidence, cite))


def _pure(n: Numbers) -> Claim:
    where, claim = (
        "table 2",
        "a word's nearest words share its part of speech: two thirds at k = 3, half at k = 50",
    )
    three, fifty = n.by_dataset("neighbours", "k=3"), n.by_dataset("neighbours", "k=50")
    if not three:
        return _claim(where, claim, None)
    chance = {
        str(e.row[0]): float(e.ours or 0) for e in n.of("neighbours-chance", "k=3") if e.row[1] == "chance"
    }
    above = [100 * (three[d] - chance[d]) / (100 - chance[d]) for d in three]
    at_fifty = [fifty[d] - chance[d] for d in fifty]
    evidence = (
        f"{_span(three.values())} % at k = 3 where a shuffled tagging gives {_span(chance.values())} %: "
        f"{_span(above)} % of the way from chance to all alike; at k = 50 {_span(at_fifty)} points above chance"
    )
    cite = (
        "Neighbours in a word-vector space share the part of speech more often than chance, by a quarter to two "
        "fifths of the way from chance to all alike at k = 3; half of them doing so at k = 50 is near chance."
    )
    return _claim(where, claim, (IN_PART, evidence, cite))


def _latent(n: Numbers) -> Claim:
    where, claim = "section 3.3, table 6", "the part of speech is the latent variable behind Zipf's law"
    found = n.by_dataset("pos-spread", "explained")
    if not found:
        return _claim(where, claim, None)
    evidence = f"{_span(found.values())} % of the variance of a token's log count lies between the six parts"
    cite = "Parts of speech account for a third to two thirds of the breadth of word counts; nouns alone stay broad."
    return _claim(where, claim, (IN_PART, evidence, cite))


def _planes(n: Numbers) -> Claim:
    where, claim = "figure 2", "t-SNE shows the parts of speech better than PCA and MDS"
    planes = {method: n.by_dataset("projections", method) for method in ("t-SNE", "PCA", "MDS", "chance")}
    if not planes["t-SNE"]:
        return _claim(where, claim, None)
    wins = all(planes["t-SNE"][d] > max(planes["PCA"][d], planes["MDS"][d]) for d in planes["t-SNE"])
    evidence = (
        ", ".join(f"{m} {_span(v.values())} %" for m, v in planes.items()) + " of ten nearest on the plane"
    )
    cite = "t-SNE keeps the neighbourhoods of parts of speech on a plane; PCA and MDS hardly do."
    return _claim(where, claim, (HOLDS if wins else IN_PART, evidence, cite))


def _words(n: Numbers) -> Claim:
    where, claim = "figure 3", "word counts follow Zipf's law, Gatsby and Brown best"
    slopes, alphas = n.by_dataset("zipf", "slope of the line"), n.by_dataset("zipf", "α (Zipf)")
    if not slopes:
        return _claim(where, claim, None)
    ranked = sorted(slopes, key=lambda name: -slopes[name])
    order = ", ".join(f"{name} {slopes[name]:.2f}".replace("-", "−") for name in ranked)
    evidence = f"slopes of the line: {order}; exponents by maximum likelihood {_span(alphas.values(), 2)}"
    cite = (
        "Word counts are near Zipf's law in all five; how far a least-squares slope lies from −1 follows the size of "
        "the text, and maximum likelihood puts all of them near 1."
    )
    return _claim(where, claim, (HOLDS, evidence, cite))


def _clusters(n: Numbers) -> Claim:
    where, claim = (
        "figure 4",
        "sizes of sentence clusters follow Zipf's law: a heavy tail in the latent space",
    )
    slopes, shuffled = n.by_dataset("clusters", "slope"), n.by_dataset("clusters", "shuffled null")
    if not slopes:
        return _claim(where, claim, None)
    steeper = [name for name in slopes if slopes[name] < shuffled[name]]
    line = n.by_dataset("clusters", "R²")
    evidence = (
        f"slopes {_span(slopes.values(), 2)}, of sentences with their words dealt out at random "
        f"{_span(shuffled.values(), 2)}; steeper than that in {len(steeper)} of {len(slopes)} datasets; R² of the line "
        f"{_span(line.values(), 2)}"
    )
    own = [n.one("checks-sizes", ("RACE, all 95 clusters",), c) for c in ("R², power law", "R², exponential")]
    if own[0] is not None and own[1] is not None:
        evidence += (
            f". On the authors' own sizes of RACE a power law has R² {own[0].ours:.2f} and an exponential in rank "
            f"{own[1].ours:.2f}"
        )
    verdict = FAILS if len(steeper) <= len(slopes) / 2 else IN_PART
    cite = (
        "Cluster sizes of mean sentence vectors fall exponentially with rank rather than by a power law, and are as "
        "unequal where words were dealt out at random: a slope near −1 is no evidence that meaning follows Zipf's law."
    )
    return _claim(where, claim, (verdict, evidence, cite))


def _robust(n: Numbers) -> Claim:
    where, claim = "appendix C", "the slope does not change much with k"
    rows: dict[str, list[float]] = {}
    for entry in n.of("slopes"):
        if entry.row[1] == "sentences":
            rows.setdefault(str(entry.row[0]), []).append(float(entry.ours or 0))
    if not rows:
        return _claim(where, claim, None)
    spans = {name: max(values) - min(values) for name, values in rows.items()}
    widest = max(spans, key=lambda name: spans[name])
    evidence = f"over k′ ± 20 it moves by {_span(spans.values(), 2)}, most in {widest}"
    cite = "The slope depends little on k; it depends on the seed and the sentences about as much."
    return _claim(where, claim, (HOLDS if max(spans.values()) < 0.5 else IN_PART, evidence, cite))


def _varied(n: Numbers) -> Claim:
    where, claim = "tables 3 and 4", "set cover suggests the most varied sentences"
    unique = {m: n.one("unique", ("5000", "sampled queries"), m) for m in METHODS}
    jaccard = {m: n.one("jaccard", ("5000", "sampled queries", "removed"), m) for m in METHODS}
    if any(e is None for e in (*unique.values(), *jaccard.values())):
        return _claim(where, claim, None)
    u = {m: float(e.ours or 0) for m, e in unique.items() if e}
    j = {m: float(e.ours or 0) for m, e in jaccard.items() if e}
    others = sorted((m for m in METHODS[1:]), key=lambda m: -u[m])
    least = min(j, key=lambda m: j[m])
    evidence = (
        f"{u['setcover']:.1f} % of its suggestions are its own (published 89.3), next {others[0]} {u[others[0]]:.1f}; "
        f"likeness of its suggestions {j['setcover']:.4f}, least of all by {least}"
    )
    holds = least == "setcover" and u["setcover"] > u[others[0]] - 5
    cite = (
        "Set cover's suggestions are the least alike of all five methods', and no more of them are shared with other "
        "methods than of edit distance's."
    )
    return _claim(where, claim, (HOLDS if holds else IN_PART, evidence, cite))


def _people(n: Numbers) -> Claim:
    where, claim = "section 4.4", "people find set cover comparable to its peers"
    preferred, varied = (n.one("survey-head-to-head", (q,), "all") for q in ("preferred", "better_variety"))
    doubt = n.one("survey-head-to-head-doubt", ("preferred", "all"), "undone at")
    if preferred is None or varied is None or doubt is None:
        return _claim(where, claim, None)
    evidence = (
        f"preferred in {preferred.ours:.1f} % ({preferred.low:.1f} to {preferred.high:.1f} if all answers were "
        f"independent), more varied in {varied.ours:.1f} % ({varied.low:.1f} to {varied.high:.1f}); the first reaches "
        f"50 % if two answers of one person correlate by {doubt.ours:.2f}"
    )
    cite = (
        "People chose set cover in 44 % of head-to-heads, less than half unless answers of one person hang together "
        "more than slightly; they saw no advantage in variety. Neither equal nor worse is shown."
    )
    return _claim(where, claim, (IN_PART, evidence, cite))


def _estimates(_: Numbers) -> Claim:
    return Claim(
        "abstract, equations 2 to 5",
        "KL divergence can be estimated from word vectors",
        IN_PART,
        "equation 2 has the wrong sign; the estimator of equation 4 leaves out the power of the dimension, so that it "
        "is a score that ranks as the estimate does (samples of equal size) and not the divergence itself",
        "The paper's k-NN value is a score. With distances raised to the dimension (Póczos and Schneider, 2011; "
        "lexicloud's knn_divergence) it estimates the divergence.",
    )


# The function that judges each claim, and the paper's own evidence for it.
JUDGES: Final[dict[Callable[[Numbers], Claim], str]] = {
    _estimates: "the equations, after Póczos and Schneider",
    _grows: "books right at 32,000 words: author 20 against 18 of 42, reading level 25 against 18, genre 38 against 39",
    _best_k: "k = 3 best in 9 of 12 rows",
    _pure: "68.5 to 83.1 % at k = 3, 50.6 to 78.7 % at k = 50; no chance level",
    _latent: "shares of tokens and of words by part of speech",
    _planes: "three planes by t-SNE; PCA and MDS were made and left out",
    _words: "five plots of count against rank",
    _clusters: "five plots with a line; in the authors’ notebook RACE has −0.72",
    _robust: "a figure; in the notebook −1.11 to −0.94 over k = 75 … 125",
    _varied: "unique 89.3 % (edit distance 88.4, average 69.9), likeness 0.008 without stop words (others 0.057 up)",
    _people: "chosen in 57 % (chance 60), preferred in 44 %, more varied in 47 %",
}
