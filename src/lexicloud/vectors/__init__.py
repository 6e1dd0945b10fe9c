"""Word → vector: reading, writing, looking up, refining."""

from lexicloud.vectors.load import load_vectors
from lexicloud.vectors.word_vectors import Lookup, WordVectors

__all__ = ["Lookup", "WordVectors", "load_vectors"]
