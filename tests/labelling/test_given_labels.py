"""Labels as people have them: numbers, gaps, lists; and scikit-learn's rules."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from lexicloud.errors import InputError, OptionError
from lexicloud.labelling import Labeller
from lexicloud.labelling.given_labels import GivenLabels, SeveralLabels
from tests.labelling.test_labeller import COURT, FOOD, LABELS, NEW, SEA, TEXTS


def test_numbers_stay_numbers(tmp_path):
    numbers = [{"sea": 1, "food": 2, "court": 30}[label] for label in LABELS]
    labeller = Labeller().fit(TEXTS, numbers)
    assert labeller.predict(NEW).tolist() == [1, 2, 30]
    assert labeller.label(NEW[:1])[0].guess == "1"
    assert labeller.explain(NEW[0], 30).label == "30"
    labeller.save(tmp_path / "model")
    assert Labeller.load(tmp_path / "model").predict(NEW).tolist() == [1, 2, 30]


@pytest.mark.parametrize("gap", [None, float("nan"), "", "  "])
def test_a_missing_label_is_told_with_its_place(gap):
    with pytest.raises(InputError, match=r"1 texts have no label \(text 3\)"):
        GivenLabels.read(["a", "a", gap, "b", "b"])


def test_a_matrix_of_labels_and_a_text_that_is_none_are_refused():
    with pytest.raises(InputError, match="list of its labels"):
        GivenLabels.read(np.eye(3))
    with pytest.raises(InputError, match="text 2 is a float"):
        Labeller().fit(["a", float("nan"), "c", "d"], ["x", "x", "y", "y"])


def test_labels_of_lists_are_several():
    found = GivenLabels.read([["b", "a"], ("a",), {"b"}, []])
    assert found.several
    assert found.classes.tolist() == ["a", "b"]
    assert found.targets.tolist() == [[1, 1], [1, 0], [0, 1], [0, 0]]


def test_scikit_learn_takes_the_labeller():
    labeller = Labeller(refuse=0.2, seed=3)
    assert clone(labeller).get_params() == labeller.get_params()
    with pytest.raises(OptionError, match="no option 'c'"):
        labeller.set_params(c=1)
    scores = cross_val_score(Labeller(), TEXTS, LABELS, cv=2)
    assert scores.mean() > 0.4
    search = GridSearchCV(Labeller(), {"embeddings": [None, "wordllama"]}, cv=2).fit(TEXTS, LABELS)
    assert set(search.best_params_) == {"embeddings"}
    line = make_pipeline(FunctionTransformer(list), Labeller()).fit(TEXTS, LABELS)
    assert line.predict(NEW).tolist() == ["sea", "food", "court"]


def test_what_is_wrong_is_found_by_the_other_examples_with_its_better_label():
    wrong = [*LABELS]
    wrong[5] = "sea"  # melt butter in a pan
    first = Labeller().fit(TEXTS, wrong).suspects().rows[0]
    assert (first.index, first.label, first.better) == (5, "sea", "food")
    assert first.probability > 0.5


def test_accuracy_of_few_examples_is_refused_in_words():
    few = Labeller().fit(TEXTS, LABELS)
    assert "too few to say how many answers are right" in few.trust
    low, high = few.accuracy_interval_
    assert low <= few.accuracy_ <= high
    assert "of the answers to be right" in Labeller().fit(TEXTS * 3, LABELS * 3).trust


BOTH = ["the ship's cook fried onions in butter", "soup for the sailors in the harbour"]
SOME_WITH_TWO = SEA + FOOD + COURT + BOTH
THEIR_LABELS = [["sea"]] * 4 + [["food"]] * 4 + [["court"]] * 4 + [["food", "sea"]] * 2


@pytest.fixture(scope="module")
def labeller() -> Labeller:
    return Labeller().fit(SOME_WITH_TWO, THEIR_LABELS)


def test_probabilities_are_as_likely_as_they_say():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(4000, 3))
    P = 1 / (1 + np.exp(-(2 * scores + [-1.0, 0.0, -2.0])))
    found = SeveralLabels.fit(scores, (rng.random(P.shape) < P).astype(float))
    assert np.abs(found.probabilities(scores) - P).max() < 0.06
    assert found.slope == pytest.approx(2, abs=0.2)


def test_every_text_has_at_least_the_label_that_is_most_above_its_threshold():
    found = SeveralLabels(1.0, np.zeros(3), np.array([0.5, 0.5, 0.2]))
    P = np.array([[0.6, 0.7, 0.1], [0.3, 0.1, 0.15], [0.4, 0.1, 0.3]])
    assert found.chosen(P).tolist() == [[True, True, False], [False, False, True], [False, False, True]]


def test_texts_get_their_labels_and_each_has_a_probability_of_its_own(labeller, tmp_path):
    assert labeller.classes_.tolist() == ["court", "food", "sea"]
    found = labeller.label(["prosecutors charged the defendant", "stir the sauce with pepper"])
    assert [one.guess for one in found] == ["court", "food"]
    assert all(set(one.labels) >= {one.guess} or one.label is None for one in found)
    labeller.save(tmp_path / "model")
    again = Labeller.load(tmp_path / "model")
    assert np.allclose(again.predict_proba(SOME_WITH_TWO), labeller.predict_proba(SOME_WITH_TWO))
    assert again.predict(SOME_WITH_TWO) == labeller.predict(SOME_WITH_TWO)
    assert labeller.score(SOME_WITH_TWO, THEIR_LABELS) > 0.7


def test_reasons_add_up_to_the_log_odds(labeller):
    why = labeller.explain("soup on a ship", "sea")
    assert why.start + sum(reason.adds for reason in why.words) == pytest.approx(why.score, abs=1e-9)
    assert 1 / (1 + np.exp(-why.score)) == pytest.approx(why.probability)


def test_suspects_are_refused_in_words(labeller):
    with pytest.raises(OptionError, match="several labels"):
        labeller.suspects()
