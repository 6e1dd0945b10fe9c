"""A corpus larger than memory: read, counted and written batch by batch.

Only the distinct words and some facts about each document stay in memory. The result is a folder like that of
`Corpus.save`, which opens memory-mapped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.corpus.corpus import Corpus, lexicon_of
from lexicloud.corpus.from_files import KIND, save_corpus
from lexicloud.errors import CorpusError
from lexicloud.store.bundle import PackedStrings, narrow
from lexicloud.store.folder import check_place
from lexicloud.text import DEFAULT_RULES
from lexicloud.text.read import ReadReport
from lexicloud.words.counting import STRETCH, bounds_of, by_frequency, number_tokens, numbering

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.text import Document, TokenRules
    from lexicloud.vectors import WordVectors

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
