"""The chapter of sentences that answer each other, where words have vectors and where they have none."""

from __future__ import annotations

from itertools import product

import pytest

from lexicloud.corpus import Corpus
from lexicloud.report.chapters.search import SearchChapter
from lexicloud.text import TokenRules

WHO, WHAT, WHERE = (
    ("rybak", "stary młynarz", "piekarz"),
    ("sprzedał rybę", "znalazł klucz"),
    ("rynku", "moście"),
)


@pytest.fixture(scope="module")
def sentences() -> Corpus:
    told = [
        f"Wczoraj rano {who} {what} na długim {where} w mieście."
        for who, what, where in product(WHO, WHAT, WHERE)
    ]
    texts = {"jeden": " ".join(told[:6]), "dwa": " ".join(told[6:])}
    return Corpus.from_texts(texts, rules=TokenRules(language="polish"), vectors=None).sentences()


def test_a_language_without_vectors_is_searched_by_its_words(sentences: Corpus) -> None:
    assert not sentences.embedded.any()
    found = SearchChapter.gather(sentences)
    assert found.answers
    assert all(
        {"setcover", "bm25"} <= set(by) and not {"average", "wmd"} & set(by) for by in found.answers.values()
    )
    assert all(len(by["bm25"]) for by in found.answers.values())
    assert "comes from no other method (shared words" in found.finding
    assert "average" not in found.finding
