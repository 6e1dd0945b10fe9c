"""Search: what each method suggests for some queries, why, and how varied the suggestions are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import LexicloudError, OptionError
from lexicloud.progress import stage, track
from lexicloud.report.chapters.chapter import Chapter, Missing
from lexicloud.say.blocks import Block, Columns, Folded, Passage, Passages, Sentence, many, table
from lexicloud.search import METHODS, SentenceIndex
from lexicloud.search.variety import Variety, choose_queries, variety

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.search import Suggestion, Suggestions
    from lexicloud.words.reason import Reason

EXAMPLES: Final = 3  # queries shown where none are given
TOP: Final = 4  # suggestions of each method
LONGEST: Final = 40  # tokens of a suggestion: longer sentences are not read side by side
# Queries chosen for the variety table in addition to those shown: enough for a mean, few enough to take seconds.
MEASURED: Final = 12
# The paper's five methods. A ranking or BM25 would find most of the same sentences as set cover by shared words.
OURS: Final = "setcover"
COMPARED: Final = (OURS, "average", "wmd", "jaccard", "levenshtein")


@dataclass(frozen=True, eq=False)
class SearchChapter(Chapter):
    """The suggestions of each method for the same queries."""

    id = "search"
    title = "Sentences that answer each other"

    answers: dict[str, dict[str, Suggestions]]  # query → method → suggestions
    chosen: bool  # whether the queries were chosen from the texts
    variety: Variety | None
    sentences: int

    @classmethod
    def gather(cls, sentences: Corpus | Missing, queries: tuple[str, ...] = ()) -> SearchChapter:
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
        latent = bool(sentences.embedded.any())
        asked = [m for m in METHODS if latent or m not in _NEED_VECTORS]
        lists = {m: _ask(index, everything, m) for m in track(asked, "searching by each method")}
        answers = {q: {m: lists[m][i] for m in asked} for i, q in enumerate(shown)}
        compared: dict[str, list[Suggestions]] = {m: lists[m] for m in COMPARED if m in lists}
        return cls(answers, not queries, _variety(compared), len(index))

    def blocks(self) -> list[Block]:
        """Return the queries, each with what set cover suggests and then the others, and the variety table."""
        chosen = "The queries are sentences of the texts themselves. " if self.chosen else ""
        how = (
            f"{chosen}Marked words are the reason for a suggestion; below it stand the words of the query that "
            "led to them."
        )
        return [
            Sentence(self.finding, "answer"),
            Sentence(how, "how"),
            *(block for query, answers in self.answers.items() for block in _query(query, answers)),
            *_variety_table(self),
        ]

    @property
    def finding(self) -> str:
        """How many of set cover's suggestions no other method makes, and how alike they are."""
        text = f"{many(self.sentences, 'sentence')} of at most {LONGEST} tokens can be searched."
        if self.variety is None:
            return text
        unique, alike = self.variety.unique, self.variety.jaccard_content
        others = [m for m in COMPARED[1:] if m in unique][:2]
        beside = ", ".join(f"{_in_words(m)} {unique[m]:.0f} %" for m in others)
        return (
            f"{text} Over {many(self.variety.queries, 'query')}, {unique[OURS]:.0f} % of what set "
            f"cover suggests comes from no other method ({beside})"
            f"{_alike(alike[OURS], alike[others[0]], _in_words(others[0]))}."
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
    """Return the name of the text that a suggestion is from; sentences are named `text#number`."""
    return str(suggestion.id).rsplit("#", 1)[0]


_NEED_VECTORS: Final = frozenset({"average", "wmd"})


def _in_words(method: str) -> str:
    """Return the description of a method, without its name."""
    return _ABOUT[method].rpartition(": ")[2]


def _alike(ours: float, theirs: float, whose: str) -> str:
    """Return, in words, how alike suggestions are; empty where no method has two for a query."""
    if ours != ours or theirs != theirs:  # noqa: PLR0124
        return ""
    return (
        f", and two of its suggestions share {100 * ours:.0f} % of their content words "
        f"({whose} {100 * theirs:.0f} %)"
    )


def _ask(index: SentenceIndex, queries: list[str], method: str) -> list[Suggestions]:
    return index.search_many(queries, method, top=TOP, max_tokens=LONGEST)


def _variety(lists: dict[str, list[Suggestions]]) -> Variety | None:
    try:
        return variety(lists)
    except LexicloudError:
        return None  # no method found anything: the answers' own notes say why


_ABOUT = {
    "related": "related: the ranking",
    OURS: "set cover: ours, similar yet varied",
    "average": "average vectors",
    "wmd": "Word Mover’s Distance",
    "jaccard": "Jaccard: shared words",
    "levenshtein": "Levenshtein: edits",
    "bm25": "BM25: weighted shared words",
}
_REASONS = 5


def _query(query: str, answers: dict[str, Suggestions]) -> list[Block]:
    others = Columns(
        tuple(
            (Sentence(_ABOUT.get(method, method), "title"), *_suggested(found))
            for method, found in answers.items()
            if method != OURS
        )
    )
    return [
        Sentence(f"“{query}”", "title"),
        *_suggested(answers[OURS]),
        Folded("What the other methods suggest", (others,), opened=True),
    ]


def _suggested(found: Suggestions) -> list[Block]:
    shown: list[Block] = [Passages(tuple(map(_passage, found)))] if len(found) else []
    return [*shown, *(Sentence(f"{line}.") for line in found.notes)]


def _passage(suggestion: Suggestion) -> Passage:
    """Return a suggestion with only its strongest reasons marked."""
    source = source_of(suggestion)
    if suggestion.method == "levenshtein":  # its reasons are runs of letters, not words
        return Passage(suggestion.text, (), source, f"{suggestion.score:.0f} edits")
    marked = replace(suggestion, matches=suggestion.telling[:_REASONS])
    reasons = ", ".join(dict.fromkeys(map(_reason, marked.matches)))
    return Passage(suggestion.text, tuple(marked.highlights), source, reasons)


def _reason(reason: Reason) -> str:
    return reason.word if reason.near in {None, reason.word} else f"{reason.near} → {reason.word}"


def _variety_table(part: SearchChapter) -> list[Block]:
    found = part.variety
    if found is None:
        return []
    rows = [
        [_ABOUT.get(m, m), f"{found.unique[m]:.0f} %", found.jaccard[m], found.jaccard_content[m]]
        for m in found.methods
    ]
    how = (
        "The first figure is the share of a method’s suggestions that no other method makes for the same query; the "
        "others say how alike a method’s suggestions for one query are (Jaccard similarity of their words: lower is "
        "more varied), with and without stop words."
    )
    title = f"The variety of {found.top} suggestions each for {found.queries} queries"
    columns = ["method", "only this method", "alike", "alike, content words"]
    return [
        Sentence("Variety", "title"),
        Sentence(how, "how"),
        table(columns, rows, title=title),
    ]
