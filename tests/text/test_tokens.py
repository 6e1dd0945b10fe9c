""""""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.errors import MissingExtra
from lexicloud.text import TokenRules, is_stopword, stopwords, tokenize
from lexicloud.text import tokens as segment_module
from lexicloud.text import tokens as tokens_module
from lexicloud.text.tokens import has_address, has_unspaced, marks, token_pattern
from tests.text.conftest import token_cases

PIECES = st.sampled_from(
    [
        "Don’t",
        "said",
        "Mr.",
        "J.",
        "U.S.",
        "e.g.",
        "“Yes!”",
        "‘No?’",
        "--",
        "—",
        "...",
        "…",
        ".",
        "3.14",
        "1,000",
        "50%",
        "_very_",
        "’tis",
        "a@b.org",
        "www.x.org/y",
        "café",
        "gold-hatted",
        "O'Neil's",
        "(see",
        "[12]",
        "\u200b",
        "l’homme",
        "👍🏽",
        "dogs'",
        "rock'n'roll",
        "AT&T",
        "我爱你",
        "***",
        "10:30",
    ]
)
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from([" ", "", "\n", "\n\n", "\u00a0"])), max_size=30).map(
    lambda pairs: "".join(piece + gap for piece, gap in pairs)
)


@pytest.mark.parametrize("kind", ["in_the_wild", "synthetic", "negative"])
def test_cases(kind: str) -> None:
    wrong = [
        (text, tokenize(text), expected) for text, expected in token_cases(kind) if tokenize(text) != expected
    ]
    assert not wrong


@pytest.mark.parametrize(("text", "expected"), token_cases("known_failures"))
@pytest.mark.xfail(strict=True, reason="needs a lexicon or a segmenter of its own")
def test_known_failures(text: str, expected: list[str]) -> None:
    assert tokenize(text) == expected


@given(st.text() | TEXTS)
def test_tokens_are_the_text_without_what_is_invisible(text: str) -> None:
    tokens = tokenize(text)
    joined = "".join(tokens)
    assert not any(c.isspace() for c in joined)
    kept = iter(text)
    assert all(c in kept for c in joined)  # a subsequence: nothing invented, nothing reordered
    letters = [c for c in text if c.isalnum()]
    assert [c for c in joined if c.isalnum()] == letters  # and no letter or digit lost


@given(st.text() | TEXTS)
def test_looking_runs_up_equals_matching_the_whole_text(text: str) -> None:
    # The slow reference: the pattern over the whole text; with addresses, the pattern that knows them.
    assert tokenize(text) == token_pattern(web=has_address(text)).findall(text)


@given(st.lists(TEXTS, max_size=5))
def test_white_space_of_any_kind_only_separates(texts: list[str]) -> None:
    apart = [token for text in texts for token in tokenize(text)]
    assert tokenize("\n\n".join(texts)) == apart
    assert tokenize(" ".join(" ".join(texts).split())) == apart


def test_memory_of_runs_is_bounded_and_never_changes_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens_module, "_REMEMBERED_RUNS", 3)
    runs = tokens_module._Runs("english")
    words = [f"w{i}," for i in range(10)]
    assert [runs[w] for w in words * 2] == [(w[:-1], ",") for w in words * 2]
    assert len(runs) <= 3
    long = "x" * 10_000
    assert runs[long] == (long,)
    assert long not in runs


def test_a_caller_may_change_the_list_it_got() -> None:
    tokenize("alpha beta").clear()
    assert tokenize("alpha beta") == ["alpha", "beta"]


def test_every_combining_mark_stays_in_its_word() -> None:
    # Oracle: unicodedata. A sample over all planes that hold marks.
    points = [p for p in range(0x300, 0x1F000) if unicodedata.category(chr(p)) in {"Mn", "Mc"}]
    points = [p for p in points if not 0xFE00 <= p <= 0xFE0F]
    assert len(marks()) > 100
    assert all(tokenize(f"a{chr(p)}b") == [f"a{chr(p)}b"] for p in points[::7])


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "french",
            "L’homme qu'il n’aime aujourd’hui",
            ["L’", "homme", "qu'", "il", "n’", "aime", "aujourd’hui"],
        ),
        ("italian", "l'amico dell’arte un’altra", ["l'", "amico", "dell’", "arte", "un’", "altra"]),
        ("english", "l'amico", ["l'amico"]),
    ],
)
def test_elided_articles_are_words_of_their_own(language: str, text: str, expected: list[str]) -> None:
    assert tokenize(text, TokenRules(language=language)) == expected


def test_nltk_on_request_equals_nltk() -> None:
    nltk = pytest.importorskip("nltk.tokenize")
    sentence = 'He didn\'t pay $3.50, "did he"?'
    assert tokenize(sentence, TokenRules(tokenizer="nltk")) == nltk.NLTKWordTokenizer().tokenize(sentence)
    # A full stop inside a text of several sentences is split off too, as nltk.word_tokenize does.
    assert tokenize("One cat. Two dogs.", TokenRules(tokenizer="nltk")) == [
        "One",
        "cat",
        ".",
        "Two",
        "dogs",
        ".",
    ]


def test_nltk_missing_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.tokenize", None)
    tokens_module._nltk_tokenizer.cache_clear()
    with pytest.raises(MissingExtra, match=r"lexicloud\[nltk\]"):
        tokenize("One cat.", TokenRules(tokenizer="nltk"))


# ---- Words of Chinese and Japanese, with their packages, without them, and by characters on request


@pytest.fixture(autouse=True)
def _nothing_remembered():
    yield
    for made in (segment_module._jieba, segment_module._sudachi, segment_module._sudachi_tokenizer):
        made.cache_clear()
    tokens_module._runs.cache_clear()


@pytest.mark.parametrize(
    ("language", "module"), [("chinese", "rjieba"), ("japanese", "sudachipy")], ids=["chinese", "japanese"]
)
def test_without_the_package_the_install_command_is_named(
    language: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for made in (segment_module._jieba, segment_module._sudachi, segment_module._sudachi_tokenizer):
        made.cache_clear()
    tokens_module._runs.cache_clear()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"characters.*lexicloud\[{language}\]"):
        tokenize("北京", TokenRules(language=language))
    assert tokenize("北京 iPhone5。", TokenRules(language=language, tokenizer="characters")) == [
        *"北京",
        "iPhone5",
        "。",
    ]
    assert stopwords(language)


def test_other_languages_leave_such_runs_whole() -> None:
    assert tokenize("He said 我爱你.") == ["He", "said", "我爱你", "."]


def test_words_and_numbers_in_chinese() -> None:
    pytest.importorskip("rjieba")
    rules = TokenRules(language="zh")
    tokens = tokenize("我2019年买了iPhone， https://a.org。好", rules)
    assert tokens == ["我", "2019", "年", "买", "了", "iPhone", "，", "https://a.org", "。", "好"]
    assert is_stopword("的", rules)


def test_a_long_run_of_japanese_is_cut_before_the_package_refuses_it() -> None:
    pytest.importorskip("sudachipy")
    tokens = tokenize("東京" * 20_000, TokenRules(language="ja"))
    assert "".join(tokens) == "東京" * 20_000


def test_what_needs_segmentation() -> None:
    assert has_unspaced("カタカナ")
    assert not has_unspaced("한국어")
    assert not has_unspaced("naïve")
