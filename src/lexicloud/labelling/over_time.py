"""How the mix of labels moved between the texts that a labeller learnt from and later texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from lexicloud.labelling.text_labels import NONE
from lexicloud.result import Result, TabularResult
from lexicloud.say.blocks import Block, Sentence, listed, many, percent, signed, table
from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.text import TokenRules

_ERRORS: Final = 0.05  # the chance that some label is reported as moved although none is
_NEW_WORDS: Final = 8
_LEAST_STRANGE: Final = 5  # texts without a label that are needed to name words


@dataclass(frozen=True)
class LabelShare(Result):
    """The share of texts with a label, before and now, and the difference with its interval.

    With 95 %, all intervals hold at once; each is wider the more labels there are.
    """

    label: str
    before: float
    now: float
    difference: float
    interval: tuple[float, float]

    @property
    def moved(self) -> bool:
        """Whether the interval excludes zero."""
        return self.interval[0] > 0 or self.interval[1] < 0


@dataclass(frozen=True)
class LabelChange(TabularResult):
    """How often each label was given before and now; "none of these" is the last of the shares.

    `new_words` are typical of the texts without a label, if their share has grown.
    """

    _table: ClassVar[str] = "shares"

    shares: tuple[LabelShare, ...]
    texts_before: int
    texts_now: int
    new_words: tuple[Reason, ...]

    def blocks(self) -> list[Block]:
        """Return what moved, whether there is a new kind of text, and the shares."""
        moved = [s for s in self.shares if s.moved]
        said = [f"{s.label} {percent(s.before)} → {percent(s.now)}" for s in moved]
        answer = (
            f"The mix has moved: {listed(said)}." if said else "The mix of labels has not moved measurably."
        )
        found: list[Block] = [Sentence(answer, "answer")]
        if self.new_words:
            words = ", ".join(word.word for word in self.new_words)
            found.append(Sentence(f"There may be a new kind of text; its words: {words}.", "answer"))
        texts = f"{many(self.texts_before, 'text')} before, {self.texts_now:,} now"
        sure = f"{texts}; with 95 %, all intervals hold at once."
        rows = [
            [
                s.label,
                percent(s.before),
                percent(s.now),
                f"{signed(100 * s.interval[0], 0, plus=True)} … {signed(100 * s.interval[1], 0, plus=True)}",
            ]
            for s in sorted(self.shares, key=lambda s: -abs(s.difference))
        ]
        return [*found, Sentence(sure, "sure"), table(["label", "before", "now", "points"], rows, top=20)]


def compare_mixes(names: Sequence[str], before: Sequence[int], now: Sequence[int]) -> tuple[LabelShare, ...]:
    """Compare two mixes: the number of texts with each label, then without any, and last of all texts."""
    from scipy.special import ndtri

    z = float(ndtri(1 - _ERRORS / 2 / (len(names) + 1)))
    n, m = before[-1], now[-1]
    rows = zip((*names, NONE), before[:-1], now[:-1], strict=True)
    return tuple(
        LabelShare(name, a / n, b / m, b / m - a / n, _newcombe(a, n, b, m, z)) for name, a, b in rows
    )


def wilson(right: int, texts: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's interval of a share.

    >>> low, high = wilson(8, 10)
    >>> round(low, 2), round(high, 2)
    (0.49, 0.94)
    """
    share, more = right / texts, z**2 / texts
    middle, half = share + more / 2, z * (share * (1 - share) / texts + more / (4 * texts)) ** 0.5
    # The interval must include the share itself, despite rounding.
    return (
        min(share, max(0.0, (middle - half) / (1 + more))),
        max(share, min(1.0, (middle + half) / (1 + more))),
    )


def _newcombe(a: int, n: int, b: int, m: int, z: float) -> tuple[float, float]:
    """Return the interval of b / m − a / n from Wilson's of both (Newcombe, 1998, method 10)."""
    p, q = a / n, b / m
    (low_p, high_p), (low_q, high_q) = wilson(a, n, z), wilson(b, m, z)
    down = ((q - low_q) ** 2 + (high_p - p) ** 2) ** 0.5
    up = ((high_q - q) ** 2 + (p - low_p) ** 2) ** 0.5
    return (q - p - down, q - p + up)


def words_of_a_new_kind(
    texts: Sequence[str], strange: Sequence[bool], rules: TokenRules
) -> tuple[Reason, ...]:
    """Return content words that texts without a label use more than the others, each in three or more of them."""
    from lexicloud.corpus import Corpus
    from lexicloud.vectors.load import NO_VECTORS
    from lexicloud.words.keyness import keywords

    named = {f"{i}": text for i, text in enumerate(texts) if text.strip()}
    inside = [name for name in named if strange[int(name)]]
    if len(inside) < _LEAST_STRANGE or len(inside) == len(named):
        return ()
    corpus = Corpus.from_texts(named, vectors=NO_VECTORS, rules=rules)
    rows = [corpus.position(name) for name in inside]
    having = (corpus.counts[rows] > 0).sum(axis=0)
    found = keywords(corpus, inside, top=100).over
    plain = corpus.stopwords | corpus.punctuation
    kept = [w for w in found if not plain[i := corpus.vocabulary.index(w.word)] and having[i] >= 3]
    return tuple(kept[:_NEW_WORDS])
