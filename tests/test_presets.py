"""Settings as published under one word: every option named is a true one, and what is given beside it wins."""

from __future__ import annotations

import subprocess
import sys

import pytest

import lexicloud as lc
from lexicloud.divergences.methods import make_method
from lexicloud.errors import OptionError
from lexicloud.presets import PRESETS, search_options
from lexicloud.search import SearchOptions
from lexicloud.text import TokenRules

TEXTS = {
    "sea": "the whale and the ship sailed over the deep blue sea with sailors and an old captain",
    "land": "the horse and the cart rolled past green fields with farmers and a young driver",
}


@pytest.mark.parametrize("name", PRESETS)
def test_every_setting_is_one_that_lexicloud_has(name):
    found = lc.preset(name)
    assert found.rules in (
        TokenRules(**found.tokens),
        TokenRules(tokenizer="nltk", lowercase=False),
    )  # without punkt
    assert SearchOptions(**found.search).penalty == 0.5
    for method, options in found.divergence.items():
        assert make_method(method, **options).name == method
    said = found.said("tokens", "tags", "divergence", "search")
    for setting in (
        "rho 0.5",
        "r 10",
        "alpha 1.0",
        "tagger nltk",
        "tokenizer nltk",
        "min_tokens 5",
        "near_copy 9",
    ):
        assert setting in said


def test_a_divergence_as_published_is_the_one_of_its_options():
    corpus = lc.Corpus.from_texts(TEXTS)
    quick = {"interval": False, "yardstick": False}
    plain = lc.divergence(corpus, "sea", "land", preset="paper", **quick)
    assert plain.value == lc.divergence(corpus, "sea", "land", method="knn", k=3, alpha=1.0, **quick).value
    assert lc.divergence(corpus, "sea", "land", preset="paper", k=2, **quick).options["k"] == 2
    code = lc.divergence(corpus, "sea", "land", preset="authors", **quick)
    assert code.options["compat"] == "authors"
    assert code.value != plain.value


def test_a_search_as_published_is_set_cover_with_its_options():
    index = lc.SentenceIndex.build(
        ["The old king ruled the land.", "A young queen ruled the sea.", "Dogs bark all night long."]
    )
    query = "The prince ruled a small country."
    options = lc.preset("paper").search
    asked = [s.text for s in index.search(query, preset="paper", top=2)]
    assert asked == [s.text for s in index.search(query, method="setcover", top=2, **options)]
    assert search_options({"preset": "paper", "rho": 1.0})["rho"] == 1.0
    with pytest.raises(OptionError, match="no preset 'poem': there are paper and authors"):
        index.search(query, preset="poem")


def test_the_command_tells_what_it_sets(tmp_path):
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "lexicloud", "compare", str(tmp_path), "sea", "land", "--as-published"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "as published (paper): tokens: tokenizer nltk" in done.stderr
    assert "knn (k 3, alpha 1.0)" in done.stderr
    assert "knn, k = 3" in done.stdout
