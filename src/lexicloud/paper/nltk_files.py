"""NLTK's corpora and models, from a data folder's nltk_data or from where NLTK keeps its own."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from lexicloud.paper.passages import MissingData

Sentences = list[list[str]]

_BROWN: Final = re.compile(r"c[a-r]\d\d")
_REUTERS: Final = re.compile(r"(training|test)/\d+")


@contextmanager
def nltk_data(data: str | Path) -> Iterator[None]:
    """Let NLTK, here and in worker processes, look into the data folder first."""
    import nltk

    folder = str(Path(data) / "nltk_data")
    before, paths = os.environ.get("NLTK_DATA"), list(nltk.data.path)
    os.environ["NLTK_DATA"] = os.pathsep.join(filter(None, [folder, before]))
    nltk.data.path.insert(0, folder)
    try:
        yield
    finally:
        nltk.data.path[:] = paths
        if before is None:
            del os.environ["NLTK_DATA"]
        else:
            os.environ["NLTK_DATA"] = before


def has_punkt() -> bool:
    """Tell whether NLTK's sentence splitter is installed."""
    return _found("tokenizers/punkt_tab/english")


def has_tagger() -> bool:
    """Tell whether NLTK's tagger is installed."""
    return _found("taggers/averaged_perceptron_tagger_eng")


def _found(resource: str) -> bool:
    import nltk

    try:
        nltk.data.find(resource)
    except LookupError:
        return False
    return True


def corpus_files(name: str) -> list[Path]:
    """Return the files of one of NLTK's corpora: its texts, or the archive that holds them."""
    root = _root(name)
    if hasattr(root, "zipfile"):
        return [Path(root.zipfile.filename)]
    pattern = _BROWN if name == "brown" else _REUTERS
    folder = Path(str(root))
    found = sorted(
        path for path in folder.rglob("*") if pattern.fullmatch(path.relative_to(folder).as_posix())
    )
    if not found:
        raise MissingData(f"{name}: its folder has no texts")
    return found


def brown_sentences() -> list[tuple[str, Callable[[], Sentences]]]:
    """Return Brown's texts, each with the function that reads its sentences: one a line, words with tags."""
    from nltk.corpus.reader import PlaintextCorpusReader

    reader = PlaintextCorpusReader(_root("brown"), _BROWN.pattern, encoding="ascii")
    return [(name, partial(_brown_text, reader, name)) for name in reader.fileids()]


def _brown_text(reader: Any, name: str) -> Sentences:
    lines = (line.split() for line in reader.raw(name).splitlines())
    return [[token.rsplit("/", 1)[0] for token in line] for line in lines if line]


def reuters_sentences() -> list[tuple[str, Callable[[], Sentences]]]:
    """Return Reuters' articles, each with the function that reads its sentences as NLTK does."""
    from nltk.corpus.reader import PlaintextCorpusReader

    if not has_punkt():
        raise MissingData(
            "reuters: NLTK's punkt_tab is not installed, which splits the articles into sentences"
        )
    reader = PlaintextCorpusReader(_root("reuters"), _REUTERS.pattern, encoding="ISO-8859-2")
    return [(name, partial(_reuters_text, reader, name)) for name in reader.fileids()]


def _reuters_text(reader: Any, name: str) -> Sentences:
    return [list(sentence) for sentence in reader.sents(name)]


def _root(name: str) -> Any:
    import nltk

    for resource in (f"corpora/{name}", f"corpora/{name}.zip/{name}/"):
        try:
            return nltk.data.find(resource)
        except LookupError:
            continue
    raise MissingData(
        f"{name}: it is neither in the data folder's nltk_data/corpora nor in NLTK's own folders (python -m "
        f"nltk.downloader {name})"
    )
