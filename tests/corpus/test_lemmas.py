"""A corpus that counts lemmas: forms of a word are one word, shown as the texts write it."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.authorship import contrast, train
from lexicloud.corpus import Corpus
from lexicloud.corpus.cut import concat
from lexicloud.divergences import divergence
from lexicloud.errors import OptionError
from lexicloud.text import TokenRules

pytest.importorskip("simplemma")

RULES = TokenRules(lemmas=True)
TEXTS = {
    "a": "The mice ran. Mice run, and mouse after mouse was running home. He went home.",
    "b": "She goes away while he was going. The geese went after her, and every goose was loud.",
}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS, rules=RULES, vectors="none")


def test_forms_are_one_word_and_any_of_them_finds_it(corpus: Corpus) -> None:
    assert corpus.count("a", "mouse") == corpus.count("a", "mice") == 4
    assert corpus.count("b", "go") == corpus.count("b", "goes") == 3
    assert corpus.totals.sum() == len(corpus.stream)
    assert corpus.notes == (f"the forms of a word are counted as one: {len(corpus.vocabulary)} lemmas",)


def test_words_are_shown_as_the_texts_have_them(corpus: Corpus) -> None:
    written = {w for text in TEXTS.values() for w in text.lower().replace(".", " ").replace(",", " ").split()}
    assert set(corpus.vocabulary) - {".", ","} <= written
    assert corpus.vocabulary[corpus.vocabulary.index("go")] == "went"  # "go" itself is nowhere
    assert corpus.vocabulary[corpus.vocabulary.index(RULES.normalise("mice"))] == "mouse"
    assert len(set(corpus.vocabulary)) == len(corpus.vocabulary)


def test_stop_words_are_told_by_lemma(corpus: Corpus) -> None:
    assert corpus.stopwords[corpus.vocabulary.index("was")]
    assert not corpus.stopwords[corpus.vocabulary.index("mouse")]


def test_saved_joined_and_cut_it_stays_the_same(corpus: Corpus, tmp_path) -> None:
    corpus.save(tmp_path / "saved")
    opened = Corpus.open(tmp_path / "saved")
    assert opened.vocabulary == corpus.vocabulary
    assert opened.rules.lemmas
    more = concat(opened, Corpus.from_texts({"c": "Geese go."}, rules=RULES, vectors="none"))
    assert len(more.vocabulary) == len(corpus.vocabulary)
    assert more.count("c", "went") == 1
    assert np.array_equal(corpus.sentences().totals, corpus.totals)


def test_a_corpus_saved_without_lemmas_is_not_taken_for_one_with(tmp_path) -> None:
    Corpus.from_texts(TEXTS, vectors="none").save(tmp_path / "saved")
    with pytest.raises(OptionError, match="save it again with --lemmas"):
        Corpus.from_folder(tmp_path / "saved", rules=RULES)


def test_what_was_measured_on_words_is_not_said_of_lemmas() -> None:
    long = Corpus.from_texts({name: text * 30 for name, text in TEXTS.items()}, rules=RULES)
    found = divergence(long, "a", "b")
    assert "not lemmas" in str(found.yardstick.no_standing)
    assert {reason.word for reason in found.words} <= set(long.vocabulary)


def test_contexts_show_the_text_itself() -> None:
    long = Corpus.from_texts({name: text * 30 for name, text in TEXTS.items()}, rules=RULES, vectors="none")
    lines = contrast(long, "a", "b", segment=100).contexts("go", n=1, around=2)
    assert lines["a"] == (". He went home.",)


def test_a_model_counts_the_lemmas_of_new_texts_too() -> None:
    texts = {f"{author}{i}": text * 40 for author, text in TEXTS.items() for i in range(3)}
    known = Corpus.from_texts(texts, labels=[name[0] for name in texts], rules=RULES, vectors="none")
    model = train(known)
    assert model.rules.lemmas
    (answer,) = model.attribute({"new": "A mouse runs home, and a mouse was running. " * 60})
    assert answer.nearest == "a" or answer.label == "a"
