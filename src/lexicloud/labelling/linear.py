"""Evidence that is a line through features of words: rare words, pairs of words, mean vectors, characters, embeddings.

Each kind maps a word to features; a text is the sum of its words' features, at unit length; ridge or logistic
regression draws the lines. So a text's score is a sum over its words, and can be told word by word.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from scipy import sparse

from lexicloud.labelling.regression import held_out_by_gram, held_out_by_lines, logistic_lines, ridge_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.labelling.smoothed_words import NumberedTerms, TextCounts, WordBackground, Words
    from lexicloud.labelling.unlabelled import UnlabelledTexts

    Floats = NDArray[np.float64]

# Words rarer than this share of text count in full in a mean of vectors (Arora, Liang and Ma's a).
_USUAL: Final = 1e-3
_NGRAMS: Final = (3, 4)
_CLOSE: Final = 1e-6
_GRAM: Final = 2000  # examples up to which a matrix of all pairs is faster
# Strength of logistic regression, scikit-learn's C: of standardised features, and of those of unit length.
_STRENGTH: Final = 0.1
_STRENGTH_OF_UNITS: Final = 10.0


@dataclass(frozen=True, eq=False)
class WordScores:
    """How much of each word (or pair of words) each text holds, and what one of it adds to each label's score."""

    amounts: sparse.csr_array
    adds: Floats
    pairs: bool = False

    @property
    def total(self) -> Floats:
        """What all words of a text add (texts × labels)."""
        return np.asarray(self.amounts @ self.adds)

    def times(self, weight: float) -> WordScores:
        """Return the same with another weight."""
        return WordScores(self.amounts, weight * self.adds, self.pairs)


class Linear(ABC):
    """One kind of features."""

    name: ClassVar[str]
    ridge: ClassVar[float] = 0.0
    pairs: ClassVar[bool] = False

    def __init__(self, known: NumberedTerms, background: WordBackground) -> None:
        self.known, self.background = known, background

    def train(self, texts: TextCounts) -> Any:
        """Return the features of texts, at unit length."""
        return self.amounts(*self.terms(texts))[1]

    def word_scores(self, texts: TextCounts, lines: Floats) -> list[WordScores]:
        """Return what each word adds to each label's score."""
        counts, terms = self.terms(texts)
        amounts, _ = self.amounts(counts, terms)
        return [WordScores(amounts, np.asarray(self.features(terms) @ lines), self.pairs)]

    def terms(self, texts: TextCounts) -> tuple[sparse.csr_array, Any]:
        """Return what the kind looks at, words or pairs of words, and how often each text has each."""
        return (texts.pair_counts, texts.pairs) if self.pairs else (texts.counts, texts.words)

    @abstractmethod
    def strengths(self, words: Words) -> Floats:
        """Return how much each word counts."""

    @abstractmethod
    def features(self, words: Words) -> Any:
        """Return the features of each word: rows of a sparse or dense array."""

    def amounts(self, counts: sparse.csr_array, words: Words) -> tuple[sparse.csr_array, Any]:
        """Return how much of each word each text holds, such that its features have unit length; and these features."""
        amounts = counts.copy()
        amounts.data = 1 + np.log(amounts.data)
        amounts = sparse.csr_array(amounts @ sparse.diags_array(self.strengths(words)))
        features = amounts @ self.features(words)
        squares = features**2 if isinstance(features, np.ndarray) else features.multiply(features)
        unknown = amounts.multiply(amounts) @ self.unknown(words)
        length = np.sqrt(np.asarray(squares.sum(axis=1)).ravel() + unknown)
        scale = sparse.diags_array(1 / np.where(length > 0, length, 1))
        return sparse.csr_array(scale @ amounts), scale @ features

    def unknown(self, words: Words) -> Floats:
        """Return the squared length of what each word has and no training text does.

        It has no feature but makes a text longer: the text is less like any label.
        """
        return np.zeros(len(words))

    def lines(self, features: Any, targets: Floats) -> tuple[Floats, Floats]:
        """Return coefficients (features × labels) and constants."""
        return ridge_lines(features, targets, self.ridge)

    def held_out(self, features: Any, targets: Floats, part: NDArray[np.int64]) -> Floats:
        """Return each text's scores by the lines of the other folds."""
        way = held_out_by_gram if len(part) <= _GRAM else held_out_by_lines
        return way(features, targets, self.ridge, part)


class RareWords(Linear):
    """Words by how few texts have them, of the training texts or of the whole table: tf-idf."""

    name = "rare words"
    ridge = 0.3

    def __init__(
        self,
        known: NumberedTerms,
        background: WordBackground,
        counts: sparse.csr_array,
        rows: UnlabelledTexts | None = None,
    ) -> None:
        super().__init__(known, background)
        self.texts = counts.shape[0] if rows is None else rows.texts
        having = np.asarray((counts > 0).sum(axis=0)).ravel() if rows is None else rows.having
        words = known.words if rows is None else rows.words
        self.having = dict(zip(words, having.tolist(), strict=True))

    def strengths(self, words: Words) -> Floats:
        """The inverse document frequency."""
        having = np.array([self.having.get(word, 0) for word in words.words])
        return np.asarray(np.log((1 + self.texts) / (1 + having)) + 1)

    def features(self, words: Words) -> sparse.csr_array:
        """One feature for each training word; other words have none."""
        columns = self.known.find(words)
        rows = np.flatnonzero(columns >= 0)
        shape = (len(words), len(self.known))
        return sparse.csr_array((np.ones(len(rows)), (rows, columns[rows])), shape=shape)

    def unknown(self, words: Words) -> Floats:
        """One for words of no training text."""
        return (self.known.find(words) < 0).astype(np.float64)


class WordPairs(RareWords):
    """Pairs of words that follow one another, by how few texts have them: where the order of words tells."""

    name = "word pairs"
    pairs = True


class MeanVectors(Linear):
    """Means of a text's vectors, seen from those of all texts: of all words, of content words, and by rarity.

    Topics show in content words, genres in all of them; the three together were better than any one on the collections
    that choices were made on. Raw vectors: refinement takes out how usual words are, which tells genres apart. Vectors
    learnt from the table's own rows, where there are any, stand beside the others. `seen` are the words of all texts.
    """

    name = "mean vectors"
    ridge = 1.0

    def __init__(self, known: Words, background: WordBackground, seen: Words, totals: Floats) -> None:
        super().__init__(known, background)
        self.centres = [
            (totals * weights) @ _side_by_side(seen) / max(float(totals @ weights), 1e-12)
            for weights in self._weightings(seen)
        ]

    def _weightings(self, words: Words) -> list[Floats]:
        """Return what each word counts in each mean; by rarity it is Arora, Liang and Ma's a / (a + b)."""
        rarity = _USUAL / (_USUAL + self.background.shares(words))
        some = self.strengths(words)
        return [rarity * some, words.content * some, some]

    def strengths(self, words: Words) -> Floats:
        """All words with a vector alike; the means have their own weights."""
        return np.asarray(words.embedded | words.own.any(axis=1), dtype=np.float64)

    def features(self, words: Words) -> Floats:
        """The vectors less each centre, side by side."""
        pairs, vectors = zip(self._weightings(words), self.centres, strict=True), _side_by_side(words)
        return np.hstack([weights[:, None] * (vectors - centre) for weights, centre in pairs])


def _side_by_side(words: Words) -> NDArray[np.float32]:
    return np.hstack([words.raw, words.own]) if words.own.shape[1] else words.raw


class _Logistic(Linear):
    """Features whose lines are those of logistic regression."""

    def lines(self, features: Any, targets: Floats) -> tuple[Floats, Floats]:
        """Return coefficients (features × labels) and constants."""
        return logistic_lines(features, targets, _STRENGTH_OF_UNITS)

    def held_out(self, features: Any, targets: Floats, part: NDArray[np.int64]) -> Floats:
        """Return each text's scores by the lines of the other folds."""
        out = np.zeros(targets.shape)
        for fold in range(part.max() + 1):
            held = part == fold
            lines, constants = self.lines(features[~held], targets[~held])
            out[held] = features[held] @ lines + constants
        return out


class StandardMeans(_Logistic):
    """The mean of a text's content words, each dimension at unit variance, and logistic regression.

    What is usual for mean vectors. It errs otherwise than `MeanVectors`, so that both together are better than either.
    """

    name = "standardised means"

    def strengths(self, words: Words) -> Floats:
        """Content words with a vector alike."""
        return np.asarray(words.content & words.embedded, dtype=np.float64)

    def features(self, words: Words) -> Floats:
        """The vectors."""
        return words.raw.astype(np.float64)

    def lines(self, features: Any, targets: Floats) -> tuple[Floats, Floats]:
        """Standardise, and draw the lines of logistic regression for what the features were before."""
        spread = features.std(axis=0)
        if not spread.any():
            return np.zeros((features.shape[1], targets.shape[1])), np.zeros(targets.shape[1])
        spread[spread < _CLOSE] = 1
        lines, level = logistic_lines((features - features.mean(axis=0)) / spread, targets, _STRENGTH)
        lines = lines / spread[:, None]
        return lines, level - features.mean(axis=0) @ lines


class Embeddings(_Logistic):
    """Static sentence embeddings, the sum of the vectors of all tokens at unit length, and logistic regression."""

    name = "embeddings"

    def strengths(self, words: Words) -> Floats:
        """All words alike: the model has made vectors of usual words short."""
        return np.ones(len(words))

    def features(self, words: Words) -> Floats:
        """The sums of the vectors of each word's tokens."""
        return words.tokens.astype(np.float64)


class Together(_Logistic):
    """One logistic regression over the features of several kinds side by side."""

    name = "regression"

    def __init__(self, kinds: Sequence[Linear]) -> None:
        self.kinds = kinds
        self.widths: list[int] = []

    def train(self, texts: TextCounts) -> sparse.csr_array:
        """Return the features of all kinds, each at unit length."""
        found = [sparse.csr_array(kind.train(texts)) for kind in self.kinds]
        self.widths = [features.shape[1] for features in found]
        return sparse.csr_array(sparse.hstack(found))

    def word_scores(self, texts: TextCounts, lines: Floats) -> list[WordScores]:
        """Return what each word and each pair adds by each kind's features."""
        cut = np.split(lines, np.cumsum(self.widths)[:-1])
        parts = zip(self.kinds, cut, strict=True)
        return [scores for kind, own in parts for scores in kind.word_scores(texts, own)]

    def strengths(self, words: Words) -> Floats:
        """Those of its kinds."""
        raise NotImplementedError

    def features(self, words: Words) -> Any:
        """Those of its kinds."""
        raise NotImplementedError


class Characters(Linear):
    """Runs of three and four characters inside words, so that forms of a word are alike."""

    name = "characters"
    ridge = 0.3

    def __init__(self, known: Words, background: WordBackground, counts: sparse.csr_array) -> None:
        super().__init__(known, background)
        self.places: dict[str, int] = {}
        grams = self._grams(known, grow=True)
        texts = np.asarray((sparse.csr_array(counts @ grams) > 0).sum(axis=0)).ravel()
        self.rarity = np.log((1 + counts.shape[0]) / (1 + texts)) + 1
        self.rarest = np.log(1 + counts.shape[0]) + 1

    def strengths(self, words: Words) -> Floats:
        """All words alike; the runs have their own rarity."""
        return np.ones(len(words))

    def unknown(self, words: Words) -> Floats:
        """The runs of no training text, each as rare as can be."""
        missing = [sum(run not in self.places for run in _runs(word)) for word in words.words]
        return np.asarray(self.rarest**2 * np.array(missing, dtype=np.float64))

    def features(self, words: Words) -> sparse.csr_array:
        """The runs of each word, by rarity."""
        return sparse.csr_array(self._grams(words) @ sparse.diags_array(self.rarity))

    def _grams(self, words: Words, *, grow: bool = False) -> sparse.csr_array:
        columns: list[int] = []
        bounds = [0]
        for word in words.words:
            runs = _runs(word)
            if grow:
                columns += [self.places.setdefault(run, len(self.places)) for run in runs]
            else:
                columns += [self.places[run] for run in runs if run in self.places]
            bounds.append(len(columns))
        shape = (len(words), len(self.places))
        grams = sparse.csr_array((np.ones(len(columns)), columns, bounds), shape=shape)
        grams.sum_duplicates()
        return grams


def _runs(word: str) -> list[str]:
    """Return the runs of a word with its two edges marked.

    >>> _runs("cat")
    [' ca', 'cat', 'at ', ' cat', 'cat ']
    """
    marked = f" {word} "
    return [marked[i : i + n] for n in _NGRAMS for i in range(len(marked) - n + 1)]
