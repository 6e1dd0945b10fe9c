"""Numbers out of bytes: the same as Python's float, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.vectors import decimal_numbers
from lexicloud.vectors.decimal_numbers import parse_numbers

FORMS = st.sampled_from(["%.5g", "%.17g", "%.6e", "%.3f", "%+.12f", "%.0f", "%r"])
NUMBERS = st.builds(lambda form, x: form % x, FORMS, st.floats()) | st.sampled_from(
    [
        "0",
        "-0",
        ".5",
        "5.",
        "-.5",
        "+5.",
        "007",
        "999999999999999",
        "9999999999999999",
        "1e400",
        "-1e-400",
        "nan",
    ]
)
OTHERS = st.sampled_from(["", ".", "-", "+-1", "1.2.3", "1_0", "0x10", "1,5", "--1", "e5", "1e", "٣", "1 2"])


def parse(fields: list[str]):
    encoded = [f.encode() for f in fields]
    ends = np.cumsum([len(e) + 1 for e in encoded]) - 1
    return parse_numbers(b"|".join(encoded), ends - [len(e) for e in encoded], ends)


@settings(deadline=None, max_examples=200)
@given(st.lists(NUMBERS, min_size=1, max_size=30))
def test_every_number_is_python_s(fields):
    for ours, field in zip(parse(fields).tolist(), fields, strict=True):
        theirs = float(field)
        assert (math.isnan(ours) and math.isnan(theirs)) or ours.hex() == theirs.hex()


@given(st.lists(NUMBERS, max_size=5), OTHERS, st.lists(NUMBERS, max_size=5))
def test_what_is_no_number_is_refused(before, bad, after):
    with pytest.raises(ValueError, match=r"not a number|could not convert"):
        parse([*before, bad, *after])


def test_blocks(monkeypatch):
    fields = [f"{i / 7:.{i % 18}f}" for i in range(100)]
    monkeypatch.setattr(decimal_numbers, "_BLOCK", 3)
    assert parse(fields).tolist() == [float(f) for f in fields]
