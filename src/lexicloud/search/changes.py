"""From sentences to segments; adding and removing make a new snapshot that shares segments with the one before."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.corpus import Corpus
from lexicloud.errors import BrokenIndex, LexicloudError, OptionError
from lexicloud.progress import stage
from lexicloud.search.counts import count_texts
from lexicloud.search.filters import columns_of
from lexicloud.search.items import Items, read_items
from lexicloud.search.methods.dense import embedder_of
from lexicloud.search.segment import Identifiers, Segment, kept
from lexicloud.search.store import new_name
from lexicloud.storage import PackedStrings
from lexicloud.text import TokenRules, is_punctuation, stopwords
from lexicloud.vectors.load import WordLookup

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.items import Item, Items
    from lexicloud.search.methods.dense import Embed
    from lexicloud.search.query import Identifier
    from lexicloud.search.snapshot import Settings, Snapshot
    from lexicloud.vectors.load import WordLookup

    Sentences = Iterable[Item] | Mapping[Identifier, str] | Corpus | Items


def build_segment(
    items: Items,
    vectors: WordLookup,
    rules: TokenRules,
    workers: int | None = None,
    embed: Embed | None = None,
) -> Segment:
    """Count the words and terms of sentences and look their vectors up."""
    counted = count_texts(items.texts, rules, workers)
    words, rows, columns, terms = counted.words, counted.by_row, counted.by_word, counted.by_term
    with stage("looking up vectors", None):
        found = vectors.lookup(words)
    stop = stopwords(rules.language)
    texts = PackedStrings.pack(items.texts)
    return Segment(
        words=PackedStrings.pack(words),
        vectors=found.matrix,
        embedded=found.status > 0,
        stopwords=np.fromiter((w in stop for w in words), dtype=bool, count=len(words)),
        punctuation=np.fromiter((is_punctuation(w) for w in words), dtype=bool, count=len(words)),
        indptr=rows.indptr.astype(np.int64),
        indices=rows.indices.astype(np.int32),
        counts=rows.data,
        postings_ptr=columns.indptr.astype(np.int64),
        postings=columns.indices.astype(np.int32),
        postings_tf=columns.data,
        terms=PackedStrings.pack(counted.terms),
        term_starts=terms.indptr.astype(np.int64),
        term_rows=terms.indices.astype(np.int32),
        term_tf=terms.data,
        term_lengths=counted.term_lengths,
        lengths=counted.lengths,
        digests=_digests(texts),
        dense=np.zeros((len(items), 0), np.float32) if embed is None else embed(items.texts),
        texts=texts,
        identifiers=Identifiers.pack(items.identifiers),
        columns=columns_of(items.metadata),
    )


def _digests(texts: PackedStrings) -> NDArray[np.uint64]:
    """Hash every text to 64 bits: among a million sentences, two differ and share one once in 37 million times."""
    data, ends = texts.blob.tobytes(), texts.offsets.tolist()
    hashed = [blake2b(data[a:b], digest_size=8).digest() for a, b in pairwise(ends)]
    return np.frombuffer(b"".join(hashed), dtype="<u8").astype(np.uint64)


def with_added(
    snapshot: Snapshot,
    sentences: Sentences,
    *,
    vectors: WordLookup | None = None,
    overwrite: bool = False,
    workers: int | None = None,
    dense: Any = None,
) -> Snapshot:
    """Return the snapshot with one more segment; an id that is there already is an error unless `overwrite` is set."""
    raw = read_items(sentences, snapshot.next_number)
    raw.check_distinct()
    removed = _make_room(snapshot, raw.identifiers, overwrite=overwrite)
    items = _prepared(raw, snapshot.settings, sentences)
    if not len(items) and snapshot.segments:
        return replace(snapshot, removed=removed)
    looker = vectors or _vectors(snapshot)
    embed = embedder_of(dense, snapshot.settings.dense)
    segment = build_segment(items, looker, snapshot.settings.rules, workers, embed)
    if snapshot.settings.max_tokens is not None:
        segment = kept(segment, segment.lengths <= snapshot.settings.max_tokens)
    return replace(
        snapshot,
        segments={**snapshot.segments, new_name(): segment},
        removed=removed,
        next_number=_next_number(snapshot.next_number, raw),
    )


def _prepared(items: Items, settings: Settings, sentences: Sentences) -> Items:
    """Take boilerplate out and split, as the index was set up to do; a corpus of sentences is split already."""
    if settings.boilerplate:
        items = items.cleaned(settings.boilerplate)
    split = sentences.parents is None if isinstance(sentences, Corpus) else settings.split
    return items.split(settings.rules) if split else items


def _make_room(
    snapshot: Snapshot, names: Collection[Identifier], *, overwrite: bool
) -> dict[str, np.ndarray[tuple[int], np.dtype[np.int32]]]:
    there = snapshot.find(names) if snapshot.segments else {}
    if not overwrite and (segment := next((s for s, rows in there.items() if len(rows)), None)):
        name = snapshot.segments[segment].identifiers[int(there[segment][0])]
        count = sum(map(len, there.values()))
        raise OptionError(
            f"{name!r} is in the index already ({count:,} of the new ids are): remove it first, or overwrite it"
        )
    return snapshot.without(there)


def _vectors(snapshot: Snapshot) -> WordLookup:
    try:
        return snapshot.source.load()
    except BrokenIndex:
        raise
    except LexicloudError as error:
        raise BrokenIndex(
            f"the vectors {snapshot.source.name} of this index cannot be loaded ({error}): open it with vectors="
        ) from error


def _next_number(first: int, items: Items) -> int:
    numbers = (name for name in items.identifiers if isinstance(name, int))
    return max(first + len(items), 1 + max(numbers, default=-1))


def with_removed(snapshot: Snapshot, names: Collection[Identifier]) -> Snapshot:
    """Return the snapshot without the sentences (or all sentences of the documents) of these ids."""
    rows = snapshot.find(names)
    _check_found(snapshot, names, rows)
    return replace(snapshot, removed=snapshot.without(rows)).inheriting(snapshot)


def as_written(snapshot: Snapshot, names: Collection[str]) -> list[Identifier]:
    """Return the ids that some texts stand for: a string where there is one, otherwise the number it spells."""
    strings = {name for name in names if any(map(len, snapshot.find([name]).values()))}
    return [name if name in strings or not name.lstrip("-").isdecimal() else int(name) for name in names]


def _check_found(
    snapshot: Snapshot,
    names: Collection[Identifier],
    rows: Mapping[str, np.ndarray[tuple[int], np.dtype[np.int32]]],
) -> None:
    missing = set(names)
    for name, segment in snapshot.segments.items():
        found = rows[name]
        missing -= {segment.identifiers[int(i)] for i in found}
        if "document" in segment.columns:
            missing -= {segment.columns["document"].value(int(i)) for i in found}
    if missing:
        first = min(missing, key=str)
        more = f" (and {len(missing) - 1:,} more)" if len(missing) > 1 else ""
        raise OptionError(f"no sentence or document has the id {first!r}{more}: nothing was removed")
