"""What all experiments share: the datasets, their corpora, results that are computed once, and the time left."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from inspect import getsource
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.corpus import Corpus
from lexicloud.errors import CorpusError, StorageError
from lexicloud.paper.comparison import DATASETS
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
from lexicloud.text import TokenRules, split_sentences
from lexicloud.version import __version__
from lexicloud.words.counting import bounds_of, in_batches, number_tokens, numbering
from lexicloud.words.lexicon import Lexicon

if TYPE_CHECKING:
    from lexicloud.text.tags import Tagger
    from lexicloud.vectors import WordVectors

    Values = dict[str, Any]
    from numpy.typing import NDArray

    from lexicloud.paper.data import DatasetPassages

    Split = tuple[list[list[str]], list[str], NDArray[np.int32], list[int]]

KIND: Final = "lexicloud paper result"
FORMAT: Final = 2
# The most corpora that are in memory at once.
HELD: Final = 4


@dataclass(frozen=True)
class PaperOptions:
    """Where the data is, where results go, and how much to run.

    `beside` names other vectors; the tables that depend on vectors are run with these too.
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
        """The other vectors of the run, by the name that tables show."""
        from lexicloud.vectors import load_vectors

        return {described(found): found for found in map(load_vectors, self.options.beside)}

    @property
    def largest(self) -> dict[str, WordVectors]:
        """The other vectors with the most dimensions; slow experiments use only these."""
        found = sorted(self.beside.items(), key=lambda pair: pair[1].dimension)
        return dict(found[-1:])

    @property
    def about_vectors(self) -> str:
        """The name of the run's vectors that tables show."""
        return described(self.vectors)

    @property
    def sample(self) -> str:
        """The remark in every table of a quick run; otherwise empty."""
        return "a sample (--quick), not the whole data" if self.options.quick else ""

    @cached_property
    def tagger(self) -> Tagger:
        """NLTK's tagger, as in the paper, if it is installed; else TextBlob's."""
        return "nltk" if has_tagger() else "textblob"

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """The available datasets; `missing` says why others are not."""
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
        """The notes on reading each dataset that this or an earlier run has read."""
        read = [name for name in self.datasets if (self._corpus_path(name) / MANIFEST).is_file()]
        return {name: self._noted(name) for name in read}

    def _noted(self, name: str) -> list[str]:
        def noted() -> Values:
            return {"notes": list(self.sentences(name).notes)}

        notes: list[str] = self.recall("notes", noted, datasets=(name,), dataset=name)["notes"]
        return notes

    # ---- corpora

    def sentences(self, name: str, *, lower: bool = False, vectors: WordVectors | None = None) -> Corpus:
        """Return a dataset's sentences, as they are written or in lower case.

        Vectors other than the run's are used only with `lower`.
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
        """Free the memory of all corpora; they are read again when they are needed."""
        self._corpora.clear()

    def _corpus_path(self, name: str) -> Path:
        rules = repr(paper_rules(nltk=has_punkt()))
        return self._path("corpus", {"dataset": name, "rules": rules}, (name,), (sentences_of, READERS[name]))

    def _read(self, name: str) -> Corpus:
        from lexicloud.corpus import Corpus

        path = self._corpus_path(name)
        if (path / MANIFEST).is_file():
            # A damaged corpus is written again, under its lock; another run may be doing so at this moment.
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
        """Return a saved result, or compute and save it.

        `compute` returns a dictionary of JSON values and arrays. `code` are the experiment's functions that make the
        result; it is computed again when their source changes. `vectors` are those it uses, if not the run's.
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
    """Return the name of vectors, with their dimension unless the name has it."""
    dimension = f"{vectors.dimension}d"
    return vectors.name if dimension in vectors.name else f"{vectors.name} ({dimension})"


def _opened(path: Path) -> tuple[Values, float, int] | None:
    """Return a saved result with its seconds and memory; None if it is missing or damaged."""
    if not (path / MANIFEST).is_file():
        return None
    with suppress(StorageError, KeyError, TypeError, ValueError):
        folder = open_folder(path, KIND, FORMAT, lambda _: NUMBERS)
        meta = folder.meta
        return {**meta["values"], **folder.arrays}, float(meta["seconds"]), int(meta["memory"])
    return None


# ---- time and memory


class Countdown:
    """The time left, estimated from the `expected` seconds of each experiment and the time taken so far.

    A reused result counts the seconds of its computation, so that the sum is the time of a whole run.

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
        """Note that an experiment begins and the one before it is done."""
        if self._current:
            self._finished.append(self._current)
        self._current = name

    def done(self, seconds: float, memory: int) -> None:
        """Count a result: its seconds, and the most memory, in bytes, that the run had needed by then."""
        self.memory = max(self.memory, memory)
        if self._current in self.taken:
            self.taken[self._current] += seconds

    @property
    def seconds(self) -> float:
        """The seconds of all results."""
        return sum(self.taken.values())

    @property
    def left(self) -> float:
        """The seconds left, at the pace of the finished experiments."""
        planned = sum(self.expected[name] for name in self._finished)
        pace = sum(self.taken[name] for name in self._finished) / planned if planned else 1.0
        others = [n for n in self.expected if n not in self._finished and n != self._current]
        current = self.expected.get(self._current, 0.0) * pace - self.taken.get(self._current, 0.0)
        return pace * sum(self.expected[name] for name in others) + max(0.0, current)

    @property
    def said(self) -> str:
        """The time left in words, for a progress bar; empty if no time is expected."""
        if not self._current or self._current not in self.expected:
            return ""
        minutes = round(self.left / 60)
        return f" · about {minutes} min left" if minutes else " · less than a minute left"


def peak_memory() -> int:
    """Return the peak memory of this process plus that of its largest child, in bytes."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    used = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used) * unit


# Corpora of a dataset: of its sentences, as written or in lower case, and of whole documents.


def paper_rules(*, nltk: bool) -> TokenRules:
    """Return the paper's rules: words as they are written, and with `nltk` NLTK's tokenizer and punkt."""
    if nltk:
        return TokenRules(lowercase=False, tokenizer="nltk", sentences="punkt")
    return TokenRules(lowercase=False)


def sentences_of(passages: DatasetPassages, vectors: WordVectors, rules: TokenRules) -> Corpus:
    """Return every sentence of the passages as a document, words as they are written, named document#number."""
    if passages.sentences:
        texts = [[" ".join(s) for s in document] for document in passages.sentences]
        tokens = [s for document in passages.sentences for s in document]
        surfaces, stream, sizes = _numbered(tokens)
    else:
        texts, surfaces, stream, sizes = _split_all(passages.texts, rules)
    if not len(stream):
        raise CorpusError(f"{passages.name}: there is no word in its {len(passages)} documents")
    words, numbers = _merged([rules.normalise(s) for s in surfaces], stream)
    names = [f"{n}#{j}" for n, found in zip(passages.names, texts, strict=True) for j in range(len(found))]
    parents = np.repeat(np.arange(len(texts), dtype=np.int32), [len(found) for found in texts])
    flat = tuple(s for found in texts for s in found)
    lexicon = Lexicon.build(words, vectors, rules)
    return Corpus(tuple(names), lexicon, numbers, bounds_of(sizes), rules, None, flat, parents)


def lower_cased(corpus: Corpus, vectors: WordVectors) -> Corpus:
    """Return the corpus in lower case, so that forms that differ only in case are one word."""
    rules = replace(corpus.rules, lowercase=True)
    words, stream = _merged([rules.normalise(w) for w in corpus.vocabulary], np.asarray(corpus.stream))
    return replace(corpus, lexicon=Lexicon.build(words, vectors, rules), stream=stream, rules=rules)


def documents_of(sentences: Corpus) -> Corpus:
    """Return whole documents in place of their sentences, over the same vocabulary."""
    parents = np.asarray(sentences.parents)
    first = np.flatnonzero(np.diff(parents, prepend=-1))
    names = tuple(sentences.names[i].rpartition("#")[0] for i in first)
    bounds = np.append(np.asarray(sentences.bounds)[first], sentences.bounds[-1])
    return replace(sentences, names=names, bounds=bounds, texts=None, parents=None)


def surface_of(sentences: Corpus) -> dict[str, str]:
    """Return for every word in lower case its most frequent spelling: a name keeps its capital."""
    rules = replace(sentences.rules, lowercase=True)
    found: dict[str, str] = {}
    for word in sentences.vocabulary:  # most frequent first
        found.setdefault(rules.normalise(word), word)
    return found


def _split_all(
    texts: tuple[str, ...], rules: TokenRules
) -> tuple[list[list[str]], list[str], NDArray[np.int32], list[int]]:
    ids = numbering()
    split: list[list[str]] = []
    streams: list[NDArray[np.int32]] = []
    lengths: list[int] = []
    for _, (sentences, surfaces, stream, sizes) in in_batches(partial(_split, rules=rules), texts):
        numbers = np.array([ids[s] for s in surfaces], dtype=np.int32)
        streams.append(numbers[stream] if len(numbers) else stream)
        split.extend(sentences)
        lengths.extend(sizes)
    return split, list(ids), np.concatenate(streams), lengths


def _split(texts: list[str], rules: TokenRules) -> Split:
    split = [split_sentences(text, rules) for text in texts]
    surfaces, stream, sizes = number_tokens([s for found in split for s in found], rules)
    return split, surfaces, stream, sizes


def _numbered(tokens: list[tuple[str, ...]]) -> tuple[list[str], NDArray[np.int32], list[int]]:
    ids = numbering()
    stream = np.array([ids[t] for sentence in tokens for t in sentence], dtype=np.int32)
    return list(ids), stream, [len(sentence) for sentence in tokens]


def _merged(forms: list[str], stream: NDArray[np.int32]) -> tuple[list[str], NDArray[np.int32]]:
    """Count equal forms as one word; return the words by falling frequency, then by spelling, and the new stream."""
    ids = numbering()
    merged = np.array([ids[form] for form in forms], dtype=np.int32)[stream]
    words = list(ids)
    totals = np.bincount(merged, minlength=len(words))
    order = sorted((i for i in range(len(words)) if totals[i]), key=lambda i: (-totals[i], words[i]))
    renumber = np.zeros(len(words), dtype=np.int32)
    renumber[order] = np.arange(len(order), dtype=np.int32)
    return [words[i] for i in order], renumber[merged]
