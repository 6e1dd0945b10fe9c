"""Evidence that is linear in features of words: rare words, pairs of words, mean vectors, characters, embeddings.

Each kind maps a word to features. A text's features are the sum of its words' features, at unit length; ridge or
logistic regression finds the coefficients (`lines`). So a text's score is a sum over its words, and can be explained
word by word.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.labelling.smoothed_words import (
        NumberedTerms,
        TextCounts,
        UnlabelledTexts,
        WordBackground,
        Words,
    )

    Floats = NDArray[np.float64]

# Words rarer than this share of text count in full in a mean of vectors (Arora, Liang and Ma's a).
_USUAL: Final = 1e-3
_NGRAMS: Final = (3, 4)
_CLOSE: Final = 1e-6
_GRAM: Final = 2000  # up to so many examples a matrix of all pairs is faster
# Scikit-learn's C of logistic regression: for standardised features, and for features of unit length.
_STRENGTH: Final = 0.1
_STRENGTH_OF_UNITS: Final = 10.0


@dataclass(frozen=True, eq=False)
class WordScores:
    """How much of each word (or pair of words) each text has, and what one unit of it adds to each label's score."""

    amounts: sparse.csr_array
    adds: Floats
    pairs: bool = False

    @property
    def total(self) -> Floats:
        """What all words of a text add (texts × labels)."""
        return np.asarray(self.amounts @ self.adds)

    def times(self, weight: float) -> WordScores:
        """Return the scores multiplied by a weight."""
        return WordScores(self.amounts, weight * self.adds, self.pairs)


class Linear(ABC):
    """One kind of features, and the regression on them."""

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
        """Return how often each text has each term, and the terms: words, or pairs of words."""
        return (texts.pair_counts, texts.pairs) if self.pairs else (texts.counts, texts.words)

    @abstractmethod
    def strengths(self, words: Words) -> Floats:
        """Return the weight of each word."""

    @abstractmethod
    def features(self, words: Words) -> Any:
        """Return the features of each word: rows of a sparse or dense array."""

    def amounts(self, counts: sparse.csr_array, words: Words) -> tuple[sparse.csr_array, Any]:
        """Return the amount of each word in each text, scaled to unit length of the features; and these features."""
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
        """Return the squared length of each word's features that no training text has.

        They have no coefficient, but they make a text longer and so less like any label.
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
    """Words weighted by their rarity in the training texts or in the whole table: tf-idf."""

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
        """Return the inverse document frequency."""
        having = np.array([self.having.get(word, 0) for word in words.words])
        return np.asarray(np.log((1 + self.texts) / (1 + having)) + 1)

    def features(self, words: Words) -> sparse.csr_array:
        """Return one feature for each training word; other words have none."""
        columns = self.known.find(words)
        rows = np.flatnonzero(columns >= 0)
        shape = (len(words), len(self.known))
        return sparse.csr_array((np.ones(len(rows)), (rows, columns[rows])), shape=shape)

    def unknown(self, words: Words) -> Floats:
        """Return one for words that no training text has, else zero."""
        return (self.known.find(words) < 0).astype(np.float64)


class WordPairs(RareWords):
    """Pairs of neighbouring words weighted by their rarity, which capture the order of words."""

    name = "word pairs"
    pairs = True


class MeanVectors(Linear):
    """Three mean vectors of a text, each less the mean of all texts: of all words, of content words, and by rarity.

    Topics show in content words, genres in all words. The three together were better than any one on the tuning
    collections. The vectors are raw, because refinement removes how common words are, which distinguishes genres.
    Vectors learnt from the table's own rows, if there are any, are added as further dimensions. `seen` are the words of
    all texts.
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
        """Return the weight of each word in each mean; by rarity it is Arora, Liang and Ma's a / (a + b)."""
        rarity = _USUAL / (_USUAL + self.background.shares(words))
        some = self.strengths(words)
        return [rarity * some, words.content * some, some]

    def strengths(self, words: Words) -> Floats:
        """Return one for words with a vector, else zero; the means have their own weights."""
        return np.asarray(words.embedded | words.own.any(axis=1), dtype=np.float64)

    def features(self, words: Words) -> Floats:
        """Return the weighted vectors less the centre of each mean, side by side."""
        pairs, vectors = zip(self._weightings(words), self.centres, strict=True), _side_by_side(words)
        return np.hstack([weights[:, None] * (vectors - centre) for weights, centre in pairs])


def _side_by_side(words: Words) -> NDArray[np.float32]:
    return np.hstack([words.raw, words.own]) if words.own.shape[1] else words.raw


class _Logistic(Linear):
    """Features with logistic instead of ridge regression."""

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
    """The mean vector of a text's content words, each dimension at unit variance, and logistic regression.

    This is the usual way. It makes other errors than `MeanVectors`, so that both together are better than either.
    """

    name = "standardised means"

    def strengths(self, words: Words) -> Floats:
        """Return one for content words with a vector, else zero."""
        return np.asarray(words.content & words.embedded, dtype=np.float64)

    def features(self, words: Words) -> Floats:
        """Return the raw vectors."""
        return words.raw.astype(np.float64)

    def lines(self, features: Any, targets: Floats) -> tuple[Floats, Floats]:
        """Standardise the features, and return the coefficients and constants for the features before that."""
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
        """Return one for all words: in these embeddings common words have short vectors already."""
        return np.ones(len(words))

    def features(self, words: Words) -> Floats:
        """Return the sum of the vectors of each word's tokens."""
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
        """Return what each word and each pair adds, for each kind."""
        cut = np.split(lines, np.cumsum(self.widths)[:-1])
        parts = zip(self.kinds, cut, strict=True)
        return [scores for kind, own in parts for scores in kind.word_scores(texts, own)]

    def strengths(self, words: Words) -> Floats:
        """Not defined: each of the kinds has its own."""
        raise NotImplementedError

    def features(self, words: Words) -> Any:
        """Not defined: each of the kinds has its own."""
        raise NotImplementedError


class Characters(Linear):
    """Runs of three and four characters inside words, so that forms of a word are similar."""

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
        """Return one for all words; the runs are weighted by their own rarity."""
        return np.ones(len(words))

    def unknown(self, words: Words) -> Floats:
        """Return the squared length of the runs that no training text has, with the highest rarity."""
        missing = [sum(run not in self.places for run in _runs(word)) for word in words.words]
        return np.asarray(self.rarest**2 * np.array(missing, dtype=np.float64))

    def features(self, words: Words) -> sparse.csr_array:
        """Return the runs of each word, weighted by rarity."""
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
    """Return the runs of a word, with a blank for its beginning and its end.

    >>> _runs("cat")
    [' ca', 'cat', 'at ', ' cat', 'cat ']
    """
    marked = f" {word} "
    return [marked[i : i + n] for n in _NGRAMS for i in range(len(marked) - n + 1)]


# The coefficients (`lines`) of logistic and ridge regression, and ridge scores of held-out texts.

_STEPS: Final = 60  # conjugate gradients; the systems are well conditioned and need about 20
_MOST_STEPS: Final = 300
_FEW_TEXTS: Final = 600  # up to so many texts, all pairs of texts are faster than all features
_CERTAIN: Final = 5.0  # the logit of a label that all texts have


def logistic_lines(features: Any, targets: Floats, strength: float) -> tuple[Floats, Floats]:
    """Return coefficients (features × labels) and constants of logistic regression.

    If texts have several labels, each label has a regression of its own against the rest.
    """
    if not features.shape[1]:
        return np.zeros((0, targets.shape[1])), np.zeros(targets.shape[1])
    if (targets.sum(axis=1) != 1).any():
        each = [_logistic(features, target, strength) for target in targets.T]
        return np.hstack([line for line, _ in each]), np.concatenate([level for _, level in each])
    lines, level = _logistic(features, targets.argmax(axis=1), strength)
    labels = np.flatnonzero(targets.any(axis=0))
    if len(labels) == 2:  # for two labels scikit-learn has only one row of coefficients
        lines, level = lines * [[-0.5, 0.5]], level * [-0.5, 0.5]
    out, constants = np.zeros((features.shape[1], targets.shape[1])), np.full(targets.shape[1], level.min())
    out[:, labels], constants[labels] = lines, level
    return out, constants


def _logistic(features: Any, y: NDArray[Any], strength: float) -> tuple[Floats, Floats]:
    from sklearn.linear_model import LogisticRegression

    if len(np.unique(y)) < 2:  # a label that all texts or none have
        return np.zeros((features.shape[1], 1)), np.array([_CERTAIN if y.any() else -_CERTAIN])
    short, back = _as_short_as_texts(features)
    model = LogisticRegression(C=strength, max_iter=_MOST_STEPS).fit(short, y)
    return back @ model.coef_.T, model.intercept_


def _as_short_as_texts(features: Any) -> tuple[Any, Any]:
    """Return features with no more columns than texts but the same products, and the map of coefficients back.

    The best coefficients are combinations of the texts, so few texts need few columns: with X = U S Vᵀ, a regression on
    U S is the same as on X.
    """
    texts, width = features.shape
    if texts > _FEW_TEXTS or width <= texts:
        return features, sparse.eye_array(width)
    products = features @ features.T
    products = products if isinstance(products, np.ndarray) else products.toarray()
    squares, U = np.linalg.eigh(products)
    kept = squares > _CLOSE * squares[-1]
    S = np.sqrt(squares[kept])
    return U[:, kept] * S, np.asarray(features.T @ (U[:, kept] / S))


def ridge_lines(features: Any, targets: Floats, ridge: float) -> tuple[Floats, Floats]:
    """Return coefficients (features × labels) and constants of ridge regression, by conjugate gradients on its dual.

    (X Xᵀ + λ) α = Y with the means of X and Y taken out; the coefficients are Xᵀ α.
    """
    centre = np.asarray(features.mean(axis=0)).ravel()
    level = targets.mean(axis=0)

    def product(alpha: Floats) -> Floats:
        back = features.T @ alpha - np.outer(centre, alpha.sum(axis=0))
        return np.asarray(features @ back - centre @ back + ridge * alpha)

    alpha = _conjugate_gradients(product, targets - level)
    lines = np.asarray(features.T @ alpha) - np.outer(centre, alpha.sum(axis=0))
    return lines, level - centre @ lines


def held_out_by_lines(features: Any, targets: Floats, ridge: float, part: NDArray[np.int64]) -> Floats:
    """Return each text's ridge scores by the coefficients of the other folds."""
    out = np.zeros(targets.shape)
    for fold in range(part.max() + 1):
        held = part == fold
        lines, constants = ridge_lines(features[~held], targets[~held], ridge)
        out[held] = features[held] @ lines + constants
    return out


def held_out_by_gram(features: Any, targets: Floats, ridge: float, part: NDArray[np.int64]) -> Floats:
    """Return the scores of `held_out_by_lines` from the products of all pairs of texts, computed once for all folds."""
    products = features @ features.T
    products = products if isinstance(products, np.ndarray) else products.toarray()
    out = np.zeros(targets.shape)
    for fold in range(part.max() + 1):
        held = part == fold
        known, new = products[np.ix_(~held, ~held)], products[np.ix_(held, ~held)]
        centre, level = known.mean(axis=0), targets[~held].mean(axis=0)
        middle = known - centre - centre[:, None] + centre.mean()
        middle[np.diag_indices_from(middle)] += ridge
        alpha = np.linalg.solve(middle, targets[~held] - level)
        out[held] = (new - new.mean(axis=1, keepdims=True) - centre + centre.mean()) @ alpha + level
    return out


def _conjugate_gradients(product: Any, right: Floats) -> Floats:
    """Solve a positive definite system for several right-hand sides at once."""
    solution, residual = np.zeros_like(right), right.copy()
    direction, size = residual.copy(), (residual**2).sum(axis=0)
    least = _CLOSE**2 * np.maximum(size, 1e-30)
    for _ in range(_STEPS):
        if (size <= least).all():
            break
        image = product(direction)
        step = size / np.maximum((direction * image).sum(axis=0), 1e-300)
        solution += step * direction
        residual -= step * image
        before, size = size, (residual**2).sum(axis=0)
        direction = residual + size / np.maximum(before, 1e-300) * direction
    return solution
