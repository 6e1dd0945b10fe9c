"""The nearest words of every word, exactly, and how far a word reaches into a document."""

from lexicloud.neighbours.reach import iter_reach, reach
from lexicloud.neighbours.table import Neighbours

__all__ = ["Neighbours", "iter_reach", "reach"]
