"""Words by rank, and what counts may look like."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.corpus import Corpus
from lexicloud.errors import EstimateError, OptionError, UnknownDocument
from lexicloud.zipf import RankFrequency, fit_power_law, fit_zipf, rank_frequency
from lexicloud.zipf.ranks import descending_counts

TEXTS = {"a": "The sea, the ship; the whale! And the sea.", "b": "A ship at sea, a ship in port."}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS)


def test_words_of_a_corpus_are_ranked_without_punctuation(corpus: Corpus) -> None:
    ranks = rank_frequency(corpus)
    expected = {"the": 4, "sea": 3, "ship": 3, "a": 2, "whale": 1, "and": 1, "at": 1, "in": 1, "port": 1}
    assert dict(zip(ranks.words, ranks.counts.tolist(), strict=True)) == expected
    assert (np.diff(ranks.counts) <= 0).all()
    assert ranks.tokens == 17
    assert ranks.left_out == 6  # , ; ! . , .
    assert ranks.which == "words without punctuation"


def test_punctuation_counts_when_asked_for(corpus: Corpus) -> None:
    ranks = rank_frequency(corpus, punctuation=True)
    assert "," in ranks.words
    assert ranks.left_out == 0
    assert ranks.tokens == len(corpus.stream)


def test_documents_add_up_to_the_corpus(corpus: Corpus) -> None:
    each = rank_frequency(corpus, by_document=True)
    assert list(each) == ["a", "b"]
    total: Counter[str] = Counter()
    for ranks in each.values():
        total.update(dict(zip(ranks.words, ranks.counts.tolist(), strict=True)))
    whole = rank_frequency(corpus)
    assert total == dict(zip(whole.words, whole.counts.tolist(), strict=True))
    assert each["b"].counts.tolist() == rank_frequency(corpus, "b").counts.tolist()


def test_a_mask_narrows_the_words(corpus: Corpus) -> None:
    ranks = rank_frequency(corpus, mask=corpus.content)
    assert "the" not in ranks.words
    assert "whale" in ranks.words


def test_plain_counts_are_sorted_and_zeros_dropped() -> None:
    ranks = rank_frequency({"x": 1, "y": 0, "z": 5})
    assert ranks.words == ("z", "x")
    assert ranks.counts.tolist() == [5, 1]
    assert ranks.ranks.tolist() == [1, 2]


def test_a_table_and_a_dictionary_say_the_same(corpus: Corpus) -> None:
    ranks = rank_frequency(corpus)
    table = ranks.to_pandas()
    assert table["count"].tolist() == ranks.to_dict()["counts"]
    assert table["word"].tolist() == ranks.to_dict()["words"]
    assert "<table" in ranks._repr_html_()


def test_choices_that_do_not_fit_together_are_refused(corpus: Corpus) -> None:
    with pytest.raises(UnknownDocument, match="no document named 'c'"):
        rank_frequency(corpus, "c")
    with pytest.raises(OptionError, match="leave out document"):
        rank_frequency(corpus, "a", by_document=True)
    with pytest.raises(OptionError, match="plain counts"):
        rank_frequency([3, 2, 1], "a")
    with pytest.raises(OptionError, match="one boolean per word"):
        rank_frequency(corpus, mask=np.ones(3, bool))
    with pytest.raises(EstimateError, match="nothing to rank"):
        rank_frequency(corpus, mask=np.zeros(len(corpus.vocabulary), bool))


BAD = {
    "empty": ([], EstimateError, "0 words"),
    "negative": ([5, -2, 3, 1, 1, 1], OptionError, r"negative, but number 1 is -2"),
    "fraction": ([5, 2.5, 3, 1, 1, 1], OptionError, r"whole numbers, but number 1 is 2.5"),
    "nan": ([5, float("nan"), 3, 1, 1, 1], OptionError, r"number 1 is nan"),
    "infinite": ([5, float("inf"), 3], OptionError, r"number 1 is inf"),
    "text": ("the whale", OptionError, "not a text"),
    "words": (["the", "whale"], OptionError, "whole numbers"),
    "two-dimensional": (np.ones((3, 3), int), OptionError, "one dimension, not 2"),
    "all-equal": ([4] * 30, EstimateError, "all 30 counts are equal to 4"),
    "all-zero": ([0] * 30, EstimateError, "there are 0"),
    "too-few": ([5, 3], EstimateError, r"at least \d+ words, and there are 2"),
}


@pytest.mark.parametrize("fit", [fit_zipf, fit_power_law])
@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_bad_counts_are_named(fit, case) -> None:
    counts, error, message = case
    with pytest.raises(error, match=message):
        fit(counts)


@given(st.lists(st.integers(0, 1000), min_size=1).filter(any))
def test_every_container_gives_the_same_counts(values: list[int]) -> None:
    forms = [values, np.array(values), np.array(values, float), {str(i): v for i, v in enumerate(values)}]
    expected = sorted((v for v in values if v), reverse=True)
    for form in forms:
        assert descending_counts(form).tolist() == expected
    assert descending_counts(rank_frequency(values)).tolist() == expected


def test_a_corpus_a_mapping_and_ranks_are_fitted_alike() -> None:
    rng = np.random.default_rng(3)
    corpus = Corpus.from_texts([" ".join(f"w{n}" for n in rng.zipf(1.8, 3000))])
    ranks = rank_frequency(corpus)
    assert isinstance(ranks, RankFrequency)
    mapping = Counter(dict(zip(ranks.words, ranks.counts.tolist(), strict=True)))
    fits = [fit_zipf(source).to_dict() for source in (corpus, ranks, ranks.counts, mapping)]
    assert all(fit == fits[0] for fit in fits)
    assert ranks.fit().to_dict() == fits[0]
