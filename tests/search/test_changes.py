"""Adding, removing and compacting: whatever the path, the index answers as if it were built afresh."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexicloud.errors import InputError, OptionError
from lexicloud.search import METHODS, SentenceIndex

from .toy import VECTORS, WORDS, answers, arrays, build, records, sentences

steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.lists(st.tuples(sentences, records), min_size=1, max_size=4)),
        st.tuples(st.just("remove"), st.integers(0, 10**6)),
        st.tuples(st.just("overwrite"), st.tuples(st.integers(0, 10**6), sentences)),
        st.tuples(st.just("compact"), st.none()),
    ),
    max_size=6,
)


class Ledger:
    """The slow, obvious index: a dict of what should be there, in its order."""

    def __init__(self, items: list[tuple[str, dict[str, Any]]]) -> None:
        self.number = 0
        self.items: dict[Any, tuple[str, dict[str, Any]]] = {}
        self.name(items)

    def name(self, items: list[tuple[str, dict[str, Any]]]) -> list[Any]:
        """Take items up under new ids: numbers and strings in turn."""
        named = []
        for text, record in items:
            key: Any = self.number if self.number % 3 else f"n{self.number}"
            self.number += 1
            self.items[key] = (text, record)
            named.append((key, text, record))
        return named

    def listed(self) -> list[Any]:
        return [(key, text, record) for key, (text, record) in self.items.items()]


def follow(index: SentenceIndex, ledger: Ledger, plan: list[Any]) -> None:
    for what, detail in plan:
        if what == "add":
            index.add(ledger.name(detail))
        elif what == "compact":
            index.compact()
        elif ledger.items:
            number = detail[0] if what == "overwrite" else detail
            key = list(ledger.items)[number % len(ledger.items)]
            if what == "remove":
                assert index.remove([key]) == 1
                del ledger.items[key]
            else:
                del ledger.items[key]
                ledger.items[key] = (detail[1], {})
                index.add([(key, detail[1])], overwrite=True)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(sentences, records), max_size=6),
    steps,
    st.lists(st.sampled_from([*WORDS, "unseen"]), min_size=1, max_size=5),
)
def test_any_history_answers_as_a_fresh_build(start: Any, plan: Any, words: list[str]) -> None:
    ledger = Ledger(start)
    index = build(ledger.listed())
    follow(index, ledger, plan)
    fresh = build(ledger.listed())
    query = " ".join(words)
    for method in METHODS:
        assert answers(index, query, method) == answers(fresh, query, method), method
    index.compact()
    assert arrays(index) == arrays(fresh)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(sentences, records), min_size=1, max_size=5), steps)
def test_a_saved_index_lives_through_the_same_history(tmp_path_factory: Any, start: Any, plan: Any) -> None:
    folder = tmp_path_factory.mktemp("index") / "i"
    ledger = Ledger(start)
    build(ledger.listed()).save(folder)
    follow(SentenceIndex.open(folder, vectors=VECTORS), ledger, plan)
    opened, fresh = SentenceIndex.open(folder, vectors=VECTORS), build(ledger.listed())
    query = "kadan lofel migos ruhin the"
    assert answers(opened, query) == answers(fresh, query)
    assert answers(opened, query, "bm25") == answers(fresh, query, "bm25")
    assert opened.verify() == []


def test_new_words_of_a_later_segment_are_found_by_their_neighbours() -> None:
    index = build(["kadan kafel kagos kahin kajat ."])
    assert "toyword" not in str(answers(index, "lodan"))
    index.add(["lodan lofel logos lohin lojat ."])
    (found,) = [s for s in index.search("lodan", min_tokens=1) if "lodan" in s.text]
    assert found.matches[0].word == "lodan"


def test_a_word_that_only_removed_sentences_had_is_no_neighbour_any_more() -> None:
    index = build(["kadan kafel", "lodan lofel"])
    index.remove([1])
    found = {
        match.word for s in index.search("lodan", method="setcover", min_tokens=1) for match in s.matches
    }
    assert found
    assert found <= {"kadan", "kafel"}


def test_plain_strings_are_numbered_on() -> None:
    index = build(["kadan", "kafel"])
    index.add(["kagos"])
    index.remove(2)
    index.add(["kahin"])
    assert list(index.database.identifiers) == [0, 1, 3]  # the removed one is merged away


def test_ids_may_not_repeat() -> None:
    with pytest.raises(InputError, match=r"'a' is given twice \(items 0 and 2\)"):
        build([("a", "kadan"), ("b", "kafel"), ("a", "kagos")])
    index = build([("a", "kadan")])
    with pytest.raises(OptionError, match="'a' is in the index already"):
        index.add([("a", "kafel")])
    assert index.database.texts[0] == "kadan"
    assert len(index) == 1


def test_removing_what_is_not_there_removes_nothing() -> None:
    index = build([("a", "kadan"), ("b", "kafel")])
    with pytest.raises(
        OptionError, match=r"no sentence or document has the id 'x' \(and 1 more\): nothing was removed"
    ):
        index.remove(["a", "x", "y"])
    assert len(index) == 2


def test_documents_are_removed_and_overwritten_whole() -> None:
    index = build({"d": "Kadan ran. Kafel sat.", "e": "Kagos fell."}, split=True)
    assert list(index.database.identifiers[:]) == ["d#0", "d#1", "e#0"]
    index.add({"d": "Kahin slept."}, overwrite=True)
    assert len(index) == 2
    assert index.remove("d") == 1
    assert len(index) == 1


def test_removing_everything_leaves_an_index_that_can_grow_again() -> None:
    index = build(["kadan", "kafel"])
    index.remove([0, 1])
    index.compact()
    assert len(index) == 0
    assert "no texts" in " ".join(index.search("kadan").notes)
    index.add(["kadan kafel kagos kahin"])
    assert index.search("kadan", min_tokens=1)[0].text == "kadan kafel kagos kahin"
