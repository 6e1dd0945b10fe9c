"""Each thing that can be asked, described once: what is asked, and what answers it.

Routes and assistants' tools are made from `OPERATIONS`; the command line fills the same classes in.
"""

from typing import Final

from lexicloud.operations.asked import Operation
from lexicloud.operations.authorship import Attribute, Verify
from lexicloud.operations.compare import Compare
from lexicloud.operations.explore import (
    CountParts,
    FindContexts,
    FindContrast,
    FindKeywords,
    FindTrends,
    FitRanks,
    GroupSentences,
    MakeReport,
    MapWords,
)
from lexicloud.operations.index import AddSentences, RemoveSentences
from lexicloud.operations.label import Label
from lexicloud.operations.search import Explain, FindNeighbours, Search, SearchMany, Suggest

OPERATIONS: Final[tuple[type[Operation], ...]] = (
    Search,
    SearchMany,
    Explain,
    Suggest,
    FindNeighbours,
    Compare,
    Attribute,
    Verify,
    FindKeywords,
    FindContrast,
    FindContexts,
    FindTrends,
    FitRanks,
    CountParts,
    MapWords,
    GroupSentences,
    MakeReport,
    Label,
    AddSentences,
    RemoveSentences,
)

__all__ = ["OPERATIONS", "Operation"]
