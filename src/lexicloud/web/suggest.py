"""Suggestions for writers: the ways to look, in the library's own options."""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.search import SentenceIndex, Suggestion
    from lexicloud.vectors import WordVectors
    from lexicloud.web.schemas import Suggest

# What each way to look asks for, one search after another; their answers are dealt out in turns.
LOOKS: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    # Set cover and averages interleaved was preferred in a trial over 20 sentences.
    "mixed": ({"method": "setcover"}, {"method": "average"}),
    "close": ({"method": "setcover", "keep": 1.0},),
    # Every covered word is spent, and more of its neighbours count.
    "surprising": ({"method": "setcover", "keep": 0.0, "r": 25, "weighting": "uniform"},),
}
LENGTHS: Final[dict[str, dict[str, Any]]] = {  # in tokens
    "any": {"min_tokens": 5},
    "short": {"min_tokens": 5, "max_tokens": 12},
    "medium": {"min_tokens": 13, "max_tokens": 25},
    "long": {"min_tokens": 26},
}
NOTICED: Final = 1.0  # standard errors from usual words
_MORE: Final = 8  # times as many are looked at when a mood has to be met


def suggest(
    index: SentenceIndex, wanted: Suggest, vectors: WordVectors
) -> tuple[list[Suggestion], list[str]]:
    """Return suggestions for a sentence, and what the writer should know about them."""
    top = wanted.top * (1 if wanted.mood == "any" else _MORE)
    answers = [
        index.search(wanted.sentence, top=top, **way, **LENGTHS[wanted.length]) for way in LOOKS[wanted.look]
    ]
    notes = list(dict.fromkeys(note for found in answers for note in found.notes if "asked for" not in note))
    found = interleaved(answers)
    if wanted.mood != "any":
        found = in_mood(found, wanted.mood, vectors)
        if not found:
            notes.append(f"no {wanted.mood} sentence among the {top} nearest: try another mood")
    return found[: wanted.top], notes


def interleaved(answers: Sequence[Sequence[Suggestion]]) -> list[Suggestion]:
    """Take the first of each answer, then the second of each, every sentence once."""
    found: dict[int | str, Suggestion] = {}
    for suggestion in chain.from_iterable(zip_longest(*answers)):
        if suggestion is not None:
            found.setdefault(suggestion.id, suggestion)
    return list(found.values())


def in_mood(found: Sequence[Suggestion], mood: str, vectors: WordVectors) -> list[Suggestion]:
    """Keep the suggestions of one mood, in their order."""
    from lexicloud.corpus.mood import moods

    sign = 1 if mood == "bright" else -1
    values = moods([s.text for s in found], vectors)
    return [s for s, value in zip(found, values, strict=True) if sign * value > NOTICED]
