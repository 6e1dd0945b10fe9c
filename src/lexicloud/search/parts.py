"""A part of an index that is searched with what is known of the whole.

Scores depend on all sentences by their words alone: which there are, how many sentences have each, how long sentences
are, how embeddings are spread. Parts add these up (`Whole`), and each then sees its own sentences over the words of the
whole and with its numbers: it scores them as one index of all sentences would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.search import arrays
from lexicloud.search.arrays import OF_WORDS, as_database
from lexicloud.search.ids import WordIds
from lexicloud.search.merging import join_words, pointers_of, union
from lexicloud.search.methods import bm25_scores
from lexicloud.store.folder import open_folder, save_folder
from lexicloud.vectors.word_hash import HashedWords

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database
    from lexicloud.search.segments import Snapshot
    from lexicloud.store.strings import PackedStrings

    Bag = tuple[int, NDArray[np.int32], NDArray[np.float64]]

KIND: Final = "lexicloud index in parts"
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
class Whole:
    """What is known of all sentences of an index."""

    words: PackedStrings
    terms: PackedStrings
    vectors: NDArray[np.float32]
    embedded: NDArray[np.bool_]
    stopwords: NDArray[np.bool_]
    punctuation: NDArray[np.bool_]
    df: NDArray[np.int64]  # living sentences that have each word
    term_df: NDArray[np.int64]
    term_counts: NDArray[np.int64]  # the same, removed sentences too
    classes: NDArray[np.int64]  # living sentences of each class of lengths
    living: int
    texts: int  # rows, removed ones too
    chance: tuple[float, ...] = ()
    centre: NDArray[np.float64] | None = None
    covariance: NDArray[np.float64] | None = None
    meta: dict[str, Any] | None = None  # what else the folder is to remember

    @classmethod
    def of(cls, snapshot: Snapshot) -> Whole:
        """Return what is known of one part."""
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
    def joined(cls, parts: Sequence[Whole]) -> Whole:
        """Add parts up."""
        words, maps = union([part.words for part in parts])
        terms, term_maps = union([part.terms for part in parts])
        of_words: dict[str, Any] = {
            name: join_words([getattr(p, name) for p in parts], maps, len(words)) for name in OF_WORDS
        }
        return cls(
            words=words,
            terms=terms,
            **of_words,
            df=_added([part.df for part in parts], maps, len(words)),
            term_df=_added([part.term_df for part in parts], term_maps, len(terms)),
            term_counts=_added([part.term_counts for part in parts], term_maps, len(terms)),
            classes=np.sum([part.classes for part in parts], axis=0),
            living=sum(part.living for part in parts),
            texts=sum(part.texts for part in parts),
        )

    def with_directions(self, samples: Sequence[NDArray[np.float32]]) -> Whole:
        """Return the same with the centre and covariance of embeddings, given what `hybrid.sampled` drew of parts."""
        from lexicloud.search.methods.hybrid import usual_directions

        centre, covariance = usual_directions(np.concatenate(samples))
        return replace(self, centre=centre, covariance=covariance)

    def random_bags(self) -> list[Bag]:
        """Return random queries, of which parts tell the best match each has; none for few texts."""
        if self.living < bm25_scores.FEWEST or not self.term_counts.sum():
            return []
        return bm25_scores.random_bags(pointers_of(self.term_counts), self._rarity)

    def _rarity(self, terms: NDArray[np.int32]) -> NDArray[np.float64]:
        df = self.term_df[terms].astype(np.float64)
        return np.where(df > 0, np.log1p((self.living - df + 0.5) / (df + 0.5)), 0.0)

    def with_chance(self, bags: list[Bag], best: Sequence[NDArray[np.float64]]) -> Whole:
        """Return the same with what random queries reach by chance, given what they reach in each part."""
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
    def open(cls, path: Path) -> Whole:
        """Open it memory-mapped."""
        folder = open_folder(path, KIND, VERSION, _TYPES.get)
        given = {name: folder.arrays.get(name) for name in _TYPES}
        numbers = {name: folder.meta[name] for name in ("living", "texts")}
        chance = tuple(folder.meta["chance"])
        return cls(**folder.strings, **given, **numbers, chance=chance, meta=folder.meta)  # type: ignore[arg-type]

    def seen_by(self, snapshot: Snapshot) -> Database:
        """Return the sentences of a part over the words of the whole, with its numbers."""
        segment = snapshot.whole
        words, terms = _places(self.words, segment.words), _places(self.terms, segment.terms)
        own = as_database(segment, snapshot.alive, snapshot.settings.rules, snapshot.source.refinement)
        database = replace(
            own,
            words=self.words,
            ids=WordIds(self.words),
            terms=self.terms,
            term_ids=WordIds(self.terms),
            **{name: getattr(self, name) for name in OF_WORDS},
            df_of_all=_added([segment.df], [words], len(self.words)).astype(np.int32),
            indices=words[segment.indices],
            postings_ptr=_spread(segment.postings_ptr, words, len(self.words)),
            term_starts=_spread(segment.term_starts, terms, len(self.terms)),
            chance=self.chance,
            n_of_whole=self.living,
            memory={},
        )
        arrays.see_as_part(database, self.df.astype(np.int32), self.term_df)
        bm25_scores.see_as_part(database, self.term_df, self.classes)
        if self.centre is not None and self.covariance is not None:
            from lexicloud.search.methods import hybrid

            hybrid.see_as_part(database, (np.asarray(self.centre), np.asarray(self.covariance)))
        return database


def _added(parts: Sequence[NDArray[Any]], maps: Sequence[NDArray[np.int32]], size: int) -> NDArray[np.int64]:
    out = np.zeros(size, np.int64)
    for part, places in zip(parts, maps, strict=True):
        out[places] += part
    return out


def _places(whole: PackedStrings, own: PackedStrings) -> NDArray[np.int32]:
    """Return where the words of a part are in the whole, in the same order, since both are sorted."""
    return HashedWords.build(whole).find(own).astype(np.int32)


def _spread(starts: NDArray[np.int64], places: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """Return where the lists of all words of the whole begin, most of which may be empty here."""
    sizes = np.zeros(size, np.int64)
    sizes[places] = np.diff(starts)
    return pointers_of(sizes)
