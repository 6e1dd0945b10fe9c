"""Keywords: the words that some texts use more than others do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.result import Result, TabularResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus.corpus import Corpus

# The prior weighs as much as this many tokens, so that a word met once or twice proves nothing; in a small
# corpus, no more than a tenth of it.
_PRIOR_TOKENS: Final = 500.0


@dataclass(frozen=True)
class Keyword(Result):
    """A word, how often it occurs inside and outside, and by how many standard errors it is commoner inside."""

    word: str
    inside: int
    outside: int
    z: float


@dataclass(frozen=True)
class Keywords(TabularResult):
    """The words that texts use more than others, most telling first, and those that they avoid."""

    _table = "over"

    over: tuple[Keyword, ...]
    under: tuple[Keyword, ...]
    tokens_inside: int
    tokens_outside: int


def keywords(
    corpus: Corpus, inside: Sequence[str], outside: Sequence[str] | None = None, *, top: int = 30
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
    z = _log_odds(here, there)
    order = np.argsort(-z, kind="stable")
    words = corpus.vocabulary

    def listed(rows: NDArray[np.int64]) -> tuple[Keyword, ...]:
        return tuple(Keyword(words[i], int(here[i]), int(there[i]), float(z[i])) for i in rows)

    over, under = (listed(rows[:top]) for rows in (order, order[::-1]))
    return Keywords(
        tuple(k for k in over if k.z > 0),
        tuple(k for k in under if k.z < 0),
        int(here.sum()),
        int(there.sum()),
    )


def _totals(corpus: Corpus, names: Sequence[str]) -> NDArray[np.int64]:
    rows = [corpus.position(name) for name in names]
    totals = np.asarray(corpus.counts[rows].sum(axis=0)).ravel()
    return np.where(corpus.punctuation, 0, totals)


def _log_odds(here: NDArray[np.int64], there: NDArray[np.int64]) -> NDArray[np.float64]:
    both = (here + there).astype(np.float64)
    mass = min(_PRIOR_TOKENS, both.sum() / 10)
    prior = mass * both / max(both.sum(), 1.0)
    seen = both > 0
    z = np.zeros(len(both))
    a, b, p = here[seen], there[seen], prior[seen]
    odds = [np.log((n + p) / (total + mass - n - p)) for n, total in ((a, here.sum()), (b, there.sum()))]
    z[seen] = (odds[0] - odds[1]) / np.sqrt(1 / (a + p) + 1 / (b + p))
    return z
