"""Evidence that is a line through features of words: rare words, mean vectors, and word beginnings and endings.

Each kind maps a word to features; a text is the sum of its words' features, at unit length; ridge or logistic
regression draws the lines. So a text's score is a sum over its words, and can be told word by word.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.labelling.smoothed_words import Background, Words
    from lexicloud.labelling.table_rows import TableRows

    Floats = NDArray[np.float64]

# Words rarer than this share of text count in full in a mean of vectors (Arora, Liang and Ma's a).
_USUAL: Final = 1e-3
_NGRAMS: Final = (3, 4)
_STEPS: Final = 60  # conjugate gradients; the systems are well conditioned and need about 20
_CLOSE: Final = 1e-6
_GRAM: Final = 2000  # examples up to which a matrix of all pairs is faster
_STRENGTH: Final = 0.1  # of logistic regression: scikit-learn's C
_MOST_STEPS: Final = 300


class Linear(ABC):
    """One kind of features."""

    name: ClassVar[str]
    ridge: ClassVar[float] = 0.0

    def __init__(self, known: Words, background: Background) -> None:
        self.known, self.background = known, background

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
        self, known: Words, background: Background, counts: sparse.csr_array, rows: TableRows | None
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


class MeanVectors(Linear):
    """Means of a text's vectors, seen from those of all texts: of all words, of content words, and by rarity.

    Topics show in content words, genres in all of them; the three together were better than any one on the collections
    that choices were made on. Raw vectors: refinement takes out how usual words are, which tells genres apart. Vectors
    learnt from the table's own rows, where there are any, stand beside the others. `seen` are the words of all texts.
    """

    name = "mean vectors"
    ridge = 1.0

    def __init__(self, known: Words, background: Background, seen: Words, totals: Floats) -> None:
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


class StandardMeans(Linear):
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
        from sklearn.linear_model import LogisticRegression

        spread = features.std(axis=0)
        if not spread.any():
            return np.zeros((features.shape[1], targets.shape[1])), np.zeros(targets.shape[1])
        spread[spread < _CLOSE] = 1
        model = LogisticRegression(C=_STRENGTH, max_iter=_MOST_STEPS)
        model.fit((features - features.mean(axis=0)) / spread, targets.argmax(axis=1))
        lines, level = model.coef_.T / spread[:, None], model.intercept_
        if targets.shape[1] == 2:  # one line tells two labels apart
            lines, level = lines * [[-0.5, 0.5]], level * [-0.5, 0.5]
        return lines, level - features.mean(axis=0) @ lines

    def held_out(self, features: Any, targets: Floats, part: NDArray[np.int64]) -> Floats:
        """Return each text's scores by the lines of the other folds."""
        out = np.zeros(targets.shape)
        for fold in range(part.max() + 1):
            held = part == fold
            lines, constants = self.lines(features[~held], targets[~held])
            out[held] = features[held] @ lines + constants
        return out


class Characters(Linear):
    """Runs of three and four characters inside words, so that forms of a word are alike."""

    name = "characters"
    ridge = 0.3

    def __init__(self, known: Words, background: Background, counts: sparse.csr_array) -> None:
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
    """Return each text's ridge scores by the lines of the other folds."""
    out = np.zeros(targets.shape)
    for fold in range(part.max() + 1):
        held = part == fold
        lines, constants = ridge_lines(features[~held], targets[~held], ridge)
        out[held] = features[held] @ lines + constants
    return out


def held_out_by_gram(features: Any, targets: Floats, ridge: float, part: NDArray[np.int64]) -> Floats:
    """Return the same from the products of all pairs of texts, which the folds share."""
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
