"""Features, their choice, and the consensus of many."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.authorship.consensus import choose_features, consensus
from lexicloud.authorship.features import Features, names, settings
from lexicloud.corpus import Corpus
from lexicloud.divergences.delta import Delta
from lexicloud.errors import EstimateError, OptionError
from tests.authorship.hands import library

PLAIN = Corpus.from_texts(
    {
        "a": "He saw Emma, and Emma saw him. The sea is wide.",
        "b": "She, Emma, saw the sea. The land is wide, too.",
    }
)


def test_distances_are_delta() -> None:
    """The oracle is method "delta"."""
    corpus = library()
    expected = Delta(n=200).fit(corpus).between(corpus.counts, corpus.counts)
    np.testing.assert_allclose(Features(last=200).distances(corpus), expected, atol=1e-10)


def test_kinds_of_words_are_left_out() -> None:
    def kept(**options: object) -> set[str]:
        return set(Features(**options).table(PLAIN).words)  # type: ignore[arg-type]

    assert {"he", ",", "emma", "sea"} <= kept()
    assert not {"he", "him", "she"} & kept(pronouns=False)
    assert not {",", "."} & kept(punctuation=False)
    assert "emma" not in kept(names=False)
    assert {"the", "sea"} <= kept(names=False)
    assert "sea" not in kept(function=True)
    assert "he" not in kept(culling=1.0)
    assert {"saw", "sea", "emma"} <= kept(culling=1.0)
    assert " sea" in kept(characters=4)


def test_a_range_of_ranks() -> None:
    corpus = library()
    every = Features(last=50).table(corpus).words
    assert Features(first=11, last=50).table(corpus).words == every[10:]


def test_shares_are_of_all_tokens_whatever_is_left_out() -> None:
    shares = Features(punctuation=False).table(PLAIN)
    column = shares.words.index("wide")
    assert shares.shares().toarray()[0, column] == pytest.approx(1 / 14)


def test_names_are_words_that_are_never_written_small() -> None:
    found = {PLAIN.vocabulary[int(i)] for i in np.flatnonzero(names(PLAIN))}
    assert found == {"emma"}


def test_the_honest_share_is_not_above_the_luckiest_on_meaningless_labels() -> None:
    corpus = library(authors=4, texts=3, tokens=200)
    labels = list(np.random.default_rng(0).permutation(list(corpus.labels or ())))
    found = choose_features(corpus, settings(last=(5, 10, 20, 40, 80, 160, 300)), labels)
    assert found.honest <= max(each.accuracy for each in found.tried)
    assert found.best in [each.features for each in found.tried]


def test_hands_are_told_apart_honestly() -> None:
    found = choose_features(library(authors=4), settings(last=(50, 200)))
    assert found.honest > 0.9


def test_authors_stand_together_in_the_consensus() -> None:
    found = consensus(library(authors=4, texts=3), settings(last=(100, 200, 300)))
    for author in "ABCD":
        assert found.groups[tuple(f"{author}_{i}" for i in range(3))] == 1.0
    assert found.newick.count("(") == found.newick.count(")") == len(found.groups) + 1
    assert found.newick.endswith(";")
    assert all(found.newick.count(f"'{name}'") == 1 for name in found.names)


def test_the_network_can_be_read_again(tmp_path: Path) -> None:
    found = consensus(library(authors=3), settings(last=(100, 200)))
    for file in found.write(tmp_path):
        if file.suffix in {".gexf", ".graphml"}:
            tree = ET.parse(file).getroot()
            kinds = [element.tag.rsplit("}", 1)[-1] for element in tree.iter()]
            assert kinds.count("node") == 9
            assert kinds.count("edge") == len(found.links)
    # Every text gives six points in every setting.
    assert sum(found.links.values()) == 9 * 6 * 2
    with pytest.raises(OptionError, match="ends in neither"):
        found.write_network(tmp_path / "x.txt")


def test_mistakes_are_named() -> None:
    with pytest.raises(OptionError, match="from 9 to 3"):
        Features(first=9, last=3)
    with pytest.raises(OptionError, match="culling is a share"):
        Features(culling=50)
    with pytest.raises(EstimateError, match="features are left"):
        Features(first=900, last=1000).table(PLAIN)
    with pytest.raises(EstimateError, match="at least 4 texts"):
        consensus(PLAIN)
    with pytest.raises(OptionError, match="no settings"):
        choose_features(library(authors=2), [])


@given(
    st.lists(st.lists(st.sampled_from("abcd"), min_size=3, max_size=30), min_size=2, max_size=4),
    st.sampled_from([2, 3]),
)
def test_sequences_of_words_are_counted_like_a_slow_count(texts: list[list[str]], n: int) -> None:
    corpus = Corpus.from_texts([" ".join(words) for words in texts], vectors="none")
    slow = [Counter(" ".join(words[i : i + n]) for i in range(len(words) - n + 1)) for words in texts]
    if len({sequence for row in slow for sequence in row}) < 2:
        return
    table = Features(last=1000, words=n).table(corpus)
    for row, counted in zip(table.counts.toarray(), slow, strict=True):
        assert {w: c for w, c in zip(table.words, row, strict=True) if c} == counted
    assert table.lengths.tolist() == [len(words) - n + 1 for words in texts]


def test_sequences_with_a_word_that_is_left_out_do_not_count() -> None:
    corpus = Corpus.from_texts(["the cat saw the dog and the cat", "the dog saw a cat"], vectors="none")
    with pytest.raises(EstimateError, match="1 features are left"):
        Features(last=50, words=2, function=True).table(corpus)  # "and the" alone is all stop words


def test_words_and_characters_at_once_are_refused() -> None:
    with pytest.raises(OptionError, match="sequences are of 1 to 3 words"):
        Features(words=2, characters=4)
