"""The paper's experiments, rerun beside its published numbers."""

from lexicloud.paper.experiments import EXPERIMENTS
from lexicloud.paper.passages import MissingData, Passages, read_passages
from lexicloud.paper.published import book_labels, published
from lexicloud.paper.run import PaperResult, run_paper
from lexicloud.paper.tables import Entry, Table
from lexicloud.paper.workbench import PaperOptions

__all__ = [
    "EXPERIMENTS",
    "Entry",
    "MissingData",
    "PaperOptions",
    "PaperResult",
    "Passages",
    "Table",
    "book_labels",
    "published",
    "read_passages",
    "run_paper",
]
