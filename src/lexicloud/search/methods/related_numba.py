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
def rank(starts, rows, impacts, terms, weights, texts, allowed, top, slack):  # type: ignore[no-untyped-def]
    """Return the texts that could be among the `top` best if scores rose by up to `slack`, and their scores.

    Term t is in the texts rows[starts[t]:starts[t + 1]], out of `texts`. `allowed`, if not empty, says which texts
    may be answered with. Texts come in ascending order.
    """
    at = starts[terms]
    scores = np.empty(STRETCH, np.int32)
    best = np.zeros(top, np.int32)  # the highest scores so far, ascending
    found = np.empty(256, np.int32)
    values = np.empty(256, np.int32)
    n = 0
    for low in range(0, texts, STRETCH):
        high = min(texts, low + STRETCH)
        _accumulate(starts, rows, impacts, terms, weights, at, low, high, texts, scores)
        for b in range(0, high - low, BLOCK):
            if _peak(scores[b : b + BLOCK]) <= max(best[0] - slack - 1, 0):
                continue
            for i in range(b, min(b + BLOCK, high - low)):
                score = scores[i]
                if score <= max(best[0] - slack - 1, 0) or (len(allowed) and not allowed[low + i]):
                    continue
                if n == len(found):
                    n, found, values = _make_room(found, values, best[0] - slack)
                found[n], values[n] = low + i, score
                n += 1
                if score > best[0]:
                    _insert(best, score)
    n = _keep_reaching(found, values, n, best[0] - slack)
    return found[:n].copy(), values[:n].copy()


@njit(cache=True, nogil=True)
def _accumulate(starts, rows, impacts, terms, weights, at, low, high, texts, scores):  # type: ignore[no-untyped-def]
    """Score the texts of one stretch; each term's postings go on where the last stretch ended."""
    scores[:] = 0
    for j in range(len(terms)):
        end = starts[terms[j] + 1]
        if high < texts:
            end = at[j] + np.searchsorted(rows[at[j] : end], high)
        w = weights[j]
        for p in range(at[j], end):
            # Unsigned numbers spare the test for negative ones, which count from the end.
            scores[np.uint32(rows[p] - low)] += w * np.int32(impacts[p])
        at[j] = end


@njit(cache=True, nogil=True)
def _peak(some):  # type: ignore[no-untyped-def]
    peak = some[0]
    for i in range(BLOCK):  # a constant number of steps becomes vector instructions
        peak = max(peak, some[i])
    return peak


@njit(cache=True, nogil=True)
def _insert(best, score):  # type: ignore[no-untyped-def]
    """Put a score in its place among the best, ascending, and let go of the lowest."""
    j = 0
    while j + 1 < len(best) and best[j + 1] < score:
        best[j] = best[j + 1]
        j += 1
    best[j] = score


@njit(cache=True, nogil=True)
def _keep_reaching(found, values, n, least):  # type: ignore[no-untyped-def]
    """Keep, in place, the finds whose score reaches `least`; return how many these are."""
    m = 0
    for i in range(n):
        if values[i] >= least:
            found[m], values[m] = found[i], values[i]
            m += 1
    return m


@njit(cache=True, nogil=True)
def _make_room(found, values, least):  # type: ignore[no-untyped-def]
    """Drop finds that were overtaken; where most are still in the running, move to twice the room."""
    n = _keep_reaching(found, values, len(found), least)
    if 2 * n < len(found):
        return n, found, values
    wide, wider = np.empty(2 * len(found), np.int32), np.empty(2 * len(found), np.int32)
    wide[:n], wider[:n] = found[:n], values[:n]
    return n, wide, wider


@njit(cache=True, nogil=True)
def topics(texts, lexical, starts, words, counts, vectors, query, top, most):  # type: ignore[no-untyped-def]
    """Return most · max(0, cosine) between a query's vector and the sum of the vectors of each text's words.

    Texts come by falling lexical scores; it ends where not even `most` brings one among the `top` best.
    """
    out = np.zeros(len(texts), np.float64)
    best = np.zeros(top, np.float64)  # the highest sums so far, ascending
    total = np.empty(vectors.shape[1], np.float64)
    for i in range(len(texts)):
        if lexical[i] + most < best[0]:
            return out[:i].copy()
        total[:] = 0
        for p in range(starts[texts[i]], starts[texts[i] + 1]):
            for j in range(len(total)):
                total[j] += counts[p] * vectors[words[p], j]
        dot, square = 0.0, 0.0
        for j in range(len(total)):
            dot += total[j] * query[j]
            square += total[j] * total[j]
        if dot > 0:
            out[i] = most * dot / np.sqrt(square)
        if lexical[i] + out[i] > best[0]:
            _insert(best, lexical[i] + out[i])
    return out


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
