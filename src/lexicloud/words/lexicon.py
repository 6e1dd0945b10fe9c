"""The lexicon: the words of texts with their numbers, masks and vectors, and whether the vectors fit the texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, overload

import numpy as np

from lexicloud.errors import UnknownWord, warn
from lexicloud.neighbours.nearest import distances, nearest_rows
from lexicloud.result import TabularResult
from lexicloud.say.blocks import Sentence, listed, percent
from lexicloud.say.figures import APART, CATEGORICAL, TOWARDS, new_axes
from lexicloud.text import TokenRules, is_punctuation, is_stopword
from lexicloud.text.detection import detect_language
from lexicloud.text.language import UNKNOWN, read_language, written_name
from lexicloud.vectors import Lookup, WordVectors
from lexicloud.vectors.catalogue import CATALOGUE
from lexicloud.vectors.load import NO_VECTORS, VectorSource
from lexicloud.vectors.word_vectors import Refinement

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.say.blocks import Block

    Mask = NDArray[np.bool_]

_PER_WORD: Final = ("vectors", "status", "stopwords", "punctuation")


class Vocabulary(Sequence[str]):
    """Distinct words, most frequent first; a word's position is its number everywhere in a corpus.

    Where lemmas are counted, `keys` are the lemmas, and the words are forms from the texts that are shown for them.

    >>> words = Vocabulary(["the", "whale"])
    >>> words.index("whale"), words[0], "ship" in words, len(words)
    (1, 'the', False, 2)
    >>> lemmas = Vocabulary(["the", "went"], ["the", "go"])
    >>> lemmas[1], lemmas.index("go"), lemmas.index("went")
    ('went', 1, 1)
    """

    def __init__(self, words: Sequence[str], keys: Sequence[str] | None = None) -> None:
        self._words = tuple(words)
        self.keys = self._words if keys is None else tuple(keys)

    @property
    def lemmatised(self) -> bool:
        """Whether lemmas are counted, so that the words shown differ from the keys."""
        return self.keys is not self._words

    @cached_property
    def ids(self) -> dict[str, int]:
        """Word → number; for lemmas also by the word that is shown, unless it is another lemma."""
        numbers = {word: i for i, word in enumerate(self.keys)}
        if not self.lemmatised:
            return numbers
        return {word: i for i, word in enumerate(self._words)} | numbers

    def take(self, rows: Iterable[int]) -> Vocabulary:
        """Return some of the words, in the order given."""
        rows = list(rows)
        words = [self._words[i] for i in rows]
        return Vocabulary(words, [self.keys[i] for i in rows] if self.lemmatised else None)

    def __add__(self, more: Vocabulary) -> Vocabulary:
        keys = (*self.keys, *more.keys) if self.lemmatised or more.lemmatised else None
        return Vocabulary((*self._words, *more._words), keys)

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
        return isinstance(other, Vocabulary) and self._words == other._words and self.keys == other.keys

    def __hash__(self) -> int:
        return hash(self._words)

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self):,} words: {', '.join(self._words[:5])}, …>"


@dataclass(frozen=True)
class Lexicon:
    """The words of a corpus with their vectors and masks; corpora cut from the same one share it."""

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
        """Look up every word once; a lemma by its own spelling, not by the form that is shown."""
        vocabulary = words if isinstance(words, Vocabulary) else Vocabulary(words)
        found = vectors.lookup(vocabulary.keys)
        return cls(
            vocabulary,
            found.matrix,
            found.status,
            _stop_mask(vocabulary, rules),
            np.fromiter((is_punctuation(w) for w in words), dtype=bool, count=len(words)),
            vectors.refinement,
            vectors.name,
            vectors.fingerprint,
        )

    def take(self, rows: NDArray[np.int64]) -> Lexicon:
        """Return some of the words, with all that is known of them."""
        words = self.vocabulary.take(rows.tolist())
        parts: dict[str, Any] = {name: getattr(self, name)[rows] for name in _PER_WORD}
        return replace(self, vocabulary=words, cache={}, **parts)

    def joined(self, more: Lexicon) -> Lexicon:
        """Return these words followed by those of another lexicon with the same vectors."""
        words = self.vocabulary + more.vocabulary
        parts: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(more, name)]) for name in _PER_WORD
        }
        return replace(self, vocabulary=words, cache={}, **parts)

    @property
    def embedded(self) -> Mask:
        """Which words have a vector, exact or recovered."""
        return self.status > 0

    @property
    def refined(self) -> NDArray[np.float32]:
        """The refined vectors (mean and top components removed, unit length), computed once."""
        if "refined" not in self.cache:
            self.cache["refined"] = self.refinement.apply(self.vectors)
        refined: NDArray[np.float32] = self.cache["refined"]
        return refined

    @property
    def origin(self) -> VectorSource:
        """Where the vectors came from, to look up words that the vocabulary lacks."""
        return VectorSource(self.source, self.fingerprint, self.vectors.shape[1], self.refinement)

    def lookup(self, words: Sequence[str]) -> Lookup:
        """Find the vectors of words of the vocabulary; other words get none."""
        rows = np.array([self.vocabulary.ids.get(word, -1) for word in words], dtype=np.int64)
        known = rows >= 0
        matrix = np.zeros((len(words), self.vectors.shape[1]), dtype=np.float32)
        status = np.zeros(len(words), dtype=np.int8)
        matrix[known], status[known] = self.vectors[rows[known]], self.status[rows[known]]
        return Lookup(matrix, status)

    def vector(self, word: str) -> NDArray[np.float32]:
        """Return the vector of a word; if the vocabulary lacks it, from the vectors that the lexicon was built with."""
        found = self.lookup([word])
        if not found.status[0]:
            found = self.origin.load().lookup([word])
        if not found.status[0]:
            raise UnknownWord(
                f"no vector for {word!r} in {self.source}: check the spelling or load other vectors"
            )
        return np.asarray(found.matrix[0])

    def nearest(self, word: str, k: int = 10, *, refined: bool = False) -> list[tuple[str, float]]:
        """Return the k words of the vocabulary nearest to any word that has a vector, with distances."""
        own = self.vector(word)
        own = self.refinement.apply(own[None])[0] if refined else own
        far = distances(self.refined if refined else self.vectors, own, "euclidean")
        far[self.punctuation] = np.inf
        if word in self.vocabulary:
            far[self.vocabulary.index(word)] = np.inf
        return [(self.vocabulary[int(i)], float(far[i])) for i in nearest_rows(far, k)]


def _stop_mask(vocabulary: Vocabulary, rules: TokenRules) -> Mask:
    """Return which words are stop words, by the form that is shown or by the lemma."""
    stop = [is_stopword(word, rules) for word in vocabulary]
    if vocabulary.lemmatised:
        stop = [word or is_stopword(key, rules) for word, key in zip(stop, vocabulary.keys, strict=True)]
    return np.array(stop, dtype=bool)


_MISSED: Final = 3  # how many of the words without a vector are named


@dataclass(frozen=True)
class Coverage(TabularResult):
    """Counts of words with a vector (exact), with one from another spelling or word parts (recovered), or none (lost).

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

    def to_columns(self) -> dict[str, Any]:
        """Return the words that were recovered or lost, most frequent first, with their counts."""
        words = [(*entry, how) for how in ("recovered", "lost") for entry in getattr(self, how)]
        words.sort(key=lambda entry: -entry[1])
        return {name: [entry[n] for entry in words] for n, name in enumerate(("word", "count", "vector"))}

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

    def blocks(self) -> list[Block]:
        """Return whether the methods that work on meaning see the texts, what they miss most, and the counts."""
        if not self.lost_tokens:
            conclusion = "Every word has a vector: nothing is lost to the methods that work on meaning."
        else:
            missed = [f"“{word}”" for word, _ in self.lost[:_MISSED]]
            conclusion = (
                f"The methods that work on meaning see {percent(self.share, 1)} of the tokens"
                f"{f'; they miss {listed(missed)} most' if missed else ''}."
            )
        return [Sentence(conclusion, "answer"), Sentence(f"{self}.", "sure"), *super().blocks()[1:]]

    def __str__(self) -> str:
        return (
            f"{self.share:.1%} of {self.tokens:,} tokens have a vector ({self.recovered_tokens:,} recovered, "
            f"{self.lost_tokens:,} lost in {self.lost_types:,} words)"
        )


# Fewer tokens say little about whether the vectors fit.
_TOKENS: Final = 200
# Words that suffice to recognise a language: of 600 English passages this long, none was taken for another language.
_RECOGNISED: Final = 60
_COMMON: Final = 0.2  # English has at least this share of stop words
_LOOKED_AT: Final = 400  # distinct words by which the language is recognised
_COVERED: Final = 0.5  # below this share, more words are ignored than used
_REMEDY: Final = "lexicloud vectors list shows others"


def vectors_of(language: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the name of the default vectors of a language, and a remark if there are none.

    English and texts of unknown language get the built-in vectors. Other languages get their own from the catalogue
    once these are fetched; until then they get none, and words are compared by their spelling.

    >>> vectors_of("english"), vectors_of("polish")[0]
    ((None, ()), 'none')
    """
    if language in {"english", UNKNOWN}:
        return None, ()
    own, known = CATALOGUE.get(read_language(language).vectors), written_name(language)
    if own is not None and own.fetched:
        return own.name, ()
    remedy = (
        f"lexicloud vectors train TEXTS --out {language}-vectors learns some from yours, for --vectors"
        if own is None
        else f"lexicloud vectors get {own.name} fetches some ({own.bytes / 1e6:.0f} MB)"
    )
    return NO_VECTORS, (f"no vectors of {known} words are here, so no word is near another: {remedy}",)


def default_vectors(language: str) -> str | None:
    """Return the name that `vectors_of` gives, and warn where there are no vectors."""
    name, said = vectors_of(language)
    for line in said:
        warn(line)
    return name


def doubts(
    source: str, language: str, words: Mapping[str, int], counts: NDArray[np.int64], embedded: Mask
) -> tuple[str, ...]:
    """Return why the vectors may not fit the texts: another language, or too many words without a vector.

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
    """Return a remark if the vectors are of another language than the texts, as given or as recognised; else None."""
    if source not in CATALOGUE:  # the language of other vectors is not known
        return None
    own = CATALOGUE[source].language
    if language not in {"english", own}:
        return f"the vectors {source} are of {written_name(own)} words, but the language is {language}: {_REMEDY}"
    total = int(counts.sum())
    if language == own != "english" or total < _RECOGNISED:
        return None
    recognised = _language(words, counts / total)
    if recognised in {None, own}:
        return None
    return (
        f"the texts look {recognised}, but the vectors {source} are of {written_name(own)} words: {_REMEDY}"
    )


def _language(words: Mapping[str, int], shares: NDArray[np.float64]) -> str | None:
    """Return the language of the commonest words: English if many are its stop words; None if not recognised."""
    listed = read_language("english").stop_words
    if sum(shares[words[w]] for w in set(listed) if w in words) >= _COMMON:
        return "english"
    common = sorted((w for w in words if shares[words[w]] > 0), key=lambda w: shares[words[w]], reverse=True)
    found = detect_language(" ".join(common[:_LOOKED_AT])).language
    return None if found == UNKNOWN else found
