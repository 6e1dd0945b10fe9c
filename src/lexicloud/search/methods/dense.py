"""Sentence embeddings beside the words (`dense=`): one exact pass over all texts.

    score = related + DENSE · σ · (cosine − mean cosine) / spread of cosines

σ is the spread of the scores of `related` over all texts. This is the sum of two z-scores, in the units of `related`,
so that the reasons still add up. Embeddings come from an array, any callable, or a model by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.neighbours import any_array
from lexicloud.neighbours.any_array import is_foreign
from lexicloud.search.arrays import derived
from lexicloud.search.candidates import ScoredRow
from lexicloud.search.items import match
from lexicloud.search.methods.bm25_scores import (
    TOPIC,
    Best,
    query_topic,
    scorer_of,
    topic_vectors,
    whole_weights,
)
from lexicloud.search.methods.related import finds_among, same_texts, scored_rows, wanted_terms
from lexicloud.vectors.static_embeddings import load_static_embeddings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database
    from lexicloud.search.find import SearchOptions
    from lexicloud.search.methods.bm25_scores import Plain
    from lexicloud.search.methods.related import Wanted
    from lexicloud.search.postings import CutTexts
    from lexicloud.search.query import Query
    from lexicloud.vectors.static_embeddings import StaticEmbeddings
    from lexicloud.words.reason import Reason

    Embed = Callable[[Sequence[str]], NDArray[np.float32]]

DENSE: Final = 0.6  # tuned on fifteen labelled tasks with wordllama (docs/search-measured.md)
EMBEDDING: Final = "(embedding)"  # the word of its reason
# For an index: keep the static embeddings that come with the package. For a search: use what the index keeps.
AUTO: Final = "auto"


def search(
    database: Database,
    query: Query,
    options: SearchOptions,
    vectors: NDArray[np.float32],
    asked: NDArray[np.float32],
) -> list[ScoredRow]:
    """Rank all texts by words and embeddings together; `vectors` has a row of unit length for each text."""
    wanted = wanted_terms(database, query)
    lexical, topics = _lexical(database, query, wanted)
    cosines = _cosines(vectors, asked)
    spread = float(lexical.std()) or 1.0
    lift = DENSE * spread * (cosines - cosines.mean()) / max(float(cosines.std()), 1e-12)
    scores = lexical + lift
    scorer = scorer_of(database)
    allowed = scorer.allowed(options)
    rows = np.flatnonzero(allowed) if len(allowed) else np.arange(len(scores))
    order = rows[np.lexsort((rows, -scores[rows]))[: options.top + 2]].tolist()
    those = same_texts(database, query, order)
    order = [order[i] for i in finds_among(database, query, options, order, those)][: options.top]
    best, places = _best(scorer, wanted, order, topics), list(range(len(order)))
    found = scored_rows(scorer, query, wanted, best, places, those)
    return [_explained(row, float(cosines[row.row]), float(lift[row.row])) for row in found]


def _cosines(vectors: Any, asked: Any) -> NDArray[np.float32]:
    """Return the cosine of each text with the query, computed where the embeddings are."""
    if is_foreign(vectors):
        return any_array.cosines(vectors, asked)
    return np.asarray(vectors @ (asked / max(float(np.linalg.norm(asked)), 1e-12)))


def _best(scorer: Plain, wanted: Wanted, order: list[int], topics: NDArray[np.float64]) -> Best:
    """Return what the terms add to the best texts."""
    rows = np.array(order, np.int32)
    whole, unit = whole_weights(wanted.weights) if len(wanted.terms) else (np.zeros(0, np.int32), 1.0)
    impacts = scorer.impacts(rows, wanted.terms)
    return Best(rows, impacts.astype(np.int64) @ whole / unit, topics[rows], whole, unit)


def _lexical(
    database: Database, query: Query, wanted: Wanted
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the score of every text by `related`, and what the topic adds to each."""
    if not len(wanted.terms):
        return np.zeros(len(database)), np.zeros(len(database))
    whole, unit = whole_weights(wanted.weights)
    scores = scorer_of(database).all_scores(wanted.terms, whole) / unit
    cosines = _topics(database) @ query_topic(database, query).astype(np.float32)
    topics = np.where(scores > 0, TOPIC * np.maximum(cosines, 0), 0.0)
    return scores + topics, topics


@derived
def _topics(database: Database) -> NDArray[np.float32]:
    """Return every text's topic at unit length, computed once."""
    from scipy import sparse

    shape = (len(database), len(database.words))
    starts = np.asarray(database.indptr, np.int64)
    rows = sparse.csr_array((database.counts, database.indices, starts), shape=shape)
    sums = rows.astype(np.float32) @ topic_vectors(database, np.arange(shape[1]))
    return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12), np.float32)


def _explained(found: ScoredRow, cosine: float, lift: float) -> ScoredRow:
    def reasons() -> tuple[Reason, ...]:
        assert callable(found.matches)
        return (*found.matches(), match(EMBEDDING, EMBEDDING, 1 - cosine, lift))

    return ScoredRow(found.row, found.score + lift, reasons, found.weak, found.same)


# ---- where embeddings come from


def embeddings_for(
    database: Database, query: Query, dense: Any, stored: str | None
) -> tuple[NDArray[np.float32], NDArray[np.float32]] | StaticEmbeddings | None:
    """Return the embeddings of all texts and of the query; None where the search is to do without.

    `dense` is what the caller gave: AUTO (what the index has), None, the query's vector, (matrix, vector), or a model.
    """
    kept = isinstance(dense, str) and dense in {AUTO, stored}
    width, kind = database.kept_embeddings
    if dense is None or dense is False or (kept and not width):
        return None
    if kept and stored and kind == np.int8:
        return load_static_embeddings(stored)
    if isinstance(dense, tuple) and is_foreign(dense[0]):
        if dense[0].ndim != 2 or dense[0].shape[0] != len(database):
            raise OptionError(_wrong_shape(tuple(dense[0].shape), len(database)))
        return dense
    if isinstance(dense, tuple):
        return unit_rows(dense[0], len(database)), np.asarray(dense[1], np.float32)
    if isinstance(dense, list | np.ndarray):
        return _checked(_kept(database), np.asarray(dense, np.float32))
    embed = embedder_of(None if kept else dense, stored)
    if embed is None:
        raise OptionError(
            "the index has embeddings but not their model: give it, or the query's vector, as dense="
        )
    return _checked(_of_texts(database, dense, embed), embed([query.text])[0])


def _of_texts(database: Database, model: Any, embed: Embed) -> NDArray[np.float32]:
    """Return the embeddings that the index keeps, or those of a model that was given, computed once."""
    width, kind = database.kept_embeddings
    if width and kind != np.int8:
        return _kept(database)
    known = _known_embeddings(database)
    if id(model) not in known:
        # The model is kept too, so that no other object can get its id.
        known[id(model)] = model, embed(list(database.texts))
    return known[id(model)][1]


def _kept(database: Database) -> NDArray[np.float32]:
    from lexicloud.search.methods.hybrid import unit_bytes

    return unit_bytes(database.dense) if database.dense.dtype == np.int8 else np.asarray(database.dense)


@derived
def _known_embeddings(_: Database) -> dict[int, tuple[Any, NDArray[np.float32]]]:
    """Return the embeddings of all texts by models that callers gave."""
    return {}


def _checked(
    vectors: NDArray[np.float32], asked: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    if asked.shape != vectors.shape[1:]:
        raise OptionError(
            f"the query's embedding has the shape {asked.shape}, those of the texts {vectors.shape[1:]}: use one model"
        )
    return vectors, asked


def embedder_of(model: Any, stored: str | None) -> Embed | None:
    """Return the embedder of a model that was given, or else of the one whose name the index keeps."""
    if model is None:
        if stored == "":
            raise OptionError(
                "this index keeps embeddings of a model without a name: give the model as dense="
            )
        return embedder(stored) if stored else None
    if isinstance(model, np.ndarray):
        return lambda texts: unit_rows(model, len(texts))
    return embedder(model)


def kept_embedder(model: Any, stored: str | None) -> Callable[[Sequence[str], CutTexts], Any] | None:
    """Return `embedder_of` in the form that an index keeps: static embeddings take a byte a coordinate.

    They are made from texts that are cut already.
    """
    from lexicloud.search.methods.hybrid import quantised

    embed = embedder_of(model, stored)
    if embed is None:
        return None
    if not stored or not (model is None or isinstance(model, str | Path)):
        return lambda texts, _: embed(texts)
    static = load_static_embeddings(str(model or stored))
    return lambda _, runs: quantised(static.encode_pieces(*runs))


def model_name(model: Any) -> str | None:
    """Return the name under which an index remembers a model; empty for one that only the caller has."""
    if model is None or model is False:
        return None
    return str(model) if isinstance(model, str | Path) else ""


def embedder(model: Any) -> Embed:
    """Return what turns texts into rows of unit length: a callable, an object with `encode` or `embed`, or a name."""
    if isinstance(model, str | Path):
        return load_static_embeddings(str(model)).encode
    call = next((getattr(model, name) for name in ("encode", "embed") if hasattr(model, name)), model)
    if not callable(call):
        raise OptionError(
            f"dense is a {type(model).__name__}: give a callable, a model with encode, or a name"
        )
    return lambda texts: unit_rows(call(list(texts)), len(texts))


def _wrong_shape(shape: tuple[int, ...], rows: int) -> str:
    return f"embeddings have the shape {shape}, but there are {rows:,} texts: give a row for each"


def unit_rows(found: Any, rows: int) -> NDArray[np.float32]:
    """Return embeddings as a matrix of unit rows, after checking its shape."""
    matrix = np.asarray(found, dtype=np.float32)
    if matrix.ndim != 2 or len(matrix) != rows:
        raise OptionError(_wrong_shape(matrix.shape, rows))
    if not np.isfinite(matrix).all():
        raise OptionError("embeddings hold nan or infinity: check the model")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.maximum(lengths, 1e-12), np.float32)
