"""Read a corpus from folders and tables, larger than memory too; save it as arrays and open them memory-mapped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.corpus.corpus import Corpus, lexicon_of
from lexicloud.errors import CorpusError, OptionError, StorageError
from lexicloud.store.bundle import PackedStrings, narrow
from lexicloud.store.folder import MANIFEST, Folder, check_place, open_folder, save_folder
from lexicloud.text import DEFAULT_RULES, Document, TokenRules, read_documents
from lexicloud.text.read import ReadReport
from lexicloud.vectors.word_vectors import Refinement
from lexicloud.words.counting import STRETCH, bounds_of, by_frequency, number_tokens, numbering
from lexicloud.words.lexicon import Lexicon, Vocabulary

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
    """Read documents (options as in `read_documents`) and count them, or open a saved corpus."""
    if is_saved(path):
        return _saved(path, vectors, rules, reading)
    documents = read_documents(path, **reading)
    return corpus_from_documents(documents, vectors=vectors, rules=rules, workers=workers)


def is_saved(path: str | Path) -> bool:
    """Return whether a path is a folder that lexicloud saved, and not texts."""
    return str(path) != "-" and (Path(path) / MANIFEST).is_file()


def _saved(
    path: str | Path, vectors: WordVectors | str | Path | None, rules: TokenRules, reading: dict[str, Any]
) -> Corpus:
    """Open a saved corpus; refuse options that differ from those it was saved with."""
    corpus = Corpus.open(path)
    wished = [name for name in ("text", "name", "label") if reading.get(name) is not None]
    if wished:
        raise OptionError(
            f"{path} is a saved corpus, so {wished[0]} cannot be chosen: give it the texts' folder"
        )
    if rules.lemmas and not corpus.rules.lemmas:
        raise OptionError(f"{path} was saved with its words as they are written: save it again with --lemmas")
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
    """Count documents that were read already, and keep their labels and the notes of reading."""
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
    return corpus.noting(*ReadReport.of(documents).summary())


KIND: Final = "lexicloud corpus"
VERSION: Final = 1
_TYPES: Final = {
    "stream": ("int32", 1),
    "bounds": ("int64", 1),
    "vectors": ("float32", 2),
    "status": ("int8", 1),
    "stopwords": ("bool", 1),
    "punctuation": ("bool", 1),
    "refinement_mean": ("float32", 1),
    "refinement_components": ("float32", 2),
    "parents": ("int32", 1),
}


def save_corpus(corpus: Corpus, path: str | Path) -> None:
    """Write a corpus to a folder, completely or not at all."""
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
    strings: dict[str, Sequence[str]] = {"words": tuple(corpus.vocabulary), "names": corpus.names}
    if corpus.vocabulary.lemmatised:
        strings["lemmas"] = corpus.vocabulary.keys
    if corpus.texts is not None:
        packed = isinstance(corpus.texts, PackedStrings)  # these may be on disk, and are written as they are
        strings["texts"] = corpus.texts if packed else tuple(corpus.texts)
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
    folder = open_folder(path, KIND, VERSION, _TYPES.get)
    try:
        corpus = _read_corpus(folder)
        problem = next(_misfits(corpus), None)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StorageError(
            f"the manifest of {path} does not fit its files ({error}): save it again"
        ) from error
    if problem:
        raise StorageError(f"{path} is damaged, its {problem}: save the corpus again")
    return corpus


def _read_corpus(folder: Folder) -> Corpus:
    arrays, meta, lemmas = folder.arrays, folder.meta, folder.strings.get("lemmas")
    lexicon = Lexicon(
        Vocabulary(folder.strings["words"].to_list(), lemmas and lemmas.to_list()),
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


def _misfits(corpus: Corpus) -> Iterator[str]:
    """Yield which arrays do not fit each other: checksums cannot tell, and compiled code would read out of bounds."""
    stream, bounds, lexicon = corpus.stream, corpus.bounds, corpus.lexicon
    words, texts = len(lexicon.vocabulary), len(corpus.names)
    if not (len(bounds) == texts + 1 and bounds[0] == 0 and bounds[-1] == len(stream) and _rises(bounds)):
        yield "bounds are not those of its texts"
    if len(stream) and not (int(stream.min()) >= 0 and int(stream.max()) < words):
        yield f"words point outside the {words:,} that there are"
    of_words = (lexicon.vectors, lexicon.status, lexicon.stopwords, lexicon.punctuation)
    if any(len(array) != words for array in of_words):
        yield f"arrays of words differ in length from the {words:,} that there are"
    of_texts = (corpus.labels, corpus.texts, corpus.parents)
    if any(array is not None and len(array) != texts for array in of_texts):
        yield f"labels, texts or parents are not as many as the {texts:,} texts"
    mean, components = lexicon.refinement.mean, lexicon.refinement.components
    if {len(mean), components.shape[1]} != {lexicon.vectors.shape[1]}:
        yield "vectors differ in their dimensions"


def _rises(bounds: NDArray[np.int64]) -> bool:
    return bool((bounds[1:] >= bounds[:-1]).all())


# A corpus larger than memory: read, counted and written batch by batch, into a folder like that of `Corpus.save`.

CHARACTERS: Final = 20_000_000  # of text in memory at once


def save_in_passes(
    documents: Iterable[Document],
    out: str | Path,
    *,
    vectors: WordVectors | str | Path | None = None,
    rules: TokenRules = DEFAULT_RULES,
    characters: int = CHARACTERS,
) -> Corpus:
    """Count documents as they come, save them to a folder and open it, with about `characters` of text in memory.

    The folder is like the one that `Corpus.from_documents(documents).save(out)` writes. A language that has to be
    detected is detected by the first batch.
    """
    out = Path(out)
    check_place(out, KIND)
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as scratch:
        passes = _Passes(Path(scratch), rules)
        for batch in batches(documents, characters):
            passes.add(batch)
        passes.save(out, vectors)
    return Corpus.open(out)


def batches(documents: Iterable[Document], characters: int) -> Iterable[list[Document]]:
    """Yield documents in batches of about `characters` characters."""
    batch, size = list[Any](), 0
    for document in documents:
        batch.append(document)
        size += len(document.text)
        if size >= characters:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Passes:
    """The words and facts of the documents read so far; texts and tokens are on disk."""

    def __init__(self, scratch: Path, rules: TokenRules) -> None:
        self.rules = rules
        self.stream, self.texts = scratch / "stream", scratch / "texts"
        self.ids = numbering()
        self.totals = np.zeros(0, np.int64)
        self.names: list[str] = []
        self.labels: list[str | None] = []
        self.lengths: list[int] = []  # in tokens
        self.sizes: list[int] = []  # in bytes
        self.notes: Counter[str] = Counter()

    def add(self, documents: Sequence[Document]) -> None:
        """Append the tokens and texts of some documents to the files."""
        texts = [document.text for document in documents]
        if not self.names:
            self.rules = self.rules.settled(texts)
        surfaces, stream, lengths = number_tokens(texts, self.rules)
        numbers = np.array([self.ids[self.rules.normalise(s)] for s in surfaces], np.int32)
        tokens = numbers[stream] if len(numbers) else stream
        self.totals = np.pad(self.totals, (0, len(self.ids) - len(self.totals)))
        self.totals += np.bincount(tokens, minlength=len(self.ids))
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        _append(self.stream, tokens.tobytes())
        _append(self.texts, b"".join(encoded))
        self.lengths += lengths
        self.sizes += map(len, encoded)
        self.names += [document.name for document in documents]
        self.labels += [document.label for document in documents]
        self.notes.update(ReadReport.of(documents).summary())

    def save(self, out: Path, vectors: WordVectors | str | Path | None) -> None:
        """Number words by their frequency and write the folder."""
        repeated = next((name for name, count in Counter(self.names).items() if count > 1), None)
        if repeated is not None:
            raise CorpusError(f"two documents are named {repeated!r}: give each a name of its own")
        if not self.totals.sum():
            raise CorpusError(f"none of the {len(self.names)} texts has a word in it")
        words, renumber = by_frequency(list(self.ids), self.totals)
        corpus = Corpus(
            tuple(self.names),
            lexicon_of(words, vectors, self.rules),
            _renumbered(self.stream, renumber),
            bounds_of(self.lengths),
            self.rules,
            tuple(self.labels) if any(label is not None for label in self.labels) else None,
            PackedStrings(_mapped(self.texts, np.uint8), narrow(bounds_of(self.sizes))),
            notes=tuple(self.notes),
        )
        save_corpus(corpus.noting(*corpus.doubts()), out)


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def _mapped(path: Path, dtype: Any) -> NDArray[Any]:
    return np.memmap(path, dtype=dtype, mode="r+") if path.stat().st_size else np.zeros(0, dtype)


def _renumbered(path: Path, renumber: NDArray[np.int32]) -> NDArray[np.int32]:
    """Replace every token in the file by its new number, `STRETCH` tokens at a time."""
    stream: NDArray[np.int32] = _mapped(path, np.int32)
    for start in range(0, len(stream), STRETCH):
        stream[start : start + STRETCH] = renumber[stream[start : start + STRETCH]]
    return stream
