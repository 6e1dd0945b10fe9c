"""The paper's experiments, rerun beside its published numbers."""

from lexicloud.paper.corpora import PaperOptions
from lexicloud.paper.data import MissingData, Passages, read_passages
from lexicloud.paper.experiments.registry import EXPERIMENTS
from lexicloud.paper.published import book_labels, published
from lexicloud.paper.runner import PaperResult, run_paper
from lexicloud.paper.tables import Entry, Table

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
