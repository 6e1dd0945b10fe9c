"""The lexicon: the words of texts, counted and numbered, with masks, and a vector where there is one that fits."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, TypeVar, overload

import numpy as np

from lexicloud.errors import UnknownWord
from lexicloud.neighbours.nearest import distances, nearest_rows
from lexicloud.plotting import APART, CATEGORICAL, TOWARDS, new_axes
from lexicloud.progress import stage
from lexicloud.result import TabularResult
from lexicloud.text import TokenRules, is_punctuation, is_stopword, tokenize
from lexicloud.text.rules import LANGUAGES, read_language
from lexicloud.vectors import Lookup, WordVectors
from lexicloud.vectors.catalogue import CATALOGUE
from lexicloud.vectors.load import VectorSource
from lexicloud.vectors.refine import Refinement

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

NO_VECTORS: Final = "none"
"""`vectors="none"`: words are counted and no vectors are loaded."""


class Vocabulary(Sequence[str]):
    """Distinct words, most frequent first; a word's position is its number everywhere in a corpus.

    >>> words = Vocabulary(["the", "whale"])
    >>> words.index("whale"), words[0], "ship" in words, len(words)
    (1, 'the', False, 2)
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = tuple(words)

    @cached_property
    def ids(self) -> dict[str, int]:
        """Word → number."""
        return {word: i for i, word in enumerate(self._words)}

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:  # noqa: ARG002
        """Return the number of a word."""
        try:
            return self.ids[value]
        except (KeyError, TypeError):
            close = get_close_matches(str(value), self._words, n=3)
            hint = f"; did you mean {', '.join(close)}?" if close else ""
            raise UnknownWord(f"the vocabulary has no word {value!r}{hint}") from None

    def __contains__(self, word: object) -> bool:
        return word in self.ids

    def __len__(self) -> int:
        return len(self._words)

    @overload
    def __getitem__(self, i: SupportsIndex) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[str, ...]: ...
    def __getitem__(self, i: SupportsIndex | slice) -> str | tuple[str, ...]:
        return self._words[i]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._words == other._words

    def __hash__(self) -> int:
        return hash(self._words)

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self):,} words: {', '.join(self._words[:5])}, …>"


@dataclass(frozen=True)
class Lexicon:
    """What the vocabulary's words are: their vectors and masks. Corpora cut from one another share it."""

    vocabulary: Vocabulary
    vectors: NDArray[np.float32]
    status: NDArray[np.int8]
    stopwords: Mask
    punctuation: Mask
    refinement: Refinement
    source: str
    fingerprint: str
    cache: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def build(cls, words: Sequence[str], vectors: WordVectors, rules: TokenRules) -> Lexicon:
        """Look every word up once."""
        found = vectors.lookup(words)
        return cls(
            Vocabulary(words),
            found.matrix,
            found.status,
            np.fromiter((is_stopword(w, rules) for w in words), dtype=bool, count=len(words)),
            np.fromiter((is_punctuation(w) for w in words), dtype=bool, count=len(words)),
            vectors.refinement,
            vectors.name,
            vectors.fingerprint,
        )

    @classmethod
    def bare(cls, words: Sequence[str], rules: TokenRules) -> Lexicon:
        """Return words without vectors, for what counts words alone."""
        return cls(
            Vocabulary(words),
            np.zeros((len(words), 1), dtype=np.float32),
            np.zeros(len(words), dtype=np.int8),
            np.fromiter((is_stopword(w, rules) for w in words), dtype=bool, count=len(words)),
            np.fromiter((is_punctuation(w) for w in words), dtype=bool, count=len(words)),
            Refinement(np.zeros(1, dtype=np.float32), np.zeros((0, 1), dtype=np.float32)),
            NO_VECTORS,
            NO_VECTORS,
        )

    @property
    def embedded(self) -> Mask:
        """Which words have a vector, exact or recovered."""
        return self.status > 0

    @property
    def refined(self) -> NDArray[np.float32]:
        """The vectors refined: their mean and top components removed, at unit length; made once and kept."""
        if "refined" not in self.cache:
            self.cache["refined"] = self.refinement.apply(self.vectors)
        refined: NDArray[np.float32] = self.cache["refined"]
        return refined

    @property
    def origin(self) -> VectorSource:
        """Where the vectors came from, for words that the vocabulary lacks."""
        return VectorSource(self.source, self.fingerprint, self.vectors.shape[1], self.refinement)

    def lookup(self, words: Sequence[str]) -> Lookup:
        """Find the vectors of words among the vocabulary; others have none."""
        rows = np.array([self.vocabulary.ids.get(word, -1) for word in words], dtype=np.int64)
        known = rows >= 0
        matrix = np.zeros((len(words), self.vectors.shape[1]), dtype=np.float32)
        status = np.zeros(len(words), dtype=np.int8)
        matrix[known], status[known] = self.vectors[rows[known]], self.status[rows[known]]
        return Lookup(matrix, status)

    def vector(self, word: str) -> NDArray[np.float32]:
        """Return the vector of a word, of the vocabulary or else of the vectors that the lexicon was built with."""
        found = self.lookup([word])
        if not found.status[0]:
            found = self.origin.load().lookup([word])
        if not found.status[0]:
            raise UnknownWord(
                f"no vector for {word!r} in {self.source}: check the spelling or load other vectors"
            )
        return np.asarray(found.matrix[0])

    def nearest(self, word: str, k: int = 10, *, refined: bool = False) -> list[tuple[str, float]]:
        """Return the k words of the vocabulary nearest to a word, which need not be in it, with distances."""
        own = self.vector(word)
        own = self.refinement.apply(own[None])[0] if refined else own
        far = distances(self.refined if refined else self.vectors, own, "euclidean")
        far[self.punctuation] = np.inf
        if word in self.vocabulary:
            far[self.vocabulary.index(word)] = np.inf
        return [(self.vocabulary[int(i)], float(far[i])) for i in nearest_rows(far, k)]


@dataclass(frozen=True)
class Coverage(TabularResult):
    """Counts of what has a vector (exactly), what was recovered by the ladder, and what was lost.

    `lost` and `recovered` list words with their counts, most frequent first. Punctuation counts as tokens
    like any other.
    """

    _derived = ("share", "type_share")

    tokens: int
    types: int
    exact_tokens: int
    exact_types: int
    recovered_tokens: int
    recovered_types: int
    lost_tokens: int
    lost_types: int
    recovered: tuple[tuple[str, int], ...] = ()
    lost: tuple[tuple[str, int], ...] = ()

    @property
    def share(self) -> float:
        """The share of tokens with a vector, exact or recovered."""
        return (self.exact_tokens + self.recovered_tokens) / self.tokens if self.tokens else 0.0

    @property
    def type_share(self) -> float:
        """The share of distinct words with a vector, exact or recovered."""
        return (self.exact_types + self.recovered_types) / self.types if self.types else 0.0

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each word that was recovered or lost, most frequent first, with its count."""
        import pandas as pd

        words = [(*entry, how) for how in ("recovered", "lost") for entry in getattr(self, how)]
        table = pd.DataFrame(words, columns=["word", "count", "vector"])
        return table.sort_values("count", ascending=False, kind="stable", ignore_index=True)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what share of tokens and of distinct words has a vector, was recovered, or was lost."""
        ax = new_axes(ax, height=2.4)
        left = [0.0, 0.0]
        for how, colour in (("exact", TOWARDS), ("recovered", CATEGORICAL[4]), ("lost", APART)):
            parts = [getattr(self, f"{how}_{what}") for what in ("tokens", "types")]
            width = [
                100 * part / max(whole, 1)
                for part, whole in zip(parts, (self.tokens, self.types), strict=True)
            ]
            ax.barh((0, 1), width, left=left, color=colour, label=how)
            left = [a + b for a, b in zip(left, width, strict=True)]
        ax.set_yticks((0, 1), ("tokens", "distinct words"))
        ax.invert_yaxis()
        ax.set_xlabel("per cent")
        ax.legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
        return ax

    def __str__(self) -> str:
        return (
            f"{self.share:.1%} of {self.tokens:,} tokens have a vector ({self.recovered_tokens:,} recovered, "
            f"{self.lost_tokens:,} lost in {self.lost_types:,} words)"
        )


_TOKENS: Final = 200  # fewer tell little about the vectors
_RECOGNISED: Final = (
    60  # words that tell a language: of 600 such passages of English none was taken for another
)
_COMMON: Final = 0.2  # a text has at least this share of stop words of its own language
_COVERED: Final = 0.5  # below, more words are passed over than used
_REMEDY: Final = "lexicloud vectors list shows others"


def doubts(
    source: str, language: str, words: Mapping[str, int], counts: NDArray[np.int64], embedded: Mask
) -> tuple[str, ...]:
    """Say why the vectors may not fit the texts: their language as given or recognised, or words without a vector.

    `words` numbers the words, `counts` has 0 for punctuation.
    """
    other = other_language(source, language, words, counts)
    if other:
        return (other,)
    total = int(counts.sum())
    share = float(counts[embedded].sum()) / max(total, 1)
    if total < _TOKENS or share >= _COVERED:
        return ()
    return (f"only {share:.0%} of the words have a vector in {source}: do they fit? {_REMEDY}",)


def other_language(
    source: str, language: str, words: Mapping[str, int], counts: NDArray[np.int64]
) -> str | None:
    """Say it if the vectors are English and the texts are not, as it was said or as their stop words tell."""
    if source not in CATALOGUE:  # all of the catalogue are English; of others the share of words tells
        return None
    if language != "english":
        return f"the vectors {source} are of English words, but the language is {language}: {_REMEDY}"
    total = int(counts.sum())
    recognised = _language(words, counts / total) if total >= _RECOGNISED else None
    if recognised in {None, "english"}:
        return None
    return f"the texts look {recognised}, but the vectors {source} are of English words: {_REMEDY}"


def _language(words: Mapping[str, int], shares: NDArray[np.float64]) -> str | None:
    """Return the language whose stop words are most frequent, if they are frequent enough and well ahead."""
    found = {
        language: float(sum(shares[words[w]] for w in set(read_language(language).stop_words) if w in words))
        for language in LANGUAGES.values()
    }
    first, second = sorted(found, key=lambda name: found[name], reverse=True)[:2]
    return first if found[first] >= _COMMON and found[first] > 1.3 * found[second] else None


T = TypeVar("T")

# Below this many characters, starting worker processes costs more than they save (about one second of work).
PARALLEL_FROM: Final = 12_000_000
BATCH: Final = 2_000_000


def in_batches(
    work: Callable[[list[str]], T], texts: Sequence[str], workers: int | None = None
) -> Iterator[tuple[range, T]]:
    """Yield for each run of texts its positions and what `work` made of them, in order."""
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
    """Cut the positions of texts into runs of about so many characters."""
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
    """Return the vocabulary (most frequent first, then by spelling), every token's number, and where documents begin.

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
    words, stream = _by_frequency(list(ids), np.concatenate(streams))
    return words, stream, bounds_of(lengths)


def numbering() -> defaultdict[str, int]:
    """Return a mapping that gives each new word the next number."""
    ids: defaultdict[str, int] = defaultdict()
    ids.default_factory = ids.__len__
    return ids


def number_tokens(texts: list[str], rules: TokenRules) -> tuple[list[str], NDArray[np.int32], list[int]]:
    """Number the tokens of some texts by their own small vocabulary of surface forms."""
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


def _by_frequency(words: list[str], stream: NDArray[np.int32]) -> tuple[list[str], NDArray[np.int32]]:
    """Renumber so that frequent words come first and equals stand in alphabetical order."""
    totals = np.bincount(stream, minlength=len(words))
    order = sorted(range(len(words)), key=lambda i: (-totals[i], words[i]))
    renumber = np.empty(len(words), dtype=np.int32)
    renumber[order] = np.arange(len(words), dtype=np.int32)
    return [words[i] for i in order], renumber[stream] if len(stream) else stream
