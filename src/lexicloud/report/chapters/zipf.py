"""Zipf's law in these texts: of words, of their parts of speech, and of clusters of sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lexicloud.report import charts
from lexicloud.report.chapters.chapter import Chapter, Missing, found
from lexicloud.report.page import Plot
from lexicloud.say.blocks import Block, Figure, Sentence, Table
from lexicloud.say.html import Html, blocks_html, tag
from lexicloud.say.map_block import Map
from lexicloud.say.map_html import map_html
from lexicloud.zipf.study import StudyOptions, ZipfStudy, study_zipf

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.zipf import ClusterSizes

# The paper's k for one book.
CLUSTERS: Final = 35
# Words on the plane: more cannot be pointed at, and a browser draws these at once.
PROJECTED: Final = 2000
# Of the power law's bootstrap: p to about 0.05.
SAMPLES: Final = 100
# Figures that a page draws in its own ink, with names on hover; the others are pictures.
_DRAWN: Final[dict[str, Callable[[ZipfStudy, str], Html]]] = {
    "ranks": lambda study, alt: charts.ranks(study.ranks, study.fit, alt),
    "parts_of_speech": lambda study, alt: charts.part_ranks(_there(study.parts_of_speech), alt),
    "purity": lambda study, alt: charts.purity(_there(study.purity), alt),
    "clusters": lambda study, alt: charts.clusters(_there(study.clusters), alt),
}


def _there(piece: Any) -> Any:
    assert piece is not None  # a figure is a block only where its piece is there
    return piece


@dataclass(frozen=True, eq=False)
class ZipfChapter(Chapter):
    """The study of Zipf's law as a chapter: its blocks, with plots to point at in place of pictures."""

    id = "zipf"
    title = "Does Zipf’s law hold"

    study: ZipfStudy

    @classmethod
    def gather(cls, corpus: Corpus, *, sentences: Corpus | Missing, seed: int = 0) -> ZipfChapter:
        """Fit, tag, cluster and project."""
        split = found(sentences)
        options = StudyOptions(
            samples=SAMPLES,
            pos=True,
            clusters=None if split is None else CLUSTERS,
            projection="tsne",
            projected=PROJECTED,
            strict=False,
            seed=seed,
        )
        study = study_zipf(corpus, options, sentences=split)
        if isinstance(sentences, Missing):
            study = replace(study, missing={**study.missing, "clusters": sentences.reason})
        return cls(study)

    @property
    def clusters(self) -> ClusterSizes | None:
        """The clusters of sentences, where there are enough of them."""
        return self.study.clusters

    @property
    def finding(self) -> str:
        """Whether the law holds, in words and in clusters of sentences beside the null models."""
        return self.study.conclusion

    def content(self) -> list[object]:
        """Return the study's blocks, each figure as a plot with the table that follows it behind it."""
        shown: list[object] = []
        waiting = self.study.blocks()
        while waiting:
            block, *waiting = waiting
            if isinstance(block, Figure) and block.name in _DRAWN:
                behind = [b for b in waiting[:1] if isinstance(b, Table)]
                waiting = waiting[len(behind) :]
                shown.append(self._plot(block, behind))
            else:
                shown.append(_markup(block))
        return shown

    def _plot(self, figure: Figure, behind: Sequence[Block]) -> Plot:
        return Plot(_DRAWN[figure.name](self.study, figure.alt), figure.caption, blocks_html(behind))

    def figures(self) -> dict[str, Callable[[], Any]]:
        """Every figure that the pieces can draw."""
        return self.study.figures()

    def _repr_html_(self) -> str:
        return self.study._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; every word and every point is left to the page."""
        return {"finding": self.finding, **self.study.to_dict()}


def _markup(block: Block) -> Html:
    """Return a block as HTML; a title within a chapter is a heading of the third rank."""
    if isinstance(block, Map):
        return map_html(block, script=False)
    title = isinstance(block, Sentence) and block.role == "title"
    return tag("h3", block.text) if title and isinstance(block, Sentence) else blocks_html([block])
