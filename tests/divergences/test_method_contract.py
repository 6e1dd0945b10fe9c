"""One contract for every method: what a divergence means, checked alike for all, so that methods cannot drift apart."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence, divergence_matrix, make_method, word_shift
from lexicloud.divergences.base import THE_TWO_ALONE
from lexicloud.divergences.methods import METHODS
from lexicloud.errors import EstimateError, OptionError, UnknownDocument

pytestmark = pytest.mark.filterwarnings("ignore::lexicloud.errors.LexicloudWarning")

SEA = "ship sail captain storm wave sailor deck ocean harbour anchor whale mast wind tide boat crew"
FARM = "field plough horse barn harvest cow wheat farmer meadow sheep fence village hay cart soil crop"
SHARED = "the a and of to was he saw old man day night long time back hand came went , ."

CASES = {
    "knn": {},
    "knn, Rényi": {"k": 2, "alpha": 0.7},
    "knn, published code": {"compat": "authors"},
    "categorical": {},
    "categorical, Rényi": {"alpha": 2.0, "mu": 50.0},
    "categorical, intersection": {"support": "intersection"},
    "jensen-shannon": {},
    "smoothed": {},
    "delta": {},
}


def story(words: list[str], seed: int, tokens: int = 400) -> str:
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, len(words) + 1)
    own = rng.choice(rng.permutation(words), tokens // 2, p=weights / weights.sum())
    common = rng.choice(SHARED.split(), tokens // 2)
    return " ".join(rng.permutation(np.concatenate([own, common])))


@pytest.fixture(scope="module")
def stories() -> Corpus:
    texts = {f"sea{i}": story(SEA.split(), i) for i in range(3)} | {
        f"farm{i}": story(FARM.split(), 10 + i) for i in range(3)
    }
    return Corpus.from_texts(texts, labels={name: name[:-1] for name in texts})


@pytest.fixture(params=CASES, ids=str)
def method(request):
    return make_method(request.param.split(",")[0], **CASES[request.param])


@pytest.fixture
def fitted(method, stories):
    return method.fit(stories)


def sees_shared_words_alone(method) -> bool:
    """Two stories of one theme share its words and use them unequally; two of different themes share common words
    alone and use them alike. So the intersection of the supports turns the order of these stories around.
    """
    return getattr(method, "support", "") == "intersection"


def test_every_method_is_in_the_contract():
    assert {case.split(",")[0] for case in CASES} == set(METHODS)


def test_stories_of_one_theme_are_closer_than_stories_of_two(method, stories):
    values = divergence_matrix(stories, method=method, symmetric=True).values
    theme = np.array([label == "sea" for label in stories.labels])
    same, other = theme[:, None] == theme[None, :], theme[:, None] != theme[None, :]
    np.fill_diagonal(same, val=False)
    if sees_shared_words_alone(method):
        assert values[same].min() > values[other].max()
    else:
        assert values[same].mean() < values[other].mean()


def test_contributions_add_up_to_the_value(fitted, stories):
    p, q = stories.counts[[0]], stories.counts[[4]]
    found = fitted.contributions(p, q)
    assert found.value == pytest.approx(fitted.between(p, q)[0, 0], abs=1e-5)
    assert len(found.ids) == len(set(found.ids.tolist())) == len(found.values)
    assert fitted.words[found.ids].all()


def test_all_pairs_between_and_pairs_agree(fitted, stories):
    C, rolled = stories.counts, np.roll(np.arange(6), 1)
    everything, prepared = fitted.all_pairs(C)
    np.testing.assert_allclose(fitted.between(C, C, prepared), everything, atol=1e-6)
    np.testing.assert_allclose(
        fitted.between(C[[1, 3]], C[[0, 2]]), everything[np.ix_([1, 3], [0, 2])], atol=1e-6
    )
    np.testing.assert_allclose(fitted.pairs(C, C[rolled]), everything[np.arange(6), rolled], atol=1e-5)


def test_a_method_that_says_symmetric_is(method, fitted, stories):
    values = fitted.between(stories.counts, stories.counts)
    assert np.allclose(values, values.T, atol=1e-9) == method.is_symmetric


def test_words_outside_the_mask_change_nothing(fitted, stories):
    C = stories.counts.tolil()
    C[:, np.flatnonzero(~fitted.words)] = 7
    changed = sparse.csr_array(C)
    before = fitted.between(stories.counts, stories.counts)
    np.testing.assert_allclose(fitted.between(changed, changed), before, atol=1e-9)


def test_tokens_and_types_are_those_of_the_mask(fitted, stories):
    kept = stories.counts.toarray()[:, fitted.words]
    np.testing.assert_array_equal(fitted.tokens(stories.counts), kept.sum(axis=1))
    np.testing.assert_array_equal(fitted.types(stories.counts), (kept > 0).sum(axis=1))


def test_pair_and_shift_say_the_same_and_so_does_the_matrix_without_a_background(method, stories):
    found = divergence(stories, "sea0", "farm1", method=method)
    value, shift = found.value, word_shift(stories, "sea0", "farm1", method=method)
    if found.background == THE_TWO_ALONE:
        matrix = divergence_matrix(stories, method=method)
        assert matrix.values[0, 4] == pytest.approx(value, abs=1e-5)
    assert shift.value == pytest.approx(value, abs=1e-5)
    assert sum(w.adds for w in shift.words) == pytest.approx(shift.value, abs=1e-9)


def test_a_pair_does_not_depend_on_who_else_is_in_the_corpus(method, stories):
    alone = Corpus.from_texts(
        {n: t for n, t in zip(stories.names, stories.texts, strict=True) if n in ("sea0", "farm1")}
    )
    few, many = (divergence(c, "sea0", "farm1", method=method, yardstick=False) for c in (alone, stories))
    assert few.value == pytest.approx(many.value, abs=1e-5)
    assert few.interval == pytest.approx(many.interval, abs=1e-4)


def test_reference_documents_alone_give_the_statistics(method, stories):
    """New texts, and words that only they use, leave what was learned alone and still get finite values."""
    known = stories.subset(["sea0", "sea1", "farm0", "farm1"])
    texts = dict(zip(stories.names, stories.texts, strict=True)) | {
        "new": story([*FARM.split(), "zqxv", "kitchen"], 99)
    }
    both = Corpus.from_texts({**{n: texts[n] for n in known.names}, "new": texts["new"]})
    alone = Corpus.from_texts({n: texts[n] for n in known.names})
    large, small = method.fit(both, range(4)), method.fit(alone)
    values = large.between(both.counts, both.counts)
    assert np.isfinite(values).all()
    np.testing.assert_allclose(
        values[:4, :4], small.between(alone.counts, alone.counts), rtol=1e-4, atol=1e-5
    )


def test_interval_holds_the_value_and_permutations_tell_themes_apart(method, stories):
    apart = divergence(
        stories, "sea0", "farm0", method=method, interval=True, permutations=19, symmetric=True
    )
    low, high = apart.interval
    assert low < apart.value < high
    if sees_shared_words_alone(method):
        assert apart.p_value == 1  # a deal of the pooled words shares more words than the two stories do
    elif not method.size_sensitive:
        assert apart.p_value <= 0.1  # at most one of nineteen deals of the pooled words reaches it


def test_the_same_seed_gives_the_same_answer(method, stories):
    options = {"interval": True, "sample": 150, "repeats": 2, "seed": 3, "method": method}
    one, two = (divergence(stories, "sea0", "farm0", **options).to_dict() for _ in range(2))
    assert one == two


def test_a_document_without_words_for_the_method_is_named(method, stories):
    texts = {**dict(zip(stories.names, stories.texts, strict=True)), "empty": ""}
    c = Corpus.from_texts(texts)
    with pytest.raises(EstimateError, match="document 'empty' is empty"):
        divergence_matrix(c, method=method)
    kept = divergence_matrix(c, method=method, skip_bad=True)
    assert kept.names == stories.names
    assert [s.name for s in kept.skipped] == ["empty"]


def test_unknown_names_and_methods():
    c = Corpus.from_texts({"emma": "a cat sat", "ulysses": "a dog ran"})
    with pytest.raises(UnknownDocument, match="no document named 'ema'; did you mean 'emma'"):
        divergence(c, "ema", "ulysses", method="categorical")
    with pytest.raises(OptionError, match="no method 'euclid': choose from smoothed, knn"):
        divergence_matrix(c, method="euclid")
