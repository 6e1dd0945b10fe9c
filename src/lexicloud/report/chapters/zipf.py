"""Zipf's law in these texts: of words, of their parts of speech, and of clusters of sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from lexicloud.report import charts
from lexicloud.report.chapters.chapter import Chapter, Missing, found
from lexicloud.say.blocks import Block, Facts, Figure, Sentence, Table
from lexicloud.zipf.study import StudyOptions, ZipfStudy, study_zipf

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.say.html import Html
    from lexicloud.zipf import ClusterSizes

# The paper's k for one book.
CLUSTERS: Final = 35
# Words on the plane: more cannot be pointed at, and a browser draws these at once.
PROJECTED: Final = 1200
# Of the power law's bootstrap: p to about 0.05.
SAMPLES: Final = 100
# Figures that a page draws as charts in its own colours, with names on hover; the others are images.
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
    """The study of Zipf's law as a chapter: its blocks, with interactive charts in place of images."""

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

    def blocks(self) -> list[Block]:
        """Return the study's blocks; a figure becomes a chart, which takes the table that follows as its numbers."""
        shown: list[Block] = []
        for block in self.study.blocks():
            last = shown[-1] if shown else None
            if isinstance(block, Figure) and block.name in _DRAWN:
                shown.append(replace(block, chart=partial(_DRAWN[block.name], self.study, block.alt)))
            elif isinstance(block, Table) and isinstance(last, Figure) and last.chart and not last.numbers:
                shown[-1] = replace(last, numbers=block)
            else:
                shown.append(block)
        return shown

    def in_short(self) -> list[Block]:
        """Return whether the law holds, and the slope of the clusters beside the null models'."""
        facts = (
            [block for block in self.clusters.blocks() if isinstance(block, Facts)] if self.clusters else []
        )
        return [Sentence(self.finding, "answer"), *facts]

    def figures(self) -> dict[str, Callable[[], Any]]:
        """Every figure that the pieces can draw."""
        return self.study.figures()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, without single words and points, which are on the page."""
        return {"finding": self.finding, **self.study.to_dict()}
