"""The index on disk: what survives a kill, a flipped bit, a second writer and a newer version."""

from __future__ import annotations

import json
import math
import mmap
import os
import re
import struct
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from typing import Any

import pytest

from lexicloud.errors import BrokenIndex, StorageError
from lexicloud.search import SentenceIndex, verify_index
from lexicloud.store import files
from lexicloud.store import folder as folder_store
from lexicloud.store.folder import MANIFEST, locked, read_manifest, sign
from lexicloud.vectors import WordVectors

from .toy import VECTORS, answers, arrays, build, toy_vectors

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [
    ("a", "kadan kafel kagos kahin kajat"),
    ("b", "lodan lofel logos lohin lojat"),
    ("c", "midan mifel migos mihin mijat"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build([(name, text, {"kind": name}) for name, text in TEXTS]).save(tmp_path / "index")
    return tmp_path / "index"


def segment_file(folder: Path) -> Path:
    """The one file of an index of one segment."""
    (name,) = [key for key in read_manifest(folder)["files"] if re.fullmatch("s[0-9a-f]{12}", key)]
    return folder / read_manifest(folder)["files"][name]["file"]


def place_in(file: Path, array: str) -> tuple[int, int, int]:
    """Where an array begins and ends in a segment's file, and the size of its numbers."""
    data = file.read_bytes()[128:]  # behind NumPy's own header
    _, length, _ = struct.unpack("<8sII", data[:16])
    kind, shape, at = json.loads(data[16 : 16 + length])[array]
    first = 128 + -(-(16 + length) // 64) * 64 + at
    size = int(kind[2:])
    return first, first + size * math.prod(shape), size


def rewrite_header(folder: Path, array: str, entry: list[Any]) -> None:
    """Say something else of an array, with every checksum as it should be."""
    file = segment_file(folder)
    data = bytearray(file.read_bytes())
    _, length, _ = struct.unpack("<8sII", data[128:144])
    entries = json.loads(data[144 : 144 + length])
    entries[array] = [new if new is not None else old for new, old in zip(entry, entries[array], strict=True)]
    text = json.dumps(entries).encode().ljust(length)
    assert len(text) == length, "the new header is longer: choose a shorter change"
    data[128 : 144 + length] = struct.pack("<8sII", b"LEXIARR1", length, zlib.crc32(text)) + text
    file.write_bytes(bytes(data))


def opened(folder: Path) -> SentenceIndex:
    return SentenceIndex.open(folder, vectors=VECTORS)


# ---- saving and opening


def test_opening_gives_what_was_saved(folder: Path) -> None:
    index = build([(name, text, {"kind": name}) for name, text in TEXTS])
    assert arrays(opened(folder)) == arrays(index)
    assert answers(opened(folder), "kadan lofel the") == answers(index, "kadan lofel the")
    assert opened(folder).info.path == str(folder)


def test_arrays_are_mapped_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = opened(folder).database
    assert segment_file(folder).stat().st_size < folder_store._READ  # a small file is read, and not kept open
    assert isinstance(database.postings.base.base, bytes)
    monkeypatch.setattr(folder_store, "_READ", 0)
    database = opened(folder).database
    assert isinstance(database.postings.base.base, mmap.mmap)
    assert database.vectors.base is database.postings.base  # one map for all
    with pytest.raises(ValueError, match="read-only"):
        database.vectors[0] = 1


def test_saving_elsewhere_leaves_the_first_folder_alone(folder: Path, tmp_path: Path) -> None:
    index = opened(folder)
    before = sorted(p.name for p in folder.iterdir())
    index.save(tmp_path / "copy")
    index.add([("d", "rudan")])
    assert sorted(p.name for p in folder.iterdir()) == before
    assert len(opened(tmp_path / "copy")) == 4


def test_a_folder_of_something_else_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("Chapter 1", encoding="utf-8")
    with pytest.raises(StorageError, match="choose an empty or new folder"):
        build(["kadan"]).save(tmp_path)
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "Chapter 1"


def test_ids_keep_their_kind(tmp_path: Path) -> None:
    index = build([(7, "kadan"), ("7", "kafel"), (10**30, "kagos"), ("Ü\n", "kahin")])
    index.save(tmp_path / "i")
    assert opened(tmp_path / "i").database.identifiers[:] == [7, "7", 10**30, "Ü\n"]


# ---- readers and writers


def test_a_reader_keeps_what_it_opened_until_it_refreshes(folder: Path) -> None:
    reader, writer = opened(folder), opened(folder)
    before = answers(reader, "kadan lofel migos")
    writer.remove("a")
    writer.add([("d", "rudan rufel rugos")])
    writer.compact()
    assert answers(reader, "kadan lofel migos") == before
    assert len(reader) == 3
    assert reader.refresh()
    assert answers(reader, "kadan lofel migos") == answers(writer, "kadan lofel migos")
    assert not reader.refresh()


def test_a_writer_builds_on_what_others_wrote_meanwhile(folder: Path) -> None:
    first, second = opened(folder), opened(folder)
    first.add([("d", "rudan")])
    second.add([("e", "rufel")])
    second.remove("d")
    assert len(opened(folder)) == 4
    with pytest.raises(ValueError, match="'e' is in the index already"):
        first.add([("e", "rugos")])


def test_a_second_writer_waits_and_then_says_whom_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer, held, done = opened(folder), threading.Event(), threading.Event()

    def hold() -> None:
        with locked(folder):
            held.set()
            done.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(30)
    monkeypatch.setattr(files, "WAIT", 0.1)
    with pytest.raises(StorageError, match=rf"being written by process {os.getpid()}, and 0.1 seconds"):
        writer.add([("d", "rudan")])
    monkeypatch.setattr(files, "WAIT", 30.0)
    threading.Timer(0.1, done.set).start()
    writer.add([("d", "rudan")])  # waits until the other is done
    holder.join()
    assert len(opened(folder)) == 4


def test_opening_while_others_write_never_fails(folder: Path) -> None:
    failures: list[Exception] = []
    sizes: set[int] = set()
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                index = opened(folder)
                assert index.search("kadan lofel", min_tokens=1)
                sizes.add(len(index))
        except Exception as error:
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    writer = opened(folder)
    for i in range(8):
        writer.add([(f"n{i}", "rudan rufel"), (f"m{i}", "lofel rugos")])
        writer.remove(f"n{i}")
        writer.compact()
    done.set()
    for reader in readers:
        reader.join()
    assert failures == []
    assert sizes <= set(range(3, 13))


# ---- crashes


@pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked")
def test_a_writer_killed_at_any_step_leaves_the_old_index_or_the_new(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.search.killing", str(tmp_path)]
    run = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=True
    )
    reports = [json.loads(line) for line in run.stdout.splitlines()]
    for change in {r["change"] for r in reports}:
        of_change = [r for r in reports if r["change"] == change]
        old, new = of_change[0]["contents"], of_change[-1]["contents"]
        assert of_change[0]["killed"]
        assert not of_change[-1]["killed"]
        assert old == dict(TEXTS)
        assert (old == new) == (change == "compact")
        states = [r["contents"] for r in of_change]
        assert all(state in (old, new) for state in states), change
        assert len(states) > 5, "the writer was killed at few steps: is the counter blind?"
    assert all(r["problems"] == [] and r["later"] and r["rubbish"] == [] for r in reports)


# ---- damage


def damage(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(bytes(data))


def test_verify_names_the_file_that_was_damaged(folder: Path) -> None:
    for entry in read_manifest(folder)["files"].values():
        file = folder / entry["file"]
        sound = file.read_bytes()
        damage(file)
        (problem,) = verify_index(folder)
        assert str(file) in problem
        assert "checksum" in problem
        file.write_bytes(sound)
    assert verify_index(folder) == []


def test_a_file_cut_short_or_missing_is_named(folder: Path) -> None:
    file = segment_file(folder)
    file.write_bytes(file.read_bytes()[:-4])
    with pytest.raises(StorageError, match=f"{file.name} is missing or cut short"):
        SentenceIndex.open(folder)
    assert "bytes, expected" in verify_index(folder)[0]
    file.unlink()
    assert verify_index(folder) == [f"{file} is missing"]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda m: m.update(version=99), "format 99, this lexicloud reads up to 5: upgrade"),
        (lambda m: m.update(version=3), "of an older lexicloud, which is read no more: build it again"),
        (lambda m: m.update(kind="lexicloud corpus"), "holds a lexicloud corpus, not a lexicloud index"),
        (lambda m: m["meta"].pop("segments"), "does not fit its files"),
        (lambda m: m.pop("files"), "is damaged"),
    ],
    ids=["newer format", "older format", "another kind", "no segments", "no files"],
)
def test_a_manifest_that_does_not_fit_is_refused(folder: Path, edit: Any, message: str) -> None:
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    edit(manifest)
    manifest["checksum"] = "0" * 64
    (folder / MANIFEST).write_text(sign(json.dumps(manifest)), encoding="utf-8")
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    with pytest.raises(StorageError, match=message):
        SentenceIndex.open(folder)
    assert any(message in problem for problem in verify_index(folder))
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("postings", ["|O", None, None], "holds object"),
        ("postings", ["<i8", [1], None], "holds int64 in 1 dimensions, expected int32"),
        ("lengths", [None, [1], None], "entries, expected 1"),
        ("lengths", [None, [], None], "in 0 dimensions"),
        ("lengths", [None, None, 1], "lies outside of its file"),
        ("lengths", [None, [9], 9], "lies outside of its file"),
    ],
)
def test_a_header_never_decides_what_is_in_a_file(
    folder: Path, name: str, change: list[Any], message: str
) -> None:
    rewrite_header(folder, name, change)
    with pytest.raises(BrokenIndex, match=message):
        SentenceIndex.open(folder)
    assert verify_index(folder)


def test_every_byte_of_the_header_counts(folder: Path) -> None:
    file = segment_file(folder)
    sound = file.read_bytes()
    for place in range(128, 128 + 600, 13):
        damaged = bytearray(sound)
        damaged[place] ^= 1
        file.write_bytes(bytes(damaged))
        with pytest.raises(BrokenIndex, match="header of a file is damaged"):
            SentenceIndex.open(folder)


@pytest.mark.parametrize("change", [{"file": "../../other.npy"}, {"file": "lengths.g000000000000.npy"}])
def test_a_manifest_names_files_of_its_own_folder_alone(folder: Path, change: dict[str, Any]) -> None:
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    manifest["files"]["refinement_mean"].update(change)
    manifest["checksum"] = "0" * 64
    (folder / MANIFEST).write_text(sign(json.dumps(manifest)), encoding="utf-8")
    with pytest.raises(BrokenIndex, match="is no name of a file"):
        SentenceIndex.open(folder)
    assert any("is no name of a file" in problem for problem in verify_index(folder))


@pytest.mark.parametrize(
    "name",
    ["indptr", "indices", "postings_ptr", "postings", "df", "lengths", "column0_codes", "texts_offsets"],
)
def test_numbers_that_point_outside_are_refused_before_they_are_followed(folder: Path, name: str) -> None:
    file = segment_file(folder)
    _, end, size = place_in(file, name)
    data = bytearray(file.read_bytes())
    data[end - 2 * size + 3] = 0x7F  # the number before the last becomes huge
    file.write_bytes(bytes(data))
    with pytest.raises(StorageError, match="damaged"):
        opened(folder).search("kadan lofel", "setcover", min_tokens=1, where={"kind": "a"})
    assert verify_index(folder)


def test_ids_in_a_row_take_no_room_and_are_as_many_as_the_texts(tmp_path: Path) -> None:
    build(["kadan lofel", "kagos"]).save(tmp_path)
    assert [s.id for s in opened(tmp_path).search("kagos")] == [1]
    file = segment_file(tmp_path)
    _, end, _ = place_in(file, "identifier_range")
    data = bytearray(file.read_bytes())
    data[end - 1] = 0x7F  # the last id becomes huge
    file.write_bytes(bytes(data))
    with pytest.raises(BrokenIndex, match="not as many as its texts"):
        opened(tmp_path)


def test_every_byte_of_the_manifest_counts(folder: Path) -> None:
    sound = (folder / MANIFEST).read_bytes()
    for place in range(0, len(sound), 97):
        damaged = bytearray(sound)
        damaged[place] ^= 1
        (folder / MANIFEST).write_bytes(bytes(damaged))
        assert verify_index(folder), place
    for end in range(0, len(sound), 501):
        (folder / MANIFEST).write_bytes(sound[:end])
        assert verify_index(folder), end


def test_what_is_no_index_says_so(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="not a folder saved by lexicloud"):
        SentenceIndex.open(tmp_path / "nothing")
    (tmp_path / MANIFEST).write_text("{", encoding="utf-8")
    with pytest.raises(StorageError, match="cannot be read"):
        SentenceIndex.open(tmp_path)
    with pytest.raises(BrokenIndex, match="in memory only"):
        build(["kadan"]).verify()


# ---- vectors


def test_other_vectors_are_refused(folder: Path) -> None:
    with pytest.raises(BrokenIndex, match=r"index of other vectors: it was built with toy .* not with other"):
        SentenceIndex.open(folder, vectors=toy_vectors(seed=1, name="other"))


def test_words_of_a_query_outside_the_index_are_embedded_by_its_vectors(folder: Path) -> None:
    found = opened(folder).search("unseen strange", min_tokens=1)
    assert {m.near for s in found for m in s.matches} <= {"unseen", "strange", "(overall meaning)"}
    assert found
    assert found.unknown == ()


def test_without_the_vectors_unknown_words_are_reported(folder: Path) -> None:
    index = SentenceIndex.open(folder)  # "toy" is no vectors that load_vectors could find
    found = index.search("kadan unseen", min_tokens=1)
    assert found.unknown == ("unseen",)
    assert found[0].id == "a"
    assert "unseen" in " ".join(found.notes)
    with pytest.raises(BrokenIndex, match="vectors toy of this index cannot be loaded"):
        index.add(["rudan"])


def test_vectors_that_changed_under_their_name_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "v.txt"
    file.write_text("kadan 1 0\nkafel 0 1\nunseen 1 1\n", encoding="utf-8")
    SentenceIndex.build(["kadan kafel"], vectors=file).save(tmp_path / "i")
    assert SentenceIndex.open(tmp_path / "i").search("unseen", min_tokens=1)
    file.write_text("kadan 1 0\nkafel 0 1\nunseen 2 1\n", encoding="utf-8")
    with pytest.raises(BrokenIndex, match="index of other vectors"):
        SentenceIndex.open(tmp_path / "i").search("unseen", min_tokens=1)


def test_adding_with_vectors_given_by_hand(folder: Path) -> None:
    same = WordVectors(VECTORS.words, VECTORS.matrix, "toy")
    index = SentenceIndex.open(folder, vectors=same)
    index.add([("d", "unseen rudan")])
    assert len(index) == 4
