"""One part of an index, searched with the statistics of the whole.

A score depends on the other sentences only through a few statistics: which words there are, how many sentences have
each, how long sentences are, how embeddings are spread. The parts add these up (`Statistics`). Each part then numbers
its words as the whole does and uses these statistics, so that it scores its sentences as one index of all would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.search import arrays
from lexicloud.search.arrays import OF_WORDS, Database
from lexicloud.search.methods import bm25_scores
from lexicloud.search.whole import Whole, join_words, pointers_of, union
from lexicloud.store.folder import open_folder, save_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.segments import Snapshot
    from lexicloud.store.bundle import PackedStrings

    Bag = tuple[int, NDArray[np.int32], NDArray[np.float64]]

KIND: Final = "lexicloud index in parts"
WHOLE: Final = "whole"  # the folder of what all parts know, beside those of the parts
VERSION: Final = 1
_TYPES: Final = {
    "vectors": ("float32", 2),
    "embedded": ("bool", 1),
    "stopwords": ("bool", 1),
    "punctuation": ("bool", 1),
    "df": ("int64", 1),
    "term_df": ("int64", 1),
    "term_counts": ("int64", 1),
    "classes": ("int64", 1),
    "centre": ("float64", 1),
    "covariance": ("float64", 2),
}


@dataclass(frozen=True, eq=False)
class Statistics:
    """The statistics of all sentences of an index."""

    words: PackedStrings
    terms: PackedStrings
    vectors: NDArray[np.float32]
    embedded: NDArray[np.bool_]
    stopwords: NDArray[np.bool_]
    punctuation: NDArray[np.bool_]
    df: NDArray[np.int64]  # living sentences that have each word
    term_df: NDArray[np.int64]
    term_counts: NDArray[np.int64]  # sentences that have each term, removed ones too
    classes: NDArray[np.int64]  # living sentences of each class of lengths
    living: int
    texts: int  # rows, removed ones too
    chance: tuple[float, ...] = ()
    centre: NDArray[np.float64] | None = None
    covariance: NDArray[np.float64] | None = None
    meta: dict[str, Any] | None = None  # what else the folder is to remember

    @classmethod
    def of(cls, snapshot: Snapshot) -> Statistics:
        """Return the statistics of one part."""
        segment, database = snapshot.whole, snapshot.database
        of_words: dict[str, Any] = {name: np.asarray(getattr(segment, name)) for name in OF_WORDS}
        return cls(
            words=segment.words,
            terms=segment.terms,
            **of_words,
            df=database.df.astype(np.int64),
            term_df=np.asarray(database.term_df, np.int64),
            term_counts=np.diff(segment.term_starts).astype(np.int64),
            classes=bm25_scores.length_classes(database).astype(np.int64),
            living=database.living,
            texts=len(database),
        )

    @classmethod
    def joined(cls, parts: Sequence[Statistics]) -> Statistics:
        """Add up the statistics of parts."""
        words, maps = union([part.words for part in parts])
        terms, term_maps = union([part.terms for part in parts])
        of_words: dict[str, Any] = {
            name: join_words([getattr(p, name) for p in parts], maps, len(words)) for name in OF_WORDS
        }
        return cls(
            words=words,
            terms=terms,
            **of_words,
            df=join_words([part.df for part in parts], maps, len(words)),
            term_df=join_words([part.term_df for part in parts], term_maps, len(terms)),
            term_counts=join_words([part.term_counts for part in parts], term_maps, len(terms)),
            classes=np.sum([part.classes for part in parts], axis=0),
            living=sum(part.living for part in parts),
            texts=sum(part.texts for part in parts),
        )

    def with_directions(self, samples: Sequence[NDArray[np.float32]]) -> Statistics:
        """Return the same with the centre and covariance of embeddings, given the parts' `hybrid.sampled`."""
        from lexicloud.search.methods.hybrid import usual_directions

        centre, covariance = usual_directions(np.concatenate(samples))
        return replace(self, centre=centre, covariance=covariance)

    def random_bags(self) -> list[Bag]:
        """Return random queries, for which each part finds its best match; none for few texts."""
        if self.living < bm25_scores.FEWEST or not self.term_counts.sum():
            return []
        return bm25_scores.random_bags(pointers_of(self.term_counts), self._rarity)

    def _rarity(self, terms: NDArray[np.int32]) -> NDArray[np.float64]:
        df = self.term_df[terms].astype(np.float64)
        return np.where(df > 0, np.log1p((self.living - df + 0.5) / (df + 0.5)), 0.0)

    def with_chance(self, bags: list[Bag], best: Sequence[NDArray[np.float64]]) -> Statistics:
        """Return the same with the scores that random queries reach, given what they reach in each part."""
        chance = bm25_scores.shares_of(bags, np.max(best, axis=0)) if bags else ()
        return replace(self, chance=chance)

    def save(self, path: Path, meta: dict[str, Any]) -> None:
        """Write it to a folder, all or nothing."""
        kept: dict[str, Any] = {
            name: getattr(self, name) for name in _TYPES if getattr(self, name) is not None
        }
        numbers = {"living": self.living, "texts": self.texts, "chance": self.chance}
        strings = {"words": self.words, "terms": self.terms}
        save_folder(path, KIND, VERSION, arrays=kept, strings=strings, meta={**meta, **numbers})

    @classmethod
    def open(cls, path: Path) -> Statistics:
        """Open it memory-mapped."""
        folder = open_folder(path, KIND, VERSION, _TYPES.get)
        given = {name: folder.arrays.get(name) for name in _TYPES}
        numbers = {name: folder.meta[name] for name in ("living", "texts")}
        chance = tuple(folder.meta["chance"])
        return cls(**folder.strings, **given, **numbers, chance=chance, meta=folder.meta)  # type: ignore[arg-type]

    def seen_by(self, snapshot: Snapshot) -> Database:
        """Return a part as a database with the word numbers and the statistics of the whole."""
        of_words = {name: getattr(self, name) for name in OF_WORDS}
        database = Database(
            Whole.over(list(snapshot.segments.values()), self.words, self.terms, of_words),
            snapshot.source.refinement,
            snapshot.settings.rules,
            chance=self.chance,
            alive=snapshot.alive,
            n_of_whole=self.living,
        )
        arrays.see_as_part(database, self.df.astype(np.int32), np.asarray(self.term_df))
        bm25_scores.see_as_part(database, self.term_df, self.classes)
        if self.centre is not None and self.covariance is not None:
            from lexicloud.search.methods import hybrid

            hybrid.see_as_part(database, (np.asarray(self.centre), np.asarray(self.covariance)))
        return database
