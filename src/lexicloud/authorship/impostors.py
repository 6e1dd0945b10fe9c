"""Impostors: texts by other authors, as counts of frequent words along each text, and passages drawn from them.

For English one reference is part of the package: counts (no texts) of the 10,000 most frequent words, and of
the 5,000 most frequent pairs of them, in chunks of 100 words of public-domain books. Any folder of texts by various
authors can take its place, in any language.

A side of a question and its impostors are drawn alike: the same number of texts, and the same number of words in a row
from each. A longer text is closer to every other text, so that a side longer than its impostors would look similar
merely by its length.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.authorship.copies import copies
from lexicloud.authorship.features import WordTable
from lexicloud.errors import EstimateError, OptionError
from lexicloud.say.blocks import listed, many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

# Words of the stretch that is kept of each half of a text.
PASSAGE: Final = 10_000
CHUNK: Final = 100
# Frequent words that are counted; with 2,000, the characters of rarer words were missing.
WORDS: Final = 10_000
# Frequent pairs of words in a row that are counted, too.
PAIRS: Final = 5000
# Of the built-in reference: two modern stories by two hands, half of those of the Brown corpus; at 10,000 words by the
# growth of sides that are made of five stories. Made by `benchmarks/make/verification_curves.py kinship`.
KINSHIP: Final = ((300, 0.64), (1000, 1.19), (2000, 1.49), (10_000, 1.88))
# With fewer authors, the deviation of the impostors' distances is a guess.
LEAST: Final = 8


@dataclass(frozen=True, eq=False)
class Chunked:
    """Texts as counts of chunks of 100 words, in their order; `owners` says which text a chunk is from.

    The columns of the table are words, and after them pairs of words, written with a space.
    """

    table: WordTable
    owners: NDArray[np.int64]

    @classmethod
    def of_ids(
        cls, texts: Sequence[NDArray[Any]], words: tuple[str, ...], pairs: tuple[str, ...] = ()
    ) -> Chunked:
        """Cut texts, given as the numbers of their words; numbers below zero are words that are not listed."""
        features = (*words, *pairs)
        pieces: list[NDArray[Any]] = []
        owners: list[int] = []
        for i, ids in enumerate(texts):
            columns = np.stack([ids, _pairs_in(ids, words, pairs)])
            # The rest at the end is a chunk of its own if it is at least half as long, else it joins the last chunk.
            cut = np.split(columns, np.arange(CHUNK, len(ids) - CHUNK // 2 + 1, CHUNK), axis=1)
            pieces += cut
            owners += [i] * len(cut)
        lengths = np.array([piece.shape[1] for piece in pieces], dtype=np.float64)
        known = [piece[piece >= 0] for piece in pieces]
        indptr = np.concatenate([[0], np.cumsum([len(piece) for piece in known])]).astype(np.int64)
        listed = np.concatenate(known).astype(np.int64) if known else np.zeros(0, dtype=np.int64)
        counts = sparse.csr_array((np.ones(len(listed)), listed, indptr), shape=(len(pieces), len(features)))
        counts.sum_duplicates()
        return cls(WordTable(features, counts, lengths, tuple(map(str, owners))), np.array(owners))

    def __len__(self) -> int:
        return len(self.spans)

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The first chunk of each text, and the one after its last."""
        texts = int(self.owners.max()) + 1 if len(self.owners) else 0
        edges = np.searchsorted(self.owners, np.arange(texts + 1))
        return tuple((int(a), int(b)) for a, b in pairwise(edges))

    @cached_property
    def lengths(self) -> Floats:
        """The number of words of each text."""
        return np.array([self.table.lengths[a:b].sum() for a, b in self.spans])

    @cached_property
    def whole(self) -> WordTable:
        """Whole texts."""
        joined = sparse.csr_array(
            (np.ones(len(self.owners)), (self.owners, np.arange(len(self.owners)))),
            shape=(len(self), len(self.owners)),
        )
        names = tuple(map(str, range(len(self))))
        return WordTable(self.table.words, sparse.csr_array(joined @ self.table.counts), self.lengths, names)

    @cached_property
    def whole_side(self) -> WordTable:
        """All texts together, as one."""
        counts = sparse.csr_array(np.asarray(self.table.counts.sum(axis=0), dtype=np.float64).reshape(1, -1))
        return WordTable(self.table.words, counts, np.array([self.lengths.sum()]), ("all",))

    def texts(self, kept: Iterable[int]) -> Chunked:
        """Return some of the texts."""
        spans = [self.spans[i] for i in kept]
        rows = np.concatenate([np.arange(a, b) for a, b in spans]) if spans else np.zeros(0, dtype=np.int64)
        owners = np.repeat(np.arange(len(spans)), [b - a for a, b in spans])
        return Chunked(self.table.rows(rows), owners)

    def draw(self, texts: Sequence[int], words: float, rng: np.random.Generator) -> tuple[Floats, float]:
        """Draw words in a row from each of some texts, at most `words` in all; return their counts and their number.

        A text that is too short for its part gives all it has, and the others give more.
        """
        chosen: list[int] = []
        left, rest = words, len(texts)
        for text in sorted(texts, key=lambda i: self.lengths[i]):
            a, b = self.spans[text]
            size = min(b - a, max(1, round(left / rest / (self.lengths[text] / (b - a)))))
            start = a + int(rng.integers(b - a - size + 1))
            chosen += range(start, start + size)
            left -= float(self.table.lengths[start : start + size].sum())
            rest -= 1
        counts = np.asarray(self.table.counts[chosen].sum(axis=0), dtype=np.float64).ravel()
        length = float(self.table.lengths[chosen].sum())
        if length <= words:
            return counts, length
        drawn = rng.binomial(counts.astype(np.int64), words / length)
        return drawn.astype(np.float64), float(words)


@dataclass(frozen=True, eq=False)
class Population:
    """Texts by various authors: their counts over the most frequent words, and who wrote each."""

    name: str
    chunked: Chunked
    authors: tuple[str, ...]
    titles: tuple[str, ...] = ()
    about: str = ""
    # Shares of the words in texts of another kind, to recognise texts of that kind.
    elsewhere: tuple[float, ...] | None = None
    # Words of a side → by how much two authors score higher if both are of another time than the reference.
    kinship: tuple[tuple[int, float], ...] = ()
    # What was left out of the given texts, and why.
    notes: tuple[str, ...] = ()

    def shift(self, words: float) -> float:
        """Return how much higher two authors score because they share a time and kind that the reference lacks."""
        if not self.kinship:
            return 0.0
        lengths, shifts = zip(*self.kinship, strict=True)
        return float(np.interp(np.log(max(words, 1.0)), np.log(lengths), shifts))

    @classmethod
    def of_corpus(cls, corpus: Corpus, name: str = "the given texts") -> Population:
        """Keep up to 20,000 words of each text; labels, if given, are the authors."""
        if len(corpus) < LEAST:
            raise EstimateError(
                f"the reference has {len(corpus)} texts, but {LEAST} are needed to say what is usual: give more texts"
            )
        # A word with a space in it would look like a pair.
        joined = np.array([" " in word for word in corpus.vocabulary.keys], dtype=bool)
        frequent = np.argsort(np.where(joined, 0, -corpus.totals), kind="stable")[
            : min(WORDS, (~joined).sum())
        ]
        place = np.full(len(corpus.vocabulary), -1)
        place[frequent] = np.arange(len(frequent))
        words = tuple(corpus.vocabulary.keys[int(i)] for i in frequent)
        twice = copies([_stretches(corpus.tokens(i)) for i in range(len(corpus))])
        rows = [i for i in range(len(corpus)) if i not in set(twice)]
        if len(rows) < LEAST:
            raise EstimateError(
                f"{many(len(rows), 'text')} of the reference are left without copies of others, but {LEAST} are "
                "needed to say what is usual: give more texts"
            )
        kept = [place[_stretches(corpus.tokens(i))] for i in rows]
        labels = corpus.labels or corpus.names
        authors = tuple(str(corpus.names[i] if labels[i] is None else labels[i]) for i in rows)
        chunked = Chunked.of_ids(kept, words, _frequent_pairs(kept, words))
        which = listed([corpus.names[i] for i in twice])
        notes = (f"left {which} out of the reference: copies of other texts",) if twice else ()
        return cls(name, chunked, authors, tuple(corpus.names[i] for i in rows), notes=notes)

    def without(self, authors: Sequence[str]) -> Population:
        """Leave out the texts of some authors."""
        lower = {author.lower() for author in authors}
        unknown = lower - {author.lower() for author in self.authors}
        if unknown:
            raise OptionError(f"the reference has no author {min(unknown)!r}: see its list of authors")
        return self.rows([i for i, author in enumerate(self.authors) if author.lower() not in lower])

    def rows(self, kept: Sequence[int]) -> Population:
        """Return some of the texts."""
        authors, titles = (
            tuple(each[i] for i in kept) if each else () for each in (self.authors, self.titles)
        )
        return replace(self, chunked=self.chunked.texts(kept), authors=authors, titles=titles)

    @cached_property
    def members(self) -> dict[str, tuple[int, ...]]:
        """The texts of each author."""
        found: dict[str, tuple[int, ...]] = {}
        for i, author in enumerate(self.authors):
            found[author] = (*found.get(author, ()), i)
        return found

    @property
    def features(self) -> tuple[str, ...]:
        """What is counted: words, then pairs of words."""
        return self.chunked.table.words

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words that are counted, the most frequent first."""
        return tuple(feature for feature in self.features if " " not in feature)

    @cached_property
    def pairs(self) -> tuple[str, ...]:
        """The pairs of words in a row that are counted, the most frequent first."""
        return self.features[len(self.words) :]

    def counted(self, texts: Sequence[Sequence[str]]) -> Chunked:
        """Count other texts, given as words, in the same way."""
        ids = {word: i for i, word in enumerate(self.words)}
        numbers = [np.array([ids.get(token, -1) for token in tokens], dtype=np.int64) for tokens in texts]
        return Chunked.of_ids(numbers, self.words, self.pairs)

    def __len__(self) -> int:
        return len(self.authors)


@cache
def english() -> Population:
    """Return the population that is part of the package."""
    folder = files("lexicloud.authorship") / "populations"
    about = json.loads((folder / "english.json").read_text(encoding="utf-8"))
    with (folder / "english.npz").open("rb") as file, np.load(file, allow_pickle=False) as table:
        counts = (table["counts"].astype(np.float64), table["indices"].astype(np.int64), table["indptr"])
        lengths, owners = table["lengths"].astype(np.float64), table["owners"].astype(np.int64)
    features = (*about["words"], *about["pairs"])
    chunks = sparse.csr_array(counts, shape=(len(lengths), len(features)))
    chunked = Chunked(WordTable(features, chunks, lengths, tuple(map(str, owners))), owners)
    authors, titles, elsewhere = (tuple(about[key]) for key in ("authors", "titles", "elsewhere"))
    return Population("english", chunked, authors, titles, about["about"], elsewhere, KINSHIP)


def _stretches(tokens: NDArray[Any]) -> NDArray[Any]:
    """Return a text, or of a long one 10,000 words from the middle of each half."""
    if len(tokens) < 2 * PASSAGE:
        return tokens
    middle = len(tokens) // 2
    starts = ((middle - PASSAGE) // 2, middle + (len(tokens) - middle - PASSAGE) // 2)
    return np.concatenate([tokens[start : start + PASSAGE] for start in starts])


def _frequent_pairs(texts: Sequence[NDArray[Any]], words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the most frequent pairs of listed words in a row."""
    codes, counts = np.unique(
        np.concatenate([_codes(ids, len(words)) for ids in texts] or [np.zeros(0, np.int64)]),
        return_counts=True,
    )
    listed = codes >= 0
    codes, counts = codes[listed], counts[listed]
    frequent = codes[np.argsort(-counts, kind="stable")[:PAIRS]].tolist()
    return tuple(f"{words[code // len(words)]} {words[code % len(words)]}" for code in frequent)


def _codes(ids: NDArray[Any], words: int) -> NDArray[np.int64]:
    """Return a number for each word and the one after it; below zero where one of them is not listed."""
    ids = np.asarray(ids, dtype=np.int64)
    return np.where((ids[:-1] >= 0) & (ids[1:] >= 0), ids[:-1] * words + ids[1:], -1)


def _pairs_in(ids: NDArray[Any], words: tuple[str, ...], pairs: tuple[str, ...]) -> NDArray[np.int64]:
    """Return for each word of a text the column of the pair that it begins, or a number below zero."""
    found = np.full(len(ids), -1, dtype=np.int64)
    if not pairs or len(ids) < 2:
        return found
    listed, order = _codes_of(words, pairs)
    codes = _codes(ids, len(words))
    place = np.minimum(np.searchsorted(listed, codes), len(listed) - 1)
    found[:-1] = np.where(listed[place] == codes, len(words) + order[place], -1)
    return found


@lru_cache(maxsize=4)
def _codes_of(words: tuple[str, ...], pairs: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of pairs in order, and the place of each among the pairs."""
    ids = {word: i for i, word in enumerate(words)}
    both = (pair.split(" ") for pair in pairs)
    codes = np.array([ids[first] * len(words) + ids[second] for first, second in both], dtype=np.int64)
    order = np.argsort(codes)
    return codes[order], order
