"""Write docs/reference.md from the docstrings of the public names: `make docs`.

`--check` writes nothing and fails when the page is not what the docstrings say.
"""

from __future__ import annotations

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "reference.md"
PACKAGES = (
    "corpus",
    "neighbours",
    "divergences",
    "authorship",
    "zipf",
    "search",
    "labelling",
    "report",
    "survey",
    "text",
    "vectors",
    "errors",
)


def main(arguments: list[str]) -> int:
    """Write the page, or compare it."""
    page = render()
    if "--check" in arguments:
        return 0 if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page else 1
    PAGE.write_text(page, encoding="utf-8")
    print(f"wrote {PAGE.name}: {page.count('### ')} names")
    return 0


def render() -> str:
    """Return the whole page."""
    parts = ["# Reference\n\nEvery public name, from its docstring. `make docs` rebuilds this page.\n"]
    for package in PACKAGES:
        module = import_module(f"lexicloud.{package}")
        parts.append(f"\n## lexicloud.{package}\n\n{inspect.getdoc(module) or ''}\n")
        parts.extend(entry(package, name, getattr(module, name)) for name in names(module))
    return "".join(parts)


def names(module: Any) -> list[str]:
    """Return what a package exports; the error tree exports every class."""
    listed = getattr(module, "__all__", None)
    if listed is None:
        listed = [
            n for n, v in vars(module).items() if inspect.isclass(v) and v.__module__ == module.__name__
        ]
    return [n for n in listed if callable(getattr(module, n))]


def entry(package: str, name: str, value: Any) -> str:
    """Return one name with its signature and docstring; methods of classes follow in a list."""
    text = f"\n### {name}\n\n```python\nlexicloud.{package}.{name}{signature(value)}\n```\n\n{body(value)}\n"
    if inspect.isclass(value) and not issubclass(value, Exception):
        text += methods(value)
    return text


def body(value: Any) -> str:
    """Return a docstring with its examples fenced."""
    lines, out, fenced = (inspect.getdoc(value) or "").splitlines(), [], False
    for line in lines:
        if line.startswith(">>>") and not fenced:
            out.append("```python")
            fenced = True
        elif fenced and not line.strip():
            out.append("```")
            fenced = False
        out.append(line)
    return "\n".join([*out, "```"] if fenced else out)


def signature(value: Any) -> str:
    """Return a signature, or nothing where there is none to show."""
    try:
        shown = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    # Postponed annotations are strings; a reader wants the types.
    shown = re.sub(r"(: |-> )'([^']*)'", r"\1\2", shown)
    return shown if " at 0x" not in shown else "(…)"


def methods(value: type) -> str:
    """List the public methods and properties of a class, each with its first sentence."""
    rows = []
    for name, member in vars(value).items():
        doc = inspect.getdoc(member)
        if name.startswith("_") or not doc or isinstance(member, type):
            continue
        if isinstance(member, property | classmethod | staticmethod) or inspect.isfunction(member):
            rows.append(f"- `{name}`: {doc.splitlines()[0]}")
    return "\n" + "\n".join(rows) + "\n" if rows else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
