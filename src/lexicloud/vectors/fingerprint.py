"""A checksum of a vector table that costs milliseconds."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.storage import PackedStrings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# 64 evenly spaced rows: enough to tell apart tables of the same words, few enough for a file that is still on disk.
ROWS: Final = 64


def fingerprint(words: Sequence[str], matrix: NDArray[np.float32]) -> str:
    """Hash the shape, all words and evenly spaced rows (first and last among them) into 16 hexadecimal digits.

    It depends on content alone: the same vectors have the same fingerprint from whichever file they came.
    """
    digest = hashlib.sha256(f"{matrix.shape[0]}x{matrix.shape[1]}".encode())
    digest.update(_letters(words))
    for row in np.unique(np.linspace(0, len(words) - 1, ROWS).astype(np.int64)) if len(words) else ():
        digest.update(words[int(row)].encode("utf-8", "surrogatepass") + b"\0")
        # Adding zero turns −0 into 0: they are equal numbers with different bytes.
        digest.update(np.asarray(matrix[int(row)], dtype="<f4").__add__(np.float32(0)).tobytes())
    return digest.hexdigest()[:16]


def _letters(words: Sequence[str]) -> bytes:
    if isinstance(words, PackedStrings):
        return words.blob.tobytes()
    return "".join(words).encode("utf-8", "surrogatepass")
