"""Divergence along one document: where its hand or its theme changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lexicloud.divergences.base import Method
from lexicloud.divergences.checks import check_whole, require
from lexicloud.divergences.methods import DEFAULT, make_method
from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import TabularResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import Fitted

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Drift(TabularResult):
    """The divergence of each window of a document from one or several references.

    `positions` are the middles of the windows, in tokens; `values` has one row for each of `references`.
    `boundaries` and `changes` tell for every place between two windows how far what follows is from what went
    before (both directions added up).
    """

    _derived = ("change",)

    name: str
    positions: NDArray[np.int64]
    values: Floats
    references: tuple[str, ...]
    boundaries: NDArray[np.int64]
    changes: Floats
    window: int
    step: int
    method: str
    options: dict[str, Any] = field(default_factory=dict)
    tokens: int = 0
    vectors: str = ""

    @property
    def change(self) -> int | None:
        """The position, in tokens, where what follows differs most from what went before; None in a short
        document.
        """
        return int(self.boundaries[np.argmax(self.changes)]) if len(self.changes) else None

    def nearest(self) -> tuple[str, ...]:
        """Return for each window the reference that it diverges from least."""
        return tuple(self.references[i] for i in self.values.argmin(axis=0))

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each window: its middle, in tokens, and its divergence from each reference."""
        import pandas as pd

        return pd.DataFrame(
            self.values.T, columns=list(self.references), index=pd.Index(self.positions, name="token")
        )

    def __str__(self) -> str:
        change = "" if self.change is None else f"; biggest change at token {self.change}"
        return f"{self.name}: {len(self.positions)} windows of {self.window} tokens by {self.method}{change}"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curves along the document, with a line at the biggest change."""
        from lexicloud.divergences.plots import drift_curve

        return drift_curve(self, ax)


def drift(
    corpus: Corpus,
    name: str,
    *,
    window: int = 2000,
    step: int = 500,
    reference: str | Sequence[str] = "rest",
    method: str | Method = DEFAULT,
    **options: Any,
) -> Drift:
    """Measure the divergence of a moving window of one document, for changes of hand or theme.

    `reference="rest"` compares each window with the rest of the document, `"whole"` with all of it, and one
    or more names with those documents (with one curve each). `window` and `step` count tokens, stop words and
    punctuation included.

    >>> from lexicloud.corpus import Corpus
    >>> text = "red green blue " * 40 + "one two three " * 40
    >>> found = drift(Corpus.from_texts({"a": text}), "a", window=60, step=20, method="jensen-shannon")
    >>> found.change
    120
    """
    check_whole(window, "window", 1)
    check_whole(step, "step", 1)
    chosen = make_method(method, **options)
    row = corpus.position(name)
    length = int(corpus.lengths[row])
    if length < 2 * window:
        raise EstimateError(
            f"document {name!r} has {length:,} tokens, but two windows need {2 * window:,}: "
            "use a smaller window"
        )
    fitted = chosen.fit(corpus)
    starts = np.arange(0, length - window + 1, step)
    P = _windows(corpus.tokens(row), starts, window, len(corpus.vocabulary))
    _require_windows(chosen, fitted, P, name, window)
    names = (reference,) if isinstance(reference, str) else tuple(reference)
    if reference in ("rest", "whole"):
        values = _within(corpus.counts[[row]], P, fitted, rest=reference == "rest")
    else:
        values = _against(corpus, names, chosen, fitted, P)
    boundaries, changes = _changes(corpus.tokens(row), fitted, window, step, len(corpus.vocabulary))
    return Drift(
        name=name,
        positions=starts + window // 2,
        values=values,
        references=names,
        boundaries=boundaries,
        changes=changes,
        window=window,
        step=step,
        method=chosen.name,
        options={k: v for k, v in chosen.to_dict().items() if k != "method"},
        tokens=length,
        vectors=corpus.lexicon.source,
    )


def _windows(
    tokens: NDArray[np.int32], starts: NDArray[np.int64], window: int, width: int
) -> sparse.csr_array:
    """Return the counts of stretches of tokens."""
    places = starts[:, None] + np.arange(window)[None, :]
    rows = np.repeat(np.arange(len(starts)), window)
    ones = np.ones(places.size, dtype=np.int64)
    return sparse.coo_array((ones, (rows, tokens[places].ravel())), shape=(len(starts), width)).tocsr()


def _require_windows(method: Method, fitted: Fitted, P: sparse.csr_array, name: str, window: int) -> None:
    fewest = int(fitted.types(P).min())
    if fewest < method.least_types:
        raise EstimateError(
            f"a window of {window} tokens of {name!r} has only {fewest} distinct words that method "
            f"{method.name!r} can use, but {method.least_types} are needed: use a larger window"
        )


def _within(whole: sparse.csr_array, P: sparse.csr_array, fitted: Fitted, *, rest: bool) -> Floats:
    """Compare windows with the document they come from, with or without themselves."""
    if not rest:
        return fitted.between(P, whole).T
    others = sparse.csr_array(sparse.vstack([whole] * P.shape[0]) - P)
    others.eliminate_zeros()
    return fitted.pairs(P, others)[None, :]


def _against(
    corpus: Corpus, names: tuple[str, ...], method: Method, fitted: Fitted, P: sparse.csr_array
) -> Floats:
    """Compare windows with other documents, one row each."""
    if not names:
        raise OptionError("no reference is given: write 'rest', 'whole' or the names of documents")
    rows = [corpus.position(name) for name in names]
    require(corpus, rows, method, fitted)
    return fitted.between(P, corpus.counts[rows]).T


def _changes(
    tokens: NDArray[np.int32], fitted: Fitted, window: int, step: int, width: int
) -> tuple[NDArray[np.int64], Floats]:
    """Compare what follows with what went before, at every step."""
    boundaries = np.arange(window, len(tokens) - window + 1, step)
    before, after = (_windows(tokens, boundaries - back, window, width) for back in (window, 0))
    return boundaries, fitted.pairs(before, after) + fitted.pairs(after, before)
