"""Building from what people have, searching, and what bad input is answered with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.corpus import Corpus
from lexicloud.errors import InputError, LexicloudError, LexicloudWarning, OptionError
from lexicloud.search import METHODS, SentenceIndex
from lexicloud.search.ids import WordIds
from lexicloud.search.items import from_documents
from lexicloud.search.methods.ball import NearestWords
from lexicloud.store.folder import PackedStrings
from lexicloud.text import Document, TokenRules, is_punctuation, stopwords, tokenize
from lexicloud.vectors import load_vectors

from .toy import VECTORS, answers, build, sentences

# ---- building


@pytest.mark.parametrize(
    "items",
    [
        [("a", "kadan kafel"), ("b", "lodan")],
        {"a": "kadan kafel", "b": "lodan"},
        [{"id": "a", "text": "kadan kafel"}, {"id": "b", "text": "lodan"}],
        iter([("a", "kadan kafel"), ["b", "lodan"]]),
        (pair for pair in [("a", "kadan kafel"), ("b", "lodan")]),
    ],
    ids=["pairs", "mapping", "dicts", "iterator", "generator"],
)
def test_forms_of_input(items: object) -> None:
    database = build(items).database
    assert (list(database.identifiers), list(database.texts)) == (["a", "b"], ["kadan kafel", "lodan"])


def test_metadata_in_triples_and_dicts() -> None:
    index = build([("a", "kadan kafel kagos", {"year": 1}), {"text": "lodan lofel logos", "year": 2}])
    found = index.search("kadan lodan kafel", "jaccard")
    assert {s.id: s.metadata for s in found} == {"a": {"year": 1}, 1: {"year": 2}}


def test_numpy_numbers_are_ids() -> None:
    assert build([(np.int64(3), "kadan")]).database.identifiers[0] == 3


def test_a_corpus_of_documents_is_split_and_one_of_sentences_taken_as_it_is() -> None:
    corpus = Corpus.from_texts(
        {"d": "Kadan ran away. Kafel sat down.", "e": "Kagos fell."},
        vectors=VECTORS,
        labels={"d": "x", "e": "y"},
    )
    split, ready = SentenceIndex.build(corpus), SentenceIndex.build(corpus.sentences())
    assert list(split.database.texts) == ["Kadan ran away.", "Kafel sat down.", "Kagos fell."]
    assert list(split.database.texts) == list(ready.database.texts)
    assert split.search("kafel", "average")[0].metadata["document"] == "d"
    assert split.search("kagos kadan", "jaccard", where={"label": "y"})[0].text == "Kagos fell."
    assert [s.text for s in split.search("kadan kafel")] == [s.text for s in ready.search("kadan kafel")]


@settings(max_examples=30, deadline=None)
@given(st.lists(sentences, min_size=1, max_size=6))
def test_the_database_counts_what_the_texts_hold(texts: list[str]) -> None:
    database = build(texts).database
    words = list(database.words)
    stop = stopwords() | set(filter(is_punctuation, words))
    assert words == sorted({t for text in texts for t in tokenize(text)})
    for row, text in enumerate(texts):
        tokens = tokenize(text)
        assert database.lengths[row] == len(tokens)
        own = slice(database.indptr[row], database.indptr[row + 1])
        counted = dict(
            zip((words[i] for i in database.sentence(row)), database.counts[own].tolist(), strict=True)
        )
        assert counted == {word: tokens.count(word) for word in set(tokens) - stop}
    for number, word in enumerate(words):
        assert database.ids[word] == number
        with_word = database.postings[database.postings_ptr[number] : database.postings_ptr[number + 1]]
        having = [i for i, t in enumerate(texts) if word in tokenize(t)]
        assert with_word.tolist() == ([] if word in stop else having)
        assert database.df[number] == len(having)
        known = word in VECTORS
        assert bool(database.embedded[number]) == known
        assert np.allclose(database.vectors[number], VECTORS[word] if known else 0)


@given(st.lists(st.text(max_size=5), unique=True, max_size=30), st.text(max_size=5), st.booleans())
def test_words_are_found_with_and_without_a_dict(words: list[str], other: str, warm: bool) -> None:
    words = sorted(words)
    ids = WordIds(PackedStrings.pack(words))
    if warm:
        ids._asked = 10**6
    assert [ids[word] for word in words] == list(range(len(words)))
    assert ids.get(other, -1) == (words.index(other) if other in words else -1)


def test_max_tokens_leaves_long_sentences_out() -> None:
    index = build(["kadan kafel", "kadan kafel kagos kahin"], max_tokens=3)
    index.add(["lodan lofel logos lohin", "lodan"])
    assert [index.database.texts[i] for i in range(len(index))] == ["kadan kafel", "lodan"]


def test_tables_lend_their_columns() -> None:
    documents = [
        Document("1", "kadan kafel", "x", fields={"year": "2020", "zip": "01234", "note": ""}),
        Document("2", "lodan", None, fields={"year": "2021", "zip": "99999", "note": "late"}),
    ]
    items = from_documents(documents, ["*"])
    assert items.metadata == [
        {"year": 2020, "zip": "01234", "label": "x"},
        {"year": 2021, "zip": "99999", "note": "late"},
    ]
    assert from_documents(documents, ["year"]).metadata == [{"year": 2020, "label": "x"}, {"year": 2021}]
    cells = [("bug; ui", "['a', 'b']", "Say it; then go there"), ("bug", '["c"]', "x"), ("ui;", "[]", "x")]
    listed = [
        Document(str(n), "kadan", fields=dict(zip("abc", row, strict=True))) for n, row in enumerate(cells)
    ]
    assert from_documents(listed, ["*"]).metadata == [
        {"a": ["bug", "ui"], "b": ["a", "b"], "c": "Say it; then go there"},
        {"a": ["bug"], "b": ["c"], "c": "x"},
        {"a": ["ui"], "b": [], "c": "x"},
    ]
    with pytest.raises(InputError, match="no column 'yaer' to keep; the others are year, zip, note"):
        from_documents(documents, ["yaer"])


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ("one string", "is one string, not a list"),
        ([("a", 3)], "item 0 has no text: expected a string, found int"),
        (["x", 5], "item 1 is a int"),
        ([(1.5, "x")], "the id of item 0 is 1.5"),
        ([("a", "x", "y")], "metadata of item 0 is a str, not a dict"),
        ([{"id": 1, "title": "x"}], "record 0 has no 'text' but id, title: name the text columns"),
    ],
)
def test_items_that_cannot_be_read_are_named(items: object, message: str) -> None:
    with pytest.raises(LexicloudError, match=message):
        build(items)


# ---- searching


def test_repeated_texts_are_kept_but_suggested_once() -> None:
    texts = ["kadan kafel kagos kahin kajat"] * 3 + ["lodan lofel logos lohin lojat"]
    index = build([(i, text, {"half": i % 2}) for i, text in enumerate(texts)])
    assert len(index) == 4
    for method in METHODS:
        assert sorted(s.id for s in index.search("kadan lodan", method, distinct=True)) == [0, 3], method
        assert sorted(s.id for s in index.search("kadan lodan", method, distinct=False)) == [0, 1, 2, 3], (
            method
        )
        assert sorted(
            s.id for s in index.search("kadan lodan", method, where={"half": 1}, distinct=True)
        ) == [1, 3], method
    index.remove(0)
    assert sorted(s.id for s in index.search("kadan lodan", distinct=True)) == [1, 3]
    assert sorted(s.id for s in index.search("kadan lodan")) == [1, 2, 3]


@pytest.mark.parametrize("method", METHODS)
def test_many_queries_get_the_answers_of_one_by_one(method: str) -> None:
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice(VECTORS.words, 6)) for _ in range(60)]
    index = build(texts)
    queries = [" ".join(rng.choice(VECTORS.words, 3)) for _ in range(12)]
    many = index.search_many(queries, method, workers=4, top=3, max_tokens=9)
    assert [list(found) for found in many] == [
        list(index.search(q, method, top=3, max_tokens=9)) for q in queries
    ]
    assert [found.query for found in many] == queries


def test_the_query_may_be_a_whole_document() -> None:
    index = build(["kadan kafel kagos kahin kajat", "lodan lofel logos lohin lojat"])
    document = "kadan unseen the of \x00\x07 zzzz\n" * 40_000
    assert len(document) > 10**6
    assert index.search(document)[0].text == "kadan kafel kagos kahin kajat"


# ---- bad input


def test_an_empty_database_is_explained_and_can_grow() -> None:
    index = build([])
    for method in METHODS:
        found = index.search("kadan", method)
        assert found == []
        assert "the index holds no texts" in found.notes
    index.add(["kadan kafel kagos kahin kajat"])
    assert len(index.search("kadan")) == 1


@pytest.mark.parametrize("query", ["", "  \n", "\x00\x01"])
@pytest.mark.parametrize("method", METHODS)
def test_a_query_without_words(query: str, method: str) -> None:
    index = build(["kadan kafel kagos kahin kajat"])
    if not tokenize(query):
        with pytest.raises(OptionError, match="no words"):
            index.search(query, method)
    else:
        found = index.search(query, method)
        assert found == []
        assert found.notes


def test_only_stop_words_and_only_unknown_words_are_told_apart() -> None:
    index = build(["kadan the of kahin kajat"])
    assert "only stop words" in " ".join(index.search("the of the").notes)
    found = index.search("qqq www")
    assert found == []
    assert found.unknown == ("qqq", "www")
    assert "qqq, www" in " ".join(found.notes)


def test_a_top_larger_than_the_database_gives_all_there_is() -> None:
    index = build(["kadan kafel kagos kahin kajat", "lodan lofel logos lohin lojat"])
    found = index.search("kadan lodan", top=10**6)
    assert len(found) == 2
    assert any("2 of the 1000000" in note.replace(",", "") for note in found.notes)


def test_control_characters_are_neither_lost_nor_harmful() -> None:
    text = "kadan\x00kafel\x1b[31m kagos \ud800 kahin kajat"
    index = build([("\x07", text)])
    found = index.search("kadan\x07 lodan \x9f", min_tokens=1)
    assert (found[0].id, found[0].text) == ("\x07", text)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda index: index.search(3), "a query is a string, not a int"),
        (lambda index: index.search("kadan", "setcovre"), "did you mean setcover"),
        (lambda index: index.search("kadan", tpo=3), "no option tpo of a search: there are top"),
        (lambda index: index.search("kadan", top=0), "top = 0"),
        # True equals 1, which was asked for just before and found to be in order.
        (lambda index: [index.search("kadan", top=n) for n in (1, True)], "top must be a whole"),
        (lambda index: index.search("kadan", top=[1]), "top must be a whole"),
        (lambda index: index.search_many("kadan"), "not one string"),
    ],
)
def test_wrong_calls_name_the_remedy(call: object, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        call(build(["kadan"]))  # type: ignore[operator]


# ---- what it is


def test_info_counts_what_is_alive() -> None:
    index = build(["kadan the xqzt", "lodan kadan", "lofel ."], rules=TokenRules())
    index.remove(1)
    info = index.info
    assert (info.sentences, info.removed, info.tokens, info.words, info.segments) == (2, 1, 5, 5, 1)
    assert info.embedded == pytest.approx(3 / 5)
    assert info.bytes_per_sentence == info.bytes / 2
    assert info.to_dict()["vectors"] == "toy"


def test_what_is_shown_of_an_index() -> None:
    assert repr(build(["kadan", "kafel"])) == "<SentenceIndex of 2 sentences, toy>"


def test_rules_travel_with_the_index(tmp_path: object) -> None:
    folder = tmp_path / "i"  # type: ignore[operator]
    build(["Kadan kadan kafel"], rules=TokenRules(lowercase=False)).save(folder)
    opened = SentenceIndex.open(folder, vectors=VECTORS)
    assert opened.database.rules.lowercase is False
    assert "Kadan" in list(opened.database.words)
    assert answers(opened, "Kadan") == answers(
        build(["Kadan kadan kafel"], rules=TokenRules(lowercase=False)), "Kadan"
    )


def test_a_saved_index_finds_nearest_words_when_they_are_asked_for(tmp_path: Path) -> None:
    texts = [
        "kadan lofel migos ruhin sendan",
        "tordan torfel kagos lohin mijat",
        "rufel sengos torhin kajat lodan",
    ]
    plain = build(texts)
    build(texts).save(tmp_path / "i")
    opened = SentenceIndex.open(tmp_path / "i", vectors=VECTORS)
    for weighting in ("idf", "uniform"):
        assert answers(opened, "kadan mijat", weighting=weighting) == answers(
            plain, "kadan mijat", weighting=weighting
        )
    table = NearestWords.of(opened.database, refined=True)
    assert table.filled.sum() == 2  # those of the query alone
    opened.remove(0)
    assert opened.search("kadan lodan", mode="varied", top=1)[0].id == 2


def test_english_vectors_under_german_sentences_are_said():
    german = "Der alte Mann ging langsam über die Straße und sah das Meer nicht mehr, denn es war schon spät."
    with pytest.warns(LexicloudWarning, match="the texts look german"):
        SentenceIndex.build([german] * 12)
    with pytest.warns(LexicloudWarning, match="but the language is german"):
        SentenceIndex.build([german], vectors=load_vectors(), rules=TokenRules(language="german"))


def test_a_text_of_stop_words_is_found_by_its_own_text_and_by_words_in_a_row():
    index = build(["kadan lofel", "To be or not to be", "not now, or to be"])
    found = index.search("To be or not to be")
    assert [(one.id, one.same) for one in found] == [(1, True)]
    assert [one.id for one in index.search("to be or")] == [1]
    assert "stop words alone" in index.search("to be or").notes[0]
    assert [[one.id for one in answer] for answer in index.search_many(["To be or not to be", "kadan"])] == [
        [1],
        [0],
    ]
    assert not index.search("To be or not to be", max_tokens=2)


SAYS = """
from lexicloud.progress import reporting
from lexicloud.search import SentenceIndex

class Told:
    def start(self, description, total):
        print(description)
    def advance(self, bar, steps): ...
    def finish(self, bar): ...

index = SentenceIndex.build(["The whale sounded.", "A ship sailed."], dense=None)
with reporting(Told()):
    index.search("the whale")
    for _ in range(2):
        index.search("the whale", method="jaccard")
"""


def test_a_search_that_compiles_its_loops_says_so_once(tmp_path):
    told = [
        subprocess.run(
            [sys.executable, "-c", SAYS],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.splitlines()
        for _ in range(2)
    ]
    assert told == [["compiling loops, on this machine only once"], []]


def test_a_text_that_is_the_query_comes_before_those_that_repeat_its_word():
    index = build(
        [*(f"kadan kadan kadan {word}" for word in ("kadan", "lofel")), *["kadan kadan"] * 20, "kadan"]
    )
    found = index.search("kadan", top=3)
    assert (found[0].text, found[0].same) == ("kadan", True)


def test_an_answer_by_meaning_alone_says_so():
    index = SentenceIndex.build(["The physician examined the patient.", "The band played.", "Taxes are due."])
    said = "no text has a word of the query: these are the nearest in meaning"
    assert said in index.search("doctors").notes
    assert said not in index.search("the doctor and the patients").notes
    assert said not in index.search("examining").notes
