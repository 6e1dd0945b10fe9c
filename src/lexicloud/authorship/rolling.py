"""Who wrote which part: a window moves along a text and is labelled at every step; seams are where the author changes.

Of all sequences of authors along the windows, dynamic programming finds the one with the highest total preference (see
`open_set`), less a price for each change. Each change is then placed to the word, between its neighbours, where the
words before it fit the left part best and the words after it the right part. The parts on both sides of a seam are
labelled as wholes; the probability of a seam is that the two have different authors. `drift` answers with the same
`Rolling`, whose hands have no names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.authorship.features import WordTable
from lexicloud.authorship.model import NONE, AttributionModel, train
from lexicloud.authorship.open_set import is_nobody
from lexicloud.authorship.scoring import COMBINED
from lexicloud.divergences.base import check_whole
from lexicloud.errors import EstimateError
from lexicloud.result import Result, TabularResult
from lexicloud.say.blocks import (
    Block,
    Facts,
    Figure,
    Passage,
    Passages,
    Sentence,
    listed,
    many,
    percent,
    table,
)
from lexicloud.text import tokenize
from lexicloud.text.tokens import prose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]
    from matplotlib.axes import Axes

PROBABILITY: Final = "probability"
DIVERGENCE: Final = "divergence"
SHADES: Final = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Seam(Result):
    """A change of hand after so many tokens, with the words around it.

    `rolling` names the hands: `before`, `after`, and the `probability` that they differ. `drift` names none: its
    `strength` is the difference between what precedes and what follows, divided by the limit that texts by one hand
    seldom pass (so it is above 1), and `unlike` is the share of texts by one hand in which no place is as strong.
    """

    position: int
    context: str = ""
    before: str | None = None
    after: str | None = None
    probability: float | None = None
    strength: float | None = None
    unlike: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; what is not known is left out."""
        return {key: value for key, value in super().to_dict().items() if value is not None}

    def phrases(self) -> Iterator[str]:
        """Yield where it is, and how sure it is, in words."""
        hands = f": {self.before}, then {self.after}" if self.before else ""
        yield f"seam at word {self.position:,}{hands}"
        if self.probability is not None:
            yield f"two hands with {percent(self.probability)}"
        if self.unlike is not None:
            yield f"stronger than any place in {percent(self.unlike)} of texts by one hand"


@dataclass(frozen=True, eq=False)
class Rolling(TabularResult):
    """Windows along a text, what each is compared with, and the seams where the hand changes.

    For `rolling`, `measure` is "probability", and `references` are the candidates and "none of these". For `drift`,
    `measure` is "divergence", and `references` are the rest of the text, or other texts. `values` has a row for each
    reference and a column for each window; `positions` are the middles of the windows in tokens. `boundaries` and
    `contrast` are the curve behind the seams of `drift`: the strength at every place, where 1 is the limit.
    """

    _derived = ("change", "hands", "likely")

    name: str
    measure: str
    references: tuple[str, ...]
    positions: NDArray[np.int64]
    values: Floats
    seams: tuple[Seam, ...]
    window: int
    step: int
    tokens: int
    method: str
    options: dict[str, Any] = field(default_factory=dict)
    vectors: str = ""
    boundaries: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    contrast: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def change(self) -> int | None:
        """The token at the strongest change; None where there is none."""
        if not self.seams:
            return None
        return max(self.seams, key=lambda seam: seam.strength or seam.probability or 0).position

    @property
    def labels(self) -> tuple[str, ...]:
        """For each window the likeliest hand, or the reference that it diverges from least."""
        if self.measure == DIVERGENCE:
            return tuple(self.references[i] for i in self.values.argmin(axis=0))
        rows = self.values.T
        return tuple(NONE if is_nobody(row) else self.references[int(row[:-1].argmax())] for row in rows)

    @property
    def hands(self) -> tuple[str, ...]:
        """The hands of the parts between seams, in their order; empty for `drift`, which names none."""
        if self.measure == DIVERGENCE:
            return ()
        if not self.seams:
            return (self.labels[len(self.labels) // 2],)
        labels = (self.seams[0].before, *(seam.after for seam in self.seams))
        return tuple(label or NONE for label in labels)

    @property
    def likely(self) -> tuple[str, ...]:
        """The references that are the likeliest, or the least far, somewhere; these are drawn."""
        best = self.values.argmin(axis=0) if self.measure == DIVERGENCE else self.values.argmax(axis=0)
        return tuple(self.references[i] for i in np.unique(best).tolist())

    def to_columns(self) -> dict[str, Any]:
        """Return the middle of each window, its label, and its value with each reference."""
        values = dict(zip(self.references, self.values, strict=True))
        return {"token": self.positions, "label": self.labels, **values}

    def __str__(self) -> str:
        windows = f"{self.name}: {len(self.positions)} windows of {self.window:,} tokens by {self.method}"
        places = ", ".join(
            f"{seam.before} | {seam.after} at {seam.position:,}" if seam.before else f"{seam.position:,}"
            for seam in self.seams
        )
        return f"{windows}; " + (f"changes of hand at token {places}" if places else "no change of hand")

    @property
    def conclusion(self) -> str:
        """Whether the hand changes and, where hands have names, which they are."""
        if self.measure == DIVERGENCE and not self.seams:
            return f"No change of hand was found in {self.name}."
        if self.measure == DIVERGENCE:
            places = listed([f"{seam.position:,}" for seam in self.seams])
            return f"The hand seems to change in {self.name}, at word {places}."
        if not self.seams:
            return f"One hand seems to have written all of {self.name}: {self.hands[0]}."
        changes = many(len(self.seams), "time")
        return f"The hand changes {changes} in {self.name}: {listed(self.hands, 'then')}."

    def blocks(self) -> list[Block]:
        """Return whether and where the hand changes, how sure each change is, and the curves along the text."""
        found: list[Block] = [Sentence(self.conclusion, "answer")]
        if self.hands:
            places = pairwise([0, *(seam.position for seam in self.seams), self.tokens])
            parts = [(hand, a + 1, b) for hand, (a, b) in zip(self.hands, places, strict=True)]
            found.append(table(["hand", "first word", "last word"], parts, title="the parts"))
        if self.seams:
            found.append(seam_passages(self.seams))
        if self.measure == DIVERGENCE:
            spans = [
                (f"from {name}", sparkline(row.tolist()), float(row.min()), float(row.max()))
                for name, row in zip(self.references, self.values, strict=True)
            ]
            found.append(table(["divergence", "along the text", "least", "most"], spans))
        windows = f"{len(self.positions):,} of {self.window:,} words, {self.step:,} apart"
        facts = Facts((("windows", windows), ("method", self.method)))
        return [*found, facts, Figure("along the text", str(self), self.plot)]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the text along the axis: a band for each hand, or a curve for each text, and a line at each seam."""
        from lexicloud.authorship import authorship_plots as draw

        return draw.drift_curve(self, ax) if self.measure == DIVERGENCE else draw.rolling_plot(self, ax)


def seam_passages(seams: Sequence[Seam]) -> Passages:
    """Return the words around each seam, to be shown."""
    shown = []
    for seam in seams:
        where, *sure = seam.phrases()
        shown.append(Passage(f"… {seam.context} …", source=where, remark=", ".join(sure)))
    return Passages(tuple(shown), "where the hand changes")


def around(tokens: Sequence[str], at: int, words: int = 8) -> str:
    """Return the words around a place, with a bar at it.

    >>> around(["a", "b", "c", "d"], 2)
    'a b | c d'
    """
    return f"{prose(tokens[max(0, at - words) : at])} | {prose(tokens[at : at + words])}"


def smaller(tokens: int) -> str:
    """Return what to do where two windows do not fit into a text.

    >>> smaller(3000), smaller(1)
    ('use a smaller window (window=1500)', 'give a longer text')
    """
    return f"use a smaller window (window={tokens // 2})" if tokens >= 100 else "give a longer text"


def sparkline(values: list[float], width: int = 60) -> str:
    """Return a curve as one line of characters; neighbours are averaged where there are more values than characters.

    >>> sparkline([0.0, 1.0, 0.5])
    '▁█▅'
    """
    size = max(1, -(-len(values) // width))
    means = [float(np.mean(values[i : i + size])) for i in range(0, len(values), size)]
    low, span = min(means), (max(means) - min(means)) or 1.0
    return "".join(SHADES[round((len(SHADES) - 1) * (v - low) / span)] for v in means)


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
