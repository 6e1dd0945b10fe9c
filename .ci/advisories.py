"""Ask pip-audit about the locked requirements; say in one line when it could not be asked.

pip-audit needs an advisory service. Without a network it ends in an error, and behind a package mirror that serves
files alone it skips every package and reports "no known vulnerabilities". Neither says anything about the
packages, so neither fails the run, and both are called by their name: not run.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

_COMMAND = (
    *(sys.executable, "-m", "pip_audit", "--requirement", "requirements-dev.txt"),
    *(
        "--disable-pip",
        "--require-hashes",
        "--format",
        "json",
        "--progress-spinner",
        "off",
        "--timeout",
        "15",
    ),
)


def main() -> int:
    """Return 1 for a known vulnerability, else 0."""
    packages = _audited()
    if isinstance(packages, str):
        print(f"pip-audit: not run ({packages})")
        return 0
    found = [(package, advisory) for package in packages for advisory in package["vulns"]]
    for package, advisory in found:
        fixed = ", ".join(advisory["fix_versions"]) or "no version yet"
        print(f"pip-audit: {package['name']} {package['version']}: {advisory['id']}, fixed in {fixed}")
    print(f"pip-audit: {len(packages)} packages asked about, {len(found)} known vulnerabilities")
    return 1 if found else 0


def _audited() -> list[dict[str, Any]] | str:
    """Return the packages that the service knew, or why there are none."""
    try:
        # Extra arguments pass through, say --ignore-vuln ID for an advisory that does not concern us.
        asked = subprocess.run(
            [*_COMMAND, *sys.argv[1:]], capture_output=True, text=True, timeout=300, check=False
        )
    except subprocess.TimeoutExpired:
        return "the advisory service did not answer within five minutes"
    try:
        packages = json.loads(asked.stdout)["dependencies"]
    except (ValueError, KeyError):
        return "the advisory service cannot be reached from here"
    known = [package for package in packages if "vulns" in package]
    return known or "the package index here serves no advisories"


if __name__ == "__main__":
    sys.exit(main())
