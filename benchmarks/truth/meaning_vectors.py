"""The labeller with other vectors: none, built in, of the catalogue, of other packages, trained, refined by WordNet.

LEXICLOUD_MORE_VECTORS names more tables as NAME=PATH, divided by commas: files or folders that `load_vectors` opens, or
the folder `vocab` of a spaCy pipeline, of which only the data files are read. LEXICLOUD_WORDNET names WordNet's folder
`dict`. "own" vectors are trained on the collection's own files, labels unseen; "joined" ones start from the built-in.
Collections are those that we looked at: tables are compared here, so that the others stay unseen.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import record
from benchmarks.short_texts import Source, collections, draw, usable
from benchmarks.truth.meaning import TESTS, no_vectors, vectors
from lexicloud.errors import StorageError, VectorsError
from lexicloud.labelling import Labeller
from lexicloud.vectors import WordVectors, load_vectors
from lexicloud.vectors.cooccurrence import TrainOptions, train

CELLS = [(3, 25), (8, 50)]
DRAWS = 3
NAMES = ["glove-6b-50d", "glove-100d", "glove-840b-300d-34k"]
_WORDS = 100_000  # of the built-in table, when WordNet refines it
_MASK = (1 << 64) - 1


def tables() -> dict[str, WordVectors]:
    """Return the tables that are the same for every collection."""
    found = {"none": no_vectors()}
    for name in NAMES:
        try:
            found[name] = vectors(name)
        except (VectorsError, StorageError) as error:  # not fetched, or by an older lexicloud
            print(error)
    for pair in filter(None, os.environ.get("LEXICLOUD_MORE_VECTORS", "").split(",")):
        name, _, path = pair.partition("=")
        spacy = (Path(path) / "key2row").is_file()
        found[name] = spacy_vectors(Path(path), name) if spacy else load_vectors(path)
    if os.environ.get("LEXICLOUD_WORDNET"):
        synonyms, definitions = wordnet(Path(os.environ["LEXICLOUD_WORDNET"]))
        found["50d, synonyms drawn together"] = drawn_together(synonyms)
        found["50d, with definitions"] = with_definitions(definitions)
    return found


def own_vectors(sources: Sequence[Source]) -> dict[str, WordVectors]:
    """Return vectors trained on a collection's files."""
    files = [[token.lower() for token in source.tokens] for source in sources]
    options = TrainOptions()
    return {
        "own": train(files, options),
        "joined": train(files, options, vectors("glove-6b-50d")),
    }


def spacy_vectors(folder: Path, name: str) -> WordVectors:
    """Read a spaCy table: a matrix, the row of each word's hash, and the words; many words share a row.

    Its words come in no order. Here they are put in that of the built-in vectors, since a word's place tells how usual
    it is.
    """
    import msgpack

    matrix = np.load(folder / "vectors", allow_pickle=False)
    rows = msgpack.unpackb((folder / "key2row").read_bytes(), strict_map_key=False)
    words = json.loads((folder / "strings.json").read_text(encoding="utf-8"))
    lower = {
        word: row for word in words if word == word.lower() and (row := rows.get(murmur(word))) is not None
    }
    places = vectors("glove-6b-50d").rows.find_many(list(lower))
    order = np.argsort(np.where(places < 0, len(vectors("glove-6b-50d")), places), kind="stable")
    rows_of, names = np.array(list(lower.values())), list(lower)
    return WordVectors([names[i] for i in order], matrix[rows_of[order]], name)


def murmur(word: str) -> int:
    """MurmurHash64A with seed 1, by which spaCy names strings."""
    data, m = word.encode("utf-8"), 0xC6A4A7935BD1E995
    h = (1 ^ (len(data) * m)) & _MASK
    whole = len(data) - len(data) % 8
    for start in range(0, whole, 8):
        k = int.from_bytes(data[start : start + 8], "little") * m & _MASK
        h = ((h ^ ((k ^ (k >> 47)) * m & _MASK)) * m) & _MASK
    if data[whole:]:
        h = ((h ^ int.from_bytes(data[whole:], "little")) * m) & _MASK
    h = ((h ^ (h >> 47)) * m) & _MASK
    return h ^ (h >> 47)


def wordnet(folder: Path) -> tuple[list[list[str]], dict[str, str]]:
    """Return the sets of synonyms, and the first definition of each word."""
    synonyms: list[list[str]] = []
    definitions: dict[str, str] = {}
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith(" "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            words = [fields[4 + 2 * i].partition("(")[0].lower() for i in range(int(fields[3], 16))]
            synonyms.append([word for word in words if "_" not in word])
            for word in words:
                definitions.setdefault(word, gloss.partition(";")[0])
    return synonyms, definitions


def drawn_together(synonyms: list[list[str]]) -> WordVectors:
    """Retrofitting (Faruqui and others, 2015): each vector halfway between itself and the mean of its synonyms."""
    base = vectors("glove-6b-50d")
    words, matrix = base.words[:_WORDS], np.asarray(base.matrix[:_WORDS], dtype=np.float32)
    near = neighbours_of(words, ((a, b) for group in synonyms for a in group for b in group if a != b))
    new, has = matrix.copy(), np.asarray(near.sum(axis=1)).ravel() > 0
    for _ in range(10):
        new[has] = 0.5 * matrix[has] + 0.5 * np.asarray(near @ new)[has]
    return WordVectors(list(words), new, "synonyms")


def with_definitions(definitions: dict[str, str]) -> WordVectors:
    """Each vector two thirds its own and one third the mean of its definition's content words."""
    from lexicloud.text import stopwords, tokenize

    base, stop = vectors("glove-6b-50d"), stopwords()
    words, matrix = base.words[:_WORDS], np.asarray(base.matrix[:_WORDS], dtype=np.float32)
    known = set(words)
    pairs = (
        (word, other)
        for word, gloss in definitions.items()
        if word in known
        for other in tokenize(gloss)
        if other not in stop
    )
    near = neighbours_of(words, pairs)
    has = np.asarray(near.sum(axis=1)).ravel() > 0
    new = matrix.copy()
    new[has] = (2 * matrix[has] + np.asarray(near @ matrix)[has]) / 3
    return WordVectors(list(words), new, "definitions")


def neighbours_of(words: Sequence[str], pairs: Iterator[tuple[str, str]]) -> sparse.csr_array:
    """Return a matrix that takes the mean over each word's partners."""
    place = {word: i for i, word in enumerate(words)}
    places = [(place[a], place[b]) for a, b in pairs if a in place and b in place]
    rows, columns = np.array(places).T
    near = sparse.csr_array((np.ones(len(rows), dtype=np.float32), (rows, columns)), shape=(len(words),) * 2)
    count = np.maximum(np.asarray(near.sum(axis=1)).ravel(), 1)
    return sparse.csr_array(sparse.diags_array(1 / count) @ near)


def main() -> None:
    results: list[dict[str, Any]] = []
    shared = tables()
    for collection, sources in collections().items():
        here = shared | own_vectors(sources)
        for n, words in CELLS:
            right: dict[str, list[float]] = {}
            for seed in range(DRAWS):
                given = draw(sources, usable(sources, n, words), n, words, TESTS, seed)
                for name, table in here.items():
                    guess = Labeller(table).fit(given.texts, given.labels).predict(given.new)
                    share = 100 * float(np.mean(guess == np.array(given.truth)))
                    right.setdefault(name, []).append(round(share, 2))
            means = {name: round(float(np.mean(v)), 1) for name, v in right.items()}
            print(collection, n, words, means, flush=True)
            results.append({"collection": collection, "examples": n, "words": words, "right": right})
            record.write("meaning_vectors", {"cells": results})


if __name__ == "__main__":
    main()
