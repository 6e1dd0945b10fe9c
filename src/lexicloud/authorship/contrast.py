"""What sets groups of texts apart: key words with effect sizes and intervals, joined into themes.

Every text is cut into segments of 2,000 tokens. The log ratio says how many times as frequent a word is, in
doublings. Its interval comes from how much the rate varies between segments, so a word that only one text repeats
has a wide one. Zeta is the share of segments that have the word in one group minus that in the other (Burrows, Craig);
Eder's Zeta divides this difference by the sum of both shares, which favours rarer words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import TabularResult
from lexicloud.say.blocks import (
    Block,
    Facts,
    Figure,
    Passage,
    Passages,
    Sentence,
    listed,
    many,
    signed,
    table,
)
from lexicloud.text.tokens import prose
from lexicloud.words.kinds import KINDS, word_kinds
from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

SEGMENT: Final = 2000
# Words with fewer occurrences than this in all groups together are left out.
LEAST: Final = 10
# The cosine of refined vectors from which on two key words are of one theme.
NEAR: Final = 0.6
NOTHING: Final = "No word sets the groups apart beyond doubt."
APART: Final = "names, function words and punctuation"
ALT: Final = "key words by how frequent they are and how much more their group has them"
# The number of trends that are listed.
SHOWN: Final = 20
ORDERS: Final = ("log-ratio", "zeta", "eder")


@dataclass(frozen=True, eq=False)
class Contrast(TabularResult):
    """The key words of two or more groups, the strongest first; see `contexts` for where they occur.

    A word `adds` its log ratio, in doublings, with a 95 % interval. With two groups it compares the first with the
    second (below zero the second has more), with more groups the word's own group with all others together. `owners`,
    `zeta` and `eder` are parallel to `words`; `owners` says which group a word is a key word of. `counts` and `rates`
    (per million) are those of each group, `near` is the key word whose theme it belongs to. `trends` has the words
    that rise or fall steadily where the groups are periods, in doublings from one to the next.
    """

    _table = "words"
    _left_out = ("corpus", "rows")

    groups: tuple[str, ...]
    words: tuple[Reason, ...]
    owners: tuple[str, ...]
    zeta: tuple[float, ...]
    eder: tuple[float, ...]
    tokens: tuple[int, ...]
    segments: tuple[int, ...]
    order: str
    corpus: Any
    rows: tuple[tuple[int, ...], ...]
    trends: tuple[Reason, ...] = ()

    def of(self, group: str) -> tuple[Reason, ...]:
        """Return the key words of a group."""
        if group not in self.groups:
            raise OptionError(f"no group {group!r}: the groups are {listed([repr(g) for g in self.groups])}")
        return tuple(w for w, owner in zip(self.words, self.owners, strict=True) if owner == group)

    def themes(self, group: str) -> dict[str, tuple[Reason, ...]]:
        """Return the words of a group, near words together, the strongest theme first."""
        found: dict[str, list[Reason]] = {}
        for word in self.of(group):
            found.setdefault(word.near or word.word, []).append(word)
        return {theme: tuple(words) for theme, words in found.items()}

    def contexts(self, word: str, n: int = 3, around: int = 6) -> dict[str, tuple[str, ...]]:
        """Return where a word occurs in each group, with the words around it."""
        wanted = self.corpus.vocabulary.ids.get(self.corpus.rules.normalise(word), -1)
        return {
            group: tuple(_contexts(self.corpus, rows, wanted, n, around))
            for group, rows in zip(self.groups, self.rows, strict=True)
        }

    def context_blocks(self, word: str) -> list[Block]:
        """Return where a word occurs in each group, to be shown."""
        return [
            Passages(tuple(Passage(f"… {line} …") for line in lines), f"{word} in {group}")
            for group, lines in self.contexts(word).items()
        ]

    def to_columns(self) -> dict[str, Any]:
        """Return the key words, the group of each and both Zetas."""
        return {**super().to_columns(), "group": self.owners, "zeta": self.zeta, "eder": self.eder}

    def plot(self, ax: Axes | None = None, top: int = 12) -> Axes:
        """Draw each key word by how frequent it is and how much more its group has it; the strongest are named."""
        from lexicloud.authorship.authorship_plots import contrast_scatter

        return contrast_scatter(self, ax, top)

    def blocks(self) -> list[Block]:
        """Return what each group has more of, in words, then its key words with all numbers."""
        said = [f"{g} has more of {listed(self._telling(g))}" for g in self.groups if self.of(g)]
        found: list[Block] = [Sentence(f"{'; '.join(said)}." if said else NOTHING, "answer")]
        found += [part for group in self.groups for part in self._group_tables(group)]
        if self.trends:
            rows = [(t.word, t.adds, _span(t), *t.rates) for t in self.trends]
            heads = ["word", "doublings a step", "95 % interval", *(f"per million, {g}" for g in self.groups)]
            found.append(table(heads, rows, title="what comes and goes", top=SHOWN))
        sizes = ", ".join(
            f"{g} {n:,} in {s:,}" for g, n, s in zip(self.groups, self.tokens, self.segments, strict=True)
        )
        return [
            *found,
            Facts((("words in segments", sizes), ("order", self.order))),
            Figure("scatter", ALT, self.plot),
        ]

    def _telling(self, group: str) -> list[str]:
        """Return the strongest words that say what a group is about; where it has none, its strongest words."""
        words = self.of(group)
        return [w.word for w in [w for w in words if w.kind == "content"] or words][:5]

    def _group_tables(self, group: str) -> list[Block]:
        """Return the key words of a group; names, function words and punctuation have a table of their own."""
        rows: dict[bool, list[tuple[object, ...]]] = {True: [], False: []}
        for w, owner, zeta, eder in zip(self.words, self.owners, self.zeta, self.eder, strict=True):
            if owner == group:
                counts = " / ".join(f"{n:,}" for n in w.counts)
                row = (w.word, w.adds, _span(w), zeta, eder, counts, w.near or "")
                rows[w.kind == "content"].append(row)
        heads = ["word", "log ratio", "95 % interval", "Zeta", "Eder's", "counts", "theme"]
        titles = {True: f"more in {group}", False: f"{APART} more in {group}"}
        return [table(heads, rows[kind], title=titles[kind]) for kind in rows if rows[kind]]

    def __str__(self) -> str:
        return " · ".join(f"{g}: {', '.join(w.word for w in self.of(g)[:5])}" for g in self.groups)


def contrast(
    corpus: Corpus,
    a: str,
    b: str,
    *more: str,
    order: str = "log-ratio",
    top: int | None = 100,
    segment: int = SEGMENT,
    periods: bool = False,
) -> Contrast:
    """Compare groups of texts word by word; groups are labels, or names of texts.

    Two groups are compared with each other, each of several groups with all others together. `order` says what makes
    a word strong: "log-ratio" (by the end of its interval that is nearer to zero, so that uncertain words come late),
    "zeta" or "eder"; a word belongs to the group that has more of it by that measure. `top` keeps so many words of each
    group. `periods=True` says that the groups follow each other in time; words that rise or fall steadily are then
    named, too.
    """
    if order not in ORDERS:
        raise OptionError(f"no order {order!r}: choose from {', '.join(ORDERS)}")
    groups = (a, b, *more)
    rows = tuple(_members(corpus, group) for group in groups)
    _require_apart(groups, rows)
    pieces = [count_segments(corpus, group, segment) for group in rows]
    counts = np.stack([np.asarray(p.sum(axis=0), dtype=np.float64).ravel() for p in pieces])
    found = _Found(corpus, counts, counts.sum(axis=1))
    for group, measured, sign in _comparisons(groups, pieces):
        found.add(group, measured, sign, order, top)
    return Contrast(
        groups,
        *found.strongest_first(),
        tuple(int(n) for n in found.sizes),
        tuple(p.shape[0] for p in pieces),
        order,
        corpus,
        rows,
        _trends(found, pieces, top) if periods else (),
    )


def _require_apart(groups: tuple[str, ...], rows: tuple[tuple[int, ...], ...]) -> None:
    for i, group in enumerate(groups):
        for other, theirs in zip(groups[:i], rows, strict=False):
            if set(rows[i]) & set(theirs):
                raise OptionError(f"{other!r} and {group!r} share a text: choose different groups")


def _comparisons(
    groups: tuple[str, ...], pieces: Sequence[sparse.csr_array]
) -> Iterator[tuple[str, dict[str, Floats], int]]:
    """Yield each group with its effect sizes and the sign that its words have in them."""
    if len(groups) == 2:
        measured = effect_sizes(pieces[0], pieces[1])
        yield groups[0], measured, 1
        yield groups[1], measured, -1
        return
    for i, group in enumerate(groups):
        others = [piece for j, piece in enumerate(pieces) if j != i]
        yield group, effect_sizes(pieces[i], sparse.csr_array(sparse.vstack(others))), 1


class _Found:
    """Key words of the groups as they are found."""

    def __init__(self, corpus: Corpus, counts: Floats, sizes: Floats) -> None:
        self.corpus, self.counts, self.sizes = corpus, counts, sizes
        self.enough = np.flatnonzero(counts.sum(axis=0) >= LEAST)
        self.kinds = word_kinds(corpus)
        self.listed: list[tuple[float, str, Reason, float, float]] = []

    def add(self, group: str, measured: dict[str, Floats], sign: int, order: str, top: int | None) -> None:
        """Add the strongest words of a group, near words joined."""
        strength = sign * measured[order]
        own = self.enough[strength[self.enough] > 0]
        chosen = own[np.argsort(-strength[own], kind="stable")][:top]
        themes = _themes(self.corpus, chosen)
        for i in chosen.tolist():
            reason = self.reason(i, measured["ratio"], measured["half"], themes[i])
            zetas = float(measured["zeta"][i]), float(measured["eder"][i])
            self.listed.append((float(strength[i]), group, reason, *zetas))

    def reason(self, i: int, effect: Floats, half: Floats, theme: int | None = None) -> Reason:
        """Return a word with an effect and its interval."""
        return Reason(
            self.corpus.vocabulary[i],
            float(effect[i]),
            KINDS[self.kinds[i]],
            near=None if theme in (None, i) else self.corpus.vocabulary[theme],
            counts=tuple(self.counts[:, i].astype(int).tolist()),
            rates=tuple((1e6 * self.counts[:, i] / self.sizes).tolist()),
            interval=(float(effect[i] - half[i]), float(effect[i] + half[i])),
        )

    def strongest_first(self) -> tuple[Any, Any, Any, Any]:
        """Return words, groups, Zetas and Eder's Zetas."""
        ranked = sorted(self.listed, key=lambda each: -each[0])
        columns = [tuple(each[i] for each in ranked) for i in (2, 1, 3, 4)]
        return columns[0], columns[1], columns[2], columns[3]


def _trends(found: _Found, pieces: Sequence[sparse.csr_array], top: int | None) -> tuple[Reason, ...]:
    """Return the words whose rate rises or falls steadily, by the slope of the log rate over the number of the period.

    A period weighs by the precision of its rate; only slopes whose interval does not contain zero are kept.
    """
    logs, weights = [], []
    for counts in pieces:
        total = float(counts.sum())
        rate = (np.asarray(counts.sum(axis=0), dtype=np.float64).ravel() + 0.5) / (total + 1)
        logs.append(np.log2(rate))
        weights.append(1 / np.maximum(_log_error(counts, rate, total) / np.log(2), 1e-9) ** 2)
    y, w, x = np.stack(logs), np.stack(weights), np.arange(len(pieces), dtype=np.float64)[:, None]
    x = x - (w * x).sum(axis=0) / w.sum(axis=0)
    spread = (w * x**2).sum(axis=0)
    slope = (w * x * y).sum(axis=0) / spread
    off = (w * (y - (w * y).sum(axis=0) / w.sum(axis=0) - slope * x) ** 2).sum(axis=0)
    # Where the periods scatter around the line more than their errors predict, the interval is wider in proportion.
    half = 1.96 * np.sqrt(np.maximum(off / max(1, len(pieces) - 2), 1.0) / spread)
    sure = np.abs(slope) - half
    chosen = found.enough[sure[found.enough] > 0]
    chosen = chosen[np.argsort(-sure[chosen], kind="stable")][:top]
    return tuple(found.reason(int(i), slope, half) for i in chosen)


def _span(word: Reason) -> str:
    low, high = word.interval or (np.nan, np.nan)
    return f"{signed(low, plus=True)} … {signed(high, plus=True)}"


def _members(corpus: Corpus, group: str) -> tuple[int, ...]:
    labels = corpus.labels or ()
    found = tuple(i for i, label in enumerate(labels) if label == group)
    if not found and group in corpus:
        found = (corpus.position(group),)
    if not found:
        raise OptionError(f"no label and no text is called {group!r}: see corpus.labels and corpus.names")
    return found


def count_segments(corpus: Corpus, rows: Sequence[int], size: int) -> sparse.csr_array:
    """Return segments × words: counts in segments of about equal length; a shorter text is one segment."""
    pieces = []
    for row in rows:
        tokens = corpus.tokens(row)
        pieces += np.array_split(tokens, max(1, round(len(tokens) / size)))
    pieces = [piece for piece in pieces if len(piece)]
    if len(pieces) < 2:
        raise EstimateError(
            f"a group has {many(len(pieces), 'segment')} of {size:,} tokens, but two are needed to say how much rates "
            "vary: give more text, or smaller segments"
        )
    ends = np.cumsum([len(piece) for piece in pieces])
    indptr = np.concatenate([[0], ends])
    shape = (len(pieces), len(corpus.vocabulary))
    counts = sparse.csr_array((np.ones(ends[-1]), np.concatenate(pieces), indptr), shape=shape)
    counts.sum_duplicates()
    return counts


def effect_sizes(first: sparse.csr_array, second: sparse.csr_array) -> dict[str, Floats]:
    """Return the effect sizes of every word, and the interval of the log ratio."""
    rates, errors, present = [], [], []
    for counts in (first, second):
        n, total = counts.shape[0], float(counts.sum())
        # Half an occurrence is added, so that the ratio is finite for words that one group lacks.
        rate = (np.asarray(counts.sum(axis=0), dtype=np.float64).ravel() + 0.5) / (total + 1)
        rates.append(rate)
        errors.append(_log_error(counts, rate, total) ** 2)
        present.append(np.asarray((counts > 0).sum(axis=0)).ravel() / n)
    ratio, half = np.log2(rates[0] / rates[1]), 1.96 * np.sqrt(errors[0] + errors[1]) / np.log(2)
    zeta = present[0] - present[1]
    both = present[0] + present[1]
    eder = np.divide(zeta, both, out=np.zeros_like(zeta), where=both > 0)
    sure = np.where(np.abs(ratio) > half, ratio - np.sign(ratio) * half, 0.0)
    return {"ratio": ratio, "half": half, "zeta": zeta, "eder": eder, "log-ratio": sure}


def _log_error(counts: sparse.csr_array, rate: Floats, total: float) -> Floats:
    """Return the standard error of each word's log rate, from the segments; at least that of independent words."""
    n, sizes = counts.shape[0], np.asarray(counts.sum(axis=1)).ravel()
    rows = np.repeat(np.arange(n), np.diff(counts.indptr))
    # Σ (c − rate·size)² over segments; a segment without the word adds (rate·size)².
    off = counts.data - rate[counts.indices] * sizes[rows]
    terms = off**2 - (rate[counts.indices] * sizes[rows]) ** 2
    squares = np.bincount(counts.indices, terms, minlength=len(rate)) + rate**2 * float((sizes**2).sum())
    variance = np.maximum(squares, 0) * n / (n - 1)
    return np.asarray(np.sqrt(np.maximum(variance, rate * total)) / (rate * (total + 1)))


def _themes(corpus: Corpus, chosen: NDArray[Any]) -> dict[int, int]:
    """Return, for each word, the strongest earlier word that is near it; the word itself where there is none."""
    vectors = corpus.refined[chosen]
    near = (vectors @ vectors.T) >= NEAR
    heads: list[int] = []
    found: dict[int, int] = {}
    for i, word in enumerate(chosen.tolist()):
        head = next((h for h in heads if near[i, h]), i)
        if head == i:
            heads.append(i)
        found[word] = int(chosen[head])
    return found


def _contexts(corpus: Corpus, rows: Sequence[int], word: int, n: int, around: int) -> list[str]:
    found: list[str] = []
    for row in rows:
        places = np.flatnonzero(corpus.tokens(row) == word)[: n - len(found)]
        words = corpus.written(row) if len(places) else []
        found += [prose(words[max(0, at - around) : at + around + 1]) for at in places]
    return found
