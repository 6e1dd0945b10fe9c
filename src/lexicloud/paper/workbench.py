"""What all experiments share: the data that is there, its corpora, and results that are computed once.

A result is kept under the checksum of everything it depends on: the experiment and its parameters, the files of
its datasets, the vectors, lexicloud's version and the source of the functions that compute it. So a run that was
stopped goes on where it was, and a changed input is never answered with an old result.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import getsource
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import StorageError
from lexicloud.paper.assemble import documents_of, lower_cased, paper_rules, sentences_of
from lexicloud.paper.nltk_files import has_punkt, has_tagger
from lexicloud.paper.passages import MissingData, dataset_files, fingerprint, read_passages
from lexicloud.paper.published import DATASETS
from lexicloud.storage import MANIFEST, open_folder, save_folder
from lexicloud.version import __version__

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.text.tagging import Tagger
    from lexicloud.vectors import WordVectors

    Values = dict[str, Any]

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
        folder = open_folder(path, KIND, FORMAT)
    except StorageError:
        rmtree(path)
        return None
    return {**folder.meta["values"], **folder.arrays}
