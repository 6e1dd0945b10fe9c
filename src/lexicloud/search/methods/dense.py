"""Sentence embeddings beside the words (`dense=`): one exact pass over all texts.

    score = related + DENSE · σ · (cosine − mean cosine) / spread of cosines

σ is the spread of the scores of `related` over all texts: the sum of both as z-scores, kept in its units so that the
reasons still add up. Embeddings come from an array, any callable, or a model by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import MissingExtra, OptionError
from lexicloud.search.database import ScoredRow
from lexicloud.search.items import Match
from lexicloud.search.methods.bm25_scores import (
    TOPIC,
    Best,
    query_topic,
    scorer_of,
    topic_vectors,
    whole_weights,
)
from lexicloud.search.methods.related import finds_among, scored_rows, wanted_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.database import Database, Query
    from lexicloud.search.find import SearchOptions
    from lexicloud.search.methods.bm25_scores import Plain
    from lexicloud.search.methods.related import Wanted

    Embed = Callable[[Sequence[str]], NDArray[np.float32]]

DENSE: Final = 0.6  # tuned on fifteen labelled tasks with wordllama (docs/search-measured.md)
EMBEDDING: Final = "(embedding)"  # what reasons call it
NAMES: Final = ("wordllama",)


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
    cosines = vectors @ (asked / max(float(np.linalg.norm(asked)), 1e-12))
    spread = float(lexical.std()) or 1.0
    lift = DENSE * spread * (cosines - cosines.mean()) / max(float(cosines.std()), 1e-12)
    scores = lexical + lift
    scorer = scorer_of(database)
    allowed = scorer.allowed(options)
    rows = np.flatnonzero(allowed) if len(allowed) else np.arange(len(scores))
    order = rows[np.lexsort((rows, -scores[rows]))[: options.top + 2]].tolist()
    order = [order[i] for i in finds_among(database, query, options, order)][: options.top]
    found = scored_rows(scorer, wanted, _best(scorer, wanted, order, topics), list(range(len(order))))
    return [_explained(row, float(cosines[row.row]), float(lift[row.row])) for row in found]


def _best(scorer: Plain, wanted: Wanted, order: list[int], topics: NDArray[np.float64]) -> Best:
    """Return what the terms add to the best texts."""
    rows = np.array(order, np.int32)
    whole, unit = whole_weights(wanted.weights) if len(wanted.terms) else (np.zeros(0, np.int32), 1.0)
    impacts = scorer.impacts(rows, wanted.terms)
    return Best(rows, impacts.astype(np.int64) @ whole / unit, topics[rows], whole, unit)


def _lexical(
    database: Database, query: Query, wanted: Wanted
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the score of every text as `related` has it, and what the topic adds to each."""
    if not len(wanted.terms):
        return np.zeros(len(database)), np.zeros(len(database))
    whole, unit = whole_weights(wanted.weights)
    scores = scorer_of(database).all_scores(wanted.terms, whole) / unit
    cosines = _topics(database) @ query_topic(database, query).astype(np.float32)
    topics = np.where(scores > 0, TOPIC * np.maximum(cosines, 0), 0.0)
    return scores + topics, topics


def _topics(database: Database) -> NDArray[np.float32]:
    """Return every text's topic at unit length, computed once."""
    if "topics" not in database.cache:
        from scipy import sparse

        shape = (len(database), len(database.words))
        starts = np.asarray(database.indptr, np.int64)
        rows = sparse.csr_array((database.counts, database.indices, starts), shape=shape)
        sums = rows.astype(np.float32) @ topic_vectors(database, np.arange(shape[1]))
        database.cache["topics"] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    topics: NDArray[np.float32] = database.cache["topics"]
    return topics


def _explained(found: ScoredRow, cosine: float, lift: float) -> ScoredRow:
    def reasons() -> tuple[Match, ...]:
        assert callable(found.matches)
        return (*found.matches(), Match(EMBEDDING, EMBEDDING, 1 - cosine, lift))

    return ScoredRow(found.row, found.score + lift, reasons)


# ---- where embeddings come from


def embeddings_for(
    database: Database, query: Query, dense: Any, stored: str | None
) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
    """Return the embeddings of all texts and of the query; None where the search is to do without.

    `dense` is what the caller gave: None (what the index has), False, the query's vector, (matrix, vector), or a model.
    """
    if dense is False or (dense is None and not database.dense.shape[1]):
        return None
    if isinstance(dense, tuple):
        return unit_rows(dense[0], len(database)), np.asarray(dense[1], np.float32)
    if isinstance(dense, list | np.ndarray):
        return _checked(database.dense, np.asarray(dense, np.float32))
    embed = embedder_of(dense, stored)
    if embed is None:
        raise OptionError(
            "the index has embeddings but not their model: give it, or the query's vector, as dense="
        )
    return _checked(_of_texts(database, dense, embed), embed([query.text])[0])


def _of_texts(database: Database, model: Any, embed: Embed) -> NDArray[np.float32]:
    """Return the embeddings that the index keeps, or those of a model that was given, computed once."""
    if database.dense.shape[1]:
        return database.dense
    key = ("dense", id(model))
    if key not in database.cache:
        # The model is kept too, so that no other object can come by its number.
        database.cache[key] = model, embed(list(database.texts))
    vectors: NDArray[np.float32] = database.cache[key][1]
    return vectors


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


def model_name(model: Any) -> str | None:
    """Return the name under which an index remembers a model; empty for one that only the caller has."""
    if model is None or model is False:
        return None
    return str(model) if isinstance(model, str | Path) else ""


def embedder(model: Any) -> Embed:
    """Return what turns texts into rows of unit length: a callable, an object with `encode` or `embed`, or a name."""
    if isinstance(model, str | Path):
        return _named(str(model))
    call = next((getattr(model, name) for name in ("encode", "embed") if hasattr(model, name)), model)
    if not callable(call):
        raise OptionError(
            f"dense is a {type(model).__name__}: give a callable, a model with encode, or a name"
        )
    return lambda texts: unit_rows(call(list(texts)), len(texts))


def unit_rows(found: Any, rows: int) -> NDArray[np.float32]:
    """Return embeddings as a matrix of unit rows, after checking its shape."""
    matrix = np.asarray(found, dtype=np.float32)
    if matrix.ndim != 2 or len(matrix) != rows:
        raise OptionError(
            f"embeddings have the shape {matrix.shape}, but there are {rows:,} texts: give a row for each"
        )
    if not np.isfinite(matrix).all():
        raise OptionError("embeddings hold nan or infinity: check the model")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.maximum(lengths, 1e-12), np.float32)


@cache
def _named(name: str) -> Embed:
    if name == "wordllama":
        return _wordllama()
    if Path(name).is_dir():
        return _model2vec(name)
    raise OptionError(f"no embeddings {name!r}: give {', '.join(NAMES)}, or the folder of a model2vec model")


def _model2vec(path: str) -> Embed:
    try:
        from model2vec import StaticModel
    except ImportError:
        raise MissingExtra("an embedding model of model2vec", "dense") from None
    model = StaticModel.from_pretrained(path)
    return lambda texts: unit_rows(model.encode(list(texts)), len(texts))


def _wordllama() -> Embed:
    """Read the vectors and the tokenizer that the package carries; nothing is downloaded."""
    from importlib.util import find_spec

    found = find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        raise MissingExtra("the embeddings of wordllama", "dense")
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtra("the embeddings of wordllama", "dense") from None
    folder = Path(next(iter(found.submodule_search_locations)))
    weights = next((folder / "weights").glob("*_256.safetensors"))
    table = next(iter(load_file(weights).values())).astype(np.float32)
    tokenizer = Tokenizer.from_file(str(next((folder / "tokenizers").glob("*_tokenizer_config.json"))))
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        out = np.zeros((len(texts), table.shape[1]), np.float32)
        for i, found in enumerate(tokenizer.encode_batch(list(texts), add_special_tokens=False)):
            if found.ids:
                out[i] = table[found.ids].mean(axis=0)
        return unit_rows(out, len(texts))

    return embed
