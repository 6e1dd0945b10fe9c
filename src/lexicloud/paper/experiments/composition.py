"""The share of each part of speech among all tokens and among distinct tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lexicloud.paper.published import DATASETS, published
from lexicloud.paper.tables import Entry, Report, Table

if TYPE_CHECKING:
    from lexicloud.paper.workbench import Workbench

_KINDS = {
    "total": ("pos_total_tokens_percent", "token_percent"),
    "unique": ("pos_unique_tokens_percent", "word_percent"),
}
_NO_VECTORS = "none: no vectors are used"
# A share that differs by less than this agrees: the tagger's own versions differ by as much.
_AGREES = 0.5


_SPREAD_WHY = (
    "The paper rests on the explanation of Zipf's law by the part of speech as a latent variable: narrow "
    "distributions of different means that add up to a broad one. Where nouns, verbs, adjectives and adverbs by "
    "themselves are about as widely spread as all words together, explained stays small: it says how much of the "
    "breadth lies between parts."
)


def run(bench: Workbench) -> Report:
    """Count the parts of speech of every dataset."""
    found = {name: _counted(bench, name) for name in bench.datasets}
    return Report((*(_shares(bench, kind, found) for kind in _KINDS), _spread(bench, found)))


def _shares(bench: Workbench, kind: str, found: dict[str, dict[str, Any]]) -> Table:
    theirs, ours = _KINDS[kind]
    numbers = published()[theirs]
    entries = [
        _entry(name, part, found.get(name), ours, numbers[name][i])
        for name in DATASETS
        for i, part in enumerate(numbers["columns"])
    ]
    title = f"Parts of speech, share of {'all' if kind == 'total' else 'distinct'} tokens"
    return Table(f"pos-{kind}", title, ("dataset",), entries, "%", _NO_VECTORS, _why(bench), bench.sample)


def _spread(bench: Workbench, found: dict[str, dict[str, Any]]) -> Table:
    entries = []
    for name, counted in found.items():
        parts = {f"spread of {part}": values["spread"] for part, values in counted["parts"].items()}
        columns = {"explained": 100 * counted["explained"], **parts, "spread of all": counted["total_spread"]}
        entries += [Entry((name,), column, value) for column, value in columns.items()]
    return Table(
        "pos-spread",
        "Does the part of speech explain the breadth of word counts?",
        ("dataset",),
        entries,
        "explained: % of the variance of a token's log count; spread: standard deviation of log₁₀ count",
        _NO_VECTORS,
        (_SPREAD_WHY,),
        bench.sample,
    )


def _counted(bench: Workbench, name: str) -> dict[str, Any]:
    return bench.recall(
        "pos",
        lambda: _count(bench, name),
        datasets=(name,),
        code=(_count,),
        dataset=name,
        tagger=bench.tagger,
    )


def _count(bench: Workbench, name: str) -> dict[str, Any]:
    from lexicloud.zipf import part_of_speech_table

    return part_of_speech_table(bench.sentences(name), tagger=bench.tagger).to_dict()


def _entry(name: str, part: str, counted: dict[str, Any] | None, key: str, theirs: float) -> Entry:
    ours = None if counted is None else counted["parts"][part][key]
    why = ""
    if ours is not None and abs(ours - theirs) > _AGREES:
        why = f"tagger {counted['tagger'] if counted else ''}; a word has one tag here, out of context"
        if part == "other" or key == "token_percent":
            why += "; punctuation counts as other"
        if name == "gutenberg":
            why += "; other books and editions"
    return Entry((name,), part, ours, theirs, explanation=why)


def _why(bench: Workbench) -> tuple[str, ...]:
    if bench.tagger == "nltk":
        return ("NLTK's perceptron tagger, one word at a time and in its own case; modals are verbs.",)
    return (
        "NLTK's tagger has no data here, so TextBlob's tags stand in: its shares differ by tens of points.",
    )
