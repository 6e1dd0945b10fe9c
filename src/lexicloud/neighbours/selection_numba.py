"""Selecting and sorting in compiled loops; numba compiles these in a fraction of a second, NumPy's own in seconds."""

from __future__ import annotations

from lexicloud.compiled import njit


@njit(cache=True, nogil=True, inline="always")
def copy(source, target, count):  # type: ignore[no-untyped-def]
    """Copy the first values of an array: an assignment of slices takes numba a second and a half to compile."""
    for i in range(count):
        target[i] = source[i]


@njit(cache=True, nogil=True)
def kth_smallest(values, k):  # type: ignore[no-untyped-def]
    """Return the value at place `k` of the sorted `values`; their order is changed.

    This is Hoare's selection: split the rest at the median of three, and keep the side with place `k`.
    """
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        if values[middle] < values[low]:
            values[middle], values[low] = values[low], values[middle]
        if values[high] < values[low]:
            values[high], values[low] = values[low], values[high]
        if values[high] < values[middle]:
            values[high], values[middle] = values[middle], values[high]
        split, i, j = values[middle], low, high
        while i <= j:
            while values[i] < split:
                i += 1
            while split < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return values[k]


@njit(cache=True, nogil=True)
def sort_pairs(keys, numbers):  # type: ignore[no-untyped-def]
    """Sort numbers in place by their keys, then by the number, with the keys (Shell's sort)."""
    n, gap = len(keys), 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            key, number, j = keys[i], numbers[i], i
            while j >= gap and (key < keys[j - gap] or (key == keys[j - gap] and number < numbers[j - gap])):
                keys[j], numbers[j] = keys[j - gap], numbers[j - gap]
                j -= gap
            keys[j], numbers[j] = key, number
        gap //= 3
