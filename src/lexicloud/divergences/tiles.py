"""The nearest documents of each, for more documents than a matrix of all pairs can hold.

Rows are measured in runs, against a block of columns at a time, and only the nearest of each row are kept: for 50 of
100,000 documents that is 5 million numbers, where all pairs would be 10¹⁰. Each run of rows is one job, done by this
process or by a worker of a cluster, and saved in a checkpoint.

Values are standardised (see `standardise`) by how far a text is from REFERENCE texts drawn once, and how far these are
from it. With no more texts than that, the values are those of `divergence_matrix(standardise=True)`.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from lexicloud.corpus import require_corpus
from lexicloud.divergences.base import Skipped, check_whole, nothing_shared, warn_about_sizes
from lexicloud.divergences.matrix import usable
from lexicloud.divergences.methods import DEFAULT, make_method
from lexicloud.divergences.standardise import ENOUGH, moments
from lexicloud.errors import CorpusError, EstimateError, StorageError
from lexicloud.progress import track
from lexicloud.result import TabularResult
from lexicloud.say.blocks import Block, Facts, Sentence, many, signed, table
from lexicloud.store.files import cannot_write, replace_bytes, replace_text

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import Fitted, Method

    Floats = NDArray[np.float64]
    Found = tuple[NDArray[np.int32], Floats]


PLAN: Final = "plan.json"


class Checkpoint:
    """A folder with the finished pieces of one run, each a file of arrays, and the run's settings in `plan.json`.

    A folder of a run with other settings is refused. A piece is written whole or not at all.
    """

    def __init__(self, path: str | Path, plan: Mapping[str, Any]) -> None:
        self.path, told = Path(path), json.loads(json.dumps(plan))
        there = self._plan()
        if there is None:
            self._begin(told)
        elif there != told:
            differs = next(key for key in {*told, *there} if told.get(key) != there.get(key))
            raise StorageError(
                f"{self.path} holds pieces of another run (its {differs} differs): name another folder, or remove it"
            )

    def _plan(self) -> Any:
        try:
            return json.loads((self.path / PLAN).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StorageError(f"{self.path / PLAN} cannot be read ({error}): remove the folder") from error

    def _begin(self, plan: Any) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            strange = next(self.path.iterdir(), None)
        except OSError as error:
            raise cannot_write(self.path, error) from error
        if strange is not None:
            raise StorageError(f"{self.path} is not empty and holds no pieces of ours: name a new folder")
        replace_text(self.path / PLAN, json.dumps(plan, indent=1))

    def get(self, name: str) -> dict[str, NDArray[Any]] | None:
        """Return the arrays of a piece; None if it is missing or damaged and has to be made."""
        import numpy as np

        try:
            with (self.path / f"{name}.npz").open("rb") as file, np.load(file, allow_pickle=False) as kept:
                return {key: kept[key] for key in kept.files}
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            return None

    def put(self, name: str, **arrays: NDArray[Any]) -> None:
        """Save a piece."""
        import numpy as np

        out = io.BytesIO()
        np.savez(out, **arrays)  # type: ignore[arg-type]
        replace_bytes(self.path / f"{name}.npz", out.getvalue(), follow=False)


CELLS: Final = 1 << 23  # values held at once by one job: 64 MiB
ROWS: Final = 1_000  # rows of one job
REFERENCE: Final = 1_000  # texts that show what is usual
SHOWN: Final = 20  # texts listed on a page


class Runner(Protocol):
    """A function that does the jobs of a run, in this process or on a cluster; `shared` goes to every worker once."""

    def __call__(
        self, work: Callable[[Any, slice], Any], shared: Any, jobs: Sequence[slice], what: str
    ) -> Iterator[tuple[slice, Any]]:
        """Yield each job with what `work(shared, job)` returned, in any order."""


def here(
    work: Callable[[Any, slice], Any], shared: Any, jobs: Sequence[slice], what: str
) -> Iterator[tuple[slice, Any]]:
    """Do all jobs in this process, one after the other."""
    for job in track(jobs, what):
        yield job, work(shared, job)


@dataclass(frozen=True, eq=False)
class NearestDocuments(TabularResult):
    """For each document its nearest others: row i of `ids` holds their places in `names`, nearest first."""

    names: tuple[str, ...]
    ids: NDArray[np.int32]
    values: Floats
    method: str
    standardised: bool
    vectors: str = ""
    skipped: tuple[Skipped, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<NearestDocuments: {self.ids.shape[1]} of each of {len(self):,}, by {self.method!r}>"

    def of(self, name: str) -> tuple[tuple[str, float], ...]:
        """Return the nearest documents of one, with their values."""
        row = self.names.index(name)
        return tuple((self.names[j], float(v)) for j, v in zip(self.ids[row], self.values[row], strict=True))

    def to_columns(self) -> dict[str, Any]:
        """Return the pairs: text, rank, nearest, value."""
        n = self.ids.shape[1]
        names = np.array(self.names, dtype=object)
        return {
            "text": np.repeat(names, n),
            "rank": np.tile(np.arange(1, n + 1), len(self)),
            "nearest": names[self.ids.ravel()],
            "value": self.values.ravel(),
        }

    def blocks(self) -> list[Block]:
        """Return what was found, and the nearest of the first texts."""
        said = f"The nearest {self.ids.shape[1]} of each of {many(len(self), 'text')}."
        rows = (
            (name, *(f"{signed(value, 2)} {other}" for other, value in self.of(name)[:3]))
            for name in self.names[:SHOWN]
        )
        shown = min(3, self.ids.shape[1])
        facts = (("method", self.method), ("values", "standardised" if self.standardised else "nats"))
        left_out = [Sentence(f"{one.name} was left out: {one.reason}.", "note") for one in self.skipped]
        head = ["text", "nearest", *[""] * (shown - 1)]
        return [Sentence(said, "answer"), *left_out, table(head, rows, top=SHOWN), Facts(facts)]


def nearest_documents(
    corpus: Corpus,
    method: str | Method = DEFAULT,
    *,
    n: int = 50,
    standardise: bool | None = None,
    skip_bad: bool = False,
    checkpoint: str | Path | None = None,
    rows: int = ROWS,
    run: Runner = here,
    **options: Any,
) -> NearestDocuments:
    """Find the n nearest documents of each, in memory that grows with the documents and not with their pairs.

    Values are D(text‖other), standardised from eight documents on (or as `standardise` says). With `checkpoint`, a
    folder, each run of `rows` is saved when it is done, and a run that was stopped continues from there.

    >>> from lexicloud.corpus import Corpus
    >>> texts = {"a": "red green blue red", "b": "red green green", "c": "one two three"}
    >>> nearest_documents(Corpus.from_texts(texts), "jensen-shannon", n=1).of("a")
    (('b', 0.144...),)
    """
    require_corpus(corpus)
    check_whole(n, "n", 1)
    check_whole(rows, "rows", 1)
    chosen = make_method(method, **options)
    fitted, corpus, skipped = _fitted(corpus, chosen, skip_bad=skip_bad)
    standardise = len(corpus) >= ENOUGH if standardise is None else standardise
    work = TileWork(fitted, corpus.counts, min(n, len(corpus) - 1))
    kept = _Kept.of(checkpoint, corpus, chosen, work.n, rows, standardise=standardise)
    if standardise:
        work = kept.usual(work, run)
    ids, values = kept.all_rows(work, run)
    _require_answers(corpus.names, values)
    return NearestDocuments(
        corpus.names, ids, values, chosen.name, standardise, corpus.lexicon.source, skipped
    )


def _fitted(corpus: Corpus, method: Method, *, skip_bad: bool) -> tuple[Fitted, Corpus, tuple[Skipped, ...]]:
    """Fit a method to the documents that it can measure."""
    fitted = method.fit(corpus)
    names, bad = usable(corpus, range(len(corpus)), method, fitted, skip_bad=skip_bad)
    if len(names) < 2:
        raise CorpusError(f"at least two documents are needed, but only {len(names)} can be measured")
    if bad:
        corpus = corpus.subset(names)
        fitted = method.fit(corpus)
    warn_about_sizes(method, fitted.tokens(corpus.counts))
    return fitted, corpus, bad


def _require_answers(names: Sequence[str], values: Floats) -> None:
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        raise EstimateError(nothing_shared(names[wrong[0, 0]], "another text"))


# ---- the jobs


@dataclass(frozen=True, eq=False)
class Usual:
    """The usual values of each text: as a row, in nats; as a column, of values standardised by rows."""

    row: tuple[Floats, Floats]  # mean and deviation
    column: tuple[Floats, Floats]

    def of(self, values: Floats, rows: slice, columns: slice) -> Floats:
        """Standardise values."""
        mean, deviation = (part[rows, None] for part in self.row)
        usual, spread = (part[None, columns] for part in self.column)
        return np.asarray(((values - mean) / deviation - usual) / spread)


@dataclass(frozen=True, eq=False)
class TileWork:
    """What every job needs: the fitted method, all counts, how many nearest are wanted, and what is usual."""

    fitted: Fitted
    counts: sparse.csr_array
    n: int
    usual: Usual | None = None
    reference: NDArray[np.int64] | None = None

    def values(self, rows: slice, columns: slice) -> Floats:
        """Return the values of a tile."""
        found = self.fitted.between(self.counts[rows], self.counts[columns])
        return found if self.usual is None else self.usual.of(found, rows, columns)


def nearest_rows(work: TileWork, rows: slice) -> Found:
    """Return the nearest documents of a run of rows, nearest first, the lower place first among equals."""
    count, size = rows.stop - rows.start, work.counts.shape[0]
    ids, values = np.zeros((count, 0), np.int32), np.zeros((count, 0))
    step = max(work.n, CELLS // max(count, 1))
    for start in range(0, size, step):
        columns = slice(start, min(size, start + step))
        tile = work.values(rows, columns)
        own = np.arange(max(rows.start, columns.start), min(rows.stop, columns.stop))
        tile[own - rows.start, own - columns.start] = np.inf  # a text is no neighbour of itself
        places = np.broadcast_to(np.arange(columns.start, columns.stop, dtype=np.int32), tile.shape)
        both = np.concatenate([ids, places], axis=1), np.concatenate([values, tile], axis=1)
        ids, values = _smallest(*both, work.n)
    return ids, values


def _smallest(ids: NDArray[np.int32], values: Floats, n: int) -> Found:
    """Return the n smallest values of each row in order, the lower id first among equals."""
    if values.shape[1] > n:
        part = np.argpartition(values, n - 1, axis=1)[:, :n]
        limit = np.take_along_axis(values, part, axis=1).max(axis=1, keepdims=True)
        # Where more values equal the last one taken, the partition may have taken the wrong ones.
        for row in np.flatnonzero((values <= limit).sum(axis=1) > n):
            part[row] = np.lexsort((ids[row], values[row]))[:n]
        ids, values = np.take_along_axis(ids, part, axis=1), np.take_along_axis(values, part, axis=1)
    order = np.lexsort((ids, values), axis=1)
    return np.take_along_axis(ids, order, axis=1), np.take_along_axis(values, order, axis=1)


def from_rows(work: TileWork, rows: slice) -> tuple[Floats, Floats]:
    """Return the mean and deviation of the values of a run of rows to the reference texts."""
    assert work.reference is not None
    values = work.fitted.between(work.counts[rows], work.counts[work.reference])
    others = work.reference[None, :] != np.arange(rows.start, rows.stop)[:, None]
    return moments(values, others)


def from_reference(work: TileWork, columns: slice) -> tuple[Floats, Floats]:
    """Return the mean and deviation of the reference texts' row-standardised values to a run of columns."""
    assert work.reference is not None
    assert work.usual is not None
    values = work.fitted.between(work.counts[work.reference], work.counts[columns])
    mean, deviation = (part[work.reference, None] for part in work.usual.row)
    others = work.reference[:, None] != np.arange(columns.start, columns.stop)[None, :]
    return moments(((values - mean) / deviation).T, others.T)


# ---- the run


@dataclass(frozen=True, eq=False)
class _Kept:
    """The jobs of a run, and what a checkpoint keeps of them."""

    jobs: list[slice]
    checkpoint: Any = None

    @classmethod
    def of(
        cls,
        path: str | Path | None,
        corpus: Corpus,
        method: Method,
        n: int,
        rows: int,
        *,
        standardise: bool,
    ) -> _Kept:
        jobs = [slice(i, min(len(corpus), i + rows)) for i in range(0, len(corpus), rows)]
        if path is None:
            return cls(jobs)

        plan = {"texts": _fingerprint(corpus), "method": method.to_dict(), "vectors": corpus.lexicon.source}
        return cls(jobs, Checkpoint(path, {**plan, "n": n, "rows": rows, "standardise": standardise}))

    def all_rows(self, work: TileWork, run: Runner) -> Found:
        """Return the nearest of all rows."""
        return self._joined("rows", nearest_rows, work, run, "finding the nearest documents")

    def usual(self, work: TileWork, run: Runner) -> TileWork:
        """Return the work with what is usual: two passes over all texts against the reference."""
        size = work.counts.shape[0]
        drawn = np.sort(np.random.default_rng(0).permutation(size)[:REFERENCE])
        work = TileWork(work.fitted, work.counts, work.n, None, drawn)
        row = self._joined("usual-rows", from_rows, work, run, "what is usual of each text")
        work = TileWork(work.fitted, work.counts, work.n, Usual(row, row), drawn)
        column = self._joined("usual-columns", from_reference, work, run, "what is usual near each text")
        return TileWork(work.fitted, work.counts, work.n, Usual(row, column), drawn)

    def _joined(
        self, name: str, job: Callable[[TileWork, slice], Any], work: TileWork, run: Runner, what: str
    ) -> tuple[Any, Any]:
        """Do the jobs that the checkpoint does not have, save them, and return all results joined in order."""
        done: dict[int, tuple[Any, Any]] = {}
        for rows in self.jobs if self.checkpoint else ():
            kept = self.checkpoint.get(f"{name}-{rows.start:09d}")
            if kept is not None and set(kept) == {"a", "b"}:
                done[rows.start] = kept["a"], kept["b"]
        left = [rows for rows in self.jobs if rows.start not in done]
        for rows, (a, b) in run(job, work, left, what) if left else ():
            done[rows.start] = a, b
            if self.checkpoint:
                self.checkpoint.put(f"{name}-{rows.start:09d}", a=a, b=b)
        first, second = zip(*(done[rows.start] for rows in self.jobs), strict=True)
        return np.concatenate(first), np.concatenate(second)


def _fingerprint(corpus: Corpus) -> str:
    hashed = blake2b(digest_size=16)
    for array in (corpus.counts.indptr, corpus.counts.indices, corpus.counts.data):
        hashed.update(np.ascontiguousarray(array).data)
    hashed.update("\0".join(corpus.names).encode("utf-8", "surrogatepass"))
    return hashed.hexdigest()
