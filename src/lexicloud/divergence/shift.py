"""The word shift: which words push two texts apart, and which pull them together."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from lexicloud.corpus import require_corpus
from lexicloud.divergence.documents import nothing_shared, require
from lexicloud.divergence.explain import WordShare, explain, word_shares
from lexicloud.divergence.methods import DEFAULT, Method, make_method
from lexicloud.errors import EstimateError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lexicloud.corpus import Corpus


@dataclass(frozen=True)
class WordShift:
    """Every word's contribution to D(a‖b), largest first whatever the sign; they add up to `value`."""

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
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**plain, "words": [w.to_dict() for w in self.words[:top]]}

    def plot(self, ax: Axes | None = None, top: int = 30) -> Axes:
        """Draw the `top` words as bars: right and orange sets apart, left and blue brings together."""
        from lexicloud.divergence.plots import shift_bars

        return shift_bars(self, ax, top)

    def _repr_html_(self, top: int = 30) -> str:
        widest = max((abs(w.value) for w in self.words), default=1.0) or 1.0
        rows = "".join(_row(w, widest) for w in self.words[:top])
        title = f"D({self.a} ‖ {self.b}) = {self.value:.4g} ({self.method})"
        return f"<p><b>{escape(title)}</b></p><table>{rows}</table>"


def _row(w: WordShare, widest: float) -> str:
    from lexicloud.palette import APART, TOWARDS

    colour, width = (APART if w.value > 0 else TOWARDS), round(120 * abs(w.value) / widest)
    bar = f'<div style="background:{colour};height:0.8em;width:{width}px"></div>'
    near = f" ≈ {escape(w.neighbour)}" if w.neighbour else ""
    return f"<tr><td>{escape(w.word)}{near}</td><td>{w.value:+.4f}</td><td>{bar}</td></tr>"


def word_shift(
    corpus: Corpus, a: str, b: str, method: str | Method = DEFAULT, *, symmetric: bool = False, **options: Any
) -> WordShift:
    """Return what every word adds to the divergence of document `a` from document `b`.

    >>> from lexicloud.corpus import Corpus
    >>> texts = {"a": "tea and cake and tea", "b": "tea and ale and bread"}
    >>> shift = word_shift(Corpus.from_texts(texts), "a", "b", method="jensen-shannon")
    >>> shift.words[0].word, abs(sum(w.value for w in shift.words) - shift.value) < 1e-12
    ('ale', True)
    """
    require_corpus(corpus)
    chosen = make_method(method, **options)
    rows = corpus.position(a), corpus.position(b)
    fitted = chosen.fit(corpus)
    require(corpus, rows, chosen, fitted)
    contributions = explain(fitted, corpus.counts[[rows[0]]], corpus.counts[[rows[1]]], symmetric=symmetric)
    if not len(contributions.ids):
        raise EstimateError(nothing_shared(a, b))
    return WordShift(
        a=a,
        b=b,
        value=contributions.value,
        method=chosen.name,
        words=word_shares(corpus, contributions, *rows),
        options={k: v for k, v in chosen.to_dict().items() if k != "method"},
        symmetric=symmetric,
        vectors=corpus.lexicon.source,
    )
