"""Counting: texts become postings by the same words, whichever way their runs of characters are numbered."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest

from lexicloud.search import postings
from lexicloud.search.postings import count_texts
from lexicloud.text import TokenRules
from lexicloud.vectors.static_embeddings import load_static_embeddings

# White space that only Unicode knows, at the ends too; empty texts; signs of several bytes; half of a surrogate pair.
ODD = ["  two  spaces ", "", "\u2003a\u00a0b\x85c\x1cd", "é€😀 😀", "\t\n", "the end"]


def numbered(texts: list[str]) -> tuple[list[str], list[int], list[int]]:
    runs, stream, sizes = postings._number_runs(texts, 2)
    return runs, stream.tolist(), sizes.tolist()


@pytest.mark.parametrize("texts", [ODD, [*ODD, "half \ud800 pair"], ["", " "], ["one"]])
def test_runs_are_numbered_alike_by_arrow_and_by_python(
    texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    by_python = numbered(texts)
    monkeypatch.setattr(postings, "_FEW", 0)
    assert numbered(texts) == by_python
    runs, stream, sizes = by_python
    bounds = np.cumsum([0, *sizes])
    assert [[runs[i] for i in stream[a:b]] for a, b in pairwise(bounds)] == [text.split() for text in texts]


def test_without_arrow_runs_are_numbered_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    by_python = numbered(ODD)
    monkeypatch.setattr(postings, "_FEW", 0)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert numbered(ODD) == by_python


def test_batches_in_threads_count_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"word{i % 7} and word{i % 3}, again word{i % 7}!" for i in range(50)]
    whole = count_texts(texts, TokenRules(), workers=1)
    monkeypatch.setattr(postings, "_CHARACTERS", 100)
    monkeypatch.setattr(postings, "_FEW", 0)
    cut = count_texts(texts, TokenRules(), workers=2)
    assert (cut.words, cut.terms) == (whole.words, whole.terms)
    assert (cut.by_row != whole.by_row).nnz == 0
    assert (cut.by_term != whole.by_term).nnz == 0
    assert cut.lengths.tolist() == [7] * 50


def test_an_addition_needs_no_thread_and_many_texts_are_counted_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A system that starts no more threads must not keep anybody from adding a text."""
    in_threads = numbered_in_batches(monkeypatch)

    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(postings, "_threads", refuse)
    assert numbered(ODD) == in_threads


def numbered_in_batches(monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[int], list[int]]:
    with monkeypatch.context() as small:
        small.setattr(postings, "_CHARACTERS", 5)
        return numbered(ODD)


def test_texts_are_cut_once_for_words_and_embeddings():
    texts = ["The whale, the whale!", "", "  A ship\u3000sails ", "whale,"]
    counts, model = count_texts(texts, TokenRules(), workers=1), load_static_embeddings()
    assert [counts.runs.pieces[i] for i in counts.runs.stream] == [r for text in texts for r in text.split()]
    np.testing.assert_array_equal(model.encode_pieces(*counts.runs), model.encode(texts))
