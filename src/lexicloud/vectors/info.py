"""What `lexicloud vectors info` says about a vector table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lexicloud.result import TabularResult
from lexicloud.vectors.catalogue import cached
from lexicloud.vectors.load import builtin_folder

if TYPE_CHECKING:
    import pandas as pd

    from lexicloud.vectors.word_vectors import WordVectors

# Common words with clear company; where a file has none of them, words of its own stand in.
PROBES: Final = ("king", "water", "red", "london", "quickly", "roi", "wasser", "agua", "acqua", "вода")
SHOWN: Final = 3


@dataclass(frozen=True)
class VectorsInfo(TabularResult):
    """The facts of a vector table; `nearest` shows at a glance whether its neighbours make sense."""

    name: str
    format: str
    words: int
    dimension: int
    bytes: int
    subwords: bool
    fingerprint: str
    repairs: dict[str, int]
    nearest: dict[str, list[tuple[str, float]]]

    @classmethod
    def of(cls, vectors: WordVectors, source: str | Path | None = None, k: int = 5) -> VectorsInfo:
        """Look at a table; `source` is where it was loaded from."""
        return cls(
            vectors.name,
            vectors.format,
            len(vectors),
            vectors.dimension,
            _size(source) or vectors.matrix.nbytes,
            vectors.subwords is not None,
            vectors.fingerprint,
            vectors.repairs,
            {word: vectors.nearest(word, k) for word in _probes(vectors)},
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each of the nearest words that are shown, with its distance."""
        import pandas as pd

        rows = [(word, *near) for word, found in self.nearest.items() for near in found]
        return pd.DataFrame(rows, columns=["word", "near", "distance"])

    def __str__(self) -> str:
        return f"{self.name}: {self.words:,} words, {self.dimension} dimensions, {self.format}"


def _probes(vectors: WordVectors) -> list[str]:
    known = [word for word in PROBES if word in vectors]
    if len(known) < SHOWN:
        # Words from a little below the top: the first ones of a file are punctuation and particles.
        start = min(500, len(vectors) // 2)
        known += [w for w in vectors.words[start : start + 50] if len(w) > 3 and w.isalpha()]
    return known[:SHOWN] or list(vectors.words[:1])


def _size(source: str | Path | None) -> int:
    """Return the size on disk of a file, a folder, a fetched source, or of what is built in."""
    path = builtin_folder() if source is None else Path(source).expanduser()
    if not path.exists():
        path = cached(str(source)) or builtin_folder()
    files = [path] if path.is_file() else [p for p in path.iterdir() if p.is_file()]
    return sum(p.stat().st_size for p in files)
