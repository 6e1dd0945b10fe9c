"""What a caller may ask of the readers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lexicloud.errors import OptionError

if TYPE_CHECKING:
    from lexicloud.text.readers.gutenberg import Gutenberg

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
