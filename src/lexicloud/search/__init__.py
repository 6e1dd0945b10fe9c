"""Ranked and varied search, and their peers, over an index of sentences."""

from lexicloud.search.duplicates import DuplicateCluster, DuplicatePair, Duplicates, find_duplicates
from lexicloud.search.find import METHODS, MODES, SearchOptions
from lexicloud.search.index import IndexInfo, SentenceIndex
from lexicloud.search.items import Items, Suggestion, Suggestions
from lexicloud.search.records import Facets, Record
from lexicloud.search.rerank import rerank
from lexicloud.search.store import verify_index
from lexicloud.search.variety import Evaluation, Variety, evaluate_methods, variety
from lexicloud.text.clean import Boilerplate, clean

__all__ = [
    "METHODS",
    "MODES",
    "Boilerplate",
    "DuplicateCluster",
    "DuplicatePair",
    "Duplicates",
    "Evaluation",
    "Facets",
    "IndexInfo",
    "Items",
    "Record",
    "SearchOptions",
    "SentenceIndex",
    "Suggestion",
    "Suggestions",
    "Variety",
    "clean",
    "evaluate_methods",
    "find_duplicates",
    "rerank",
    "variety",
    "verify_index",
]
