"""Read XML as a stream of tags and text, in linear time and with a limit, without a tree and without fetching."""

from __future__ import annotations

from html.entities import html5
from typing import TYPE_CHECKING, Any, Final, Protocol
from xml.parsers import expat

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lexicloud.text.archive import Budget

# The most attributes of a tag that are passed on; no format has more, but a hostile file may.
_MOST_ATTRIBUTES: Final = 1_000


class Handler(Protocol):
    """Receives every tag of a stream and the text between them."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take an opening tag."""

    def end(self, tag: str) -> None:
        """Take a closing tag."""

    def text(self, data: str) -> None:
        """Take text, which may come in pieces."""


class XmlError(ValueError):
    """Bytes that are not well-formed XML."""


def parse_xml(
    pieces: Iterable[bytes],
    handler: Handler,
    budget: Budget,
    *,
    prefixes: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> None:
    """Send the tags and the text of an XML file to a handler.

    With `prefixes`, from namespace to prefix, names are `prefix:name` (`?:name` in other namespaces); without, names
    have no prefix. HTML's named characters (`&mdash;`) need no declaration. External declarations are not fetched.
    """
    parser = expat.ParserCreate(encoding, None if prefixes is None else "}")
    parser.buffer_text = True
    parser.ordered_attributes = True
    parser.UseForeignDTD(True)  # noqa: FBT003 — C takes no keywords
    names = _Names(prefixes)

    def text(data: str) -> None:
        budget.spend(len(data))
        handler.text(data)

    def start(tag: str, attributes: list[str]) -> None:
        kept = attributes[: 2 * _MOST_ATTRIBUTES]
        handler.start(names[tag], {names[n]: v for n, v in zip(kept[::2], kept[1::2], strict=True)})

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: handler.end(names[tag])
    parser.CharacterDataHandler = text
    parser.SkippedEntityHandler = lambda name, parameter: None if parameter else text(_character(name))
    parser.ExternalEntityRefHandler = lambda *_: 1  # claim success without reading anything
    try:
        _feed(parser, pieces)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise XmlError(f"line {error.lineno:,}, column {error.offset + 1:,}: {what}") from None


def _character(name: str) -> str:
    return html5.get(f"{name};", f"&{name};")


def _feed(parser: Any, pieces: Iterable[bytes]) -> None:
    """Feed pieces to the parser; while a tag is unfinished, wait until its length has doubled before trying again."""
    held: list[bytes] = []
    fed = size = wanted = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= wanted:
            parser.Parse(b"".join(held), False)  # noqa: FBT003
            fed, held, size = fed + size, [], 0
            wanted = fed - max(0, parser.CurrentByteIndex)
    parser.Parse(b"".join(held), True)  # noqa: FBT003


class _Names(dict[str, str]):
    """Names of tags and attributes as handlers get them, computed once each."""

    def __init__(self, prefixes: Mapping[str, str] | None) -> None:
        self._prefixes = prefixes

    def __missing__(self, name: str) -> str:
        if self._prefixes is None:
            found = name.rpartition(":")[2]
        else:
            space, bracket, local = name.rpartition("}")
            found = f"{self._prefixes.get(space, '?')}:{local}" if bracket else local
        if len(self) < _MOST_ATTRIBUTES:  # so that a file with ever new names cannot fill the memory
            self[name] = found
        return found


class Collector:
    """A handler that keeps the tags of a small file: name, attributes, and the text up to the next opening tag."""

    def __init__(self) -> None:
        self.tags: list[tuple[str, Mapping[str, str], list[str]]] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take an opening tag."""
        self.tags.append((tag, attributes, []))

    def end(self, tag: str) -> None:
        """Ignore closing tags."""

    def text(self, data: str) -> None:
        """Add text to the tag that was opened last."""
        if self.tags:
            self.tags[-1][2].append(data)

    def of(self, *names: str) -> list[tuple[Mapping[str, str], str]]:
        """Return the attributes and the text of all tags of some names, in their order."""
        return [(attributes, "".join(text).strip()) for tag, attributes, text in self.tags if tag in names]


def collect_xml(data: bytes, budget: Budget) -> Collector:
    """Return the tags of a small XML file."""
    found = Collector()
    try:
        parse_xml([data], found, budget)
    except XmlError as error:
        raise ValueError(f"damaged XML, {error}") from None
    return found
