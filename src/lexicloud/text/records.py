"""Records of files: rows of tables, JSON, databases and exports of trackers, with one text field or several.

An index reads its files with `read_records`. The fields of a record become one text, with a mark between them that
counts as white space, so that code that knows nothing of fields sees a plain text.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from lexicloud.errors import InputError, OptionError
from lexicloud.text.document import Document, Extracted, ReadOptions, extract
from lexicloud.text.formats import is_table, kind, load, read_table, stem
from lexicloud.text.markup import html_to_text
from lexicloud.text.read import read_documents
from lexicloud.text.tables import MOST_CELLS, TEXT_COLUMNS, TextTable, read_csv, table_documents, value_at
from lexicloud.text.trackers import is_jira_xml, read_confluence, read_jira_xml, recognise

MARK: Final = "\x1f"  # between the fields of a record
HEAVIEST: Final = 20  # times that the words of a field may count: each is read so often
_TITLES: Final = ("title", "subject", "summary", "headline")
_TEXT: Final = "\x1ftext"  # the column that holds the joined fields; no file names one so
_DATABASES: Final = (".db", ".sqlite", ".sqlite3")
_WEIGHED: Final = re.compile(r"(?P<name>.+)\^(?P<weight>\d+)")
# A cell that begins with such a tag is an HTML page; a `<div>` in the middle of a sentence is part of the text.
_PAGE: Final = re.compile(
    r"\s*<(?:!doctype|html|body|p|div|h[1-6]|[uo]l|table|br|section|article|blockquote|pre|ac:)\b[^>]*>",
    re.IGNORECASE,
)
_BLOCKS: Final = frozenset(
    ("paragraph", "heading", "listItem", "codeBlock", "tableRow", "blockquote", "hardBreak")
)

_SPACE: Final = re.compile(r"\s*")
_DEEPEST: Final = 5  # objects with a single entry around an answer, as GraphQL has them

Weights = Mapping[str, int]


@dataclass(frozen=True)
class Records:
    """Documents of one file, the weights of their text fields (empty if there is one text), and the tracker's name."""

    documents: list[Document]
    weights: Weights
    export: str = ""


def holds_rows(path: str) -> bool:
    """Tell whether a file holds records: a table, JSON or a database.

    >>> holds_rows("a.sqlite"), holds_rows("a.json"), holds_rows("a.xlsx"), holds_rows("a.txt")
    (True, True, True, False)
    """
    name = path.lower().removesuffix(".gz")
    return is_table(name) or name.endswith((*_DATABASES, ".json"))


def read_weights(text: str | Sequence[str] | Weights | None) -> dict[str, int]:
    """Return fields with their weights, from names (`title^3`) or from a mapping.

    >>> read_weights(["title^3", "body"]), read_weights({"title": 3, "body": 1}), read_weights(None)
    ({'title': 3, 'body': 1}, {'title': 3, 'body': 1}, {})
    """
    if isinstance(text, Mapping):
        given = list(text.items())
    else:
        names = [text] if isinstance(text, str) else list(text or ())
        given = [(m["name"], int(m["weight"])) if (m := _WEIGHED.fullmatch(n)) else (n, 1) for n in names]
    for name, weight in given:
        whole = isinstance(weight, int) and not isinstance(weight, bool)
        if not whole or not 1 <= weight <= HEAVIEST:
            raise OptionError(
                f"the weight of {name} is {weight}: give a whole number from 1 to {HEAVIEST}, as in {name}^3"
            )
    if len(dict(given)) < len(given):
        raise OptionError(f"a text field is named twice: {', '.join(name for name, _ in given)}")
    return dict(given)


def read_records(
    path: str | Path,
    *,
    text: str | Sequence[str] | Weights | None = None,
    name: str | None = None,
    sql: str | None = None,
    export: bool = True,
) -> Records:
    """Read the records of a file, or the texts of anything else that `read_documents` reads.

    `text` names the column of the text, or several with weights; `name` the column of the id; `sql` is the query for a
    SQLite file. Without `text` and `name`, exports of Jira, GitHub, GitLab and Confluence are recognised (unless
    `export` is false): their records have the text fields `title` and `body`, an id, and further columns with the same
    names for all trackers.
    """
    weights = read_weights(text)
    found = _rows(Path(path).expanduser(), sql)
    if found is None:
        if len(weights) > 1:
            raise InputError(f"{path} is not a table, so it has no columns {', '.join(weights)}")
        documents = read_documents(path, text=next(iter(weights), None), name=name)
        return Records(documents, {})
    table, about = found
    known = recognise(table) if export and not weights and not name else None
    if known is not None:
        table, name, weights = known.table, "id", dict(known.weights)
        about = replace(about, notes=(*about.notes, str(known)))
    if not weights:
        about = replace(about, notes=(*about.notes, *_other_field(table)))
        return Records(_documents(table, path, ReadOptions(name=name), about), {})
    joined = _joined(table, weights)
    documents = _documents(joined, path, ReadOptions(text=_TEXT, name=name), about)
    return Records(documents, weights if len(weights) > 1 else {}, known.tracker if known else "")


def _other_field(table: TextTable) -> Iterator[str]:
    """Say how a title is searched as well, where the text of a table is in a column that is known by its name."""
    title, text = table.known(_TITLES), table.known(TEXT_COLUMNS)
    if title and text and title != text:
        yield f"its column {title!r} is not searched: --text {title}^3 --text {text} searches both"


def _documents(table: TextTable, path: str | Path, options: ReadOptions, about: Extracted) -> list[Document]:
    if options.name:
        _check_ids(table, table.column(options.name, "id"))
    elif column := table.known(("id",)):
        values = [str(value) for value in table.values(column) if value not in (None, "")]
        if len(values) == len(set(values)) == len(table.rows):
            options = replace(options, name=column)
        else:
            said = f"the column {column!r} of {table.source} is blank or twice in some rows, which are numbered instead"
            about = replace(about, notes=(*about.notes, said))
    documents = table_documents(table, stem(Path(path).name), options, about)
    return [documents[0].noting(*about.notes), *documents[1:]]


def _check_ids(table: TextTable, column: str) -> None:
    """Refuse ids that are blank or occur twice, because records are replaced and removed by id."""
    seen: dict[str, int] = {}
    for value, line in zip(table.values(column), table.lines, strict=True):
        other = "name another column with --id, or leave it out to number the rows"
        if value is None or not str(value).strip():
            raise InputError(f"line {line:,} of {table.source} has no id in column {column!r}: {other}")
        if seen.setdefault(str(value), line) != line:
            raise InputError(
                f"the id {value!s} stands in lines {seen[str(value)]:,} and {line:,} of {table.source}: {other}"
            )


def _joined(table: TextTable, weights: Weights) -> TextTable:
    """Return a table with its text fields joined into one column."""
    columns = [table.column(name, "text") for name in weights]
    rows = tuple(
        {
            **{key: value for key, value in row.items() if key not in weights},
            _TEXT: joined([cell_text(value_at(row, column)) for column in columns]),
        }
        for row in table.rows
    )
    left = [column for column in table.columns if column not in weights]
    return replace(table, columns=(*left, _TEXT), rows=rows)


def joined(fields: Sequence[str]) -> str:
    """Return the fields of a record as one text."""
    return MARK.join(field.replace(MARK, " ").strip() for field in fields)


def cell_text(value: Any) -> str:
    r"""Return a cell as text: HTML without tags, lists and rich text as their strings, None and nan as an empty text.

    >>> cell_text("<p>It <b>crashes</b>.</p>"), cell_text(["a", "b"]), cell_text(None), cell_text(3)
    ('It crashes.', 'a\nb', '', '3')
    """
    if value is None or value != value:  # noqa: PLR0124 — nan, which stands for an empty cell
        return ""
    if isinstance(value, str):
        page = _PAGE.match(value) and ("</" in value or "/>" in value or "<br" in value.lower())
        return html_to_text(value) if page else value
    if isinstance(value, Mapping | list | tuple):
        return re.sub(r"\n{2,}", "\n", "".join(_pieces(value))).strip()
    return str(_readable(value))


def _pieces(value: Any) -> Iterator[str]:
    """Yield the text inside lists and objects, in order; of rich text (Atlassian's documents) only the words."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str | int | float):
            yield str(found)
        elif isinstance(found, list | tuple):
            between = "" if _is_rich(found) else "\n"
            waiting += [part for entry in reversed(found) for part in (between, entry)]
        elif isinstance(found, Mapping):
            after = "\n" if found.get("type") in _BLOCKS else ""
            inner = found.get("content", found.get("text")) if "type" in found else list(found.values())
            about = found.get("attrs")
            if inner is None and isinstance(about, Mapping):
                inner = about.get("text") or about.get("url") or ""
            waiting += [after, inner]


def _is_rich(found: Sequence[Any]) -> bool:
    return all(isinstance(entry, Mapping) and "type" in entry for entry in found)


# ---- where rows come from


def _rows(path: Path, sql: str | None) -> tuple[TextTable, Extracted] | None:
    """Return the rows of a file and its kind, or None if it holds texts."""
    name = path.name.lower().removesuffix(".gz")
    if sql is not None or name.endswith(_DATABASES):
        return read_sqlite(path, sql), Extracted("", "SQLite")
    if path.is_dir() or kind(path.name) == ".zip":
        return read_confluence(path)
    if not path.is_file():
        return None
    if kind(path.name) == ".xml":
        return read_jira_xml(data, str(path)) if is_jira_xml(data := load(path)) else None
    if name.endswith(".json"):
        found = extract(load(path), str(path), None, "strict", "JSON")
        return read_json(found.text, str(path)), replace(found, text="")
    if kind(path.name) in {".csv", ".tsv"} and (data := load(path)).strip():
        found = extract(data, str(path), None, "strict", "table")
        delimiter = "\t" if kind(path.name) == ".tsv" else None
        return read_csv(found.text, str(path), delimiter, repeated=True), replace(found, text="")
    return read_table(load(path), path.name, str(path), ReadOptions()) if is_table(path.name) else None


def read_json(text: str, source: str) -> TextTable:
    """Read an array of objects, or the longest array inside an object, as APIs answer; JSON lines are read too.

    Several pages of an answer may follow each other (`gh api --paginate`) or be in one array (with `--slurp`).

    >>> read_json('{"total": 1, "issues": [{"key": "A-1"}]}', "a.json").rows
    ({'key': 'A-1'},)
    >>> len(read_json('[{"key": "A-1"}][{"key": "A-2"}]', "a.json").rows)
    2
    """
    try:
        pages = list(_pages(text))
        rows = [row for page in pages for row in _listed_objects(page)]
    except RecursionError:
        raise InputError(f"{source} is nested too deeply to be read") from None
    except ValueError as error:
        raise InputError(f"{source} is not JSON: {error}") from None
    if len(pages) > 1 and all(isinstance(page, dict) for page in pages) and not _is_export(rows):
        rows = pages  # JSON lines
    if not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{source} holds no list of objects: give one object for each record")
    columns = tuple(dict.fromkeys(key for row in rows for key in row))
    return TextTable(columns, tuple(rows), tuple(range(1, len(rows) + 1)), source)


def _pages(text: str) -> Iterator[Any]:
    """Yield the JSON values of a text: one, or several one after the other."""
    decoder, start = json.JSONDecoder(), 0
    while (found := _SPACE.match(text, start)) and found.end() < len(text):
        value, start = decoder.raw_decode(text, found.end())
        yield value


def _is_export(rows: list[Any]) -> bool:
    """Tell whether the first row is from the export of a tracker."""
    first = rows[0] if rows else None
    return isinstance(first, dict) and recognise(TextTable(tuple(first), (first,), (1,), "")) is not None


def _listed_objects(value: Any, depth: int = 0) -> list[Any]:
    """Return the objects of a list, of a list of pages, or of the longest list inside an object."""
    if isinstance(value, list):
        if value and all(isinstance(entry, list) for entry in value):
            return [row for page in value for row in page]
        return value
    if not isinstance(value, dict):
        return [value]
    lists = [v for v in value.values() if isinstance(v, list) and v and isinstance(v[0], dict)]
    if lists:
        return max(lists, key=len)
    inner = [v for v in value.values() if isinstance(v, dict)]
    if depth < _DEEPEST and len(value) == 1 and inner:  # {"data": {"repository": {"issues": {"nodes": […]}}}}
        return _listed_objects(inner[0], depth + 1)
    return [value]


def read_sqlite(path: Path, sql: str | None = None) -> TextTable:
    """Read the rows that a query finds in a SQLite file, or without a query its only table; the file is not changed."""
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            cursor = database.execute(sql or _one_table(database, path))
            if cursor.description is None:
                raise InputError(f"{sql!r} asks for no rows: give a SELECT")
            columns = [column[0] for column in cursor.description]
            rows = cursor.fetchmany(MOST_CELLS // len(columns) + 1)
    except sqlite3.Error as error:
        raise InputError(f"{path} cannot be queried: {error}") from None
    if len(rows) * len(columns) > MOST_CELLS:
        raise InputError(f"the query finds more than {MOST_CELLS:,} cells: ask for fewer columns or rows")
    if len(set(columns)) < len(columns):
        raise InputError(f"the query names a column twice ({', '.join(columns)}): rename one with AS")
    found = tuple({c: _readable(v) for c, v in zip(columns, row, strict=True)} for row in rows)
    return TextTable(tuple(columns), found, tuple(range(1, len(rows) + 1)), str(path))


def _one_table(database: sqlite3.Connection, path: Path) -> str:
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
    names = [name for (name,) in database.execute(query)]
    if len(names) != 1:
        listed = ", ".join(names) or "none"
        raise InputError(f'{path} has the tables {listed}: say what to read with --sql "SELECT …"')
    quoted = names[0].replace('"', '""')
    return f'SELECT * FROM "{quoted}"'  # noqa: S608 — a table's own name, quoted


def _readable(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
