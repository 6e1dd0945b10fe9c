"""A map of sentences, from their embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.maps.result import CorpusMap
from lexicloud.maps.telling import Telling
from lexicloud.plane.layout import lay_out_points, nearest_kept
from lexicloud.plane.naming import named_regions
from lexicloud.progress import stage
from lexicloud.vectors.static_embeddings import load_static_embeddings, unit
from lexicloud.zipf.sentence_means import mean_vectors, token_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

MOST: Final = 50_000  # sentences that a browser draws without a pause
_FEWEST: Final = 20
_WORDS: Final = (8, 60)  # shorter sentences say little, longer ones say several things
_AMONG: Final = 10
_COARSE, _FINE = 14, 48  # regions


def map_sentences(corpus: Corpus, n: int = 4000, *, seed: int = 0, kind: str = "author") -> CorpusMap:
    """Lay n random sentences out so that those about the same subject are together.

    English sentences are embedded by the static embeddings that come with lexicloud, others by the mean of their
    content words' vectors. Sentences under 8 and over 60 words are left out, and repeated ones count once.
    """
    if not _FEWEST <= n <= MOST:
        raise OptionError(f"n = {n:,}: a map of sentences has {_FEWEST} to {MOST:,} of them")
    whole = corpus if corpus.parents is not None else corpus.sentences()
    rows = _chosen(whole, n, seed)
    with stage(f"laying out {len(rows):,} sentences"):
        vectors = _embedded(whole, rows)
        places, near = lay_out_points(vectors - vectors.mean(axis=0), seed=seed)
    naming = Telling(whole, token_rows(whole)[rows], corpus.kinds if corpus is not whole else None)
    coarse = min(_COARSE, max(2, len(rows) // 40))
    regions, theme = named_regions(places, (coarse, min(_FINE, len(rows) // 60)), naming)
    texts = whole.texts or ()
    return CorpusMap(
        "sentence", places, tuple(whole.names[i].rpartition("#")[0] for i in rows),
        tuple(" ".join(texts[i].split()) for i in rows),
        None if whole.labels is None else tuple(whole.labels[i] for i in rows),
        np.ones(len(rows)), theme, regions, nearest_kept(near[:, 0], places, _AMONG), _AMONG, len(whole), kind,
        seed=seed,
    )  # fmt: skip


def _chosen(sentences: Corpus, n: int, seed: int) -> NDArray[np.int64]:
    """Return n distinct sentences of suitable length, in the order of the texts."""
    if sentences.texts is None:
        raise OptionError(
            "this corpus holds a sample, whose sentences are gone: draw the map before sampling"
        )
    lengths = np.diff(sentences.bounds)
    fit = np.flatnonzero((lengths >= _WORDS[0]) & (lengths <= _WORDS[1]))
    first = {sentences.texts[i]: i for i in fit[::-1].tolist()}
    rows = np.sort(np.array(list(first.values()), np.int64))
    if len(rows) < _FEWEST:
        raise OptionError(f"only {len(rows)} sentences of {_WORDS[0]} words and more: a map needs {_FEWEST}")
    return rows if len(rows) <= n else np.sort(np.random.default_rng(seed).choice(rows, n, replace=False))


def _embedded(sentences: Corpus, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    assert sentences.texts is not None
    if sentences.rules.language == "english":
        return load_static_embeddings().encode([sentences.texts[i] for i in rows])
    words = sentences.content & sentences.embedded
    counted = token_rows(sentences)
    held = np.asarray(counted[rows] @ words.astype(np.float32)).ravel() > 0
    means = np.zeros((len(rows), sentences.refined.shape[1]), np.float32)
    means[held] = mean_vectors(counted, sentences.refined, words, rows[held])
    return unit(means)
