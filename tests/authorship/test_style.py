"""What gives a writer away."""

from __future__ import annotations

import pytest

from lexicloud.authorship import AttributionModel, style, train
from lexicloud.errors import EstimateError, OptionError
from lexicloud.vectors import WordVectors
from tests.authorship.hands import VECTORS, library, preferences, write

WORDS = WordVectors.from_dict({"bada": [1.0, 0.1], "bade": [1.0, 0.0], "fugo": [0.0, 1.0]}, "three words")


@pytest.fixture(scope="module")
def model() -> AttributionModel:
    return train(library(authors=4))


def test_the_words_of_the_author_are_named_and_changing_them_hides_the_author(
    model: AttributionModel,
) -> None:
    found = style(write(1, 600, 9), model, vectors=VECTORS)
    assert found.author == "B"
    words = [r for r in found.reasons if r.kind == "words"]
    # A word that points to the author is one that the author has more often than others do, here and elsewhere.
    assert all(r.rates[1] > r.rates[2] for r in words[:5])
    assert all(r.word in passage.split() for r in words for passage in r.passages)
    assert found.all_changed < found.probability
    assert "with" in found.conclusion
    assert len(found.after) == len(found.reasons)
    assert [r.adds for r in words] == sorted((r.adds for r in words), reverse=True)


def test_what_a_change_does_is_what_the_model_says_of_the_changed_text(model: AttributionModel) -> None:
    """The oracle: write the draft without the word, and ask the model."""
    draft = write(1, 600, 9)
    found = style(draft, model, vectors=VECTORS)
    first = found.reasons[0]
    assert first.near is None
    without = " ".join(word for word in draft.split() if word != first.word)
    (answer,) = model.attribute({"draft": without})
    assert found.after[0] == pytest.approx(answer.probabilities["B"])


def test_towards_a_chosen_author_it_says_what_that_one_would_write(model: AttributionModel) -> None:
    found = style(write(1, 600, 9), model, author="C", vectors=VECTORS)
    assert found.author == "C"
    assert found.against
    assert all(r.adds < 0 for r in found.against)
    assert preferences(2).sum() == pytest.approx(1)


def test_mistakes_are_named(model: AttributionModel) -> None:
    with pytest.raises(OptionError, match="no author 'Z'"):
        style("bada", model, author="Z", vectors=WORDS)
    with pytest.raises(EstimateError, match="has no words"):
        style(" ", model, vectors=WORDS)
