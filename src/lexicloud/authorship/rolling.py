"""Who wrote which part: a window moves along a text and is labelled at every step; seams are where the author changes.

Of all sequences of authors along the windows, dynamic programming finds the one with the highest total preference (see
`open_set`), less a price for each change. Each change is then placed to the word, between its neighbours, where the
words before it fit the left part best and the words after it the right part. The parts on both sides of a seam are
labelled as wholes; the probability of a seam is that the two have different authors.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.authorship.features import WordTable
from lexicloud.authorship.model import NONE, AttributionModel, train
from lexicloud.authorship.scoring import COMBINED
from lexicloud.authorship.seams import PROBABILITY, Rolling, Seam, around, smaller
from lexicloud.divergences.base import check_whole
from lexicloud.errors import EstimateError
from lexicloud.say.blocks import many
from lexicloud.text import tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

WINDOW: Final = 2000
STEP: Final = 250
# The weight, in tokens, of the whole text's frequencies in those of a side of a seam.
PRIOR: Final = 500.0
LEAST: Final = 50
# The price of a change of author, in the preferences of one window.
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
    """Label every window of a text with known authors, and find where the author changes.

    `against` is a trained model, or a corpus with labels to train one on. `window` and `step` count tokens. A
    seam is kept if its two sides have different authors with a probability of at least `sure`.
    """
    check_whole(window, "window", LEAST)
    check_whole(step, "step", 1)
    model = against if isinstance(against, AttributionModel) else train(against)
    tokens = tokenize(text, model.rules)
    if len(tokens) < 2 * window:
        raise EstimateError(
            f"the text has {many(len(tokens), 'token')}, but two windows need {2 * window:,}: {smaller(len(tokens))}"
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
    """Return, for each row, the column of the path with the highest total; each change of column costs `price`.

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
    """A text read by a model: its words are numbered once, and stretches of it are counted and labelled."""

    def __init__(self, model: AttributionModel, tokens: list[str]) -> None:
        self.model, self.tokens = model, tokens
        whole = WordTable.of_tokens([[model.rules.normalise(t) for t in tokens]])
        self.words = whole
        ids = {word: i for i, word in enumerate(whole.words)}
        self.ids = np.array([ids[model.rules.normalise(t)] for t in tokens])

    def table(self, spans: list[tuple[int, int]]) -> WordTable:
        return self.words.counting([self.ids[a:b] for a, b in spans])

    def preferences(self, spans: list[tuple[int, int]], window: int) -> Floats:
        """Return the preference for each author in each span, in logarithms."""
        closeness, _ = self.model.closeness(self.table(spans))
        return self.model.calibration.curve(window).preferences(closeness)

    def chances(self, spans: list[tuple[int, int]]) -> Floats:
        return self.model.probabilities(self.table(spans))

    def placed(self, rough: list[tuple[int, int, int]], window: int) -> list[tuple[int, int, int]]:
        """Place each change where the words before and after fit their sides best, at most a window away."""
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
        """Return how much likelier each word is left of a seam than right of it, in logarithms.

        The frequencies are those of the text itself: its topics and names help to find where a part ends.
        """
        size = len(self.words.words)
        usual = PRIOR * self.words.totals / self.words.totals.sum()
        sides = [np.log((np.bincount(s, minlength=size) + usual) / (len(s) + PRIOR)) for s in (left, right)]
        return np.asarray(sides[0] - sides[1])

    def seams(self, placed: list[tuple[int, int, int]], sure: float, window: int) -> tuple[Seam, ...]:
        """Return the seams, their sides labelled as wholes; the least sure seam is dropped until all are sure."""
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
