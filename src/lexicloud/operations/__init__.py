"""The operations: each thing that can be asked is described once, by its fields and the function that answers it.

Routes and assistants' tools are made from `OPERATIONS`. The command line has arguments of its own, calls the same
functions of the library, and prints the same results in the same words.
"""

from typing import Final

from lexicloud.operations.asked import Operation
from lexicloud.operations.authorship import Attribute, FindStyle, Verify
from lexicloud.operations.compare import Compare
from lexicloud.operations.explore import (
    CountParts,
    DrawMap,
    FindContexts,
    FindContrast,
    FindKeywords,
    FindTrends,
    FitRanks,
    GroupSentences,
    MakeReport,
)
from lexicloud.operations.index import (
    AddSentences,
    CountValues,
    DescribeIndex,
    GetRecord,
    RemoveSentences,
    SetSynonyms,
    UpdateRecord,
)
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
    FindStyle,
    FindKeywords,
    FindContrast,
    FindContexts,
    FindTrends,
    FitRanks,
    CountParts,
    DrawMap,
    GroupSentences,
    MakeReport,
    Label,
    DescribeIndex,
    GetRecord,
    CountValues,
    AddSentences,
    UpdateRecord,
    RemoveSentences,
    SetSynonyms,
)

__all__ = ["OPERATIONS", "Operation"]
