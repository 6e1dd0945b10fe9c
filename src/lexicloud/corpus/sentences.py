"""The sentences of a corpus, as a corpus of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lexicloud.errors import CorpusError
from lexicloud.progress import track
from lexicloud.text import split_sentences, tokenize

if TYPE_CHECKING:
    from lexicloud.corpus.corpus import Corpus


def sentence_corpus(corpus: Corpus) -> Corpus:
    """Split every document; see `Corpus.sentences`."""
    if corpus.texts is None:
        raise CorpusError("this corpus holds a sample, whose words have lost their order: split before sampling")
    ids, normalise = corpus.vocabulary.ids, corpus.rules.normalise
    known: dict[str, int] = {}
    names, texts, parents, lengths = [], [], [], []
    numbers: list[int] = []
    for i, text in enumerate(track(corpus.texts, "splitting sentences")):
        for j, sentence in enumerate(split_sentences(text, corpus.rules)):
            tokens = tokenize(sentence, corpus.rules)
            for token in tokens:
                if token not in known:
                    known[token] = ids.get(normalise(token), -1)
            row = [n for t in tokens if (n := known[t]) >= 0]
            numbers.extend(row)
            lengths.append(len(row))
            names.append(f"{corpus.names[i]}#{j}")
            texts.append(sentence)
            parents.append(i)
    labels = None if corpus.labels is None else tuple(corpus.labels[i] for i in parents)
    return replace(
        corpus,
        names=tuple(names),
        stream=np.array(numbers, dtype=np.int32),
        bounds=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        labels=labels,
        texts=tuple(texts),
        parents=np.array(parents, dtype=np.int32),
    )
