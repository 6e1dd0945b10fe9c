"""Which documents a method can measure, and the reasons why it cannot measure others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import EstimateError, OptionError, warn
from lexicloud.result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import Fitted, Method

# log(M/N) enters the k-NN score; from this ratio of sizes on it is about as large as the differences between
# books.
IMBALANCE: Final = 3.0
# From this ratio on, the lengths move a divergence of frequencies as much as another author does.
UNEQUAL: Final = 10.0


@dataclass(frozen=True)
class Skipped(Result):
    """A document that was left out, and why."""

    name: str
    reason: str


def problems(corpus: Corpus, rows: Sequence[int], method: Method, fitted: Fitted) -> dict[int, str]:
    """Return for each row that the method cannot measure the sentence that an error would say."""
    chosen = corpus.counts[np.asarray(rows, dtype=np.int64)]
    types, tokens = fitted.types(chosen), fitted.tokens(chosen)
    found = {}
    for row, has, kept in zip(rows, types, tokens, strict=True):
        if has < method.least_types:
            found[row] = _problem(corpus, row, method, int(has), int(kept))
    return found


def _problem(corpus: Corpus, row: int, method: Method, types: int, tokens: int) -> str:
    name, length = corpus.names[row], int(corpus.lengths[row])
    if not length:
        return f"document {name!r} is empty: remove it"
    if not tokens:
        return (
            f"none of the {length} tokens of document {name!r} can be used by method {method.name!r} (they "
            "have no vector, or are stop words or punctuation): use other vectors or method 'categorical', "
            "or leave it out"
        )
    k = getattr(method, "k", None)
    why = (
        f"k = {k} but document"
        if k is not None
        else f"method {method.name!r} needs {method.least_types} but document"
    )
    return f"{why} {name!r} has only {types} distinct words: use a smaller k or a longer text"


def require(corpus: Corpus, rows: Sequence[int], method: Method, fitted: Fitted) -> None:
    """Raise the first problem, if there is one."""
    for problem in problems(corpus, rows, method, fitted).values():
        raise EstimateError(problem)


def runs(fitted: Fitted, corpus: Corpus) -> bool:
    """Tell whether samples for a method are of running words; of content words where it looks at those
    alone.
    """
    return not np.array_equal(fitted.words, corpus.content)


def require_sampled(corpus: Corpus, names: Sequence[str], n: int, fitted: Fitted) -> None:
    """Raise an error with both numbers for a document that has fewer tokens than a sample needs."""
    for name in names:
        has = int(fitted.tokens(corpus.counts[[corpus.position(name)]])[0])
        if has < n:
            raise EstimateError(
                f"a sample of {n:,} tokens was asked for but document {name!r} has only {has:,}: sample fewer"
            )


def nothing_shared(a: str, b: str) -> str:
    """Return what to say of two documents that a method cannot compare."""
    return f"{a!r} and {b!r} have no word in common that the method could compare: use method 'smoothed'"


def check_whole(value: object, what: str, least: int) -> None:
    """Refuse a count that is no whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise OptionError(f"{what} must be a whole number of at least {least}, not {value!r}")


def warn_about_sizes(method: Method, tokens: NDArray[np.int64]) -> None:
    """Say that unequal sizes enter the value, where they do."""
    if not method.size_sensitive or not len(tokens):
        return
    least, most = int(tokens.min()), int(tokens.max())
    if most >= IMBALANCE * least:
        warn(
            f"the texts have {least:,} to {most:,} tokens, and method {method.name!r} adds the logarithm of "
            f"the ratio of sizes to the divergence: compare samples of equal size (sample={least} or --sample {least})"
        )


def warn_about_lengths(method: Method, N: int, M: int) -> None:
    """Say that very unequal lengths move a divergence of frequencies; where sizes enter the formula, that is
    said already.
    """
    least, most = min(N, M), max(N, M)
    if not method.size_sensitive and least and most >= UNEQUAL * least:
        warn(
            f"the texts have {N:,} and {M:,} tokens: a divergence of word frequencies depends on both lengths, so read "
            f"its excess over the yardstick, or compare samples of equal size (sample={least} or --sample {least})"
        )


def warn_about_negative(method: Method, value: float, N: int, M: int) -> None:
    """Explain an estimate below zero."""
    if value >= 0:
        return
    reason = "the texts cannot be told apart"
    if method.size_sensitive:
        reason = (
            f"a k-NN estimate from N = {N:,} and M = {M:,} tokens falls there when the texts cannot be told "
            "apart, or when they differ in size (then compare samples of equal size, sample=n or --sample n)"
        )
    warn(f"the estimate is {value:.3g}, below zero, which no divergence is: {reason}")


def warn_about_company(method: Method, texts: int) -> None:
    """Say that two texts alone have nothing usual to deviate from, where a method looks at that."""
    if method.needs_company and texts == 2:
        warn(
            f"method {method.name!r} compares how texts deviate from the usual, and two texts alone deviate in "
            "opposite directions: the distance is 2 whatever they are; compare them within a folder of more "
            "texts, or by method 'smoothed'"
        )
