"""Dropped files: text only, never unpacked, read within bounds."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.web.faults import Fault
from lexicloud.web.sources import year_in

if TYPE_CHECKING:
    from lexicloud.web.settings import Limits

# Formats that are text themselves. Archives (.epub, .docx, .gz) and .pdf are left to the command line: what has to be
# unpacked can be a thousand times its size.
KINDS: Final = (".txt", ".md", ".html", ".htm", ".csv", ".tsv", ".jsonl")


def read_upload(name: str, data: bytes, limits: Limits) -> dict[str, Any]:
    """Return the documents of one file, as plain values, with what reading did to it."""
    from lexicloud.text import read_documents

    kind = checked_kind(name, data, limits)
    with tempfile.TemporaryDirectory(prefix="lexicloud-") as folder:
        # The file's own name never becomes a path.
        path = Path(folder, f"upload{kind}")
        path.write_bytes(data)
        documents = read_documents(path)
    if len(documents) > limits.rows:
        raise Fault(413, f"{len(documents):,} rows, but {limits.rows:,} are taken", "send a shorter table")
    stem = name.replace("\\", "/").rpartition("/")[2].removesuffix(Path(name).suffix) or "text"
    alone = len(documents) == 1 and kind not in {".csv", ".tsv", ".jsonl"}
    found = []
    for number, document in enumerate(documents, 1):
        own = stem if alone else f"{stem} {document.name.removeprefix('upload').strip(' #-') or number}"
        if len(document.text) > limits.text:
            raise Fault(
                413,
                f"{own} has {len(document.text):,} characters, but {limits.text:,} are taken",
                "cut it in two",
            )
        found.append({"name": own, "text": document.text, "author": document.label, "year": year_in(own)})
    notes = [note.replace("upload" + kind, name) for document in documents for note in document.notes]
    return {"documents": found, "notes": notes}


def checked_kind(name: str, data: bytes, limits: Limits) -> str:
    """Return a file's ending if it may be read."""
    kind = Path(name.replace("\\", "/")).suffix.lower()
    if kind not in KINDS:
        raise Fault(
            415,
            f"{name[:80]!r} is not a text file",
            f"drop {', '.join(KINDS)}; the command line reads .epub, .docx, .pdf and .gz",
        )
    if len(data) > limits.upload:
        raise Fault(
            413,
            f"{name[:80]!r} has {len(data):,} bytes, but {limits.upload:,} are taken",
            "cut it, or start the server with --folder",
        )
    if not data.strip():
        raise Fault(422, f"{name[:80]!r} is empty", "drop a file with text in it")
    return kind
