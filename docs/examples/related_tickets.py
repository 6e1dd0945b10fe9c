"""Related tickets for a CSV of issues: on a laptop, offline, without a model to train or a service to pay for.

    python related_tickets.py [FOLDER]

makes a small table of tickets (`issues.csv`, and `jira.csv` as Jira exports it) in the folder, builds an index of it,
and asks for each of three new tickets which old ones it resembles. The tickets are made up.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path

import lexicloud as lc

FORM = "Please describe the problem below.\nVersion: {version}\n{body}\n\nThanks,\n{name}"
TICKETS = [
    # number, status, version, reporter, what was written
    (101, "open", "4.1", "Ada", "The app crashes when I open a large photo."),
    (102, "closed", "4.0", "Ben", "Program closes without a message while loading huge images."),
    (103, "open", "4.2", "Cleo", "The thumbnails of my pictures are blurred."),
    (104, "closed", "3.9", "Dov", "I cannot log in since I changed my password."),
    (105, "open", "4.2", "Eve", "The login page rejects my account after the reset of my credentials."),
    (106, "open", "4.1", "Finn", "Signing in takes minutes when the network is slow."),
    (107, "closed", "4.0", "Gus", "The printer feeds blank sheets of paper."),
    (108, "open", "4.2", "Hana", "Only half of each page is printed."),
    (109, "open", "4.2", "Ines", "The invoice shows the wrong tax for customers in Norway."),
    (110, "closed", "3.9", "Jon", "Bills for Swedish clients are computed with an old rate."),
    (111, "open", "4.1", "Kim", "The total of the invoice is rounded down."),
    (112, "closed", "4.0", "Lea", "Mails with attachments are not delivered."),
    (113, "open", "4.2", "Max", "A message with a big file attached stays in the outbox."),
    (114, "open", "4.1", "Nora", "The search finds nothing when a word is misspelled."),
    (115, "closed", "3.9", "Ole", "Dates are shown in the American order for British users."),
    (116, "open", "4.2", "Pia", "The calendar starts the week on Sunday and not on Monday."),
    (117, "open", "4.1", "Quinn", "The battery of my phone is empty after an hour with the app."),
    (118, "closed", "4.0", "Rosa", "The tablet gets hot and its charge drops quickly in the background."),
    (119, "open", "4.2", "Sam", "The map does not show my street."),
    (120, "closed", "4.1", "Tia", "Directions lead me along a road that was closed years ago."),
]
NEW = [
    "It freezes and quits as soon as I load a big picture.",
    "My password is not accepted any more.",
    "The VAT on the bill of a Danish customer is wrong.",
]


def write_table(path: Path) -> None:
    """Write the tickets as a tracker would export them: one row each, the form's text around what people wrote."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["number", "status", "body"])
        for number, status, version, name, body in TICKETS:
            rows.writerow([number, status, FORM.format(version=version, body=body, name=name)])


def write_export(path: Path) -> None:
    """Write the same as Jira does: a key, a summary, a description that may be empty, labels in columns of one name."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(
            ["Summary", "Issue key", "Status", "Reporter", "Created", "Labels", "Labels", "Description"]
        )
        for number, status, version, name, body in TICKETS:
            day, label = f"{number - 100:02d}/Mar/22 3:45 PM", "app" if number % 2 else "web"
            rows.writerow([body, f"APP-{number}", status, name, day, label, f"v{version}", ""])


def read_table(path: Path) -> list[tuple[int, str, dict[str, str]]]:
    """Read (id, text, metadata) triples, which is all that an index needs."""
    with path.open(newline="", encoding="utf-8") as file:
        return [(int(row["number"]), row["body"], {"status": row["status"]}) for row in csv.DictReader(file)]


def main(folder: Path) -> None:
    """Make the table, build the index, and ask."""
    write_table(folder / "issues.csv")
    write_export(folder / "jira.csv")
    index = lc.SentenceIndex.build(read_table(folder / "issues.csv"), boilerplate=True)
    index.save(folder / "issues.index")
    print(index)
    for ticket in NEW:
        print(f"\n{ticket}")
        for found in index.search(ticket, top=2):
            reasons = ", ".join(f"{m.near} → {m.word}" for m in found.matches[:3])
            print(f"  {found.id} ({found.metadata['status']}): {' '.join(found.text.split())}  [{reasons}]")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
