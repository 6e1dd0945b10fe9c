"""Write dist/sbom.json: the packages that come with lexicloud, as a CycloneDX list of parts.

The installed environment is the source: what lexicloud requires here, and what that requires. Development tools
are left out, and so are extras, which a user chooses.
"""

from __future__ import annotations

import json
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

OUT = Path("dist/sbom.json")


def main() -> None:
    """Write the file and say what is in it."""
    ours = distribution("lexicloud")
    parts = _closure(ours)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _component(ours, "application")},
        "components": [_component(part, "library") for part in parts.values()],
        "dependencies": [
            {"ref": _address(part), "dependsOn": sorted(_address(parts[name]) for name in _required(part))}
            for part in (ours, *parts.values())
        ],
    }
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{OUT}: lexicloud {ours.version} and {len(parts)} packages")


def _closure(start: Distribution) -> dict[str, Distribution]:
    found: dict[str, Distribution] = {}
    waiting = _required(start)
    while waiting:
        name = min(waiting)
        waiting.discard(name)
        found[name] = distribution(name)
        waiting |= _required(found[name]) - set(found)
    return dict(sorted(found.items()))


def _required(part: Distribution) -> set[str]:
    """Return the names of the packages that a package needs in this environment."""
    names: set[str] = set()
    for line in part.requires or ():
        wanted = Requirement(line)
        if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
            names.add(canonicalize_name(wanted.name))
    return names


def _component(part: Distribution, kind: str) -> dict[str, Any]:
    facts = part.metadata
    licence = facts["License-Expression"] or facts["License"]
    short = licence if licence and "\n" not in licence else None
    return {
        "type": kind,
        "bom-ref": _address(part),
        "name": part.name,
        "version": part.version,
        "purl": _address(part),
        **({"licenses": [{"license": {"name": short}}]} if short else {}),
    }


def _address(part: Distribution) -> str:
    return f"pkg:pypi/{canonicalize_name(part.name)}@{part.version}"


if __name__ == "__main__":
    main()
