"""A corpus from files and on disk: read from folders and tables, saved as arrays that open memory-mapped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.corpus.corpus import Corpus
from lexicloud.errors import CorpusError, OptionError
from lexicloud.storage import MANIFEST, open_folder, save_folder
from lexicloud.text import DEFAULT_RULES, Document, TokenRules, read_documents
from lexicloud.vectors.refine import Refinement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.vectors import WordVectors


def corpus_from_path(
    path: str | Path,
    *,
    vectors: WordVectors | str | Path | None = None,
    rules: TokenRules = DEFAULT_RULES,
    workers: int | None = None,
    **reading: Any,
) -> Corpus:
    """Read documents (options as in `read_documents`) and count them; a saved corpus is opened as it is."""
    if is_saved(path):
        return _saved(path, vectors, reading)
    documents = read_documents(path, **reading)
    return corpus_from_documents(documents, vectors=vectors, rules=rules, workers=workers)


def is_saved(path: str | Path) -> bool:
    """Tell a saved corpus (or another saved thing) from texts."""
    return str(path) != "-" and (Path(path) / MANIFEST).is_file()


def _saved(path: str | Path, vectors: WordVectors | str | Path | None, reading: dict[str, Any]) -> Corpus:
    """Open a saved corpus, unless something is asked of it that was settled when it was saved."""
    corpus = Corpus.open(path)
    wished = [name for name in ("text", "name", "label") if reading.get(name) is not None]
    if wished:
        raise OptionError(
            f"{path} is a saved corpus, so {wished[0]} cannot be chosen: give it the texts' folder"
        )
    same = {corpus.lexicon.source, corpus.lexicon.fingerprint}
    if vectors is not None and not same & {str(vectors), getattr(vectors, "fingerprint", None)}:
        raise OptionError(
            f"{path} was saved with the vectors {corpus.lexicon.source}: leave vectors out, or read the texts again"
        )
    return corpus


def corpus_from_documents(
    documents: Sequence[Document],
    *,
    vectors: WordVectors | str | Path | None = None,
    rules: TokenRules = DEFAULT_RULES,
    workers: int | None = None,
) -> Corpus:
    """Count documents that were read already, keeping their labels and what reading noted about them."""
    repeated = [name for name, count in Counter(d.name for d in documents).items() if count > 1]
    if repeated:
        raise CorpusError(f"two documents are named {repeated[0]!r}: give each a name of its own")
    labels = [d.label for d in documents]
    corpus = Corpus.from_texts(
        {d.name: d.text for d in documents},
        labels=labels if any(label is not None for label in labels) else None,
        vectors=vectors,
        rules=rules,
        workers=workers,
    )
    notes = tuple(dict.fromkeys(note for d in documents for note in d.notes))
    return corpus.noting(*notes)


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
    from lexicloud.corpus.corpus import Corpus
    from lexicloud.corpus.lexicon import Lexicon, Vocabulary

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
