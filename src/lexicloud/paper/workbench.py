"""What all experiments share: the data, its corpora, results that are computed once, and the time that is left."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from inspect import getsource
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import StorageError
from lexicloud.paper.comparison import DATASETS
from lexicloud.paper.corpora import documents_of, lower_cased, paper_rules, sentences_of
from lexicloud.paper.data import (
    READERS,
    MissingData,
    dataset_files,
    fingerprint,
    has_punkt,
    has_tagger,
    read_passages,
)
from lexicloud.progress import stage
from lexicloud.store.folder import MANIFEST, NUMBERS, open_folder, save_folder
from lexicloud.version import __version__

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.text.tags import Tagger
    from lexicloud.vectors import WordVectors

    Values = dict[str, Any]

KIND: Final = "lexicloud paper result"
FORMAT: Final = 2
# Corpora that are held at once, written and in lower case: more would only fill the memory.
HELD: Final = 4


@dataclass(frozen=True)
class PaperOptions:
    """Where the data is, where results go, and how much to run.

    `beside` names other vectors, with which the tables that depend on vectors are run too.
    """

    data: Path
    out: Path
    tables: tuple[str, ...] = ()  # all of them if empty
    vectors: str | None = None
    quick: bool = False
    seed: int = 0
    beside: tuple[str, ...] = ()


class Workbench:
    """The datasets of one run and the results computed so far."""

    def __init__(self, options: PaperOptions) -> None:
        self.options = options
        self.computed: list[str] = []
        self.recalled: list[str] = []
        self.missing: dict[str, str] = {}
        self.shared: dict[str, object] = {}  # what experiments build for each other
        self.countdown = Countdown()
        self._fingerprints: dict[str, str] = {}
        self._corpora: dict[tuple[str, str], Corpus] = {}

    # ---- what there is

    @cached_property
    def vectors(self) -> WordVectors:
        """The word vectors of the run."""
        from lexicloud.vectors import load_vectors

        return load_vectors(self.options.vectors)

    @cached_property
    def beside(self) -> dict[str, WordVectors]:
        """The other vectors of the run, by what stands beside their numbers."""
        from lexicloud.vectors import load_vectors

        return {described(found): found for found in map(load_vectors, self.options.beside)}

    @property
    def largest(self) -> dict[str, WordVectors]:
        """Of the other vectors those with the most dimensions: what takes long is run with these alone."""
        found = sorted(self.beside.items(), key=lambda pair: pair[1].dimension)
        return dict(found[-1:])

    @property
    def about_vectors(self) -> str:
        """What stands beside every number."""
        return described(self.vectors)

    @property
    def sample(self) -> str:
        """What every table of a quick run says."""
        return "a sample (--quick), not the whole data" if self.options.quick else ""

    @cached_property
    def tagger(self) -> Tagger:
        """NLTK's tagger, as in the paper, where it is installed."""
        return "nltk" if has_tagger() else "textblob"

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """The datasets that are there; `missing` says why the others are not."""
        return tuple(name for name in DATASETS if self.has(name))

    def has(self, name: str) -> bool:
        """Tell whether a dataset is there."""
        if name in self._fingerprints:
            return True
        try:
            self._fingerprints[name] = fingerprint(dataset_files(name, self.options.data))
        except MissingData as error:
            self.missing[name] = str(error)
            return False
        return True

    @property
    def notes(self) -> dict[str, list[str]]:
        """What was said about reading each dataset that an experiment has needed, in this run or before."""
        read = [name for name in self.datasets if (self._corpus_path(name) / MANIFEST).is_file()]
        return {name: self._noted(name) for name in read}

    def _noted(self, name: str) -> list[str]:
        def noted() -> Values:
            return {"notes": list(self.sentences(name).notes)}

        notes: list[str] = self.recall("notes", noted, datasets=(name,), dataset=name)["notes"]
        return notes

    # ---- corpora

    def sentences(self, name: str, *, lower: bool = False, vectors: WordVectors | None = None) -> Corpus:
        """Return a dataset's sentences, words as they are written or all in lower case.

        Other `vectors` than the run's are for lower case alone.
        """
        chosen = vectors or self.vectors
        key = (name, f"lower {chosen.fingerprint}" if lower else "written")
        if key not in self._corpora:
            corpus = lower_cased(self.sentences(name), chosen) if lower else self._read(name)
            while len(self._corpora) >= HELD:
                del self._corpora[next(iter(self._corpora))]
            self._corpora[key] = corpus
        return self._corpora[key]

    def documents(self, name: str, *, lower: bool = True, vectors: WordVectors | None = None) -> Corpus:
        """Return a dataset's whole documents."""
        return documents_of(self.sentences(name, lower=lower, vectors=vectors))

    def let_go(self) -> None:
        """Let go of all corpora, where something else needs the memory; they are read again when asked for."""
        self._corpora.clear()

    def _corpus_path(self, name: str) -> Path:
        rules = repr(paper_rules(nltk=has_punkt()))
        return self._path("corpus", {"dataset": name, "rules": rules}, (name,), (sentences_of, READERS[name]))

    def _read(self, name: str) -> Corpus:
        from lexicloud.corpus import Corpus

        path = self._corpus_path(name)
        if (path / MANIFEST).is_file():
            # A damaged one is written over, under its lock; another run may be doing so just now.
            with suppress(StorageError):
                kept = Corpus.open(path)
                self.recalled.append(f"corpus {name}")
                return kept
        with stage(f"reading {name}{self.countdown.said}"):
            passages = read_passages(name, self.options.data, quick=self.options.quick)
            rules = paper_rules(nltk=has_punkt())
            corpus = sentences_of(passages, self.vectors, rules).noting(*passages.notes)
            corpus.save(path)
        self.computed.append(f"corpus {name}")
        return corpus

    # ---- results

    def recall(
        self,
        name: str,
        compute: Callable[[], Values],
        *,
        datasets: Sequence[str] = (),
        code: Sequence[Callable[..., Any]] = (),
        vectors: WordVectors | None = None,
        **parameters: Any,
    ) -> Values:
        """Return a result that is there already, or compute and keep it.

        `compute` returns JSON values, and arrays at the top level; `code` are the experiment's functions
        that make it. `vectors` are those that it uses, if others than the run's.
        """
        if vectors is not None and vectors is not self.vectors:
            parameters["vectors"] = vectors.fingerprint
        path = self._path(name, parameters, datasets, code)
        shown = " ".join([name, *map(str, parameters.values())])
        kept = _opened(path)
        if kept is not None:
            self.recalled.append(shown)
        else:
            with stage(f"{shown}{self.countdown.said}"):
                kept = self._compute(compute, path, shown)
            self.computed.append(shown)
        values, seconds, memory = kept
        self.countdown.done(seconds, memory)
        return values

    def _compute(self, compute: Callable[[], Values], path: Path, shown: str) -> tuple[Values, float, int]:
        start = perf_counter()
        values = compute()
        seconds, memory = round(perf_counter() - start, 2), peak_memory()
        arrays = {key: value for key, value in values.items() if isinstance(value, np.ndarray)}
        plain = {key: value for key, value in values.items() if key not in arrays}
        meta = {"name": shown, "values": plain, "seconds": seconds, "memory": memory}
        save_folder(path, KIND, FORMAT, arrays=arrays, meta=meta)
        return {**json.loads(json.dumps(plain)), **arrays}, seconds, memory

    def _path(
        self, name: str, parameters: Values, datasets: Sequence[str], code: Sequence[Callable[..., Any]]
    ) -> Path:
        depends = {
            "name": name,
            "parameters": parameters,
            "datasets": {d: self._fingerprints[d] for d in datasets if self.has(d)},
            "vectors": self.vectors.fingerprint,
            "quick": self.options.quick,
            "seed": self.options.seed,
            "version": __version__,
            "code": [getsource(function) for function in code],
        }
        digest = hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:20]
        return self.options.out / "cache" / f"{name}-{digest}"


def described(vectors: WordVectors) -> str:
    """Return the name of vectors, with their dimension where the name does not say it."""
    dimension = f"{vectors.dimension}d"
    return vectors.name if dimension in vectors.name else f"{vectors.name} ({dimension})"


def _opened(path: Path) -> tuple[Values, float, int] | None:
    """Return a kept result with its seconds and memory; a damaged one is computed anew and written over."""
    if not (path / MANIFEST).is_file():
        return None
    with suppress(StorageError, KeyError, TypeError, ValueError):
        folder = open_folder(path, KIND, FORMAT, lambda _: NUMBERS)
        meta = folder.meta
        return {**meta["values"], **folder.arrays}, float(meta["seconds"]), int(meta["memory"])
    return None


# ---- time and memory


class Countdown:
    """The time that is left, estimated from `expected` seconds of each experiment and what was taken so far.

    A result that is taken up again counts with the seconds it took when it was computed, so that the sum is what a
    whole run takes.

    >>> clock = Countdown({"first": 60, "second": 240})
    >>> clock.begin("first"); clock.done(120, 0)   # twice as long as expected
    >>> clock.begin("second"); clock.said
    ' · about 8 min left'
    """

    def __init__(self, expected: Mapping[str, float] | None = None) -> None:
        self.expected = dict(expected or {})
        self.taken = dict.fromkeys(self.expected, 0.0)
        self.memory = 0
        self._current = ""
        self._finished: list[str] = []

    def begin(self, name: str) -> None:
        """Say that an experiment begins, and the one before it is done."""
        if self._current:
            self._finished.append(self._current)
        self._current = name

    def done(self, seconds: float, memory: int) -> None:
        """Count a result: its seconds, and the bytes of memory that the run needed at most until then."""
        self.memory = max(self.memory, memory)
        if self._current in self.taken:
            self.taken[self._current] += seconds

    @property
    def seconds(self) -> float:
        """What all results took."""
        return sum(self.taken.values())

    @property
    def left(self) -> float:
        """The seconds that are left, at the pace of the experiments that are done."""
        planned = sum(self.expected[name] for name in self._finished)
        pace = sum(self.taken[name] for name in self._finished) / planned if planned else 1.0
        others = [n for n in self.expected if n not in self._finished and n != self._current]
        current = self.expected.get(self._current, 0.0) * pace - self.taken.get(self._current, 0.0)
        return pace * sum(self.expected[name] for name in others) + max(0.0, current)

    @property
    def said(self) -> str:
        """The time left in words, for the line of a progress bar; empty where nothing is expected."""
        if not self._current or self._current not in self.expected:
            return ""
        minutes = round(self.left / 60)
        return f" · about {minutes} min left" if minutes else " · less than a minute left"


def peak_memory() -> int:
    """Return the most memory, in bytes, that this process and any one of its children have needed so far."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    used = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used) * unit
