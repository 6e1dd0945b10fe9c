"""Example queries: sentences of the texts themselves that have something to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

# Long enough to have a topic, short enough to be read at a glance.
_SHORTEST, _LONGEST = 7, 22  # tokens
_CONTENT: Final = 4  # content words, at least
_COMMON: Final = 3  # a word counts if so many sentences have it: others can be found by it
_FEW: Final = 50  # in so few sentences hardly any word comes back
_RARE: Final = 3000  # a word that fewer than one sentence in so many has is an oddity, not a topic


def choose_queries(sentences: Corpus, n: int) -> tuple[str, ...]:
    """Return up to `n` telling sentences from different documents, spread over the corpus; shared words are avoided.

    >>> from lexicloud.corpus import Corpus
    >>> text = "It was so. The old sailor steered the heavy ship towards the harbour. The sailor and his ship sank."
    >>> choose_queries(Corpus.from_texts([text]).sentences(), 1)
    ('The old sailor steered the heavy ship towards the harbour.',)
    """
    if sentences.texts is None or sentences.parents is None or not len(sentences):
        return ()
    scores = _scores(sentences)
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > 0]
    chosen: list[int] = []
    used = np.zeros(len(sentences.vocabulary), dtype=bool)
    for documents in _spread(len(sentences.names), sentences.parents, n):
        row = _best(sentences, order[np.isin(sentences.parents[order], documents)], used)
        if row is not None:
            chosen.append(row)
            used[sentences.tokens(row)] = True
            used &= sentences.content
    return tuple(" ".join(sentences.texts[row].split()) for row in chosen)


def _scores(sentences: Corpus) -> NDArray[np.float64]:
    """Return the mean idf of each sentence's content words; 0 for sentences that make no good query."""
    counts = sentences.counts
    has = counts.astype(bool).astype(np.float64)
    frequency = np.asarray(has.sum(axis=0)).ravel()
    common = max(min(_COMMON, 1 + len(sentences) // _FEW), len(sentences) // _RARE)
    telling = sentences.content & (frequency >= common)
    idf = np.where(telling, np.log(len(sentences) / np.maximum(frequency, 1)), 0.0)
    content = has @ sentences.content.astype(np.float64)
    known = has @ (sentences.embedded | sentences.punctuation).astype(np.float64)
    lengths = sentences.lengths
    good = (lengths >= _SHORTEST) & (lengths <= _LONGEST) & (content >= _CONTENT)
    good &= known == np.diff(counts.indptr)
    return np.where(good, (has @ idf) / np.maximum(content, 1), 0.0)


def _spread(size: int, parents: NDArray[np.int32], n: int) -> list[NDArray[np.int32]]:
    """Cut the documents into n runs, so that the queries come from all over."""
    documents = np.unique(parents[:size])
    return [run if len(run) else documents for run in np.array_split(documents, n)]


def _best(sentences: Corpus, order: NDArray[np.int64], used: NDArray[np.bool_]) -> int | None:
    """Return the first sentence that shares no telling word with those chosen before."""
    assert sentences.texts is not None
    for row in order[:500]:
        text = sentences.texts[row].strip()
        if not used[sentences.tokens(row)].any() and text[:1].isupper() and text[-1:] in ".!?":
            return int(row)
    return int(order[0]) if len(order) and not used.any() else None
