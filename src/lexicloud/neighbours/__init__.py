"""The nearest words of every word, exactly."""

from lexicloud.neighbours.table import Neighbours

__all__ = ["Neighbours"]
