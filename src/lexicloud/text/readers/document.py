"""What a reader returns: one text with where it came from and what was done to it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True)
class Document:
    """One text, its name and label, and what reading did to it.

    `notes` say what was guessed, cut, replaced or skipped; `fields` hold the other columns of a table's row.
    """

    name: str
    text: str
    label: str | None = None
    source: str = ""
    notes: tuple[str, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def noting(self, *notes: str) -> Document:
        """Return the document with further notes."""
        return replace(self, notes=self.notes + notes) if notes else self

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {**asdict(self), "fields": dict(self.fields)}


def labels_from_names(names: Iterable[str]) -> list[str | None]:
    """Return the part of each name before the first underscore, as in `Austen_Emma.txt`; None where there
    is none.

    >>> labels_from_names(["Austen_Emma", "novels/Melville_Moby_Dick.txt", "beowulf"])
    ['Austen', 'Melville', None]
    """
    stems = (name.rsplit("/", 1)[-1] for name in names)
    return [stem.split("_", 1)[0] if stem.find("_") > 0 else None for stem in stems]
