"""A map of texts, from the divergences of all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.divergences import divergence_matrix
from lexicloud.errors import OptionError
from lexicloud.maps.result import CorpusMap
from lexicloud.maps.telling import Telling
from lexicloud.plane.layout import AMONG, nearest_kept
from lexicloud.plane.naming import named_regions
from lexicloud.say.blocks import listed

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.divergences.matrix import DivergenceMatrix

_FEWEST: Final = 3
_EACH: Final = 9  # texts of an average region
_MOST: Final = 12  # regions that can be read at once


def map_texts(
    corpus: Corpus, matrix: DivergenceMatrix | None = None, *, method: str = "smoothed", kind: str = "author"
) -> CorpusMap:
    """Lay texts out so that those with similar words are together; a `matrix` is used if it was computed before.

    >>> from lexicloud.corpus import Corpus
    >>> texts = {"sea": "The ship sailed the waves.", "port": "A boat in the harbour.", "soup": "Onions in the pan."}
    >>> map_texts(Corpus.from_texts(texts)).names
    ('sea', 'port', 'soup')
    """
    if len(corpus) < _FEWEST:
        raise OptionError(f"{len(corpus)} texts: a map needs at least {_FEWEST}")
    matrix = matrix or divergence_matrix(corpus, method, skip_bad=True)
    texts = corpus.subset(matrix.names)
    places, distances = matrix.coordinates(), matrix.distances()
    order = np.argsort(np.where(np.eye(len(matrix), dtype=bool), np.inf, distances), axis=1, kind="stable")
    about = min(_MOST, len(matrix) // _EACH)
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
