"""Make corpora from a dataset: of its sentences, as written or in lower case, and of whole documents."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lexicloud.corpus import Corpus
from lexicloud.errors import CorpusError
from lexicloud.text import TokenRules, split_sentences
from lexicloud.words.counting import bounds_of, in_batches, number_tokens, numbering
from lexicloud.words.lexicon import Lexicon

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.paper.data import DatasetPassages
    from lexicloud.vectors import WordVectors

    Split = tuple[list[list[str]], list[str], NDArray[np.int32], list[int]]


def paper_rules(*, nltk: bool) -> TokenRules:
    """Return the paper's rules: words as they are written, and with `nltk` NLTK's tokenizer and punkt."""
    if nltk:
        return TokenRules(lowercase=False, tokenizer="nltk", sentences="punkt")
    return TokenRules(lowercase=False)


def sentences_of(passages: DatasetPassages, vectors: WordVectors, rules: TokenRules) -> Corpus:
    """Return every sentence of the passages as a document, words as they are written, named document#number."""
    if passages.sentences:
        texts = [[" ".join(s) for s in document] for document in passages.sentences]
        tokens = [s for document in passages.sentences for s in document]
        surfaces, stream, sizes = _numbered(tokens)
    else:
        texts, surfaces, stream, sizes = _split_all(passages.texts, rules)
    if not len(stream):
        raise CorpusError(f"{passages.name}: there is no word in its {len(passages)} documents")
    words, numbers = _merged([rules.normalise(s) for s in surfaces], stream)
    names = [f"{n}#{j}" for n, found in zip(passages.names, texts, strict=True) for j in range(len(found))]
    parents = np.repeat(np.arange(len(texts), dtype=np.int32), [len(found) for found in texts])
    flat = tuple(s for found in texts for s in found)
    lexicon = Lexicon.build(words, vectors, rules)
    return Corpus(tuple(names), lexicon, numbers, bounds_of(sizes), rules, None, flat, parents)


def lower_cased(corpus: Corpus, vectors: WordVectors) -> Corpus:
    """Return the corpus in lower case, so that forms that differ only in case are one word."""
    rules = replace(corpus.rules, lowercase=True)
    words, stream = _merged([rules.normalise(w) for w in corpus.vocabulary], np.asarray(corpus.stream))
    return replace(corpus, lexicon=Lexicon.build(words, vectors, rules), stream=stream, rules=rules)


def documents_of(sentences: Corpus) -> Corpus:
    """Return whole documents in place of their sentences, over the same vocabulary."""
    parents = np.asarray(sentences.parents)
    first = np.flatnonzero(np.diff(parents, prepend=-1))
    names = tuple(sentences.names[i].rpartition("#")[0] for i in first)
    bounds = np.append(np.asarray(sentences.bounds)[first], sentences.bounds[-1])
    return replace(sentences, names=names, bounds=bounds, texts=None, parents=None)


def surface_of(sentences: Corpus) -> dict[str, str]:
    """Return for every word in lower case its most frequent spelling: a name keeps its capital."""
    rules = replace(sentences.rules, lowercase=True)
    found: dict[str, str] = {}
    for word in sentences.vocabulary:  # most frequent first
        found.setdefault(rules.normalise(word), word)
    return found


def _split_all(
    texts: tuple[str, ...], rules: TokenRules
) -> tuple[list[list[str]], list[str], NDArray[np.int32], list[int]]:
    ids = numbering()
    split: list[list[str]] = []
    streams: list[NDArray[np.int32]] = []
    lengths: list[int] = []
    for _, (sentences, surfaces, stream, sizes) in in_batches(partial(_split, rules=rules), texts):
        numbers = np.array([ids[s] for s in surfaces], dtype=np.int32)
        streams.append(numbers[stream] if len(numbers) else stream)
        split.extend(sentences)
        lengths.extend(sizes)
    return split, list(ids), np.concatenate(streams), lengths


def _split(texts: list[str], rules: TokenRules) -> Split:
    split = [split_sentences(text, rules) for text in texts]
    surfaces, stream, sizes = number_tokens([s for found in split for s in found], rules)
    return split, surfaces, stream, sizes


def _numbered(tokens: list[tuple[str, ...]]) -> tuple[list[str], NDArray[np.int32], list[int]]:
    ids = numbering()
    stream = np.array([ids[t] for sentence in tokens for t in sentence], dtype=np.int32)
    return list(ids), stream, [len(sentence) for sentence in tokens]


def _merged(forms: list[str], stream: NDArray[np.int32]) -> tuple[list[str], NDArray[np.int32]]:
    """Count equal forms as one word; return the words by falling frequency, then by spelling, and the new stream."""
    ids = numbering()
    merged = np.array([ids[form] for form in forms], dtype=np.int32)[stream]
    words = list(ids)
    totals = np.bincount(merged, minlength=len(words))
    order = sorted((i for i in range(len(words)) if totals[i]), key=lambda i: (-totals[i], words[i]))
    renumber = np.zeros(len(words), dtype=np.int32)
    renumber[order] = np.arange(len(order), dtype=np.int32)
    return [words[i] for i in order], renumber[merged]
