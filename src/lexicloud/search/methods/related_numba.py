"""The inner loops of ranked search (compiled, free of the GIL, and safe to run in many threads).

A posting adds to its text's score a weight times an impact, both whole numbers, so that sums are exact in any order.
"""

from __future__ import annotations

import numpy as np

from lexicloud.compiled import njit

STRETCH = 32_768  # texts scored together: their scores take 128 KB, which the second-level cache holds
BLOCK = 128  # texts that share one peak; a divisor of STRETCH


@njit(cache=True, nogil=True)
def fill_impacts(starts, rows, tf, terms, classes, saturation, impacts, filled):  # type: ignore[no-untyped-def]
    """Set the impacts of terms that were never asked for. Two threads may both do it: they write the same."""
    for t in terms:
        if not filled[t]:
            for p in range(starts[t], starts[t + 1]):
                impacts[p] = saturation[classes[np.uint32(rows[p])], tf[p]]
            filled[t] = True


@njit(cache=True, nogil=True)
def best_texts(  # type: ignore[no-untyped-def]
    starts,
    rows,
    impacts,
    begins,
    words,
    counts,
    vectors,
    told,
    terms,
    weights,
    unit,
    asked,
    times,
    foreign,
    most,
    allowed,
    top,
):
    """Return the `top` best texts, best first, the lower row first among equals.

    A text's score is its terms' (see `near_the_best`) divided by `unit`, and `most` times the cosine between the sum of
    its words' `vectors` and that of the query's (its words are `asked` so many `times`; `foreign` is the sum of those
    that no text has), if that is positive; `told` says which words have a vector that is not zero. The topic can lift a
    text by `most` at most: it is computed for those texts alone that are no further than that from the best. Returned
    are rows, what their terms add up to, and lifts.
    """
    slack = np.int64(np.rint(most * unit)) + 1
    found, scores = near_the_best(starts, rows, impacts, terms, weights, len(begins) - 1, allowed, top, slack)
    topic = _topic(asked, times, vectors, foreign)
    kept = np.full(min(top, len(found)), -1, np.int32)  # places in `found`
    totals = np.full(len(kept), -1.0)  # falling
    lifts = np.zeros(len(kept))
    total = np.empty(vectors.shape[1], np.float32)
    for i in np.argsort(-scores, kind="mergesort"):
        lexical = scores[i] / unit
        if lexical + most < totals[-1]:
            break
        lift = _lift(found[i], begins, words, counts, vectors, told, topic, most, total)
        _put(kept, totals, lifts, found, i, lexical + lift, lift)
    return found[kept], scores[kept] / unit, lifts


@njit(cache=True, nogil=True)
def _topic(asked, times, vectors, foreign):  # type: ignore[no-untyped-def]
    """Return the sum of a query's vectors at unit length."""
    total = foreign.astype(np.float64)
    for i in range(len(asked)):
        for j in range(len(total)):
            total[j] += times[i] * vectors[asked[i], j]
    length = np.sqrt((total * total).sum())
    return (total / max(length, 1e-300)).astype(np.float32)


@njit(cache=True, nogil=True)
def _put(kept, totals, lifts, found, i, total, lift):  # type: ignore[no-untyped-def]
    """Put a text in its place among the best, if it has one."""
    j = len(kept)
    while j and (totals[j - 1] < total or (totals[j - 1] == total and found[kept[j - 1]] > found[i])):
        j -= 1
    for k in range(len(kept) - 1, j, -1):
        kept[k], totals[k], lifts[k] = kept[k - 1], totals[k - 1], lifts[k - 1]
    if j < len(kept):
        kept[j], totals[j], lifts[j] = i, total, lift


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _lift(row, begins, words, counts, vectors, told, topic, most, total):  # type: ignore[no-untyped-def]
    """Return most · max(0, cosine) between the topic and the sum of the vectors of a text's words."""
    total[:] = 0
    for p in range(begins[row], begins[row + 1]):
        if told[np.uint32(words[p])]:
            vector, times = vectors[np.uint32(words[p])], np.float32(counts[p])
            for j in range(len(total)):
                total[j] += times * vector[j]
    dot, square = np.float32(0), np.float32(0)
    for j in range(len(total)):
        dot += total[j] * topic[j]
        square += total[j] * total[j]
    return most * np.float64(dot) / np.sqrt(np.float64(square)) if dot > 0 else 0.0


@njit(cache=True, nogil=True)
def near_the_best(starts, rows, impacts, terms, weights, texts, allowed, top, slack):  # type: ignore[no-untyped-def]
    """Return the texts that could be among the `top` best if scores rose by up to `slack`, and their scores.

    Term t is in the texts rows[starts[t]:starts[t + 1]], out of `texts`. `allowed`, if not empty, says which texts
    may be answered with. Texts come in ascending order.
    """
    at = starts[terms]
    scores = np.empty(STRETCH, np.int32)
    peaks = np.empty(STRETCH // BLOCK, np.int32)
    # The highest peaks so far, ascending. Each is the score of another text, so the last is no more than the `top`-th
    # best score: it is known before any text is looked at, and spares most of them.
    highest = np.zeros(top, np.int32)
    # Room for all: only what is written to takes memory, and arrays that grow made the loop ten times slower.
    found, values = np.empty(texts, np.int32), np.empty(texts, np.int32)
    n = 0
    for low in range(0, texts, STRETCH):
        high = min(texts, low + STRETCH)
        _accumulate(starts, rows, impacts, terms, weights, at, low, high, scores)
        if len(allowed):
            for i in range(high - low):
                scores[i] = scores[i] if allowed[low + i] else 0
        blocks = (high - low + BLOCK - 1) // BLOCK
        for b in range(blocks):
            peaks[b] = _peak(scores[b * BLOCK : b * BLOCK + BLOCK])
            if peaks[b] > highest[0]:
                _insert(highest, peaks[b])
        least = max(highest[0] - slack, 1)
        for b in range(blocks):
            if peaks[b] >= least:
                for i in range(b * BLOCK, b * BLOCK + BLOCK):
                    if scores[i] >= least:
                        found[n], values[n] = low + i, scores[i]
                        n += 1
    return _reaching(found[:n], values[:n], top, slack)


@njit(cache=True, nogil=True)
def _accumulate(starts, rows, impacts, terms, weights, at, low, high, scores):  # type: ignore[no-untyped-def]
    """Score the texts of one stretch; each term's postings go on where the last stretch ended."""
    scores[:] = 0
    for j in range(len(terms)):
        p, end, w = at[j], starts[terms[j] + 1], weights[j]
        while p < end and rows[p] < high:
            # Unsigned numbers spare the test for negative ones, which count from the end.
            scores[np.uint32(rows[p] - low)] += w * np.int32(impacts[p])
            p += 1
        at[j] = p


@njit(cache=True, nogil=True)
def _peak(some):  # type: ignore[no-untyped-def]
    peak = some[0]
    for i in range(BLOCK):  # a constant number of steps becomes vector instructions
        peak = max(peak, some[i])
    return peak


@njit(cache=True, nogil=True)
def _insert(highest, score):  # type: ignore[no-untyped-def]
    """Put a score in its place among the highest, ascending, and let go of the lowest."""
    j = 0
    while j + 1 < len(highest) and highest[j + 1] < score:
        highest[j] = highest[j + 1]
        j += 1
    highest[j] = score


@njit(cache=True, nogil=True)
def _reaching(found, values, top, slack):  # type: ignore[no-untyped-def]
    """Return the finds that are within `slack` of the `top`-th best."""
    if len(found) <= top:
        return found.copy(), values.copy()
    least = np.partition(values, len(values) - top)[len(values) - top] - slack
    near = values >= least
    return found[near], values[near]


@njit(cache=True, nogil=True)
def impacts_on(texts, starts, rows, impacts, terms):  # type: ignore[no-untyped-def]
    """Return the impact of each term on each text, 0 where the text has it not."""
    out = np.zeros((len(texts), len(terms)), np.uint8)
    for j in range(len(terms)):
        first, last = starts[terms[j]], starts[terms[j] + 1]
        for i in range(len(texts)):
            p = first + np.searchsorted(rows[first:last], texts[i])
            if p < last and rows[p] == texts[i]:
                out[i, j] = impacts[p]
    return out
