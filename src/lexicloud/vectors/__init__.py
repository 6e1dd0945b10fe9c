"""Word → vector: reading, writing, looking up, refining."""

from lexicloud.vectors.folder_format import save_vectors
from lexicloud.vectors.load import load_vectors
from lexicloud.vectors.lookup import forms
from lexicloud.vectors.word_vectors import EXACT, LOST, RECOVERED, Lookup, Refinement, WordVectors

__all__ = [
    "EXACT",
    "LOST",
    "RECOVERED",
    "Lookup",
    "Refinement",
    "WordVectors",
    "forms",
    "load_vectors",
    "save_vectors",
]
