from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from lexicloud.corpus import Corpus
from lexicloud.errors import InputError, MissingExtra, OptionError
from lexicloud.text import PARTS, TokenRules, fine_tags, part_of_tag, tag, tag_sentences, tag_words
from lexicloud.text import tags as tagging
from lexicloud.text.tags import has_tagger
from lexicloud.zipf.parts_of_speech import part_codes

WORDS = ["whale", "swims", "quickly", "beautiful", "she", "who", "the", ",", "would", "Don’t", "it's", "3.5"]


def test_parts_of_words_out_of_context() -> None:
    assert tag_words(WORDS) == [
        *["noun", "verb", "adverb", "adjective", "pronoun", "pronoun"],
        *["other", "other", "verb", "verb", "pronoun", "other"],
    ]


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)  # its file
def test_fine_tags_are_those_of_textblobs_tagger() -> None:
    from textblob.taggers import PatternTagger

    words = [w for w in WORDS if "’" not in w and "'" not in w]
    expected = [PatternTagger().tag(w, tokenize=False)[0][1] for w in words]
    assert fine_tags(words) == expected
    assert [t.fine for t in tag(words)] == expected


def test_a_list_is_words_and_a_string_is_a_sentence() -> None:
    sentence = tag("She doesn’t see the white whale.")
    assert [t.word for t in sentence] == ["She", "doesn’t", "see", "the", "white", "whale", "."]
    assert [t.part for t in sentence] == ["pronoun", "verb", "verb", "other", "adjective", "noun", "other"]
    assert tag(["She", "whale"])[1].fine == "NN"
    assert tag([]) == tag("") == ()


def test_sentences_as_strings_or_tokens() -> None:
    strings = tag_sentences(["He ran.", "It's late."])
    assert strings == tag_sentences([["He", "ran", "."], ["It's", "late", "."]])
    assert [len(s) for s in strings] == [3, 3]


def test_repeated_words_get_one_tag_in_their_place() -> None:
    assert tag_words(["cat", "runs", "cat"]) == ["noun", "verb", "noun"]


@pytest.mark.parametrize(
    ("fine", "part"),
    [
        ("NNP", "noun"),
        ("VBG", "verb"),
        ("MD", "verb"),
        ("JJR", "adjective"),
        ("RBS", "adverb"),
        ("PRP$", "pronoun"),
        ("WP$", "pronoun"),
        ("WRB", "other"),
        ("WDT", "other"),
        ("RP", "other"),
        ("", "other"),
    ],
)
def test_the_six_parts(fine: str, part: str) -> None:
    assert part_of_tag(fine) == part
    assert part in PARTS


def test_an_unknown_tagger_is_refused() -> None:
    with pytest.raises(OptionError, match=r"'spacy'.*'textblob' or 'nltk'"):
        tag_words(["a"], tagger="spacy")  # type: ignore[arg-type]


def test_nltk_without_its_data_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    nltk = pytest.importorskip("nltk")
    monkeypatch.setattr(nltk.data, "path", [])
    tagging._nltk.cache_clear()
    with pytest.raises(InputError, match=r"nltk.downloader averaged_perceptron_tagger_eng"):
        tag_words(["a"], tagger="nltk")


def test_nltk_missing_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.tag", None)
    tagging._nltk.cache_clear()
    with pytest.raises(MissingExtra, match=r"lexicloud\[nltk\]"):
        tag("A whale.", tagger="nltk")


@pytest.mark.shared
def test_nltks_tagger_fits_the_published_shares_of_gatsby(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nltk = pytest.importorskip("nltk")
    monkeypatch.setattr(nltk.data, "path", [os.fspath(shared / "data/nltk_data")])
    tagging._nltk.cache_clear()
    from nltk.tokenize import word_tokenize

    text = (shared / "data/books/the_great_gatsby.txt").read_text("utf-8")
    words = set(word_tokenize(text.translate(str.maketrans("’“”", '\'""'))))
    parts = tag_words(sorted(words), tagger="nltk")
    # Oracle: the paper's table of distinct words of The Great Gatsby, in percent.
    published = dict(
        zip(
            ["noun", "verb", "adverb", "adjective", "pronoun", "other"],
            [61.33, 19.23, 7.39, 8.09, 0.59, 3.37],
            strict=True,
        )
    )
    ours = {part: 100 * parts.count(part) / len(parts) for part in PARTS}
    assert sum(abs(ours[p] - published[p]) for p in PARTS) < 2
    tagging._nltk.cache_clear()


def test_only_english_has_a_tagger() -> None:
    assert has_tagger("english")
    assert not has_tagger("polish")
    corpus = Corpus.from_texts(["kot śpi"], vectors="none", rules=TokenRules(language="pl"))
    with pytest.raises(OptionError, match="no tagger for Polish"):
        part_codes(corpus)
