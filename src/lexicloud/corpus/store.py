"""A corpus on disk: a folder of arrays, memory-mapped and checksummed."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.storage import open_folder, save_folder
from lexicloud.text import TokenRules
from lexicloud.vectors.refine import Refinement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus.corpus import Corpus

KIND: Final = "lexicloud corpus"
VERSION: Final = 1


def save_corpus(corpus: Corpus, path: str | Path) -> None:
    """Write a corpus to a folder, all or nothing."""
    lexicon = corpus.lexicon
    arrays: dict[str, NDArray[Any]] = {
        "stream": corpus.stream,
        "bounds": corpus.bounds,
        "vectors": lexicon.vectors,
        "status": lexicon.status,
        "stopwords": lexicon.stopwords,
        "punctuation": lexicon.punctuation,
        "refinement_mean": lexicon.refinement.mean,
        "refinement_components": lexicon.refinement.components,
    }
    if corpus.parents is not None:
        arrays["parents"] = corpus.parents
    strings = {"words": tuple(corpus.vocabulary), "names": corpus.names}
    if corpus.texts is not None:
        strings["texts"] = tuple(corpus.texts)
    meta = {
        "rules": asdict(corpus.rules),
        "labels": corpus.labels,
        "dropped": corpus.dropped,
        "notes": corpus.notes,
        "source": lexicon.source,
        "fingerprint": lexicon.fingerprint,
    }
    save_folder(path, KIND, VERSION, arrays=arrays, strings=strings, meta=meta)


def open_corpus(path: str | Path) -> Corpus:
    """Open a saved corpus."""
    from lexicloud.corpus.corpus import Corpus, Lexicon
    from lexicloud.corpus.vocabulary import Vocabulary

    folder = open_folder(path, KIND, VERSION)
    arrays, meta = folder.arrays, folder.meta
    lexicon = Lexicon(
        Vocabulary(folder.strings["words"].to_list()),
        arrays["vectors"],
        arrays["status"],
        arrays["stopwords"],
        arrays["punctuation"],
        Refinement(np.asarray(arrays["refinement_mean"]), np.asarray(arrays["refinement_components"])),
        meta["source"],
        meta["fingerprint"],
    )
    return Corpus(
        tuple(folder.strings["names"].to_list()),
        lexicon,
        arrays["stream"],
        arrays["bounds"],
        TokenRules(**meta["rules"]),
        None if meta["labels"] is None else tuple(meta["labels"]),
        folder.strings.get("texts"),
        arrays.get("parents"),
        tuple(meta["dropped"]),
        tuple(meta["notes"]),
    )
