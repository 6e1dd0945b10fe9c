"""Words into the sums of their tokens' vectors, compiled: what `Bpe` and `StaticEmbeddings.rows` do in Python."""

from __future__ import annotations

import numpy as np

from lexicloud.compiled import njit

_NONE = np.int64(1 << 40)  # the rank of a pair that is not joined


@njit(cache=True, nogil=True)
def word_sums(points, ends, coder, table, scales):  # type: ignore[no-untyped-def]
    """Return the sum of the vectors of each word's tokens, and how many tokens it has.

    The letters of word w are points[ends[w]:ends[w + 1]]; `coder` holds the parts of a `Bpe`.
    """
    sums, counts = np.zeros((len(ends) - 1, table.shape[1]), np.float32), np.zeros(len(ends) - 1, np.int64)
    parts = np.empty((8, table.shape[1]), np.float32)
    for w in range(len(ends) - 1):
        tokens, ranks = _begin(points[ends[w] : ends[w + 1]], coder)
        counts[w] = _join(tokens, ranks, coder)
        _add_up(tokens[: counts[w]], table, scales, sums[w], parts)
    return sums, counts


@njit(cache=True, nogil=True)
def _add_up(tokens, table, scales, total, parts):  # type: ignore[no-untyped-def]
    """Sum vectors in the order in which `np.add.reduceat` does, so that both find the same to the last bit: the first
    is added to the sum of the others, which eight partial sums share where there are eight.
    """
    n = len(tokens) - 1
    whole = n // 8 * 8
    for t in range(n):
        row, scale = table[tokens[t + 1]], scales[tokens[t + 1]]
        part = parts[t % 8] if t < whole else total
        if t < 8 and whole:
            for j in range(len(row)):
                part[j] = np.float32(row[j]) * scale
            continue
        if t == whole and whole:
            _join_parts(parts, total)
        for j in range(len(row)):
            part[j] += np.float32(row[j]) * scale
    if n == whole and whole:
        _join_parts(parts, total)
    if n >= 0:
        row, scale = table[tokens[0]], scales[tokens[0]]
        for j in range(len(row)):
            total[j] += np.float32(row[j]) * scale


@njit(cache=True, nogil=True)
def _join_parts(parts, total):  # type: ignore[no-untyped-def]
    for j in range(len(total)):
        left = (parts[0, j] + parts[1, j]) + (parts[2, j] + parts[3, j])
        total[j] = left + ((parts[4, j] + parts[5, j]) + (parts[6, j] + parts[7, j]))


@njit(cache=True, nogil=True)
def _begin(word, coder):  # type: ignore[no-untyped-def]
    """Return a token for each letter, or several for one that is spelled in bytes, and the ranks of the pairs."""
    letters, letter_tokens, _, _, _, first_byte = coder
    tokens, n = np.empty(4 * len(word), np.int64), 0
    for point in word:
        at = np.searchsorted(letters, point)
        if at < len(letters) and letters[at] == point:
            tokens[n] = letter_tokens[at]
            n += 1
            continue
        size = 1 + (point >= 0x80) + (point >= 0x800) + (point >= 0x10000)
        for i in range(size):  # UTF-8
            byte = np.int64(point) >> (6 * (size - 1 - i))
            if size == 1:
                tokens[n] = first_byte + byte
            elif i == 0:
                tokens[n] = first_byte + (((0xF00 >> size) & 0xFF) | byte)
            else:
                tokens[n] = first_byte + (0x80 | (byte & 0x3F))
            n += 1
    tokens = tokens[:n]
    ranks = np.empty(max(n - 1, 0), np.int64)
    for i in range(n - 1):
        ranks[i] = _rank(tokens[i], tokens[i + 1], coder)
    return tokens, ranks


@njit(cache=True, nogil=True)
def _join(tokens, ranks, coder):  # type: ignore[no-untyped-def]
    """Join pairs of tokens, those of the lowest rank first, until none has a rank; return how many are left."""
    joined, n = coder[4], len(tokens)
    while n > 1:
        at = 0
        for i in range(1, n - 1):
            if ranks[i] < ranks[at]:  # of several the leftmost
                at = i
        if ranks[at] == _NONE:
            break
        tokens[at] = joined[ranks[at]]
        for i in range(at + 1, n - 1):
            tokens[i] = tokens[i + 1]
            ranks[i - 1] = ranks[i]
        n -= 1
        if at:
            ranks[at - 1] = _rank(tokens[at - 1], tokens[at], coder)
        if at < n - 1:
            ranks[at] = _rank(tokens[at], tokens[at + 1], coder)
    return n


@njit(cache=True, nogil=True)
def _rank(left, right, coder):  # type: ignore[no-untyped-def]
    pairs, ranks = coder[2], coder[3]
    wanted = np.uint32(left << 16 | right)
    at = np.searchsorted(pairs, wanted)
    if at < len(pairs) and pairs[at] == wanted:
        return np.int64(ranks[at])
    return _NONE
