"""Examples of docstrings (`>>>`) as blocks of code in the reference: Markdown would take them for quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe

# From the first prompt to the next empty line; outputs with empty lines are written as <BLANKLINE>.
_EXAMPLE = re.compile(r"^>>> .*?(?=^\s*$|\Z)", re.MULTILINE | re.DOTALL)


class FencedExamples(griffe.Extension):
    """Put every example between fences."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of a module, class, function or attribute."""
        if obj.docstring is not None:
            found = _EXAMPLE.sub(lambda match: f"```pycon\n{match[0].rstrip()}\n```\n", obj.docstring.value)
            obj.docstring.value = found
