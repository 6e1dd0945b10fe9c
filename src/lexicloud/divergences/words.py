"""The words behind a divergence: contributions, and the word shift."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.corpus import require_corpus
from lexicloud.divergences.base import Method, WordContributions, nothing_shared, require
from lexicloud.divergences.methods import DEFAULT, make_method
from lexicloud.errors import EstimateError
from lexicloud.result import Result, TabularResult, plain
from lexicloud.say.blocks import Block, Sentence, listed, signed
from lexicloud.words.kinds import KINDS, word_kinds
from lexicloud.words.reason import Reason, reason_bars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import Fitted

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class KindShare(Result):
    """What all words of one kind add to a divergence, with those that add most."""

    kind: str
    value: float
    words: tuple[Reason, ...] = ()

    @property
    def plural(self) -> str:
        """The kind in the plural."""
        return PLURAL[self.kind]

    @property
    def strongest(self) -> str:
        """The words that add most, with what they add."""
        return ", ".join(f"{w.word} {signed(w.adds, 4, plus=True)}" for w in self.words[:6])

    def __str__(self) -> str:
        return f"{self.plural} {signed(self.value, 4, plus=True)}" + (
            f": {self.strongest}" if self.words else ""
        )


APART_SAID, TOGETHER_SAID = "sets the texts apart", "brings them together"
PLURAL: Final = {
    "content": "content words",
    "name": "names",
    "function": "function words",
    "punctuation": "punctuation",
}


# The cosine of refined vectors from which a word is called near another. Ship and boat have .85, waves and storms .70;
# flesh and eyes .63, letter and wrote .56, ladies and open .52.
NEAR: Final = 0.65


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
            contributions.ids[here],
            contributions.values[here],
            None if carriers is None else carriers[here],
            contributions.measured,
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
    """Add up contributions of the same words; a word's carrier is that of the first part that has one."""
    ids, position = np.unique(np.concatenate([part.ids for part in parts]), return_inverse=True)
    values = np.bincount(
        position.ravel(), np.concatenate([part.values for part in parts]), minlength=len(ids)
    )
    carriers = np.full(len(ids), -1, dtype=np.int64)
    for part in reversed(parts):
        if part.carriers is not None:
            where = np.searchsorted(ids, part.ids)
            carriers[where] = np.where(part.carriers >= 0, part.carriers, carriers[where])
    measured = any(part.measured for part in parts)
    return WordContributions(ids, (values * scale).astype(np.float64), carriers, measured)


def word_shares(
    corpus: Corpus, contributions: WordContributions, a: int, b: int, top: int | None = None
) -> tuple[Reason, ...]:
    """Return the `top` words with the largest contributions of either sign; without `top`, all."""
    order = np.lexsort((contributions.ids, -np.abs(contributions.values)))[:top]
    counts = corpus.counts[[a, b]].tocsc()[:, contributions.ids[order]].toarray()
    carriers = contributions.carriers
    if carriers is None or not contributions.measured:
        carriers = really_near(corpus, contributions.ids[order], carriers, order)
    else:
        carriers = carriers[order]
    words = corpus.vocabulary
    return tuple(
        Reason(
            words[contributions.ids[i]],
            float(contributions.values[i]),
            near=carrier(corpus, int(carriers[column])),
            counts=(int(counts[0, column]), int(counts[1, column])),
        )
        for column, i in enumerate(order)
    )


def really_near(
    corpus: Corpus, ids: NDArray[np.int64], carriers: NDArray[np.int64] | None, order: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the carriers of some words, −1 where the nearest word that a text had is not near in meaning.

    A function word is near to others by the company it keeps, and to no other word in meaning.
    """
    if carriers is None:
        return np.full(len(order), -1, dtype=np.int64)
    chosen = carriers[order]
    near = chosen == ids
    if corpus.embedded.any():
        there = np.maximum(chosen, 0)
        cosine = np.einsum("ij,ij->i", corpus.refined[ids], corpus.refined[there])
        near |= (cosine >= NEAR) & ~corpus.stopwords[there]
    return np.where(near & (chosen >= 0), chosen, -1)


def carrier(corpus: Corpus, number: int) -> str | None:
    """Return the word that carried a match; None for a punctuation mark, which would explain nothing."""
    return None if number < 0 or corpus.punctuation[number] else corpus.vocabulary[number]


_NAMED: Final = 3  # how many words the conclusion names


@dataclass(frozen=True)
class WordShift(TabularResult):
    """Every word's contribution to D(a‖b), largest first whatever the sign; they add up to `value`."""

    _table = "words"

    a: str
    b: str
    value: float
    method: str
    words: tuple[Reason, ...]
    options: dict[str, Any] = field(default_factory=dict)
    symmetric: bool = False
    vectors: str = ""

    @property
    def apart(self) -> tuple[Reason, ...]:
        """The words that set the texts apart, strongest first."""
        return tuple(w for w in self.words if w.adds > 0)

    @property
    def together(self) -> tuple[Reason, ...]:
        """The words that bring the texts together, strongest first."""
        return tuple(w for w in self.words if w.adds < 0)

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return plain values for JSON: all words, or the `top` ones."""
        return {**super().to_dict(), "words": plain(self.words[:top])}

    def __str__(self) -> str:
        return f"D({self.a} ‖ {self.b}) = {self.value:.4g} by {len(self.words):,} words ({self.method})"

    def plot(self, ax: Axes | None = None, top: int = 30) -> Axes:
        """Draw the `top` words as bars: orange ones to the right set apart, blue ones to the left bring together."""
        from lexicloud.divergences.divergence_plots import shift_bars

        return shift_bars(self, ax, top)

    def blocks(self) -> list[Block]:
        """Return the words that set the texts apart most, the sum, and the words that add most to it."""
        sides = (f"in {self.a}", f"in {self.b}")
        shown = reason_bars(self.words, sides=sides, right=APART_SAID, left=TOGETHER_SAID, top=30)
        apart = [f"“{word.word}”" for word in self.apart[:_NAMED]]
        conclusion = (
            f"{listed(apart)} set{'s' if len(apart) == 1 else ''} {self.a} and {self.b} apart most."
            if apart
            else f"No word sets {self.a} and {self.b} apart."
        )
        return [Sentence(conclusion, "answer"), Sentence(f"{self}.", "sure"), shown]


def word_shift(
    corpus: Corpus, a: str, b: str, method: str | Method = DEFAULT, *, symmetric: bool = False, **options: Any
) -> WordShift:
    """Return what every word adds to the divergence of document `a` from document `b` (see `divergence`).

    >>> from lexicloud.corpus import Corpus
    >>> texts = {"a": "tea and cake and tea", "b": "tea and ale and bread"}
    >>> shift = word_shift(Corpus.from_texts(texts), "a", "b", method="jensen-shannon")
    >>> shift.words[0].word, abs(sum(w.adds for w in shift.words) - shift.value) < 1e-12
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
