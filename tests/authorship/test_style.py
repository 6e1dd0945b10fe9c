"""What gives a writer away."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.authorship import AttributionModel, style, train
from lexicloud.corpus import Corpus
from lexicloud.errors import EstimateError, OptionError
from lexicloud.vectors import WordVectors
from tests.authorship.hands import VECTORS, library, write

WORDS = WordVectors.from_dict({"bada": [1.0, 0.1], "bade": [1.0, 0.0], "fugo": [0.0, 1.0]}, "three words")


def meanings() -> WordVectors:
    """Random vectors; "huge" and "so" are near "big"."""
    rng = np.random.default_rng(0)
    found = {word: rng.normal(size=30) for word in ("big", "ship", "bay", "june", *map(str, range(60)))}
    near = {word: found["big"] + 0.3 * rng.normal(size=30) for word in ("huge", "so")}
    return WordVectors.from_dict({**found, **near}, "words of a test")


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
    """The oracle: write the draft with the word as rare as others have it, and ask the model."""
    draft = write(1, 600, 9)
    found = style(draft, model, vectors=VECTORS)
    first = found.reasons[0]
    assert first.near is None
    words = draft.split()
    kept, places = (
        round(first.rates[2] * len(words) / 1000),
        [i for i, w in enumerate(words) if w == first.word],
    )
    assert 0 <= kept < len(places) == first.counts[0]
    left_out = set(places) - {places[-(-(k + 1) * len(places) // kept) - 1] for k in range(kept)}
    (answer,) = model.attribute({"draft": " ".join(w for i, w in enumerate(words) if i not in left_out)})
    assert found.after[0] == pytest.approx(answer.probabilities["B"])


def test_towards_a_chosen_author_the_same_list_says_what_keeps_the_draft_from_it(
    model: AttributionModel,
) -> None:
    found = style(write(1, 600, 9), model, towards="C", vectors=VECTORS)
    assert (found.author, found.towards) == ("C", True)
    words = [r for r in found.reasons if r.kind == "words"]
    assert all(r.adds < 0 and r.rates[0] > r.rates[1] for r in words)
    assert all(r.adds < 0 and r.rates[0] < r.rates[1] for r in found.more)
    assert found.all_changed > found.probability
    assert "speak against it" in found.conclusion


def test_names_are_no_style_and_function_words_have_no_stand_in() -> None:
    texts = {
        f"{who} {i}": f"{'the ship of the bay was large and' * 9} {word} {other} in June. " * 20
        for who, word, other in (("Ann", "big", "so"), ("Ben", "huge", "very"))
        for i in range(3)
    }
    corpus = Corpus.from_texts(texts, labels=[name.split()[0] for name in texts], vectors="none")
    draft = "It was a big ship, so big, and Mary saw it with Mary. He said that Mary was big. " * 10
    found = style(draft, corpus, author="Ann", vectors=meanings())
    reasons = {r.word: r for r in (*found.reasons, *found.more)}
    assert reasons["big"].near == "huge"
    assert reasons["so"].near is None
    assert "mary" not in reasons


def test_mistakes_are_named(model: AttributionModel) -> None:
    with pytest.raises(OptionError, match="no author 'Z'"):
        style("bada", model, author="Z", vectors=WORDS)
    with pytest.raises(OptionError, match="exclude each other"):
        style("bada", model, author="B", towards="C", vectors=WORDS)
    with pytest.raises(EstimateError, match="has no words"):
        style(" ", model, vectors=WORDS)
