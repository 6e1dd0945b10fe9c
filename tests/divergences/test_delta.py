"""Cosine Delta."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import zscore

from lexicloud.corpus import Corpus
from lexicloud.divergences.delta import Delta
from lexicloud.errors import EstimateError, OptionError
from tests.divergences.corpora import corpus


@pytest.mark.parametrize("n", [5, 20, 5000])
def test_equals_scipy(n: int) -> None:
    """The oracle: scipy's z-scores and cosine distance of relative frequencies."""
    known = corpus(documents=5)
    counts = known.counts.toarray()
    top = np.argsort(-counts.sum(axis=0), kind="stable")[:n]
    z = zscore((counts / counts.sum(axis=1, keepdims=True))[:, top], axis=0)
    z = z[:, np.isfinite(z).all(axis=0)]
    found = Delta(n=n).fit(known).between(known.counts, known.counts)
    np.testing.assert_allclose(found, cdist(z, z, "cosine"), atol=1e-12)


def test_contributions_add_up_and_have_signs() -> None:
    known = corpus(documents=5)
    fitted = Delta().fit(known)
    found = fitted.contributions(known.counts[[0]], known.counts[[1]])
    assert found.value == pytest.approx(fitted.between(known.counts, known.counts)[0, 1])
    assert found.values.min() < 0 < found.values.max()


def test_function_words_decide() -> None:
    texts = {
        "a1": "upon the hill the dog and upon the road the cat",
        "a2": "upon the sea the ship and upon the isle the crow",
        "b1": "on a hill a dog but on a road a cat",
        "b2": "on a sea a ship but on a isle a crow",
    }
    found = Delta(n=6).fit(known := Corpus.from_texts(texts)).between(known.counts, known.counts)
    assert found[0, 1] < found[0, 2]
    assert found[0, 1] < found[0, 3]


def test_means_come_from_the_reference() -> None:
    known = corpus(documents=6)
    fitted = Delta().fit(known, range(4))
    alone = Delta().fit(known.subset(known.names[:4]))
    np.testing.assert_allclose(
        fitted.between(known.counts, known.counts[:4]), alone.between(known.counts, known.counts[:4])
    )


def test_pairs_agree_with_all_pairs() -> None:
    known = corpus(documents=5)
    fitted = Delta().fit(known)
    all_pairs = fitted.between(known.counts, known.counts)
    np.testing.assert_allclose(
        fitted.pairs(known.counts[:4], known.counts[1:]), np.diag(all_pairs, 1), atol=1e-12
    )


def test_needs_texts_that_differ() -> None:
    with pytest.raises(EstimateError, match="no word whose frequency differs"):
        Delta().fit(Corpus.from_texts(["one two", "two one"]))
    with pytest.raises(EstimateError, match="at least two documents"):
        Delta().fit(Corpus.from_texts(["one two"]))
    with pytest.raises(OptionError, match="n must be a whole number"):
        Delta(n=0)
