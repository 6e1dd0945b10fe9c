"""Read the five datasets by name, from a data folder or NLTK's folders."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from lexicloud.errors import InputError, OptionError
from lexicloud.paper.comparison import DATASETS, BookLabels, book_labels, read_labels

Sentences = list[list[str]]

_BROWN: Final = re.compile(r"c[a-r]\d\d")
_REUTERS: Final = re.compile(r"(training|test)/\d+")


@contextmanager
def nltk_data(data: str | Path) -> Iterator[None]:
    """Make NLTK, also in worker processes, look into the data folder first."""
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
    """Return the files of one of NLTK's corpora: its texts, or their archive."""
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


GATSBY: Final = "the_great_gatsby"
PASSAGES: Final = 27_933  # of RACE: train, dev and test together
# The part that --quick reads: enough for samples of 3,000 content words, and for clusters.
QUICK_CHARACTERS: Final = 50_000
QUICK_STEP: Final = {"brown": 20, "reuters": 20, "race": 50}


@dataclass(frozen=True)
class DatasetPassages:
    """A dataset: documents as texts, or as lists of tokens if the dataset has its own sentences."""

    name: str
    names: tuple[str, ...]
    texts: tuple[str, ...] = ()
    sentences: tuple[tuple[tuple[str, ...], ...], ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.names)


class MissingData(InputError):
    """A dataset is not in the data folder; the message says where it should be."""


def read_passages(name: str, data: str | Path, *, quick: bool = False) -> DatasetPassages:
    """Read a dataset by its name; `quick` takes a small part of it.

    `data` holds books/*.txt (with an optional books.csv of labels), nltk_data/ (or NLTK's own folders do) and
    RACE/{train,dev,test}/{middle,high}/*.txt. A dataset that is not there raises `MissingData`.
    """
    if name not in DATASETS:
        raise OptionError(f"no dataset {name!r}: choose from {', '.join(DATASETS)}")
    return READERS[name](Path(data), quick)


def dataset_files(name: str, data: str | Path) -> list[Path]:
    """Return the files of a dataset; raise `MissingData` if there are none."""
    data = Path(data)
    if name in {"brown", "reuters"}:
        with nltk_data(data):
            return corpus_files(name)
    if name == "race":
        return _race_files(data)
    return [_gatsby_file(data)] if name == "gatsby" else _labelled_books(data)


def fingerprint(files: Sequence[Path]) -> str:
    """Return a checksum of files: their names and contents, in their order."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def labels_of_books(data: str | Path) -> dict[str, BookLabels]:
    """Return the paper's labels of books, with additions and changes from the data folder's own books.csv."""
    table = Path(data) / "books" / "books.csv"
    own = read_labels(table.read_text(encoding="utf-8")) if table.is_file() else {}
    return {**book_labels(), **own}


def _gatsby_file(data: Path) -> Path:
    path = data / "books" / f"{GATSBY}.txt"
    if not path.is_file():
        raise MissingData(f"gatsby: there is no books/{path.name} in the data folder")
    return path


def _gatsby(data: Path, quick: bool) -> DatasetPassages:
    return DatasetPassages("gatsby", (GATSBY,), (_cut(_book(_gatsby_file(data)), quick),))


def _labelled_books(data: Path) -> list[Path]:
    labels = labels_of_books(data)
    paths = [path for path in sorted((data / "books").glob("*.txt")) if path.stem in labels]
    if not paths:
        raise MissingData("gutenberg: there are no labelled books in the data folder's books/")
    return paths


def _gutenberg(data: Path, quick: bool) -> DatasetPassages:
    paths = _labelled_books(data)
    names = tuple(path.stem for path in paths)
    absent = sorted(set(book_labels()) - set(names))
    notes = [f"{len(names)} books; {len(absent)} of the paper's 79 are not here: {', '.join(absent)}"]
    unlabelled = sorted({path.stem for path in (data / "books").glob("*.txt")} - set(names))
    if unlabelled:
        notes.append(f"left out, because books.csv has no label for them: {', '.join(unlabelled)}")
    # Underscores mark italics in these texts; the authors' code drops them too.
    texts = tuple(_cut(_book(path).replace("_", ""), quick) for path in paths)
    return DatasetPassages("gutenberg", names, texts, notes=tuple(notes))


def _book(path: Path) -> str:
    from lexicloud.text import read_documents

    return "\n\n".join(document.text for document in read_documents(path))


def _cut(text: str, quick: bool) -> str:
    return text[:QUICK_CHARACTERS] if quick else text


def _brown(data: Path, quick: bool) -> DatasetPassages:
    with nltk_data(data):
        return _own_sentences("brown", brown_sentences(), quick)


def _reuters(data: Path, quick: bool) -> DatasetPassages:
    with nltk_data(data):
        return _own_sentences("reuters", reuters_sentences(), quick)


def _own_sentences(
    name: str, found: Sequence[tuple[str, Callable[[], list[list[str]]]]], quick: bool
) -> DatasetPassages:
    chosen = found[:: QUICK_STEP[name]] if quick else found
    documents = tuple(tuple(map(tuple, read())) for _, read in chosen)
    return DatasetPassages(name, tuple(n for n, _ in chosen), sentences=documents)


def _race_files(data: Path) -> list[Path]:
    paths = race_files(data / "RACE")
    if not paths:
        raise MissingData(
            "race: there are no passages in the data folder's RACE/; the official archive unpacks to "
            "RACE/{train,dev,test}/{middle,high}/*.txt"
        )
    return paths


def _race(data: Path, quick: bool) -> DatasetPassages:
    paths = _race_files(data)
    chosen = paths[:: QUICK_STEP["race"]] if quick else paths
    names = tuple(path.relative_to(data / "RACE").with_suffix("").as_posix() for path in chosen)
    # Many articles lack the space after a full stop; the authors' code puts one after each, as here.
    texts = tuple(race_article(path).replace(".", ". ") for path in chosen)
    note = f"{len(paths):,} of the {PASSAGES:,} passages ({len(paths) / PASSAGES:.0%})"
    return DatasetPassages("race", names, texts, notes=(note,))


def race_files(folder: Path) -> list[Path]:
    """Return RACE's passages: train, dev, test; middle before high; in the order of their numbers."""
    parts = [folder / part / level for part in ("train", "dev", "test") for level in ("middle", "high")]
    return [path for part in parts for path in _numbered(part)]


def _numbered(folder: Path) -> Iterator[Path]:
    return iter(sorted(folder.glob("*.txt"), key=lambda p: (len(p.stem), p.stem)))


def race_article(path: Path) -> str:
    """Return the article of a passage, the part that the paper uses."""
    try:
        passage: Any = json.loads(path.read_text(encoding="utf-8"))
        article = passage["article"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} is no RACE passage (a JSON object with article, questions, options, answers, id): {error}"
        ) from None
    return str(article)


READERS: Final[dict[str, Callable[[Path, bool], DatasetPassages]]] = {
    "gatsby": _gatsby,
    "reuters": _reuters,
    "brown": _brown,
    "gutenberg": _gutenberg,
    "race": _race,
}
