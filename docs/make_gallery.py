"""Draw the pictures of docs/gallery.md: what each block of Python before a picture returns is saved there."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
_BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n!\[.*?\]\((.*?)\))?", re.DOTALL)


def main(out: Path = FOLDER) -> list[Path]:
    """Run every block in its order, and save what those before a picture draw; return the pictures."""
    names: dict[str, Any] = {}
    pictures = []
    for block, picture in _BLOCK.findall((FOLDER / "gallery.md").read_text(encoding="utf-8")):
        tree = ast.parse(block)
        last = tree.body.pop() if picture else None
        exec(compile(tree, "gallery.md", "exec"), names)  # noqa: S102 (our own page)
        if isinstance(last, ast.Expr):
            axes = eval(compile(ast.Expression(last.value), "gallery.md", "eval"), names)  # noqa: S307
            (out / picture).parent.mkdir(parents=True, exist_ok=True)
            axes.figure.savefig(out / picture, dpi=80, bbox_inches="tight")
            pictures.append(out / picture)
    return pictures


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
