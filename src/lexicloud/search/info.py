"""What an index holds and what it costs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lexicloud.search.snapshot import Snapshot


@dataclass(frozen=True)
class IndexInfo:
    """The size of an index; `bytes` is what its arrays take, on disk as in memory once all of it is read."""

    path: str | None
    sentences: int
    removed: int
    tokens: int
    words: int
    embedded: float  # the share of tokens with a vector
    segments: int
    metadata: tuple[str, ...]
    vectors: str
    fingerprint: str
    dimension: int
    language: str
    split: bool
    bytes: int

    @property
    def bytes_per_sentence(self) -> float:
        """The cost of a sentence, vocabulary and vectors shared out among all."""
        return self.bytes / self.sentences if self.sentences else float(self.bytes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**asdict(self), "bytes_per_sentence": self.bytes_per_sentence}


def describe(snapshot: Snapshot, path: str | None) -> IndexInfo:
    """Measure an index."""
    whole, database = snapshot.whole, snapshot.database
    living = whole.lengths if database.alive is None else whole.lengths[database.alive]
    totals = _tokens_with_vectors(snapshot)
    tokens = int(living.sum())
    return IndexInfo(
        path,
        sentences=database.n,
        removed=len(whole) - database.n,
        tokens=tokens,
        words=int((database.df > 0).sum()),
        embedded=totals / tokens if tokens else 0.0,
        segments=len(snapshot.segments),
        metadata=tuple(snapshot.columns),
        vectors=snapshot.source.name,
        fingerprint=snapshot.source.fingerprint,
        dimension=snapshot.source.dimension,
        language=snapshot.settings.rules.language,
        split=snapshot.settings.split,
        bytes=sum(segment.nbytes for segment in snapshot.segments.values()),
    )


def _tokens_with_vectors(snapshot: Snapshot) -> int:
    whole, alive = snapshot.whole, snapshot.alive
    counted = whole.embedded.repeat(whole.postings_ptr[1:] - whole.postings_ptr[:-1])
    if alive is not None:
        counted = counted & alive[whole.postings]
    return int(whole.postings_tf[counted].sum())
