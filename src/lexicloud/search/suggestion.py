"""What a search answers with: sentences, their scores, and the words behind each score."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any, Final

from lexicloud.plotting import APART, TOWARDS
from lexicloud.result import Result, TabularResult

if TYPE_CHECKING:
    import pandas as pd

# Methods whose score is a distance: the best suggestion has the lowest.
DISTANCES: Final = frozenset({"average", "wmd", "levenshtein"})


@dataclass(frozen=True, slots=True)
class Match(Result):
    """One reason: a word of the query, the word of the sentence it led to, and what that adds to the score."""

    query_word: str
    word: str
    distance: float  # between the two words' vectors; 0 for the same word
    weight: float  # the weights of a suggestion's matches add up to its score
    new: bool = True  # False where an earlier suggestion had covered the word already


@dataclass(frozen=True, slots=True)
class Suggestion(TabularResult):
    """A sentence that a search found, with the reasons for it.

    For `average`, `wmd` and `levenshtein` the score is a distance (lower is nearer), for the other methods
    higher is better.

    >>> Suggestion(7, "A cat sat.", 1.5, (Match("kitten", "cat", 0.4, 1.5),)).highlights
    [(2, 5)]
    """

    _left_out = ("row",)
    _table = "matches"

    id: int | str
    text: str
    score: float
    matches: tuple[Match, ...] = ()
    method: str = "related"
    metadata: dict[str, Any] = field(default_factory=dict)
    row: int = -1  # the sentence's number in its database
    weak: bool | None = None  # whether random queries reach as much (`related`); None where nobody knows
    title: str = ""  # of the text that the sentence was taken from
    context: tuple[str, ...] = ()  # the sentences before and after it, where they were asked for

    @property
    def highlights(self) -> list[tuple[int, int]]:
        """Where the matched words stand in the text, as (start, end), in order."""
        return [span for span, _ in self._marked()]

    def _marked(self) -> list[tuple[tuple[int, int], Match]]:
        by_word = {m.word: m for m in reversed(self.matches) if m.word}
        if not by_word:
            return []
        words = "|".join(re.escape(w) for w in sorted(by_word, key=len, reverse=True))
        plain = self.text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        found = re.finditer(rf"(?<!\w)(?:{words})(?!\w)", plain, re.IGNORECASE)
        return [(m.span(), by_word.get(m[0]) or by_word.get(m[0].lower()) or self.matches[0]) for m in found]

    def _repr_html_(self) -> str:
        parts, end = [], 0
        for (start, stop), match in self._marked():
            reason = (
                f"{match.query_word} → {match.word}, distance {match.distance:.2f}, weight {match.weight:.3g}"
            )
            colour = TOWARDS if match.new else "#888888"
            parts += [
                escape(self.text[end:start]),
                f'<b style="color:{colour}" title="{escape(reason)}">{escape(self.text[start:stop])}</b>',
            ]
            end = stop
        return "".join(parts) + escape(self.text[end:])


class Suggestions(TabularResult, list[Suggestion]):
    """A list of suggestions, best first, that remembers its query and can say why it is short or empty."""

    _derived = ("query", "method", "suggestions", "notes", "unknown")

    def __init__(
        self,
        items: Iterable[Suggestion] = (),
        *,
        query: str = "",
        method: str = "related",
        notes: Iterable[str] = (),
        unknown: Iterable[str] = (),
    ) -> None:
        super().__init__(items)
        self.query = query
        self.method = method
        self.notes = tuple(notes)
        self.unknown = tuple(
            unknown
        )  # words of the query that could not take part: no sentence has them, no vector is known

    def filled(self, fetch: Callable[[int], dict[str, Any]]) -> Suggestions:
        """Return the same suggestions, each with what is known of its row: metadata, title, context."""
        filled = [replace(s, **fetch(s.row)) for s in self]
        return Suggestions(
            filled, query=self.query, method=self.method, notes=self.notes, unknown=self.unknown
        )

    @property
    def suggestions(self) -> list[Suggestion]:
        """The suggestions as a plain list."""
        return list(self)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each suggestion: its id, text, score and metadata."""
        import pandas as pd

        return pd.DataFrame([{"id": s.id, "text": s.text, "score": s.score, **s.metadata} for s in self])

    def __repr__(self) -> str:
        found = ", ".join(repr(s.text if len(s.text) <= 60 else f"{s.text[:59]}…") for s in self[:3])
        more = f" and {len(self) - 3} more" if len(self) > 3 else ""
        return f"<Suggestions by {self.method}: {found or 'none'}{more}>"

    def _repr_html_(self) -> str:
        score = "distance" if self.method in DISTANCES else "score"
        rows = "".join(
            f"<tr><td>{i}</td><td style='text-align:left'>{s._repr_html_()}</td>"
            f"<td>{s.score:.4g}</td><td>{escape(str(s.id))}</td></tr>"
            for i, s in enumerate(self, 1)
        )
        notes = "".join(f"<p style='color:{APART}'>{escape(note)}</p>" for note in self.notes)
        return (
            f"<div><p><b>{escape(self.query)}</b> ({escape(self.method)})</p>{notes}"
            f"<table><tr><th></th><th>sentence</th><th>{score}</th><th>id</th></tr>{rows}</table></div>"
        )
