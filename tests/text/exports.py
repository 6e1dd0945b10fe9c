"""Exports of trackers as these write them, made from the same few tickets."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

TICKETS: list[dict[str, Any]] = [
    {
        "n": 1, "title": "Program closes while loading huge images", "body": "", "labels": ["bug", "images"],
        "state": "open", "day": "2022-01-05",
    },
    {
        "n": 2, "title": "Login fails", "body": "My password is not accepted since the update.\nPlease help.",
        "labels": ["bug"], "state": "closed", "day": "2021-11-30",
    },
    {
        "n": 3, "title": "Größe falsch", "body": 'The printer prints "A4, landscape" in the wrong size.',
        "labels": [], "state": "open", "day": "2023-06-01",
    },
]  # fmt: skip
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
STATES = {"open": "To Do", "closed": "Done"}


def _csv(rows: list[list[str]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def jira_csv() -> str:
    """Return Jira's CSV: a column for each label, all of one name, and the dates of its default locale."""
    header = [
        "Summary",
        "Issue key",
        "Issue id",
        "Issue Type",
        "Status",
        "Project key",
        "Reporter",
        "Created",
    ]
    rows = [[*header, "Labels", "Labels", "Description", "Comment", "Comment"]]
    for t in TICKETS:
        year, month, day = t["day"].split("-")
        created = f"{day}/{_MONTHS[int(month) - 1]}/{year[2:]} 3:45 PM"
        labels = [*t["labels"], "", ""][:2]
        known = [
            t["title"],
            f"APP-{t['n']}",
            str(10_000 + t["n"]),
            "Bug",
            STATES[t["state"]],
            "APP",
            "jo",
            created,
        ]
        rows.append([*known, *labels, t["body"], "05/Jan/22 4:00 PM;ann;Me too", ""])
    return _csv(rows)


def jira_json() -> str:
    """Return an answer of Jira's REST API (version 3), whose descriptions are documents of their own kind."""
    issues = []
    for t in TICKETS:
        lines = [
            {
                "type": "paragraph",
                "content": [{"type": "text", "text": line[:5]}, {"type": "text", "text": line[5:]}],
            }
            for line in t["body"].split("\n")
        ]
        fields = {
            "summary": t["title"],
            "description": {"type": "doc", "version": 1, "content": lines} if t["body"] else None,
            "status": {"name": STATES[t["state"]], "id": "1"},
            "issuetype": {"name": "Bug"},
            "labels": t["labels"],
            "created": f"{t['day']}T15:45:00.000+0000",
            "reporter": {"displayName": "jo", "accountId": "5b10"},
            "project": {"key": "APP"},
        }
        issues.append(
            {"id": str(10_000 + t["n"]), "key": f"APP-{t['n']}", "self": "https://x", "fields": fields}
        )
    return json.dumps({"startAt": 0, "total": len(issues), "issues": issues})


def github_gh() -> str:
    """Return what `gh issue list --json number,title,body,state,labels,createdAt,author,url` prints."""
    return json.dumps(
        [
            {
                "number": t["n"], "title": t["title"], "body": t["body"], "state": t["state"].upper(),
                "labels": [{"id": "x", "name": name, "color": "red"} for name in t["labels"]],
                "createdAt": f"{t['day']}T15:45:00Z", "author": {"login": "jo"},
                "url": f"https://github.com/a/app/issues/{t['n']}",
            }
            for t in TICKETS
        ]
    )  # fmt: skip


def github_api() -> str:
    """Return an answer of GitHub's REST API."""
    return json.dumps(
        [
            {
                "number": t["n"], "title": t["title"], "body": t["body"] or None, "state": t["state"],
                "labels": [{"name": name} for name in t["labels"]], "created_at": f"{t['day']}T15:45:00Z",
                "user": {"login": "jo"}, "html_url": f"https://github.com/a/app/issues/{t['n']}", "comments": 2,
            }
            for t in TICKETS
        ]
    )  # fmt: skip


def gitlab_csv() -> str:
    """Return the CSV that GitLab mails."""
    rows = [
        [
            "Title",
            "Description",
            "Issue ID",
            "URL",
            "State",
            "Author",
            "Author Username",
            "Created At (UTC)",
            "Labels",
        ]
    ]
    rows += [
        [
            t["title"], t["body"], str(t["n"]), "https://gitlab.com/a/app/-/issues/1", t["state"].capitalize(), "Jo",
            "jo", f"{t['day']} 15:45:00", ",".join(t["labels"]),
        ]
        for t in TICKETS
    ]  # fmt: skip
    return _csv(rows)


def gitlab_json() -> str:
    """Return an answer of GitLab's REST API."""
    states = {"open": "opened", "closed": "closed"}
    return json.dumps(
        [
            {
                "id": 900 + t["n"], "iid": t["n"], "title": t["title"], "description": t["body"] or None,
                "state": states[t["state"]], "labels": t["labels"], "created_at": f"{t['day']}T15:45:00.000Z",
                "author": {"id": 1, "username": "jo", "name": "Jo"}, "web_url": "https://gitlab.com/a/app/-/issues/1",
            }
            for t in TICKETS
        ]
    )  # fmt: skip


TRACKERS = {
    "jira.csv": jira_csv, "jira.json": jira_json, "gh.json": github_gh, "github.json": github_api,
    "gitlab.csv": gitlab_csv, "gitlab.json": gitlab_json,
}  # fmt: skip


def confluence_xml(path: Path) -> Path:
    """Write the XML export of a space: two pages, an old version of one, and a draft."""
    body = (
        "<p>Restart the <strong>spooler</strong>.</p><ac:structured-macro ac:name='code'><ac:parameter "
        "ac:name='language'>bash</ac:parameter><ac:plain-text-body><![CDATA[systemctl restart cups]] >"
        "</ac:plain-text-body></ac:structured-macro>"
    )

    def page(number: int, title: str, more: str = "", status: str = "current") -> str:
        return (
            f'<object class="Page" package="com.atlassian.confluence.pages"><id name="id">{number}</id>'
            f'<property name="title"><![CDATA[{title}]]></property>'
            f'<collection name="bodyContents" class="java.util.Collection"><element class="BodyContent" package="x">'
            f'<id name="id">{number + 1}</id></element></collection>'
            f'<property name="space" class="Space" package="y"><id name="id">7</id></property>'
            f'<property name="creationDate">2022-01-05 10:00:00.000</property>'
            f'<property name="lastModificationDate">2022-02-05 10:00:00.000</property>'
            f'<property name="contentStatus"><![CDATA[{status}]]></property>{more}</object>'
        )

    def content(number: int, owner: int, text: str) -> str:
        return (
            f'<object class="BodyContent" package="x"><id name="id">{number}</id><property name="body">'
            f'<![CDATA[{text}]]></property><property name="content" class="Page" package="x">'
            f'<id name="id">{owner}</id></property><property name="bodyType">2</property></object>'
        )

    old = '<property name="originalVersion" class="Page" package="x"><id name="id">100</id></property>'
    entities = (
        '<?xml version="1.0" encoding="UTF-8"?><hibernate-generic datetime="2022-03-01 10:00:00">'
        '<object class="Space" package="x"><id name="id">7</id><property name="key"><![CDATA[OPS]]></property></object>'
        + page(100, "Printer does not answer") + content(101, 100, body)
        + page(200, "Empty page") + page(300, "Printer", old) + page(400, "Draft", status="draft")
        + '<object class="Label" package="x"><id name="id">5</id><property name="name"><![CDATA[howto]]></property>'
        "</object>"
        '<object class="Labelling" package="x"><id name="id">6</id><property name="label" class="Label" package="x">'
        '<id name="id">5</id></property><property name="content" class="Page" package="x"><id name="id">100</id>'
        "</property></object></hibernate-generic>"
    )  # fmt: skip
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("entities.xml", entities)
        archive.writestr("exportDescriptor.properties", "exportType=space\n")
    return path


def confluence_html(folder: Path) -> Path:
    """Write the HTML export of a space."""
    folder.mkdir()
    (folder / "index.html").write_text(
        "<html><head><title>OPS (Operations)</title></head><body>Pages</body></html>"
    )
    (folder / "Printer-does-not-answer_100.html").write_text(
        "<!DOCTYPE html><html><head><title>Operations : Printer does not answer</title></head><body><div id='page'>"
        "<div class=\"page-metadata\">Created by <span class='author'> Jo Doe</span>, last modified on Feb 05, 2022"
        '</div><div id="main-content" class="wiki-content group"><p>Restart the <b>spooler</b>.</p></div>'
        '<div class="pageSection group"><h2>Attachments:</h2></div><div id="footer">Document generated</div></body>'
    )
    return folder
