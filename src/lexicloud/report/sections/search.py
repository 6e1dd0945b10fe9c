"""The section about searching: methods side by side, with their reasons."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lexicloud.report.html import Html, join, paragraph, table, tag
from lexicloud.report.parts.search import source_of
from lexicloud.report.sections.frame import how_to_read

if TYPE_CHECKING:
    from lexicloud.report.parts.search import SearchPart
    from lexicloud.search import Match, Suggestion, Suggestions

_ABOUT = {
    "setcover": "set cover: ours, similar yet varied",
    "average": "average vectors",
    "wmd": "Word Mover’s Distance",
    "jaccard": "Jaccard: shared words",
    "levenshtein": "Levenshtein: edits",
    "bm25": "BM25: weighted shared words",
}
_REASONS = 5


def blocks(part: SearchPart) -> list[object]:
    """Return the queries with their answers, and the variety table."""
    chosen = "The queries are sentences of the texts themselves. " if part.chosen else ""
    return [
        paragraph(part.finding, "lead"),
        how_to_read(
            f"{chosen}Marked words are the reason for a suggestion; below it stand the words of the query "
            "that led to them."
        ),
        *(block for query, answers in part.answers.items() for block in _query(query, answers)),
        *_variety(part),
    ]


def _query(query: str, answers: dict[str, Suggestions]) -> list[object]:
    columns = tag("div", join(_method(name, found) for name, found in answers.items()), class_="columns")
    return [tag("h3", join(["“", query, "”"])), columns]


def _method(name: str, found: Suggestions) -> Html:
    items = join(tag("li", _suggestion(s)) for s in found)
    listed = tag("ol", items, class_="suggestions") if len(found) else ""
    said = [tag("p", f"{line}.", class_="soft") for line in found.notes]
    return tag("div", join([tag("h4", _ABOUT.get(name, name)), listed, *said]))


def _suggestion(suggestion: Suggestion) -> Html:
    source = source_of(suggestion)
    if suggestion.method == "levenshtein":
        # Its reasons are runs of letters, not words.
        return join(
            [suggestion.text, _source(source), tag("span", f"{suggestion.score:.0f} edits", class_="reason")]
        )
    # A distance is explained by the words that are nearest, a score by those that add most.
    by_distance = suggestion.method in {"average", "wmd"}
    strongest = sorted(suggestion.matches, key=lambda m: m.distance if by_distance else -m.weight)[:_REASONS]
    reasons = ", ".join(dict.fromkeys(map(_reason, strongest)))
    return join(
        [
            _marked(replace(suggestion, matches=tuple(strongest))),
            _source(source),
            tag("span", reasons, class_="reason"),
        ]
    )


def _source(name: str) -> Html:
    return tag("span", name, class_="source")


def _reason(match: Match) -> str:
    return match.word if match.query_word == match.word else f"{match.query_word} → {match.word}"


def _marked(suggestion: Suggestion) -> Html:
    pieces: list[object] = []
    end = 0
    for start, stop in suggestion.highlights:
        pieces += [suggestion.text[end:start], tag("mark", suggestion.text[start:stop])]
        end = stop
    return join([*pieces, suggestion.text[end:]])


def _variety(part: SearchPart) -> list[object]:
    found = part.variety
    if found is None:
        return []
    rows = [
        [_ABOUT.get(m, m), f"{found.unique[m]:.0f} %", found.jaccard[m], found.jaccard_content[m]]
        for m in found.methods
    ]
    caption = f"The variety of {found.top} suggestions each for {found.queries} queries"
    return [
        tag("h3", "Variety"),
        how_to_read(
            "The first figure is the share of a method’s suggestions that no other method makes for the "
            "same query; the others say how alike "
            "a method’s suggestions for one query are (Jaccard similarity of their words: lower is more "
            "varied), with and without stop words."
        ),
        table(["method", "only this method", "alike", "alike, content words"], rows, caption=caption),
    ]
