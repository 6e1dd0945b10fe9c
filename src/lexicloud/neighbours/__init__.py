"""The nearest words of every word, exactly, and how far a word reaches into a document."""

from typing import TYPE_CHECKING

from lexicloud.lazy import attach

if TYPE_CHECKING:
    from lexicloud.neighbours.kth_neighbour import iter_reach, reach
    from lexicloud.neighbours.table import Neighbours

__all__ = ["Neighbours", "iter_reach", "reach"]

# Word vectors stand on `nearest` alone, and should not pay for SciPy.
__getattr__, __dir__ = attach(
    __name__, submod_attrs={"kth_neighbour": ["iter_reach", "reach"], "table": ["Neighbours"]}
)
