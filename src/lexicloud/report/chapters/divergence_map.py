"""How far apart the texts are: all pairs, their tree and map, and the words behind each text's nearest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lexicloud.corpus.cut import By, group_by, merged_by_label
from lexicloud.divergences import DivergenceMatrix, divergence_matrix
from lexicloud.divergences.nearest_texts import NearestTexts, NearText
from lexicloud.maps import CorpusMap, map_texts
from lexicloud.report import charts
from lexicloud.report.chapters.chapter import Chapter, how_to_read
from lexicloud.report.page import Plot
from lexicloud.say.html import Html, details, join, note, paragraph, table, tag
from lexicloud.say.map_html import map_html
from lexicloud.say.phrases import listed, many, signed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.corpus import Corpus
    from lexicloud.words.reason import Reason


@dataclass(frozen=True, eq=False)
class DivergenceMapChapter(Chapter):
    """All pairs of texts (or of labels, each one text), as measured and standardised."""

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

    def content(self) -> list[object]:
        """Return the markup and plots of the section."""
        return _render(self)

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


_WHOLE_TABLE: Final = 80  # more texts than this have their nearest listed instead of all pairs


def _render(part: DivergenceMapChapter) -> list[object]:
    """Return the plots, then each text with its nearest and the words behind it."""
    several = len(part.names) > 2
    return [
        paragraph(part.finding, "lead"),
        _meaning(part),
        *([note(_skipped(part))] if part.matrix.skipped else []),
        *(_plots(part) if several else [_pairs_table(part)]),
        tag("h3", f"Each {part.thing}, its nearest, and the words behind it"),
        _words_meaning(part),
        *(_one(part, name, first=i == 0) for i, name in enumerate(part.names)),
    ]  # fmt: skip


def _meaning(part: DivergenceMapChapter) -> Html:
    matrix = part.matrix
    what = f"All texts of a {part.kind} count as one here. " if part.by == "label" else ""
    method = f"Method {matrix.method}"
    if part.standardised is None:
        return how_to_read(
            f"{what}{method}: the divergence of one text’s words from another’s; 0 means no difference."
        )
    return how_to_read(
        f"{what}{method}, standardised: 0 is how near two texts usually are here, −1 is a standard "
        "deviation closer "
        "than either usually is to others, +1 a standard deviation farther. Blue is near, orange is far. "
        "On the map, a name that has no room appears when its point is pointed at."
    )


def _skipped(part: DivergenceMapChapter) -> str:
    reasons = "; ".join(f"{s.name} ({s.reason})" for s in part.matrix.skipped[:10])
    return f"{many(len(part.matrix.skipped), 'text')} could not be measured: {reasons}"


def _plots(part: DivergenceMapChapter) -> list[object]:
    n = len(part.names)
    found = [
        Plot(
            charts.heat_map(
                part, f"A square of {n} by {n} cells, one for each pair, blue where the two are near."
            ),
            "Heat map of all pairs",
            _pairs_table(part),
        ),
        Plot(
            charts.dendrogram(part, f"A tree of {n} names; those that join early (to the left) are alike."),
            "Dendrogram",
            _nearest_table(part),
        ),
    ]
    if part.map is None:
        return [*found]
    # The map first: it is what a reader understands without being told how.
    return [Plot(map_html(part.map.block(), script=False), "Map", _points_table(part.map)), *found]


def _points_table(found: CorpusMap) -> Html:
    rows = [[n, float(x), float(y)] for n, (x, y) in zip(found.names, found.coordinates, strict=True)]
    return table(["text", "x", "y"], rows, caption="Where each text stands on the map")


def _nearest_table(part: DivergenceMapChapter) -> Html:
    rows = [
        [
            name,
            *(
                f"{c.b} ({signed(c.shown, plus=True)})" if part.standardised else f"{c.b} ({c.shown:.3g})"
                for c in near
            ),
        ]
        for name, near in part.neighbours.items()
    ]
    width = max((len(row) for row in rows), default=1)
    heads = ["text", "nearest", "second", "third"][:width]
    return table(heads, rows, caption="The nearest texts of each")


def _pairs_table(part: DivergenceMapChapter) -> Html:
    if len(part.names) > _WHOLE_TABLE:
        return _nearest_table(part)
    values = part.matrix.values
    rows = [[name, *map(float, row)] for name, row in zip(part.names, values, strict=True)]
    return table(
        ["divergence of ↓ from →", *part.names],
        rows,
        caption="The divergence of each row’s text from each column’s, as measured",
    )


def _words_meaning(part: DivergenceMapChapter) -> Html:
    if len(part.names) == 2:
        return how_to_read(
            "Words in blue bring the two together, words in orange set them apart; a bar’s length is what "
            "a word adds to the divergence, and “≈” names the word of the other text that stood in for it."
        )
    return how_to_read(
        "Words in blue bring the two nearer to each other than to the rest, words in orange keep them "
        "apart; a bar’s length is "
        "what the word adds, and all words together make up the difference. Small figures count the word "
        "in both texts; “≈” names the "
        "word of the other text that stood in for it."
    )


def _one(part: DivergenceMapChapter, name: str, *, first: bool) -> Html:
    near = part.neighbours[name]
    summary = join([tag("strong", name), " → ", listed([c.b for c in near])])
    columns = tag("div", join(_closeness(c) for c in near), class_="columns")
    opened = tag("details", join([tag("summary", summary), columns]), open="")
    return opened if first else details(summary, columns)


def _closeness(closeness: NearText) -> Html:
    widest = max((abs(w.adds) for w in (*closeness.together, *closeness.apart)), default=1.0) or 1.0
    return tag(
        "div",
        join(
            [
                tag("h4", closeness.b),
                tag("p", f"divergence {closeness.divergence:.3g}", class_="soft"),
                _bars("together", closeness.together, widest),
                _bars("apart", closeness.apart, widest),
                _listed("names", closeness.names),
                _listed("function words", closeness.function_words),
            ]
        ),
    )


def _listed(title: str, shares: Sequence[Reason]) -> Html:
    """List words of a kind on one line, each in the colour of its effect."""
    words = [tag("span", w.word, class_="together" if w.adds < 0 else "apart") for w in shares]
    return tag("p", join([f"{title}: ", join(words, ", ")]), class_="soft") if words else Html("")


def _bars(kind: str, words: Sequence[Reason], widest: float) -> Html:
    if not words:
        return tag(
            "p",
            f"No word brings them {kind}." if kind == "together" else "No word sets them apart.",
            class_="soft",
        )
    rows = join(_bar(kind, w, widest) for w in words)
    label = "brings together" if kind == "together" else "sets apart"
    return tag("table", join([tag("caption", label), tag("tbody", rows)]), class_="words")


def _bar(kind: str, word: Reason, widest: float) -> Html:
    near = tag("span", f" ≈ {word.near}", class_="soft") if word.near else ""
    width = f"width:{max(2.0, 100 * abs(word.adds) / widest):.0f}%"
    return tag(
        "tr",
        join(
            [
                tag("th", join([tag("span", word.word, class_=kind), near]), scope="row"),
                tag(
                    "td",
                    tag("span", "", class_=f"bar {kind}", style=width, title=signed(word.adds, 5, plus=True)),
                    class_="room",
                ),
                tag("td", " · ".join(f"{n:,}" for n in word.counts), class_="number soft"),
            ]
        ),
    )
