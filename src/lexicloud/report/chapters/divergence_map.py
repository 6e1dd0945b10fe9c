"""How far apart the texts are: all pairs, their tree and map, and the words each text shares with its nearest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lexicloud.corpus.cut import By, group_by, merged_by_label
from lexicloud.divergences import DivergenceMatrix, divergence_matrix
from lexicloud.divergences.nearest_texts import NearestTexts, NearText
from lexicloud.maps import CorpusMap, map_texts
from lexicloud.report import charts
from lexicloud.report.chapters.chapter import Chapter
from lexicloud.say.blocks import (
    Block,
    Columns,
    Facts,
    Figure,
    Folded,
    Sentence,
    Table,
    bars,
    cut,
    listed,
    many,
    number,
    signed,
    table,
)
from lexicloud.words.reason import named

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.words.reason import Reason


@dataclass(frozen=True, eq=False)
class DivergenceMapChapter(Chapter):
    """All pairs of texts (or of labels, whose texts are joined), as measured and standardised."""

    id = "divergence_map"
    title = "Who is like whom"

    texts: NearestTexts
    by: str
    labels: tuple[str | None, ...]
    kind: str = "label"  # what a label is: an author, a president
    map: CorpusMap | None = None  # of three texts and more

    @classmethod
    def gather(
        cls,
        corpus: Corpus,
        method: str,
        *,
        by: By = "auto",
        sample: int | None = None,
        seed: int = 0,
        kind: str = "label",
    ) -> DivergenceMapChapter:
        """Measure all pairs."""
        how = group_by(corpus, by)
        texts = merged_by_label(corpus) if how == "label" else corpus
        if sample is not None:
            # The paper's method is defined on content words; the others look at running text.
            texts = texts.sample(sample, seed, running=method != "knn")
        matrix = divergence_matrix(texts, method, skip_bad=True)
        return cls._of(texts.subset(matrix.names), matrix, how, kind)

    @classmethod
    def _of(cls, texts: Corpus, matrix: DivergenceMatrix, by: str, kind: str) -> DivergenceMapChapter:
        drawn = map_texts(texts, matrix, kind=kind) if len(texts) > 2 else None
        return cls(NearestTexts.of(texts, matrix), by, texts.labels or (None,) * len(texts), kind, drawn)

    @property
    def matrix(self) -> DivergenceMatrix:
        """All pairs as measured."""
        return self.texts.matrix

    @property
    def standardised(self) -> DivergenceMatrix | None:
        """All pairs, standardised where there are enough texts."""
        return self.texts.standardised

    @property
    def neighbours(self) -> dict[str, tuple[NearText, ...]]:
        """The nearest of each text, with the words behind it."""
        return self.texts.near

    @property
    def shown(self) -> DivergenceMatrix:
        """The matrix that the figures show: standardised where there are enough texts."""
        return self.standardised or self.matrix

    @property
    def names(self) -> tuple[str, ...]:
        """The texts that were measured."""
        return self.matrix.names

    @property
    def closest(self) -> NearText:
        """The pair with the least divergence, seen from the text that is nearer."""
        firsts = [near[0] for near in self.neighbours.values()]
        return min(firsts, key=lambda c: c.shown)

    @property
    def loneliest(self) -> NearText:
        """The text whose nearest text is the farthest."""
        firsts = [near[0] for near in self.neighbours.values()]
        return max(firsts, key=lambda c: c.shown)

    @property
    def same_label(self) -> tuple[int, int] | None:
        """How many texts have a nearest text of their own label, of how many that could."""
        label = dict(zip(self.names, self.labels, strict=True))
        able = [n for n in self.names if label[n] is not None and self.labels.count(label[n]) > 1]
        right = sum(label[self.neighbours[n][0].b] == label[n] for n in able)
        return (right, len(able)) if able else None

    def blocks(self) -> list[Block]:
        """Return the map, all pairs and their tree, then each text with its nearest and the words behind it."""
        return [
            Sentence(self.finding, "answer"),
            Sentence(_meaning(self), "how"),
            *([Sentence(_skipped(self), "note")] if self.matrix.skipped else []),
            *(_plots(self) if len(self.names) > 2 else [_pairs_table(self)]),
            Sentence(f"Each {self.thing}, its nearest, and the words behind it", "title"),
            Sentence(_words_meaning(self), "how"),
            _in_short(self),
            *(_one(self, name, first=i == 0) for i, name in enumerate(self.names)),
        ]

    @property
    def finding(self) -> str:
        """The closest pair and the loneliest text."""
        near, lone = self.closest, self.loneliest
        if len(self.names) == 2:
            (a, b), values = self.names, self.matrix.values
            return (
                f"{a} diverges from {b} by {values[0, 1]:.3g}, and the other way round by {values[1, 0]:.3g}."
            )
        text = (
            f"Of {many(len(self.names), self.thing)}, {near.a} and {near.b} are the closest pair"
            f"{self._amount(near.shown)}; {lone.a} stands most alone, even from {lone.b}, the "
            f"nearest{self._amount(lone.shown)}."
        )
        same = self.same_label
        if same is not None:
            text += f" {same[0]} of {same[1]} texts have a nearest neighbour of their own {self.kind}."
        return text

    @property
    def thing(self) -> str:
        """What a row of the matrix is: a text, or all texts of an author."""
        return "text" if self.by == "text" else self.kind

    def _amount(self, value: float) -> str:
        if self.standardised is None:
            return f" ({value:.3g})"
        return f" ({abs(value):.1f} standard deviations {'nearer' if value < 0 else 'farther'} than usual)"

    def figures(self) -> dict[str, Callable[[], Any]]:
        """Heat map, dendrogram and map."""
        drawn: dict[str, Callable[[], Any]] = {
            "heatmap": self.shown.plot,
            "dendrogram": self.shown.dendrogram,
        }
        return {**drawn, "map": self.map.plot} if self.map else drawn

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "finding": self.finding,
            "by": self.by,
            "method": self.matrix.method,
            "names": list(self.names),
            "labels": list(self.labels),
            "divergences": self.matrix.values.tolist(),
            "standardised": None if self.standardised is None else self.standardised.values.tolist(),
            "nearest": {name: [c.to_dict() for c in near] for name, near in self.neighbours.items()},
            "skipped": [s.to_dict() for s in self.matrix.skipped],
        }


_WHOLE_TABLE: Final = 80  # with more texts the nearest of each are listed instead of all pairs
_IN_SHORT: Final = 14  # texts listed with their nearest
_WORDS: Final = 3  # how many words that two texts share, and as many in which they differ, are listed


def _meaning(part: DivergenceMapChapter) -> str:
    what = f"All texts of a {part.kind} count as one here. " if part.by == "label" else ""
    method = f"{what}Method {part.matrix.method}"
    if part.standardised is None:
        return f"{method}: the divergence of one text’s words from another’s; 0 means no difference."
    return (
        f"{method}, standardised: 0 is how near two texts usually are here, −1 is a standard deviation closer "
        "than either usually is to others, +1 a standard deviation farther. Blue is near, orange is far. "
        "On the map, a name that has no room appears when its point is pointed at."
    )


def _skipped(part: DivergenceMapChapter) -> str:
    reasons = "; ".join(f"{s.name} ({s.reason})" for s in part.matrix.skipped[:10])
    return f"{many(len(part.matrix.skipped), 'text')} could not be measured: {reasons}"


def _plots(part: DivergenceMapChapter) -> list[Block]:
    n = len(part.names)
    square = f"A square of {n} by {n} cells, one for each pair, blue where the two are near."
    tree = f"A tree of {n} names; those that join early (to the left) are alike."
    return [
        *_map(part),  # first, because it needs no explanation
        Figure(
            "heatmap",
            square,
            part.shown.plot,
            "Heat map of all pairs",
            lambda: charts.heat_map(part, square),
            _pairs_table(part),
        ),
        Figure(
            "dendrogram",
            tree,
            part.shown.dendrogram,
            "Dendrogram",
            lambda: charts.dendrogram(part, tree),
            _nearest_table(part),
        ),
    ]


def _map(part: DivergenceMapChapter) -> list[Block]:
    if part.map is None:
        return []
    where = zip(part.map.names, part.map.coordinates.tolist(), strict=True)
    points = table(
        ["text", "x", "y"], [[n, x, y] for n, (x, y) in where], title="Where each text stands on the map"
    )
    return [part.map.block(), Folded("Map: the numbers", (points,))]


def _nearest_table(part: DivergenceMapChapter) -> Table:
    def told(near: NearText) -> str:
        return f"{near.b} ({signed(near.shown, plus=True) if part.standardised else number(near.shown)})"

    rows = [[name, *map(told, near)] for name, near in part.neighbours.items()]
    width = max((len(row) for row in rows), default=1)
    return table(["text", "nearest", "second", "third"][:width], rows, title="The nearest texts of each")


def _pairs_table(part: DivergenceMapChapter) -> Table:
    if len(part.names) > _WHOLE_TABLE:
        return _nearest_table(part)
    rows = [[name, *row] for name, row in zip(part.names, part.matrix.values.tolist(), strict=True)]
    return table(
        ["divergence of ↓ from →", *part.names],
        rows,
        title="The divergence of each row’s text from each column’s, as measured",
    )


def _words_meaning(part: DivergenceMapChapter) -> str:
    if len(part.names) == 2:
        return (
            "Words in blue bring the two together, words in orange set them apart; a bar’s length is what "
            "a word adds to the divergence, and “≈” names the word of the other text that stood in for it."
        )
    return (
        "Words in blue bring the two nearer to each other than to the rest, words in orange keep them "
        "apart; a bar’s length is what the word adds, and all words together make up the difference. The "
        "last figures count the word in both texts; “≈” names the word of the other text that stood in for it."
    )


def _in_short(part: DivergenceMapChapter) -> Table:
    """Return some texts, evenly spaced from first to last (they may be in the order of time), each with its nearest."""
    n = len(part.names)
    places = range(n) if n <= _IN_SHORT else [round(i * (n - 1) / (_IN_SHORT - 1)) for i in range(_IN_SHORT)]
    rows = []
    for name in (part.names[i] for i in places):
        near = part.neighbours[name][0]
        words = (", ".join(w.word for w in listed[:_WORDS]) for listed in (near.together, near.apart))
        rows.append([cut(name, 24), cut(near.b, 24), *words])
    found = table(["", "is most like", "they share", "they differ in"], rows)
    return found if n <= _IN_SHORT else replace(found, more=f"{_IN_SHORT} of {n}; a page lists all of them")


def _one(part: DivergenceMapChapter, name: str, *, first: bool) -> Folded:
    near = part.neighbours[name]
    columns = Columns(tuple(tuple(_closeness(found)) for found in near))
    return Folded(f"{name} → {listed([found.b for found in near])}", (columns,), opened=first)


def _closeness(near: NearText) -> list[Block]:
    shown: list[Block] = [Sentence(near.b, "title"), Sentence(f"divergence {number(near.divergence)}")]
    shown += [Sentence(line) for line in _one_sided(near)]
    words = [*near.together, *reversed(near.apart)]
    if words:
        shown.append(
            bars(
                [(named(w), w.adds, [" · ".join(map(number, w.counts))]) for w in words],
                left="brings together",
                right="sets apart",
                write=lambda adds: signed(adds, 3, plus=True),
            )
        )
    others = (("names", near.names), ("function words", near.function_words))
    facts = tuple((title, ", ".join(map(_signed_word, words))) for title, words in others if words)
    return [*shown, Facts(facts)] if facts else shown


def _one_sided(near: NearText) -> list[str]:
    said = [] if near.together else ["No word brings them together."]
    return said if near.apart else [*said, "No word sets them apart."]


def _signed_word(reason: Reason) -> str:
    """Return a word with a sign: − if it brings the texts together, + if it sets them apart."""
    return f"{'−' if reason.adds < 0 else '+'}{reason.word}"
