"""A map of the content words of a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexicloud.zipf.projection import Projection, project_words

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus


def map_words(corpus: Corpus, n: int = 2000, *, seed: int = 0) -> Projection:
    """Lay the n most frequent content words out so that words of similar meaning are together."""
    return project_words(corpus, "tsne", n=n, seed=seed, mask=corpus.content, refined=True)
