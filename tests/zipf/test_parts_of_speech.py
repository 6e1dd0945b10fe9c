"""Counts by part of speech, and how far the part accounts for the breadth of all counts."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.errors import EstimateError, OptionError
from lexicloud.text import TokenRules
from lexicloud.text import tags as tagging
from lexicloud.zipf import part_of_speech_table
from lexicloud.zipf.parts_of_speech import part_codes

TEXT = "The old cat slept. The dog barked loudly, and she laughed: the cat slept on!"
TAGS = {
    **dict.fromkeys(["the", "and", "on", ".", ",", ":", "!"], "other"),
    **dict.fromkeys(["cat", "dog"], "noun"),
    **dict.fromkeys(["slept", "barked", "laughed"], "verb"),
    "old": "adjective",
    "loudly": "adverb",
    "she": "pronoun",
}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_texts([TEXT])


def test_tokens_and_words_are_counted_by_hand(corpus):
    table = part_of_speech_table(corpus, tags=TAGS)
    by_part = dict(
        zip(table.parts, zip(table.tokens.tolist(), table.words.tolist(), strict=True), strict=True)
    )
    assert by_part == {
        "noun": (3, 2),
        "verb": (4, 3),
        "adjective": (1, 1),
        "adverb": (1, 1),
        "pronoun": (1, 1),
        "other": (9, 7),
    }
    assert table.token_percent.sum() == pytest.approx(100)
    assert table.word_percent[table.parts.index("verb")] == pytest.approx(100 * 3 / 15)
    assert table.counts["noun"].tolist() == [2, 1]


def test_a_tag_list_and_a_mapping_say_the_same(corpus):
    listed = part_of_speech_table(corpus, tags=[TAGS[word] for word in corpus.vocabulary])
    assert listed.to_dict() == part_of_speech_table(corpus, tags=TAGS).to_dict()


def test_words_that_a_mapping_lacks_are_counted_as_untagged(corpus):
    table = part_of_speech_table(corpus, tags={"cat": "noun"})
    assert table.n_untagged == len(corpus.vocabulary) - 1
    assert table.tokens.tolist() == [2, 0, 0, 0, 0, 0]


def test_only_the_words_of_a_subset_count():
    corpus = Corpus.from_texts({"a": "cats purr", "b": "dogs bark and dogs run"})
    tags = {"cats": "noun", "dogs": "noun", "purr": "verb", "bark": "verb", "run": "verb", "and": "other"}
    table = part_of_speech_table(corpus.subset(["a"]), tags=tags)
    assert table.tokens.tolist() == [1, 1, 0, 0, 0, 0]


def test_punctuation_is_never_a_noun():
    corpus = Corpus.from_texts(["“Whales — she said — swim …” ‘Do they?’"])
    codes = part_codes(corpus)
    assert {corpus.vocabulary[i] for i in np.flatnonzero(codes != 5) if corpus.punctuation[i]} == set()
    assert codes[corpus.vocabulary.index("whales")] == 0


def test_one_word_is_tagged_once_however_often_it_occurs(monkeypatch):
    asked = []
    original = tagging.tag_words
    monkeypatch.setattr(
        tagging,
        "tag_words",
        lambda words, tagger, grouping="ours": asked.extend(words) or original(words, tagger),
    )
    corpus = Corpus.from_texts(["sea " * 500 + "ship " * 300])
    part_of_speech_table(corpus)
    part_of_speech_table(corpus)
    assert sorted(asked) == ["sea", "ship"]


def test_parts_with_constant_counts_explain_everything():
    corpus = Corpus.from_texts(["sea ship " * 50 + "sail row"])
    tags = {"sea": "noun", "ship": "noun", "sail": "verb", "row": "verb"}
    table = part_of_speech_table(corpus, tags=tags)
    assert table.spread == {"noun": 0.0, "verb": 0.0}
    assert table.total_spread > 0
    assert table.explained == pytest.approx(1)


def test_parts_with_equal_distributions_explain_nothing():
    corpus = Corpus.from_texts(["sea " * 20 + "ship " * 2 + "sail " * 20 + "row " * 2])
    tags = {"sea": "noun", "ship": "noun", "sail": "verb", "row": "verb"}
    assert part_of_speech_table(corpus, tags=tags).explained == pytest.approx(0, abs=1e-12)


def test_the_shares_of_the_great_gatsby_agree_with_the_published_ones(shared, monkeypatch):
    nltk = pytest.importorskip("nltk")
    monkeypatch.setattr(nltk.data, "path", [str(shared / "data/nltk_data"), *nltk.data.path])
    text = (shared / "data/books/the_great_gatsby.txt").read_text(encoding="utf-8")
    plain = text.translate({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'})
    corpus = Corpus.from_texts([plain], rules=TokenRules(tokenizer="nltk", lowercase=False))
    published = json.loads((shared / "paper/published.json").read_text())["pos_unique_tokens_percent"]
    table = part_of_speech_table(corpus, tagger="nltk")
    ours = dict(zip(table.parts, table.word_percent, strict=True))
    for part, percent in zip(published["columns"], published["gatsby"], strict=True):
        assert ours[part] == pytest.approx(percent, abs=0.6), part


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        (["noun"], "1 tags for a vocabulary of 15 words"),
        ({"cat": "gerund"}, "unknown part of speech 'gerund': the parts are noun, verb"),
    ],
)
def test_wrong_tags_are_named(corpus, tags, message):
    with pytest.raises(OptionError, match=message):
        part_of_speech_table(corpus, tags=tags)


def test_an_unknown_tagger_is_named(corpus):
    with pytest.raises(OptionError, match="textblob"):
        part_of_speech_table(corpus, tagger="crystal ball")


@pytest.mark.parametrize("tags", [None, {}])
def test_a_corpus_without_a_taggable_word_is_an_error(tags):
    with pytest.raises(EstimateError, match="no word to tag"):
        part_of_speech_table(Corpus.from_texts(["… — !! ?"]), tags=tags)


def test_the_table_can_be_drawn_and_kept(corpus):
    from matplotlib.figure import Figure

    table = part_of_speech_table(corpus, tags=TAGS)
    ax = table.plot(ax=Figure().subplots())
    labels = [line.get_label() for line in ax.lines]
    assert labels[0] == "all words"
    assert [label.split()[0] for label in labels[1:]] == list(table.parts)
    assert ax.lines[0].get_ydata().tolist() == sorted(corpus.totals.tolist(), reverse=True)
    assert json.loads(json.dumps(table.to_dict()))["parts"]["noun"]["tokens"] == 3
    assert table.to_pandas().loc["verb", "words"] == 3
    assert "adjective" in table._repr_html_()
