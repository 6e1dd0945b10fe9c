"""Numbers and lists, written for sentences."""

from __future__ import annotations

from collections.abc import Sequence


def many(n: int, thing: str) -> str:
    """Return a number with its noun.

    >>> many(1, "text"), many(1200, "text"), many(2, "query")
    ('1 text', '1,200 texts', '2 queries')
    """
    return f"{n:,} {thing if n == 1 else plural(thing)}"


def plural(noun: str) -> str:
    """Return the plural of a regular English noun.

    >>> plural("author"), plural("century"), plural("day"), plural("class")
    ('authors', 'centuries', 'days', 'classes')
    """
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def signed(value: float, digits: int = 2, *, plus: bool = False) -> str:
    """Return a number with a true minus sign, and a plus sign where both signs matter.

    >>> signed(-1.107), signed(0.5, 1), signed(0.5, 1, plus=True)
    ('−1.11', '0.5', '+0.5')
    """
    written = f"{value:{'+' if plus else ''}.{digits}f}"
    return written.replace("-", "−")


def number(value: object) -> str:
    """Return a value as people read it: thousands separated, three significant figures, a dash for nothing.

    >>> number(1234), number(0.12345), number(None), number("sea")
    ('1,234', '0.123', '–', 'sea')
    """
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3g}"


def chance(p: float) -> str:
    """Return a p-value in words: never zero, and with two or three digits.

    >>> chance(0.034), chance(0.0001), chance(0.4)
    ('p = .034', 'p < .001', 'p = .40')
    """
    if p < 0.001:
        return "p < .001"
    return f"p = {f'{p:.3f}' if p < 0.1 else f'{p:.2f}'}".replace("= 0.", "= .")


def percent(share: float, digits: int = 0) -> str:
    """Return a share in percent, never rounded up to 100 or down to 0.

    >>> percent(0.5), percent(0.9996, 1), percent(0.9999, 1), percent(0.00001, 1)
    ('50 %', '99.9 %', '99.9 %', 'less than 0.1 %')
    """
    step = 10.0**-digits
    value = 100 * share
    if 0 < value < step:
        return f"less than {step:.{digits}f} %"
    if share < 1:
        value = min(value, 100 - step)
    return f"{value:.{digits}f} %"


def listed(items: Sequence[str], last: str = "and") -> str:
    """Return items as a list within a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}" if items else ""


def cut(text: str, width: int) -> str:
    """Shorten a text at a word, with an ellipsis where something is missing.

    >>> cut("the cat sat on the mat", 12)
    'the cat sat…'
    """
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    whole, _, last = text[:width].rpartition(" ")  # what follows the last space is a part of a word
    return f"{(whole or last[: width - 1]).rstrip(' ,;:')}…"
