"""Pages of an answer: where a page begins, and the column that sorts it in place of the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import OptionError
from lexicloud.say.blocks import many
from lexicloud.search.filters import find_column

if TYPE_CHECKING:
    from lexicloud.search.filters import Column
    from lexicloud.search.items import Suggestions

# How many of the best finds are sorted: of thousands, the newest would hardly have to do with the query.
POOL: Final = 100


@dataclass(frozen=True)
class PageOfFinds:
    """A page of an answer: `top` finds after the first `offset`, by score or by a column (`-column`: highest first)."""

    top: int
    offset: int = 0
    sort: str | None = None

    def __post_init__(self) -> None:
        whole = isinstance(self.offset, Integral) and not isinstance(self.offset, bool)
        if not whole or self.offset < 0:
            raise OptionError(f"offset = {self.offset!r}, but it must be a whole number of at least 0")
        if self.sort is not None and (not isinstance(self.sort, str) or not self.sort.lstrip("-")):
            raise OptionError(
                f"sort = {self.sort!r}: give a column, as in created, or -created for the last first"
            )

    @property
    def asked(self) -> int:
        """The number of finds to search for."""
        last = self.top + self.offset
        return last if self.sort is None else max(POOL, last)

    def of(self, found: Suggestions, columns: Mapping[str, Column]) -> Suggestions:
        """Cut the page out of an answer that has `asked` finds."""
        if self.sort is None and not self.offset:
            return found
        if self.sort is None:
            in_all = f"{many(len(found), 'find')} in all"
            told = [in_all if "asked for" in note else note for note in found.notes]
            return found.with_items(found[self.offset :], notes=told)
        sure = [one for one in found if not one.weak] or list(found)
        places = in_order(columns, self.sort, [one.row for one in sure])
        told = [note for note in found.notes if "asked for" not in note]
        told.append(f"the {len(sure):,} best finds, {said(self.sort)}")
        page = places[self.offset : self.offset + self.top]
        return found.with_items([sure[i] for i in page], notes=told, ranked=False)


def said(sort: str) -> str:
    """Return in words how finds are sorted."""
    return f"sorted by {sort.lstrip('-')}, the {'highest' if sort.startswith('-') else 'lowest'} first"


def in_order(columns: Mapping[str, Column], sort: str, rows: Sequence[int]) -> list[int]:
    """Return the places of rows in the order of a column; rows without a value come last, equals in their order."""
    column, path = find_column(columns, sort.lstrip("-"))
    typed = column.typed(path)
    if typed.kind.lists or typed.kind.name == "mixed":
        raise OptionError(
            f"{sort.lstrip('-')} holds {typed.kind}, which have no order: sort by another column"
        )
    filled, codes = column.filled(path)[list(rows)].tolist(), column.codes[list(rows)].tolist()
    known = [(_key(typed.read[codes[i]]), i) for i, there in enumerate(filled) if there]
    known.sort(key=itemgetter(0), reverse=sort.startswith("-"))
    return [*(i for _, i in known), *(i for i, there in enumerate(filled) if not there)]


def _key(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value
