"""A labeller as a folder: the word counts of its examples, their labels, and how the evidence is joined."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import sparse

from lexicloud.errors import StorageError, VectorsError
from lexicloud.labelling.smoothed_words import Smoothing
from lexicloud.storage import open_folder, save_folder
from lexicloud.text import TokenRules
from lexicloud.vectors import WordVectors

if TYPE_CHECKING:
    from pathlib import Path

    from lexicloud.labelling.labeller import Labeller

KIND: Final = "labeller"
VERSION: Final = 1


def save_labeller(labeller: Labeller, path: str | Path) -> None:
    """Write a labeller; one that is there already is replaced, all or nothing."""
    evidence, vectors = labeller.evidence_, labeller.source_.vectors
    save_folder(
        path,
        KIND,
        VERSION,
        arrays={
            "counts": evidence.counts.data,
            "columns": evidence.counts.indices.astype(np.int64),
            "bounds": evidence.counts.indptr.astype(np.int64),
            "labels": evidence.y,
            "weights": evidence.joint_weights,
            "fits": labeller.fits_,
        },
        strings={"words": list(evidence.known.words), "names": labeller.classes_.tolist()},
        meta={
            "source": _source(labeller.vectors),
            "fingerprint": vectors.fingerprint,
            "smoothing": asdict(evidence.smoothing),
            "accuracy": labeller.accuracy_,
            "refuse": labeller.refuse,
            "seed": labeller.seed,
            "rules": asdict(labeller.rules),
        },
    )


def _source(vectors: WordVectors | str | Path | None) -> str | None:
    """Return what the vectors can be loaded by again; those made in memory have only their name."""
    if vectors is None or isinstance(vectors, str):
        return vectors
    return vectors.name if isinstance(vectors, WordVectors) else str(vectors)


def load_labeller(path: str | Path, vectors: WordVectors | None) -> Labeller:
    """Open a saved labeller and make its models again from the counts, which takes less than a second."""
    from lexicloud.labelling.labeller import Labeller

    folder = open_folder(path, KIND, VERSION)
    meta, arrays, words = folder.meta, folder.arrays, list(folder.strings["words"])
    try:
        labeller = Labeller(
            vectors if vectors is not None else meta["source"],
            refuse=meta["refuse"],
            rules=TokenRules(**meta["rules"]),
            seed=meta["seed"],
        )
        shape = (len(arrays["labels"]), len(words))
        counts = sparse.csr_array((arrays["counts"], arrays["columns"], arrays["bounds"]), shape=shape)
        labeller.restore(words, counts, np.asarray(arrays["labels"]), folder.strings["names"])
        labeller.evidence_.fit(Smoothing(**meta["smoothing"]), np.asarray(arrays["weights"]))
    except (KeyError, TypeError) as error:
        raise StorageError(f"{path} lacks {error}: train the labeller again") from error
    if labeller.source_.vectors.fingerprint != meta["fingerprint"]:
        raise VectorsError(
            f"{path} was trained with other vectors than {labeller.source_.vectors.name}: give it those"
        )
    labeller.accuracy_, labeller.fits_ = meta["accuracy"], np.asarray(arrays["fits"])
    return labeller
