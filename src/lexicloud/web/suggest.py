"""Suggestions for writers: the ways to look, in the library's own options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.search import SentenceIndex, Suggestion
    from lexicloud.vectors import WordVectors
    from lexicloud.web.schemas import Suggest

# What each way to look asks of the library.
LOOKS: Final[dict[str, dict[str, Any]]] = {
    # Set cover and averages in turns was preferred in a trial over 20 sentences.
    "mixed": {"mode": "interleaved"},
    "close": {"mode": "related"},
    # Every covered word is spent, and more of its neighbours count.
    "surprising": {"mode": "varied", "keep": 0.0, "r": 25, "weighting": "uniform"},
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
    answer = index.search(
        wanted.sentence, top=top, distinct=True, **LOOKS[wanted.look], **LENGTHS[wanted.length]
    )
    found, notes = list(answer), [note for note in answer.notes if "asked for" not in note]
    if wanted.mood != "any":
        found = in_mood(found, wanted.mood, vectors)
        if not found:
            notes.append(f"no {wanted.mood} sentence among the {top} nearest: try another mood")
    return found[: wanted.top], notes


def in_mood(found: Sequence[Suggestion], mood: str, vectors: WordVectors) -> list[Suggestion]:
    """Keep the suggestions of one mood, in their order."""
    from lexicloud.corpus.explore import moods

    sign = 1 if mood == "bright" else -1
    values = moods([s.text for s in found], vectors)
    return [s for s, value in zip(found, values, strict=True) if sign * value > NOTICED]
