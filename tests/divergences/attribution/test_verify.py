"""Did one hand write these?"""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.divergences import Population, verify
from lexicloud.divergences.attribution.impostors import bootstrap_score, english, imposters_score
from lexicloud.divergences.attribution.verify import CURVES, Problem, curve_at, overlaps
from lexicloud.errors import EstimateError, OptionError
from lexicloud.text import DEFAULT_RULES, TokenRules
from tests.divergences.attribution.hands import VECTORS, write


@pytest.fixture(scope="module")
def others() -> Population:
    texts = {f"author {a}": write(a, 3000, 0) for a in range(100, 130)}
    return Population.of_corpus(Corpus.from_texts(texts, vectors=VECTORS))


def test_one_hand_and_two_hands(others: Population) -> None:
    same = [verify(write(a, 2000, 1), write(a, 2000, 2), others) for a in range(4)]
    different = [verify(write(a, 2000, 1), write(a + 20, 2000, 2), others) for a in range(4)]
    assert all(found.decision == "same hand" for found in same)
    assert max(f.likelihood_ratio for f in different) < min(f.likelihood_ratio for f in same)
    assert all(found.decision == "different hands" for found in different)
    assert max(f.likelihood_ratio for f in same) <= 200
    assert all(found.p_value is not None and found.p_value < 0.05 for found in same)


@pytest.mark.parametrize("author", [0, 10])
def test_the_evidence_adds_up_to_the_likelihood_ratio(others: Population, author: int) -> None:
    found = verify([write(0, 900, 1), write(0, 400, 3)], write(author, 600, 2), others)
    total = found.intercept + sum(word.value for word in found.evidence)
    assert total == pytest.approx(np.log(found.likelihood_ratio), abs=1e-8)
    assert found.probability == pytest.approx(found.likelihood_ratio / (1 + found.likelihood_ratio))
    assert found.tokens == (1300, 600)


def test_p_values_of_other_hands_like_the_reference_are_even(others: Population) -> None:
    """The null hypothesis: somebody else wrote it. At the 5 % threshold about 5 % pass."""
    found = [verify(write(0, 600, 1), write(a, 600, 2), others).p_value for a in range(200, 260)]
    p = np.array(found, dtype=float)
    assert 0.35 < p.mean() < 0.65
    assert (p <= 0.05).mean() <= 0.15


def test_impostor_votes_tell_hands_apart(others: Population) -> None:
    same = verify(write(1, 1500, 1), write(1, 1500, 2), others, method="imposters")
    different = verify(write(1, 1500, 1), write(11, 1500, 2), others, method="imposters")
    assert same.likelihood_ratio > 1 > different.likelihood_ratio
    assert same.scores["bootstrap"] > different.scores["bootstrap"]
    assert same.p_value is None


def test_all_rounds_at_once_are_rounds_one_by_one(others: Population) -> None:
    problem = Problem.of([write(0, 500, 1)], write(5, 500, 2), others, DEFAULT_RULES, 0)
    rng = np.random.default_rng(3)
    chosen = rng.permutation(len(problem.authors))[:25]
    mask = rng.random((len(problem.words), 100)) < 0.5
    wins = []
    k, u = problem.z(problem.known)[0], problem.z(problem.unknown)[0]
    for one, other, impostors in ((k, u, problem.as_unknown), (u, k, problem.as_known)):
        z = problem.z(impostors.rows(chosen))
        for r in range(100):
            f = mask[:, r]
            cosine = [
                float(x[f] @ one[f] / np.linalg.norm(x[f]) / np.linalg.norm(one[f])) for x in (other, *z)
            ]
            wins.append(np.mean(np.array(cosine[1:]) < cosine[0]))
    assert bootstrap_score(problem, 3) == pytest.approx(np.mean(wins))
    assert 0 <= imposters_score(problem, 3) <= bootstrap_score(problem, 3)


def test_min_max_by_hand() -> None:
    assert overlaps(np.array([[1.0, 2.0, 0.0]]), np.array([2.0, 1.0, 1.0])).sum() == pytest.approx(2 / 5)


def test_short_texts_are_never_decided(others: Population) -> None:
    found = verify(write(0, 2000, 1), write(0, 60, 2), others)
    assert found.decision == "undecided"
    assert "under 100 no answer is reliable" in found.notes[0]


def test_impostors_that_share_a_text_are_left_out(others: Population) -> None:
    copied = write(105, 3000, 0)
    found = verify(copied, write(3, 2000, 2), others)
    assert found.impostors == len(others) - 1
    assert "left author 105 out" in found.notes[0]


def test_authors_can_be_left_out(others: Population) -> None:
    assert (
        verify(write(0, 300, 1), write(1, 300, 1), others, exclude=["Author 101"]).impostors
        == len(others) - 1
    )
    with pytest.raises(OptionError, match="no author 'nobody'"):
        verify("a b", "c d", others, exclude=["nobody"])


def test_between_two_lengths_the_curve_is_between_two_curves() -> None:
    for method, curves in CURVES.items():
        lengths = sorted(curves)
        assert curve_at(method, lengths[0]) == pytest.approx(curves[lengths[0]])
        assert curve_at(method, 10) == pytest.approx(curves[lengths[0]])
        middle = np.sqrt(lengths[0] * lengths[1])
        expected = (np.array(curves[lengths[0]]) + np.array(curves[lengths[1]])) / 2
        np.testing.assert_allclose(curve_at(method, middle), expected)


def test_the_english_reference_says_what_it_is() -> None:
    reference = english()
    assert len(reference) > 100
    assert len(set(reference.authors)) > 40
    assert reference.passages.counts.shape == (len(reference), 2000)
    assert reference.passages.words[:3] == (",", "the", ".")
    assert "public-domain" in reference.about


def test_mistakes_are_named(others: Population) -> None:
    with pytest.raises(OptionError, match="no reference for french"):
        verify("un", "deux", rules=TokenRules(language="french"))
    with pytest.raises(OptionError, match="no method 'magic'"):
        verify("a b", "c d", others, method="magic")
    with pytest.raises(OptionError, match="band must be"):
        verify("a b", "c d", others, band=0.7)
    with pytest.raises(EstimateError, match="the unknown text has no words"):
        verify("a b", " ", others)
    with pytest.raises(EstimateError, match="the reference has 2 passages, but 8 are needed"):
        verify("a b", "c d", Corpus.from_texts(["a b", "c d"], vectors=VECTORS))
