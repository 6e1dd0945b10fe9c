"""The weak-match line: random queries stay below it, matches do not."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.search import SentenceIndex
from lexicloud.search.methods import related
from lexicloud.search.methods.bm25_scores import FEWEST, SIZES, chance_shares, weak_line
from tests.search.toy import build


@pytest.fixture(scope="module")
def index() -> SentenceIndex:
    rng = np.random.default_rng(0)
    return build([" ".join(map(word, rng.integers(0, 3_000, 9))) for _ in range(2_000)])


def word(number: int) -> str:
    """A word of letters alone, with no ending that a stemmer knows."""
    return "q" + "".join("bcdfghjklm"[int(digit)] for digit in f"{number:04}") + "k"


def test_one_random_query_in_twenty_is_above_the_line(index):
    rng = np.random.default_rng(9)
    weak = []
    for _ in range(300):
        found = index.search(" ".join(map(word, rng.integers(0, 3_000, 6))), top=1, near_copy=0)
        weak.append(found[0].weak)
    assert 0.85 < np.mean(weak) <= 1  # 0.95 but for the error of 40 draws a size


def test_a_text_that_has_most_of_the_query_is_no_weak_match(index):
    words = index.database.texts[7].split()
    found = index.search(" ".join(words[:6]), top=5)
    assert (found[0].id, found[0].weak) == (7, False)
    assert found[-1].weak


def test_a_note_says_when_all_matches_are_weak(index):
    found = index.search(" ".join(map(word, range(6))), top=2)
    assert all(s.weak for s in found) == any("weak" in note for note in found.notes)


def test_one_word_and_small_indexes_have_no_line(index):
    assert index.search(word(1), top=1)[0].weak is None
    assert build(["kadan lofel"] * (FEWEST - 1)).search("kadan lofel", top=1)[0].weak is None


def test_the_line_lies_between_those_of_the_sizes_measured(index):
    shares = chance_shares(index.database)
    assert len(shares) == len(SIZES)
    wanted = related.wanted_terms(index.database, index.query(" ".join(map(word, range(4)))))
    line = weak_line(shares, wanted.weights.tolist()) / wanted.weights.sum()
    assert min(shares[1:3]) <= line <= max(shares[1:3])


def test_the_line_is_saved_with_the_index(index, tmp_path):
    index.save(tmp_path / "i")
    assert SentenceIndex.open(tmp_path / "i").database.chance == pytest.approx(chance_shares(index.database))


def test_a_text_with_every_word_of_the_query_is_never_weak(index):
    rng = np.random.default_rng(3)
    for row in rng.integers(0, 2_000, 40).tolist():
        words = index.database.texts[row].split()
        for size in (2, 3):
            found = index.search(" ".join(words[:size]), top=3)
            has_all = [s for s in found if set(words[:size]) <= set(s.text.split())]
            assert has_all
            assert not any(s.weak for s in has_all)
