"""Impostors: passages by other hands, as counts of frequent words, and how often they come closer (General Imposters).

For English one is part of the package: counts (no texts) of the 2,000 most frequent words in passages of 10,000 words
of public-domain books. Any folder of texts by various hands can take its place, in any language.

General Imposters (Koppel and Winter 2014): in every round a random half of the words and of the impostors; the share of
rounds in which the known texts are closer to the unknown one than any impostor is, and the other way round. Nagy 2024
asks in every round of one impostor at a time, which does not saturate. All rounds are one product with a mask over the
words.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.divergences.attribution.features import WordTable
from lexicloud.errors import EstimateError, OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.attribution.verify import Problem

    Floats = NDArray[np.float64]

PASSAGE: Final = 10_000
WORDS: Final = 2000
# With fewer, the deviation of the impostors' distances is a guess.
LEAST: Final = 8


@dataclass(frozen=True, eq=False)
class Population:
    """Passages by various hands: their counts over the most frequent words, and who wrote each."""

    name: str
    passages: WordTable
    authors: tuple[str, ...]
    about: str = ""

    @classmethod
    def of_corpus(cls, corpus: Corpus, name: str = "the given texts") -> Population:
        """Cut texts into passages of up to 10,000 words, at most two of each; labels, if given, are their authors."""
        rows: list[NDArray[Any]] = []
        owners: list[int] = []
        for i in range(len(corpus)):
            for piece in _pieces(corpus.tokens(i)):
                rows.append(piece)
                owners.append(i)
        if len(rows) < LEAST:
            raise EstimateError(
                f"the reference has {len(rows)} passages, but {LEAST} are needed to say what is usual: give more texts"
            )
        frequent = np.argsort(-corpus.totals, kind="stable")[:WORDS]
        place = np.full(len(corpus.vocabulary), -1)
        place[frequent] = np.arange(len(frequent))
        counts = sparse.csr_array(np.stack([_tally(place[row], len(frequent)) for row in rows]))
        words = tuple(corpus.vocabulary[int(i)] for i in frequent)
        labels = corpus.labels or corpus.names
        authors = tuple(str(labels[i] if labels[i] is not None else corpus.names[i]) for i in owners)
        names = tuple(corpus.names[i] for i in owners)
        lengths = np.array([len(row) for row in rows], dtype=np.float64)
        return cls(name, WordTable(words, counts, lengths, names), authors)

    def without(self, authors: Sequence[str]) -> Population:
        """Leave out the passages of some authors."""
        lower = {author.lower() for author in authors}
        unknown = lower - {author.lower() for author in self.authors}
        if unknown:
            raise OptionError(f"the reference has no author {min(unknown)!r}: see its list of authors")
        kept = [i for i, author in enumerate(self.authors) if author.lower() not in lower]
        return self.rows(kept)

    def over(self, words: tuple[str, ...]) -> Population:
        """Return the counts of some words alone."""
        return replace(self, passages=self.passages.limited(words))

    def rows(self, kept: Sequence[int]) -> Population:
        """Return some of the passages."""
        return replace(self, passages=self.passages.rows(kept), authors=tuple(self.authors[i] for i in kept))

    def __len__(self) -> int:
        return len(self.authors)


def thinned(passages: WordTable, length: float, rng: np.random.Generator) -> WordTable:
    """Return passages cut to about `length` words, drawn from their counts; shorter ones stay as they are."""
    keep = np.minimum(1.0, length / passages.lengths)
    counts = passages.counts.toarray()
    drawn = rng.binomial(counts.astype(np.int64), np.broadcast_to(keep[:, None], counts.shape))
    return replace(
        passages, counts=sparse.csr_array(drawn.astype(np.float64)), lengths=passages.lengths * keep
    )


@cache
def english() -> Population:
    """Return the population that is part of the package."""
    folder = files("lexicloud.divergences.attribution") / "populations"
    about = json.loads((folder / "english.json").read_text(encoding="utf-8"))
    with (folder / "english.npz").open("rb") as file, np.load(file, allow_pickle=False) as table:
        counts, lengths = table["counts"].astype(np.float64), table["lengths"].astype(np.float64)
    names, authors = tuple(about["titles"]), tuple(about["authors"])
    passages = WordTable(tuple(about["words"]), sparse.csr_array(counts), lengths, names)
    return Population("english", passages, authors, about["about"])


def _pieces(tokens: NDArray[Any]) -> list[NDArray[Any]]:
    """Cut one or two passages from a text: from its first and its second half."""
    if len(tokens) < 2 * PASSAGE:
        return [tokens[:PASSAGE]]
    middle = len(tokens) // 2
    starts = ((middle - PASSAGE) // 2, middle + (len(tokens) - middle - PASSAGE) // 2)
    return [tokens[start : start + PASSAGE] for start in starts]


def _tally(ids: NDArray[Any], width: int) -> Floats:
    return np.bincount(ids[ids >= 0], minlength=width).astype(np.float64)


ROUNDS: Final = 100
# Too many impostors saturate the vote; 10 to 30 are best.
MOST: Final = 25


def imposters_score(problem: Problem, seed: int = 0) -> float:
    """Return the share of rounds won against all impostors of the round."""
    wins, rng = [], np.random.default_rng(seed)
    for own, theirs in _rounds(problem, rng):
        among = rng.random(theirs.shape) < 0.5
        wins.append((own >= np.where(among, theirs, -np.inf).max(axis=0)).mean())
    return float(np.mean(wins))


def bootstrap_score(problem: Problem, seed: int = 0) -> float:
    """Return how often a round is won against one impostor, all impostors weighing the same."""
    wins = [(own > theirs).mean() for own, theirs in _rounds(problem, np.random.default_rng(seed))]
    return float(np.mean(wins))


def _rounds(problem: Problem, rng: np.random.Generator) -> list[tuple[Floats, Floats]]:
    """Return for both directions the cosine of the two sides in each round, and of each impostor."""
    k, u = problem.z(problem.known)[0], problem.z(problem.unknown)[0]
    chosen = rng.permutation(len(problem.authors))[:MOST]
    mask = (rng.random((len(problem.words), ROUNDS)) < 0.5).astype(np.float64)
    found = []
    for one, other, impostors in ((k, u, problem.as_unknown), (u, k, problem.as_known)):
        found.append(
            (_cosines(other[None, :], one, mask)[0], _cosines(problem.z(impostors.rows(chosen)), one, mask))
        )
    return found


def _cosines(texts: Floats, one: Floats, mask: Floats) -> Floats:
    """Return texts × rounds: the cosines with one text over the words of each round."""
    sizes = np.sqrt((texts**2 @ mask) * (one**2 @ mask))
    return np.asarray(((texts * one) @ mask) / np.maximum(sizes, 1e-300))
