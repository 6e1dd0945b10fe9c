"""The same functions on several machines: a Dask cluster (`pip install "lexicloud[cluster]"`).

Every function takes as its first argument a `distributed.Client`, the address of a scheduler (`tcp://…`), or "local".
Its other arguments and its results are those of its namesake on one machine.
"""

from typing import TYPE_CHECKING

from lexicloud.lazy import attach

if TYPE_CHECKING:
    from lexicloud.cluster.centres import k_means
    from lexicloud.cluster.index import ShardedIndex
    from lexicloud.cluster.texts import divergence_matrix, from_folder, nearest_documents
    from lexicloud.cluster.workers import connected

__all__ = ["ShardedIndex", "connected", "divergence_matrix", "from_folder", "k_means", "nearest_documents"]

__getattr__, __dir__ = attach(
    __name__,
    submod_attrs={
        "centres": ["k_means"],
        "index": ["ShardedIndex"],
        "texts": ["divergence_matrix", "from_folder", "nearest_documents"],
        "workers": ["connected"],
    },
)
