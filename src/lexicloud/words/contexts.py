"""A word in its contexts: where it occurs, and the text around it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import CorpusError, OptionError
from lexicloud.result import Result, TabularResult
from lexicloud.say.blocks import Block, Passage, Passages, Sentence, listed, many, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.words.counting import CountedTexts


@dataclass(frozen=True)
class Context(Result):
    """One place: the text's name, the character where the word begins, and the text around it."""

    name: str
    start: int
    before: str
    word: str
    after: str


@dataclass(frozen=True)
class Concordance(TabularResult):
    """The places where a word occurs: `total` counts all of them, `lines` holds some, spread evenly over the texts.

    With wildcards, `forms` has the words that were found and how often. If the word does not occur, `alike` has words
    of the texts with a similar spelling.
    """

    _table = "lines"

    word: str
    total: int
    texts: int
    lines: tuple[Context, ...]
    forms: tuple[tuple[str, int], ...] = ()
    alike: tuple[str, ...] = ()

    def blocks(self) -> list[Block]:
        """Return how often the word occurs, and where."""
        if not self.total:
            near = f" Similar spellings: {listed(self.alike)}." if self.alike else ""
            return [Sentence(f"“{self.word}” does not occur in these texts.{near}", "answer")]
        said = f"“{self.word}” occurs {many(self.total, 'time')} in {many(self.texts, 'text')}"
        shown = (
            "."
            if len(self.lines) == self.total
            else f"; {len(self.lines):,} places, spread evenly, are shown."
        )
        forms = [table(["word", "times"], self.forms, top=_FORMS)] if len(self.forms) > 1 else []
        return [Sentence(said + shown, "answer"), *forms, Passages(tuple(map(_passage, self.lines)))]


def _passage(line: Context) -> Passage:
    before = f"{line.before} " if line.before else ""
    after = line.after if line.after[:1] in _CLOSING else f" {line.after}"
    marks = ((len(before), len(before) + len(line.word)),)
    return Passage(f"{before}{line.word}{after}", marks, line.name)


_FORMS: Final = 12  # words that a wildcard found: how many are listed
_SPELT: Final = 75  # the least similarity of spelling, of 100, for a word to be suggested
_CLOSING = frozenset(" .,;:!?)]}”’»…") | {""}


def contexts(corpus: CountedTexts, word: str, *, width: int = 60, top: int = 50) -> Concordance:
    """Return where a word occurs, with `width` characters of the text on each side.

    `*` stands for any letters and `?` for one: `free*` finds freedom and freely.
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
    pattern = _pattern(word.strip())
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
    wild = set(word) & set("*?")
    return Concordance(
        word.strip(),
        len(places),
        len({i for i, _, _ in places}),
        lines,
        _forms_found(corpus.texts, places) if wild else (),
        () if places or wild else _alike(corpus, word.strip()),
    )


def _pattern(word: str) -> re.Pattern[str]:
    """Return a regular expression for a word or a phrase, with its wildcards."""
    if not word.strip("*? "):
        raise OptionError(f"{word!r} would find every word: give some letters besides * and ?")
    letters = re.escape(word).replace(r"\*", r"\w*").replace(r"\?", r"\w").replace(r"\ ", r"\s+")
    return re.compile(rf"(?<!\w){letters}(?!\w)", re.IGNORECASE)


def _forms_found(texts: Sequence[str], places: Sequence[tuple[int, int, int]]) -> tuple[tuple[str, int], ...]:
    """Count the words that a wildcard found, the commonest first."""
    return tuple(Counter(texts[i][start:end].lower() for i, start, end in places).most_common())


def _alike(corpus: CountedTexts, word: str) -> tuple[str, ...]:
    """Return words of the texts whose spelling is similar to that of a word."""
    from rapidfuzz.process import extract

    found = extract(word.lower(), list(corpus.vocabulary), limit=3, score_cutoff=_SPELT)
    return tuple(str(one) for one, _, _ in found)


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
