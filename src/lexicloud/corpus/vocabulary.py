"""The distinct words of a corpus, each with a number."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import Any, SupportsIndex, overload

from lexicloud.errors import UnknownWord


class Vocabulary(Sequence[str]):
    """Distinct words, most frequent first; a word's position is its number everywhere in a corpus.

    >>> words = Vocabulary(["the", "whale"])
    >>> words.index("whale"), words[0], "ship" in words, len(words)
    (1, 'the', False, 2)
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = tuple(words)

    @cached_property
    def ids(self) -> dict[str, int]:
        """Word → number."""
        return {word: i for i, word in enumerate(self._words)}

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:  # noqa: ARG002
        """Return the number of a word."""
        try:
            return self.ids[value]
        except (KeyError, TypeError):
            close = get_close_matches(str(value), self._words, n=3)
            hint = f"; did you mean {', '.join(close)}?" if close else ""
            raise UnknownWord(f"the vocabulary has no word {value!r}{hint}") from None

    def __contains__(self, word: object) -> bool:
        return word in self.ids

    def __len__(self) -> int:
        return len(self._words)

    @overload
    def __getitem__(self, i: SupportsIndex) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[str, ...]: ...
    def __getitem__(self, i: SupportsIndex | slice) -> str | tuple[str, ...]:
        return self._words[i]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._words == other._words

    def __hash__(self) -> int:
        return hash(self._words)

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self):,} words: {', '.join(self._words[:5])}, …>"
