"""Recognise exports of Jira (CSV, XML, JSON), GitHub (`gh`, the APIs) and GitLab (CSV, the API) by their columns.

All become tables with the same columns, if the export has them: id, title, body, state, type, priority, labels,
created, updated, closed, author, assignee, milestone, project, url.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from lexicloud.text.document import Document
from lexicloud.text.tables import TextTable, value_at

WEIGHTS: Final = {"title": 3, "body": 1}  # the weights of a ticket's text fields
_LISTS: Final = frozenset(("labels", "components"))
# Keys of an object that hold its name, in the order of trying.
_NAMES: Final = ("login", "username", "displayName", "name", "title", "value")
_REPOSITORY: Final = re.compile(
    r"https?://[^/]+/(?:repos/)?([^/]+(?:/[^/]+)+?)/(?:-/)?(?:issues|work_items|pull|pulls)/\d+"
)


@dataclass(frozen=True)
class Layout:
    """A tracker's names of columns: those by which it is recognised (`told_by`), and for each of ours those to try."""

    tracker: str
    told_by: frozenset[str]
    columns: Mapping[str, tuple[str, ...]]


_JIRA: Final = {
    "id": ("Issue key", "Key", "key"),
    "title": ("Summary", "fields.summary"),
    "body": ("Description", "fields.description"),
    "state": ("Status", "fields.status"),
    "resolution": ("Resolution", "fields.resolution"),
    "type": ("Issue Type", "fields.issuetype"),
    "priority": ("Priority", "fields.priority"),
    "labels": ("Labels", "fields.labels"),
    "components": ("Component/s", "Components", "fields.components"),
    "created": ("Created", "fields.created"),
    "updated": ("Updated", "fields.updated"),
    "closed": ("Resolved", "fields.resolutiondate"),
    "author": ("Reporter", "Creator", "fields.reporter", "fields.creator"),
    "assignee": ("Assignee", "fields.assignee"),
    "project": ("Project key", "fields.project.key"),
}
_GITHUB: Final = {
    "id": ("number",),
    "title": ("title",),
    "body": ("body",),
    "state": ("state",),
    "labels": ("labels",),
    "created": ("created_at", "createdAt"),
    "updated": ("updated_at", "updatedAt"),
    "closed": ("closed_at", "closedAt"),
    "author": ("user", "author"),
    "assignee": ("assignee", "assignees"),
    "milestone": ("milestone",),
    "url": ("html_url", "url"),
}
_GITLAB: Final = {
    "id": ("iid", "Issue ID", "Work item ID", "IID"),
    "title": ("title", "Title"),
    "body": ("description", "Description"),
    "state": ("state", "State"),
    "type": ("issue_type", "Type"),
    "labels": ("labels", "Labels"),
    "created": ("created_at", "Created At (UTC)", "Created At"),
    "updated": ("updated_at", "Updated At (UTC)", "Updated At"),
    "closed": ("closed_at", "Closed At (UTC)", "Closed At"),
    "author": ("author", "Author Username", "Author"),
    "assignee": ("assignee", "Assignee Username", "Assignee"),
    "milestone": ("milestone", "Milestone"),
    "url": ("web_url", "URL"),
}
_LAYOUTS: Final = (
    Layout("Jira", frozenset(("Issue key", "Summary")), _JIRA),
    Layout("Jira", frozenset(("Key", "Summary", "Status")), _JIRA),  # in spreadsheets and older versions
    Layout("Jira", frozenset(("key", "fields")), _JIRA),
    Layout("GitLab", frozenset(("iid", "title")), _GITLAB),
    Layout("GitLab", frozenset(("Title", "Issue ID", "State")), _GITLAB),
    Layout("GitLab", frozenset(("Title", "Work item ID", "State")), _GITLAB),
    Layout("GitHub", frozenset(("number", "title", "state")), _GITHUB),
    Layout("GitHub", frozenset(("number", "title", "body", "labels")), _GITHUB),
)


@dataclass(frozen=True)
class Export:
    """The export of a tracker as a table with our columns."""

    tracker: str
    table: TextTable
    weights: Mapping[str, int]

    def __str__(self) -> str:
        kept = ", ".join(column for column in self.table.columns if column not in {"id", *self.weights})
        return f"{self.table.source} is an export of {self.tracker}: fields title^3 and body, kept {kept or 'nothing'}"


def recognise(table: TextTable) -> Export | None:
    """Return a table with our columns if it is the export of a known tracker, else None."""
    if set(table.columns) >= {"id", "title", "body", "space"}:  # made by `read_confluence`
        return Export("Confluence", table, WEIGHTS)
    layout = next((one for one in _LAYOUTS if one.told_by <= set(table.columns)), None)
    if layout is None:
        return None
    rows = [_record(row, layout) for row in table.rows]
    if layout.tracker != "Jira":
        _tell_repositories(rows)
    columns = [column for column in layout.columns if any(column in row for row in rows)]
    columns = list(dict.fromkeys([*columns, "id", *WEIGHTS]))
    return Export(layout.tracker, TextTable(tuple(columns), tuple(rows), table.lines, table.source), WEIGHTS)


def _record(row: Mapping[str, Any], layout: Layout) -> dict[str, Any]:
    """Return one row with our columns, without blank values."""
    found = {}
    for column, places in layout.columns.items():
        value = next((v for place in places if (v := value_at(row, place)) not in (None, "", [])), None)
        if column in _LISTS:
            value = _listed(value)
        elif column != "body":
            value = _named(value)
        if value not in (None, "", []):
            found[column] = value
    if layout.tracker != "Jira" and isinstance(state := found.get("state"), str):
        found["state"] = "open" if state.lower() in {"open", "opened", "reopened"} else state.lower()
    return found


def _named(value: Any) -> Any:
    """Return the name of an object, the names of several, or a plain value as it is."""
    if isinstance(value, Mapping):
        if isinstance(nodes := value.get("nodes"), list):  # a list as GraphQL has it
            return _named(nodes)
        return next((value[key] for key in _NAMES if value.get(key)), None)
    if isinstance(value, list):
        names = [name for entry in value if (name := _named(entry)) not in (None, "")]
        return names[0] if len(names) == 1 else names
    return value


def _listed(value: Any) -> list[Any]:
    """Return the names in a list, an object, or a cell with commas."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if isinstance(value, Mapping) and isinstance(value.get("nodes"), list):
        value = value["nodes"]
    entries = value if isinstance(value, list) else [value]
    names = [
        part for entry in entries for part in (_listed(entry) if isinstance(entry, str) else [_named(entry)])
    ]
    return [name for name in names if name not in (None, "")]


def _tell_repositories(rows: list[dict[str, Any]]) -> None:
    """Put the repository before the number where there are several: each counts its issues from 1."""
    owners = [_repository(row) for row in rows]
    if len(set(owners)) > 1:
        for row, owner in zip(rows, owners, strict=True):
            if owner:
                row["id"], row["project"] = f"{owner}/{row['id']}", owner


def _repository(row: Mapping[str, Any]) -> str:
    return found[1] if (found := _REPOSITORY.match(str(row.get("url", "")))) else ""


def one_repository(documents: Sequence[Document]) -> str | None:
    """Return the repository that all tickets of exports come from; None where there are several, or none is told."""
    owners = {_repository(document.fields) for document in documents}
    return next(iter(owners)) or None if len(owners) == 1 else None


def told_apart(documents: Sequence[Document], own: str | None) -> list[Document]:
    """Put the repository before the numbers of tickets that come from another than `own`, unless it is there."""
    found = []
    for document in documents:
        owner = _repository(document.fields)
        if owner and owner != own and not document.name.startswith(f"{owner}/"):
            fields = {**document.fields, "project": owner}
            found.append(replace(document, name=f"{owner}/{document.name}", fields=fields))
        else:
            found.append(document)
    return found
