"""KL divergence where near words count as almost the same word."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from lexicloud.corpus import Corpus
from lexicloud.divergences import smoothed as module
from lexicloud.divergences.categorical import Categorical
from lexicloud.divergences.smoothed import Smoothed
from lexicloud.errors import OptionError
from lexicloud.vectors import WordVectors
from tests.divergences.corpora import corpus, texts, vectors


def naive(known: Corpus, i: int, j: int, method: Smoothed) -> float:
    """Word by word, from the definition."""
    words = range(len(known.vocabulary))
    counts = known.counts.toarray().astype(float)
    b = counts.sum(axis=0) / counts.sum()
    points = (known.refined if method.refined else known.vectors).astype(float)
    unit = points / np.linalg.norm(points, axis=1, keepdims=True)

    def shared(v: int) -> dict[int, float]:
        others = [w for w in words if w != v and known.embedded[w]]
        others = sorted(others, key=lambda w: np.linalg.norm(points[v] - points[w]))[: method.m]
        weights = {w: np.sqrt(b[w]) * np.exp(unit[v] @ unit[w] / method.temperature) for w in others}
        return {w: x / sum(weights.values()) for w, x in weights.items()}

    q = counts[j] / counts[j].sum()
    latent = np.zeros(len(b))
    for v in words:
        if q[v] and known.embedded[v]:
            for w, x in shared(v).items():
                latent[w] += q[v] * x
    M = counts[j].sum()
    mixed = (counts[j] + method.kappa * latent + method.mu * b) / (M + method.kappa + method.mu)
    p = counts[i] / counts[i].sum()
    return float(sum(p[w] * np.log(p[w] / mixed[w]) for w in words if p[w]))


METHODS = {
    "default": Smoothed(),
    "few neighbours": Smoothed(kappa=500, mu=20, m=3, temperature=0.3),
    "raw vectors": Smoothed(kappa=500, mu=20, m=3, temperature=0.3, refined=False),
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_equals_the_definition(method: Smoothed) -> None:
    known = Corpus.from_texts(texts(documents=3, tokens=60, size=30), vectors=vectors(30, d=12))
    found = method.fit(known).between(known.counts, known.counts)
    expected = [[naive(known, i, j, method) for j in range(3)] for i in range(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)  # the table of neighbours is in single precision


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000))
def test_contributions_add_up_and_pairs_agree(seed: int) -> None:
    known = corpus(documents=4, tokens=80, seed=seed)
    fitted = Smoothed(kappa=50, mu=30).fit(known)
    all_pairs = fitted.between(known.counts, known.counts)
    assert fitted.contributions(known.counts[[0]], known.counts[[2]]).value == pytest.approx(all_pairs[0, 2])
    np.testing.assert_allclose(fitted.pairs(known.counts[:3], known.counts[1:]), np.diag(all_pairs, 1))


def test_without_latent_mass_it_is_the_dirichlet_divergence() -> None:
    """The oracle is method "categorical", which is tested against scipy.stats.entropy."""
    known = corpus()
    ours = Smoothed(kappa=0.0, mu=200.0).fit(known).between(known.counts, known.counts)
    np.testing.assert_allclose(ours, Categorical(mu=200.0).fit(known).between(known.counts, known.counts))


def test_blocks_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    known = corpus(documents=6)
    whole = Smoothed().fit(known).between(known.counts, known.counts)
    monkeypatch.setattr(module, "_BLOCK", 70)
    np.testing.assert_allclose(Smoothed().fit(known).between(known.counts, known.counts), whole)


def test_a_synonym_brings_texts_closer() -> None:
    """`ship` and `boat` point the same way, so a text about a boat is nearer to a ship's than to a judge's."""
    angles = {"ship": 0.0, "boat": 0.1, "judge": 1.6, "court": 1.7, "the": 3.0, "old": 3.3}
    table = {w: np.array([np.cos(a), np.sin(a), 0.2], dtype=np.float32) for w, a in angles.items()}
    written = {"p": "the boat the old boat", "q": "the ship the old ship", "r": "the judge the old judge"}
    known = Corpus.from_texts(written, vectors=WordVectors.from_dict(table))
    method = Smoothed(kappa=3.0, mu=3.0, m=1, refined=False)
    ours = method.fit(known).between(known.counts, known.counts)
    without = Smoothed(kappa=0.0, mu=3.0).fit(known).between(known.counts, known.counts)
    assert without[0, 1] == pytest.approx(without[0, 2])
    assert ours[0, 1] < ours[0, 2] - 0.1
    explained = method.fit(known).contributions(known.counts[[0]], known.counts[[1]])
    carried = dict(zip(explained.ids.tolist(), explained.carriers.tolist(), strict=True))
    number = known.vocabulary.index
    assert carried[number("boat")] == number("ship")
    assert carried[number("the")] == -1


def test_words_without_vectors_still_count() -> None:
    written = {"a": "qqq zzz qqq", "b": "qqq qqq zzz", "c": "xxx yyy xxx"}
    known = Corpus.from_texts(written, vectors=vectors())
    assert not known.embedded.any()
    found = Smoothed(mu=5.0).fit(known).between(known.counts, known.counts)
    assert np.isfinite(found).all()
    assert found[0, 1] < found[0, 2]


def test_statistics_come_from_the_reference_alone() -> None:
    known = corpus(documents=6, size=60)
    fitted = Smoothed().fit(known, range(4))
    alone = Smoothed().fit(known.subset(known.names[:4]))
    old = known.counts[:4]
    np.testing.assert_allclose(fitted.between(old, old), alone.between(old, old), rtol=1e-9)


def test_new_words_match_latent_neighbours_whatever_else_is_new() -> None:
    known = corpus(documents=4, size=60)
    half = Smoothed().fit(known, range(2))
    assert np.isfinite(half.between(known.counts[2:], known.counts[:2])).all()
    small = known.subset([known.names[i] for i in (0, 1, 2)])
    fewer = Smoothed().fit(small, range(2))
    np.testing.assert_allclose(
        fewer.between(small.counts[2:], small.counts[:2])[0],
        half.between(known.counts[2:], known.counts[:2])[0],
    )


def test_accepts_counts_of_any_number_type() -> None:
    known = corpus()
    fitted = Smoothed().fit(known)
    floats = sparse.csr_array(known.counts.astype(np.float32))
    np.testing.assert_allclose(fitted.between(floats, floats), fitted.between(known.counts, known.counts))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kappa": -1.0}, "kappa"),
        ({"mu": 0.0}, "mu"),
        ({"m": 0}, "m must"),
        ({"temperature": float("nan")}, "temperature"),
    ],
)
def test_refuses_senseless_options(options: dict[str, float], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Smoothed(**options)  # type: ignore[arg-type]
