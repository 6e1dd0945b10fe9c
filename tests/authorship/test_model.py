"""Models of known authors: probabilities, evidence, and what is kept on disk."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lexicloud.authorship.combined import Scorer
from lexicloud.authorship.features import WordTable
from lexicloud.authorship.model import NONE, UNDECIDED, AttributionModel, passages, train
from lexicloud.authorship.open_set import (
    BEFORE,
    KNOWN,
    Calibration,
    Closeness,
    Curve,
    Trial,
    learn,
    left_out,
)
from lexicloud.corpus import Corpus
from lexicloud.errors import EstimateError, OptionError, StorageError
from lexicloud.words.reason import Reason
from tests.authorship.hands import library, write


@pytest.fixture(scope="module")
def model() -> AttributionModel:
    return train(library(authors=6))


def test_known_hands_are_named_and_others_are_not(model: AttributionModel) -> None:
    known = model.attribute({str(a): write(a, 1000, 50) for a in range(6)}, evidence=0)
    assert [answer.label for answer in known] == list("ABCDEF")
    strangers = model.attribute({str(a): write(a, 1000, 50) for a in range(20, 32)}, evidence=0)
    assert np.mean([answer.label == NONE for answer in strangers]) > 0.7


def test_probabilities_add_up_and_the_first_is_the_likeliest(model: AttributionModel) -> None:
    (answer,) = model.attribute({"x": write(2, 500, 7)})
    assert sum(answer.probabilities.values()) + answer.none == pytest.approx(1)
    assert list(answer.probabilities.values()) == sorted(answer.probabilities.values(), reverse=True)
    assert answer.first == "C"
    assert answer.nearest[0].startswith("C")
    assert "C" in str(answer)


@pytest.mark.parametrize("rule", ["between", "category-mean", "nearest"])
@pytest.mark.parametrize("second", ["B", None])
def test_evidence_adds_up_to_the_lead(rule: str, second: str | None) -> None:
    corpus = library(authors=4)
    trained = train(corpus, rule=rule)
    text = WordTable.of_tokens([write(0, 400, 8).split()])
    closeness, _ = trained.closeness(text)
    scores = dict(zip(trained.classes, closeness.scores[0], strict=True))
    rivals = [second] if second else ["B", "C", "D"]
    lead = np.mean([scores[c] for c in rivals]) - scores["A"]
    found = trained.explain(text, "A", second)
    assert sum(e.adds for e in found) == pytest.approx(lead, abs=1e-8)


def test_evidence_says_how_often_and_where() -> None:
    trained = train(library(authors=3))
    words = write(0, 300, 8).split()
    (answer,) = trained.attribute({"x": " ".join(words)}, evidence=40)
    for e in answer.evidence:
        if e.kind == "characters":
            padded = [f" {w} " for w in words]
            grams = [p[i : i + 4] for p in padded for i in range(max(1, len(p) - 3))]
            assert e.rates[0] == pytest.approx(1000 * grams.count(e.word) / len(grams))
        else:
            assert e.rates[0] == pytest.approx(1000 * words.count(e.word) / 300)
            assert all(e.word in passage.split() for passage in e.passages)


def test_a_kept_model_gives_the_same_answers(model: AttributionModel, tmp_path: Path) -> None:
    model.save(tmp_path / "m")
    opened = AttributionModel.open(tmp_path / "m")
    texts = {"x": write(3, 700, 5), "y": write(25, 350, 5)}
    for one, other in zip(model.attribute(texts), opened.attribute(texts), strict=True):
        assert one.label == other.label
        np.testing.assert_allclose(
            list(one.probabilities.values()), list(other.probabilities.values()), atol=1e-5
        )
        assert [e.word for e in one.evidence[:5]] == [e.word for e in other.evidence[:5]]
    manifest = json.loads((tmp_path / "m" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["kind"] == "lexicloud attribution model"
    assert all("sha256" in entry for entry in manifest["files"].values())


def test_a_model_of_an_earlier_format_is_refused(
    model: AttributionModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as then:
        then.setattr("lexicloud.authorship.model.VERSION", 3)
        model.save(tmp_path / "m")
    with pytest.raises(StorageError, match=r"earlier lexicloud \(format 3\): train the model again"):
        AttributionModel.open(tmp_path / "m")


def test_a_damaged_model_is_refused(model: AttributionModel, tmp_path: Path) -> None:
    model.save(tmp_path / "m")
    file = next((tmp_path / "m").glob("counts.*"))
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(StorageError, match=r"bytes, expected .* again"):
        AttributionModel.open(tmp_path / "m")


def test_an_accepted_error_leaves_doubtful_texts_undecided(model: AttributionModel) -> None:
    texts = {str(i): write(i % 6, 60, i) for i in range(12)}
    answers = model.attribute(texts, error=0.01, evidence=0)
    assert any(answer.label in {NONE, UNDECIDED} for answer in answers)
    assert all("under 100" in answer.notes[0] for answer in answers)


def test_the_threshold_keeps_the_accepted_error() -> None:
    sure = np.array([0.9, 0.8, 0.7, 0.6])
    right = np.array([True, True, False, True])
    there = np.array([True, True, False, False])
    calibration = Calibration((1000,), (BEFORE,), (sure,), (right,), (there,))
    # One more counts as wrong than was: 1 of 2, 1 of 3, 2 of 4, 2 of 5.
    assert calibration.threshold(1000, 0.4) == 0.6
    assert calibration.threshold(1000, 0.35) == 0.8
    assert calibration.threshold(1000, 0.1) > 1
    with pytest.raises(OptionError, match="between 0 and 1"):
        calibration.threshold(1000, 1.5)


def test_trials_with_and_without_their_author_weigh_the_same() -> None:
    sure, right = np.array([0.9, 0.8, 0.7, 0.6]), np.array([True, False, False, False])
    there = np.array([True, False, False, False])
    calibration = Calibration((1000,), (BEFORE,), (sure,), (right,), (there,))
    # The first weighs two, the others two thirds each: 1 of 3, 5/3 of 11/3, 7/3 of 13/3.
    assert calibration.threshold(1000, 0.34) == 0.9
    assert calibration.threshold(1000, 0.46) == 0.8


def test_none_of_these_has_the_last_column_and_equal_candidates_share_the_rest() -> None:
    curve = Curve(1.0, (0.0, 0.0), (1.0, 1.0), (0.0, 1.0, 1.0))
    closeness = Closeness(np.array([[0.0, 0.0]]), np.array([[0.0, 0.0]]))
    shared = KNOWN / 2  # nothing is known but how many texts are by a candidate
    np.testing.assert_allclose(curve.chances(closeness), [[shared, shared, 1 - KNOWN]])
    assert Curve.of_numbers(curve.numbers) == curve


def test_what_is_learnt_tells_near_texts_from_far_ones() -> None:
    rng = np.random.default_rng(0)
    near, far = rng.normal(size=(50, 4)), rng.normal(size=(50, 4))
    near[:, 2] -= 6
    trials = [
        Trial(Closeness(near, -near / 10), np.full(50, 2)),
        Trial(Closeness(far, -far / 10), np.full(50, -1)),
    ]
    curve = learn(trials)
    assert curve is not None
    assert curve.chances(trials[0].closeness)[:, 2].mean() > 0.9
    assert curve.chances(trials[1].closeness)[:, -1].mean() > 0.75
    assert learn(trials[:1]) is None  # nothing is known of strangers


def test_a_lead_that_goes_with_strangers_gains_nothing() -> None:
    """Where strangers had the larger leads by chance, a larger lead would have spoken against the candidate."""
    rng = np.random.default_rng(0)
    near, far = rng.normal(size=(200, 5)), rng.normal(size=(200, 5))
    near[:, 2] -= 3.0
    far[:, 1] -= 9.0
    level = rng.normal(size=(400, 1)) * 1e-3
    trials = [
        Trial(Closeness(near, np.full((200, 5), 0.2) + level[:200]), np.full(200, 2)),
        Trial(Closeness(far, np.full((200, 5), 0.2) + level[200:]), np.full(200, -1)),
    ]
    curve = learn(trials)
    assert curve is not None
    assert curve.weights[1] == 0.0


def test_folds_leave_all_texts_of_some_labels_out_and_one_text_of_some_others() -> None:
    labels = ["a", "a", "b", "b", "b", "c", "d"]
    folds = left_out(labels, 3)
    assert folds == [([0, 1, 6], [2]), ([2, 3, 4], []), ([5], [0])]
    assert left_out(labels, 8) == left_out(labels, 4)
    assert sorted(i for absent, _ in folds for i in absent) == list(range(len(labels)))


def test_a_text_is_no_stranger_to_what_was_learnt_from_its_author() -> None:
    """Left out alone, a text is farther from other authors than it is once nothing was learnt from its author.

    That is why strangers, in learning what is usual of them, are left out with all their texts.
    """
    corpus, labels = library(authors=6), [name[0] for name in library(authors=6).names]
    table = WordTable.of(corpus)
    others = [i for i, label in enumerate(labels) if label != "A"]
    with_him = Scorer.fit(table.rows([1, 2, *others])).distances(table.rows([0]))["delta"][:, 2:]
    without = Scorer.fit(table.rows(others)).distances(table.rows([0]))["delta"]
    assert with_him.min() > without.min() + 0.03


def test_one_text_of_each_label_is_enough_to_start_but_not_to_calibrate() -> None:
    trained = train(library(authors=3, texts=1))
    (answer,) = trained.attribute({"x": write(1, 500, 3)})
    assert answer.first == "B"
    assert "the probabilities are a guess" in answer.notes[0]


def test_a_text_in_another_language_is_by_nobody(model: AttributionModel) -> None:
    """A candidate was named, with 39 %."""
    text = write(0, 800, 9)
    (own,) = model.attribute({"own": text})
    (foreign,) = model.attribute({"foreign": text.translate(str.maketrans("aeiou", "äëïöü"))})
    assert own.label == "A"
    assert not own.notes
    assert foreign.label == "undecided"
    assert "% or more: it seems to be in another language" in foreign.notes[0]
    half = f"{text} {text.translate(str.maketrans('aeiou', 'äëïöü'))}"
    assert "a part of it seems to be in another language" in model.attribute({"half": half})[0].notes[0]


def test_copies_among_the_known_texts_are_told_with_every_answer(tmp_path: Path) -> None:
    """They find each other, so that the probabilities were too sure."""
    texts = {f"{author}_{i}": write(ord(author), 600, i % 2) for author in "ABC" for i in range(3)}
    copied = train(Corpus.from_texts(texts, labels=[name[0] for name in texts], vectors="none"))
    assert copied.copies == ("A_2", "B_2", "C_2")
    copied.save(tmp_path / "copied.model")
    for each in (copied, AttributionModel.open(tmp_path / "copied.model")):
        (answer,) = each.attribute({"new": write(65, 400, 7)})
        assert "too sure" in answer.notes[-1]
        assert "A_2, B_2 and C_2" in answer.notes[-1]


def test_mistakes_are_named(model: AttributionModel) -> None:
    corpus = library(authors=2, texts=2)
    with pytest.raises(OptionError, match="1 labels for 4 texts"):
        train(corpus, ["A"])
    with pytest.raises(EstimateError, match="at least two labels"):
        train(corpus, ["A"] * 4)
    with pytest.raises(OptionError, match="no rule 'vote'"):
        train(corpus, rule="vote")
    with pytest.raises(EstimateError, match="'x' has no words"):
        model.attribute({"x": "  "})


def test_a_text_longer_than_any_curve_is_asked_about_in_passages() -> None:
    none = np.zeros(0)
    calibration = Calibration((300, 1000), (BEFORE, BEFORE), (none, none), (none > 0,) * 2, (none > 0,) * 2)
    assert calibration.passages(900) == calibration.passages(1000) == [slice(0, 1000)]
    assert calibration.passages(1500) == [slice(0, 1000), slice(500, 1500)]
    cuts = calibration.passages(50_000)
    assert len(cuts) == 8
    assert (cuts[0].start, cuts[-1].stop) == (0, 50_000)
    closeness = Closeness(np.array([[0.0, 2.0], [2.0, 2.0]]), np.array([[0.1, 0.3], [0.3, 0.5]]))
    np.testing.assert_allclose(closeness.mean.scores, [[1.0, 2.0]])
    np.testing.assert_allclose(closeness.mean.cosines, [[0.2, 0.4]])


def test_passages_are_read_as_they_were_written() -> None:
    tokens = ["He", "could", ",", "to", "keep", "him", "(", "there", ")", ",", "wait", "."]
    (found,) = passages(tokens, [token.lower() for token in tokens], Reason("keep", 1.0, "function"))
    assert found == "He could, to keep him (there), wait"
