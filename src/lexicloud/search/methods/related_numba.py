"""The inner loops of ranked search (compiled, free of the GIL, and safe to run in many threads).

A posting adds to its text's score a weight times an impact, both whole numbers, so that sums are exact in any order.
"""

from __future__ import annotations

import numpy as np

from lexicloud.compiled import njit
from lexicloud.neighbours.table_numba import copy, kth_smallest, sort_pairs
from lexicloud.search.methods.bm25_scores import LIFTS, STEPS, WHOLE

STRETCH = 65_536  # texts scored together: their scores take 256 KB, which the second-level cache holds
BLOCK = 128  # texts that are passed over together where their highest score is too low; a divisor of STRETCH
PIECE = 16  # texts of such a block, the same; a divisor of BLOCK
MOST_PEAKS = 64  # of more texts than so many the peaks of blocks tell little
FEW = 32  # blocks that are looked at together


@njit(cache=True, nogil=True)
def fill(lists, terms):  # type: ignore[no-untyped-def]
    """Compute the impacts of terms that are not filled yet. Two threads may both do it: they write the same."""
    starts, rows, tf, classes, saturation, impacts, slots, dense, filled = lists
    for t in terms:
        if t >= 0 and not filled[t]:
            for p in range(starts[t], starts[t + 1]):
                impact = saturation[classes[np.uint32(rows[p])], tf[p]]
                impacts[p] = impact
                if slots[t] >= 0:
                    dense[slots[t], np.uint32(rows[p])] = impact
            filled[t] = True


@njit(cache=True, nogil=True)
def _whole(weights):  # type: ignore[no-untyped-def]
    """Return weights as whole numbers, and the unit, exactly as `bm25_scores.whole_weights` does."""
    total = 0.0
    for weight in weights:
        total += abs(weight)
    scale = WHOLE / total
    whole = np.empty(len(weights), np.int32)
    for j in range(len(weights)):
        whole[j] = np.int32(np.rint(weights[j] * scale))
        if whole[j] == 0:
            whole[j] = np.int32(np.sign(weights[j]))
    return whole, scale * STEPS


@njit(cache=True, nogil=True)
def best_of_many(  # type: ignore[no-untyped-def]
    lists, texts, terms, weights, term_ends, asked, times, asked_ends, foreign, most, allowed, top
):
    """Answer many queries, one after the other, each as `best_texts` does.

    The terms and weights of query i end at term_ends[i], its words and their counts at asked_ends[i]. It returns five
    arrays: the rows of the best texts (-1 where there are no more), their scores by terms, and their lifts, with a row
    for each query; the whole weights of all queries; and the unit of each.
    """
    many = len(term_ends)
    found = np.full((many, top), -1, np.int32)
    lexical, lifts = np.zeros((many, top)), np.zeros((many, top))
    wholes, units = np.empty(len(weights), np.int32), np.empty(many)
    a = c = 0
    for i in range(many):
        b, d = term_ends[i], asked_ends[i]
        rows, scores, more, whole, units[i] = best_texts(
            lists, texts, terms[a:b], weights[a:b], asked[c:d], times[c:d], foreign[i], most, allowed, top
        )
        copy(whole, wholes[a:b], b - a)
        for j in range(len(rows)):
            found[i, j], lexical[i, j], lifts[i, j] = rows[j], scores[j], more[j]
        a, c = b, d
    return found, lexical, lifts, wholes, units


@njit(cache=True, nogil=True)
def best_texts(lists, texts, terms, weights, asked, times, foreign, most, allowed, top):  # type: ignore[no-untyped-def]
    """Return what `best_on_topic` does, for a query with the words `asked`, each so many `times`.

    `foreign` is the sum of the vectors of its words that no text has.
    """
    topic = topic_of(asked, times, texts[3], texts[4], foreign)
    return best_on_topic(lists, texts, terms, weights, topic, most, allowed, top, 0.0)


@njit(cache=True, nogil=True)
def best_on_topic(lists, texts, terms, weights, topic, most, allowed, top, floor):  # type: ignore[no-untyped-def]
    """Return the `top` best texts, best first, the lower row first among equals.

    Of texts that score below `floor`, which the best of other segments reach, any may be left out.

    The score of a text is its score by terms (see `near_the_best`) divided by the unit, plus its lift: `most` times the
    cosine between the sum of its words' vectors and the topic, if that is positive. `texts` holds where the words of
    each text begin, the words, their counts, the words' vectors, and the words' weights. Lifts are computed only for
    texts that are at most `most` below the best. It returns rows, scores by terms, lifts, the weights as whole numbers,
    and the unit: a score of 1 in them.
    """
    begins, words, counts, vectors, weighs = texts
    whole, unit = _whole(weights)
    if not topic.any():  # a query of stop words alone has no topic
        most = 0.0
    slack = np.int64(np.rint(most * unit)) + 1
    none = np.zeros(0, np.int32)
    least = np.int64((floor - most) * unit) - 1
    found, scores, _ = near_the_best(lists, terms, whole, len(begins) - 1, allowed, top, slack, least, none)
    kept = np.full(min(top, len(found)), -1, np.int32)  # places in `found`
    totals = np.full(len(kept), -1.0)  # falling
    lifts = np.zeros(len(kept))
    total = np.empty(vectors.shape[1], np.float32)
    order = np.arange(len(scores))
    sort_pairs(-scores, order)
    for i in order:
        lexical = scores[i] / unit
        if lexical + most < max(totals[-1], floor):
            break
        lift = lift_of(found[i], begins, words, counts, vectors, weighs, topic, most, total)
        put(kept, totals, lifts, found, i, lexical + lift, lift)
    reached = kept >= 0
    kept = kept[reached]
    return found[kept], scores[kept] / unit, lifts[reached], whole, unit


@njit(cache=True, nogil=True)
def topic_of(asked, times, vectors, weighs, foreign):  # type: ignore[no-untyped-def]
    """Return the sum of a query's weighted vectors at unit length."""
    total = foreign.astype(np.float64)
    for i in range(len(asked)):
        weight = np.float64(times[i]) * np.float64(weighs[asked[i]])
        for j in range(len(total)):
            total[j] += weight * np.float64(vectors[asked[i], j])
    length = np.sqrt((total * total).sum())
    return (total / max(length, 1e-300)).astype(np.float32)


@njit(cache=True, nogil=True)
def put(kept, totals, lifts, found, i, total, lift):  # type: ignore[no-untyped-def]
    """Put a text in its place among the best, if it has one."""
    j = len(kept)
    while j and (totals[j - 1] < total or (totals[j - 1] == total and found[kept[j - 1]] > found[i])):
        j -= 1
    for k in range(len(kept) - 1, j, -1):
        kept[k], totals[k], lifts[k] = kept[k - 1], totals[k - 1], lifts[k - 1]
    if j < len(kept):
        kept[j], totals[j], lifts[j] = i, total, lift


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def lift_of(row, begins, words, counts, vectors, weighs, topic, most, total):  # type: ignore[no-untyped-def]
    """Return most · max(0, cosine) between the topic and the sum of the vectors of a text's words.

    It is rounded to 1 / `LIFTS`, so that equally near texts get the same on every processor.
    """
    total[:] = 0
    for p in range(begins[row], begins[row + 1]):
        weight = weighs[np.uint32(words[p])]
        if weight:
            vector, times = vectors[np.uint32(words[p])], weight * np.float32(counts[p])
            for j in range(len(total)):
                total[j] += times * vector[j]
    dot, square = np.float32(0), np.float32(0)
    for j in range(len(total)):
        dot += total[j] * topic[j]
        square += total[j] * total[j]
    if dot <= 0:
        return 0.0
    return min(most, np.rint(most * np.float64(dot) / np.sqrt(np.float64(square)) * LIFTS) / LIFTS)


@njit(cache=True, nogil=True)
def near_the_best(lists, terms, weights, texts, allowed, top, slack, least, also):  # type: ignore[no-untyped-def]
    """Return the texts that could be among the `top` best if scores rose by up to `slack`, and their scores.

    Texts that score below `least` are left out. It returns the scores of the texts `also` (ascending, allowed ones)
    besides.

    Of `texts` texts, term t is in rows[starts[t]:starts[t + 1]], with the impacts at the same places. A term of a great
    many texts has a slot: dense[slot] holds its impact on every text, which adds up faster. Term -1 is in no text.
    `allowed`, if not empty, says which texts an answer may hold. Texts are returned in ascending order.
    """
    there = terms >= 0
    terms, weights = terms[there], weights[there]
    fill(lists, terms)
    slots = lists[6][terms]
    common = slots[slots >= 0], weights[slots >= 0]
    rare = terms[slots < 0], weights[slots < 0]
    at = lists[0][rare[0]]
    room = min(STRETCH, -(-texts // BLOCK) * BLOCK)
    scores, peaks = np.empty(room, np.int32), np.empty(room // BLOCK, np.int32)
    highest = np.zeros(min(top, MOST_PEAKS), np.int32)
    of_also, seen = np.zeros(len(also), np.int32), 0
    found, values = np.empty(STRETCH, np.int32), np.empty(STRETCH, np.int32)
    # plain numbers would have a type of their own
    n, full, floor = np.int64(0), np.int64(2 * top), max(np.int64(least), np.int64(1))
    for low in range(0, texts, STRETCH):
        high = min(texts, low + STRETCH)
        blocks = -(-(high - low) // BLOCK)
        _accumulate(lists, rare, common, at, low, high, scores)
        if len(allowed):
            for i in range(high - low):
                scores[i] = scores[i] if allowed[low + i] else 0
        seen = _read_off(scores, low, high, also, seen, of_also)
        _find_peaks(scores, peaks[:blocks], highest)
        if top <= MOST_PEAKS:
            floor = max(floor, np.int64(highest[0]) - slack)
        for first in range(0, blocks, FEW):
            if n + FEW * BLOCK > len(found):
                found, values = longer(found, n), longer(values, n)
            n = _take(scores, peaks[:blocks], first, low, floor, found, values, n)
            if n > full:  # so many were found that the best are better known by now
                floor = max(floor, kth_smallest(values[:n].copy(), n - top) - slack)
                n = _only_from(found, values, n, floor)
                full = 2 * n
    found, values = _reaching(found[:n], values[:n], top, slack)
    return found, values, of_also


@njit(cache=True, nogil=True)
def _read_off(scores, first, last, also, seen, of_also):  # type: ignore[no-untyped-def]
    """Write down the scores of those of the texts `also` that are among these, and return how many were seen."""
    while seen < len(also) and also[seen] < last:
        of_also[seen] = scores[also[seen] - first]
        seen += 1
    return seen


@njit(cache=True, nogil=True)
def _find_peaks(scores, peaks, highest):  # type: ignore[no-untyped-def]
    """Write down the highest score of each block, and keep the `highest` of these, ascending, up to date.

    Each is the score of another text: the least of them is one that so many texts reach.
    """
    for b in range(len(peaks)):
        peak = peaks[b] = _peak(scores[b * BLOCK : b * BLOCK + BLOCK], BLOCK)
        if peak > highest[0]:
            j = 1
            while j < len(highest) and highest[j] < peak:
                highest[j - 1] = highest[j]
                j += 1
            highest[j - 1] = peak


@njit(cache=True, nogil=True)
def longer(some, n):  # type: ignore[no-untyped-def]
    """Return an array of more than twice the length, which begins with the first `n` values."""
    longer = np.empty(2 * n + STRETCH, some.dtype)
    copy(some, longer, n)
    return longer


@njit(cache=True, nogil=True)
def _take(scores, peaks, start, low, least, found, values, n):  # type: ignore[no-untyped-def]
    """Add the texts of a FEW blocks with at least a score to the finds, and return how many there are."""
    for b in range(start, min(len(peaks), start + FEW)):
        if peaks[b] < least:
            continue
        for first in range(b * BLOCK, b * BLOCK + BLOCK, PIECE):
            if _peak(scores[first : first + PIECE], PIECE) >= least:
                # Written first and counted then: no branch to be guessed.
                for i in range(first, first + PIECE):
                    found[n], values[n] = low + i, scores[i]
                    n += np.int64(scores[i] >= least)
    return n


@njit(cache=True, nogil=True)
def _only_from(found, values, n, least):  # type: ignore[no-untyped-def]
    """Let go of the finds with a lower score, and return how many are left."""
    left = np.int64(0)
    for i in range(n):
        if values[i] >= least:
            found[left], values[left] = found[i], values[i]
            left += 1
    return left


@njit(cache=True, nogil=True)
def _accumulate(lists, rare, common, at, low, high, scores):  # type: ignore[no-untyped-def]
    """Score the texts of one stretch; the postings of each rare term continue where the last stretch ended."""
    starts, rows, _, _, _, impacts, _, dense, _ = lists
    _begin(scores, *common, dense[:, low:high])
    terms, weights = rare
    for j in range(len(terms)):
        w, p, end = weights[j], at[j], starts[terms[j] + 1]
        while p < end:
            row = rows[p]
            if row >= high:
                break
            # With unsigned numbers the compiler leaves out the test for negative ones, which count from the end.
            scores[np.uint32(row - low)] += w * np.int32(impacts[p])
            p += 1
        at[j] = p


@njit(cache=True, nogil=True)
def _begin(scores, slots, weights, dense):  # type: ignore[no-untyped-def]
    """Set the scores to what common terms add, two terms at a time: scores are read and written half as often."""
    texts = dense.shape[1]
    scores[texts:] = 0
    if len(slots) % 2:
        of_texts, w = dense[slots[0]], weights[0]
        for i in range(texts):
            scores[i] = w * np.int32(of_texts[i])
    else:
        scores[:texts] = 0
    for j in range(len(slots) % 2, len(slots), 2):
        one, other, v, w = dense[slots[j]], dense[slots[j + 1]], weights[j], weights[j + 1]
        for i in range(texts):
            scores[i] += v * np.int32(one[i]) + w * np.int32(other[i])


@njit(cache=True, nogil=True, inline="always")
def _peak(some, size):  # type: ignore[no-untyped-def]
    peak = some[0]
    for i in range(size):  # a constant number of steps becomes vector instructions
        peak = max(peak, some[i])
    return peak


@njit(cache=True, nogil=True)
def _reaching(found, values, top, slack):  # type: ignore[no-untyped-def]
    """Return the finds that are within `slack` of the `top`-th best."""
    if len(found) <= top:
        return found.copy(), values.copy()
    least = kth_smallest(values.copy(), len(values) - top) - slack
    near = values >= least
    return found[near], values[near]


@njit(cache=True, nogil=True)
def impacts_on(texts, lists, terms):  # type: ignore[no-untyped-def]
    """Return the impact of each term on each text, 0 where the text does not have it."""
    fill(lists, terms)
    starts, rows, _, _, _, impacts, _, _, _ = lists
    out = np.zeros((len(texts), len(terms)), np.uint8)
    for j in range(len(terms)):
        if terms[j] < 0:
            continue
        first, last = starts[terms[j]], starts[terms[j] + 1]
        for i in range(len(texts)):
            p = first + np.searchsorted(rows[first:last], texts[i])
            if p < last and rows[p] == texts[i]:
                out[i, j] = impacts[p]
    return out


@njit(cache=True, nogil=True)
def moments(lists, terms, alive, known):  # type: ignore[no-untyped-def]
    """Return, for each term, the sum of its impacts on all texts and the sum of their squares.

    `alive`, if not empty, says which texts count. Sums that are `known` (not -1) are not computed again.
    """
    fill(lists, terms)
    starts, rows, impacts = lists[0], lists[1], lists[5]
    out = np.zeros((len(terms), 2))
    for j in range(len(terms)):
        t = terms[j]
        if t < 0:
            continue
        if known[t, 0] < 0:
            total, squares = np.int64(0), np.int64(0)
            for p in range(starts[t], starts[t + 1]):
                if not len(alive) or alive[np.uint32(rows[p])]:
                    impact = np.int64(impacts[p])
                    total += impact
                    squares += impact * impact
            known[t, 1] = squares
            known[t, 0] = total
        out[j, 0], out[j, 1] = known[t, 0], known[t, 1]
    return out


@njit(cache=True, nogil=True)
def lifts(rows, texts, topic, most):  # type: ignore[no-untyped-def]
    """Return what the topic adds to each of some texts; see `best_texts`."""
    begins, words, counts, vectors, weighs = texts
    total = np.empty(vectors.shape[1], np.float32)
    out = np.zeros(len(rows))
    if topic.any():
        for i in range(len(rows)):
            out[i] = lift_of(rows[i], begins, words, counts, vectors, weighs, topic, most, total)
    return out
