from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lexicloud.errors import InputError
from lexicloud.text import TokenRules, split_sentences, tokenize
from lexicloud.text import sentences as sentences_module
from tests.text.conftest import sentence_cases
from tests.text.test_tokens import TEXTS


@pytest.mark.parametrize("kind", ["in_the_wild", "synthetic", "negative"])
@pytest.mark.parametrize("gap", [" ", "\n", " \r\n  "], ids=["spaces", "lines", "ragged"])
def test_cases(kind: str, gap: str) -> None:
    texts = sentence_cases(kind)
    wrong = [(got, text) for text in texts if (got := split_sentences(gap.join(text))) != text]
    assert not wrong


@pytest.mark.parametrize("kind", ["in_the_wild", "negative"])
def test_hard_wrapped_lines_change_nothing(kind: str) -> None:
    for text in sentence_cases(kind):
        assert split_sentences("\n".join(" ".join(text).split(" "))) == text


@pytest.mark.parametrize("text", sentence_cases("known_failures"), ids=lambda t: t[0][:12])
@pytest.mark.xfail(strict=True, reason="only the meaning tells")
def test_known_failures(text: list[str]) -> None:
    assert split_sentences(" ".join(text)) == text


def test_blank_lines_end_headings_and_verse() -> None:
    text = "CHAPTER I\n\nThe  Whale\n \nCall me\nIshmael. Some\tyears ago\n\n\n• one\n• two"
    assert split_sentences(text) == [
        "CHAPTER I",
        "The Whale",
        "Call me Ishmael.",
        "Some years ago",
        "• one",
        "• two",
    ]


def test_german_ordinals_and_abbreviations() -> None:
    text = ["Er kam am 3. Mai, z. B. mit Dr. Weiß.", "Das war Nr. 5.", "Dann ging er."]
    assert split_sentences(" ".join(text), TokenRules(language="de")) == text


def test_nothing_gives_nothing() -> None:
    assert split_sentences("") == split_sentences(" \n\n ") == []


@given(TEXTS | st.text(alphabet=" \n.!?…”\"'’)abAB1—_", max_size=80) | st.text())
def test_splitting_never_changes_tokens(text: str) -> None:
    sentences = split_sentences(text)
    assert [t for s in sentences for t in tokenize(s)] == tokenize(text)
    assert "".join("".join(sentences).split()) == "".join(text.split())


ENDS = st.text(alphabet=" 。！？」”’ab'國か.؟।\ufe0f—", max_size=40)


@given(ENDS, st.sampled_from(["english", "german", "greek", "latin", "hindi", "unknown"]))
def test_splitting_never_changes_tokens_in_any_language(text: str, language: str) -> None:
    rules = TokenRules(language=language)
    assert [t for s in split_sentences(text, rules) for t in tokenize(s, rules)] == tokenize(text, rules)


@example("“Yes!” Don’t\n\nsaid ")
@given(TEXTS | st.text(alphabet=" .!?…”\"'’)abAB1—_", max_size=80))
def test_a_sentence_is_not_split_again(text: str) -> None:
    assert all(split_sentences(s) == [s] for s in split_sentences(text))


@given(TEXTS)
def test_nltk_tokens_survive_splitting_too(text: str) -> None:
    pytest.importorskip("nltk")
    rules = TokenRules(tokenizer="nltk")
    assert [t for s in split_sentences(text, rules) for t in tokenize(s, rules)] == tokenize(text, rules)


def test_punkt_without_its_data_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    nltk = pytest.importorskip("nltk")
    monkeypatch.setattr(nltk.data, "path", [])
    sentences_module._punkt.cache_clear()
    with pytest.raises(InputError, match=r"nltk.downloader punkt_tab"):
        split_sentences("One. Two.", TokenRules(sentences="punkt"))


@pytest.mark.parametrize("junk", [".", ". ", '."', "\n ", "?!", "a.b."])
def test_junk_takes_time_in_proportion_to_its_length(junk: str) -> None:
    # Quadratic matching would take minutes here.
    assert len(split_sentences(junk * 100_000)) <= 1
