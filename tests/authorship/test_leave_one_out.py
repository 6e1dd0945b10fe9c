"""Leaving one out."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from lexicloud.authorship import Attribution, leave_one_out
from lexicloud.authorship.leave_one_out import equal_sizes
from lexicloud.authorship.scoring import category_scores
from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence_matrix
from lexicloud.divergences.matrix import DivergenceMatrix
from lexicloud.errors import EstimateError, OptionError
from tests.authorship.hands import library, write
from tests.authorship.test_classifier import VECTORS, texts


def corpus(tokens: int = 40, per_theme: int = 4) -> Corpus:
    made, labels = texts(per_theme, tokens)
    names = {f"{label}{i}": text for i, (text, label) in enumerate(zip(made, labels, strict=True))}
    return Corpus.from_texts(names, labels=labels, vectors=VECTORS)


def matrix() -> DivergenceMatrix:
    """Five texts: a1 and a2 are close; b1 is closest to c1, on average closer to the a's than to b2."""
    values = np.array(
        [
            [0, 1, 5, 7, 6],
            [1, 0, 5, 7, 6],
            [3, 3, 0, 4, 1],
            [7, 7, 2, 0, 6],
            [6, 6, 1, 5, 0],
        ],
        dtype=float,
    )
    return DivergenceMatrix(values, ("a1", "a2", "b1", "b2", "c1"), "worked example")


LABELS = ["a", "a", "b", "b", "c"]


def test_the_papers_rule_by_hand() -> None:
    found = leave_one_out(matrix(), LABELS, rule="category-mean", equal=False, standardise=False)
    # b1: mean to a = 3, to b = 4 (b2 alone), and c has one member, which is never chosen.
    # c1: to a 6, to b (1 + 5) / 2 = 3; its own label cannot be found.
    assert found.predicted == ("a", "a", "a", "b", "b")
    assert found.runners_up[2] == "b"
    assert found.margins[2] == 1.0
    assert (found.correct, found.accuracy, found.ceiling) == (3, 0.6, 0.8)
    assert found.single_members == ("c",)
    counted = found.findable()
    assert (counted.correct, len(counted.labels), counted.accuracy) == (3, 4, 0.75)
    assert {row.label for row in counted.report} == set(counted.labels)
    assert found.majority == 0.4
    assert found.chance == pytest.approx(0.16 + 0.16 + 0.04)


def test_the_nearest_rule_by_hand() -> None:
    found = leave_one_out(matrix(), LABELS, rule="nearest", equal=False, standardise=False)
    assert found.predicted == ("a", "a", "c", "b", "b")


def test_report_equals_scikit_learn() -> None:
    """The oracle for precision, recall, F1 and the confusion table is scikit-learn."""
    found = leave_one_out(corpus(tokens=8), method="delta")
    truth, guess, classes = found.labels, found.predicted, list(found.classes)
    expected = precision_recall_fscore_support(truth, guess, labels=classes, zero_division=0)
    rows = np.array([(r.precision, r.recall, r.f1, r.texts) for r in found.report]).T
    np.testing.assert_allclose(rows, np.array(expected, dtype=float))
    assert np.array_equal(found.confusion, confusion_matrix(truth, guess, labels=classes))
    assert found.macro_f1 == pytest.approx(np.mean(expected[2]))


@pytest.mark.parametrize("method", ["combined", "smoothed", "categorical", "delta"])
def test_themes_are_found(method: str) -> None:
    found = leave_one_out(corpus(), method=method)
    assert found.accuracy > 0.9
    assert found.standardised


def test_shuffled_labels_are_not_found() -> None:
    """With labels that mean nothing, a leak of a text's own label would show as success."""
    known = corpus(tokens=30, per_theme=8)
    rng = np.random.default_rng(0)
    rates = [leave_one_out(known, list(rng.permutation(known.labels))).accuracy for _ in range(10)]
    assert np.mean(rates) < 0.42  # 1/3 by chance


def test_leaving_one_text_out_alone_flatters_the_mean_of_a_label() -> None:
    """Scores without meaning, labels of two texts: a mean of one varies more than a mean of two, and wins too often."""
    rng = np.random.default_rng(0)
    labels = [f"label {i // 2}" for i in range(40)]

    def rate(*, equal: bool) -> float:
        values = rng.normal(size=(40, 40))
        measured = DivergenceMatrix(values, tuple(map(str, range(40))), "made up")
        options = {"rule": "category-mean", "standardise": False}
        return leave_one_out(measured, labels, equal=equal, **options).accuracy  # type: ignore[arg-type]

    chance = 1 / 20
    assert np.mean([rate(equal=False) for _ in range(20)]) > 2 * chance
    assert np.mean([rate(equal=True) for _ in range(20)]) == pytest.approx(chance, abs=0.025)


def test_one_text_of_every_label_is_left_out_with_a_text() -> None:
    kept = np.isfinite(equal_sizes(np.ones((5, 5)), LABELS))
    # With the first a goes the first b, with the second a the second b; the only c stays.
    assert kept.astype(int).tolist() == [
        [1, 1, 0, 1, 1],
        [1, 1, 1, 0, 1],
        [0, 1, 1, 1, 1],
        [1, 0, 1, 1, 1],
        [0, 1, 0, 1, 1],
    ]


def test_a_matrix_and_its_corpus_agree() -> None:
    known = corpus(tokens=16)
    measured = divergence_matrix(known, method="smoothed")
    from_matrix = leave_one_out(measured, known.labels)
    assert from_matrix.predicted == leave_one_out(known, method="smoothed").predicted
    np.testing.assert_allclose(from_matrix.scores, leave_one_out(known, method="smoothed").scores)


def test_labels_by_name_and_texts_without_label() -> None:
    known = corpus()
    labels = dict(zip(known.names, known.labels or (), strict=True))
    gone = known.names[0]
    del labels[gone]
    assert gone not in leave_one_out(known, labels, method="delta").names


def test_bad_texts_are_named_or_skipped() -> None:
    made, labels = texts(3)
    known = Corpus.from_texts({**{f"t{i}": t for i, t in enumerate(made)}, "blank": "   "}, vectors=VECTORS)
    labels.append("sea")
    with pytest.raises(EstimateError, match="'blank' is empty"):
        leave_one_out(known, labels)
    found = leave_one_out(known, labels, skip_bad=True)
    assert [text.name for text in found.skipped] == ["blank"]
    assert "blank" not in found.names


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        (["x"] * 5, EstimateError, "all 5 texts have the label 'x'"),
        (list("vwxyz"), EstimateError, "each of the 5 labels has one text"),
        (["x", "y"], OptionError, "2 labels for 5 texts"),
        (["x", "y", None, None, None], EstimateError, "at least 3 labelled texts, not 2"),
        (None, OptionError, "have no labels"),
    ],
)
def test_labels_that_cannot_work(labels: list[str] | None, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        leave_one_out(matrix(), labels)


def test_results_can_be_kept_and_shown() -> None:
    found = leave_one_out(corpus(tokens=10))
    assert isinstance(found, Attribution)
    kept = json.loads(json.dumps(found.to_dict()))
    assert kept["correct"] == found.correct
    assert len(kept["predictions"]) == len(found.names)
    assert found.to_pandas()["right"].sum() == found.correct
    assert f"{found.correct} of {len(found.names)}" in found._repr_html_()
    assert [t.margin for t in found.doubtful(4)] == sorted(found.margins)[:4]
    axes = found.plot_confusion()
    assert [t.get_text() for t in axes.get_xticklabels()] == list(found.classes)
    assert sum(int(t.get_text()) for t in axes.texts) == len(found.names)


def test_a_class_without_scores_is_never_chosen() -> None:
    scores = np.array([[np.nan, 2.0, 3.0]])
    assert category_scores(scores, ["a", "b", "b"], ["a", "b"], "category-mean").tolist() == [[np.inf, 2.5]]
    assert category_scores(scores, ["a", "b", "b"], ["a", "b"], "nearest").tolist() == [[np.inf, 2.0]]
    with pytest.raises(OptionError, match="no rule 'vote'"):
        category_scores(scores, ["a", "b", "b"], ["a", "b"], "vote")


class TestCaution:
    """Small labels are named too often by a mean over texts, and the result says so."""

    @staticmethod
    def dealt(rule: str, seed: int) -> Attribution:
        """Sixty points in space, their labels dealt at random: 6, 6 and 48."""
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 8))
        values = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
        labels = rng.permutation(["a"] * 6 + ["b"] * 6 + ["c"] * 48).tolist()
        made = DivergenceMatrix(values=values, names=tuple(f"t{i}" for i in range(60)), method="points")
        return leave_one_out(made, labels, rule=rule)

    def test_the_mean_names_small_labels_too_often_and_the_nearest_hardly(self):
        named = {
            rule: np.mean([np.mean(np.array(self.dealt(rule, s).predicted) != "c") for s in range(10)])
            for rule in ("category-mean", "nearest")
        }
        assert named["category-mean"] > 0.5  # they are a fifth of the texts
        assert named["nearest"] < 0.35

    def test_the_result_says_so(self):
        assert "labels have 6 to 48 texts" in self.dealt("category-mean", 0).caution
        assert self.dealt("nearest", 0).caution is None
        assert leave_one_out(corpus()).caution is None


def test_copies_that_find_each_other_are_named() -> None:
    """They made 100 % of a folder of pairs."""
    made = {
        "A_1": write(0, 400, 1),
        "A_2": write(0, 400, 1),
        "B_1": write(1, 400, 1),
        "B_2": write(1, 400, 2),
    }
    found = leave_one_out(Corpus.from_texts(made, labels=list("AABB"), vectors="none"))
    assert found.copies == ("A_2",)
    assert any(
        "opies of other texts are among these (A_2)" in getattr(block, "text", "") for block in found.blocks()
    )
    assert not leave_one_out(library(3, 2, 400)).copies
