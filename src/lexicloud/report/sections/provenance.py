"""The section that says where the numbers come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexicloud.report.html import paragraph, table, tag

if TYPE_CHECKING:
    from lexicloud.report.parts.provenance import Provenance

_STEPS = {
    "reading": "what was read",
    "divergence_map": "who is like whom",
    "attribution": "attribution",
    "zipf": "Zipf’s law",
    "search": "search",
}


def blocks(part: Provenance) -> list[object]:
    """Return the command first, then settings, versions and times."""
    settings = [[name, _plain(value)] for name, value in {**part.rules, **part.settings}.items()]
    steps = [[_STEPS.get(name, name), round(value, 1)] for name, value in part.seconds.items()]
    return [
        paragraph(part.finding, "lead"),
        paragraph("The same command gives the same numbers:"),
        tag("pre", tag("code", part.command)),
        table(
            ["setting", "value"],
            [["vectors", part.vectors], ["their fingerprint", part.fingerprint], *settings],
            caption="Settings",
        ),
        table(["package", "version"], list(part.versions.items()), caption="Versions"),
        table(["part", "seconds"], steps, caption="Run time"),
    ]


def _plain(value: object) -> object:
    if value is None or value == []:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
