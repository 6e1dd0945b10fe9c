"""Zip archives of texts, and tables that describe files."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from lexicloud.errors import InputError
from lexicloud.text import read_documents
from lexicloud.text.read import read_bytes
from tests.text.test_office import docx, said, zipped


def test_an_archive_is_read_like_a_folder() -> None:
    inside = zipped({"c.txt": "no"})
    files: dict[str, str | bytes] = {
        "novels/Emma.txt": "Emma Woodhouse.",
        "novels/Moby.docx": docx(said("Call me Ishmael.")),
        "about.csv": "file,author\nEmma.txt,Austen\nMoby.docx,Melville\n",
        "__MACOSX/novels/._Emma.txt": "no",
        "cover.jpg": b"\xff\xd8",
        "inner.zip": inside,
    }
    found = read_bytes(zipped(files), "all.zip", label="author")
    assert [(d.name, d.text, d.label) for d in found] == [
        ("novels/Emma", "Emma Woodhouse.", "Austen"),
        ("novels/Moby", "Call me Ishmael.", "Melville"),
    ]
    assert found[0].notes[:2] == (
        "1 file is an archive inside an archive and left out: inner.zip",
        "1 file is of unknown kind and ignored: cover.jpg",
    )
    assert [d.label for d in read_bytes(zipped(files), "all.zip", label="@folder")] == ["novels", "novels"]


def test_an_archive_in_a_folder_gives_its_texts(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.")
    (tmp_path / "more.zip").write_bytes(zipped({"b.txt": "Two.", "../c.txt": "Three."}))
    found = [(d.name, d.text) for d in read_documents(tmp_path)]
    assert found == [("a", "One."), ("more/b", "Two.")]  # a name that leads elsewhere is passed over


def test_locked_and_damaged_archives_are_refused() -> None:
    locked = bytearray(zipped({"a.txt": "words"}))
    for mark in (b"PK\x01\x02", b"PK\x03\x04"):
        place = locked.index(mark) + (8 if mark == b"PK\x01\x02" else 6)
        locked[place] |= 1
    with pytest.raises(InputError, match=r"a\.zip.*locked with a password"):
        read_bytes(bytes(locked), "a.zip")
    damaged = zipped({"a.txt": "words " * 99})
    with pytest.raises(InputError, match=r"a\.zip is not a readable \.zip file"):
        read_bytes(damaged[:40] + b"\x00" * 9 + damaged[49:], "a.zip")
    with pytest.raises(InputError, match="packed in an unusual way"):
        read_bytes(_packed(zipfile.ZIP_BZIP2), "a.zip")


def _packed(method: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("a.txt", "words " * 99)
    return packed.getvalue()
