"""Records with several text fields: weights, empty fields, results by field, and where words are looked for."""

from __future__ import annotations

import math

import pandas as pd
import pyarrow as pa
import pytest

from lexicloud.errors import InputError, LexicloudWarning, OptionError
from lexicloud.search import SentenceIndex
from lexicloud.text.records import read_weights

from .toy import build

RECORDS = [
    {"id": "a", "title": "kadan", "body": "lofel migos ruhin", "status": "open"},
    {"id": "b", "title": "lofel", "body": "kadan sendan torjat", "status": "new"},
    {"id": "c", "title": "migos hindan", "body": None, "status": "open"},
    {"id": "d", "title": "", "body": "kafel kafel lodan"},
    {"id": "e", "body": "mifel rudan sengos", "nested": {"x": 1}},
]
WEIGHTS = {"title": 3, "body": 1}


@pytest.fixture
def index() -> SentenceIndex:
    return build(RECORDS, text=WEIGHTS)


def test_records_without_a_body_or_a_title_stay(index):
    assert len(index) == 5
    assert index.get("c") == {
        "id": "c",
        "text": "migos hindan",
        "tokens": 2,
        "status": "open",
        "title": "migos hindan",
    }
    assert index.get("d")["body"] == "kafel kafel lodan"
    assert index.fields == WEIGHTS
    assert index.info.fields == WEIGHTS


def adds(index: SentenceIndex, word: str) -> dict[object, float]:
    """What a word adds to each record that has it."""
    return {
        found.id: next(reason.adds for reason in found.matches if reason.word == word)
        for found in index.search(word)
        if found.id in {"a", "b"}
    }


def test_a_heavier_field_adds_more(index):
    assert adds(index, "kadan")["a"] > adds(index, "kadan")["b"]
    assert adds(index, "lofel")["b"] > adds(index, "lofel")["a"]
    level = adds(build(RECORDS, text={"title": 1, "body": 1}), "kadan")
    assert level["a"] == pytest.approx(level["b"])


def test_a_weight_is_as_many_repetitions(index):
    """Robertson, Zaragoza and Taylor (2004): the weighted record scores as the text with its field repeated."""
    said = [
        (r["id"], " ".join([*([r.get("title") or ""] * 3), r.get("body") or ""]).strip()) for r in RECORDS
    ]
    repeated = build(said)
    for query in ("kadan lofel", "migos", "kafel rudan"):
        ours = {found.id: found.score for found in index.search(query)}
        assert ours == pytest.approx({found.id: found.score for found in repeated.search(query)})


def test_tokens_are_those_of_the_record_not_of_its_weights(index):
    assert [index.get(name)["tokens"] for name in "abcde"] == [4, 4, 2, 3, 3]
    assert len(index.search("kadan", max_tokens=4)) == 2


def test_results_have_the_fields_and_reasons_say_which(index):
    found = index.search("kadan", top=1)[0]
    assert found.fields == {"title": "kadan", "body": "lofel migos ruhin"}
    assert found.text == "kadan\n\nlofel migos ruhin"
    reason = next(reason for reason in found.matches if reason.word == "kadan")
    assert reason.fields == ("title",)
    assert "kadan in title" in found.passage().remark
    assert math.isclose(sum(reason.adds for reason in found.matches), found.score, rel_tol=1e-6)
    assert found.to_dict()["fields"]["title"] == "kadan"
    assert found.text[slice(*found.highlights[0])] == "kadan"


def test_a_word_is_looked_for_in_one_field(index):
    assert [found.id for found in index.search("title:kadan")] == ["a"]
    assert [found.id for found in index.search("body:kadan")] == ["b"]
    assert [found.id for found in index.search("kadan -title:kadan")] == ["b"]
    assert [found.id for found in index.search('body:"lofel migos"')] == ["a"]
    assert [found.id for found in index.search('"lofel migos"')] == ["a"]
    assert [found.id for found in index.search('"kadan lofel"')] == [], (
        "no phrase goes from one field to the next"
    )
    assert "have “kadan” in title" in index.search("title:kadan").notes[0]


def test_the_title_itself_is_an_answer(index):
    found = index.search("migos hindan")
    assert (found[0].id, found[0].same) == ("c", True)


def test_records_are_added_changed_and_kept(index, tmp_path):
    index.save(tmp_path / "i")
    index.add([{"id": "f", "title": "torhin", "status": "new"}])
    index.update("a", title="senhin", status="closed")
    again = SentenceIndex.open(tmp_path / "i")
    assert again.get("f")["title"] == "torhin"
    assert again.get("a")["body"] == "lofel migos ruhin"
    assert again.search("senhin", top=1)[0].metadata["status"] == "closed"
    assert [found.id for found in again.search("title:kadan")] == []
    again.compact()
    assert SentenceIndex.open(tmp_path / "i").search("torhin", top=1)[0].fields == {"title": "torhin"}
    frame = again.to_pandas().set_index("id")
    assert frame.loc["b", "body"] == "kadan sendan torjat"


@pytest.mark.parametrize("table", [pd.DataFrame, pa.Table.from_pylist], ids=["pandas", "arrow"])
def test_tables_are_records(table):
    index = build(table([{**r, "n": i or None} for i, r in enumerate(RECORDS[:4])]), text=WEIGHTS)
    assert index.get("a") == {
        "id": "a", "text": "kadan\n\nlofel migos ruhin", "tokens": 4, "status": "open",
        "title": "kadan", "body": "lofel migos ruhin",
    }  # fmt: skip
    assert index.get("b")["n"] == 1


def test_the_id_column_may_have_any_name():
    index = build(
        [{"number": 7.0, "title": "kadan", "body": "lofel", "x": 1, "y": 2}],
        text=WEIGHTS,
        id="number",
        meta=["x"],
    )
    assert index.get(7)["x"] == 1
    assert "y" not in index.get(7)


def test_what_is_no_record_is_refused(index):
    with pytest.raises(InputError, match="give dicts with the text fields title, body"):
        index.add(["kadan"])
    with pytest.raises(InputError, match="record 0 has none of the text fields title, body"):
        index.add([{"id": "z", "text": "kadan"}])
    with pytest.raises(InputError, match="no record has the text field 'bodi'"):
        build(RECORDS, text={"title": 3, "bodi": 1})
    with pytest.warns(LexicloudWarning, match="1 record without any text was left out"):
        assert len(build([*RECORDS, {"id": "z", "title": "", "body": ""}], text=WEIGHTS)) == 5
    with pytest.raises(OptionError, match="kept whole: leave split out"):
        build(RECORDS, text=WEIGHTS, split=True)


@pytest.mark.parametrize("weight", [0, 21, 1.5, True])
def test_weights_are_whole_numbers(weight):
    with pytest.raises(OptionError, match="a whole number from 1 to 20"):
        read_weights({"title": weight})


def test_boilerplate_is_taken_out_of_each_field():
    words = ["kadan", "lofel", "migos", "ruhin", "torjat"]
    forms = [{"title": f"sendan {word}", "body": f"Please fill in the form.\n{word} kafel"} for word in words]
    index = build(forms, text=WEIGHTS, boilerplate=True)
    assert (index.get(0)["title"], index.get(0)["body"]) == ("sendan kadan", "kadan kafel")


def test_ids_are_given_to_all_or_to_none():
    with pytest.raises(InputError, match="1 record of 2 have no 'id'"):
        build([{"id": 1, "title": "kadan"}, {"id": None, "title": "lofel", "body": "migos"}], text=WEIGHTS)
    assert len(build([], text=WEIGHTS)) == 0


def test_a_table_with_two_columns_of_one_name_is_refused():
    table = pd.DataFrame([["kadan", "x", "y"]], columns=["text", "kind", "kind"])
    with pytest.raises(InputError, match="two columns named 'kind'"):
        build(table, text="text")


LONG = "kadan lofel kadan lofel migos kadan lofel ruhin kadan lofel"


@pytest.mark.parametrize("query", ["kadan lofel", "Kadan Lofel", " kadan lofel "])
def test_a_record_whose_title_is_the_query_comes_first_whatever_others_have(query):
    others = [{"id": i, "title": f"kadan lofel kadan {i}", "body": LONG} for i in range(20)]
    own = {"id": "own", "title": "Kadan lofel", "body": "sendan torjat mifel rudan sengos " * 20}
    index = build([*others, own], text=WEIGHTS)
    found = index.search(query, top=3)
    assert (found[0].id, found[0].same) == ("own", True)
    assert found[0].score < found[1].score
    assert sum(reason.adds for reason in found[0].matches) == pytest.approx(found[0].score)
    assert [one.id for one in index.search(query, top=3, offset=1)] == [one.id for one in found[1:]] + [
        index.search(query, top=4)[3].id
    ]
    assert index.search_many([query], top=1)[0][0].id == "own"
    assert all(one.id != "own" for one in index.search(query, where=lambda record: False, top=3))


def test_a_title_of_stop_words_is_found():
    index = build([*RECORDS, {"id": "it", "title": "IT", "body": "mifel"}], text=WEIGHTS)
    found = index.search("it")
    assert [(one.id, one.same) for one in found] == [("it", True)]
    assert found.notes == ("1 of the 5 texts asked for could be found",)
    index.remove("it")
    assert not index.search("it")


def test_the_index_of_a_pandas_table_is_not_dropped():
    series = pd.Series(["kadan", "lofel"], index=["x", "y"])
    assert [record["id"] for record in build(series).records()] == ["x", "y"]
    assert [record["id"] for record in build(series[series == "lofel"]).records()] == ["y"]
    table = pd.DataFrame({"text": ["kadan", "lofel"]}, index=pd.Index([7, 9], name="key"))
    assert [record["id"] for record in build(table, text="text", id="key").records()] == [7, 9]
    assert [record["key"] for record in build(table, text="text").records()] == [7, 9]
    assert [record["id"] for record in build(table.reset_index(drop=True), text="text").records()] == [0, 1]
