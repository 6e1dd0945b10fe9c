"""Set cover search and its peers over an index of sentences."""

from lexicloud.search.boilerplate import Boilerplate, clean
from lexicloud.search.evaluation import Evaluation, evaluate_methods
from lexicloud.search.info import IndexInfo
from lexicloud.search.items import Items
from lexicloud.search.options import METHODS, SearchOptions
from lexicloud.search.sentence_index import SentenceIndex
from lexicloud.search.suggestion import Match, Suggestion, Suggestions
from lexicloud.search.variety import Variety, variety
from lexicloud.search.verify import verify_index

__all__ = [
    "METHODS",
    "Boilerplate",
    "Evaluation",
    "IndexInfo",
    "Items",
    "Match",
    "SearchOptions",
    "SentenceIndex",
    "Suggestion",
    "Suggestions",
    "Variety",
    "clean",
    "evaluate_methods",
    "variety",
    "verify_index",
]
