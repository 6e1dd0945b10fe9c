"""Filters by metadata equal the obvious test of every record."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.errors import OptionError
from lexicloud.search.filters import (
    COMPARISONS,
    column_kinds,
    columns_of,
    join_columns,
    keep_rows,
    matching_rows,
    parse_assignments,
    parse_conditions,
    record_of,
)

from .toy import build

values = st.sampled_from([1, 2, 2.5, "a", "b", "ab", True, None, ["a", "b"]])
tables = st.lists(st.one_of(st.none(), st.dictionaries(st.sampled_from(["x", "y"]), values)), max_size=8)


def rows(where: Any, records: list[Any]) -> list[int]:
    return [i for i, ok in enumerate(matching_rows(where, columns_of(records), len(records))) if ok]


@given(tables)
def test_columns_give_the_records_back(records: list[Any]) -> None:
    columns = columns_of(records)
    assert [record_of(columns, i) for i in range(len(records))] == [r or {} for r in records]


@given(tables, tables, st.data())
def test_joined_and_cut_columns_equal_fresh_ones(first: list[Any], second: list[Any], data: Any) -> None:
    both = join_columns([(columns_of(first), len(first)), (columns_of(second), len(second))])
    kept = [i for i in range(len(first + second)) if data.draw(st.booleans())]
    fresh = columns_of([(first + second)[i] for i in kept])
    cut = keep_rows(both, kept)
    assert {k: (c.codes.tolist(), c.values.to_list()) for k, c in cut.items()} == {
        k: (c.codes.tolist(), c.values.to_list()) for k, c in fresh.items()
    }


@given(tables, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), st.sampled_from([1, 2, "a"]))
def test_comparisons_equal_pythons(records: list[Any], name: str, operand: Any) -> None:
    records = [*records, {"x": 1}, {"x": "a"}]  # values of several kinds: those of the operand's are compared

    def holds(record: Any) -> bool:
        if "x" not in (record or {}):
            return name == "!="
        try:
            value = record["x"]
            if not isinstance(value, list):
                return bool(COMPARISONS[name](value, operand))
            # A list meets a condition as a whole or by an entry; != by none.
            return (
                (name == "!=") != any(v == operand for v in (value, *value))
                if name in {"==", "!="}
                else any(
                    isinstance(v, int) == isinstance(operand, int) and COMPARISONS[name](v, operand)
                    for v in value
                )
            )
        except TypeError:
            return False

    assert rows({"x": {name: operand}}, records) == [i for i, r in enumerate(records) if holds(r)]


def test_every_kind_of_condition() -> None:
    records = [
        {"status": "open", "year": 2020, "tags": ["ui", "crash"]},
        {"status": "closed", "year": 2022, "tags": ["crash"]},
        {"status": "new", "year": 2024},
        {"year": 2021},
    ]
    assert rows({"status": "open"}, records) == [0]
    assert rows({"status": ["open", "new"]}, records) == [0, 2]
    assert rows({"status": {"not in": ["open", "new"]}}, records) == [1, 3]
    assert rows({"year": {">=": 2021, "<": 2024}}, records) == [1, 3]
    assert rows({"year": lambda year: year % 4 == 0}, records) == [0, 2]
    assert rows({"status": {"contains": "o"}, "year": {"<": 2022}}, records) == [0]
    assert rows({"tags": {"contains": "ui"}}, records) == [0]
    assert rows(lambda record: "tags" in record, records) == [0, 1]


def test_wrong_filters_say_what_there_is() -> None:
    records = [{"status": "open"}]
    with pytest.raises(OptionError, match="no metadata 'stauts'; did you mean 'status'"):
        rows({"stauts": "open"}, records)
    with pytest.raises(OptionError, match="no comparison '=~': choose among =="):
        rows({"status": {"=~": "o"}}, records)
    with pytest.raises(OptionError, match="these sentences have no metadata"):
        rows({"status": "open"}, [None])
    with pytest.raises(OptionError, match="where is a int"):
        rows(3, records)


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("status=open", {"status": {"in": ["open"]}}),
        ("year=2020", {"year": {"in": ["2020", 2020]}}),
        ("year!=2020", {"year": {"not in": ["2020", 2020]}}),
        ("score > 0.5", {"score": {">": 0.5}}),
        ("day>=2024-01-31", {"day": {">=": "2024-01-31"}}),
        ("flag=true", {"flag": {"in": ["true", True]}}),
        ("title~a = b", {"title": {"contains": "a = b"}}),
    ],
)
def test_conditions_of_the_command_line(text: str, parsed: Any) -> None:
    assert parse_conditions([text]) == parsed


def test_two_bounds_on_one_key() -> None:
    assert parse_conditions(["year>=2020", "year<2024"]) == {"year": {">=": 2020, "<": 2024}}
    with pytest.raises(OptionError, match="cannot read the condition 'open'"):
        parse_conditions(["open"])


def test_a_search_answers_with_what_the_filter_lets_through() -> None:
    items = [
        (i, f"kadan kafel {word} kahin kajat", {"kind": word})
        for i, word in enumerate(["lodan", "midan", "rudan"])
    ]
    index = build(items)
    for method in ("setcover", "average", "wmd", "jaccard", "levenshtein", "bm25"):
        found = index.search("kadan kafel", method, where={"kind": ["midan", "rudan"]})
        assert {s.metadata["kind"] for s in found} == {"midan", "rudan"}, method
    nothing = index.search("kadan", where=lambda record: False)
    assert nothing == []
    assert "no text meets the filter" in " ".join(nothing.notes)
    other = index.search("kadan", where={"kind": "Midan"})
    assert other.notes[0] == "no text meets the filter on kind: there are lodan, midan, rudan"


@pytest.mark.parametrize(
    "where",
    [{"or": 5}, {"or": []}, {"or": {"kind": "a"}}, {"kind": {"in": "a"}}, {"kind": {"not in": 5}}],
    ids=str,
)
def test_what_is_no_list_is_refused_where_one_is_needed(where) -> None:
    index = build([(i, "kadan kafel lodan", {"kind": kind}) for i, kind in enumerate("ab")])
    with pytest.raises(OptionError, match="takes a list"):
        index.search("kadan", where=where)


def test_metadata_that_json_does_not_know_is_refused() -> None:
    with pytest.raises(OptionError, match="metadata 'x' cannot be kept"):
        build([("a", "kadan", {"x": object()})])


ISSUES = [
    (
        "a",
        "kadan lofel",
        {"fields": {"summary": "crash", "labels": [{"name": "bug"}]}, "labels": ["ui", "urgent"]},
    ),
    ("b", "kadan migos", {"fields": {"summary": "slow"}, "labels": ["ui"]}),
    ("c", "kadan ruhin", {"labels": []}),
]


@pytest.mark.parametrize(
    ("conditions", "ids"),
    [
        (["labels=ui"], "ab"),  # a list meets a condition by any of its entries
        (["labels=urgent,late"], "a"),
        (["labels!=ui"], "c"),  # and != only by all of them
        (["labels~urgent"], "a"),
        (["fields.summary=crash"], "a"),  # dots lead into nested values
        (["fields.summary!=crash"], "bc"),
        (["fields.labels.name=bug"], "a"),  # through lists as well
    ],
)
def test_lists_and_nested_fields(conditions, ids):
    found = build(ISSUES).search("kadan", where=parse_conditions(conditions))
    assert sorted(s.id for s in found) == list(ids)


# ---- kinds of values


def test_dates_are_compared_as_dates_however_they_are_written() -> None:
    jira = [{"created": text} for text in ("05/Feb/20 9:10 AM", "01/Jan/22 12:05 AM", "31/Dec/21 11:59 PM")]
    assert rows({"created": {">=": "01/Jan/22"}}, jira) == [1]
    assert rows({"created": {">=": "2022"}}, jira) == [1]
    assert rows({"created": {"<": date(2022, 1, 1)}}, jira) == [0, 2]
    assert rows({"created": {"==": "2021-12"}}, jira) == [2]
    assert rows({"created": date(2020, 2, 5)}, jira) == [0]
    iso = [{"created": text} for text in ("2020-02-05T09:10:00Z", "2022-01-01T00:30:00+01:00", "2022-01-01")]
    assert rows({"created": {"<": datetime(2022, 1, 1, tzinfo=UTC)}}, iso) == [0, 1]
    assert rows({"created": {"<=": "2021-12-31", ">": "2020"}}, iso) == [1]
    assert rows(parse_conditions(["created>=2022"]), iso) == [2]


def test_a_date_is_before_another_or_equal_or_after_it_and_never_two_of_these() -> None:
    days = [{"day": day} for day in ("2022-01-04", "2022-01-05", "2022-01-05T15:45:00", "2022-01-06")]
    for asked, found in {
        datetime(2022, 1, 5, tzinfo=UTC): ([0], [1], [2, 3]),
        datetime(2022, 1, 5, 15, 45, tzinfo=UTC): ([0, 1], [2], [3]),
        date(2022, 1, 5): ([0], [1, 2], [3]),
        "2022-01": ([], [0, 1, 2, 3], []),
    }.items():
        assert tuple(rows({"day": {sign: asked}}, days) for sign in ("<", "==", ">")) == found
        assert rows({"day": {"!=": asked}}, days) == sorted(found[0] + found[2])
        assert rows({"day": {"<=": asked}}, days) == found[0] + found[1]


def test_the_last_day_there_is_and_dates_as_mails_have_them() -> None:
    days = [{"until": "9999-12-31"}, {"until": "2022-01-05"}]
    assert rows({"until": {">": "2022-12-31"}}, days) == rows({"until": date.max}, days) == [0]
    mails = [{"at": "Wed, 5 Jan 2022 15:45:00 +0000"}, {"at": "Mon, 7 Feb 2022 09:00:00 +0100"}]
    assert rows({"at": {">=": "2022-02"}}, mails) == rows({"at": "2022-02-07"}, mails) == [1]


def test_python_dates_are_kept_and_found() -> None:
    index = build([("a", "kadan", {"day": date(2024, 1, 31)}), ("b", "kadan", {"day": date(2024, 2, 1)})])
    assert [s.id for s in index.search("kadan", where={"day": {">=": date(2024, 2, 1)}})] == ["b"]
    assert [s.id for s in index.search("kadan", where={"day": date(2024, 1, 31)})] == ["a"]
    assert index.info.kinds == {"day": "date"}


def test_values_of_numpy_and_pandas_are_kept_and_asked_for_as_pythons_own() -> None:
    numpy = [
        {
            "n": np.int64(3),
            "flag": np.True_,
            "at": np.datetime64("2022-01-05T10:00", "ns"),
            "tags": np.array(["x"]),
        },
        {
            "n": np.int64(4),
            "flag": np.False_,
            "at": np.datetime64("2022-03-01", "ns"),
            "tags": [np.str_("y")],
        },
    ]
    kept = [record_of(columns_of(numpy), row) for row in range(2)]
    assert kept[0] == {"n": 3, "flag": True, "at": "2022-01-05T10:00:00", "tags": ["x"]}
    assert kept[1]["tags"] == ["y"]
    for where in (
        {"n": np.int64(4)},
        {"n": [9, np.int64(4)]},
        {"n": {">": np.float32(3.5)}},
        {"flag": np.False_},
        {"at": {">=": np.datetime64("2022-02-01")}},
        {"at": np.datetime64("2022-03-01", "ns")},
        {"tags": np.str_("y")},
    ):
        assert rows(where, numpy) == [1], where
    index = build([(np.int64(7), "kadan", {"n": 1})])
    assert index.get(np.int64(7))["n"] == 1
    assert index.missing([np.int64(7), np.int64(8)]) == [8]


def test_decimals_uuids_and_sets_are_kept_as_numbers_texts_and_lists() -> None:
    records = [
        {
            "price": Decimal("1.50"),
            "key": UUID(int=1),
            "tags": {"b", "a"},
            "raw": b"x",
            "in": {"n": Decimal(2)},
        },
        {"price": Decimal(3), "key": UUID(int=2), "month": pd.Period("2022-01", "M")},
    ]
    kept = [record_of(columns_of(records), row) for row in range(2)]
    assert kept[0] == {"price": 1.5, "key": str(UUID(int=1)), "tags": ["a", "b"], "raw": "x", "in": {"n": 2}}
    assert kept[1] == {"price": 3, "key": str(UUID(int=2)), "month": "2022-01"}
    for where in (
        {"price": Decimal(3)},
        {"price": {">=": Decimal("2.5")}},
        {"price": {"in": {Decimal(3)}}},
        {"key": UUID(int=2)},
    ):
        assert rows(where, records) == [1], where
    index = build([(UUID(int=7), "kadan"), (Decimal(8), "lofel")])
    assert index.get(UUID(int=7))["text"] == "kadan"
    assert index.get(8)["text"] == "lofel"


def test_nan_nat_and_na_are_no_values() -> None:
    nothing = [float("nan"), np.float64("nan"), pd.NaT, np.datetime64("NaT"), pd.NA, Decimal("NaN"), None]
    records = [{"x": 1}, *({"x": value} for value in nothing), {}]
    columns = columns_of(records)
    assert [record_of(columns, row)["x"] for row in range(1, 8)] == [None] * 7
    assert json.loads(json.dumps(record_of(columns, 1), allow_nan=False)) == {"x": None}
    for value in nothing:
        assert rows({"x": value}, records) == list(range(1, 9)), value
        assert rows({"x": {"!=": value}}, records) == [0], value


def test_several_filters_may_all_be_asked_for() -> None:
    records = [{"n": 1}, {"n": 2}, {"n": 3}, {}]
    assert rows({"and": [{"n": {">": 1}}, lambda record: record.get("n", 9) < 3]}, records) == [1]
    assert rows({"and": [{"n": 1}], "n": 2}, records) == []
    assert rows({"or": [{"and": [{"n": 1}, {"n": 1}]}, {"n": None}]}, records) == [0, 3]
    with pytest.raises(OptionError, match='"and" takes a list'):
        rows({"and": {"n": 1}}, records)


def test_an_empty_list_is_no_value() -> None:
    records: list[Any] = [{"tags": ["a"]}, {"tags": []}, {"tags": None}, {}]
    for where in ({"tags": None}, {"tags": {"==": []}}, parse_conditions(["tags="])):
        assert rows(where, records) == [1, 2, 3], where
    assert rows({"tags": {"!=": None}}, records) == [0]
    assert rows({"tags": []}, records) == []  # one of no options, as in a list of what is allowed
    index = build([(i, "kadan kafel", record) for i, record in enumerate(records)])
    assert [found.id for found in index.search("tags:*")] == [0]
    counted = index.count_values("tags")
    assert (counted.counts, counted.without) == ({"a": 1}, 3)


def test_none_asks_for_what_has_no_value() -> None:
    records = [{"closed": "2022-01-05"}, {"closed": None}, {}]
    assert rows({"closed": None}, records) == rows(parse_conditions(["closed="]), records) == [1, 2]
    assert rows({"closed": {"!=": None}}, records) == rows(parse_conditions(["closed!="]), records) == [0]
    assert (
        rows({"closed": [None, "2022"]}, records)
        == rows(parse_conditions(["closed=,2022"]), records)
        == [0, 1, 2]
    )
    assert rows({"closed": {"not in": [None]}}, records) == [0]
    assert rows({"closed": {"!=": "2022-01-05"}}, records) == [1, 2]
    with pytest.raises(OptionError, match="cannot read the condition 'closed>'"):
        parse_conditions(["closed>"])


def test_a_date_that_may_be_two_is_settled_by_the_column_or_refused() -> None:
    settled = [{"day": "13/04/22"}, {"day": "03/04/22"}]
    assert rows({"day": {"<": "2022-04-10"}}, settled) == [1]
    with pytest.raises(
        OptionError, match="day holds text, among them values that are no dates of one format"
    ):
        rows({"day": {"<": "2022-04-10"}}, [{"day": "03/04/22"}, {"day": "05/06/22"}])


def test_yes_and_no_are_truth_values() -> None:
    records = [{"urgent": "Yes"}, {"urgent": "no"}]
    for where in (
        {"urgent": True},
        {"urgent": "yes"},
        *(parse_conditions([t]) for t in ("urgent=Yes", "urgent=true")),
    ):
        assert rows(where, records) == [0], where
    assert column_kinds(columns_of(records)) == {"urgent": "boolean"}


def test_what_cannot_be_compared_is_refused() -> None:
    records = [{"n": 3, "flag": True, "name": "ada", "when": "2020-01-01"}]
    for where, message in [
        ({"n": {">": "many"}}, "n holds numbers: > many"),
        ({"n": "many"}, "n holds numbers"),
        ({"when": {">": "soon"}}, "when holds dates: > soon"),
        ({"name": {">": 3}}, "name holds text"),
        ({"name": {">": date(2020, 1, 1)}}, "name holds text"),
        ({"flag": "perhaps"}, "flag holds true and false"),
    ]:
        with pytest.raises(OptionError, match=message):
            rows(where, records)
    assert rows({"name": {">": "abc"}}, records) == [0]


def test_numbers_and_truth_values_given_as_text_are_what_they_say() -> None:
    records = [{"n": "9", "flag": "True"}, {"n": "10", "flag": "false"}]
    assert rows({"n": {">": 9}}, records) == [1]
    assert rows(parse_conditions(["n>=10"]), records) == [1]
    assert rows({"flag": True}, records) == [0]
    assert rows({"tags": ["a"]}, [{"tags": ["a", "b"]}, {"tags": ["b"]}]) == [0]
    index = build([("a", "kadan", {"tags": ["x", "y"], "n": 1, "ok": False, "who": "me"})])
    assert index.info.kinds == {"n": "number", "ok": "boolean", "tags": "lists of text", "who": "text"}


@pytest.mark.parametrize(
    ("values", "kind", "over", "left"),
    [
        (["1.200,50", "3,5", "7"], "number, decimal comma", "4,25", {0, 2}),
        (["1,200.50", "3", "700"], "number, comma for thousands", 4, {0, 2}),
        (["1,200", "3", "700"], "text", None, set()),  # a thousand or one and a fifth
        (
            ["1/Mai/22 3:14 PM", "12/Dez/21 1:00 PM", "3/Okt/22 1:00 AM"],
            "date, month by name",
            "2022-03",
            {0, 2},
        ),
        (
            ["3/Oct/22 3:14 PM", "2021-12-01T00:00:00Z", "Jun 1, 2022"],
            "date",
            "2022-03",
            {0, 2},
        ),  # of two trackers
        (["1 juin 2022", "3 févr. 2021", "31 juil. 2022"], "date, month by name", "2022-01", {0, 2}),
    ],
)
def test_numbers_and_dates_are_read_as_other_countries_write_them(values, kind, over, left) -> None:
    index = build([(i, "kadan kafel lodan", {"n": value}) for i, value in enumerate(values)])
    assert index.info.kinds["n"] == kind
    if over is None:
        with pytest.raises(OptionError, match="holds text"):
            index.search("kadan", where={"n": {">": 4}})
    else:
        assert {s.id for s in index.search("kadan", where={"n": {">": over}})} == left
        assert {s.id for s in index.search(f"kadan n:>{over}")} == left


def test_numbers_with_commas_are_one_value_on_the_command_line_and_change_as_they_are_written() -> None:
    german = columns_of([{"price": price} for price in ("1,50", "4,90", "1.200,00", "3")])
    for condition, expected in (
        ("price=1,5", [0]),
        ("price!=1,50", [1, 2, 3]),
        ("price>=1.200", [2]),  # 1200, as the column writes it
        ("price<4.5", [0, 3]),
        ("price=4,9 | price=3", [1, 3]),
    ):
        where = parse_conditions([condition], german)
        assert np.flatnonzero(matching_rows(where, german, 4)).tolist() == expected, condition
    assert np.flatnonzero(matching_rows({"price": {">": "1.200"}}, german, 4)).tolist() == []
    english = columns_of([{"views": views} for views in ("1,200.5", "3,400", "20")])
    where = parse_conditions(["views=3,400"], english)
    assert np.flatnonzero(matching_rows(where, english, 3)).tolist() == [1]
    assert parse_assignments(["p=1.200", "q=2.5"], dict.fromkeys("pq", "number, decimal comma")) == {
        "p": "1.200",
        "q": 2.5,
    }


def test_a_value_with_a_comma_is_one_value_where_the_column_has_it() -> None:
    columns = columns_of([{"name": "Doe, John"}, {"name": "Doe"}])
    where = parse_conditions(["name=Doe, John"], columns)
    assert np.flatnonzero(matching_rows(where, columns, 2)).tolist() == [0]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1,5", "2,25", 3.5], "number, decimal comma"),
        (["1", 2.5], "number"),
        (["13/04/22", "03/04/22", "2022-05-01"], "date, day first"),
        (["yes", "no", True], "boolean"),
        (["03/04/22", "2022-05-01"], "text"),
        (["a", 1], "mixed"),
    ],
)
def test_a_value_written_otherwise_leaves_the_column_its_kind(values, kind) -> None:
    assert column_kinds(columns_of([{"x": value} for value in values])) == {"x": kind}


def test_dates_with_short_names_of_days_are_dates() -> None:
    records = [{"at": "Mi, 1 Feb 2023 14:15:00 +0100"}, {"at": "Fr, 3 Mär 2023 09:00:00 +0100"}]
    assert column_kinds(columns_of(records)) == {"at": "date, month by name"}
    assert rows({"at": {">=": "2023-03"}}, records) == [1]


def test_german_dates_with_full_stops_are_dates() -> None:
    records = [{"at": "01.Feb.23 2:15 PM"}, {"at": "15.Mai.23 11:05 AM"}, {"at": "31.Dez.22 11:59 PM"}]
    assert column_kinds(columns_of(records)) == {"at": "date, month by name"}
    assert rows({"at": {">=": "2023-02"}}, records) == [0, 1]


def test_a_number_finds_its_text_in_a_column_of_texts() -> None:
    records = [{"v": "9"}, {"v": "10b"}, {"v": "09"}]
    assert rows({"v": 9}, records) == [0]
    assert rows({"v": {"in": [9, "10b"]}}, records) == [0, 1]
    assert rows({"v": {"!=": 9}}, records) == [1, 2]
    with pytest.raises(OptionError, match="holds text"):
        rows({"v": {">": 8}}, records)
