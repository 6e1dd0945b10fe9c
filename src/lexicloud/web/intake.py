"""Indexing the sentences of texts that a person brought, in a process that can be killed."""

from __future__ import annotations

import os
from pathlib import Path
from shutil import disk_usage, rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Final

from lexicloud.web import processes

if TYPE_CHECKING:
    from lexicloud.search import SentenceIndex
    from lexicloud.web.sources import Library, Source

_ROOM: Final = 1 << 30  # bytes; several times the index of the largest request


class Intake:
    """Indexes texts in a process that can be killed, and passes the index to the server through a folder in memory."""

    def __init__(self, library: Library, source: Source) -> None:
        self._library, self._source = library, source
        self._folder = _private_folder() if processes.AVAILABLE else None
        self._version = source.version
        self._made: SentenceIndex | None = None

    def work(self) -> None:
        """Index the texts."""
        made = self._source.built()
        if self._folder is None:
            self._made = made
        else:
            made.save(self._folder)

    def then(self, _: Any) -> None:
        """Let the source use the new index; the folder is removed, since the index is memory-mapped."""
        from lexicloud.search import SentenceIndex

        if self._folder is not None:
            self._made = SentenceIndex.open(self._folder)
            shared = self._source.vectors()
            if shared is not None and self._made.info.fingerprint == shared.fingerprint:
                self._made = SentenceIndex.open(self._folder, vectors=shared)
        assert self._made is not None
        if (
            self._source.version == self._version
        ):  # otherwise the texts changed meanwhile, and are indexed again
            self._source.take(self._made)
        self._clear()

    def failed(self) -> None:
        """Remove the folder and the source; a shelf stays."""
        if self._source.kind == "texts":
            self._library.discard(self._source)
        self._clear()

    def _clear(self) -> None:
        if self._folder is not None:
            rmtree(self._folder, ignore_errors=True)


def _private_folder() -> Path:
    """Make a folder that nobody else can read: in memory where there is room, else on disk."""
    memory = Path("/dev/shm")  # noqa: S108 — made with a random name, for this user alone
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and disk_usage(memory).free > _ROOM
    return Path(mkdtemp(prefix="lexicloud-", dir=memory if roomy else None))
