"""Counting: each word gets a number and texts become streams of them, in several processes where that pays."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import numpy as np

from lexicloud.progress import stage
from lexicloud.text import TokenRules, tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lexicloud.words.lexicon import Vocabulary


class CountedTexts(Protocol):
    """The part of a corpus that this package needs: named texts with their tokens and counts."""

    @property
    def names(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def texts(self) -> Sequence[str] | None: ...  # noqa: D102
    @property
    def rules(self) -> TokenRules: ...  # noqa: D102
    def __len__(self) -> int: ...
    def position(self, name: str) -> int: ...  # noqa: D102
    def tokens(self, i: int) -> NDArray[np.int32]: ...  # noqa: D102
    @property
    def vocabulary(self) -> Vocabulary: ...  # noqa: D102
    @property
    def counts(self) -> sparse.csr_array: ...  # noqa: D102
    @property
    def punctuation(self) -> NDArray[np.bool_]: ...  # noqa: D102
    @property
    def stopwords(self) -> NDArray[np.bool_]: ...  # noqa: D102


T = TypeVar("T")

# Below this many characters, starting worker processes costs more than they save (about one second of work).
PARALLEL_FROM: Final = 12_000_000
BATCH: Final = 2_000_000


def in_batches(
    work: Callable[[list[str]], T], texts: Sequence[str], workers: int | None = None
) -> Iterator[tuple[range, T]]:
    """Yield the positions of each batch of texts and what `work` returned for it, in order."""
    batches = cut(texts)
    workers = (os.cpu_count() or 1) if workers is None else workers
    jobs = ([texts[i] for i in batch] for batch in batches)
    if workers > 1 and len(batches) > 1 and sum(map(len, texts)) >= PARALLEL_FROM:
        from joblib import Parallel, delayed

        # joblib's processes need no `if __name__ == "__main__"` in the user's script.
        results = Parallel(n_jobs=workers, return_as="generator")(delayed(work)(job) for job in jobs)
    else:
        results = map(work, jobs)
    yield from zip(batches, results, strict=True)


def cut(texts: Sequence[str], characters: int = BATCH) -> list[range]:
    """Cut the positions of texts into batches of about `characters` characters."""
    batches, start, size = [], 0, 0
    for i, text in enumerate(texts):
        size += len(text)
        if size >= characters:
            batches.append(range(start, i + 1))
            start, size = i + 1, 0
    if start < len(texts):
        batches.append(range(start, len(texts)))
    return batches


def count_tokens(
    texts: Sequence[str], rules: TokenRules, workers: int | None = None
) -> tuple[list[str], NDArray[np.int32], NDArray[np.int64]]:
    """Return the words (most frequent first, then by spelling), the number of every token, and where documents begin.

    Text i is `stream[bounds[i]:bounds[i + 1]]`.
    """
    ids = numbering()
    streams: list[NDArray[np.int32]] = []
    lengths: list[int] = []
    with stage("counting words", len(texts)) as advance:
        for batch, (surfaces, stream, sizes) in in_batches(
            partial(number_tokens, rules=rules), texts, workers
        ):
            # Normalisation happens once per distinct form, not once per token.
            numbers = np.array([ids[rules.normalise(s)] for s in surfaces], dtype=np.int32)
            streams.append(numbers[stream] if len(numbers) else stream)
            lengths.extend(sizes)
            advance(len(batch))
    stream = np.concatenate(streams)
    words, renumber = by_frequency(list(ids), np.bincount(stream, minlength=len(ids)))
    return words, renumber[stream] if len(stream) else stream, bounds_of(lengths)


def count_lemmas(
    texts: Sequence[str], rules: TokenRules, workers: int | None = None
) -> tuple[list[str], list[str], NDArray[np.int32], NDArray[np.int64]]:
    """Count by lemma: return the form to show for each lemma, the lemmas, and the rest as `count_tokens` does.

    A lemma is shown as itself where the texts have it, otherwise by its most frequent form.
    """
    written, stream, bounds = count_tokens(texts, replace(rules, lemmas=False, lowercase=False), workers)
    ids = numbering()
    numbers = np.array([ids[rules.normalise(word)] for word in written], dtype=np.int32)
    stream = numbers[stream] if len(stream) else stream
    lemmas, renumber = by_frequency(list(ids), np.bincount(stream, minlength=len(ids)))
    return _shown(written, lemmas, rules), lemmas, renumber[stream] if len(stream) else stream, bounds


def _shown(written: list[str], lemmas: list[str], rules: TokenRules) -> list[str]:
    """Return the form to show for each lemma; `written` has the most frequent form first."""
    small = replace(rules, lemmas=False)
    forms: dict[str, list[str]] = defaultdict(list)
    for word in written:
        forms[rules.normalise(word)].append(small.normalise(word))
    # A form that is a lemma itself, or is shown for another one, would give two words the same name.
    taken, shown = set(lemmas), []
    for lemma in lemmas:
        first = next((form for form in forms[lemma] if form not in taken), lemma)
        shown.append(lemma if lemma in forms[lemma] else first)
        taken.add(shown[-1])
    return shown


def numbering() -> defaultdict[str, int]:
    """Return a mapping that gives each new word the next number."""
    ids: defaultdict[str, int] = defaultdict()
    ids.default_factory = ids.__len__
    return ids


def number_tokens(texts: list[str], rules: TokenRules) -> tuple[list[str], NDArray[np.int32], list[int]]:
    """Return the distinct tokens of some texts, the number of every token among them, and each text's length."""
    ids = numbering()
    tokens = [tokenize(text, rules) for text in texts]
    sizes = list(map(len, tokens))
    stream = np.fromiter(map(ids.__getitem__, chain.from_iterable(tokens)), np.int32, sum(sizes))
    return list(ids), stream, sizes


def bounds_of(lengths: Sequence[int]) -> NDArray[np.int64]:
    """Return where each document begins, and where the last one ends."""
    bounds = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=bounds[1:])
    return bounds


def by_frequency(words: list[str], totals: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int32]]:
    """Return words by falling frequency, then by spelling, and the new number of each old one."""
    order = sorted(range(len(words)), key=lambda i: (-totals[i], words[i]))
    renumber = np.empty(len(words), dtype=np.int32)
    renumber[order] = np.arange(len(words), dtype=np.int32)
    return [words[i] for i in order], renumber


# Tokens that are read at once from a stream that may be larger than memory: 64 MiB of numbers.
STRETCH: Final = 1 << 24


def totals_of(stream: NDArray[np.int32], words: int) -> NDArray[np.int64]:
    """Count how often each word occurs, reading `STRETCH` tokens at a time."""
    totals = np.zeros(words, np.int64)
    for start in range(0, len(stream), STRETCH):
        totals += np.bincount(stream[start : start + STRETCH], minlength=words)
    return totals
