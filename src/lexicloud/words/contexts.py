"""A word in its contexts: where it occurs, and what stands around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lexicloud.errors import CorpusError, OptionError
from lexicloud.result import Result, TabularResult
from lexicloud.say.blocks import Block, Passage, Passages, Sentence
from lexicloud.say.phrases import many

if TYPE_CHECKING:
    from lexicloud.words.counting import CountedTexts


@dataclass(frozen=True)
class Context(Result):
    """One place: the text's name, the character where the word begins, and what stands around it."""

    name: str
    start: int
    before: str
    word: str
    after: str


@dataclass(frozen=True)
class Concordance(TabularResult):
    """The places of a word; `total` counts all of them, `lines` are spread evenly over the texts."""

    _table = "lines"

    word: str
    total: int
    texts: int
    lines: tuple[Context, ...]

    def blocks(self) -> list[Block]:
        """Return how often the word occurs, and where."""
        if not self.total:
            return [Sentence(f"“{self.word}” does not occur in these texts.", "answer")]
        said = f"“{self.word}” occurs {many(self.total, 'time')} in {many(self.texts, 'text')}"
        shown = (
            "."
            if len(self.lines) == self.total
            else f"; {len(self.lines):,} places, spread evenly, are shown."
        )
        return [Sentence(said + shown, "answer"), Passages(tuple(map(_passage, self.lines)))]


def _passage(line: Context) -> Passage:
    before = f"{line.before} " if line.before else ""
    after = line.after if line.after[:1] in _CLOSING else f" {line.after}"
    marks = ((len(before), len(before) + len(line.word)),)
    return Passage(f"{before}{line.word}{after}", marks, line.name)


_CLOSING = frozenset(" .,;:!?)]}”’»…") | {""}


def contexts(corpus: CountedTexts, word: str, *, width: int = 60, top: int = 50) -> Concordance:
    """Return where a word occurs, `width` characters on each side, in the texts' own letters.

    Of more than `top` places every n-th is shown, so that they come from all texts.

    >>> from lexicloud.corpus import Corpus
    >>> found = contexts(Corpus.from_texts({"a": "The sea rose. Sea birds cried."}), "sea", width=9)
    >>> [(line.before, line.word, line.after) for line in found.lines]
    [('The', 'sea', 'rose.'), ('rose.', 'Sea', 'birds')]
    """
    if corpus.texts is None:
        raise CorpusError(
            "this corpus holds a sample, whose words have lost their order: look before sampling"
        )
    if not word.strip():
        raise OptionError("the word is empty: give a word to look for")
    pattern = re.compile(rf"(?<!\w){re.escape(word.strip())}(?!\w)", re.IGNORECASE)
    places = [
        (i, found.start(), found.end())
        for i, text in enumerate(corpus.texts)
        for found in pattern.finditer(text)
    ]
    chosen = (
        np.unique(np.linspace(0, len(places) - 1, min(top, len(places))).round().astype(int))
        if places
        else ()
    )
    lines = tuple(_context(corpus, places[i], width) for i in chosen)
    return Concordance(word.strip(), len(places), len({i for i, _, _ in places}), lines)


def _context(corpus: CountedTexts, place: tuple[int, int, int], width: int) -> Context:
    row, start, end = place
    assert corpus.texts is not None
    text = corpus.texts[row]
    before = text[max(0, start - width - 1) : start]
    after = text[end : end + width + 1]
    if start > width + 1:  # begin and end with a whole word
        before = before.partition(" ")[2]
    if end + width + 1 < len(text):
        after = after.rpartition(" ")[0]
    return Context(
        corpus.names[row], start, " ".join(before.split()), text[start:end], " ".join(after.split())
    )
