"""Words of Chinese and Japanese, with their packages, without them, and by characters on request."""

from __future__ import annotations

import sys

import pytest

from lexicloud.errors import MissingExtra
from lexicloud.text import TokenRules, is_stopword, stopwords, tokenize
from lexicloud.text import tokens as segment_module
from lexicloud.text import tokens as tokens_module
from lexicloud.text.tokens import has_unspaced


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
