"""The user's own synonyms: words that stand for each other in a query.

A line of a file holds words with commas between them (`laptop, notebook`), each of which finds the others. With an
arrow (`OOM => out of memory`) what is before it finds what is behind it, and not the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError, OptionError
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Sentence, many, table
from lexicloud.text.stems import terms_by

if TYPE_CHECKING:
    from lexicloud.search.arrays import Database
    from lexicloud.text import TokenRules

MOST: Final = 10_000  # words and phrases that have synonyms
LONGEST: Final = 100  # characters of a word or a phrase
EACH: Final = 20  # synonyms of one word
# The distance of a synonym from its word: almost 0, since 0 means the word itself.
NEXT: Final = 1e-6

Synonyms = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class SynonymList(Result):
    """The synonyms of an index."""

    synonyms: dict[str, list[str]]

    def blocks(self) -> list[Block]:
        """Return each word with what it also stands for."""
        said = f"{many(len(self.synonyms), 'word')} with synonyms."
        rows = [(word, ", ".join(others)) for word, others in self.synonyms.items()]
        return [Sentence(said, "answer"), *([table(["word", "also finds"], rows)] if rows else [])]


def read_synonyms(given: Any) -> dict[str, list[str]]:
    """Return word → synonyms from a file, a mapping, or lists of words that stand for each other.

    >>> read_synonyms([["laptop", "notebook"]])
    {'laptop': ['notebook'], 'notebook': ['laptop']}
    >>> read_synonyms({"OOM": ["out of memory"]})
    {'oom': ['out of memory']}
    """
    if isinstance(given, str | Path):
        return _checked(_from_file(Path(given)))
    if isinstance(given, Mapping):
        pairs = [
            ([word], [others] if isinstance(others, str) else list(others)) for word, others in given.items()
        ]
        return _checked(pairs)
    groups = list(given) if isinstance(given, Iterable) else None
    if groups is not None and not any(isinstance(group, str) for group in groups):
        return _checked([(list(group), list(group)) for group in groups])
    raise OptionError(
        f"synonyms are a {type(given).__name__}: give a file, a dict, or a list of lists of words"
    )


def _from_file(path: Path) -> list[tuple[list[str], list[str]]]:
    from lexicloud.text.document import decode

    try:
        text, _ = decode(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        said = line.partition("#")[0].strip()
        if not said:
            continue
        left, arrow, right = said.partition("=>")
        words = [part.strip() for part in left.split(",") if part.strip()]
        others = [part.strip() for part in right.split(",") if part.strip()] if arrow else words
        if not words or not others or (not arrow and len(words) < 2):
            raise InputError(
                f"line {number:,} of {path} has no synonyms: write words with commas between them, or a => b"
            )
        found.append((words, others))
    return found


def _checked(pairs: Iterable[tuple[list[Any], list[Any]]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for words, others in pairs:
        for word in (*words, *others):
            if not isinstance(word, str) or not word.strip() or len(word) > LONGEST:
                raise OptionError(
                    f"{str(word)[:50]!r} can be no synonym: give words of up to {LONGEST} letters"
                )
        for word in words:
            own = found.setdefault(_plain(word), [])
            more = dict.fromkeys(map(_plain, others))
            own += [other for other in more if other not in {*own, _plain(word)}]
            if len(own) > EACH:
                raise OptionError(f"{word!r} has {len(own)} synonyms, more than {EACH}: leave some out")
    if len(found) > MOST:
        raise OptionError(f"there are synonyms of {len(found):,} words, more than {MOST:,}: leave some out")
    return found


def _plain(word: str) -> str:
    return " ".join(word.lower().split())


def meant_by(text: str, synonyms: Synonyms, rules: TokenRules) -> dict[str, list[str]]:
    """Return the words and phrases of a query that have synonyms, each with its synonyms; any form of a word counts."""
    if not synonyms:
        return {}
    terms = terms_by(rules)
    own = terms.of(text)
    found = {}
    for word, others in synonyms.items():
        wanted = terms.of(word)
        if wanted and any(own[i : i + len(wanted)] == wanted for i in range(len(own))):
            found[word] = list(others)
    return found


def synonym_terms(
    database: Database, meant: Mapping[str, Sequence[str]], there: Mapping[int, int], rarity: Any
) -> dict[int, tuple[float, str, float]]:
    """Return the terms of synonyms that are not in the query: term → (weight, word of the query, distance).

    A synonym of several words weighs as much as one word: its terms share the weight.
    """
    terms, found = terms_by(database.rules), dict[int, tuple[float, str, float]]()
    for word, others in meant.items():
        for other in others:
            names = terms.of(other)
            numbers = [n for name in names if (n := database.term_ids.get(name, -1)) >= 0 and n not in there]
            for number in numbers:
                worth = float(rarity(database, number)) / len(names)
                if worth > found.get(number, (0.0,))[0]:
                    found[number] = (worth, word, NEXT)
    return found
