"""Clusters of copies and likely duplicates among the texts of an index; templates and signatures are left out first."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import OptionError
from lexicloud.progress import track
from lexicloud.result import Result, TabularResult, columns_of_rows
from lexicloud.say.blocks import Block, Passage, Passages, Sentence, many
from lexicloud.search.items import snippet, whole_text
from lexicloud.text.clean import Boilerplate
from lexicloud.text.stems import terms_by

if TYPE_CHECKING:
    from scipy import sparse

    from lexicloud.search.arrays import Identifier
    from lexicloud.search.index import SentenceIndex

    Link = tuple[int, int, str, float]  # two texts, the kind of duplicate, and their similarity

COPY, NEAR, LIKELY = "copy", "near copy", "likely"
_DIGITS: Final = re.compile(r"\d+")
_SHINGLE: Final = 5  # words of a phrase that may belong to a template
_TEMPLATE: Final = 0.02  # the share of the texts that makes a phrase a template's
_FEWEST: Final = 10  # texts that a phrase must stand in, whatever their share
_LEAST: Final = 2  # terms that a text must have to be compared
_NEAR: Final = 0.9  # the share of letters that near copies have in common
# The chance that people call two texts equivalent, by the cosine of their terms weighed by idf: a logistic curve
# fitted on the training pairs of the STS benchmark and checked on its test pairs (docs/search-measured.md).
_SLOPE: Final = 6.1
_MIDDLE: Final = 0.766
_BLOCK: Final = 1_000  # texts compared with all others at a time


@dataclass(frozen=True)
class DuplicatePair(Result):
    """Two texts that say the same, and how sure that is."""

    first: Identifier
    second: Identifier
    kind: str  # "copy", "near copy" or "likely"
    similarity: float  # of their words, weighed by rarity; 1 for the same words
    confidence: float


@dataclass(frozen=True)
class DuplicateCluster(Result):
    """Texts that are duplicates of one another, directly or by way of others; the earliest comes first."""

    ids: tuple[Identifier, ...]
    texts: tuple[str, ...]
    confidence: float  # of its weakest link
    pairs: tuple[DuplicatePair, ...]

    def blocks(self) -> list[Block]:
        """Return its texts."""
        return [self.passages()]

    def passages(self) -> Passages:
        """Return its texts, headed by the confidence that they say the same."""
        kinds = ", ".join(dict.fromkeys(pair.kind for pair in self.pairs))
        items = [Passage(snippet(t, ())[0], source=str(i)) for i, t in zip(self.ids, self.texts, strict=True)]
        return Passages(tuple(items), f"{self.confidence:.0%}  {kinds}")


@dataclass(frozen=True, repr=False)
class Duplicates(TabularResult):
    """The clusters of an index, the surest first."""

    clusters: tuple[DuplicateCluster, ...]
    texts: int

    def __repr__(self) -> str:
        return f"<Duplicates: {len(self.clusters):,} clusters among {self.texts:,} texts>"

    def to_columns(self) -> dict[str, Any]:
        """Return the pairs of all clusters."""
        return columns_of_rows([pair.to_dict() for cluster in self.clusters for pair in cluster.pairs])

    def blocks(self) -> list[Block]:
        """Return how many clusters there are, and the texts of each, the surest first."""
        found = f"{many(len(self.clusters), 'cluster')} of duplicates among {many(self.texts, 'text')}."
        return [Sentence(found, "answer"), *(cluster.passages() for cluster in self.clusters)]


def find_duplicates(index: SentenceIndex, *, confidence: float = 0.5, templates: bool = False) -> Duplicates:
    """Return clusters of texts that say the same with at least this confidence.

    What a form, a bot or a signature adds to many texts is left out first (`templates=True` leaves it in).
    """
    if not 0 < confidence <= 1:
        raise OptionError(f"confidence = {confidence}, but it must be above 0 and at most 1")
    database = index.database
    rows = [i for i in range(len(database)) if database.alive is None or database.alive[i]]
    texts = [whole_text(database.texts[i]) for i in rows]
    copies = list(_copies(texts))
    originals = sorted(set(range(len(texts))) - {second for _, second, *_ in copies})
    cleaned = [texts[i] for i in originals]
    if not templates:
        cleaned = without_templates(cleaned)
    alike = _alike(cleaned, index, confidence)
    links = copies + [(originals[a], originals[b], _kind(cleaned[a], cleaned[b]), s) for a, b, s in alike]
    names = [database.identifiers[i] for i in rows]
    clusters = [_cluster(group, texts, names) for group in _groups(links)]
    ordered = sorted(clusters, key=lambda cluster: (-cluster.confidence, str(cluster.ids[0])))
    return Duplicates(tuple(ordered), len(texts))


def confidence_of(similarity: float, kind: str = LIKELY) -> float:
    """Return the chance that two texts say the same; a copy surely does.

    >>> round(confidence_of(0.9), 2), confidence_of(1.0, "copy")
    (0.69, 1.0)
    """
    return 1.0 if kind == COPY else 1 / (1 + exp(-_SLOPE * (similarity - _MIDDLE)))


# ---- templates


def without_templates(texts: Sequence[str]) -> list[str]:
    """Return texts without repeated lines, quoted replies, signatures and phrases that many texts share."""
    boilerplate = Boilerplate.fit(texts)
    runs = [boilerplate.clean(text).split() for text in texts]
    counts: Counter[tuple[str, ...]] = Counter()
    for own in runs:
        counts.update(set(_shingles(own)))
    enough = max(_FEWEST, _TEMPLATE * len(texts))
    shared = {shingle for shingle, count in counts.items() if count >= enough}
    return [" ".join(_uncovered(own, shared)) for own in runs]


def _shingles(runs: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield every phrase of a text, each number as 0: a bot's messages differ in numbers."""
    plain = [_DIGITS.sub("0", run.lower()) for run in runs]
    return (tuple(plain[i : i + _SHINGLE]) for i in range(len(plain) - _SHINGLE + 1))


def _uncovered(runs: Sequence[str], shared: set[tuple[str, ...]]) -> list[str]:
    """Return the words that stand in no shared phrase."""
    covered = [False] * len(runs)
    for i, shingle in enumerate(_shingles(runs)):
        if shingle in shared:
            covered[i : i + _SHINGLE] = [True] * _SHINGLE
    return [run for run, gone in zip(runs, covered, strict=True) if not gone]


# ---- pairs


def _copies(texts: Sequence[str]) -> Iterator[Link]:
    """Yield a link from the first of several equal texts to each other; case and white space do not count."""
    first: dict[str, int] = {}
    for i, text in enumerate(texts):
        original = first.setdefault(" ".join(text.casefold().split()), i)
        if original != i:
            yield original, i, COPY, 1.0


def _alike(texts: Sequence[str], index: SentenceIndex, confidence: float) -> list[tuple[int, int, float]]:
    """Return the pairs that are similar enough, with the cosine of their terms weighed by idf."""
    import numpy as np

    matrix = _weighted(texts, index)
    least = _MIDDLE - log(1 / confidence - 1) / _SLOPE if confidence < 1 else 2.0
    found = []
    for start in track(range(0, matrix.shape[0], _BLOCK), "comparing"):
        some = (matrix[start : start + _BLOCK] @ matrix.T).tocoo()
        good = (some.data >= least) & (some.row + start < some.col)
        for a, b, value in zip(some.row[good] + start, some.col[good], some.data[good], strict=True):
            found.append((int(a), int(b), float(np.minimum(value, 1.0))))
    return found


def _weighted(texts: Sequence[str], index: SentenceIndex) -> sparse.csr_array:
    """Return texts × terms, weighed by idf and at unit length; texts with too few terms are empty rows."""
    import numpy as np
    from scipy import sparse

    terms = terms_by(index.database.rules)
    numbers: dict[str, int] = {}
    sets = [{numbers.setdefault(term, len(numbers)) for term in terms.of(text)} for text in texts]
    sets = [own if len(own) >= _LEAST else set() for own in sets]
    starts = np.cumsum([0, *map(len, sets)])
    columns = np.fromiter((number for own in sets for number in sorted(own)), np.int64, int(starts[-1]))
    df = np.bincount(columns, minlength=len(numbers))
    weights = np.log1p((len(texts) - df + 0.5) / (df + 0.5))[columns]
    matrix = sparse.csr_array((weights, columns, starts), shape=(len(texts), len(numbers)))
    lengths = np.sqrt(np.asarray((matrix * matrix).sum(axis=1)))
    return sparse.csr_array(sparse.diags_array(1 / np.maximum(lengths, 1e-12)) @ matrix)


def _kind(first: str, second: str) -> str:
    from rapidfuzz.fuzz import ratio

    return NEAR if ratio(first, second) >= 100 * _NEAR else LIKELY


# ---- clusters


def _groups(links: Sequence[Link]) -> list[list[Link]]:
    """Put links that share a text together."""
    parent: dict[int, int] = {}

    def root(i: int) -> int:
        while parent.setdefault(i, i) != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for a, b, *_ in links:
        low, high = sorted((root(a), root(b)))
        parent[high] = low
    groups: defaultdict[int, list[Link]] = defaultdict(list)
    for link in links:
        groups[root(link[0])].append(link)
    return list(groups.values())


def _cluster(links: Sequence[Link], texts: Sequence[str], names: Sequence[Identifier]) -> DuplicateCluster:
    rows = sorted({row for a, b, *_ in links for row in (a, b)})
    pairs = tuple(
        DuplicatePair(names[a], names[b], kind, similarity, confidence_of(similarity, kind))
        for a, b, kind, similarity in sorted(links)
    )
    weakest = min(pair.confidence for pair in pairs)
    return DuplicateCluster(tuple(names[i] for i in rows), tuple(texts[i] for i in rows), weakest, pairs)
