"""Compiled loops of the discrete power law p(x) = x^−α / ζ(α, x_min): zeta with derivatives, fit, KS distance, draws.

Counts are given as distinct values, ascending, with how many words have each: a novel has ten thousand words but a few
hundred distinct counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexicloud.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Euler–Maclaurin: terms are added one by one up to 12; from there five Bernoulli terms leave an error below 1e-13.
_FROM = 12.0
_BERNOULLI = np.array([1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160])
LOWEST, HIGHEST = 1.0 + 1e-6, 100.0


@njit(cache=True, nogil=True)
def zeta(alpha: float, q: float, unit: float) -> tuple[float, float, float]:
    """Return unit^α ζ(α, q), where ζ is the Hurwitz zeta function, with its first and second derivative in α.

    A unit near q prevents underflow, as of (10⁷)^−50; with a unit of 1 it is ζ itself.
    """
    value, first, second = 0.0, 0.0, 0.0
    while q < _FROM:
        log = np.log(q / unit)
        term = np.exp(-alpha * log)
        value, first, second = value + term, first - log * term, second + log * log * term
        q += 1.0
    log = np.log(q / unit)
    power = np.exp(-alpha * log)
    # ∫_q^∞ x^−α dx = q^(1−α)/(α−1) and half the first term
    u = 1 / (alpha - 1)
    integral = q * power * u
    value += integral + power / 2
    first -= integral * (log + u) + log * power / 2
    second += integral * ((log + u) ** 2 + u * u) + log * log * power / 2
    product, s1, s2, scale = alpha, 1 / alpha, 1 / alpha**2, power / q
    for j in range(5):
        term = _BERNOULLI[j] * product * scale
        slope = s1 - log
        value, first, second = value + term, first + term * slope, second + term * (slope * slope - s2)
        a, b = alpha + 2 * j + 1, alpha + 2 * j + 2
        product *= a * b
        s1 += 1 / a + 1 / b
        s2 += 1 / (a * a) + 1 / (b * b)
        scale /= q * q
    return value, first, second


@njit(cache=True, nogil=True)
def tail(alpha: float, q: float, unit: float) -> float:
    """Return unit^α ζ(α, q) without derivatives."""
    value = 0.0
    while q < _FROM:
        value += (q / unit) ** -alpha
        q += 1.0
    power = (q / unit) ** -alpha
    value += q * power / (alpha - 1) + power / 2
    product, scale = alpha, power / q
    for j in range(5):
        value += _BERNOULLI[j] * product * scale
        product *= (alpha + 2 * j + 1) * (alpha + 2 * j + 2)
        scale /= q * q
    return float(value)


@njit(cache=True, nogil=True)
def exponent(mean_log: float, x_min: float, start: float) -> float:
    """Solve E log(X / x_min) = mean log(x / x_min) for α, by Newton's method inside a bracket; nan if it has no α."""
    low, high, alpha = LOWEST, HIGHEST, min(max(start, 1.001), 99.0)
    for _ in range(100):
        z, z1, z2 = zeta(alpha, x_min, x_min)
        gap = -z1 / z - mean_log  # falls as α grows
        if gap > 0:
            low = alpha
        else:
            high = alpha
        variance = z2 / z - (z1 / z) ** 2
        step = gap / variance if variance > 0 else np.nan
        following = alpha + step
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - alpha) < 1e-10 * alpha:
            inside = LOWEST + 1e-5 < following < HIGHEST - 1e-3
            return following if inside else np.nan
        alpha = following
    return np.nan


@njit(cache=True, nogil=True)
def distance(values: Floats, above: Floats, i: int, alpha: float, best: float) -> float:
    """Return the Kolmogorov–Smirnov distance of the tail from values[i]; if it exceeds `best`, any number above that.

    The greatest gap over all whole numbers is at an observed value or just after it. above[j] is the number of words
    with values[j] or more. A few values far apart are tried first, because most candidates already fail there.
    """
    m, n, whole = len(values), above[i], tail(alpha, values[i], values[i])
    worst = 0.0
    stride = max(1, (m - i) // 16)
    for start in (0, 1):
        step = stride if start == 0 else 1
        j = i
        while j < m:
            at = abs(tail(alpha, values[j], values[i]) / whole - above[j] / n)
            beyond = above[j + 1] / n if j + 1 < m else 0.0
            worst = max(worst, at, abs(tail(alpha, values[j] + 1.0, values[i]) / whole - beyond))
            if worst >= best:
                return float(worst)
            j += step
        if stride == 1:
            break
    return float(worst)


@njit(cache=True, nogil=True)
def fit_tail(values: Floats, multiplicities: Floats, least_tail: float) -> tuple[int, float, float]:
    """Return (x_min's position, α, KS distance) of the x_min with the least distance; position −1 if there is none."""
    m = len(values)
    above, logs = np.zeros(m), np.zeros(m)
    words, total = 0.0, 0.0
    for j in range(m - 1, -1, -1):
        words += multiplicities[j]
        total += multiplicities[j] * np.log(values[j])
        above[j], logs[j] = words, total
    place, alpha, best, start = -1, np.nan, np.inf, 2.0
    for i in range(m - 1):
        if above[i] < least_tail:
            break
        found = exponent(logs[i] / above[i] - np.log(values[i]), values[i], start)
        if np.isnan(found):
            continue
        start = found
        gap = distance(values, above, i, found, best)
        if gap < best:
            place, alpha, best = i, found, gap
    return place, alpha, best


@njit(cache=True, nogil=True)
def draw(uniforms: Floats, alpha: float, x_min: float) -> Floats:
    """Turn uniform numbers into draws of the power law from x_min, by inverting its survival function."""
    size = 4096
    table = np.empty(size)
    whole = tail(alpha, x_min, x_min)
    rest = whole
    for k in range(size):
        rest -= ((x_min + k) / x_min) ** -alpha
        table[k] = rest / whole  # P(X > x_min + k)
    draws = np.empty(len(uniforms))
    for i in range(len(uniforms)):
        u = uniforms[i]
        if u > table[size - 1]:
            low, high = 0, size - 1  # least k with table[k] < u
            while low < high:
                middle = (low + high) // 2
                if table[middle] < u:
                    high = middle
                else:
                    low = middle + 1
            draws[i] = x_min + low
        else:
            draws[i] = _far(u * whole, alpha, x_min + size, x_min)
    return draws


@njit(cache=True, nogil=True)
def _far(target: float, alpha: float, low: float, unit: float) -> float:
    """Return the least x ≥ low with unit^α ζ(α, x + 1) < target, by doubling and then bisection.

    Draws end at about 1e15, because larger whole numbers are not exact in double precision.
    """
    step = low
    while tail(alpha, low + step + 1, unit) >= target and step < 1e15:
        low += step
        step *= 2
    high = low + step
    while high - low > 0.5:
        middle = np.floor((low + high) / 2)
        if tail(alpha, middle + 1, unit) < target:
            if high == middle:
                break
            high = middle
        else:
            low = middle + 1
    return high
