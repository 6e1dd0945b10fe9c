"""Words in a row."""

from __future__ import annotations

import pytest

from lexicloud.authorship.excerpts import excerpts
from lexicloud.corpus import Corpus
from lexicloud.errors import CorpusError


def test_an_excerpt_is_unbroken_and_its_own() -> None:
    texts = {
        name: " ".join(f"{name}{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(200)) for name in "xyz"
    }
    corpus = Corpus.from_texts(texts, vectors="none")
    cut = excerpts(corpus, 50, seed=3)
    for i, text in enumerate(texts.values()):
        words = " ".join(cut.vocabulary[int(t)] for t in cut.tokens(i))
        assert words in text
    alone = excerpts(corpus.subset(["y"]), 50, seed=3)
    assert [alone.vocabulary[int(t)] for t in alone.tokens(0)] == [
        cut.vocabulary[int(t)] for t in cut.tokens(1)
    ]
    with pytest.raises(CorpusError, match="no text has 500 words"):
        excerpts(corpus, 500)
