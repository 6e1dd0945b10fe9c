"""The chapters of a study: one object for each part, made from the public functions of the other packages."""

from lexicloud.report.chapters.attribution import AttributionChapter
from lexicloud.report.chapters.chapter import Chapter, Missing
from lexicloud.report.chapters.divergence_map import DivergenceMapChapter
from lexicloud.report.chapters.provenance import Provenance
from lexicloud.report.chapters.reading import Reading
from lexicloud.report.chapters.search import SearchChapter
from lexicloud.report.chapters.zipf import ZipfChapter

__all__ = [
    "AttributionChapter",
    "Chapter",
    "DivergenceMapChapter",
    "Missing",
    "Provenance",
    "Reading",
    "SearchChapter",
    "ZipfChapter",
]
