"""Brown's own sentence breaks as a measure for sentence splitters.

Brown is stored as tokens. Each paragraph is written out as running text, a splitter cuts it, and the cuts inside the
paragraph are compared with Brown's. Positions are counted in characters other than white space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_GLUED = re.compile(r"[.,;:?!)\]}]|'|''")


@dataclass(frozen=True)
class Scores:
    """How well predicted boundaries meet the true ones."""

    met: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """The share of predicted boundaries that are true."""
        return self.met / (self.met + self.wrong)

    @property
    def recall(self) -> float:
        """The share of true boundaries that were predicted."""
        return self.met / (self.met + self.missed)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.met / (2 * self.met + self.wrong + self.missed)


def paragraphs(nltk_data: Path, half: Literal["tune", "report"]) -> list[list[str]]:
    """Return paragraphs as lists of written-out sentences: every other file; the rules were tuned on one half."""
    from nltk.corpus.reader import CategorizedTaggedCorpusReader

    brown = CategorizedTaggedCorpusReader(
        str(nltk_data / "corpora/brown"), r"c[a-z]\d\d", cat_file="cats.txt", encoding="ascii"
    )
    files = brown.fileids()[half == "report" :: 2]
    return [[write_out(sentence) for sentence in paragraph] for paragraph in brown.paras(files)]


def write_out(words: Iterable[str]) -> str:
    """Write tokens as running text; Brown doubles the marks ; ? ! : at breaks, which are written once."""
    text, last, opened = "", "", True
    for word in words:
        if word == last and word in {";", "?", "!", ":"}:
            continue
        glued = opened or _GLUED.fullmatch(word) is not None
        text += ("" if glued else " ") + {"``": '"', "''": '"'}.get(word, word)
        last, opened = word, word in {"``", "(", "[", "{"}
    return text


def boundaries(sentences: Sequence[str]) -> set[int]:
    """Return where sentences end inside a text, counted in characters other than white space."""
    ends, position = set(), 0
    for sentence in sentences[:-1]:
        position += len("".join(sentence.split()))
        ends.add(position)
    return ends


def boundary_scores(texts: Iterable[Sequence[str]], split: Callable[[str], list[str]]) -> Scores:
    """Compare a splitter with true sentences."""
    met = wrong = missed = 0
    for sentences in texts:
        true, found = boundaries(sentences), boundaries(split(" ".join(sentences)))
        met += len(true & found)
        wrong += len(found - true)
        missed += len(true - found)
    return Scores(met, wrong, missed)
