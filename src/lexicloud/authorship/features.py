"""What is counted of texts: words or characters, all of them or the features that stylometrists choose."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

# Characters in a sequence.
SIZE: Final = 4


@dataclass(frozen=True, eq=False)
class WordTable:
    """Counts of texts over `words`; `lengths` count all tokens of a text, listed or not.

    >>> table = WordTable.of_tokens([["a", "b", "a"], ["c"]], names=["x", "y"])
    >>> table.words, table.counts.toarray().tolist()
    (('a', 'b', 'c'), [[2.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    """

    words: tuple[str, ...]
    counts: sparse.csr_array
    lengths: Floats
    names: tuple[str, ...]

    @classmethod
    def of(cls, corpus: Corpus) -> WordTable:
        """Return the counts of a corpus."""
        counts = sparse.csr_array(corpus.counts).astype(np.float64)
        # The tuple itself, not a copy: `over` compares by identity.
        return cls(corpus.vocabulary.keys, counts, corpus.lengths.astype(np.float64), corpus.names)

    @classmethod
    def of_tokens(cls, texts: Sequence[Sequence[str]], names: Sequence[str] | None = None) -> WordTable:
        """Count the tokens of texts."""
        ids: dict[str, int] = {}
        rows = [{ids.setdefault(w, len(ids)): n for w, n in Counter(tokens).items()} for tokens in texts]
        indices = np.array([i for row in rows for i in row], dtype=np.int64)
        data = np.array([n for row in rows for n in row.values()], dtype=np.float64)
        indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        counts = sparse.csr_array((data, indices, indptr), shape=(len(rows), len(ids)))
        lengths = np.array([len(tokens) for tokens in texts], dtype=np.float64)
        return cls(tuple(ids), counts, lengths, tuple(names or map(str, range(len(rows)))))

    def counting(self, passages: Sequence[NDArray[Any]]) -> WordTable:
        """Return the counts of passages, given as numbers of these words."""
        lengths = np.array([len(passage) for passage in passages], dtype=np.float64)
        ids = np.concatenate(passages) if passages else np.zeros(0, dtype=np.int64)
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        shape = (len(passages), len(self.words))
        counts = sparse.csr_array((np.ones(len(ids)), ids.astype(np.int64), indptr), shape=shape)
        counts.sum_duplicates()  # changes indptr, too
        return WordTable(self.words, counts, lengths, tuple(map(str, range(len(passages)))))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def totals(self) -> Floats:
        """How often each word occurs in all texts together."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.float64).ravel()

    def over(self, words: tuple[str, ...]) -> sparse.csr_array:
        """Return the counts over another list of words."""
        if words is self.words:
            return self.counts
        ids = _numbers(self.words)
        place = np.fromiter((ids.get(word, -1) for word in words), dtype=np.int64, count=len(words))
        kept = np.flatnonzero(place >= 0)
        chosen = sparse.csr_array(self.counts[:, place[kept]])
        return sparse.csr_array(
            (chosen.data, kept[chosen.indices], chosen.indptr), shape=(len(self), len(words))
        )

    def shares(self, words: tuple[str, ...] | None = None) -> sparse.csr_array:
        """Return each word's share of the tokens of each text."""
        counts = self.counts if words is None else self.over(words)
        each = np.repeat(np.maximum(self.lengths, 1.0), np.diff(counts.indptr))
        return sparse.csr_array((counts.data / each, counts.indices, counts.indptr), shape=counts.shape)

    def with_data(self, data: Any) -> sparse.csr_array:
        """Return a matrix with other values in place of the counts."""
        counts = self.counts
        return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)

    def rows(self, chosen: Sequence[int] | NDArray[Any]) -> WordTable:
        """Return some of the texts, over the same words."""
        chosen = np.asarray(chosen, dtype=np.int64)
        names = tuple(self.names[i] for i in chosen)
        return replace(self, counts=self.counts[chosen], lengths=self.lengths[chosen], names=names)


@lru_cache(maxsize=8)
def _numbers(words: tuple[str, ...]) -> dict[str, int]:
    """Return word → number. Tables of one corpus share their words, so that a small cache is enough."""
    return {word: i for i, word in enumerate(words)}


# Words in a piece (the least where most texts are too short for two of them), pieces of a text at most, and pieces in
# all at most. Twelve pieces of a text were better than six, and twenty-four no better.
PIECE: Final = 1000
LEAST_PIECE: Final = 300
PIECES: Final = 12
MOST_PIECES: Final = 600


@dataclass(frozen=True, eq=False)
class KnownPassages:
    """Passages of 1,000 words, spread over the known texts, and the text that each is from.

    They show how much a text varies within itself. Where most texts have fewer than 2,000 words, passages are half as
    long as the median text; a text that is too short for two passages has none.
    """

    table: WordTable
    owners: NDArray[np.int64]

    @classmethod
    def of(cls, known: WordTable, tokens: Sequence[NDArray[Any]]) -> KnownPassages:
        """Cut known texts, given as their counts and as the numbers of their words in order."""
        middle = int(np.median([len(each) for each in tokens])) if len(tokens) else 0
        size = min(PIECE, max(LEAST_PIECE, middle // 2))
        long = [i for i, each in enumerate(tokens) if len(each) >= 2 * size]
        long = long[:: -(-2 * len(long) // MOST_PIECES) or 1]
        most = max(2, min(PIECES, MOST_PIECES // max(1, len(long))))
        cut, owners = [], []
        for i in long:
            number = min(most, 2 * (len(tokens[i]) // size) - 1)
            for start in np.linspace(0, len(tokens[i]) - size, number).astype(int):
                cut.append(tokens[i][start : start + size])
                owners.append(i)
        return cls(known.counting(cut), np.array(owners, dtype=np.int64))

    def by(self, labels: Sequence[str]) -> KnownPassages:
        """Return the same as if all texts of a label were one text: then what varies between its texts counts, too."""
        _, numbers = np.unique(labels, return_inverse=True)
        return replace(self, owners=numbers[self.owners])

    def of_texts(self, rows: NDArray[Any]) -> KnownPassages:
        """Return the pieces of some of the texts."""
        kept = np.flatnonzero(np.isin(self.owners, rows))
        return KnownPassages(self.table.rows(kept), self.owners[kept])


@dataclass(frozen=True, eq=False)
class Spelling:
    """The character sequences of words; a matrix product turns counts of words into counts of sequences."""

    words: tuple[str, ...]
    sequences: tuple[str, ...]
    within: sparse.csr_array  # words × sequences

    @classmethod
    def of(cls, words: tuple[str, ...], size: int = SIZE) -> Spelling:
        """Return the sequences of `size` characters in words with a space at both ends; a shorter word is one sequence.

        >>> Spelling.of(("the", "a")).sequences
        (' the', 'the ', ' a ')
        """
        ids: dict[str, int] = {}
        rows, columns = [], []
        for i, word in enumerate(words):
            padded = f" {word} "
            for start in range(max(1, len(padded) - size + 1)):
                rows.append(i)
                columns.append(ids.setdefault(padded[start : start + size], len(ids)))
        within = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(words), len(ids)))
        return cls(words, tuple(ids), within)

    def table(self, texts: WordTable) -> WordTable:
        """Return the counts of sequences in texts, which may have other words."""
        here = self if texts.words is self.words else Spelling.of(texts.words)
        counts = sparse.csr_array(texts.counts @ here.within)
        lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
        return WordTable(here.sequences, counts, lengths, texts.names)


# A sequence of words is coded as one 64-bit number, which holds three words of a vocabulary of two million.
LONGEST: Final = range(1, 4)
# Pronouns follow the point of view of a text, not its author, which is why stylometrists leave them out.
PRONOUNS: Final = {
    "english": """i me my mine myself we us our ours ourselves you your yours yourself yourselves thou thee thy thine
        he him his himself she her hers herself it its itself they them their theirs themselves""",
    "french": """je j' me m' moi mon ma mes mien mienne tu te t' toi ton ta tes tien tienne il elle on lui le la l' les
        leur leurs se s' soi son sa ses sien sienne nous notre nos vous votre vos ils elles eux""",
    "german": """ich mich mir mein meine meiner meinem meinen du dich dir dein deine deiner deinem deinen er ihn ihm
        sein seine seiner seinem seinen sie ihr ihre ihrer ihrem ihren es wir uns unser unsere euch euer eure sich""",
    "spanish": """yo me mí mi mis mío mía tú te ti tu tus tuyo tuya él lo le se sí su sus suyo suya ella la nosotros nos
        nuestro nuestra nuestros nuestras vosotros os vuestro vuestra ellos ellas los las les usted ustedes""",
}


@dataclass(frozen=True)
class Features(Result):
    """The features of Delta: words of the ranks `first` to `last`, if at least the share `culling` of texts has them.

    `pronouns`, `punctuation` and `names` leave those out where False; `function` keeps only stop words. `words` counts
    sequences of so many words, none of which may be left out; `characters` counts sequences of so many characters
    inside words instead.
    """

    last: int = 1000
    first: int = 1
    culling: float = 0.0
    pronouns: bool = True
    punctuation: bool = True
    names: bool = True
    function: bool = False
    words: int = 1
    characters: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            raise OptionError(
                f"the range of frequent words is from {self.first} to {self.last}: begin before the end"
            )
        if not 0 <= self.culling <= 1:
            raise OptionError(f"culling is a share of the texts between 0 and 1, not {self.culling}")
        if self.words not in LONGEST or (self.words > 1 and self.characters is not None):
            raise OptionError(
                f"sequences are of 1 to {LONGEST[-1]} words, and not of characters at once: words={self.words}"
            )

    def table(self, corpus: Corpus) -> WordTable:
        """Return the counts of the features; lengths count all tokens."""
        kept = np.ones(len(corpus.vocabulary), dtype=bool)
        if not self.punctuation:
            kept &= ~corpus.punctuation
        if self.function:
            kept &= corpus.stopwords
        if not self.pronouns:
            left_out = set(_pronouns(corpus.rules.language))
            kept &= np.array([word not in left_out for word in corpus.vocabulary])
        if not self.names:
            kept &= ~names(corpus)
        if self.words > 1:
            return self._ranked(_sequences(corpus, self.words, kept, self.last))
        texts = _columns(WordTable.of(corpus), np.flatnonzero(kept))
        if self.characters is not None:
            texts = Spelling.of(texts.words, self.characters).table(texts)
        return self._ranked(texts)

    def _ranked(self, texts: WordTable) -> WordTable:
        order = np.argsort(-texts.totals, kind="stable")[self.first - 1 : self.last]
        present = np.asarray((texts.counts[:, order] > 0).sum(axis=0)).ravel()
        chosen = order[(present >= self.culling * len(texts)) & (texts.totals[order] > 0)]
        if len(chosen) < 2:
            raise EstimateError(f"{len(chosen)} features are left: cull less, or take a wider range of words")
        return _columns(texts, chosen)

    def distances(self, corpus: Corpus) -> Floats:
        """Return Cosine Delta of all pairs on these features."""
        shares = self.table(corpus).shares().toarray()
        deviation = shares.std(axis=0)
        z = (shares - shares.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
        sizes = np.linalg.norm(z, axis=1, keepdims=True)
        z /= np.where(sizes > 0, sizes, 1.0)
        return np.asarray(1 - z @ z.T)


def settings(**choices: Iterable[Any]) -> tuple[Features, ...]:
    """Return all combinations of settings.

    >>> [f.last for f in settings(last=(100, 500), culling=(0.0,))]
    [100, 500]
    """
    return tuple(Features(**dict(zip(choices, values, strict=True))) for values in product(*choices.values()))


def _sequences(corpus: Corpus, n: int, kept: NDArray[np.bool_], most: int) -> WordTable:
    """Count the `most` frequent sequences of n kept words; a sequence is coded as a number of n digits."""
    base, rows = len(corpus.vocabulary), []
    for i in range(len(corpus)):
        ids = corpus.tokens(i).astype(np.int64)
        parts = [ids[k : max(0, len(ids) - n + 1 + k)] for k in range(n)]
        number = sum(part * base ** (n - 1 - k) for k, part in enumerate(parts))
        rows.append(np.asarray(number)[np.logical_and.reduce([kept[part] for part in parts])])
    numbers, columns = np.unique(np.concatenate(rows), return_inverse=True)
    frequent = np.argsort(-np.bincount(columns, minlength=len(numbers)), kind="stable")[:most]
    digits = [numbers[frequent] // base ** (n - 1 - k) % base for k in range(n)]
    words = tuple(" ".join(corpus.vocabulary[int(d)] for d in each) for each in zip(*digits, strict=True))
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    counts = sparse.csr_array((np.ones(len(columns)), columns, indptr), shape=(len(rows), len(numbers)))
    counts.sum_duplicates()
    lengths = np.maximum(corpus.lengths - n + 1, 0).astype(np.float64)
    return WordTable(words, sparse.csr_array(counts[:, frequent]), lengths, corpus.names)


def names(corpus: Corpus) -> NDArray[np.bool_]:
    """Tell which words are names: hardly ever in lower case, and with a capital inside a sentence."""
    from lexicloud.text import tokenize

    if corpus.texts is None:
        raise OptionError(
            "the corpus keeps no texts to find names in: build it with from_texts or from_folder"
        )
    ids, large, small = (
        corpus.vocabulary.ids,
        np.zeros(len(corpus.vocabulary)),
        np.zeros(len(corpus.vocabulary)),
    )
    for text in corpus.texts:
        before = "."
        for token in tokenize(text, corpus.rules):
            word = ids.get(corpus.rules.normalise(token), -1)
            if word >= 0 and token[:1].islower():
                small[word] += 1
            elif word >= 0 and token[:1].isupper() and before[-1:].isalpha() | (before == ","):
                large[word] += 1
            before = token
    return np.asarray((large > 0) & (small < 0.1 * large))


def _pronouns(language: str) -> list[str]:
    if language not in PRONOUNS:
        raise OptionError(f"no list of pronouns for {language}: there are {', '.join(PRONOUNS)}")
    return PRONOUNS[language].split()


def _columns(texts: WordTable, chosen: NDArray[Any]) -> WordTable:
    words = tuple(texts.words[i] for i in chosen.tolist())
    return replace(texts, words=words, counts=texts.counts[:, chosen])
