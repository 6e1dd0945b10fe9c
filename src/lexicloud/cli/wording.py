"""Messages in the words of the command line: options as they are typed, where the library names arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_arguments: set[str] = set()  # Python's names for the options of this run's command
# What the parser of options says, in plainer words.
_PLAINER: Final = (
    (r"Input should be a valid integer.*", "it should be a whole number"),
    (r"Input should be a valid number.*", "it should be a number"),
    (r"Input should be greater than or equal to", "it should be at least"),
    (r"Input should be less than or equal to", "it should be at most"),
    (r"Input should be", "it should be"),
)


def remember_options(command: Any) -> None:
    """Take a command (or group) for the one whose options `by_options` names."""
    _arguments.clear()
    _arguments.update(_names(command))


def _names(command: Any) -> Iterator[str]:
    for parameter in command.params:
        yield from (
            spelling[2:].replace("-", "_") for spelling in parameter.opts if spelling.startswith("--")
        )
    for inner in getattr(command, "commands", {}).values():
        yield from _names(inner)


def by_options(message: str) -> str:
    """Return a message with options in the place of arguments: `top = 0` is `--top 0` in a command that has it."""

    def option(found: re.Match[str]) -> str:
        name, value = found.groups()
        return f"--{name.replace('_', '-')} {value}" if name in _arguments else found.group()

    once = re.sub(r"\b\w+=[^\s=]+ or (?=--\w)", "", message)
    return re.sub(r"""(?<![\w/.-])(\w+) ?= ?('[^']*'|"[^"]*"|[^\s,;:)=]+)""", option, once)


def plainer(message: str) -> str:
    """Return what the parser of options says, in plainer words.

    >>> plainer("Invalid value for '--top': Input should be greater than or equal to 1")
    "Invalid value for '--top': it should be at least 1"
    """
    for said, plain in _PLAINER:
        message = re.sub(said, plain, message)
    return message


def time_left(seconds: float, done: float, total: float | None) -> str:
    """Return how long a task will still take if it goes on as it went, or how long it has taken while nobody can tell.

    >>> time_left(30, 10, 40), time_left(3, 0, 40), time_left(4000, 2, None)
    ('about 1:30 left', '0:03', '1:06:40')
    """
    known = bool(done and total and seconds >= 1)
    minutes, rest = divmod(round(seconds * ((total or done) - done) / done if known else seconds), 60)
    hours, minutes = divmod(minutes, 60)
    shown = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
    return f"about {shown} left" if known else shown
