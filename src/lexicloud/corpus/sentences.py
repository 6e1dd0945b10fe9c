"""The sentences of a corpus, as a corpus of their own."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lexicloud.corpus.batches import in_batches
from lexicloud.corpus.count import bounds_of, number_tokens
from lexicloud.errors import CorpusError
from lexicloud.progress import stage
from lexicloud.text import TokenRules, split_sentences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus.corpus import Corpus

    Split = tuple[list[list[str]], list[str], NDArray[np.int32], list[int]]


def sentence_corpus(corpus: Corpus) -> Corpus:
    """Split every document; see `Corpus.sentences`."""
    if corpus.texts is None:
        raise CorpusError(
            "this corpus holds a sample, whose words have lost their order: split before sampling"
        )
    names: list[str] = []
    texts: list[str] = []
    parents: list[int] = []
    lengths: list[int] = []
    streams: list[NDArray[np.int32]] = []
    with stage("splitting sentences", len(corpus)) as advance:
        for batch, (split, surfaces, stream, sizes) in in_batches(
            partial(_split, rules=corpus.rules), corpus.texts
        ):
            for i, sentences in zip(batch, split, strict=True):
                names.extend(f"{corpus.names[i]}#{j}" for j in range(len(sentences)))
                parents.extend([i] * len(sentences))
                texts.extend(sentences)
            numbers, kept = _known(corpus, surfaces, stream, sizes)
            streams.append(numbers)
            lengths.extend(kept)
            advance(len(batch))
    return replace(
        corpus,
        names=tuple(names),
        stream=np.concatenate(streams) if streams else np.zeros(0, np.int32),
        bounds=bounds_of(lengths),
        labels=None if corpus.labels is None else tuple(corpus.labels[i] for i in parents),
        texts=tuple(texts),
        parents=np.array(parents, dtype=np.int32),
    )


def _split(texts: list[str], rules: TokenRules) -> Split:
    split = [split_sentences(text, rules) for text in texts]
    surfaces, stream, sizes = number_tokens([s for sentences in split for s in sentences], rules)
    return split, surfaces, stream, sizes


def _known(
    corpus: Corpus, surfaces: list[str], stream: NDArray[np.int32], sizes: list[int]
) -> tuple[NDArray[np.int32], list[int]]:
    """Number tokens by the corpus's vocabulary; a token that only splitting made (rare) has no number and goes."""
    ids, normalise = corpus.vocabulary.ids, corpus.rules.normalise
    numbers = np.array([ids.get(normalise(s), -1) for s in surfaces] or [-1], dtype=np.int32)[stream]
    if (numbers >= 0).all():
        return numbers, sizes
    rows = np.repeat(np.arange(len(sizes)), sizes)[numbers >= 0]
    return numbers[numbers >= 0], np.bincount(rows, minlength=len(sizes)).tolist()
