"""What all experiments share: the data that is there, its corpora, and results that are computed once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from inspect import getsource
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.corpus import Corpus
from lexicloud.corpus.count import bounds_of, in_batches, number_tokens, numbering
from lexicloud.corpus.lexicon import Lexicon
from lexicloud.errors import CorpusError, StorageError
from lexicloud.paper.data import MissingData, dataset_files, fingerprint, has_punkt, has_tagger, read_passages
from lexicloud.paper.published import DATASETS
from lexicloud.storage import MANIFEST, NUMBERS, open_folder, save_folder
from lexicloud.text import TokenRules, split_sentences
from lexicloud.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.paper.data import Passages
    from lexicloud.text.tags import Tagger
    from lexicloud.vectors import WordVectors

    Split = tuple[list[list[str]], list[str], NDArray[np.int32], list[int]]
    Values = dict[str, Any]


def paper_rules(*, nltk: bool) -> TokenRules:
    """Return rules as the paper's: words as they are written, NLTK's tokenizer and punkt where installed."""
    if nltk:
        return TokenRules(lowercase=False, tokenizer="nltk", sentences="punkt")
    return TokenRules(lowercase=False)


def sentences_of(passages: Passages, vectors: WordVectors, rules: TokenRules) -> Corpus:
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
    """Return the corpus with upper and lower case counted as one word."""
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
    """Return for every word in lower case the way it is written most often: a name keeps its capital."""
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
    """Count equal forms as one word; words are numbered by frequency, equals by spelling."""
    ids = numbering()
    merged = np.array([ids[form] for form in forms], dtype=np.int32)[stream]
    words = list(ids)
    totals = np.bincount(merged, minlength=len(words))
    order = sorted((i for i in range(len(words)) if totals[i]), key=lambda i: (-totals[i], words[i]))
    renumber = np.zeros(len(words), dtype=np.int32)
    renumber[order] = np.arange(len(order), dtype=np.int32)
    return [words[i] for i in order], renumber[merged]


KIND: Final = "lexicloud paper result"
FORMAT: Final = 1


@dataclass(frozen=True)
class PaperOptions:
    """Where the data is, where results go, and how much to run."""

    data: Path
    out: Path
    tables: tuple[str, ...] = ()  # all of them if empty
    vectors: str | None = None
    quick: bool = False
    seed: int = 0


class Workbench:
    """The datasets of one run and the results computed so far."""

    def __init__(self, options: PaperOptions) -> None:
        self.options = options
        self.computed: list[str] = []
        self.recalled: list[str] = []
        self.missing: dict[str, str] = {}
        self.shared: dict[str, object] = {}  # what experiments build for each other
        self._fingerprints: dict[str, str] = {}
        self._corpora: dict[tuple[str, str], Corpus] = {}

    # ---- what there is

    @cached_property
    def vectors(self) -> WordVectors:
        """The word vectors of the run."""
        from lexicloud.vectors import load_vectors

        return load_vectors(self.options.vectors)

    @property
    def about_vectors(self) -> str:
        """What stands beside every number."""
        name, dimension = self.vectors.name, f"{self.vectors.dimension}d"
        return name if dimension in name else f"{name} ({dimension})"

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

    # ---- corpora

    def sentences(self, name: str, *, lower: bool = False) -> Corpus:
        """Return a dataset's sentences, words as they are written or all in lower case."""
        key = (name, "lower" if lower else "written")
        if key not in self._corpora:
            written = self._corpora.get((name, "written")) or self._written(name)
            self._corpora[name, "written"] = written
            if lower:
                self._corpora[key] = lower_cased(written, self.vectors)
        return self._corpora[key]

    def documents(self, name: str, *, lower: bool = True) -> Corpus:
        """Return a dataset's whole documents."""
        return documents_of(self.sentences(name, lower=lower))

    def was_read(self, name: str) -> bool:
        """Tell whether an experiment has needed a dataset's corpus."""
        return (name, "written") in self._corpora

    def _written(self, name: str) -> Corpus:
        from lexicloud.corpus import Corpus

        rules = paper_rules(nltk=has_punkt())
        path = self._path("corpus", {"dataset": name, "rules": repr(rules)}, (name,), (sentences_of,))
        if (path / MANIFEST).is_file():
            try:
                kept = Corpus.open(path)
            except StorageError:
                rmtree(path)
            else:
                self.recalled.append(f"corpus {name}")
                return kept
        passages = read_passages(name, self.options.data, quick=self.options.quick)
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
        **parameters: Any,
    ) -> Values:
        """Return a result that is there already, or compute and keep it.

        `compute` returns JSON values, and arrays at the top level; `code` are the experiment's functions
        that make it.
        """
        path = self._path(name, parameters, datasets, code)
        shown = " ".join([name, *map(str, parameters.values())])
        kept = _opened(path)
        if kept is not None:
            self.recalled.append(shown)
            return kept
        values = compute()
        arrays = {key: value for key, value in values.items() if isinstance(value, np.ndarray)}
        plain = {key: value for key, value in values.items() if key not in arrays}
        save_folder(path, KIND, FORMAT, arrays=arrays, meta={"name": shown, "values": plain})
        self.computed.append(shown)
        return {**json.loads(json.dumps(plain)), **arrays}

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


def _opened(path: Path) -> Values | None:
    """Return a kept result; a damaged one is thrown away, to be computed anew."""
    if not (path / MANIFEST).is_file():
        return None
    try:
        folder = open_folder(path, KIND, FORMAT, lambda _: NUMBERS)
    except StorageError:
        rmtree(path)
        return None
    return {**folder.meta["values"], **folder.arrays}
