"""Maps of texts, sentences and words: authors apart, regions named by their own words, the fit said."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lexicloud.corpus import Corpus
from lexicloud.errors import OptionError
from lexicloud.maps import map_sentences, map_texts, map_words
from lexicloud.maps.draw import Telling
from lexicloud.say.map_block import Map
from lexicloud.words.kinds import CONTENT
from tests.report.stories import THEMES, library


@pytest.fixture(scope="module")
def corpus():
    texts = library(7, 12)
    return Corpus.from_texts(texts, labels=[name.split("_")[0] for name in texts])


def test_the_nearest_text_on_the_map_is_by_the_same_author(corpus):
    found = map_texts(corpus)
    far = np.linalg.norm(found.coordinates[:, None] - found.coordinates[None], axis=2)
    np.fill_diagonal(far, np.inf)
    assert all(found.labels[i] == found.labels[j] for i, j in enumerate(far.argmin(axis=1)))
    assert found.kept > 0.8
    assert "of 100 texts the nearest is among the three nearest here" in found.fit


def test_regions_are_named_by_words_of_their_theme(corpus):
    found = map_sentences(corpus, 200)
    themes = {name: {word for words in parts for word in words} for name, parts in THEMES.items()}
    for region in found.themes:
        assert any(set(region.words) & words for words in themes.values()), region
    assert len(found) == len(found.told) == len(found.theme)
    assert found.to_pandas()["told"].str.len().min() > 10


def test_blocks_tell_the_fit_and_hold_one_map(corpus):
    for found in (map_texts(corpus), map_words(corpus, 80)):
        blocks = found.blocks()
        assert sum(isinstance(block, Map) for block in blocks) == 1
        assert any("nearest is among" in getattr(block, "text", "") for block in blocks)


def test_too_few_and_too_many_are_refused(corpus):
    with pytest.raises(OptionError, match="a map needs at least 3"):
        map_texts(corpus.subset(corpus.names[:2]))
    with pytest.raises(OptionError, match="a map of sentences has 20 to 50,000"):
        map_sentences(corpus, 60_000)


def test_a_word_repeated_in_one_sentence_is_no_theme_of_many():
    """Rows may store a word twice; what counts is how many of them have it."""
    corpus = Corpus.from_texts({"a": "harbour boat storm"})
    boat, storm, harbour = (corpus.vocabulary.index(word) for word in ("boat", "storm", "harbour"))
    words = [boat] * 6 + [storm] * 3 + [harbour] * 3
    rows = sparse.csr_array(
        (np.ones(12), words, [0, 6, 7, 8, 9, 10, 11, 12]), shape=(7, len(corpus.vocabulary))
    )
    assert Telling(corpus, rows, np.full(len(corpus.vocabulary), CONTENT, np.int8))(np.arange(4)) == (
        "storm",
    )
