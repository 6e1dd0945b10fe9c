"""Short texts."""

from __future__ import annotations

import numpy as np
import pytest

import lexicloud as lc
from lexicloud.errors import EstimateError

BOAT = "A boat left the harbour."


def test_texts_that_mean_the_same_are_closer_than_others() -> None:
    near = lc.similarity(BOAT, "The ship sailed from the port.")
    far = lc.similarity(BOAT, "The judge read the verdict.")
    assert lc.similarity(BOAT, BOAT).value == pytest.approx(1, abs=1e-5)
    assert near.value > far.value


def test_it_is_the_same_both_ways() -> None:
    there, back = lc.similarity(BOAT, "Fishermen mend nets."), lc.similarity("Fishermen mend nets.", BOAT)
    assert there.value == pytest.approx(back.value)


def test_the_words_add_up_to_the_coverage() -> None:
    found = lc.similarity(BOAT, "The ship sailed from the port.")
    assert sum(word.adds for word in found.words) == pytest.approx(found.coverage)
    assert found.value == pytest.approx((found.coverage + found.means) / 2)
    assert float(found) == found.value
    assert {("boat", "ship"), ("harbour", "port")} <= {(w.word, w.by) for w in found.words}


def test_a_word_without_a_vector_is_like_itself_alone() -> None:
    same = lc.similarity("the qwxzt sails", "a qwxzt sailed")
    other = lc.similarity("the qwxzt sails", "a vvkqj sailed")
    assert same.value > other.value
    assert ("qwxzt", "qwxzt", 1.0) in {(w.word, w.by, w.cosine) for w in same.words}


def test_the_means_are_a_cosine_in_the_space_of_the_likeness_of_words() -> None:
    """The slow way: words one by one."""
    vectors = lc.load_vectors()
    texts = (["ship", "boats"], ["boat"])

    def runs(word: str) -> set[str]:
        return {f" {word} "[i : i + 3] for i in range(len(word))}

    def inner(a: list[str], b: list[str]) -> float:
        total = 0.0
        for v in a:
            for w in b:
                x, y = vectors.refinement.apply(vectors.lookup([v, w]).matrix)
                usual = [1 / ((row + 2.7) * np.log(len(vectors))) for row in vectors.rows.find_many([v, w])]
                letters = len(runs(v) & runs(w)) / ((len(runs(v)) + len(runs(w))) / 2)
                alike = 1.0 if v == w else max(0.35 * float(x @ y) ** 5, letters**2)
                total += alike * float(np.prod([3e-4 / (3e-4 + p) for p in usual]))
        return total

    cosine = inner(*texts) / (inner(texts[0], texts[0]) * inner(texts[1], texts[1])) ** 0.5
    assert lc.similarity(*map(" ".join, texts)).means == pytest.approx(cosine, abs=1e-5)


def test_a_text_without_known_words_is_named() -> None:
    with pytest.raises(EstimateError, match="no word of the second text has a vector"):
        lc.similarity(BOAT, "?!")


def test_the_conclusion_names_what_the_texts_share_before_any_number() -> None:
    def first(a: str, b: str) -> str:
        return lc.similarity(a, b).blocks()[0].text

    assert first("The ship sank.", "A ship came.") == "The texts share “ship”."
    assert "words of like meaning (ship ≈ boat" in first("A boat left the harbour.", "The ship sailed away.")
    apart = first("A boat left the harbour.", "Judge reads verdict.")
    assert apart == "The texts have no telling word in common and none of like meaning."
