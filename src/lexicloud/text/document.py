"""What readers take and return: options in, one text with where it came from out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import OptionError
from lexicloud.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lexicloud.text.clean import Gutenberg


@dataclass(frozen=True)
class Document(Result):
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


_UNSEEN: Final = dict.fromkeys((*range(32), *range(127, 160), *range(0xD800, 0xE000)), "\ufffd")


def readable(name: str) -> str:
    r"""Return a file's name as text: bytes that are no UTF-8 and control characters become U+FFFD.

    >>> readable("caf\udce9.txt"), readable("a\x1b[2J.txt")
    ('caf�.txt', 'a�[2J.txt')
    """
    return name.translate(_UNSEEN)


def labels_from_names(names: Iterable[str]) -> list[str | None]:
    """Return the part of each name before the first underscore, as in `Austen_Emma.txt`; None where there
    is none.

    >>> labels_from_names(["Austen_Emma", "novels/Melville_Moby_Dick.txt", "beowulf"])
    ['Austen', 'Melville', None]
    """
    stems = (name.rsplit("/", 1)[-1] for name in names)
    return [stem.split("_", 1)[0] if stem.find("_") > 0 else None for stem in stems]


FROM_NAME: Final = "@name"
FROM_FOLDER: Final = "@folder"


@dataclass(frozen=True)
class ReadOptions:
    """The options of `read_documents`, checked."""

    text: str | None = None
    name: str | None = None
    label: str | None = None
    encoding: str | None = None
    errors: str = "strict"
    gutenberg: Gutenberg = "auto"
    skip_bad: bool = False

    def __post_init__(self) -> None:
        for option, value, allowed in (
            ("errors", self.errors, ("strict", "replace")),
            ("gutenberg", self.gutenberg, ("auto", "keep", "cut")),
        ):
            if value not in allowed:
                raise OptionError(
                    f"{option}={value!r} is not known; choose {' or '.join(map(repr, allowed))}"
                )
        if self.label and self.label.startswith("@") and self.label not in {FROM_NAME, FROM_FOLDER}:
            raise OptionError(f"label={self.label!r} is not known; choose a column, '@name' or '@folder'")

    @property
    def label_column(self) -> str | None:
        """The column that holds labels, where a column was asked for."""
        return self.label if self.label not in {FROM_NAME, FROM_FOLDER} else None

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that was asked for."""
        return tuple(c for c in (self.text, self.name, self.label_column) if c)
