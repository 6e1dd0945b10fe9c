"""Files and folders on a full disk, behind links, on devices, and with two writers."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexicloud.errors import StorageError
from lexicloud.store import files
from lexicloud.store import folder as storage
from lexicloud.store.files import replace_bytes, replace_text
from lexicloud.store.folder import LOCK, MANIFEST, NUMBERS, change_folder, open_folder, save_folder

posix = pytest.mark.skipif(os.name != "posix", reason="links, devices and pipes of Unix")


def numbers(folder: Path) -> list[int]:
    return [int(n) for n in open_folder(folder, "thing", 1, lambda _: NUMBERS).arrays["numbers"]]


def save(folder: Path, *values: int) -> None:
    save_folder(folder, "thing", 1, arrays={"numbers": np.array(values), "more": np.zeros(1000)})


def full_after(monkeypatch: pytest.MonkeyPatch, flushes: int) -> None:
    """Let the disk be full from the n-th flush on."""
    left = [flushes]

    def flush(file: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device", file.name)

    monkeypatch.setattr(storage, "flush", flush)
    monkeypatch.setattr(files, "flush", flush)


# ---- one file


def test_a_file_is_replaced_whole_and_keeps_its_rights(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    replace_text(file, "one")
    file.chmod(0o640)
    replace_text(file, "two \udcff")
    assert file.read_text(encoding="utf-8") == "two ?"
    assert os.name != "posix" or file.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.txt"
    replace_text(file, "one")
    full_after(monkeypatch, 0)
    with pytest.raises(StorageError, match=r"a\.txt: the disk is full; free some room"):
        replace_text(file, "two")
    assert file.read_text(encoding="utf-8") == "one"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


@posix
def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    target, link = tmp_path / "target.txt", tmp_path / "here" / "link.txt"
    link.symlink_to(target)
    replace_bytes(link, b"through")
    assert link.is_symlink()
    assert target.read_bytes() == b"through"
    device = tmp_path / "null"
    device.symlink_to(os.devnull)
    replace_bytes(device, b"gone")
    assert device.is_symlink()
    assert Path(os.devnull).is_char_device()


@posix
def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    replace_bytes(pipe, b"through")
    reader.join()
    assert read == [b"through"]
    assert pipe.is_fifo()


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="it is a folder; name a file"):
        replace_text(tmp_path, "x")
    with pytest.raises(StorageError, match=r"b\.txt: No such file"):
        replace_text(tmp_path / "a" / "b.txt", "x")


# ---- a folder


@pytest.mark.parametrize("flushes", range(3))
def test_a_folder_on_a_full_disk_keeps_what_it_had_and_can_be_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flushes: int
) -> None:
    save(tmp_path / "f", 1, 2)
    before = sorted(p.name for p in (tmp_path / "f").iterdir())
    with monkeypatch.context() as patched:
        full_after(patched, flushes)
        with pytest.raises(StorageError, match="the disk is full"):
            save(tmp_path / "f", 3)
        with pytest.raises(StorageError, match="the disk is full"):
            change_folder(
                tmp_path / "f", "thing", 1, arrays={"numbers": np.array([4]), "other": np.array([5])}
            )
    assert numbers(tmp_path / "f") == [1, 2]
    assert sorted(p.name for p in (tmp_path / "f").iterdir()) == before
    save(tmp_path / "f", 6)
    assert numbers(tmp_path / "f") == [6]


@posix
def test_links_in_a_folder_from_a_stranger_lead_to_no_file_of_the_users(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("my own work", encoding="utf-8")
    for name in (MANIFEST, LOCK):
        (tmp_path / name.replace(".", "_")).mkdir()
        (tmp_path / name.replace(".", "_") / name).symlink_to(mine)
    save(tmp_path / "manifest_json", 1)  # the link gives way
    assert numbers(tmp_path / "manifest_json") == [1]
    with pytest.raises(StorageError, match=r"cannot write .*lock"):
        save(tmp_path / "lock", 1)
    assert mine.read_text(encoding="utf-8") == "my own work"


@posix
@pytest.mark.parametrize("name", [MANIFEST, "numbers"])
def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path: Path, name: str) -> None:
    save(tmp_path, 1)
    (file,) = tmp_path.glob(f"{name}*")
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(StorageError, match="no regular file"):
        numbers(tmp_path)


def test_what_does_not_fit_on_the_disk_is_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    save(tmp_path / "f", 1)
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=66_000))
    with pytest.raises(StorageError, match=r"needs 0\.07 MB and its disk has 0\.07 MB free"):
        save(tmp_path / "f", 2)
    assert numbers(tmp_path / "f") == [1]


def test_rubbish_of_a_crashed_writer_is_swept_before_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path / "f", 1)
    rubbish = tmp_path / "f" / "numbers.g0123456789ab.npy"
    rubbish.write_bytes(b"x")
    full_after(monkeypatch, 0)
    with pytest.raises(StorageError, match="the disk is full"):
        save(tmp_path / "f", 2)
    assert not rubbish.exists()


def test_an_interrupt_after_the_rename_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: Path) -> None:
        raise KeyboardInterrupt

    save(tmp_path / "f", 1)
    monkeypatch.setattr(storage, "_sync_directory", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(tmp_path / "f", 2)
    assert numbers(tmp_path / "f") == [2]
    assert storage.verify_folder(tmp_path / "f") == []


def test_savers_of_one_folder_take_turns(tmp_path: Path) -> None:
    failures: list[Exception] = []

    def work(value: int) -> None:
        try:
            for _ in range(5):
                save(tmp_path / "f", value)
        except Exception as error:
            failures.append(error)

    writers = [threading.Thread(target=work, args=(value,)) for value in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failures == []
    assert numbers(tmp_path / "f")[0] in range(4)
    assert storage.verify_folder(tmp_path / "f") == []
    named = {entry["file"] for entry in storage.read_manifest(tmp_path / "f")["files"].values()}
    assert {p.name for p in (tmp_path / "f").iterdir()} == named | {MANIFEST, LOCK}


# ---- one thing fails


def refusing(*_: Any, **__: Any) -> Any:
    raise OSError(errno.EIO, "Input/output error")


def test_a_lock_that_cannot_be_closed_takes_nothing_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written under it counts, so nobody may be told that it failed."""
    make = files._lock_file

    class Stuck:
        def __init__(self, path: Path) -> None:
            self.file = make(path)
            self.fileno = self.file.fileno

        def close(self) -> None:
            self.file.close()
            refusing()

    monkeypatch.setattr(files, "_lock_file", Stuck)
    save(tmp_path / "f", 1)
    assert numbers(tmp_path / "f") == [1]


@pytest.mark.parametrize("call", ["iterdir", "is_dir", "exists", "lstat"])
def test_a_system_that_does_not_tell_what_is_there_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    save(tmp_path / "f", 1)
    with monkeypatch.context() as broken:
        broken.setattr(Path, call, refusing)
        with contextlib.suppress(StorageError):
            save(tmp_path / "f", 2)
        with contextlib.suppress(StorageError):
            storage.read_manifest(tmp_path / "nowhere")
    assert numbers(tmp_path / "f") in ([1], [2])
    assert storage.verify_folder(tmp_path / "f") == []


def test_a_manifest_that_cannot_be_read_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path / "f", 1)
    with monkeypatch.context() as broken:
        broken.setattr(Path, "read_text", refusing)
        broken.setattr(Path, "lstat", refusing)
        assert storage._named(tmp_path / "f") is None
        with pytest.raises(StorageError, match="Input/output error"):
            save(tmp_path / "f", 2)
    assert numbers(tmp_path / "f") == [1]


def test_verify_names_a_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path / "f", 1)
    monkeypatch.setattr(storage, "_sha256", refusing)
    problems = storage.verify_folder(tmp_path / "f")
    assert len(problems) == 2
    assert all(problem.endswith("cannot be read: Input/output error") for problem in problems)
