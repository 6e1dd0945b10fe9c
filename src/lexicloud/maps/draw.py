"""Maps of words, sentences and texts, with the words that distinguish a region from the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.divergences import divergence_matrix
from lexicloud.errors import OptionError
from lexicloud.maps.result import CorpusMap
from lexicloud.plane.layout import AMONG, lay_out_points, nearest_kept
from lexicloud.plane.naming import distinct_words, named_regions
from lexicloud.progress import stage
from lexicloud.say.blocks import listed
from lexicloud.vectors.static_embeddings import load_static_embeddings, unit
from lexicloud.words.keyness import log_odds
from lexicloud.words.kinds import CONTENT
from lexicloud.zipf.projection import Projection, project_words
from lexicloud.zipf.sentence_means import mean_vectors, token_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.matrix import DivergenceMatrix

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


_FEWEST_TEXTS: Final = 3
_EACH: Final = 9  # texts of an average region
_MOST_REGIONS: Final = 12  # regions that can be read at once


def map_texts(
    corpus: Corpus, matrix: DivergenceMatrix | None = None, *, method: str = "smoothed", kind: str = "author"
) -> CorpusMap:
    """Lay texts out so that those with similar words are together; a `matrix` is used if it was computed before.

    >>> from lexicloud.corpus import Corpus
    >>> texts = {"sea": "The ship sailed the waves.", "port": "A boat in the harbour.", "soup": "Onions in the pan."}
    >>> map_texts(Corpus.from_texts(texts)).names
    ('sea', 'port', 'soup')
    """
    if len(corpus) < _FEWEST_TEXTS:
        raise OptionError(f"{len(corpus)} texts: a map needs at least {_FEWEST_TEXTS}")
    matrix = matrix or divergence_matrix(corpus, method, skip_bad=True)
    texts = corpus.subset(matrix.names)
    places, distances = matrix.coordinates(), matrix.distances()
    order = np.argsort(np.where(np.eye(len(matrix), dtype=bool), np.inf, distances), axis=1, kind="stable")
    about = min(_MOST_REGIONS, len(matrix) // _EACH)
    regions, theme = (
        named_regions(places, (about, 0), Telling(texts, texts.counts, share=0.5))
        if about > 1
        else ((), None)
    )
    told = tuple(f"nearest: {listed([matrix.names[j] for j in row[:3]])}" for row in order[:, :-1])
    lengths = texts.lengths / max(1, texts.lengths.max())
    return CorpusMap(
        "text", places, matrix.names, told, texts.labels, lengths,
        np.zeros(len(matrix), np.int64) if theme is None else theme,
        regions, nearest_kept(order[:, 0], places), AMONG, len(corpus), kind,
    )  # fmt: skip


def map_words(corpus: Corpus, n: int = 2000, *, seed: int = 0) -> Projection:
    """Lay the n most frequent content words out so that words of similar meaning are together."""
    return project_words(corpus, "tsne", n=n, seed=seed, mask=corpus.content, refined=True)


WORDS: Final = 3
_LONG: Final = 3  # letters; shorter words are mostly abbreviations and slips
_SPREAD: Final = 4  # a word must occur in so many of a region's points, or in half of a small region


class Telling:
    """Names groups of rows of a corpus by their key words, which are content words but not names.

    At least `share` of a group's rows must have the word. For sentences this is 0, because few share any word.
    """

    def __init__(
        self,
        corpus: Corpus,
        rows: sparse.csr_array,
        kinds: NDArray[np.int8] | None = None,
        share: float = 0.0,
    ) -> None:
        self.share = share
        self.words = corpus.vocabulary
        self.rows = rows.tocsr().copy()
        self.rows.sum_duplicates()  # a word that occurs twice in a row may be stored twice
        kinds = corpus.kinds if kinds is None else kinds
        long = np.array([len(word) >= _LONG and word.isalpha() for word in corpus.vocabulary])
        self.allowed = (kinds == CONTENT) & long
        self.totals = np.asarray(rows.sum(axis=0), dtype=np.float64).ravel()
        held = np.bincount(self.rows.indices, minlength=len(self.totals))
        # A word that most points have (upon, subject, per) says nothing about any of them, however frequent it is.
        self.rare = np.sqrt(np.log(max(2, rows.shape[0]) / np.clip(held, 1, rows.shape[0])))

    def __call__(self, chosen: NDArray[np.int64]) -> tuple[str, ...]:
        """Return the three most telling words of some rows."""
        part = self.rows[chosen]
        inside = np.asarray(part.sum(axis=0), dtype=np.float64).ravel()
        held = np.bincount(part.indices, minlength=len(inside))
        enough = held >= max(min(_SPREAD, max(1, len(chosen) // 2)), self.share * len(chosen))
        z = np.where(
            self.allowed & enough & (inside > 0), log_odds(inside, self.totals - inside) * self.rare, 0.0
        )
        order = [i for i in np.argsort(-z, kind="stable")[:40].tolist() if z[i] > 0]
        return distinct_words([self.words[i] for i in order], WORDS)
