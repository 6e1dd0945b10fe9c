"""Along one document: where the author changes, and how far each stretch is from the rest.

At every place the mean row of word counts of up to W blocks before is compared with that of up to W blocks after:
with h = n₁n₂ / (n₁ + n₂) and x = (m₁ − m₂) √h, the contrast is the mean over words of min(x², 16), so that one word
alone cannot make a change. In texts by one author the contrast grows with about the 0.3th power of h, because words
drift, so it is divided by that power, and by a limit that such texts seldom pass. The strongest place above the limit
splits the text, and each part is searched again. In the end every change is placed anew between its neighbours.

Limits and exponent were tuned on the books of half of the authors of a collection and measured on the other half
(`docs/numbers-measured.md`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.authorship.rolling import DIVERGENCE, Rolling, Seam, around, smaller
from lexicloud.divergences.base import Method, check_whole, require
from lexicloud.divergences.methods import DEFAULT, make_method
from lexicloud.errors import EstimateError, OptionError
from lexicloud.say.blocks import many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import Fitted

    Floats = NDArray[np.float64]

FREQUENT: Final = 300  # most frequent words of the text; with 1,000, themes outweigh the author's style


def drift(
    corpus: Corpus,
    name: str,
    *,
    window: int = 4000,
    step: int = 500,
    reference: str | Sequence[str] = "rest",
    method: str | Method = DEFAULT,
    **options: Any,
) -> Rolling:
    """Find where the author changes along a document, and measure the divergence of a moving window of it.

    Changes are at least half a window from either end and from each other. They are found by the document's
    own 300 most frequent words, whatever the method; `docs/numbers-measured.md` says how often they are right with the
    default window, and how often one is found in a text by one author. `reference="rest"` compares each
    window with the rest of the document, `"whole"` with all of it, and one or more names with those documents
    (with one curve each). `window` and `step` count tokens, stop words and punctuation included.

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
            f"document {name!r} has {many(length, 'token')}, but two windows need {2 * window:,}: "
            f"{smaller(length)}"
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
    boundaries, curve, changes = change_points(
        corpus.tokens(row), block_size(window, step), corpus.rules.language
    )
    words = corpus.written(row) if changes else []
    changes = tuple(replace(seam, context=around(words, seam.position)) for seam in changes)
    return Rolling(
        name=name,
        measure=DIVERGENCE,
        references=names,
        positions=starts + window // 2,
        values=values,
        seams=changes,
        window=window,
        step=step,
        tokens=length,
        method=chosen.name,
        options={k: v for k, v in chosen.to_dict().items() if k != "method"},
        vectors=corpus.lexicon.source,
        boundaries=boundaries,
        contrast=curve,
    )


def change_points(
    tokens: NDArray[np.int32], block: int, language: str = "english"
) -> tuple[NDArray[np.int64], Floats, tuple[Seam, ...]]:
    """Return the places of a text, in tokens, the strength of a change at each, and the changes of author."""
    rows, limits = scaled_blocks(block_counts(tokens, block)), limits_of(language)
    places, strength = contrast(rows, 0, len(rows), limits=limits)
    changes = (
        Seam(row * block, strength=strength, unlike=_unlike(strength))
        for row, strength in segment(rows, limits=limits)
    )
    return places * block, strength, tuple(changes)


def limits_of(language: str) -> tuple[tuple[int, float], ...]:
    """Return, for a language, the windows in rows, each with the limit that texts by one author seldom pass."""
    return LIMITS if language == "english" else tuple((rows, ABROAD * limit) for rows, limit in LIMITS)


def block_size(window: int, step: int) -> int:
    """Return the size of a block in tokens: 250 for the default window and step.

    It is the largest divisor of the step with at least 2 · LEAST blocks in a window.
    """
    most = max(1, window // (2 * LEAST))
    return max(size for size in range(1, min(step, most) + 1) if step % size == 0)


def block_counts(tokens: NDArray[np.int32], size: int, frequent: int = FREQUENT) -> Floats:
    """Return blocks × words: how often each frequent word of a text occurs in each of its whole blocks."""
    words, number, counts = np.unique(tokens, return_inverse=True, return_counts=True)
    top = np.argsort(-counts, kind="stable")[:frequent]
    column = np.full(len(words), -1)
    column[top] = np.arange(len(top))
    blocks = len(tokens) // size
    columns, rows = column[number.ravel()[: blocks * size]], np.repeat(np.arange(blocks), size)
    kept = columns >= 0
    places = rows[kept] * len(top) + columns[kept]
    return np.bincount(places, minlength=blocks * len(top)).reshape(blocks, len(top)).astype(np.float64)


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


LEAST: Final = 8  # rows on either side of a change: 2,000 tokens in blocks of 250
# Windows in rows, each with its limit: a short one finds a short part by another author, a long one a faint change.
LIMITS: Final = ((32, 3.15), (64, 3.0))
# A factor of the limits for other languages, whose novels by one author vary less. Tuned on half of the authors of
# French, German and Spanish novels; with the English limits a third of the changes were missed.
ABROAD: Final = 0.87
EXPONENT: Final = 0.3
UNIT: Final = 0.125  # 250 / 2,000: limits hold for h = 2,000 tokens, in rows of 250
LARGEST: Final = 16.0  # the cap of a squared standardised difference: four deviations
# (share, strength): this share of texts by one author, of 12,000 to 50,000 tokens, has no place as strong; for
# `unlike`. From 300 texts of the authors that limits were tuned on, too few for a share above 99 %.
SINGLE_HAND: Final = ((0.92, 1.0), (0.95, 1.1), (0.96, 1.16), (0.98, 1.3), (0.987, 1.53), (0.99, 2.0))


def scaled_blocks(counts: Floats) -> Floats:
    """Divide each column by the deviation between neighbouring rows.

    Unlike the deviation over all rows, it does not grow with the change that is looked for, and words that come in
    bursts (names, themes) weigh little. It is at least that of half a Poisson variance, so that no column explodes.
    """
    variance = np.mean(np.diff(counts, axis=0) ** 2, axis=0) / 2
    floor = np.maximum(counts.mean(axis=0) / 2, 1e-12)
    return np.asarray(counts / np.sqrt(np.maximum(variance, floor)))


def contrast(
    rows: Floats, start: int, stop: int, *, least: int = LEAST, limits: Sequence[tuple[int, float]] = LIMITS
) -> tuple[NDArray[np.int64], Floats]:
    """Return the places from `start` to `stop` with `least` rows on either side, and the strength of each."""
    places, by_window = _differences(rows, start, stop, least, [window for window, _ in limits])
    strengths = [
        np.minimum(x**2, LARGEST).mean(axis=1) / (limit * (h * UNIT) ** EXPONENT)
        for (x, h), (_, limit) in zip(by_window, limits, strict=True)
    ]
    return places, np.max(strengths, axis=0)


def _differences(
    rows: Floats, start: int, stop: int, least: int, windows: Sequence[int]
) -> tuple[NDArray[np.int64], list[tuple[Floats, Floats]]]:
    """Return the places, and for each window x (places × columns) and h."""
    sums = np.vstack([np.zeros(rows.shape[1]), np.cumsum(rows[start:stop], axis=0)])
    size = stop - start
    places, found = np.arange(least, size - least + 1), []
    for window in windows:
        first, last = np.maximum(places - window, 0), np.minimum(places + window, size)
        before, after = (places - first)[:, None], (last - places)[:, None]
        h = before * after / (before + after)
        difference = (sums[places] - sums[first]) / before - (sums[last] - sums[places]) / after
        found.append((difference * np.sqrt(h), h[:, 0]))
    return start + places, found


def segment(
    rows: Floats, *, least: int = LEAST, limits: Sequence[tuple[int, float]] = LIMITS
) -> tuple[tuple[int, float], ...]:
    """Return all changes along rows: the first row after each, and its strength as a multiple of the limit.

    The columns must have unit noise between neighbouring rows (`scaled_blocks`).

    >>> rng = np.random.default_rng(0)
    >>> rows = rng.normal(size=(60, 20))
    >>> segment(rows)
    ()
    >>> rows[25:] += 2
    >>> [row for row, strength in segment(rows)]
    [25]
    """
    found: list[int] = []
    todo = [(0, len(rows))]
    while todo:
        start, stop = todo.pop()
        place, strength = _strongest(rows, start, stop, least, limits)
        if strength > 1:
            found.append(place)
            todo += [(start, place), (place, stop)]
    return _settled(rows, sorted(found), least, limits)


def _strongest(
    rows: Floats, start: int, stop: int, least: int, limits: Sequence[tuple[int, float]]
) -> tuple[int, float]:
    """Return the likeliest place of a change, and the greatest strength.

    Of the places above the limit it is the one with the greatest mean |x|: around a sharp change the capped
    contrast is flat.
    """
    if stop - start < 2 * least:
        return start, 0.0
    places, strength = contrast(rows, start, stop, least=least, limits=limits)
    _, ((x, _),) = _differences(rows, start, stop, least, [limits[-1][0]])
    size = np.where(strength > min(1.0, strength.max() * 0.999), np.abs(x).mean(axis=1), -1.0)
    return int(places[size.argmax()]), float(strength.max())


def _settled(
    rows: Floats, found: list[int], least: int, limits: Sequence[tuple[int, float]]
) -> tuple[tuple[int, float], ...]:
    """Place each change anew between its neighbours, and drop the weakest until all pass the limit."""
    while found:
        edges = [0, *found, len(rows)]
        again = [_strongest(rows, edges[i], edges[i + 2], least, limits) for i in range(len(found))]
        weakest = min(range(len(again)), key=lambda i: again[i][1])
        if again[weakest][1] > 1:
            return tuple(again)
        found = [place for i, (place, _) in enumerate(again) if i != weakest]
    return ()


def _unlike(strength: float) -> float:
    shares, quantiles = zip(*SINGLE_HAND, strict=True)
    return float(np.interp(strength, quantiles, shares))
