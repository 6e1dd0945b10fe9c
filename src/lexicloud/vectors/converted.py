"""Converted vectors: a folder that opens memory-mapped in milliseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import StorageError, VectorsError
from lexicloud.storage import MANIFEST, Folder, open_folder, read_manifest, save_folder
from lexicloud.vectors.lookup import sorted_order
from lexicloud.vectors.refine import Refinement
from lexicloud.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from pathlib import Path

    from lexicloud.vectors.subwords import Subwords

KIND: Final = "word vectors"
_LONGEST: Final = 1000  # letters of an n-gram; fastText's own models have six
VERSION: Final = 1
_TYPES: Final = {
    "matrix": ("float32", 2),
    "order": ("int64", 1),
    "sub_ngrams": ("float32", 2),
    "sub_tokens": ("float32", 2),
    "sub_refined_mean": ("float32", 1),
    "sub_refined_components": ("float32", 2),
}


def save_vectors(vectors: WordVectors, path: str | Path) -> None:
    """Write vectors as a folder that `load_vectors` opens memory-mapped.

    Such a folder at `path` is replaced, all or nothing; subword models are kept.
    """
    parts = vectors.subwords.parts() if vectors.subwords else None
    order = vectors.rows.order
    save_folder(
        path,
        KIND,
        VERSION,
        arrays={
            "matrix": vectors.matrix,
            "order": sorted_order(vectors.words) if order is None else order,
            **({f"sub_{k}": a for k, a in parts.arrays.items()} if parts else {}),
        },
        strings={
            "words": vectors.words,
            **({f"sub_{k}": t for k, t in parts.texts.items()} if parts else {}),
        },
        meta={
            "name": vectors.name,
            "format": vectors.format,
            "fingerprint": vectors.fingerprint,
            "repairs": vectors.repairs,
            "subwords": {"kind": parts.kind, **parts.settings} if parts else None,
        },
    )


def is_vectors_folder(path: Path) -> bool:
    """Tell whether a folder holds converted vectors."""
    return (path / MANIFEST).is_file() and read_manifest(path)["kind"] == KIND


def open_vectors(path: Path) -> WordVectors:
    """Open a converted folder."""
    folder = open_folder(path, KIND, VERSION, _TYPES.get)
    try:
        return _vectors(folder)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StorageError(f"{path} lacks or misstates {error}: convert the vectors again") from error


def _vectors(folder: Folder) -> WordVectors:
    meta, words, order = folder.meta, folder.strings["words"], folder.arrays["order"]
    outside = len(order) and not (int(order.min()) >= 0 and int(order.max()) < len(words))
    if not len(words) == len(folder.arrays["matrix"]) == len(order) or outside:
        raise StorageError(f"{folder.path} is damaged, its words and vectors do not fit: convert them again")
    vectors = WordVectors(
        folder.strings["words"],
        folder.arrays["matrix"],
        meta["name"],
        repairs=meta["repairs"],
        subwords=_subwords(folder, meta["subwords"]),
        order=folder.arrays["order"],
        format=meta["format"],
    )
    vectors.__dict__["fingerprint"] = meta["fingerprint"]  # as computed when it was written
    return vectors


def _subwords(folder: Folder, settings: dict[str, Any] | None) -> Subwords | None:
    if settings is None:
        return None
    model = _model(folder, settings)
    if "sub_refined_mean" not in folder.arrays:
        return model
    from lexicloud.vectors.subwords import RefinedSubwords

    mean, components = folder.arrays["sub_refined_mean"], folder.arrays["sub_refined_components"]
    return RefinedSubwords(model, Refinement(np.asarray(mean), np.asarray(components)))


def _model(folder: Folder, settings: dict[str, Any]) -> Subwords:
    if settings["kind"] == "fasttext":
        from lexicloud.vectors.subwords import Ngrams

        lengths = settings["minn"], settings["maxn"]
        if not all(isinstance(n, int) and 0 <= n <= _LONGEST for n in lengths):
            raise ValueError(f"n-grams of {lengths[0]} to {lengths[1]} letters")
        if folder.arrays["sub_ngrams"].shape[1] != folder.arrays["matrix"].shape[1]:
            raise ValueError("n-grams of another dimension than the words")
        return Ngrams(folder.arrays["sub_ngrams"], *lengths)
    if settings["kind"] == "model2vec":
        from lexicloud.vectors.model2vec import TokenAverage

        return TokenAverage(
            folder.arrays["sub_tokens"], folder.strings["sub_tokenizer"][0], settings["normalise"]
        )
    raise VectorsError(f"{folder.path} has subwords of kind {settings['kind']!r}: upgrade lexicloud")
