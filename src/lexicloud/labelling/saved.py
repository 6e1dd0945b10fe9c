"""Save a labeller as a folder: the counts of its examples, and what was fitted; loading makes its models again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.errors import StorageError, VectorsError
from lexicloud.labelling.evidence import KINDS
from lexicloud.labelling.given_labels import GivenLabels, SeveralLabels
from lexicloud.labelling.labeller import Labeller
from lexicloud.labelling.smoothed_words import (
    NumberedTerms,
    Smoothing,
    TextCounts,
    UnlabelledTexts,
    WordSource,
)
from lexicloud.store.folder import Folder, check_runs, open_folder, save_folder
from lexicloud.text import TokenRules
from lexicloud.vectors import WordVectors
from lexicloud.vectors.static_embeddings import StaticEmbeddings

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KIND: Final = "labeller"
_VERSION: Final = 4
_COUNTS: Final = ("counts", "columns", "bounds")
_TABLES: Final = ("", "pair_", "label_")  # of words, of pairs of words, and of labels
_TYPES: Final = {
    **{
        f"{table}{name}": ("float64" if name == "counts" else "int64", 1)
        for table in _TABLES
        for name in _COUNTS
    },
    "weights": ("float64", 1),
    "fits": ("float64", 1),
    "mix": ("int64", 1),
    "levels": ("float64", 1),
    "thresholds": ("float64", 1),
    "row_totals": ("float64", 1),
    "row_having": ("int64", 1),
    "row_vectors": ("float32", 2),
}
_WIDEST_SPREAD: Final = 10.0  # much larger than any fitted spread


def save(labeller: Labeller, path: str | Path) -> None:
    """Write a labeller, replacing one at the same place, completely or not at all."""
    evidence, learnt, several = labeller.evidence_, labeller.source_.unlabelled, labeller.several_
    texts = evidence.texts
    tables = (texts.counts, texts.pair_counts, sparse.csr_array(evidence.targets))
    save_folder(
        path,
        _KIND,
        _VERSION,
        arrays={
            **{
                k: v
                for name, table in zip(_TABLES, tables, strict=True)
                for k, v in _runs(name, table).items()
            },
            "weights": np.asarray(evidence.joint_weights, dtype=np.float64),
            "fits": labeller.fits_.astype(np.float64),
            "mix": labeller.mix_.astype(np.int64),
            **({} if several is None else {"levels": several.levels, "thresholds": several.thresholds}),
            **({} if learnt is None else _row_arrays(learnt)),
        },
        strings={
            "words": list(evidence.known.words),
            "pairs": list(texts.pairs.words),
            "names": labeller.names_,
            **({} if learnt is None else {"row_words": learnt.words}),
        },
        meta=_meta(labeller),
    )


def _meta(labeller: Labeller) -> dict[str, Any]:
    evidence, learnt, several = labeller.evidence_, labeller.source_.unlabelled, labeller.several_
    return {
        "source": _source(labeller),
        "fingerprint": labeller.source_.vectors.fingerprint,
        "embeddings": _embeddings(labeller.embeddings),
        "smoothing": asdict(evidence.smoothing),
        "accuracy": labeller.accuracy_,
        "interval": list(labeller.accuracy_interval_),
        "refuse": labeller.refuse,
        "seed": labeller.seed,
        "rules": asdict(labeller.rules),
        "spread": evidence.spread,
        "labels": labeller.classes_.dtype.kind,
        "slope": None if several is None else several.slope,
        "rows": 0 if learnt is None else learnt.texts,
    }


def _runs(name: str, table: sparse.csr_array) -> dict[str, NDArray[Any]]:
    parts = table.data.astype(np.float64), table.indices.astype(np.int64), table.indptr.astype(np.int64)
    return {f"{name}{part}": array for part, array in zip(_COUNTS, parts, strict=True)}


def _row_arrays(learnt: UnlabelledTexts) -> dict[str, NDArray[Any]]:
    return {
        "row_totals": learnt.totals.astype(np.float64),
        "row_having": learnt.having.astype(np.int64),
        "row_vectors": learnt.vectors.astype(np.float32),
    }


def _source(labeller: Labeller) -> str:
    """Return the path or name by which the vectors can be loaded again; those made in memory have only a name."""
    given = labeller.vectors
    return str(given) if isinstance(given, str | Path) else labeller.source_.vectors.name


def _embeddings(given: StaticEmbeddings | str | Path | None) -> str | None:
    return given if given is None else given.name if isinstance(given, StaticEmbeddings) else str(given)


def load(path: str | Path, vectors: WordVectors | None) -> Labeller:
    """Open a saved labeller and make its models again from the counts, which takes about a second."""
    folder = open_folder(path, _KIND, _VERSION, _TYPES.get, whole=True)
    try:
        return _read(folder, vectors)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise StorageError(f"{path} is damaged ({error}): train the labeller again") from error


def _read(folder: Folder, vectors: WordVectors | None) -> Labeller:
    meta, arrays = folder.meta, folder.arrays
    _check(folder)
    labeller = Labeller(
        vectors if vectors is not None else meta["source"],
        refuse=meta["refuse"],
        rules=TokenRules(**meta["rules"]),
        seed=meta["seed"],
        embeddings=meta["embeddings"],
    )
    source = WordSource(
        labeller.loaded_vectors(), labeller.rules, _read_rows(folder), labeller.loaded_embeddings()
    )
    words, pairs = (folder.strings[name].to_list() for name in ("words", "pairs"))
    counts = _table(folder, "", len(words))
    texts = TextCounts(source.of(words), counts, NumberedTerms(pairs), _table(folder, "pair_", len(pairs)))
    labeller.restore(source, texts, _labels(folder, len(texts)))
    labeller.evidence_.fit(Smoothing(**meta["smoothing"]), np.array(arrays["weights"]), float(meta["spread"]))
    if labeller.source_.vectors.fingerprint != meta["fingerprint"]:
        raise VectorsError(
            f"{folder.path} was trained with other vectors than {labeller.source_.vectors.name}: give it those"
        )
    labeller.several_ = _several(folder, len(labeller.names_))
    labeller.accuracy_, labeller.fits_ = meta["accuracy"], np.array(arrays["fits"])
    low, high = meta["interval"]
    labeller.accuracy_interval_, labeller.mix_ = (float(low), float(high)), np.array(arrays["mix"])
    if len(labeller.mix_) != len(labeller.names_) + 2 or labeller.mix_.min() < 0 or not labeller.mix_[-1]:
        raise ValueError(f"its mix is {labeller.mix_}")
    return labeller


def _check(folder: Folder) -> None:
    meta, kinds = folder.meta, len(folder.arrays["weights"])
    if kinds != len(KINDS):
        raise StorageError(
            f"{folder.path} has {kinds} kinds of evidence, from an earlier lexicloud; this one has "
            f"{len(KINDS)}: train the labeller again"
        )
    if not (isinstance(meta["smoothing"]["kappa"], float) and meta["smoothing"]["power"] in range(1, 20)):
        raise TypeError(f"its smoothing is {meta['smoothing']}")
    if not 0 <= float(meta["spread"]) < _WIDEST_SPREAD:
        raise ValueError(f"its spread is {meta['spread']}")


def _table(folder: Folder, name: str, width: int) -> sparse.csr_array:
    """Return a table of counts; it is checked because compiled code uses its numbers as addresses."""
    data, columns, bounds = (np.array(folder.arrays[f"{name}{part}"]) for part in _COUNTS)
    check_runs(bounds, columns, width)
    if len(data) != len(columns) or not np.isfinite(data).all():
        raise ValueError(f"its {name}counts are not those of its {len(bounds) - 1} examples")
    return sparse.csr_array((data, columns, bounds), shape=(len(bounds) - 1, width))


def _labels(folder: Folder, texts: int) -> GivenLabels:
    names, kind = folder.strings["names"].to_list(), folder.meta["labels"]
    targets = _table(folder, "label_", len(names)).toarray()
    if len(targets) != texts or (targets.sum(axis=0) < 2).any() or (targets > 1).any():
        raise ValueError(f"its labels are not the {len(names)} that there are")
    values: list[Any] = names
    if kind in "iuf":
        values = [(float if kind == "f" else int)(name) for name in names]
    elif kind == "b":
        values = [name == "True" for name in names]
    return GivenLabels(np.array(values), targets, folder.meta["slope"] is not None)


def _several(folder: Folder, labels: int) -> SeveralLabels | None:
    if folder.meta["slope"] is None:
        return None
    levels, thresholds = (np.array(folder.arrays[name]) for name in ("levels", "thresholds"))
    if not len(levels) == len(thresholds) == labels or not (thresholds > 0).all():
        raise ValueError(f"its thresholds are not those of its {labels} labels")
    return SeveralLabels(float(folder.meta["slope"]), levels, thresholds)


def _read_rows(folder: Folder) -> UnlabelledTexts | None:
    """Return what was learnt from unlabelled texts, if there were enough."""
    texts = int(folder.meta["rows"])
    if not texts:
        return None
    words = folder.strings["row_words"].to_list()
    totals, having, vectors = (np.array(folder.arrays[f"row_{x}"]) for x in ("totals", "having", "vectors"))
    if not len(words) == len(totals) == len(having) == len(vectors):
        raise ValueError(f"its rows have {len(words)} words but {len(vectors)} vectors")
    if having.min() < 0 or having.max() > texts or not np.isfinite(vectors).all():
        raise ValueError(f"its {texts} rows cannot have these words")
    return UnlabelledTexts(words, totals, having, texts, vectors)
