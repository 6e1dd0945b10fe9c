"""Documents on a cluster: counted file by file, compared in tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.cluster.workers import connected, joined_on, run_on
from lexicloud.corpus import Corpus
from lexicloud.corpus.corpus import lexicon_of
from lexicloud.divergences.matrix import divergence_matrix as matrix_of
from lexicloud.divergences.tiles import ROWS, TileWork
from lexicloud.divergences.tiles import nearest_documents as nearest_of
from lexicloud.text import DEFAULT_RULES
from lexicloud.text.language import DETECT
from lexicloud.text.read import ReadReport
from lexicloud.text.streamed import LOOKED_AT, File, cut, documents_of, files_of
from lexicloud.words.counting import bounds_of, by_frequency, count_tokens, numbering, totals_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lexicloud.cluster.workers import Where
    from lexicloud.divergences import DivergenceMatrix, NearestDocuments
    from lexicloud.divergences.base import Fitted, Method
    from lexicloud.text import Document, TokenRules
    from lexicloud.vectors import WordVectors

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CountedFiles:
    """The documents of some files, with their tokens as numbers of their own words."""

    documents: list[Document]
    words: list[str]
    stream: NDArray[np.int32]
    lengths: list[int]

    @classmethod
    def of(cls, shared: tuple[TokenRules, dict[str, Any]], files: Sequence[File]) -> CountedFiles:
        """Read and count files."""
        rules, reading = shared
        documents = documents_of(files, **reading)
        if not documents:
            return cls([], [], np.zeros(0, np.int32), [])
        words, stream, bounds = count_tokens([document.text for document in documents], rules, 1)
        return cls(documents, words, stream, np.diff(bounds).tolist())

    @classmethod
    def joined(cls, parts: Sequence[CountedFiles]) -> CountedFiles:
        """Join parts one after the other, with words numbered over all."""
        ids = numbering()
        streams = [
            np.array([ids[word] for word in part.words], np.int32)[part.stream]
            for part in parts
            if part.words
        ]
        documents = [document for part in parts for document in part.documents]
        lengths = [length for part in parts for length in part.lengths]
        return cls(documents, list(ids), np.concatenate([np.zeros(0, np.int32), *streams]), lengths)


def from_folder(
    client: Where,
    path: str | Path | Sequence[str | Path],
    *,
    vectors: WordVectors | str | Path | None = None,
    rules: TokenRules = DEFAULT_RULES,
    parts: int | None = None,
    **reading: Any,
) -> Corpus:
    """Read and count files on a cluster; `path` names folders or files, local or fsspec's (`s3://…`).

    The corpus is that of `Corpus.from_folder`. By default files are divided into eight `parts` for each worker.
    """
    files = files_of(*([path] if isinstance(path, str | Path) else path))
    with connected(client) as lent:
        if rules.language == DETECT:
            some = documents_of(files[:: -(-len(files) // LOOKED_AT)], **reading)
            rules = rules.settled([document.text for document in some])
        jobs = cut(files, parts or 8 * max(1, len(lent.nthreads())))
        return _corpus(
            joined_on(lent, CountedFiles.of, CountedFiles.joined, (rules, reading), jobs), vectors, rules
        )


def _corpus(found: CountedFiles, vectors: WordVectors | str | Path | None, rules: TokenRules) -> Corpus:
    names = [document.name for document in found.documents]
    if len(set(names)) < len(names) or not len(found.stream):
        # It raises and says what is wrong.
        return Corpus.from_documents(found.documents, vectors=vectors, rules=rules)
    words, renumber = by_frequency(found.words, totals_of(found.stream, len(found.words)))
    labels = tuple(document.label for document in found.documents)
    corpus = Corpus(
        tuple(names),
        lexicon_of(words, vectors, rules),
        renumber[found.stream],
        bounds_of(found.lengths),
        rules,
        labels if any(label is not None for label in labels) else None,
        tuple(document.text for document in found.documents),
    )
    return corpus.noting(*corpus.doubts(), *ReadReport.of(found.documents).summary())


def divergence_matrix(
    client: Where, corpus: Corpus, method: str | Method = "smoothed", *, rows: int = ROWS, **options: Any
) -> DivergenceMatrix:
    """Measure all pairs on a cluster, `rows` rows to a job; options are those of `lexicloud.divergence_matrix`.

    `client` is a `distributed.Client`, the address of a scheduler, or "local".
    """
    with connected(client) as lent:

        def between(fitted: Fitted, counts: sparse.csr_array) -> Floats:
            size = counts.shape[0]
            out = np.empty((size, size))
            jobs = [slice(i, min(size, i + rows)) for i in range(0, size, rows)]
            for job, found in run_on(lent)(_rows, TileWork(fitted, counts, 0), jobs, "measuring all pairs"):
                out[job] = found
            return out

        return matrix_of(corpus, method, between=between, **options)


def _rows(work: TileWork, rows: slice) -> Floats:
    return work.values(rows, slice(0, work.counts.shape[0]))


def nearest_documents(
    client: Where, corpus: Corpus, method: str | Method = "smoothed", **options: Any
) -> NearestDocuments:
    """Find the nearest documents of each on a cluster; options are those of `lexicloud.divergences.nearest_documents`.

    This process writes the checkpoints, so that workers need no common disk.
    """
    with connected(client) as lent:
        return nearest_of(corpus, method, run=run_on(lent), **options)
