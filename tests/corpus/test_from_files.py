"""A corpus read in passes is the corpus that is read at once, and holds little of it in memory."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.corpus import corpus as corpus_module
from lexicloud.corpus.from_files import batches, save_in_passes
from lexicloud.errors import CorpusError, StorageError
from lexicloud.text import Document, TokenRules
from lexicloud.words import counting
from tests.texts import TEXTS


def documents(label=None):
    return [Document(name, text, label=label) for name, text in TEXTS.items()]


@pytest.mark.parametrize("characters", [1, 500, 10**6])
@pytest.mark.parametrize("label", [None, "x"])
def test_it_is_the_corpus_that_is_read_at_once(tmp_path, characters, label):
    once = Corpus.from_documents(documents(label))
    passes = save_in_passes(iter(documents(label)), tmp_path / "corpus", characters=characters)
    assert list(passes.vocabulary) == list(once.vocabulary)
    for name in ("stream", "bounds", "vectors"):
        assert np.array_equal(getattr(passes, name), getattr(once, name))
    assert (passes.names, passes.labels, tuple(passes.texts)) == (once.names, once.labels, once.texts)
    assert (passes.notes, passes.rules) == (once.notes, once.rules)
    assert (passes.counts != once.counts).nnz == 0


def test_only_a_pass_is_held_at_once():
    held = [sum(len(d.text) for d in batch) for batch in batches(iter(documents() * 50), 1000)]
    assert max(held) < 2000
    assert sum(held) == 50 * sum(map(len, TEXTS.values()))


def test_counts_in_stretches_are_the_counts(monkeypatch):
    whole = Corpus.from_texts(TEXTS)
    for module in (counting, corpus_module):
        monkeypatch.setattr(module, "STRETCH", 7)
    parts = Corpus.from_texts({**TEXTS, "empty": ""})
    assert (parts.totals == whole.totals).all()
    assert (parts.counts[:-1] != whole.counts).nnz == 0


def test_the_language_is_found(tmp_path):
    found = save_in_passes(documents(), tmp_path / "corpus", rules=TokenRules(language="detect"))
    assert found.rules.language == "english"


def test_what_is_wrong_is_said_and_nothing_is_left(tmp_path):
    with pytest.raises(CorpusError, match="two documents are named"):
        save_in_passes([Document("a", "one"), Document("a", "two")], tmp_path / "corpus")
    with pytest.raises(CorpusError, match="has a word"):
        save_in_passes([Document("a", " ")], tmp_path / "corpus")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(StorageError, match="a file"):
        save_in_passes(documents(), tmp_path / "mine")
