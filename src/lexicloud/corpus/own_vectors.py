"""`train_vectors`: learn vectors from one's own texts, and check them on text that was held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lexicloud.errors import InputError, VectorsError
from lexicloud.progress import track
from lexicloud.result import Result
from lexicloud.text import DEFAULT_RULES, TokenRules, tokenize
from lexicloud.vectors import WordVectors, load_vectors
from lexicloud.vectors.cooccurrence import (
    DEFAULT_OPTIONS,
    PairScore,
    TrainOptions,
    WordStream,
    neighbour_score,
    train,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_PIECE: Final = 1000  # tokens of a piece; every tenth piece is held out for the check
_EVERY: Final = 10


@dataclass(frozen=True)
class Training(Result):
    """What vectors were trained on, and how well they fit text that was held out.

    For `quality`, vectors are trained in the same way without every tenth piece of the text. It is the share of word
    pairs from neighbouring places in the pieces left out that these vectors put nearer than a random pair (0.5 is
    chance). `compared` is the same for the vectors `compared_with`: the built-in ones, or those started from.
    """

    tokens: int
    words: int
    quality: PairScore
    compared: PairScore
    compared_with: str

    def __str__(self) -> str:
        return (
            f"{self.words:,} words from {self.tokens:,} tokens, held-out quality {self.quality.value:.3f} "
            f"({self.compared_with} {self.compared.value:.3f})"
        )


class TrainedVectors(WordVectors):
    """Word vectors that know how they were trained: `training`."""

    training: Training


def train_vectors(
    texts: Sequence[str],
    *,
    start: WordVectors | str | Path | None = None,
    options: TrainOptions = DEFAULT_OPTIONS,
    rules: TokenRules = DEFAULT_RULES,
    name: str = "trained",
) -> TrainedVectors:
    """Learn word vectors from texts, in any language with spaces between its words.

    With `start` (vectors, a path or a name; "glove-6b-50d" is built in), its words keep their vectors and new words are
    added. Without it all words are learnt anew, which is worth while from about a million words of text. The attribute
    `training` says how well the vectors fit held-out text.

    >>> pets = ["the cat sat on the mat", "the dog sat on the rug", "a cat and a dog slept"] * 20
    >>> train_vectors(pets, options=TrainOptions(dimension=4, least_count=2))
    <TrainedVectors trained: 10 words, 4 dimensions>
    """
    if isinstance(texts, str):
        raise InputError("give a list of texts, not one text")
    pieces = _pieces(texts, rules.settled(texts))
    base = start if isinstance(start, WordVectors) or start is None else load_vectors(start)
    found = train(pieces, options, base, name)
    vectors = TrainedVectors(found.words, found.matrix, name, subwords=found.subwords, format="trained")
    quality, compared, other = _check(pieces, options, base)
    tokens = sum(map(len, pieces))
    vectors.training = Training(tokens, len(vectors), quality, compared, other)
    return vectors


def _pieces(texts: Sequence[str], rules: TokenRules) -> list[list[str]]:
    pieces = []
    for text in track(texts, "splitting into words"):
        tokens = [rules.normalise(token) for token in tokenize(text, rules)]
        pieces += [tokens[i : i + _PIECE] for i in range(0, len(tokens), _PIECE)]
    return pieces


def _check(
    pieces: list[list[str]], options: TrainOptions, base: WordVectors | None
) -> tuple[PairScore, PairScore, str]:
    """Train without every tenth piece; return the scores there of the new and the earlier vectors, and their name."""
    kept = [piece for i, piece in enumerate(pieces) if i % _EVERY]
    held = [piece for i, piece in enumerate(pieces) if not i % _EVERY]
    before = load_vectors() if base is None else base
    try:
        again = train(kept, options, base)
        stream = WordStream.of(held, TrainOptions(window=options.window, least_count=1))
    except VectorsError:  # too little text to leave a tenth out
        return PairScore(float("nan"), 0), PairScore(float("nan"), 0), before.name
    scores = [neighbour_score(v, stream, options.window, options.seed) for v in (again, before)]
    return scores[0], scores[1], before.name
