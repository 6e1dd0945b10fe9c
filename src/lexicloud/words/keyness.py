"""Key words: those that some texts use more, or less, than others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.result import SHOWN, TabularResult
from lexicloud.say.blocks import Block, Sentence, listed
from lexicloud.say.figures import named_bars
from lexicloud.words.kinds import CONTENT, KINDS, word_kinds
from lexicloud.words.reason import Reason, reason_bars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.words.counting import CountedTexts

# The prior weighs as much as this many tokens, so that a word seen once or twice proves nothing. In a small corpus it
# weighs a tenth of all tokens at most.
_PRIOR_TOKENS: Final = 500.0
_LISTED: Final = 12  # how many names, and how many function words, are listed


@dataclass(frozen=True)
class Keywords(TabularResult):
    """The words that some texts use more than others, most telling first, and those that they avoid.

    `adds` of a word is its z, `counts` are those inside and outside. `kind` tells names and function words from content
    words.
    """

    _table = "over"

    over: tuple[Reason, ...]
    under: tuple[Reason, ...]
    tokens_inside: int
    tokens_outside: int

    def blocks(self) -> list[Block]:
        """Return the words that are used more, and those that are used less."""
        over, under = (tuple(w for w in some if w.kind == "content") for some in (self.over, self.under))
        first = listed([w.word for w in over[:3]]) or "no word"
        sizes = f"{self.tokens_inside:,} words inside, {self.tokens_outside:,} outside"
        words = (*over[:SHOWN], *under[:SHOWN])
        return [
            Sentence(f"What stands out most: {first}.", "answer"),
            Sentence(f"Log-odds in standard errors; they rank words and are no test. {sizes}.", "sure"),
            reason_bars(
                words,
                sides=("inside", "outside"),
                right="said more often",
                left="said less often",
                top=len(words),
            ),
            *(block for kind in ("name", "function") for block in self._of_kind(kind)),
        ]

    def _of_kind(self, kind: str) -> list[Block]:
        """Return the names, or the function words, that are said more often or less often."""
        more, less = (
            listed([word.word for word in some if word.kind == kind][:_LISTED])
            for some in (self.over, self.under)
        )
        what = {"name": "Names", "function": "Function words"}[kind]
        said = [f"{what} said more often: {more}."] if more else []
        said += [f"{what} said less often: {less}."] if less else []
        return [Sentence(" ".join(said))] if said else []

    def plot(self, ax: Axes | None = None, top: int = 15) -> Axes:
        """Draw the `top` words used more and the `top` used less, as bars of standard errors."""
        words = (*self.over[:top], *reversed(self.under[:top]))
        names, values = [w.word for w in words], [w.adds for w in words]
        return named_bars(ax, names, values, "standard errors (right: commoner inside)")


def keywords(
    corpus: CountedTexts, inside: Sequence[str], outside: Sequence[str] | None = None, *, top: int = 30
) -> Keywords:
    """Compare the words of some texts with those of others, or of all the rest.

    z is the log-odds of a word inside against outside, with both together as prior, divided by its standard
    error (Monroe, Colaresi and Quinn, 2008). It ranks words; it is no test, because words come in bursts.

    >>> from lexicloud.corpus import Corpus
    >>> corpus = Corpus.from_texts({"a": "sea sea sea ship land", "b": "land land land cart sea"})
    >>> keywords(corpus, ["a"], top=1).over[0].word
    'sea'
    """
    rest = outside if outside is not None else [name for name in corpus.names if name not in set(inside)]
    if not inside or not rest:
        raise OptionError(f"{len(inside)} texts inside and {len(rest)} outside: at least one each is needed")
    here, there = (_totals(corpus, names) for names in (inside, rest))
    z = log_odds(here, there)
    order = np.argsort(-z, kind="stable")
    words, kinds = corpus.vocabulary, word_kinds(corpus)

    def reasons(rows: NDArray[np.int64]) -> tuple[Reason, ...]:
        return tuple(
            Reason(words[i], float(z[i]), KINDS[kinds[i]], counts=(int(here[i]), int(there[i]))) for i in rows
        )

    def strongest(rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return `top` content words, with the names and function words that rank above them."""
        content = np.flatnonzero(kinds[rows] == CONTENT)
        return rows[: content[top - 1] + 1] if len(content) >= top else rows[: 3 * top]

    over, under = (reasons(strongest(rows)) for rows in (order, order[::-1]))
    return Keywords(
        tuple(k for k in over if k.adds > 0),
        tuple(k for k in under if k.adds < 0),
        int(here.sum()),
        int(there.sum()),
    )


def _totals(corpus: CountedTexts, names: Sequence[str]) -> NDArray[np.int64]:
    rows = [corpus.position(name) for name in names]
    totals = np.asarray(corpus.counts[rows].sum(axis=0)).ravel()
    return np.where(corpus.punctuation, 0, totals)


def log_odds(here: NDArray[Any], there: NDArray[Any]) -> NDArray[np.float64]:
    """Return the z of every word from its counts inside (`here`) and outside (`there`); see `keywords`."""
    both = (here + there).astype(np.float64)
    mass = min(_PRIOR_TOKENS, both.sum() / 10)
    prior = mass * both / max(both.sum(), 1.0)
    seen = both > 0
    z = np.zeros(len(both))
    a, b, p = here[seen], there[seen], prior[seen]
    odds = [np.log((n + p) / (total + mass - n - p)) for n, total in ((a, here.sum()), (b, there.sum()))]
    z[seen] = (odds[0] - odds[1]) / np.sqrt(1 / (a + p) + 1 / (b + p))
    return z
