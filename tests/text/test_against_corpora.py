"""Sentences and tokens against Brown and the books: our rules must be at least as close as NLTK's."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.brown import boundaries, boundary_scores, paragraphs

from lexicloud.text import split_sentences, tokenize

nltk = pytest.importorskip("nltk")


@pytest.fixture
def nltk_data(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = shared / "data/nltk_data"
    monkeypatch.setattr(nltk.data, "path", [str(folder)])
    return folder


def test_boundaries_are_counted_in_letters() -> None:
    assert boundaries(["One cat.", "Two.", "Three"]) == {7, 11}
    scores = boundary_scores([["A b.", "C d."]], lambda text: [text[:2], text[2:4], text[4:]])
    assert (scores.precision, scores.recall, scores.f1) == (0.5, 1.0, pytest.approx(2 / 3))


@pytest.mark.shared
def test_brown_held_out_half_is_met_at_least_as_well_as_by_punkt(nltk_data: Path) -> None:
    from nltk.tokenize import PunktTokenizer

    # The half that the rules were not tuned on; every fifth paragraph keeps the test short.
    sample = paragraphs(nltk_data, half="report")[::5]
    ours = boundary_scores(sample, split_sentences)
    punkt = boundary_scores(sample, PunktTokenizer().tokenize)
    assert ours.f1 >= punkt.f1
    assert ours.precision >= punkt.precision
    assert ours.recall >= punkt.recall


@pytest.mark.shared
@pytest.mark.parametrize("book", ["the_great_gatsby", "alices_adventures_in_wonderland"])
def test_splitting_a_book_keeps_its_tokens(shared: Path, book: str) -> None:
    text = (shared / f"data/books/{book}.txt").read_text("utf-8")
    sentences = split_sentences(text)
    assert [t for s in sentences for t in tokenize(s)] == tokenize(text)
    assert len(sentences) > 1000
