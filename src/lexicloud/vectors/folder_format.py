"""Converted vectors: a folder that opens memory-mapped in milliseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import StorageError, VectorsError
from lexicloud.store.folder import MANIFEST, Folder, open_folder, read_manifest, save_folder
from lexicloud.vectors.lookup import HashedWords
from lexicloud.vectors.word_vectors import Refinement, WordVectors

if TYPE_CHECKING:
    from pathlib import Path

    from lexicloud.vectors.subwords import Subwords

KIND: Final = "word vectors"
_LONGEST: Final = 1000  # letters of an n-gram; fastText's own models have six
VERSION: Final = 2
_TYPES: Final = {
    "matrix": ("float32", 2),
    "order": ("int64", 1),  # of format 1, which kept the words in alphabetical order
    "hashes": ("uint64", 1),
    "rows": ("uint32", 1),
    "sub_ngrams": ("float32", 2),
    "sub_tokens": ("float32", 2),
    "sub_table": ("float32", 2),
    "sub_shared": ("uint32", 1),
    "sub_hashes": ("uint64", 1),
    "sub_places": ("uint32", 1),
    "sub_refined_mean": ("float32", 1),
    "sub_refined_components": ("float32", 2),
}


def save_vectors(vectors: WordVectors, path: str | Path) -> None:
    """Write vectors as a folder that `load_vectors` opens memory-mapped.

    Such a folder at `path` is replaced, completely or not at all. Subword models are saved too.
    """
    parts = vectors.subwords.parts() if vectors.subwords else None
    hashed = vectors.rows.hashed
    save_folder(
        path,
        KIND,
        VERSION,
        arrays={
            "matrix": vectors.matrix,
            "hashes": hashed.hashes,
            "rows": hashed.rows,
            **({f"sub_{k}": a for k, a in parts.arrays.items()} if parts else {}),
        },
        strings={
            "words": hashed.words,
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
    meta, words, arrays = folder.meta, folder.strings["words"], folder.arrays
    hashed = HashedWords(words, arrays["hashes"], arrays["rows"]) if "hashes" in arrays else None
    parts = [arrays["matrix"], *([hashed.hashes, hashed.rows] if hashed else ())]
    if any(len(part) != len(words) for part in parts):
        raise StorageError(f"{folder.path} is damaged, its words and vectors do not fit: convert them again")
    vectors = WordVectors(
        words,
        arrays["matrix"],
        meta["name"],
        repairs=meta["repairs"],
        subwords=_subwords(folder, meta["subwords"]),
        hashed=hashed,
        format=meta["format"],
        check=False,
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
    if settings["kind"] in {"shared", "floret"}:
        return _spacy(folder, settings)
    raise VectorsError(f"{folder.path} has subwords of kind {settings['kind']!r}: upgrade lexicloud")


def _spacy(folder: Folder, settings: dict[str, Any]) -> Subwords:
    from lexicloud.vectors.package_tables import Floret, SharedRows

    arrays, table = folder.arrays, folder.arrays["sub_table"]
    if table.shape[1] != arrays["matrix"].shape[1] or not len(table):
        raise ValueError("shared rows of another dimension than the words")
    if settings["kind"] == "floret":
        numbers = [settings[key] for key in ("minn", "maxn", "hashes", "seed")]
        if not all(isinstance(n, int) for n in numbers) or not 0 < numbers[0] <= numbers[1] <= _LONGEST:
            raise ValueError(f"floret of {numbers}")
        if numbers[2] not in {1, 2} or not 0 <= numbers[3] < 2**32:
            raise ValueError(f"floret of {numbers}")
        return Floret(table, *numbers)
    words = HashedWords(folder.strings["sub_words"], arrays["sub_hashes"], arrays["sub_places"])
    rows = arrays["sub_shared"]
    if not len(words.words) == len(words.hashes) == len(words.rows) == len(rows):
        raise ValueError("shared rows that do not fit their words")
    if len(rows) and int(rows.max()) >= len(table):
        raise ValueError("shared rows that are not there")
    return SharedRows(table, words, rows)
