"""Search: what each method suggests for some queries, why, and how varied the suggestions are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import LexicloudError, OptionError
from lexicloud.progress import stage, track
from lexicloud.report.parts.part import Missing, Part
from lexicloud.report.queries import choose_queries
from lexicloud.report.wording import many
from lexicloud.search import METHODS, SentenceIndex
from lexicloud.search.variety import Variety, variety

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.search import Suggestion, Suggestions

EXAMPLES: Final = 3  # queries shown where none are given
TOP: Final = 4  # suggestions of each method
LONGEST: Final = 40  # tokens of a suggestion: longer sentences are not read side by side
# Queries behind the variety table beyond those shown: enough for a mean, few enough to take seconds.
MEASURED: Final = 12


@dataclass(frozen=True, eq=False)
class SearchPart(Part):
    """The suggestions of each method for the same queries."""

    id = "search"
    title = "Sentences that answer each other"

    answers: dict[str, dict[str, Suggestions]]  # query → method → suggestions
    chosen: bool  # whether the queries were chosen from the texts
    variety: Variety | None
    sentences: int

    @classmethod
    def gather(cls, sentences: Corpus | Missing, queries: tuple[str, ...] = ()) -> SearchPart:
        """Index the sentences and ask each method."""
        if isinstance(sentences, Missing):
            raise OptionError(sentences.reason)
        with stage("indexing sentences"):
            index = SentenceIndex.build(sentences, max_tokens=LONGEST)
        shown = queries or choose_queries(sentences, EXAMPLES)
        if not shown:
            raise OptionError(
                f"none of the {many(len(sentences), 'sentence')} makes a query by itself; ask one with "
                "--query"
            )
        extra = [q for q in choose_queries(sentences, MEASURED) if q not in shown]
        everything = [*shown, *extra]
        lists = {m: _ask(index, everything, m) for m in track(METHODS, "searching by each method")}
        answers = {q: {m: lists[m][i] for m in METHODS} for i, q in enumerate(shown)}
        return cls(answers, not queries, _variety(lists), len(index))

    @property
    def finding(self) -> str:
        """How many of set cover's suggestions no other method makes, and how alike they are."""
        text = f"{many(self.sentences, 'sentence')} of at most {LONGEST} tokens can be searched."
        if self.variety is None:
            return text
        unique, alike = self.variety.unique, self.variety.jaccard_content
        return (
            f"{text} Over {many(self.variety.queries, 'query')}, {unique['setcover']:.0f} % of what set "
            "cover suggests "
            f"comes from no other method (average vectors {unique['average']:.0f} %, Word Mover’s Distance "
            f"{unique['wmd']:.0f} %)"
            f"{_alike(alike['setcover'], alike['average'])}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "finding": self.finding,
            "sentences": self.sentences,
            "queries": [
                {"query": q, "answers": {m: s.to_dict() for m, s in found.items()}}
                for q, found in self.answers.items()
            ],
            "variety": None if self.variety is None else self.variety.to_dict(),
        }


def source_of(suggestion: Suggestion) -> str:
    """Return the name of the text that a suggestion stands in; sentences are named `text#number`."""
    return str(suggestion.id).rsplit("#", 1)[0]


def _alike(ours: float, average: float) -> str:
    """Say how alike suggestions are, where any method has two for a query."""
    if ours != ours or average != average:  # noqa: PLR0124
        return ""
    return (
        f", and two of its suggestions share {100 * ours:.0f} % of their content words "
        f"(average vectors {100 * average:.0f} %)"
    )


def _ask(index: SentenceIndex, queries: list[str], method: str) -> list[Suggestions]:
    return index.search_many(queries, method, top=TOP, max_tokens=LONGEST)


def _variety(lists: dict[str, list[Suggestions]]) -> Variety | None:
    try:
        return variety(lists)
    except LexicloudError:
        return None  # no method found anything: the answers' own notes say why
