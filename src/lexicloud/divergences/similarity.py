"""How alike two short texts are in meaning: sentences, titles, questions.

A divergence of word frequencies needs some hundred words. For a sentence or two the vectors of the words say more.

The similarity k(v, w) of two words is the greater of 0.35 cos⁵, with the cosine of their vectors, and the square of the
share of letter runs that they have in common (*boat*, *boats*); it is 1 for the same word or the same vector. The
similarity of two texts is the mean of two numbers. `means` is Σ u(v) k(v, w) u(w) over both texts' words, scaled to a
cosine (that of weighted means, in the space in which k is the inner product). `coverage` says how well each word of one
text is covered by the most similar word of the other, both ways. Rare words weigh more (Arora and others 2017):
u = a / (a + p), where p follows from the rank of a word among the vectors, which begin with the most frequent word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import EstimateError
from lexicloud.result import SHOWN, Result, TabularResult
from lexicloud.say.blocks import Block, Sentence, listed, number, table
from lexicloud.text import DEFAULT_RULES, TokenRules, is_punctuation, stopwords, tokenize

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from lexicloud.vectors import WordVectors

    Floats = NDArray[np.float64]

# With plain cosines many half-similar words outweigh the words that match; an odd power keeps the sign. Letters,
# weights and MEANING were chosen on every fourth training pair and the dev pairs of the STS benchmark (correlation with
# people by the built-in vectors: .680 and .739 before, .728 and .780 with them) and on verses of the Bible in two
# translations against their neighbours (.691 before, .700 with them). Arora and others found 1e-4 to 1e-3 equally good
# for SMOOTH.
SMOOTH: Final = 3e-4
SHARP: Final = 5
MEANING: Final = 0.35
_RUN: Final = 3  # letters
# The conclusion tells of words of like meaning from this cosine on, and of no word that weighs less than this share of
# the heaviest, such as “the”.
_NEAR: Final = 0.5
_HEAVY: Final = 0.1
_TOLD: Final = 3
_SAME: Final = 1e-6  # words with a cosine this near to one share a vector


@dataclass(frozen=True)
class CoveredWords(Result):
    """A word, the word of the other text that covers it, their cosine (1 for the same word), and their similarity.

    `adds` is what this adds to the coverage.
    """

    word: str
    by: str
    cosine: float
    alike: float
    adds: float


@dataclass(frozen=True)
class Similarity(TabularResult):
    """The similarity of two short texts, at most 1: the mean of `means` and `coverage`, to which `words` add up."""

    _table = "words"

    value: float
    means: float
    coverage: float
    words: tuple[CoveredWords, ...]

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.3f} (means {self.means:.3f}, coverage {self.coverage:.3f})"

    def blocks(self) -> list[Block]:
        """Return the words that the texts have in common or nearly so, the similarity, and every word's part in it."""
        rows = [(w.word, w.by, w.cosine, w.alike, w.adds) for w in self.words]
        columns = ["word", "its nearest in the other text", "cosine", "alike", "adds"]
        return [
            Sentence(_conclusion(self.words), "answer"),
            Sentence(
                f"Similarity {number(self.value)}, where the same text has 1: the mean of {number(self.means)} for the "
                f"texts as wholes and {number(self.coverage)} for how well each word is covered.",
                "sure",
            ),
            table(columns, rows, title="What each word adds to the coverage", top=SHOWN),
        ]


def _conclusion(words: tuple[CoveredWords, ...]) -> str:
    """Say which words the texts share, and which of one text mean nearly what a word of the other does."""
    weights = [w.adds / w.alike if w.alike else 0.0 for w in words]
    heavy = [w for w, weight in zip(words, weights, strict=True) if weight >= _HEAVY * max(weights)]
    same = list(dict.fromkeys(w.word for w in heavy if w.word == w.by))
    near = {frozenset((w.word, w.by)): w for w in heavy if w.word != w.by and w.cosine >= _NEAR}
    pairs = [f"{w.word} ≈ {w.by}" for w in near.values() if not {w.word, w.by} & set(same)]
    said = [f"share {listed([f'“{word}”' for word in same[:_TOLD]])}"] if same else []
    said += [f"have words of like meaning ({listed(pairs[:_TOLD])})"] if pairs else []
    return f"The texts {' and '.join(said) or 'have no telling word in common and none of like meaning'}."


def similarity(
    a: str, b: str, *, vectors: WordVectors | str | Path | None = None, rules: TokenRules = DEFAULT_RULES
) -> Similarity:
    """Compare two short texts by the vectors of their words.

    For texts of some hundred words and more, `divergence` says more, and says how sure it is.

    A word that both texts have counts far more than near words do, as it does for people. In the paper's example of a
    queen of England, the band *Queen* comes before a king of France (.173 and .064) because *queen* itself is shared.
    Plain cosines would put the king first, but they agree less with people (`docs/attribution-how.md`). To find texts
    on the same topic, use `SentenceIndex.search`, which puts the king first.

    >>> near = similarity("A boat left the harbour.", "The ship sailed from the port.")
    >>> far = similarity("A boat left the harbour.", "The judge read the verdict.")
    >>> near.value > far.value
    True
    """
    from lexicloud.vectors import WordVectors, load_vectors

    table = vectors if isinstance(vectors, WordVectors) else load_vectors(vectors)
    rules = rules.settled([a, b])
    sides = [_side(text, table, rules, what) for text, what in ((a, "first"), (b, "second"))]
    (words_a, _, u), (words_b, _, v) = sides
    cosines, alike = _cosines(*sides), likeness(*sides)
    own = [float(side[2] @ likeness(side, side) @ side[2]) for side in sides]
    means = float(u @ alike @ v) / max((own[0] * own[1]) ** 0.5, 1e-12)
    covered = (
        *_covered(words_a, words_b, cosines, alike, u),
        *_covered(words_b, words_a, cosines.T, alike.T, v),
    )
    coverage = float(sum(word.adds for word in covered))
    ranked = tuple(sorted(covered, key=lambda word: -abs(word.adds)))
    return Similarity((means + coverage) / 2, means, coverage, ranked)


_Side = tuple[list[str], Any, "Floats"]


def _side(text: str, vectors: WordVectors, rules: TokenRules, what: str) -> _Side:
    """Return the words of a text, their refined vectors (zeros for none), and their weights, which sum to one."""
    words = [w for w in map(rules.normalise, tokenize(text, rules)) if not is_punctuation(w)]
    found = vectors.lookup(words) if words else None
    if found is None or not found.status.any():
        raise EstimateError(
            f"no word of the {what} text has a vector ({len(words)} words): use other vectors"
        )
    # Stop words without a vector are left out: without a rank they would weigh as much as the rarest words.
    usual = stopwords(rules.language)
    kept = [i for i, word in enumerate(words) if found.status[i] > 0 or word not in usual]
    words, has, matrix = [words[i] for i in kept], found.status[kept] > 0, found.matrix[kept]
    refined = np.zeros(matrix.shape, dtype=np.float32)
    refined[has] = vectors.refinement.apply(matrix[has])
    weights = _weights(words, vectors)
    return words, refined, weights / weights.sum()


def _cosines(a: _Side, b: _Side) -> Floats:
    """Return the cosines of all pairs of words; a word is at 1 with itself, vector or not."""
    same = np.array(a[0])[:, None] == np.array(b[0])
    return np.where(same, 1.0, np.asarray(a[1] @ b[1].T, dtype=np.float64))


def likeness(a: _Side, b: _Side) -> Floats:
    """Return k of all pairs of words: the similarity by meaning or by letters, whichever is greater."""
    cosines = _cosines(a, b)
    runs_a, runs_b = ([_runs(word) for word in side[0]] for side in (a, b))
    letters = np.array([[2 * len(x & y) / (len(x) + len(y)) for y in runs_b] for x in runs_a]) ** 2
    return np.where(cosines > 1 - _SAME, 1.0, np.maximum(MEANING * cosines**SHARP, letters))


def _runs(word: str) -> set[str]:
    """Return the runs of three letters, edges included.

    >>> sorted(_runs("cat"))
    [' ca', 'at ', 'cat']
    """
    marked = f" {word} "
    return {marked[i : i + _RUN] for i in range(len(marked) - _RUN + 1)}


def _weights(words: list[str], vectors: WordVectors) -> Floats:
    """Return a / (a + p) with Zipf's p for the rank of a word; a word found by its parts counts as rare."""
    rows = vectors.rows.find_many(words)
    ranks = np.where(rows >= 0, rows, len(vectors)).astype(np.float64)
    p = 1 / ((ranks + 2.7) * np.log(max(len(vectors), 3)))
    return np.asarray(SMOOTH / (SMOOTH + p))


def _covered(
    words: list[str], others: list[str], cosines: Floats, alike: Floats, weights: Floats
) -> list[CoveredWords]:
    best = alike.argmax(axis=1)
    return [
        CoveredWords(
            word,
            others[j],
            float(cosines[i, j]),
            float(alike[i, j]),
            float(weights[i] * alike[i, j] / 2),
        )
        for i, (word, j) in enumerate(zip(words, best, strict=True))
    ]
