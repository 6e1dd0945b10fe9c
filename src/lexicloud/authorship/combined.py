"""The distance of a text from each known text: a sum of distances by all words, by frequent words and by characters.

Each of the three distances sees what the others miss:

1. **words**: the KL divergence D(P‖Q̃) of the text's words from a known text's, smoothed towards all known texts by a
   Dirichlet prior: the likelihood of the text under the known text's word frequencies.
2. **delta**: Cosine Delta over the 5,000 most frequent words.
3. **characters**: the same over the 20,000 most frequent sequences of four characters inside words.

A z-score of a short text is mostly sampling noise, so the deviation that it is divided by grows as a text gets
shorter: √(s² + 4m/N) with m the mean share of a feature, s its deviation and N the length. Then z-scores are clipped
at ±2, so that no single word decides. Most of the 5,000 words are rare, and together they would outweigh the few
that are in every sentence: a word with the mean share m counts √(m / (m + 0.0006)) times, one half for one in 5,000.

Passages of one text differ, too: dialogue from narrative, scene from scene. Directions in which they do say little
about who wrote a text, so the cosine sees less of them (see `WithinTexts`; in other fields: within-class covariance
normalisation). Each distance is put on one scale (over the known texts, every label weighing the same) and the three
are added up with the weights ½, 1 and ½.

Where the known texts are about as long as the text, some are close to everybody by chance. There a distance is also put
on the scale of what is usual of the known text, and short texts weigh words and characters more (see `weigh`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.authorship.features import SIZE, KnownPassages, Spelling, WordTable
from lexicloud.divergences.standardise import ENOUGH
from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lexicloud.divergences.standardise import UsualDistances

    Floats = NDArray[np.float64]

# Chosen with `RARE` on five collections; what each of them gets when it takes no part is in
# `docs/attribution-measured.md`. Weights of words that fall with the length of the text did no better against whole
# books.
WEIGHTS: Final = {"words": 0.5, "delta": 1.0, "characters": 0.5}
# Known texts are about as long as a text if their median is within this factor; with fewer than so many there is no
# saying what is usual of each.
ALIKE: Final = 2.0
# What no feature has a part in.
REST: Final = "how close the known texts are to everybody"
LIBRARY: Final = ENOUGH + 1
# Words under which words and characters weigh more, as the root of the length falls, up to twice. See
# `docs/attribution-measured.md`.
SHORT: Final = 2400.0
# Tokens' worth of prior; 300 and 1,000 were alike, 3,000 lost four points in a hundred against whole books.
MU: Final = 1000.0
FREQUENT: Final = 5000
GRAMS: Final = 20_000
# The share at which a frequent word counts √½ times; 0.0003 and 0.001 were within a quarter of a point.
RARE: Final = 0.0006
# Clipping alone lost up to sixty points on 300 words; with the noise term it gains where texts are long.
CLIP: Final = 2.0
NOISE: Final = 4.0
# Directions of variation within texts, and how hard they are shrunk: fifty or all of them, and three or ten times the
# shrinkage, changed one passage in a thousand.
DIRECTIONS: Final = 64
SHRINKAGE: Final = 1000.0


@dataclass(frozen=True, eq=False)
class Likelihood:
    """D(P‖Q̃) of texts from known ones: the categorical divergence with a Dirichlet prior."""

    vocabulary: tuple[str, ...]
    gain: sparse.csr_array  # known texts × words: log(1 + c_Q(w) / μb(w))
    scale: Floats  # log(M + μ) of each known text

    @classmethod
    def fit(cls, known: WordTable, mu: float = MU) -> Likelihood:
        """Learn the background from all known texts together."""
        prior = mu * np.maximum(known.totals, 1.0) / max(1.0, known.totals.sum())
        gain = known.with_data(np.log1p(known.counts.data / prior[known.counts.indices]))
        return cls(known.words, gain, np.log(known.lengths + mu))

    def distances(self, texts: WordTable) -> Floats:
        """Return texts × known texts, without the text's entropy and prior, which are the same for all known texts."""
        return np.asarray(self.scale - (texts.shares(self.vocabulary) @ self.gain.T).toarray())

    def contributions(self, text: WordTable, weights: Floats) -> tuple[Sequence[str], Floats]:
        """Return the words, and what each adds to a weighted sum of one text's distances; the weights sum to zero.

        A word that no known text has adds nothing. What the lengths of the known texts add is divided among the
        words in proportion to their shares.
        """
        p = texts_row(text.shares(self.vocabulary))
        level = float(self.scale @ weights)
        values = p * (level / max(p.sum(), 1e-300)) - p * np.asarray(self.gain.T @ weights).ravel()
        return self.vocabulary, np.asarray(values)


@dataclass(frozen=True, eq=False)
class WithinTexts:
    """How passages of one text differ: orthogonal directions, and the share that is removed of each.

    A direction with the share v of all variation within texts is divided by √(1 + 1000 v).
    """

    directions: Floats
    taken: Floats

    @classmethod
    def of(cls, z: Floats, owners: NDArray[np.int64]) -> WithinTexts:
        """Learn from the z-scores of passages and the text that each is from."""
        _, owners, each = np.unique(owners, return_inverse=True, return_counts=True)
        mean = np.asarray(sparse.csr_array((1 / each[owners], (owners, np.arange(len(owners))))) @ z)
        apart = z - mean[owners]
        strength, mixture = np.linalg.eigh(apart @ apart.T)
        largest = np.argsort(-strength)[:DIRECTIONS]
        largest = largest[strength[largest] > 1e-9 * strength.sum()]
        directions = (mixture[:, largest] / np.sqrt(strength[largest])).T @ apart
        return cls(directions, 1 - 1 / np.sqrt(1 + SHRINKAGE * strength[largest] / strength.sum()))

    @classmethod
    def nothing(cls, features: int) -> WithinTexts:
        """Return one without directions, which removes nothing."""
        return cls(np.zeros((0, features)), np.zeros(0))

    def less(self, z: Floats) -> Floats:
        """Return vectors with these directions shrunk."""
        return np.asarray(z - ((z @ self.directions.T) * self.taken) @ self.directions)


@dataclass(frozen=True, eq=False)
class NoisyDelta:
    """Cosine Delta with z-scores that allow for the sampling noise of short texts, are clipped, and are shrunk in the
    directions that vary within texts.
    """

    features: tuple[str, ...]
    mean: Floats
    deviation: Floats
    known: Floats  # z-scores of the known texts
    within: WithinTexts
    rare: float = 0.0  # the share at which a feature counts √½ times

    @classmethod
    def fit(
        cls, known: WordTable, n: int, pieces: KnownPassages | None = None, rare: float = 0.0
    ) -> NoisyDelta:
        """Learn the most frequent words, and the mean and deviation of each one's share of a text.

        Passages of the known texts, if given, show what varies within a text. Features with a share far below
        `rare` count little.
        """
        frequent = np.argsort(-known.totals, kind="stable")[:n]
        frequent = np.sort(frequent[known.totals[frequent] > 0])
        shares = known.shares()[:, frequent].toarray()
        mean, deviation = shares.mean(axis=0), shares.std(axis=0)
        varies = deviation > 1e-12 * mean
        features = tuple(known.words[i] for i in frequent[varies])
        z = z_scores(shares[:, varies], known.lengths, mean[varies], deviation[varies], rare)
        found = cls(features, mean[varies], deviation[varies], z, WithinTexts.nothing(len(features)), rare)
        if pieces is None or len(pieces.owners) < 2:
            return found
        return found.seeing_less(WithinTexts.of(found.plain_z(pieces.table), pieces.owners))

    def seeing_less(self, within: WithinTexts) -> NoisyDelta:
        """Return the same, shrunk in the directions that vary within texts."""
        return replace(self, known=unit_length(within.less(self.known)), within=within)

    def plain_z(self, texts: WordTable) -> Floats:
        """Return the z-scores of texts, not shrunk in any direction."""
        shares = texts.shares(self.features).toarray()
        return z_scores(shares, texts.lengths, self.mean, self.deviation, self.rare)

    def z(self, texts: WordTable) -> Floats:
        """Return the z-scores of texts."""
        return unit_length(self.within.less(self.plain_z(texts)))

    def distances(self, texts: WordTable) -> Floats:
        """Return texts × known texts: one minus the cosine."""
        return np.asarray(1 - self.z(texts) @ self.known.T)

    def contributions(self, text: WordTable, weights: Floats) -> tuple[Sequence[str], Floats]:
        """Return the features, and what each adds to a weighted sum of a text's distances; the weights sum to zero."""
        z = self.plain_z(text)
        size = max(float(np.linalg.norm(self.within.less(z))), 1e-300)
        # The shrinking is applied to the other factor of the product, so that each feature has its own summand.
        return self.features, np.asarray(-z[0] * self.within.less(weights @ self.known) / size)


def z_scores(shares: Floats, lengths: Floats, mean: Floats, deviation: Floats, rare: float = 0.0) -> Floats:
    """Return z-scores that allow for the noise of short texts, clipped, rare features reduced, at unit length."""
    noise = (NOISE / np.maximum(lengths, 1.0))[:, None] * mean
    noise += deviation**2
    z = shares - mean
    z /= np.sqrt(noise, out=noise)
    np.clip(z, -CLIP, CLIP, out=z)
    if rare:
        z *= np.sqrt(mean / (mean + rare))
    return unit_length(z)


def unit_length(z: Floats) -> Floats:
    """Return rows at unit length; a row of zeros stays one."""
    sizes = np.linalg.norm(z, axis=1, keepdims=True)
    return np.asarray(z / np.where(sizes > 0, sizes, 1.0))


@dataclass(frozen=True, eq=False)
class Scorer:
    """The three distances from known texts, learnt from the counts of these texts."""

    words: Likelihood
    delta: NoisyDelta
    characters: NoisyDelta
    spelling: Spelling

    @classmethod
    def fit(
        cls, known: WordTable, spelling: Spelling | None = None, pieces: KnownPassages | None = None
    ) -> Scorer:
        """Learn what is frequent and usual from the known texts, and what varies within a text from passages of them.

        `spelling`, if given, is that of the known texts' words.
        """
        spelling = spelling or Spelling.of(known.words)
        delta = NoisyDelta.fit(known, FREQUENT, pieces, RARE)
        spelt = None if pieces is None else replace(pieces, table=spelling.table(pieces.table))
        characters = NoisyDelta.fit(spelling.table(known), GRAMS, spelt)
        return cls(Likelihood.fit(known), delta, characters, spelling)

    @classmethod
    def beside(cls, known: WordTable, within: WithinTexts, characters: NoisyDelta) -> Scorer:
        """Return the scorer of known texts, given the two parts of it that a saved model keeps."""
        delta = NoisyDelta.fit(known, FREQUENT, rare=RARE).seeing_less(within)
        return cls(Likelihood.fit(known), delta, characters, Spelling.of(()))

    def distances(self, texts: WordTable) -> dict[str, Floats]:
        """Return each of the three distances, texts × known texts."""
        return {
            "words": self.words.distances(texts),
            "delta": self.delta.distances(texts),
            "characters": self.characters.distances(self.spelling.table(texts)),
        }


def add_up(distances: Mapping[str, Floats], groups: Floats, weights: Mapping[str, float] = WEIGHTS) -> Floats:
    """Divide each distance of a text by its deviation over the known texts, and return the weighted sum.

    `groups` are known texts × labels, 1 where a text has a label; every label weighs the same.
    """
    return np.asarray(sum(w * on_one_scale(distances[name], groups)[0] for name, w in weights.items()))


def on_one_scale(D: Floats, groups: Floats) -> tuple[Floats, Floats]:
    """Return each row minus its mean and divided by its deviation, and the deviations; every label weighs the same."""
    sizes = groups.sum(axis=0)
    share = (groups / np.maximum(sizes, 1.0)).sum(axis=1) / max(1, int((sizes > 0).sum()))
    mean = D @ share
    deviation = np.sqrt(np.maximum(((D - mean[:, None]) ** 2) @ share, 1e-24))
    return np.asarray((D - mean[:, None]) / deviation[:, None]), np.asarray(deviation)


def about_as_long(lengths: NDArray[Any], known: NDArray[Any]) -> NDArray[np.bool_]:
    """Say which texts are about as long as the known ones, of which there must be enough.

    >>> about_as_long(np.array([300.0, 900.0, 2500.0]), np.full(12, 1000.0)).tolist()
    [False, True, False]
    """
    if len(known) < LIBRARY:
        return np.zeros(len(lengths), dtype=bool)
    ratio = lengths / max(float(np.median(known)), 1.0)
    return np.asarray((ratio <= ALIKE) & (ratio >= 1 / ALIKE))


def weigh(scores: Mapping[str, Floats], weights: Mapping[str, float], lengths: NDArray[Any]) -> Floats:
    """Add up scores that are standardised by row and column; words and characters weigh more in short texts.

    >>> texts = {"words": np.ones((2, 1)), "delta": np.ones((2, 1))}
    >>> weigh(texts, WEIGHTS | {"characters": 0}, np.array([600.0, 9600.0]))[:, 0].tolist()
    [2.0, 1.5]
    """
    more = np.clip(np.sqrt(SHORT / np.maximum(lengths, 1.0)), 1.0, 2.0)[:, None]
    return np.asarray(sum(weights[name] * D * (1 if name == "delta" else more) for name, D in scores.items()))


def texts_row(row: Any) -> Floats:
    """Return one sparse row as a plain array."""
    return np.asarray(row.toarray(), dtype=np.float64).ravel()


def explain_lead(
    scorer: Scorer,
    known: WordTable,
    labels: Sequence[str],
    text: WordTable,
    first: str,
    second: str | None = None,
    *,
    rule: str,
    top: int | None = None,
    usual: Mapping[str, UsualDistances] | None = None,
) -> tuple[Reason, ...]:
    """Return what each feature adds to the lead of `first` over `second`, or over all others together, largest first.

    The kind of a reason is "words", "delta" (frequent words) or "characters"; its rates are per thousand tokens (or
    sequences of characters) in the text and in the known texts of both. All of them add up to the score of the second
    less the score of the first; `top` keeps the largest. With what is `usual` of each known text, how close that is to
    everybody comes last.
    """
    classes = sorted(set(labels))
    groups = np.array([[label == c for c in classes] for label in labels], dtype=np.float64)
    scaled = _scaled(scorer.distances(text), groups, usual, text.lengths)
    scores = np.asarray(sum(values for values, _ in scaled.values()))
    ours = _weights(scores, labels, first, rule)
    rivals = [second] if second is not None else [c for c in classes if c != first]
    theirs = np.mean([_weights(scores, labels, c, rule) for c in rivals], axis=0)
    parts: dict[str, Likelihood | NoisyDelta]
    parts = {"words": scorer.words, "delta": scorer.delta, "characters": scorer.characters}
    found: list[tuple[str, str, float]] = []
    for kind, (_, slopes) in scaled.items():
        one = scorer.spelling.table(text) if kind == "characters" else text
        features, values = parts[kind].contributions(one, (theirs - ours) * slopes)
        found += [(kind, features[i], float(values[i])) for i in np.flatnonzero(values).tolist()]
    rest = float((theirs - ours) @ scores) - sum(value for _, _, value in found)
    found = sorted(found, key=lambda each: -abs(each[2]))[:top]
    rated = _rated(found, text, known, (ours, theirs))
    return (*rated, Reason(REST, rest, "rest")) if usual is not None and top is None else tuple(rated)


def _scaled(
    distances: Mapping[str, Floats],
    groups: Floats,
    usual: Mapping[str, UsualDistances] | None,
    lengths: Floats,
) -> dict[str, tuple[Floats, Floats]]:
    """Return the weighted scores of one text by each part, and how much a step of each distance adds to them."""
    found = {}
    for name, weight in WEIGHTS.items():
        scores, deviation = on_one_scale(distances[name], groups)
        slopes = np.full(groups.shape[0], weight / float(deviation[0]))
        if usual is None:
            found[name] = (weight * scores[0], slopes)
        else:
            both = weigh({name: usual[name].apply(distances[name])}, WEIGHTS, lengths)[0]
            more = float(weigh({name: np.ones((1, 1))}, {name: 1.0}, lengths)[0, 0])
            found[name] = (both, more * slopes / usual[name].deviation)
    return found


def _weights(scores: Floats, labels: Sequence[str], label: str, rule: str) -> Floats:
    """Return how much each known text counts in the score of a label."""
    members = np.array([each == label for each in labels])
    mean = members / max(1, members.sum())
    nearest = np.zeros(len(labels))
    nearest[int(np.argmin(np.where(members, scores, np.inf)))] = 1.0
    share = {"category-mean": 0.0, "nearest": 1.0, "between": 0.5}[rule]
    return np.asarray((1 - share) * mean + share * nearest)


def _rated(
    found: Sequence[tuple[str, str, float]], text: WordTable, known: WordTable, sides: tuple[Floats, Floats]
) -> list[Reason]:
    """Add to each feature how often it occurs, per thousand."""
    rates: dict[tuple[bool, str], tuple[float, float, float]] = {}
    for characters in (False, True):
        features = tuple({f: None for kind, f, _ in found if (kind == "characters") == characters})
        counted = [spelt_rates(t, features) if characters else t.shares(features) for t in (text, known)]
        own = np.asarray(counted[0].toarray())[0]
        first, second = (np.asarray(counted[1].T @ side).ravel() for side in sides)
        for i, feature in enumerate(features):
            rates[characters, feature] = (
                1000 * float(own[i]),
                1000 * float(first[i]),
                1000 * float(second[i]),
            )
    return [Reason(f, value, kind, rates=rates[kind == "characters", f]) for kind, f, value in found]


def spelt_rates(texts: WordTable, sequences: tuple[str, ...], size: int = SIZE) -> sparse.csr_array:
    """Return the shares of a few sequences of characters, without counting all others."""
    padded = [f" {word} " for word in texts.words]
    each = np.array([max(1, len(word) - size + 1) for word in padded], dtype=np.float64)
    wanted = {sequence: i for i, sequence in enumerate(sequences)}
    pattern = re.compile("|".join(map(re.escape, sequences)) or "(?!)")
    rows, columns = [], []
    for row, word in enumerate(padded):
        if pattern.search(word):
            for start in range(max(1, len(word) - size + 1)):
                column = wanted.get(word[start : start + size])
                if column is not None:
                    rows.append(row)
                    columns.append(column)
    within = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(padded), len(sequences)))
    totals = np.maximum(texts.counts @ each, 1.0)
    return sparse.csr_array(sparse.diags_array(1 / totals) @ (texts.counts @ within))
