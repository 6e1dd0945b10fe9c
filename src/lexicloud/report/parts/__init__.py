"""What a study holds: one object for each part, gathered from the pillars' public functions."""

from lexicloud.report.parts.attribution import AttributionPart
from lexicloud.report.parts.divergence_map import DivergenceMap
from lexicloud.report.parts.part import Missing, Part
from lexicloud.report.parts.provenance import Provenance
from lexicloud.report.parts.reading import Reading
from lexicloud.report.parts.search import SearchPart
from lexicloud.report.parts.zipf import ZipfPart

__all__ = [
    "AttributionPart",
    "DivergenceMap",
    "Missing",
    "Part",
    "Provenance",
    "Reading",
    "SearchPart",
    "ZipfPart",
]
