"""The nearest words of every word, exactly, and the distance from a word to its k-th nearest in a document."""

from typing import TYPE_CHECKING

from lexicloud.lazy import attach

if TYPE_CHECKING:
    from lexicloud.neighbours.kth_neighbour import iter_reach, reach
    from lexicloud.neighbours.table import Neighbours

__all__ = ["Neighbours", "iter_reach", "reach"]

# Word vectors need only `nearest`, and should not have to import SciPy.
__getattr__, __dir__ = attach(
    __name__, submod_attrs={"kth_neighbour": ["iter_reach", "reach"], "table": ["Neighbours"]}
)
