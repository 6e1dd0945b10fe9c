"""What every public result has: a dictionary, JSON, a short repr, a small HTML table, and files.

A result is a frozen dataclass that derives from `Result`. Its dictionary holds its fields; a class declares what
differs: fields that are `_left_out`, properties that are added (`_derived`), and `_renamed` keys. A result with rows
derives from `TabularResult` and names the attribute that holds them in `_table`, or makes the table itself.
"""

from __future__ import annotations

import json
import os
import re
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from lexicloud.errors import MissingExtra, StorageError
from lexicloud.say.blocks import Block, Facts, Figure, Sentence, table
from lexicloud.say.figures import drawn
from lexicloud.say.html import FORMATS, blocks_html, close
from lexicloud.say.map_block import Map
from lexicloud.store.folder import replace_bytes, replace_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    Draw = Callable[[], Axes]

LONGEST: Final = 400  # characters of a repr: about four lines of a terminal
SHOWN: Final = 20  # rows of a table in a notebook
_PLAIN: Final = frozenset((str, int, bool, type(None)))
_QUOTED: Final = re.compile(r'[",\r\n]')


def plain(value: Any) -> Any:
    """Return a value in types that JSON has: arrays, tuples and sets become lists, nan and infinity None.

    >>> plain({"interval": (0.5, float("nan")), "path": Path("a")})
    {'interval': [0.5, None], 'path': 'a'}
    """
    kind = type(value)  # the commonest types first: a server's answer has hundreds of values
    if kind in _PLAIN:
        return value
    if kind is float:
        return value if isfinite(value) else None
    if kind is dict:
        return {key if type(key) is str else str(key): plain(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [plain(item) for item in value]
    return _plain_of_any(value)


def _plain_of_any(value: Any) -> Any:
    """Do as `plain` does for results, dataclasses, arrays and everything else."""
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    elif _fields(value):
        value = {part.name: getattr(value, part.name) for part in _fields(value)}
    elif isinstance(value, Enum):
        value = value.value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):  # sorted, so that the same set is written the same way
        return [plain(item) for item in sorted(value, key=str)]
    if isinstance(value, float) and not isfinite(value):
        return None
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def as_json(value: Any, indent: int | None = None, *, ascii_only: bool = False) -> str:
    """Return any value, also results and arrays, as JSON."""
    return json.dumps(plain(value), ensure_ascii=ascii_only, indent=indent, allow_nan=False)


class Result:
    """The base of results: it works from the fields of the class and what the class declares."""

    __slots__ = ()

    _left_out: ClassVar[tuple[str, ...]] = ()
    _derived: ClassVar[tuple[str, ...]] = ()
    _renamed: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # A dataclass writes a repr of all its fields, however long, unless the class has one of its own.
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dictionary of values that JSON has."""
        kept = [part.name for part in _fields(self) if part.name not in self._left_out]
        return {self._renamed.get(name, name): plain(getattr(self, name)) for name in (*kept, *self._derived)}

    def to_json(self, indent: int | None = None) -> str:
        """Return the dictionary as JSON; nan and infinity are null."""
        return as_json(self, indent)

    def __repr__(self) -> str:
        name = type(self).__name__
        if type(self).__str__ is not object.__str__:
            return _cut(f"<{name}: {self}>")
        shown = (f"{part.name}={_brief(getattr(self, part.name))}" for part in _fields(self) if part.repr)
        return _cut(f"{name}({', '.join(shown)})")

    def blocks(self) -> list[Block]:
        """Return the answer in words: the conclusion, how sure it is, why, the numbers.

        This default lists the fields; most classes have their own.
        """
        if type(self).__str__ is not object.__str__:
            return [Sentence(str(self), "answer")]
        return [Facts(tuple((key, _brief_text(value)) for key, value in self.to_dict().items()))]

    def _repr_html_(self) -> str:
        return str(blocks_html([*self.blocks(), *self._picture()]))

    def _picture(self) -> list[Block]:
        """Return a figure for a notebook, if the result can be drawn and its blocks hold no figure."""
        if not hasattr(self, "plot") or any(isinstance(block, Figure | Map) for block in self.blocks()):
            return []
        return [Figure(_file_name(type(self).__name__), str(self), self.plot)]

    def _figures(self) -> dict[str, Draw]:
        """Return the functions that draw the figures, by what each adds to the name of its file."""
        return {"": self.plot} if hasattr(self, "plot") else {}

    def write(self, folder: str | Path, name: str | None = None) -> list[Path]:
        """Write `<name>.json`, a CSV if there is a table, and PNGs and SVGs if there are figures; return the files.

        The name is the result's own (`word_shift`) by default. Each file is replaced in one step, and no other
        file of the folder is touched.
        """
        folder, name = _folder(folder), name or _file_name(type(self).__name__)
        files = [folder / f"{name}.json"]
        replace_text(files[0], self.to_json(indent=2) + "\n")
        if isinstance(self, TabularResult):
            files.append(folder / f"{name}.csv")
            replace_text(files[-1], csv_text(self.to_columns()))
        for figure, draw in self._figures().items():
            axes = draw()
            for kind in FORMATS:
                files.append(folder / f"{name}{'_' if figure else ''}{figure}.{kind}")
                replace_bytes(files[-1], drawn(axes, kind))
            close(axes)
        return files


class TabularResult(Result):
    """A result with rows: `_table` names the attribute that holds them, unless the class overrides `to_columns`."""

    __slots__ = ()

    _table: ClassVar[str] = ""
    _columns: ClassVar[tuple[str, ...]] = ()  # the columns, for a table that may have no rows
    _index: ClassVar[str] = ""  # the column that names the rows of a data frame

    def to_columns(self) -> dict[str, Any]:
        """Return the table by columns."""
        return columns_of_rows(plain(getattr(self, self._table)), self._columns)

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a data frame."""
        return data_frame(self.to_columns(), self._index)

    def blocks(self) -> list[Block]:
        """Return the answer in words, then the first rows of the table."""
        columns = self.to_columns()
        rows = (
            tuple(
                _brief_text(cell) if isinstance(cell, str | list | dict) else cell for cell in map(plain, row)
            )
            for row in zip(*columns.values(), strict=True)
        )
        return [
            Sentence(repr(self).removeprefix("<").removesuffix(">"), "answer"),
            table(list(columns), rows, top=SHOWN),
        ]


def _fields(value: Any) -> tuple[Field[Any], ...]:
    """Return the fields of a dataclass's instance; anything else has none."""
    return fields(value) if is_dataclass(value) and not isinstance(value, type) else ()


def columns_of_rows(rows: Iterable[Mapping[str, Any]], names: Iterable[str] = ()) -> dict[str, Any]:
    """Turn rows into columns: first the `names`, then all others in the order in which they occur.

    >>> columns_of_rows([{"word": "sea", "count": 2}, {"word": "ship"}])
    {'word': ['sea', 'ship'], 'count': [2, None]}
    """
    listed = list(rows)
    found = dict.fromkeys((*names, *(name for row in listed for name in row)))
    return {name: [row.get(name) for row in listed] for name in found}


def data_frame(columns: Mapping[str, Any], index: str = "") -> pd.DataFrame:
    """Return columns as a data frame whose rows are named by the column `index`, if there is one."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra("a data frame", "pandas") from None
    arrays = {name: values if hasattr(values, "dtype") else list(values) for name, values in columns.items()}
    frame = pd.DataFrame(arrays)
    return frame.set_index(index) if index else frame


def csv_text(columns: Mapping[str, Any]) -> str:
    r"""Return columns as CSV; None, nan and infinity become empty cells.

    >>> csv_text({"word": ["sea", "ship, ahoy"], "share": [0.5, float("nan")]})
    'word,share\nsea,0.5\n"ship, ahoy",\n'
    """
    rows = (plain(list(row)) for row in zip(*columns.values(), strict=True))
    return "".join(map(csv_line, (list(columns), *rows)))


def csv_line(cells: Sequence[Any]) -> str:
    r"""Return one line of CSV; Python's own writer leaves a carriage return bare, which no reader takes.

    >>> csv_line(["a\rb", "c,d", 0.1, None, 2])
    '"a\rb","c,d",0.1,,2\n'
    """
    said = ["" if cell is None else str(cell) for cell in cells]
    quoted = ['"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text for text in said]
    return (",".join(quoted) if quoted != [""] else '""') + "\n"


def _folder(path: str | Path) -> Path:
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise StorageError(f"{folder} is a file: name a folder to write to") from None
    except OSError as error:
        raise StorageError(f"{folder} cannot be written to: {error.strerror or error}") from error
    return folder


def _file_name(name: str) -> str:
    """Return `word_shift` for WordShift."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _brief(value: Any) -> str:
    """Return a short repr of anything; of an array, its shape and type."""
    if hasattr(value, "shape"):
        return f"<{' × '.join(map(str, value.shape))} {value.dtype}>"
    if isinstance(value, float):
        return f"{value:.6g}"
    short = reprlib.Repr()
    short.maxtuple = short.maxlist = short.maxdict = short.maxset = 3
    short.maxstring = short.maxother = 60
    return " ".join(short.repr(value).split())


def _brief_text(value: Any) -> str:
    return value if isinstance(value, str) and len(value) <= LONGEST else _brief(value)


def _cut(line: str) -> str:
    line = " ".join(line.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 2]}…{line[-1]}"
