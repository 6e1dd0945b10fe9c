"""Tokens and sentences of 22 languages are as close to the treebanks as docs/languages-measured.md says."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from benchmarks.record import RESULTS
from benchmarks.truth import languages as measured

from lexicloud.text import TokenRules, split_sentences, tokenize

WRITTEN = json.loads((RESULTS / "languages.json").read_text("utf-8"))["results"]
NEEDED = {"chinese": "rjieba", "japanese": "sudachipy"}
# Where the treebank's own habits cost us: chats in small letters, numbers of clauses, sentences that begin with dashes.
AHEAD = {"english", "ukrainian", "polish", "italian", "romanian", "french"}
FILES = {name: stem for stem, name in measured.NAMES.items()}


@pytest.mark.shared
@pytest.mark.parametrize("language", WRITTEN["tokens"])
def test_the_docs_say_what_the_rules_do(language: str, shared: Path) -> None:
    if language in NEEDED and not find_spec(NEEDED[language]):
        pytest.skip(f"{NEEDED[language]} is not installed")
    path = shared / f"data/ud/{FILES.get(language, language)}.conllu"
    sentences = measured.half_of(measured.read_treebank(path), "report")
    rules = TokenRules(language=language)
    tokens = measured.token_scores(sentences, lambda text: tokenize(text, rules)).f1
    cuts = measured.sentence_scores(sentences, lambda text: split_sentences(text, rules)).f1
    assert tokens == pytest.approx(WRITTEN["tokens"][language]["ours"], abs=0.002)
    assert cuts == pytest.approx(WRITTEN["sentences"][language]["ours"], abs=0.002)


def test_sentencex_is_ahead_only_where_the_docs_say_so() -> None:
    behind = {name for name, f1 in WRITTEN["sentences"].items() if f1["ours"] < f1["sentencex"] - 0.001}
    assert behind <= AHEAD


def test_a_sureness_of_nine_tenths_is_right_in_99_of_100() -> None:
    last = WRITTEN["detection"]["sureness"][-1]
    assert last["so"] >= 0.99
    assert abs(last["so"] - last["said"]) < 0.01
