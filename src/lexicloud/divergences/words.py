"""The words behind a divergence: contributions, the word shift, and what makes two texts unusually close."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from scipy import sparse

from lexicloud.corpus import require_corpus
from lexicloud.corpus.cut import KINDS, word_kinds
from lexicloud.divergences.base import Method, WordContributions, nothing_shared, require
from lexicloud.divergences.methods import DEFAULT, make_method
from lexicloud.errors import EstimateError
from lexicloud.result import Result, TabularResult, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import Fitted

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class WordShare(Result):
    """What one word adds to a divergence: above zero it sets the texts apart, below zero it brings them
    together.

    `neighbour` is the word of the other text that carried the match, for methods that look at neighbours.
    """

    word: str
    value: float
    count_a: int
    count_b: int
    neighbour: str | None = None
    kind: str = "content"


@dataclass(frozen=True)
class KindShare(Result):
    """What one kind of words adds to a divergence, all of them together, with those that add most."""

    kind: str
    value: float
    words: tuple[WordShare, ...] = ()

    @property
    def plural(self) -> str:
        """What the words are called together."""
        return PLURAL[self.kind]

    @property
    def strongest(self) -> str:
        """The words that add most, with what they add."""
        return ", ".join(f"{w.word} {w.value:+.4f}" for w in self.words[:6])

    def __str__(self) -> str:
        return f"{self.plural} {self.value:+.4f}" + (f": {self.strongest}" if self.words else "")


PLURAL: Final = {
    "content": "content words",
    "name": "names",
    "function": "function words",
    "punctuation": "punctuation",
}


def by_kind(
    corpus: Corpus,
    contributions: WordContributions,
    rows: tuple[int, int],
    kinds: NDArray[np.int8],
    top: int,
) -> tuple[KindShare, ...]:
    """Return a part for each kind of words, content words first; the parts add up to the divergence."""
    parts, of = [], kinds[contributions.ids]
    for number, kind in enumerate(KINDS):
        here = of == number
        carriers = contributions.carriers
        some = WordContributions(
            contributions.ids[here], contributions.values[here], None if carriers is None else carriers[here]
        )
        words = word_shares(corpus, some, *rows, top)
        parts.append(KindShare(kind, some.value, tuple(replace(w, kind=kind) for w in words)))
    return tuple(parts)


def explain(
    fitted: Fitted, p: sparse.csr_array, q: sparse.csr_array, *, symmetric: bool = False
) -> WordContributions:
    """Return every word's contribution to D(P‖Q), or to D(P‖Q) + D(Q‖P)."""
    there = fitted.contributions(p, q)
    return merged([there, fitted.contributions(q, p)]) if symmetric else there


def merged(parts: Sequence[WordContributions], scale: float = 1.0) -> WordContributions:
    """Add up contributions of the same words; the first part that names a carrier names it for all."""
    ids, position = np.unique(np.concatenate([part.ids for part in parts]), return_inverse=True)
    values = np.bincount(
        position.ravel(), np.concatenate([part.values for part in parts]), minlength=len(ids)
    )
    carriers = np.full(len(ids), -1, dtype=np.int64)
    for part in reversed(parts):
        if part.carriers is not None:
            where = np.searchsorted(ids, part.ids)
            carriers[where] = np.where(part.carriers >= 0, part.carriers, carriers[where])
    return WordContributions(ids, (values * scale).astype(np.float64), carriers)


def word_shares(
    corpus: Corpus, contributions: WordContributions, a: int, b: int, top: int | None = None
) -> tuple[WordShare, ...]:
    """Name the `top` words with the largest contributions, whatever their sign; without `top`, all."""
    order = np.lexsort((contributions.ids, -np.abs(contributions.values)))[:top]
    counts = corpus.counts[[a, b]].tocsc()[:, contributions.ids[order]].toarray()
    carriers = contributions.carriers
    words = corpus.vocabulary
    return tuple(
        WordShare(
            words[contributions.ids[i]],
            float(contributions.values[i]),
            int(counts[0, column]),
            int(counts[1, column]),
            None if carriers is None else _carrier(corpus, int(carriers[i])),
        )
        for column, i in enumerate(order)
    )


def _carrier(corpus: Corpus, number: int) -> str | None:
    """Return the word that carried a match; a mark that did, by the company it keeps, explains nothing."""
    return None if number < 0 or corpus.punctuation[number] else corpus.vocabulary[number]


@dataclass(frozen=True)
class WordShift(TabularResult):
    """Every word's contribution to D(a‖b), largest first whatever the sign; they add up to `value`."""

    _table = "words"

    a: str
    b: str
    value: float
    method: str
    words: tuple[WordShare, ...]
    options: dict[str, Any] = field(default_factory=dict)
    symmetric: bool = False
    vectors: str = ""

    @property
    def apart(self) -> tuple[WordShare, ...]:
        """The words that set the texts apart, strongest first."""
        return tuple(w for w in self.words if w.value > 0)

    @property
    def together(self) -> tuple[WordShare, ...]:
        """The words that bring the texts together, strongest first."""
        return tuple(w for w in self.words if w.value < 0)

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return plain values for JSON: all words, or the `top` ones."""
        return {**super().to_dict(), "words": plain(self.words[:top])}

    def __str__(self) -> str:
        return f"D({self.a} ‖ {self.b}) = {self.value:.4g} by {len(self.words):,} words ({self.method})"

    def plot(self, ax: Axes | None = None, top: int = 30) -> Axes:
        """Draw the `top` words as bars: right and orange sets apart, left and blue brings together."""
        from lexicloud.divergences.divergence_plots import shift_bars

        return shift_bars(self, ax, top)

    def _repr_html_(self, top: int = 30) -> str:
        widest = max((abs(w.value) for w in self.words), default=1.0) or 1.0
        rows = "".join(_row(w, widest) for w in self.words[:top])
        more = f"<p>… and {len(self.words) - top:,} more words</p>" if len(self.words) > top else ""
        return f"<p><b>{escape(str(self))}</b></p><table>{rows}</table>{more}"


def _row(w: WordShare, widest: float) -> str:
    from lexicloud.plotting import APART, TOWARDS

    colour, width = (APART if w.value > 0 else TOWARDS), round(120 * abs(w.value) / widest)
    bar = f'<div style="background:{colour};height:0.8em;width:{width}px"></div>'
    near = f" ≈ {escape(w.neighbour)}" if w.neighbour else ""
    return f"<tr><td>{escape(w.word)}{near}</td><td>{w.value:+.4f}</td><td>{bar}</td></tr>"


def word_shift(
    corpus: Corpus, a: str, b: str, method: str | Method = DEFAULT, *, symmetric: bool = False, **options: Any
) -> WordShift:
    """Return what every word adds to the divergence of document `a` from document `b`, as `divergence`
    measures it.

    >>> from lexicloud.corpus import Corpus
    >>> texts = {"a": "tea and cake and tea", "b": "tea and ale and bread"}
    >>> shift = word_shift(Corpus.from_texts(texts), "a", "b", method="jensen-shannon")
    >>> shift.words[0].word, abs(sum(w.value for w in shift.words) - shift.value) < 1e-12
    ('ale', True)
    """
    require_corpus(corpus)
    chosen = make_method(method, **options)
    rows = corpus.position(a), corpus.position(b)
    both = symmetric and not chosen.is_symmetric
    fitted = chosen.fit_pair(corpus, rows)
    require(corpus, rows, chosen, fitted)
    contributions = explain(fitted, corpus.counts[[rows[0]]], corpus.counts[[rows[1]]], symmetric=both)
    if not len(contributions.ids):
        raise EstimateError(nothing_shared(a, b))
    shares, kinds, ids = (
        word_shares(corpus, contributions, *rows),
        word_kinds(corpus, rows),
        corpus.vocabulary.ids,
    )
    return WordShift(
        a=a,
        b=b,
        value=contributions.value,
        method=chosen.name,
        words=tuple(replace(w, kind=KINDS[kinds[ids[w.word]]]) for w in shares),
        options={k: v for k, v in chosen.to_dict().items() if k != "method"},
        symmetric=both,
        vectors=corpus.lexicon.source,
    )


WORDS: Final = 8  # words listed on each side
OTHER_WORDS: Final = 6


@dataclass(frozen=True)
class Closeness(Result):
    """A text `a`, one of its nearest texts `b`, and the words behind it.

    A word's value is a difference: what it adds to D(a‖b), less what it adds to D(a‖r), where r is a text as
    long as b in which the words of all other texts stand in their usual proportions. Below zero it brings the
    two together, above zero it sets them apart, and the values of all words add up to `gain`. With two texts
    there are no others, and the values are those of D(a‖b) itself. `together` and `apart` list content words;
    the strongest names and function words of either sign stand in `names` and `function_words`: the ones say who
    acts, the others say more about manner than matter.
    """

    _left_out = ("a",)
    _renamed: ClassVar = {"b": "text"}

    a: str
    b: str
    divergence: float
    shown: float  # both ways, standardised where the map is
    gain: float
    together: tuple[WordShare, ...]
    apart: tuple[WordShare, ...]
    names: tuple[WordShare, ...] = ()
    function_words: tuple[WordShare, ...] = ()


@dataclass(frozen=True, eq=False)
class Explainer:
    """Contributions of words to divergences between the texts of a corpus, less what is usual."""

    corpus: Corpus
    fitted: Fitted

    @cached_property
    def kinds(self) -> NDArray[np.int8]:
        """The kind of each word, as a place in `KINDS`."""
        return word_kinds(self.corpus)

    def pairs(
        self, i: int, others: Sequence[int], divergences: Sequence[float], shown: Sequence[float]
    ) -> tuple[Closeness, ...]:
        """Explain why text i is as near to some other texts as it is."""
        numbers = zip(others, divergences, shown, strict=True)
        return tuple(self._pair(i, j, float(d), float(s)) for j, d, s in numbers)

    def _pair(self, i: int, j: int, divergence: float, shown: float) -> Closeness:
        corpus, (values, carriers) = self.corpus, self._contributions(i, self.corpus.counts[[j]])
        values = values - self._usual(i, j)
        content = self.kinds == KINDS.index("content")
        order = np.argsort(values, kind="stable")
        together = order[(values[order] < 0) & content[order]][:WORDS]
        apart = order[::-1][(values[order[::-1]] > 0) & content[order[::-1]]][:WORDS]
        others = (self._strongest(values, kind) for kind in ("name", "function"))
        listed = (self._shares(chosen, values, carriers, i, j) for chosen in (together, apart, *others))
        return Closeness(corpus.names[i], corpus.names[j], divergence, shown, float(values.sum()), *listed)

    def _strongest(self, values: Floats, kind: str) -> NDArray[np.int64]:
        found = np.flatnonzero((self.kinds == KINDS.index(kind)) & (values != 0))
        return found[np.argsort(-np.abs(values[found]), kind="stable")][:OTHER_WORDS]

    def _usual(self, i: int, j: int) -> Floats:
        """Return what each word adds to the divergence of text i from the others, cut to the length of text
        j.

        Methods trust a long text's counts more than a short one's, so that only equal lengths compare.
        """
        if len(self.corpus) <= 2:
            return np.zeros(len(self.corpus.vocabulary))
        others = self.corpus.totals - self.corpus.counts[[i]].toarray().ravel()
        scaled = others * (self.corpus.lengths[j] / max(others.sum(), 1))
        return self._contributions(i, sparse.csr_array(scaled[None, :]))[0]

    def _contributions(self, i: int, other: sparse.csr_array) -> tuple[Floats, NDArray[np.int64]]:
        found = self.fitted.contributions(self.corpus.counts[[i]], other)
        values = np.zeros(len(self.corpus.vocabulary))
        carriers = np.full(len(values), -1, dtype=np.int64)
        values[found.ids] = found.values
        if found.carriers is not None:
            carriers[found.ids] = found.carriers
        return values, carriers

    def _shares(
        self,
        chosen: NDArray[np.int64],
        values: Floats,
        carriers: NDArray[np.int64],
        i: int,
        j: int,
    ) -> tuple[WordShare, ...]:
        words = self.corpus.vocabulary
        counts = self.corpus.counts[[i, j]].tocsc()[:, chosen].toarray()
        return tuple(
            WordShare(
                words[w],
                float(values[w]),
                int(counts[0, column]),
                int(counts[1, column]),
                _carrier(self.corpus, int(carriers[w])) if carriers[w] != w else None,
            )
            for column, w in enumerate(chosen)
        )
