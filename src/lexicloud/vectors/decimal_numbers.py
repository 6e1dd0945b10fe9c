"""Parse all decimal numbers in a block of bytes at once, each to the nearest float64."""

from __future__ import annotations

import contextlib
import warnings
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

# Whole numbers below 10¹⁵ and powers of ten up to 10²² are exact in float64, so that their quotient is rounded once.
_DIGITS: Final = 15
_POWERS: Final = 10.0 ** np.arange(_DIGITS + 1)
_NUMERIC: Final = b"0123456789+-.eEinfINFaA "
_BLOCK: Final = 1 << 16  # numbers that are read together: they fit the processor's cache


def parse_numbers(data: bytes, starts: Places, ends: Places) -> NDArray[np.float64]:
    """Return the number in each span of `data`; raise a ValueError that shows the first span that is no number.

    >>> parse_numbers(b"-0.25 1e3", np.array([0, 6]), np.array([5, 9])).tolist()
    [-0.25, 1000.0]
    """
    letters = np.frombuffer(data + b" ", np.uint8)  # an empty span may begin at the end
    out = np.empty(len(starts), np.float64)
    for i in range(0, len(starts), _BLOCK):
        part = slice(i, i + _BLOCK)
        values, plain = _parse(letters, starts[part], ends[part])
        if not plain.all():
            spans = zip(starts[part][~plain].tolist(), ends[part][~plain].tolist(), strict=True)
            values[~plain] = _to_numbers([data[a:b] for a, b in spans])
        out[part] = values
    return out


def _to_numbers(fields: list[bytes]) -> NDArray[np.float64]:
    """Read numbers of any form: by NumPy if all are clearly numbers, else one by one, which finds the wrong one."""
    text = b" ".join(fields)
    if all(fields) and not text.translate(None, _NUMERIC) and text.count(b" ") == len(fields) - 1:
        with warnings.catch_warnings(), contextlib.suppress(ValueError):
            warnings.simplefilter("ignore", DeprecationWarning)  # older versions warn and stop
            found = np.fromstring(text.decode(), sep=" ")
            if len(found) == len(fields):
                return found
    return np.array([to_number(field) for field in fields])


def to_number(digits: bytes) -> float:
    """Read one number as Python's `float` does, but refuse underscores such as 1_000."""
    if b"_" in digits:
        raise ValueError(f"{digits!r} is not a number")
    return float(digits)


def _parse(
    letters: NDArray[np.uint8], starts: Places, ends: Places
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the values of spans, and which values are valid: those of a sign, at most 15 digits and one point."""
    first = letters[starts]
    negative = first == ord("-")
    at = starts + (negative | (first == ord("+")))
    sizes = ends - at
    plain = (sizes > 0) & (sizes <= _DIGITS + 1)
    whole = np.zeros(len(starts), np.int64)
    point = np.full(len(starts), -1)
    for k in range(int(sizes[plain].max(initial=0))):
        inside = plain & (k < sizes)
        byte = letters[np.where(inside, at + k, 0)]
        digit = byte - np.uint8(ord("0"))  # wraps around below 0
        is_digit = inside & (digit <= 9)
        is_point = inside & (byte == ord(".")) & (point < 0)
        whole = np.where(is_digit, whole * 10 + digit, whole)
        point[is_point] = k
        plain &= is_digit | is_point | ~inside
    digits = sizes - (point >= 0)
    plain &= (digits > 0) & (digits <= _DIGITS)
    after = np.where(plain & (point >= 0), sizes - 1 - point, 0)
    values = whole / _POWERS[after]
    return np.where(negative, -values, values), plain
