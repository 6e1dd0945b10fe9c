"""A sentence index in shards, which workers build, keep open and search.

`FOLDER/shard-0000`, `shard-0001` … are ordinary indexes, on a disk that all workers reach; `FOLDER/whole` holds the
statistics of all sentences. `lexicloud.search.in_parts` says how shards give the answer of one index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lexicloud.cluster.workers import checked, done_by, joined_on
from lexicloud.errors import BrokenIndex, OptionError, StorageError
from lexicloud.search import SentenceIndex, in_parts
from lexicloud.search.items import from_documents
from lexicloud.search.parts import WHOLE, Statistics
from lexicloud.store.folder import MANIFEST
from lexicloud.text import DEFAULT_RULES
from lexicloud.text.language import DETECT
from lexicloud.text.streamed import LOOKED_AT, File, cut, documents_of, files_of

if TYPE_CHECKING:
    from distributed import Client

    from lexicloud.search import Suggestions

_opened: dict[
    tuple[str, str, int], SentenceIndex
] = {}  # of this worker, by folder, version of the whole and shard


class ShardedIndex:
    """Sentences in shards on a cluster, searched as one `SentenceIndex` of all of them.

    Ids must be distinct over all shards; texts of files are named by their file.
    """

    def __init__(self, client: Client, path: str | Path) -> None:
        self.client, self.path = checked(client), Path(path).absolute()
        self._read()

    def _read(self) -> None:
        self.whole = Statistics.open(self.path / WHOLE)
        self.sizes: list[int] = list((self.whole.meta or {})["sizes"])
        self.stamp = str((self.path / WHOLE / MANIFEST).stat().st_mtime_ns)

    @classmethod
    def build(
        cls,
        client: Client,
        paths: str | Path | Sequence[str | Path],
        out: str | Path,
        *,
        shards: int | None = None,
        reading: dict[str, Any] | None = None,
        **options: Any,
    ) -> ShardedIndex:
        """Let workers read files, build shards and save them below `out`; a shard that is there is not built again.

        `paths` are folders or files, local or fsspec's. By default there are four `shards` for each worker.
        `options` are those of `SentenceIndex.build`, `reading` those of `read_documents`, and `meta`.
        """
        files = files_of(*([paths] if isinstance(paths, str | Path) else paths))
        parts = cut(files, shards or 4 * max(1, len(checked(client).nthreads())))
        options = _settled(files, {"split": True, **options}, reading or {})
        _build(client, Path(out), parts, 0, options, reading or {})
        return cls(client, out)

    def add(self, paths: str | Path | Sequence[str | Path], *, shards: int = 1, **reading: Any) -> None:
        """Build further shards of more files, treated as the first ones were."""
        files = files_of(*([paths] if isinstance(paths, str | Path) else paths))
        first = SentenceIndex.open(_place(self.path, 0))
        _build(
            self.client, self.path, cut(files, shards), len(self.sizes), first.settings_as_options(), reading
        )
        self._read()

    def search(self, query: str, **arguments: Any) -> Suggestions:
        """Return the answer of `SentenceIndex.search` over all sentences, by mode related or varied."""
        firsts = [0, *accumulate(self.sizes)][:-1]
        return in_parts.search(self._each, self.whole, firsts, query, **arguments)

    def _each(self, work: Callable[[SentenceIndex, Any], Any], shared: Any) -> list[Any]:
        jobs = range(len(self.sizes))
        told = (str(self.path), self.stamp, work, shared)
        return _in_order(self.client, _at_shard, told, jobs, "searching shards")

    def __len__(self) -> int:
        return self.whole.living

    def __repr__(self) -> str:
        return f"<ShardedIndex of {len(self):,} sentences in {len(self.sizes)} shards, {self.path}>"


# ---- on the driver


def _settled(files: Sequence[File], options: dict[str, Any], reading: dict[str, Any]) -> dict[str, Any]:
    """Return the options with those settled that all shards must share, such as the language."""
    if options.get("boilerplate") is True:
        raise OptionError("boilerplate is learnt from all texts: give a Boilerplate that was fitted before")
    rules = options.get("rules") or DEFAULT_RULES
    if rules.language == DETECT:
        some = documents_of(files[:: -(-len(files) // LOOKED_AT)], **_without_meta(reading))
        rules = rules.settled([document.text for document in some])
    return {**options, "rules": rules}


def _build(
    client: Client,
    out: Path,
    parts: Sequence[list[File]],
    first: int,
    options: dict[str, Any],
    reading: dict[str, Any],
) -> None:
    out = out.absolute()
    jobs = [(first + i, files) for i, files in enumerate(parts)]
    for _ in done_by(client, _built, (str(out), options, reading), jobs, "building shards", inline=True):
        pass
    shards = range(first + len(parts))
    sizes = dict(done_by(client, _size, str(out), shards, "measuring shards", inline=True))
    whole = joined_on(client, _known, Statistics.joined, str(out), shards)
    meta = {"sizes": [sizes[i][0] for i in shards]}
    before = [0, *accumulate(sizes[i][1] for i in shards)]
    living, draws = whole.living, [(i, before[i]) for i in shards]
    whole = whole.with_directions(
        _in_order(client, _sampled, (str(out), living), draws, "sampling embeddings")
    )
    # Saved twice: workers read it to measure chance, which then completes it.
    whole.save(out / WHOLE, meta)
    bags, stamp = whole.random_bags(), str((out / WHOLE / MANIFEST).stat().st_mtime_ns)
    told = (str(out), stamp, _best_of_bags, bags)
    best = _in_order(client, _at_shard, told, shards, "measuring chance") if bags else []
    whole.with_chance(bags, best).save(out / WHOLE, meta)


def _in_order(
    client: Client, work: Callable[[Any, Any], Any], shared: Any, jobs: Any, what: str
) -> list[Any]:
    found = dict(done_by(client, work, shared, list(jobs), what, inline=True))
    return [found[job] for job in jobs]


def _place(out: str | Path, number: int) -> Path:
    return Path(out) / f"shard-{number:04d}"


def _without_meta(reading: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in reading.items() if name != "meta"}


# ---- on the workers


def _built(shared: tuple[str, dict[str, Any], dict[str, Any]], job: tuple[int, list[File]]) -> int:
    """Build a shard, unless one of the same files and options is there."""
    (out, options, reading), (number, files) = shared, job
    place, same = _place(out, number), _fingerprint(files, options, reading)
    with suppress(StorageError):
        if SentenceIndex.open(place).schema.get("part") == same:
            return number
    items = from_documents(documents_of(files, **_without_meta(reading)), reading.get("meta") or ())
    SentenceIndex.build(items, **options, schema={"part": same}, workers=1).save(place)
    return number


def _fingerprint(files: Sequence[File], options: dict[str, Any], reading: dict[str, Any]) -> str:
    sizes = [Path(file.place).stat().st_size for file in files if Path(file.place).is_file()]
    told = repr((files, sizes, sorted(options.items(), key=str), sorted(reading.items())))
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _size(out: str, number: int) -> tuple[int, int]:
    index = SentenceIndex.open(_place(out, number))
    return len(index.snapshot.whole), len(index)


def _known(out: str, number: int) -> Statistics:
    return Statistics.of(SentenceIndex.open(_place(out, number)).snapshot)


def _sampled(shared: tuple[str, int], job: tuple[int, int]) -> Any:
    from lexicloud.search.methods.hybrid import sampled

    (out, living), (number, before) = shared, job
    return sampled(SentenceIndex.open(_place(out, number)).snapshot.database, living, before)


def _best_of_bags(index: SentenceIndex, bags: Any) -> Any:
    from lexicloud.search.methods.bm25_scores import best_of_bags

    return best_of_bags(index.snapshot.database, bags)


def _at_shard(shared: tuple[str, str, Callable[[SentenceIndex, Any], Any], Any], number: int) -> Any:
    """Do some work with a shard, which this worker then keeps open."""
    out, stamp, work, told = shared
    if (out, stamp, number) not in _opened:
        for old in [key for key in _opened if key[0] == out and key[1] != stamp]:
            del _opened[old]
        _opened[out, stamp, number] = _part(out, number)
    return work(_opened[out, stamp, number], told)


def _part(out: str, number: int) -> SentenceIndex:
    whole = Statistics.open(Path(out) / WHOLE)
    sizes = (whole.meta or {})["sizes"]
    try:
        index = SentenceIndex.open(_place(out, number))
    except StorageError as error:
        raise BrokenIndex(f"shard {number} of {out} cannot be opened on a worker: {error}") from error
    return index.as_part(whole, sum(sizes[:number]))
