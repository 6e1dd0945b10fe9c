"""Several labels a text: probabilities that are right as often as they say, and thresholds."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.errors import OptionError
from lexicloud.labelling import Labeller
from lexicloud.labelling.several import SeveralLabels
from tests.labelling.test_labeller import COURT, FOOD, SEA

BOTH = ["the ship's cook fried onions in butter", "soup for the sailors in the harbour"]
TEXTS = SEA + FOOD + COURT + BOTH
LABELS = [["sea"]] * 4 + [["food"]] * 4 + [["court"]] * 4 + [["food", "sea"]] * 2


@pytest.fixture(scope="module")
def labeller() -> Labeller:
    return Labeller().fit(TEXTS, LABELS)


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
    assert np.allclose(again.predict_proba(TEXTS), labeller.predict_proba(TEXTS))
    assert again.predict(TEXTS) == labeller.predict(TEXTS)
    assert labeller.score(TEXTS, LABELS) > 0.7


def test_reasons_add_up_to_the_log_odds(labeller):
    why = labeller.explain("soup on a ship", "sea")
    assert why.start + sum(reason.adds for reason in why.words) == pytest.approx(why.score, abs=1e-9)
    assert 1 / (1 + np.exp(-why.score)) == pytest.approx(why.probability)


def test_suspects_are_refused_in_words(labeller):
    with pytest.raises(OptionError, match="several labels"):
        labeller.suspects()
