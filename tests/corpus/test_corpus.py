"""A corpus counts every token once, knows what has a vector, and can be cut, sampled, kept and opened."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lexicloud as lc
from lexicloud.corpus import Corpus
from lexicloud.errors import CorpusError, OptionError, StorageError, UnknownDocument
from lexicloud.text import tokenize
from lexicloud.words import counting
from tests.texts import TEXTS


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS)


def test_counts_equal_a_plain_counter(corpus):
    for i, text in enumerate(TEXTS.values()):
        expected = Counter(t.lower().replace("’", "'") for t in tokenize(text))
        row = corpus.counts[[i]].toarray()[0]
        assert {corpus.vocabulary[w]: n for w, n in enumerate(row) if n} == expected


def test_frequent_words_come_first_and_ties_stand_in_alphabetical_order(corpus):
    keys = [(-n, w) for n, w in zip(corpus.totals, corpus.vocabulary, strict=True)]
    assert keys == sorted(keys)


def test_masks_do_not_delete_anything(corpus):
    ids = corpus.vocabulary.ids
    assert corpus.stopwords[ids["the"]]
    assert not corpus.content[ids["the"]]
    assert corpus.punctuation[ids[","]]
    assert corpus.content[ids["captain"]]
    assert corpus.counts.sum() == len(corpus.stream) == sum(map(len, map(tokenize, TEXTS.values())))


def test_vectors_are_those_of_the_table(corpus):
    vectors = lc.load_vectors()
    np.testing.assert_array_equal(corpus.vectors[corpus.vocabulary.index("captain")], vectors["captain"])


def test_coverage_adds_up_and_names_what_was_lost():
    corpus = Corpus.from_texts({"a": "The zxqvblk saw a whale zxqvblk ."})
    coverage = corpus.coverage
    assert coverage.lost == (("zxqvblk", 2),)
    assert coverage.exact_tokens + coverage.recovered_tokens + coverage.lost_tokens == coverage.tokens == 7
    assert coverage.share == pytest.approx(5 / 7)


def test_refined_vectors_have_unit_length_and_leave_unknown_words_at_zero():
    corpus = Corpus.from_texts({"a": "whale zxqvblk ship"})
    norms = np.linalg.norm(corpus.refined, axis=1)
    np.testing.assert_allclose(norms[corpus.embedded], 1, rtol=1e-5)
    assert (norms[~corpus.embedded] == 0).all()


def test_a_list_is_named_by_position_and_labels_follow():
    corpus = Corpus.from_texts(["one ship", "two ships"], labels=["x", "y"])
    assert corpus.names == ("0", "1")
    assert corpus.subset(["1"]).labels == ("y",)


@given(
    st.lists(st.text(alphabet="ab c.'-", max_size=30), min_size=1, max_size=5).filter(
        lambda t: any("a" in x for x in t)
    )
)
@settings(max_examples=50, deadline=None)
def test_the_stream_spells_the_tokens_of_each_text(texts):
    corpus = Corpus.from_texts(texts)
    for i, text in enumerate(texts):
        assert [corpus.vocabulary[w] for w in corpus.tokens(i)] == [
            corpus.rules.normalise(t) for t in tokenize(text)
        ]


def test_many_processes_count_as_one_does(monkeypatch):
    monkeypatch.setattr(counting, "PARALLEL_FROM", 0)
    monkeypatch.setattr(counting, "BATCH", 300)
    alone, together = Corpus.from_texts(TEXTS, workers=1), Corpus.from_texts(TEXTS, workers=2)
    assert alone.vocabulary == together.vocabulary
    np.testing.assert_array_equal(alone.stream, together.stream)


# ---- sampling


def test_a_sample_has_the_size_asked_for_and_only_content_words(corpus):
    sample = corpus.sample(10, seed=3)
    assert set(sample.lengths) == {10}
    assert corpus.content[sample.stream].all()


def test_a_running_sample_draws_from_all_tokens(corpus):
    sample = corpus.sample(30, seed=0, running=True)
    assert corpus.stopwords[sample.stream].any()
    assert (sample.counts.toarray() <= corpus.counts.toarray()).all()


def test_a_document_is_sampled_alike_whatever_stands_beside_it(corpus):
    alone = corpus.subset(["court"]).sample(12, seed=5)
    among = corpus.sample(12, seed=5)
    np.testing.assert_array_equal(alone.tokens(0), among.tokens(among.position("court")))


def test_short_documents_are_dropped_and_named():
    corpus = Corpus.from_texts({"long": TEXTS["sea"], "short": "a whale"})
    sample = corpus.sample(5)
    assert sample.names == ("long",)
    assert sample.dropped == ("short",)


def test_a_sample_too_large_for_all_says_how_long_the_longest_is(corpus):
    with pytest.raises(
        CorpusError, match=r"no document has 5,000 embedded content words \(the longest has \d+\)"
    ):
        corpus.sample(5000)


# ---- sentences


def test_sentences_keep_every_token_and_know_their_document(corpus):
    sentences = corpus.sentences()
    assert len(sentences.texts) == len(sentences) > len(corpus)
    np.testing.assert_array_equal(sentences.stream, corpus.stream)
    assert sentences.names[0] == "sea#0"
    assert sentences.texts[0] == "The captain stood on the deck and watched the waves."
    assert set(sentences.parents) == {0, 1, 2, 3}


def test_a_sample_has_no_sentences(corpus):
    with pytest.raises(CorpusError, match="split before sampling"):
        corpus.sample(5).sentences()


# ---- keeping


def test_a_saved_corpus_opens_as_it_was(corpus, tmp_path):
    labelled = Corpus.from_texts(TEXTS, labels={name: name[0] for name in TEXTS})
    labelled.save(tmp_path / "c")
    opened = Corpus.open(tmp_path / "c")
    assert (opened.names, opened.labels, tuple(opened.texts)) == (
        labelled.names,
        labelled.labels,
        tuple(labelled.texts),
    )
    assert opened.vocabulary == labelled.vocabulary
    assert opened.rules == labelled.rules
    np.testing.assert_array_equal(opened.counts.toarray(), labelled.counts.toarray())
    np.testing.assert_array_equal(opened.vectors, labelled.vectors)
    np.testing.assert_allclose(opened.refined, labelled.refined)
    assert not opened.stream.flags.owndata  # it is a view of the file
    assert opened.coverage == labelled.coverage


def test_a_damaged_corpus_is_refused_with_the_file_named(corpus, tmp_path):
    corpus.save(tmp_path / "c")
    file = next((tmp_path / "c").glob("stream*.npy"))
    file.write_bytes(file.read_bytes()[:-4])
    with pytest.raises(StorageError, match=r"stream.*missing or cut short"):
        Corpus.open(tmp_path / "c")


def test_saving_into_a_folder_of_other_things_is_refused(corpus, tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(StorageError, match="not empty"):
        corpus.save(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "precious"


# ---- reading


def test_a_folder_becomes_a_corpus_with_labels_from_names(tmp_path):
    (tmp_path / "Austen_Emma.txt").write_text("Emma was handsome and clever.", encoding="utf-8")
    (tmp_path / "Joyce_Dead.txt").write_text("Snow was general all over Ireland.", encoding="utf-8")
    corpus = Corpus.from_folder(tmp_path, label="@name")
    assert corpus.names == ("Austen_Emma", "Joyce_Dead")
    assert corpus.labels == ("Austen", "Joyce")


def test_a_table_becomes_a_corpus(tmp_path):
    (tmp_path / "t.csv").write_text("id,body,who\n1,The ship sank,a\n2,The soup boiled,b\n", encoding="utf-8")
    corpus = Corpus.from_csv(tmp_path / "t.csv", text="body", name="id", label="who")
    assert (corpus.names, corpus.labels) == (("1", "2"), ("a", "b"))


def test_a_saved_corpus_is_taken_in_place_of_texts(corpus, tmp_path):
    corpus.save(tmp_path / "c")
    assert Corpus.from_folder(tmp_path / "c").names == corpus.names


# ---- bad input


@pytest.mark.parametrize(
    ("texts", "message"),
    [({}, "no text"), ({"a": "   "}, "none of the 1 texts has a word"), ({"a": 3}, "document 'a' is a int")],
    ids=["nothing", "blank", "not a string"],
)
def test_what_is_no_corpus_is_refused(texts, message):
    with pytest.raises(CorpusError, match=message):
        Corpus.from_texts(texts)


def test_one_string_is_not_a_list_of_texts():
    with pytest.raises(OptionError, match=r"write \[text\]"):
        Corpus.from_texts("The ship sank.")


def test_labels_must_be_as_many_as_documents():
    with pytest.raises(CorpusError, match="1 labels for 2 documents"):
        Corpus.from_texts(["a whale", "a ship"], labels=["x"])


def test_an_unknown_document_is_answered_with_a_suggestion(corpus):
    with pytest.raises(UnknownDocument, match="did you mean 'kitchen'"):
        corpus.subset(["kitchn"])
