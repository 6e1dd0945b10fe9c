"""An index that is written as texts arrive is the one that is built at once."""

from __future__ import annotations

import gzip
import json
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from lexicloud.errors import InputError, OptionError, StorageError
from lexicloud.search import SentenceIndex, streaming
from lexicloud.search.methods import hybrid
from lexicloud.search.segments import with_added
from lexicloud.search.store import ARRAYS, write_change
from lexicloud.search.streaming import files_to_read, from_files, in_chunks, limit_of
from lexicloud.store import bundle
from lexicloud.store.folder import open_folder, save_folder
from lexicloud.text.streamed import table_rows
from lexicloud.text.tables import read_csv
from tests.search.toy import VECTORS, arrays, build

TEXTS = [
    f"{a} kadan {b} number {i}"
    for i, (a, b) in enumerate(zip(["lofel", "migos", "ruhin"] * 8, "abcdefgh" * 3, strict=True))
]


@pytest.fixture
def three_texts(monkeypatch):
    """A limit of memory that three texts fill."""
    monkeypatch.setattr(streaming, "_TEXT", 2**20)
    monkeypatch.setattr(streaming, "_CHARACTER", 0)
    monkeypatch.setattr(streaming, "_BASE", streaming.LEAST - 3 * 2**20)
    return streaming.LEAST


@pytest.mark.parametrize("most", [4, 48])
def test_chunks_become_the_segment_of_one_build(tmp_path, three_texts, monkeypatch, most):
    monkeypatch.setattr(streaming, "_SEGMENTS", most)
    path = tmp_path / "index"
    index = SentenceIndex.build_on_disk(
        path, iter(TEXTS), memory=three_texts, vectors=VECTORS, dense="wordllama"
    )
    assert arrays(index) == arrays(build(TEXTS, dense="wordllama"))
    assert index.verify() == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["index"]


def test_what_stops_a_build_leaves_what_was_there(tmp_path, three_texts):
    path = tmp_path / "index"
    build(["lofel kadan"]).save(path)
    broken = chain(TEXTS, [("a", 7)])
    with pytest.raises(InputError, match="has no text"):
        SentenceIndex.build_on_disk(path, broken, memory=three_texts, vectors=VECTORS, dense=None)
    assert len(SentenceIndex.open(path)) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["index"]


def test_an_id_that_comes_twice_is_refused_across_chunks(tmp_path, three_texts):
    items = [(i % 7, text) for i, text in enumerate(TEXTS)]
    with pytest.raises(OptionError, match="is in the index already"):
        SentenceIndex.build_on_disk(tmp_path / "i", items, memory=three_texts, vectors=VECTORS, dense=None)


def test_records_of_several_fields_are_read_by_them_in_every_chunk(tmp_path, three_texts):
    records = [
        {"id": f"r{i}", "title": text.split()[0], "body": text, "n": i} for i, text in enumerate(TEXTS)
    ]
    how = {"text": {"title": 3, "body": 1}, "vectors": VECTORS, "dense": None, "meta": ["n"]}
    index = SentenceIndex.build_on_disk(tmp_path / "index", iter(records), memory=three_texts, **how)
    assert arrays(index) == arrays(SentenceIndex.build(records, **how))
    assert index.get("r20").items() >= records[20].items()


def test_memory_is_a_size_that_something_can_be_done_in():
    assert limit_of("2G") == 2**31
    with pytest.raises(OptionError, match="such as 2G"):
        limit_of("two")
    with pytest.raises(OptionError, match="at least 700M"):
        limit_of("10M")


def test_chunks_hold_every_item_once_and_keep_to_the_limit(three_texts):
    chunks = list(in_chunks(TEXTS, three_texts))
    assert list(chain.from_iterable(chunks)) == TEXTS
    assert {len(chunk) for chunk in chunks} == {3}


def test_rows_of_tables_are_read_one_after_the_other(tmp_path):
    rows = [{"id": f"r{i}", "body": text, "year": i} for i, text in enumerate(TEXTS[:3])]
    lines = tmp_path / "rows.jsonl.gz"
    lines.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    table = tmp_path / "rows.csv"
    table.write_text("id,body,year\n" + "".join(f"{r['id']},{r['body']},{r['year']}\n" for r in rows))
    from_lines = list(from_files(files_to_read([str(lines)]), "body", "id", ["year"]))
    assert from_lines == [(r["id"], r["body"], {"year": r["year"]}) for r in rows]
    assert [item[:2] for item in from_files(files_to_read([str(table)]), "body", "id", ())] == [
        item[:2] for item in from_lines
    ]
    with pytest.raises(InputError, match="has no text in 'text'"):
        list(from_files(files_to_read([str(table)]), None, None, ()))


def test_parquet_is_read_in_batches(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    parquet.write_table(pa.table({"text": TEXTS, "n": list(range(len(TEXTS)))}), tmp_path / "rows.parquet")
    found = list(from_files(files_to_read([str(tmp_path / "rows.parquet")]), None, None, ["n"]))
    assert found == [(i, text, {"n": i}) for i, text in enumerate(TEXTS)]


def test_files_are_read_wherever_fsspec_reaches(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    rows = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS)
    for name, data in {
        "a.jsonl.gz": gzip.compress(rows.encode()),
        "b.txt": b"lofel kadan. migos ruhin.",
    }.items():
        with fsspec.open(f"memory://streamed/{name}", "wb") as file:
            file.write(data)
        (tmp_path / name).write_bytes(data)
    here = list(from_files(files_to_read([str(tmp_path)]), None, None, ()))
    assert here == [(i, text, {}) for i, text in enumerate(TEXTS)] + [("b", "lofel kadan. migos ruhin.")]
    for place in ("memory://streamed", f"file://{tmp_path}"):
        assert list(from_files(files_to_read([place]), None, None, ())) == here


@pytest.mark.parametrize("place", ["nowhere://a.jsonl", "memory://none.jsonl", "file:///none/a.parquet"])
def test_a_place_that_cannot_be_reached_is_one_line(place):
    pytest.importorskip("fsspec")
    with pytest.raises(InputError, match=r"^[^\n]*(cannot be read|no file)[^\n]*$"):
        list(from_files(files_to_read([place]), None, None, ()))


def test_a_build_takes_nothing_else_away(tmp_path, three_texts):
    for name in ("index.old", "index.building"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.txt").write_text("mine")
    build(["lofel kadan"]).save(tmp_path / "index")
    SentenceIndex.build_on_disk(tmp_path / "index", TEXTS, memory=three_texts, vectors=VECTORS, dense=None)
    assert len(SentenceIndex.open(tmp_path / "index")) == len(TEXTS)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["index", "index.building", "index.old"]
    assert all((tmp_path / name / "mine.txt").exists() for name in ("index.old", "index.building"))


def test_a_second_build_does_not_disturb_the_first(tmp_path, three_texts):
    how = {"memory": three_texts, "vectors": VECTORS, "dense": None}

    def texts():
        yield from TEXTS
        with ThreadPoolExecutor(1) as other, pytest.raises(StorageError, match="is being written"):
            other.submit(SentenceIndex.build_on_disk, tmp_path / "index", TEXTS, **how).result()

    assert len(SentenceIndex.build_on_disk(tmp_path / "index", texts(), **how)) == len(TEXTS)


def test_what_a_killed_build_left_is_swept_up(tmp_path, three_texts):
    build(["lofel kadan"]).save(tmp_path / ".index.building")
    SentenceIndex.build_on_disk(tmp_path / "index", TEXTS, memory=three_texts, vectors=VECTORS, dense=None)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["index"]


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="Linux tells which pages are resident")
def test_a_merge_lets_go_of_what_it_has_read(tmp_path):
    index = build([f"lofel kadan {i} " + "x" * 2_000 for i in range(600)], dense="wordllama")
    index.save(tmp_path / "index")
    for first in (1_000, 2_000):
        more = [(first + i, f"migos ruhin w{first + i} " + "y" * 2_000) for i in range(600)]
        write_change(
            tmp_path / "index", index.snapshot, with_added(index.snapshot, more, vectors=VECTORS, merge=False)
        )
        index = SentenceIndex.open(tmp_path / "index")
    whole = index.snapshot.whole
    for name in ARRAYS:
        assert sum(block.nbytes for block in whole.blocks(name)) == whole.blocks(name).nbytes
        assert _resident(tmp_path) < 2**18, name
    assert sum(file.stat().st_size for file in (tmp_path / "index").iterdir()) > 2**22


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="Linux tells which pages are resident")
def test_queries_leave_few_pages_of_a_huge_index_behind(tmp_path, monkeypatch):
    words = ("lofel", "migos", "ruhin", "senjat")
    build([f"{words[i % 4]} kadan {i} " + "x" * 1_000 for i in range(1_000)], dense="wordllama").save(
        tmp_path / "a"
    )
    monkeypatch.setattr(bundle, "KEPT", 0)
    monkeypatch.setattr(hybrid, "EVERY", 100)
    answers, resident = [], []
    for huge in (bundle.HUGE, 1):
        monkeypatch.setattr(bundle, "HUGE", huge)
        index = SentenceIndex.open(tmp_path / "a")
        index.prepare()
        assert bundle.in_huge_file(index.database.dense) == (huge == 1)
        queries = [(f"{word} kadan", dense) for word in words for dense in (None, "auto")]
        found = [index.search(query, dense=dense) for query, dense in queries]
        # Texts and reasons are read when they are looked at. The first index may still be open.
        resident.append(_resident(tmp_path) - sum(resident))
        answers.append([[(s.id, s.score, s.text, s.matches) for s in some] for some in found])
    assert answers[0] == answers[1]
    assert resident[1] < 0.5 * resident[0]


@pytest.mark.skipif(not hasattr(os, "pread"), reason="Windows maps all files")
def test_of_a_huge_file_rows_are_read_as_they_are_mapped(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    wide, long = rng.integers(0, 99, (9_000, 40), np.int32), rng.integers(0, 99, 70_000, np.int32)
    monkeypatch.setattr(bundle, "HUGE", 2**20)
    save_folder(tmp_path / "a", "numbers", 1, arrays={"wide": wide, "long": long})
    opened, handles = open_folder(tmp_path / "a", "numbers", 1).arrays, len([*Path("/dev/fd").iterdir()])
    assert bundle.in_huge_file(opened["wide"])
    assert not bundle.in_huge_file(opened["long"])
    rows = np.array([8_999, 0, 17, 17])
    assert bundle.rows_of(opened["wide"], rows).tolist() == wide[rows].tolist()
    assert bundle.rows_of(opened["long"], rows).tolist() == long[rows].tolist()
    runs = bundle.runs_of(opened["wide"], np.array([5, 8_000, 3]), np.array([7, 8_000, 4]))
    assert runs.tolist() == wide[[5, 6, 3]].tolist()
    with pytest.raises(StorageError, match="cut short"):
        bundle.runs_of(opened["wide"], np.array([8_999]), np.array([9_002]))
    del opened
    assert len([*Path("/dev/fd").iterdir()]) < handles


def _resident(folder):
    """Bytes of files of a folder that are mapped and in memory."""
    found, ours = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if not line.partition(":")[0].isalpha() and "-" in line.partition(" ")[0]:
            ours = str(folder) in line
        elif ours and line.startswith("Rss:"):
            found += 1024 * int(line.split()[1])
    return found


@pytest.mark.parametrize("start", ["", "sep=;\n", "\ufeff"])
def test_a_table_is_read_row_by_row_as_it_is_read_whole(tmp_path, start):
    """Semicolons, columns of one name, and delimiters behind the last value, as spreadsheets write them."""
    text = 'id;text;labels;labels;\n1;kadan;x;y;\n\n2;"lofel;\n migos";;z;\n'
    (tmp_path / "rows.csv").write_text(start + text, "utf-8")
    rows = [
        {k: v for k, v in row.items() if k != "column 5"} for row in table_rows(str(tmp_path / "rows.csv"))
    ]
    assert rows == list(read_csv(text, "rows.csv", repeated=True).rows)
    assert rows[0]["labels"] == ["x", "y"]
