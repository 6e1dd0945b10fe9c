"""The weak-match line: random queries stay below it, matches do not."""

from __future__ import annotations

import random

import numpy as np
import pytest

from lexicloud.search import SentenceIndex
from lexicloud.search.methods import hybrid, related
from lexicloud.search.methods.bm25_scores import FEWEST, SIZES, chance_shares, weak_lines
from tests.search.toy import build
from tests.texts import TEXTS


@pytest.fixture(scope="module")
def index() -> SentenceIndex:
    rng = np.random.default_rng(0)
    return build([" ".join(map(word, rng.integers(0, 3_000, 9))) for _ in range(2_000)])


def word(number: int) -> str:
    """A word of letters alone, with no ending that a stemmer knows."""
    return "q" + "".join("bcdfghjklm"[int(digit)] for digit in f"{number:04}") + "k"


def test_nine_random_queries_in_ten_are_below_the_line(index):
    rng = np.random.default_rng(9)
    weak = []
    for _ in range(300):
        found = index.search(" ".join(map(word, rng.integers(0, 3_000, 6))), top=1, near_copy=0)
        weak.append(found[0].weak)
    assert 0.8 < np.mean(weak) <= 1  # 0.9 or more, where many have the same share


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
    assert len(shares) == 2 * len(SIZES)
    wanted = related.wanted_terms(index.database, index.query(" ".join(map(word, range(4)))))
    sure, likely = np.array(weak_lines(shares, wanted.weights.tolist())) / wanted.weights.sum()
    assert min(shares[1:3]) <= sure <= max(shares[1:3])
    assert likely <= sure


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


def test_an_embedding_that_is_near_speaks_for_what_words_alone_call_weak(monkeypatch):
    rng = np.random.default_rng(4)
    words = sorted({word.strip('.,"!;').lower() for text in TEXTS.values() for word in text.split()})
    index = SentenceIndex.build([" ".join(rng.choice(words, 9)) for _ in range(400)])
    asked = [" ".join(rng.choice(words, 7)) for _ in range(60)]

    def called_weak(nearby):
        monkeypatch.setattr(hybrid, "NEARBY", nearby)
        return [(s.id, s.weak) for query in asked for s in index.search(query, top=1)]

    alone = {(query, s.id): s.weak for query in asked for s in index.search(query, top=400, dense=None)}
    never, always = called_weak(99.0), called_weak(-99.0)
    assert [weak for _, weak in never] == [alone[q, name] for q, (name, _) in zip(asked, never, strict=True)]
    spoken_for = [a > b for (_, a), (_, b) in zip(never, always, strict=True)]
    assert any(spoken_for)
    assert sum(weak for _, weak in always) + sum(spoken_for) == sum(weak for _, weak in never)


def test_a_text_with_other_forms_of_all_words_is_never_weak():
    picks = random.Random(3)
    words = [
        a + b + c for a in ("ka", "lo", "mi", "ru") for b in ("sen", "tor", "ha") for c in ("dan", "gos")
    ]
    common = ["printer", "crashes", "kadan", "lofel"]
    texts = [" ".join(picks.choices(words, k=6) + picks.choices(common, k=2)) for _ in range(1500)]
    found = build(texts).search("printers crashed", top=3)  # forms that no text has
    assert all({"printer", "crashes"} <= set(one.text.split()) for one in found)
    assert [one.weak for one in found] == [False] * 3
