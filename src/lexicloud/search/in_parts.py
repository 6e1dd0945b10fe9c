"""Search an index that is held in parts, with the answer that one index of all sentences would give.

Ranking takes two rounds: each part counts what its sentences say about the query (`hybrid.Counted`), and then finds its
best sentences given the sums over all parts. A set cover takes one round for each sentence: each part offers its best
under the weights that are left, and the best offer is covered in all parts. Each part is a `SentenceIndex` made by
`as_part`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.search.find import MODES, SearchOptions, chosen_method, said_of_finds, suggestions
from lexicloud.search.items import LISTED, NO_WORDS, Suggestions
from lexicloud.search.methods.answers import KIND as ANSWER
from lexicloud.search.methods.dense import AUTO
from lexicloud.search.methods.hybrid import Counted
from lexicloud.search.methods.stand_ins import DEPTH
from lexicloud.search.methods.stand_ins import KIND as STAND_IN
from lexicloud.vectors.static_embeddings import StaticEmbeddings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database
    from lexicloud.search.index import SentenceIndex
    from lexicloud.search.items import Suggestion
    from lexicloud.search.methods.hybrid import Limits
    from lexicloud.search.parts import Statistics
    from lexicloud.search.query import Query

    # Does `work(part, shared)` for each part, and returns the results in the order of the parts.
    Each = Callable[[Callable[["SentenceIndex", Any], Any], Any], list[Any]]

METHODS: Final = ("related", "setcover")


@dataclass(frozen=True)
class Call:
    """A query with the arguments of `SentenceIndex.search`, as it goes to the parts."""

    query: str
    arguments: dict[str, Any]

    def asked(self, index: SentenceIndex, find: Callable[..., Suggestions]) -> Suggestions:
        """Return the answer of a part to the query, with `find` in place of its usual search."""
        return replace(index.asking(**self.arguments), find=find).answer(self.query)


def search(each: Each, whole: Statistics, firsts: Sequence[int], query: str, **arguments: Any) -> Suggestions:
    """Return the answer of one index of all sentences; `firsts` gives the row of it at which each part begins."""
    offset = arguments.pop("offset", 0)
    options = {
        k: v for k, v in arguments.items() if k in SearchOptions.__dataclass_fields__ and k != "method"
    }
    method = chosen_method(arguments.get("method"), arguments.get("mode"), options)
    if method not in METHODS:
        modes = [mode for mode, name in MODES.items() if name in METHODS]
        raise OptionError(f"an index in parts has the modes {' and '.join(modes)}, not method {method!r}")
    dense = arguments.get("dense", AUTO)
    if dense is not None and not (isinstance(dense, str) and dense == AUTO):
        raise OptionError("an index in parts takes its own embeddings, or none (dense=None)")
    if arguments.get("sort") is not None:
        raise OptionError(
            "an index in parts is not sorted by a column, which no part has all of: leave sort out"
        )
    top = arguments.get("top", SearchOptions.top) + offset
    call = Call(query, {**arguments, "top": top})
    found = (_cover if method == "setcover" else _ranked)(each, whole, firsts, call, top)
    return found.with_items(found[offset:]) if offset else found


# ---- ranking


def _ranked(each: Each, whole: Statistics, firsts: Sequence[int], call: Call, top: int) -> Suggestions:
    limits = None
    if call.arguments.get("dense", AUTO) is not None:
        parts = [part for part in each(count, call) if part is not None]
        limits = Counted.limits(parts, whole.living, whole.texts) if parts else None
    # Words stand in for others in the first texts of the whole, which may all be in one part.
    asked = top if limits is None else max(top, DEPTH)
    answers: list[Suggestions] = each(
        rank, (replace(call, arguments={**call.arguments, "top": asked}), limits)
    )
    best = sorted(map(_without_stand_ins, placed := _placed(answers, firsts)), key=_order)
    if call.arguments.get("distinct"):
        best = list({s.text: s for s in reversed(best)}.values())[::-1]
    own = {s.row: s for s in placed}
    best = sorted([*(own[s.row] for s in best[:DEPTH]), *best[DEPTH:]], key=_order)
    return _told(answers, best[:top], top, asked)


def _order(found: Suggestion) -> tuple[bool, float, int]:
    return not found.same, -found.score, found.row


def _without_stand_ins(found: Suggestion) -> Suggestion:
    """Return a find as if no word stood in for another or answered the question."""
    added = [reason.adds for reason in found.matches if reason.kind in {STAND_IN, ANSWER}]
    own = tuple(reason for reason in found.matches if reason.kind not in {STAND_IN, ANSWER})
    return found.known(score=found.score - sum(added), matches=own) if added else found


def count(index: SentenceIndex, call: Call) -> Counted | None:
    """Count what this part says about a query; None where no embeddings take part."""
    found: list[Counted] = []

    def find(database: Database, query: Query, options: SearchOptions, embeddings: Any) -> Suggestions:
        from lexicloud.search.methods import hybrid

        if isinstance(embeddings, StaticEmbeddings):
            found.append(hybrid.counted(database, query, options, embeddings))
        return Suggestions()

    call.asked(index, find)
    return found[-1] if found else None


def rank(index: SentenceIndex, asked: tuple[Call, Limits | None]) -> Suggestions:
    """Return the best sentences of this part."""
    call, limits = asked

    def find(database: Database, query: Query, options: SearchOptions, embeddings: Any) -> Suggestions:
        from lexicloud.search.methods import hybrid, related

        if isinstance(embeddings, StaticEmbeddings):
            rows = hybrid.search(database, query, options, embeddings, limits)
        else:
            rows = related.search(database, query, options)
        return suggestions(database, query, options, rows)

    return call.asked(index, find)


def _placed(answers: Sequence[Suggestions], firsts: Sequence[int]) -> list[Suggestion]:
    """Number the rows of parts as in the whole, after reading texts and reasons, which need the part's own numbers."""
    both = zip(answers, firsts, strict=True)
    return [
        s.known(text=s.text, matches=s.matches, row=first + s.row) for found, first in both for s in found
    ]


def _told(
    answers: Sequence[Suggestions], best: list[Suggestion], top: int, asked: int | None = None
) -> Suggestions:
    """Return the answer with the notes that one index would give it; `asked` is the `top` of the parts."""
    said = next((found for found in answers if found), answers[0])
    own = said_of_finds([s.weak is True for s in said], asked or top)
    notes = [note for note in said.notes if note not in own]
    if said.method == LISTED:  # each part counts its own
        notes = [note for note in notes if not note.startswith(NO_WORDS)]
        return said.with_items(best, notes=(*notes, f"{NO_WORDS}: in the order of the index"))
    return said.with_items(best, notes=(*notes, *said_of_finds([s.weak is True for s in best], top)))


# ---- covering


class Offer(NamedTuple):
    """The best sentence of a part, what is left of the weights once it is covered, and the hash of its text."""

    found: Suggestions
    left: NDArray[np.float32] | None = None
    digest: int = 0


class Covered(NamedTuple):
    """How far a cover has come: the weights that are left (None: all), the rows taken and the hashes of their texts."""

    left: NDArray[np.float32] | None = None
    rows: tuple[int, ...] = ()
    digests: tuple[int, ...] = ()


def _cover(each: Each, whole: Statistics, firsts: Sequence[int], call: Call, top: int) -> Suggestions:  # noqa: ARG001
    state, best = Covered(), list[Any]()
    offers: list[Offer] = each(offer, (call, state))
    answers = [own.found for own in offers]
    while len(best) < top:
        made = [
            (s, own) for own, first in zip(offers, firsts, strict=True) for s in _placed([own.found], [first])
        ]
        if made:
            found, own = min(made, key=lambda pair: (-pair[0].score, pair[0].row))
            best.append(found)
            state = Covered(own.left, (*state.rows, found.row), (*state.digests, own.digest))
        elif state.left is None:
            break
        else:  # nothing left in U can be covered: start again with all of it
            state = state._replace(left=None)
        if len(best) < top:
            offers = each(offer, (call, state))
    return _told(answers, best, top)


def offer(index: SentenceIndex, asked: tuple[Call, Covered]) -> Offer:
    """Return the best sentence of this part under the weights that are left."""
    call, state = asked
    made: list[Any] = []

    def find(database: Database, query: Query, options: SearchOptions, embeddings: Any) -> Suggestions:  # noqa: ARG001
        from lexicloud.search.methods import setcover

        taken = [row - index.first_row for row in state.rows if 0 <= row - index.first_row < len(database)]
        if call.arguments.get("distinct") is not False and state.digests:
            own = np.flatnonzero(np.isin(database.digests, np.array(state.digests, np.uint64)))
            taken = sorted({*taken, *own.tolist()})
        step = setcover.step(database, query, options, state.left, taken)
        made[:] = [step]
        return suggestions(database, query, options, [] if step is None else [step.found])

    found = call.asked(index, find)
    step = made[0] if made else None
    if step is None:
        return Offer(found)
    return Offer(found, step.left, index.database.digest_of(step.found.row))
