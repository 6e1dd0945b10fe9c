"""Who wrote which part: a window moves along a text and is labelled at every step; seams are where the hand changes.

The path of hands is the one with the highest total preference (see `open_set`), less a price for each change, found
by dynamic programming. Each change is then placed anew between its neighbours, word by word, where the words before it
are likeliest among those left of it and the words after it among those right of it. What is left and right of a seam
is labelled as a whole; the seam's probability is that of two different hands.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.authorship.features import WordTable
from lexicloud.authorship.model import NONE, AttributionModel, train
from lexicloud.authorship.scoring import COMBINED
from lexicloud.authorship.seams import PROBABILITY, Rolling, Seam, around
from lexicloud.divergences.base import check_whole
from lexicloud.errors import EstimateError
from lexicloud.text import tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

WINDOW: Final = 2000
STEP: Final = 250
# Tokens' worth of the whole text's frequencies in those of a side of a seam.
PRIOR: Final = 500.0
LEAST: Final = 50
# What a change of hand costs, in the preferences of one window.
PRICE: Final = 6.0
SURE: Final = 0.9


def rolling(
    text: str,
    against: AttributionModel | Corpus,
    *,
    window: int = WINDOW,
    step: int = STEP,
    name: str = "text",
    sure: float = SURE,
) -> Rolling:
    """Label every window of a text by known hands, and find where the hand changes.

    `against` is a trained model, or a corpus with labels to train one on. `window` and `step` count tokens. A
    seam is kept if two different hands meet there with a probability of at least `sure`.
    """
    check_whole(window, "window", LEAST)
    check_whole(step, "step", 1)
    model = against if isinstance(against, AttributionModel) else train(against)
    tokens = tokenize(text, model.rules)
    if len(tokens) < 2 * window:
        raise EstimateError(
            f"the text has {len(tokens):,} tokens, but two windows need {2 * window:,}: use a smaller window"
        )
    reader = _Reader(model, tokens)
    starts = list(range(0, len(tokens) - window + 1, step))
    spans = [(s, s + window) for s in starts]
    chances = reader.chances(spans)
    path = best_path(reader.preferences(spans, window), PRICE * window / step)
    changes = [i for i in range(1, len(path)) if path[i] != path[i - 1]]
    rough = [(starts[i] + window // 2, int(path[i - 1]), int(path[i])) for i in changes]
    seams = reader.seams(reader.placed(rough, window), sure, window)
    return Rolling(
        name=name,
        measure=PROBABILITY,
        references=(*model.classes, NONE),
        positions=np.array(starts) + window // 2,
        values=chances.T,
        seams=seams,
        window=window,
        step=step,
        tokens=len(tokens),
        method=COMBINED,
    )


def best_path(utilities: Floats, price: float) -> NDArray[np.int64]:
    """Return for each row the column of the path with the highest total, where each change of column costs `price`.

    >>> best_path(np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]]), price=0.5).tolist()
    [0, 0, 1, 1]
    """
    total, came = utilities[0].copy(), np.zeros(utilities.shape, dtype=np.int64)
    for i in range(1, len(utilities)):
        best = int(total.argmax())
        change = total[best] - price > total
        came[i] = np.where(change, best, np.arange(len(total)))
        total = np.where(change, total[best] - price, total) + utilities[i]
    path = np.zeros(len(utilities), dtype=np.int64)
    path[-1] = int(total.argmax())
    for i in range(len(utilities) - 1, 0, -1):
        path[i - 1] = came[i, path[i]]
    return path


class _Reader:
    """A text before a model: stretches of it are counted once, over the words of the text."""

    def __init__(self, model: AttributionModel, tokens: list[str]) -> None:
        self.model, self.tokens = model, tokens
        whole = WordTable.of_tokens([[model.rules.normalise(t) for t in tokens]])
        self.words = whole
        ids = {word: i for i, word in enumerate(whole.words)}
        self.ids = np.array([ids[model.rules.normalise(t)] for t in tokens])

    def table(self, spans: list[tuple[int, int]]) -> WordTable:
        return self.words.counting([self.ids[a:b] for a, b in spans])

    def preferences(self, spans: list[tuple[int, int]], window: int) -> Floats:
        """Return how much likelier each hand is than others, in logarithms."""
        closeness, _ = self.model.closeness(self.table(spans))
        return self.model.calibration.curve(window).preferences(closeness)

    def chances(self, spans: list[tuple[int, int]]) -> Floats:
        return self.model.probabilities(self.table(spans))

    def placed(self, rough: list[tuple[int, int, int]], window: int) -> list[tuple[int, int, int]]:
        """Place each change where the words before and after are likeliest, at most a window away."""
        found = []
        edges = [0, *(place for place, _, _ in rough), len(self.tokens)]
        for i, (place, before, after) in enumerate(rough):
            low, high = edges[i], edges[i + 2]
            first, last = max(place - window, (low + place) // 2), min(place + window, (high + place) // 2)
            at = place
            for margin in (window // 2, window // 8):
                lead = self._lead(self.ids[low : max(low, at - margin)], self.ids[at + margin : high])
                at = first + int(np.concatenate([[0.0], np.cumsum(lead[self.ids[first:last]])]).argmax())
            found.append((at, before, after))
        return found

    def _lead(self, left: NDArray[Any], right: NDArray[Any]) -> Floats:
        """Return by how much each word is likelier among the words left of a seam than among those right of it.

        Both sides are the text's own: what one part is about and who acts in it helps to find where it ends.
        """
        size = len(self.words.words)
        usual = PRIOR * self.words.totals / self.words.totals.sum()
        sides = [np.log((np.bincount(s, minlength=size) + usual) / (len(s) + PRIOR)) for s in (left, right)]
        return np.asarray(sides[0] - sides[1])

    def seams(self, placed: list[tuple[int, int, int]], sure: float, window: int) -> tuple[Seam, ...]:
        """Label the parts as wholes; drop the least sure seam until all that are left are sure."""
        while placed:
            edges = [0, *(place for place, _, _ in placed), len(self.tokens)]
            chances = self.chances(list(pairwise(edges)))
            different = [1 - float(a @ b) for a, b in pairwise(chances)]
            worst = int(np.argmin(different))
            if different[worst] >= sure and min(b - a for a, b in pairwise(edges)) >= window // 4:
                return tuple(
                    self._seam(*each) for each in zip(placed, different, pairwise(chances), strict=True)
                )
            if different[worst] >= sure:
                worst = max(0, int(np.argmin([b - a for a, b in pairwise(edges)])) - 1)
            placed = placed[:worst] + placed[worst + 1 :]
        return ()

    def _seam(self, place: tuple[int, int, int], different: float, sides: tuple[Floats, Floats]) -> Seam:
        names = [*self.model.classes, NONE]
        before, after = (names[int(side.argmax())] for side in sides)
        at = place[0]
        return Seam(at, around(self.tokens, at), before, after, different)
