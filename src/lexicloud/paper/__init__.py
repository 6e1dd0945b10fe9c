"""Rerun the paper's experiments and compare with its published numbers."""

from lexicloud.paper.comparison import ComparisonTable, Entry, book_labels, published
from lexicloud.paper.data import DatasetPassages, MissingData, read_passages
from lexicloud.paper.experiments import EXPERIMENTS
from lexicloud.paper.runner import PaperResult, run_paper
from lexicloud.paper.workbench import PaperOptions

__all__ = [
    "EXPERIMENTS",
    "ComparisonTable",
    "DatasetPassages",
    "Entry",
    "MissingData",
    "PaperOptions",
    "PaperResult",
    "book_labels",
    "published",
    "read_passages",
    "run_paper",
]
