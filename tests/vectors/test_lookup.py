"""Words by their hashes: exact whatever the hashes do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.errors import StorageError
from lexicloud.store.folder import PackedStrings
from lexicloud.vectors import lookup as word_hash
from lexicloud.vectors.lookup import HashedWords, hash_words

texts = st.lists(st.text(st.characters(codec=None), max_size=300), max_size=20)


def slow_hash(word: str) -> int:
    """The formula, a byte at a time, in Python's own integers."""
    total = 0
    for i, byte in enumerate(word.encode("utf-8", "surrogatepass")):
        total += (byte + 1) * pow(word_hash._FACTOR, i % word_hash._PERIOD + 1, 2**64)
    total %= 2**64
    total = ((total ^ total >> 32) * word_hash._MIX) % 2**64
    return total ^ total >> 32


@settings(deadline=None)
@given(texts)
def test_the_hash_is_its_formula(words):
    truth = [slow_hash(w) for w in words]
    assert hash_words(PackedStrings.pack(words)).tolist() == truth
    assert [word_hash._hash_word(w.encode("utf-8", "surrogatepass")) for w in words] == truth


@pytest.mark.parametrize("few", [0, 100])
@settings(deadline=None)
@given(texts, texts, st.integers(0, 3))
def test_where_hashes_agree_the_bytes_decide(few, words, more, bits):
    """With hashes of few bits nearly all words collide; many words are found together, few one by one."""
    asked = [*more, *words]
    truth = [words.index(w) if w in words else -1 for w in asked]
    with pytest.MonkeyPatch.context() as patch:
        full, one = hash_words, word_hash._hash_word
        patch.setattr(word_hash, "hash_words", lambda packed: full(packed) & np.uint64(2**bits - 1))
        patch.setattr(word_hash, "_hash_word", lambda encoded: one(encoded) & (2**bits - 1))
        patch.setattr(word_hash, "_FEW", few)
        assert HashedWords.build(PackedStrings.pack(words)).find(asked).tolist() == truth


def test_words_are_hashed_in_blocks_alike(monkeypatch):
    packed = PackedStrings.pack([f"word {i}" * (i % 5) for i in range(100)])
    whole = hash_words(packed)
    monkeypatch.setattr(word_hash, "_BLOCK", 7)
    np.testing.assert_array_equal(hash_words(packed), whole)


def test_hashes_of_real_words_are_apart():
    """400,000 words in 2⁶⁴ hashes: one collision is expected once in 230 million such lists."""
    from lexicloud.vectors.load import _shipped

    assert len(np.unique(hash_words(_shipped()))) == 400_000


@pytest.mark.parametrize("harm", ["row", "offset"])
@pytest.mark.parametrize("few", [0, 100])
def test_damage_is_an_error_not_a_crash(harm, few, monkeypatch):
    monkeypatch.setattr(word_hash, "_FEW", few)
    packed = PackedStrings.pack(["whale", "ship"])
    index = HashedWords.build(packed)
    if harm == "row":
        index = HashedWords(packed, index.hashes, index.rows + np.uint32(9))
    else:
        index = HashedWords(
            PackedStrings(packed.blob, packed.offsets + np.uint32(7)), index.hashes, index.rows
        )
    with pytest.raises(StorageError, match="damaged"):
        index.find(["ship", "whale"])
