"""Murmur hashes of many strings at once: published values, and what does not depend on the company."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.store.bundle import PackedStrings
from lexicloud.vectors.spacy_tables import hash64a, hash128


def test_spacy_s_own_example():
    """Oracle: spaCy's documentation of its string store."""
    assert hash64a(PackedStrings.pack(["coffee"])).tolist() == [3197928453018144401]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("hello", 0xCBD8A7B341BD9B02),
        ("hello, world", 0x342FAC623A5EBC8E),
        ("The quick brown fox jumps over the lazy dog.", 0xCD99481F9EE902C9),
    ],
)
def test_published_values_of_murmur3(text, expected):
    """Oracle: the values that implementations of MurmurHash3 test themselves with (seed 0)."""
    assert hash128(PackedStrings.pack([text]), 0).tolist() == [expected]


def slow64a(data: bytes, seed: int = 1) -> int:
    """The published algorithm, in Python's own integers."""
    m, whole = 0xC6A4A7935BD1E995, 2**64
    h = seed ^ (len(data) * m % whole)
    for i in range(0, len(data) // 8 * 8, 8):
        k = int.from_bytes(data[i : i + 8], "little") * m % whole
        h = (h ^ (k ^ k >> 47) * m % whole) * m % whole
    if rest := data[len(data) // 8 * 8 :]:
        h = (h ^ int.from_bytes(rest, "little")) * m % whole
    h = (h ^ h >> 47) * m % whole
    return h ^ h >> 47


@given(st.lists(st.text(max_size=40), max_size=10))
def test_many_at_once(texts):
    packed = PackedStrings.pack(texts)
    assert hash64a(packed).tolist() == [slow64a(t.encode()) for t in texts]
    alone = [int(hash128(PackedStrings.pack([t]), 7)[0]) for t in texts]
    np.testing.assert_array_equal(hash128(packed, 7), np.array(alone, np.uint64))
