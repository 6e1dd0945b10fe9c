"""Corpora made from others: without some words, sampled, split into sentences, joined, merged by label."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Final, Literal
from zlib import crc32

import numpy as np

from lexicloud.errors import CorpusError, OptionError, VectorsError
from lexicloud.progress import stage
from lexicloud.text import TokenRules, split_sentences
from lexicloud.words.counting import bounds_of, in_batches, number_tokens
from lexicloud.words.kinds import KINDS, word_kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus.corpus import Corpus

    Split = tuple[list[list[str]], list[str], NDArray[np.int32], list[int]]


def without_kinds(corpus: Corpus, kinds: Sequence[str], rows: Sequence[int] | None = None) -> Corpus:
    """Return the corpus without words of some kinds, such as ("punctuation", "name"), judged by the texts `rows`."""
    wrong = [kind for kind in kinds if kind not in KINDS]
    if wrong:
        raise OptionError(f"no kind of words {wrong[0]!r}: choose from {', '.join(KINDS)}")
    if not kinds:
        return corpus
    dropped = np.isin(
        corpus.kinds if rows is None else word_kinds(corpus, rows), [KINDS.index(kind) for kind in kinds]
    )
    kept = ~dropped[corpus.stream]
    bounds = np.concatenate([[0], np.cumsum(kept)])[corpus.bounds]
    return replace(corpus, stream=corpus.stream[kept], bounds=bounds.astype(np.int64))


def sample_corpus(corpus: Corpus, n: int, seed: int, *, running: bool) -> Corpus:
    """Draw `n` tokens of each document without replacement; see `Corpus.sample`."""
    if not isinstance(n, Integral) or n < 1:
        raise OptionError(f"a sample needs a whole number of tokens, at least one, not {n!r}")
    if not isinstance(seed, Integral) or seed < 0:
        raise OptionError(f"seed must be a whole number of at least 0, not {seed!r}")
    allowed = np.ones(len(corpus.vocabulary), dtype=bool) if running else corpus.content
    kept, pieces, dropped, longest = [], [], [], 0
    for i, name in enumerate(corpus.names):
        tokens = corpus.tokens(i)
        eligible = tokens[allowed[tokens]]
        longest = max(longest, len(eligible))
        if len(eligible) < n:
            dropped.append(name)
            continue
        # The name is part of the seed, so that adding or removing a document does not change the samples of others.
        rng = np.random.default_rng([seed, crc32(name.encode())])
        chosen = np.sort(rng.choice(len(eligible), n, replace=False))
        kept.append(i)
        pieces.append(eligible[chosen])
    if not kept:
        kind = "tokens" if running else "embedded content words"
        raise CorpusError(f"no document has {n:,} {kind} (the longest has {longest:,}): sample fewer")
    return replace(
        corpus,
        names=tuple(corpus.names[i] for i in kept),
        stream=np.concatenate(pieces),
        bounds=np.arange(len(kept) + 1, dtype=np.int64) * n,
        labels=None if corpus.labels is None else tuple(corpus.labels[i] for i in kept),
        texts=None,
        parents=None if corpus.parents is None else corpus.parents[kept],
        dropped=tuple(dropped),
    )


def sentence_corpus(corpus: Corpus) -> Corpus:
    """Split every document into sentences; see `Corpus.sentences`."""
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
    """Number tokens by the corpus's vocabulary; drop the rare token that splitting created and the vocabulary lacks."""
    ids, normalise = corpus.vocabulary.ids, corpus.rules.normalise
    numbers = np.array([ids.get(normalise(s), -1) for s in surfaces] or [-1], dtype=np.int32)[stream]
    if (numbers >= 0).all():
        return numbers, sizes
    rows = np.repeat(np.arange(len(sizes)), sizes)[numbers >= 0]
    return numbers[numbers >= 0], np.bincount(rows, minlength=len(sizes)).tolist()


def concat(known: Corpus, new: Corpus) -> Corpus:
    """Return the documents of both; words that only `new` has are numbered after those of `known`."""
    both = set(known.names) & set(new.names)
    if both:
        raise CorpusError(f"there is a document named {min(both)!r} already: give the new one another name")
    if new.lexicon is known.lexicon:
        return _appended(known, new, new.stream)
    if new.lexicon.fingerprint != known.lexicon.fingerprint:
        raise VectorsError(
            f"the new texts have vectors {new.lexicon.source!r} but the others {known.lexicon.source!r}: "
            "use the same for both"
        )
    if new.rules != known.rules:
        raise OptionError("the new texts were split into words by other rules: use the same for both")
    extended, numbers = _extended(known, new)
    return _appended(extended, new, numbers[new.stream])


def _extended(known: Corpus, new: Corpus) -> tuple[Corpus, NDArray[np.int32]]:
    """Add to `known` the words that only `new` has; return it and the number there of each word of `new`."""
    ids, size = known.vocabulary.ids, len(known.vocabulary)
    fresh = [i for i, word in enumerate(new.vocabulary.keys) if word not in ids]
    numbers = np.array([ids.get(word, -1) for word in new.vocabulary.keys], dtype=np.int32)
    numbers[fresh] = np.arange(size, size + len(fresh), dtype=np.int32)
    a, b = known.lexicon, new.lexicon
    lexicon = replace(
        a,
        vocabulary=a.vocabulary + b.vocabulary.take(fresh),
        vectors=np.concatenate([a.vectors, b.vectors[fresh]]),
        status=np.concatenate([a.status, b.status[fresh]]),
        stopwords=np.concatenate([a.stopwords, b.stopwords[fresh]]),
        punctuation=np.concatenate([a.punctuation, b.punctuation[fresh]]),
        cache={},
    )
    return replace(known, lexicon=lexicon), numbers


def _appended(known: Corpus, new: Corpus, stream: NDArray[np.int32]) -> Corpus:
    labels = None
    if known.labels is not None or new.labels is not None:
        labels = (*(known.labels or (None,) * len(known)), *(new.labels or (None,) * len(new)))
    return replace(
        known,
        names=(*known.names, *new.names),
        stream=np.concatenate([known.stream, stream]).astype(np.int32),
        bounds=np.concatenate([known.bounds, known.bounds[-1] + new.bounds[1:]]),
        labels=labels,
        texts=None,
        parents=None,
    )


By = Literal["auto", "text", "label"]

# A heat map on a laptop's screen has room for about this many legible names.
READABLE: Final = 60


def group_by(corpus: Corpus, by: By = "auto") -> Literal["text", "label"]:
    """Decide whether a map shows texts or labels: labels if there are too many texts to read but few enough labels."""
    labels = {label for label in corpus.labels or () if label is not None}
    if by != "auto":
        return by if by == "text" or labels else "text"
    return "label" if len(corpus) > READABLE and 3 <= len(labels) <= READABLE else "text"


def merged_by_label(corpus: Corpus) -> Corpus:
    """Return one document for each label, in the order of first appearance, without the texts that have no label.

    >>> from lexicloud.corpus import Corpus
    >>> texts = {"a": "one two", "b": "three", "c": "two"}
    >>> merged = merged_by_label(Corpus.from_texts(texts, labels=["x", "y", "x"]))
    >>> merged.names, merged.lengths.tolist()
    (('x', 'y'), [3, 1])
    """
    rows: dict[str, list[int]] = {}
    for i, label in enumerate(corpus.labels or ()):
        if label is not None:
            rows.setdefault(label, []).append(i)
    pieces = [np.concatenate([corpus.tokens(i) for i in members]) for members in rows.values()]
    texts = corpus.texts
    return replace(
        corpus,
        names=tuple(rows),
        stream=np.concatenate(pieces),
        bounds=np.concatenate([[0], np.cumsum([len(p) for p in pieces])]).astype(np.int64),
        labels=None,
        texts=None if texts is None else tuple("\n\n".join(texts[i] for i in m) for m in rows.values()),
        parents=None,
    )
