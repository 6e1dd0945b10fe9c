"""Merging: an index that grows by single texts never has many segments, and answers as one that was built at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.errors import StorageError
from lexicloud.search import METHODS, SentenceIndex, segments, verify_index
from lexicloud.search.merging import MOST, RATIO, concat_segments, merge_from
from lexicloud.store.folder import read_manifest

from .toy import VECTORS, WORDS, answers, arrays, build, records, sentences

ROOT = Path(__file__).resolve().parents[2]


def sizes_after(additions: list[int]) -> tuple[list[int], int]:
    """The sizes of the segments after some additions, and how many sentences were written for them in all."""
    sizes, written = list[int](), 0
    for size in additions:
        sizes.append(size)
        first = merge_from(sizes)
        sizes = [*sizes[:first], sum(sizes[first:])]
        written += sizes[-1]
        assert len(sizes) <= MOST
        assert all(s >= RATIO * sum(sizes[i + 1 :]) for i, s in enumerate(sizes[:-1]))
    return sizes, written


def test_the_cost_of_an_addition_grows_with_the_logarithm_at_most() -> None:
    costs = [sizes_after([1] * n)[1] / n for n in (100, 1_000, 10_000, 100_000)]
    # Levels of a factor of RATIO + 1, each rewritten at most RATIO + 1 times a sentence, half of that on average.
    assert all(cost < 6 * level for cost, level in zip(costs, (2.2, 3.3, 4.4, 5.5), strict=True)), costs


@given(st.lists(st.integers(1, 10**6), max_size=40))
def test_there_are_never_more_than_eight_segments(additions: list[int]) -> None:
    sizes, _ = sizes_after(additions)
    assert sum(sizes) == sum(additions)


def grown(parts: list[list[Any]]) -> SentenceIndex:
    """An index of one segment for each part, none of them merged."""
    index = build(parts[0])
    for part in parts[1:]:
        index._snapshot = segments.with_added(index._snapshot, part, vectors=VECTORS, merge=False)
    return index


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.tuples(sentences, records), min_size=1, max_size=3), min_size=2, max_size=5),
    st.lists(st.sampled_from([*WORDS, "unseen"]), min_size=1, max_size=5),
)
def test_several_segments_answer_as_one(parts: Any, words: list[str]) -> None:
    numbered = iter(range(100))
    named = [[(next(numbered), text, record) for text, record in part] for part in parts]
    several, one = grown(named), build([item for part in named for item in part])
    assert several.info.segments == len(parts)
    for method in METHODS:
        assert answers(several, " ".join(words), method) == answers(one, " ".join(words), method), method
    several.compact()
    assert arrays(several) == arrays(one)


def test_removing_most_of_a_segment_writes_it_anew(tmp_path: Path) -> None:
    build([(n, f"kadan lofel {WORDS[n]}") for n in range(10)]).save(tmp_path / "i")
    index = SentenceIndex.open(tmp_path / "i", vectors=VECTORS)
    index.remove([0, 1, 2])
    assert index.info.removed == 3
    index.remove([3, 4, 5])
    assert (index.info.removed, index.info.sentences) == (0, 4)
    assert verify_index(tmp_path / "i") == []


# ---- few files may be open

_ADDITIONS = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
from tests.search.toy import VECTORS, build
from lexicloud.search import SentenceIndex
folder, many = sys.argv[1], int(sys.argv[2])
build([("first", "kadan lofel")]).save(folder)
index = SentenceIndex.open(folder, vectors=VECTORS)
most = 0
for n in range(many):
    index.add([(f"t{n}", f"kadan mifel rugos {n}")])
    most = max(most, index.info.segments)
found = [s.id for s in SentenceIndex.open(folder, vectors=VECTORS).search(f"rugos {many - 1}", top=1)]
print(json.dumps({"sentences": len(index), "most": most, "found": found}))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="limits of open files are set otherwise there")
def test_two_hundred_additions_with_64_open_files(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _ADDITIONS, str(tmp_path / "i"), "200"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    told = json.loads(run.stdout)
    assert told == {"sentences": 201, "most": told["most"], "found": ["t199"]}
    assert told["most"] <= MOST
    assert len(read_manifest(tmp_path / "i")["files"]) <= 2 * MOST + 2


@pytest.mark.parametrize("step", ["open", "mmap", "iterdir"])
def test_what_fails_after_the_manifest_counts_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Too many open files once the new manifest is in its place: the addition is done, and is said to be."""
    build([("a", "kadan lofel")]).save(tmp_path / "i")
    index = SentenceIndex.open(tmp_path / "i", vectors=VECTORS)
    from lexicloud.store import folder

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError(24, "Too many open files")

    def published(*arguments: Any, **options: Any) -> None:
        publish(*arguments, **options)
        if step == "iterdir":
            monkeypatch.setattr(Path, "iterdir", refuse)
        else:
            monkeypatch.setattr(folder, "_contents" if step == "mmap" else "_require_regular", refuse)

    publish = folder._publish
    monkeypatch.setattr(folder, "_publish", published)
    index.add([("b", "mifel rugos")])
    assert [s.id for s in index.search("mifel rugos", top=1)] == ["b"]
    monkeypatch.undo()
    with pytest.raises(ValueError, match="'b' is in the index already"):
        index.add([("b", "mifel rugos")])
    assert len(SentenceIndex.open(tmp_path / "i")) == 2


@pytest.mark.parametrize("error", [StorageError("cannot be read"), MemoryError()])
@pytest.mark.parametrize("change", ["save", "compact"])
def test_saving_and_compacting_are_done_though_nothing_can_be_read_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, error: Exception
) -> None:
    from lexicloud.search import index as module

    index = build([("a", "kadan lofel"), ("b", "mifel rugos")])
    index.save(tmp_path / "i")

    def refuse(*_: Any) -> Any:
        raise error

    def saved(*arguments: Any) -> None:
        save(*arguments)
        monkeypatch.setattr(module, "open_snapshot", refuse)

    save = module.save_snapshot
    monkeypatch.setattr(module, "save_snapshot", saved)
    index.save(tmp_path / "i") if change == "save" else index.compact()
    assert [s.id for s in index.search("mifel rugos", top=1)] == ["b"]
    monkeypatch.undo()
    index.remove("a")  # takes up what is on the disk
    assert len(SentenceIndex.open(tmp_path / "i")) == len(index) == 1


def test_what_fails_before_leaves_the_old_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build([("a", "kadan lofel")]).save(tmp_path / "i")
    index = SentenceIndex.open(tmp_path / "i", vectors=VECTORS)
    from lexicloud.store import folder

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError(24, "Too many open files")

    for name in ("_publish", "_write_file", "_sync_directory"):
        with monkeypatch.context() as broken:
            if name == "_sync_directory":  # suppressed where it matters little; here the rename itself fails
                broken.setattr(Path, "replace", refuse)
            else:
                broken.setattr(folder, name, refuse)
            with pytest.raises(StorageError, match="Too many open files"):
                index.add([("b", "mifel rugos")])
        assert len(index) == len(SentenceIndex.open(tmp_path / "i")) == 1
    index.add([("b", "mifel rugos")])
    assert len(SentenceIndex.open(tmp_path / "i")) == 2
    assert verify_index(tmp_path / "i") == []


def test_joining_one_segment_copies_nothing() -> None:
    (segment,) = build(["kadan"])._snapshot.segments.values()
    assert concat_segments([segment]) is segment
