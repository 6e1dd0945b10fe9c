"""What speaks for one candidate against another: words, frequent words and characters, with where they occur."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lexicloud.divergences.attribution.combined import SIZE, WEIGHTS, add_up, on_one_scale
from lexicloud.result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.divergences.attribution.combined import Likelihood, NoisyDelta, Scorer
    from lexicloud.divergences.attribution.word_table import WordTable

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence(Result):
    """What a feature adds to the lead of the first candidate over the second; below zero it speaks for the second.

    `kind` is "words", "delta" (frequent words) or "characters". Rates are per thousand tokens (or sequences of
    characters) in the text and in the known texts of both. `passages` show the word in the text.
    """

    kind: str
    feature: str
    value: float
    text: float
    first: float
    second: float
    passages: tuple[str, ...] = ()


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
) -> tuple[Evidence, ...]:
    """Return what each feature adds to the lead of `first` over `second`, or over all others together, largest first.

    All values together are the score of the second less the score of the first; `top` keeps the largest.
    """
    classes = sorted(set(labels))
    groups = np.array([[label == c for c in classes] for label in labels], dtype=np.float64)
    distances = scorer.distances(text)
    scores = add_up(distances, groups)[0]
    ours = _weights(scores, labels, first, rule)
    rivals = [second] if second is not None else [c for c in classes if c != first]
    theirs = np.mean([_weights(scores, labels, c, rule) for c in rivals], axis=0)
    parts: dict[str, Likelihood | NoisyDelta]
    parts = {"words": scorer.words, "delta": scorer.delta, "characters": scorer.characters}
    found: list[tuple[str, str, float]] = []
    for kind, weight in WEIGHTS.items():
        deviation = float(on_one_scale(distances[kind], groups)[1][0])
        one = scorer.spelling.table(text) if kind == "characters" else text
        features, values = parts[kind].contributions(one, theirs - ours)
        values = values * (weight / deviation)
        found += [(kind, features[i], float(values[i])) for i in np.flatnonzero(values).tolist()]
    found = sorted(found, key=lambda each: -abs(each[2]))[:top]
    return tuple(_rated(found, text, known, (ours, theirs)))


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
) -> list[Evidence]:
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
    return [Evidence(kind, f, value, *rates[kind == "characters", f]) for kind, f, value in found]


def spelt_rates(texts: WordTable, sequences: tuple[str, ...], size: int = SIZE) -> sparse.csr_array:
    """Return the shares of a few sequences of characters, without spelling all the others."""
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


def passages(tokens: Sequence[str], normalised: Sequence[str], word: str, most: int = 2) -> tuple[str, ...]:
    """Return the word in its surroundings, the first few times that it occurs."""
    places = [i for i, token in enumerate(normalised) if token == word][:most]
    return tuple(" ".join(tokens[max(0, i - 6) : i + 7]) for i in places)
