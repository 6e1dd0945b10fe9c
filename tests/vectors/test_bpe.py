"""Byte-pair encoding: as the slow definition has it, and as the `tokenizers` package does it."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.vectors import static_embeddings as bpe
from lexicloud.vectors.static_embeddings import SPACE, load_static_embeddings

WORDS = st.lists(
    st.text(st.characters(codec=None), max_size=30) | st.from_regex(r"[A-Za-z'(),.]{0,20}", fullmatch=True)
)


@pytest.fixture(scope="module")
def coder():
    return load_static_embeddings().tokenizer


def slow(coder, word: str, spaced: bool) -> list[int]:
    """One pair at a time: the lowest rank, the leftmost first."""
    letter = dict(zip(coder.letters.tolist(), coder.letter_tokens.tolist(), strict=True))
    rank = dict(zip(coder.pairs.tolist(), coder.ranks.tolist(), strict=True))
    tokens: list[int] = []
    for c in SPACE + word if spaced and word else word:
        spelled = [b + coder.first_byte for b in c.encode("utf-8", "surrogatepass")]
        tokens += [letter[ord(c)]] if ord(c) in letter else spelled
    while True:
        found = [(rank.get(a << 16 | b, 1 << 30), i) for i, (a, b) in enumerate(pairwise(tokens))]
        if not found or min(found)[0] == 1 << 30:
            return tokens
        lowest, i = min(found)
        tokens[i : i + 2] = [int(coder.joined[lowest])]


def cut(coder, words, spaced):
    tokens, starts = coder.encode(words, np.asarray(spaced, bool))
    assert len(starts) == len(words) + 1
    return [tokens[a:b].tolist() for a, b in pairwise(starts)]


@pytest.mark.parametrize("single", [0, 1000])
@settings(deadline=None, max_examples=30)
@given(WORDS, st.booleans())
def test_fast_equals_slow(coder, single, words, spaced):
    """Many words are cut together, few one by one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bpe, "_SINGLE", single)
        assert cut(coder, words, [spaced] * len(words)) == [slow(coder, w, spaced) for w in words]


def test_many_words_in_blocks(coder, monkeypatch):
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdeéß' 日", k=rng.randint(0, 12))) for _ in range(300)]
    whole = cut(coder, words, [True] * 300)
    monkeypatch.setattr(bpe, "_BLOCK", 7)
    assert cut(coder, words, [True] * 300) == whole


def test_oracle_tokenizers(coder):
    """Oracle: the tokenizers package with wordllama's own description of its tokenizer."""
    from importlib.util import find_spec
    from pathlib import Path

    tokenizers, found = pytest.importorskip("tokenizers"), find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        pytest.skip("wordllama is not installed")
    (config,) = (Path(found.submodule_search_locations[0]) / "tokenizers").glob("*_tokenizer_config.json")
    theirs = tokenizers.Tokenizer.from_file(str(config))
    words = [
        *(
            "It",
            "isn't",
            "(really)",
            '"so":',
            "naïve",
            "Ångström,",
            "3.14%",
            "日本語",
            "Жук!",
            "co-op…",
            "can't--won't",
        ),
        *("antidisestablishmentarianism", "😀", "\u200b", "aaaaaaaaaaaaaaaa", "</div>", "x_y.z()", "½", "ﬁn"),
    ]
    assert cut(coder, words, [True] * len(words)) == [
        theirs.encode(w, add_special_tokens=False).ids for w in words
    ]


def test_a_word_without_end_is_cut_into_pieces(coder, monkeypatch):
    """The work grows with the square of a word's length, so that a longer one is cut."""
    monkeypatch.setattr(bpe, "LONGEST", 5)
    assert cut(coder, ["whalewhale"], [False]) == [
        [*slow(coder, "whale", False), *slow(coder, "whale", False)]
    ]
