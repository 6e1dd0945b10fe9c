"""Labelling on texts that no choice was made on: half of Brown, half of Reuters, unbroken passages of the books.

    python -m benchmarks.attribution_held_out

Needs ../shared/data (NLTK's Brown and Reuters, the 70 books); says so and does nothing where it is absent. Halves are
split by a checksum of the file's name: the other half of each was looked at while the defaults were chosen.
"""

from __future__ import annotations

import csv
import random
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.record import write
from lexicloud.corpus import Corpus
from lexicloud.divergences import leave_one_out

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
RULES = ("category-mean", "nearest")
METHODS: dict[str, dict[str, Any]] = {
    "combined": {},
    "smoothed, standardised": {"method": "smoothed"},
    "categorical, standardised": {"method": "categorical"},
    "categorical": {"method": "categorical", "standardise": False},
    "delta, standardised": {"method": "delta"},
    "delta": {"method": "delta", "standardise": False},
}


def held_out(name: str) -> bool:
    return zlib.crc32(name.encode()) % 2 == 1


def brown() -> Corpus:
    """Return the held-out half of Brown, labelled by genre."""
    folder = DATA / "nltk_data" / "corpora" / "brown"
    genres = dict(line.split() for line in (folder / "cats.txt").read_text().splitlines() if line.strip())
    texts = {
        name: " ".join(token.rsplit("/", 1)[0] for token in (folder / name).read_text().split())
        for name in genres
        if held_out(name)
    }
    return Corpus.from_texts(texts, labels=[genres[name] for name in texts])


def reuters(topics: int = 15, most: int = 40) -> Corpus:
    """Return the held-out half of up to `most` longer stories of each of the commonest topics."""
    folder = DATA / "nltk_data" / "corpora" / "reuters"
    stories = defaultdict(list)
    for line in (folder / "cats.txt").read_text().splitlines():
        name, *labels = line.split()
        if len(labels) == 1:
            stories[labels[0]].append(name)
    texts, topics_of, rng = {}, [], random.Random(0)
    for topic, names in sorted(stories.items(), key=lambda item: -len(item[1]))[:topics]:
        read = {name: (folder / name).read_text(errors="replace") for name in sorted(names)}
        long = [name for name, text in read.items() if len(text.split()) >= 120]
        rng.shuffle(long)
        for name in filter(held_out, long[:most]):
            texts[name] = read[name]
            topics_of.append(topic)
    return Corpus.from_texts(texts, labels=topics_of)


def passages(words: int, seed: int) -> Corpus:
    """Return one unbroken passage of each book by an author with several books."""
    rng, texts, authors = random.Random(seed), {}, []
    for book in csv.DictReader((DATA / "books" / "books.csv").open(encoding="utf-8")):
        text = (DATA / "books" / f"{book['slug']}.txt").read_text(encoding="utf-8").split()
        if book["author_category"] in {"unique", "hemingway"} or len(text) < 1.3 * words:
            continue
        first, last = int(0.1 * len(text)), int(0.95 * len(text)) - words
        start = rng.randrange(first, max(first + 1, last))
        texts[book["slug"]] = " ".join(text[start : start + words])
        authors.append(book["author_category"])
    return Corpus.from_texts(texts, labels=authors)


def tasks() -> Iterator[tuple[str, list[Corpus]]]:
    half = brown()
    for words, seeds in ((300, (100, 101)), (1000, (100, 101)), (2000, (100,))):
        yield f"Brown, genre, {words:,} words", [half.sample(words, seed, running=True) for seed in seeds]
    stories = reuters()
    yield "Reuters, topic, 100 words", [stories.sample(100, 100, running=True)]
    yield "Reuters, topic, whole texts", [stories]
    for words in (600, 2000, 6000):
        yield f"Books, author, {words:,} unbroken words", [passages(words, seed) for seed in range(100, 104)]


def run() -> dict[str, Any]:
    results: dict[str, Any] = {}
    for task, corpora in tasks():
        results[task] = {"texts": len(corpora[-1])}
        for name, options in METHODS.items():
            shares = [[leave_one_out(c, rule=rule, **options).accuracy for rule in RULES] for c in corpora]
            means = 100 * np.mean(shares, axis=0)
            results[task][name] = dict(zip(RULES, means.round(1).tolist(), strict=True))
        print(task, results[task], flush=True)
    return results


if __name__ == "__main__":
    if not DATA.is_dir():
        sys.exit("../shared/data is not here: this benchmark needs Brown, Reuters and the books")
    write("attribution_held_out", run())
