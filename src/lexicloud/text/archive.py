"""Zip archives and XML, read piece by piece, with a limit on what may be unpacked from one file.

XML is a stream of tags and text, read in linear time, without a tree and without fetching.
"""

from __future__ import annotations

import re
import zipfile
from html.entities import html5
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, Protocol
from xml.parsers import expat

from lexicloud.errors import InputError
from lexicloud.store.files import too_large, unpack_limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_CHUNK: Final = 1 << 16
# The methods that office programs and archivers use. With others, unpacking cannot stop at the limit.
_METHODS: Final = frozenset((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
_ENCRYPTED: Final = 0x1
# Entries of an archive: each takes half a kilobyte of memory before anything is unpacked.
MOST_ENTRIES: Final = 100_000


class Budget:
    """A limit on one file: it counts the bytes that are unpacked and the characters of text.

    The limit is the largest of the file's own size, 16 MB, and a hundred times its size (at most 256 MB);
    LEXICLOUD_UNPACK_MB sets another.
    """

    def __init__(self, packed: int, source: str) -> None:
        self.packed, self.source = packed, source
        self.limit = max(packed, unpack_limit(packed))
        self.spent = 0

    def spend(self, amount: int) -> None:
        """Count bytes or characters; raise an error when they exceed the limit."""
        self.spent += amount
        if self.spent > self.limit:
            raise too_large(self.source, self.packed, self.limit)


class Archive:
    """The parts of a zip file, in the order of the file, each unpacked piece by piece."""

    def __init__(self, data: bytes, budget: Budget) -> None:
        if data.count(b"PK\x01\x02") > MOST_ENTRIES:
            raise InputError(
                f"{budget.source} has more than {MOST_ENTRIES:,} entries: unpack it and give the folder"
            )
        self._zip = zipfile.ZipFile(BytesIO(data))
        self._entries = {entry.filename: entry for entry in self._zip.infolist() if not entry.is_dir()}
        self._budget = budget

    @property
    def names(self) -> list[str]:
        """The names of all parts that are files."""
        return list(self._entries)

    def pieces(self, name: str) -> Iterator[bytes]:
        """Unpack one part in pieces of 64 kB, and stop with an error at the limit."""
        if name not in self._entries:
            raise ValueError(f"there is no part {name}")
        entry = self._entries[name]
        if entry.flag_bits & _ENCRYPTED:
            raise ValueError(f"{name} is locked with a password")
        if entry.compress_type not in _METHODS:
            raise ValueError(f"{name} is packed in an unusual way: pack it again as an ordinary .zip")
        self._budget.spend(0 if entry.file_size <= self._budget.limit else entry.file_size)
        with self._zip.open(entry) as packed:
            while piece := packed.read(_CHUNK):
                self._budget.spend(len(piece))
                yield piece

    def read(self, name: str) -> bytes:
        """Unpack a whole part."""
        return b"".join(self.pieces(name))


# The most attributes of a tag that are passed on; no format has more, but a hostile file may.
_MOST_ATTRIBUTES: Final = 1_000
# Tags inside tags: each that is open takes memory, and no text has a hundredth of them.
_DEEPEST: Final = 10_000
_MOST_TAGS: Final = 100_000  # of a small file that is kept whole
_PIECE: Final = 1 << 16  # bytes that are parsed at once
# Where a file declares entities, a tag may be made of them: a quarter of a megabyte times a thousand at most.
_LONGEST_ENTITY: Final = 3_000  # characters
_LONGEST_TAG: Final = 2 * _PIECE  # bytes
_NESTED: Final = 20  # entities inside entities
_REFERENCE: Final = re.compile(r"&([^#;&\s][^;&\s]*);")


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
    names, entities = _Names(prefixes), _Entities()
    depth = 0

    def text(data: str) -> None:
        budget.spend(len(data))
        handler.text(data)

    def start(tag: str, attributes: list[str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise XmlError(f"more than {_DEEPEST:,} tags are open inside each other")
        kept = attributes[: 2 * _MOST_ATTRIBUTES]
        handler.start(names[tag], {names[n]: v for n, v in zip(kept[::2], kept[1::2], strict=True)})

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        handler.end(names[tag])

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.SkippedEntityHandler = lambda name, parameter: None if parameter else text(_character(name))
    parser.ExternalEntityRefHandler = lambda *_: 1  # say that it was read, and read nothing
    parser.EntityDeclHandler = entities.declare
    parser.EndDoctypeDeclHandler = entities.check
    try:
        _feed(parser, pieces, entities)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise XmlError(f"line {error.lineno:,}, column {error.offset + 1:,}: {what}") from None


def _character(name: str) -> str:
    return html5.get(f"{name};", f"&{name};")


def _feed(parser: Any, pieces: Iterable[bytes], entities: _Entities) -> None:
    """Hand the pieces on; a tag longer than a piece is looked at again only when as much again has come."""
    held: list[bytes] = []
    fed = size = wanted = 0
    for piece in _sliced(pieces):
        held.append(piece)
        size += len(piece)
        if size >= wanted:
            parser.Parse(b"".join(held), False)  # noqa: FBT003
            fed, held, size = fed + size, [], 0
            wanted = fed - max(0, parser.CurrentByteIndex)
            if entities.values and wanted > _LONGEST_TAG:
                raise XmlError(f"a tag of more than {_LONGEST_TAG:,} bytes in a file that declares entities")
    parser.Parse(b"".join(held), True)  # noqa: FBT003


def _sliced(pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        for begin in range(0, len(piece), _PIECE):
            yield piece[begin : begin + _PIECE]


class _Entities:
    """What a file declares to stand for something: only short things, since expat puts them into tags uncounted."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def declare(self, name: str, is_parameter: int, value: str | None, *_: Any) -> None:
        """Take a declaration."""
        if value is not None and not is_parameter:
            self.values[name] = value

    def check(self) -> None:
        """Refuse what is long by itself, or by the entities inside it."""
        inside = {name: _REFERENCE.findall(value) for name, value in self.values.items()}
        sizes: dict[str, int] = {}
        for _ in range(_NESTED):
            before, sizes = (
                sizes,
                {
                    name: len(value) + sum(sizes.get(other, 0) for other in inside[name])
                    for name, value in self.values.items()
                },
            )
            if max(sizes.values(), default=0) > _LONGEST_ENTITY:
                raise XmlError(f"an entity stands for more than {_LONGEST_ENTITY:,} characters")
            if sizes == before:
                return
        raise XmlError(f"entities are nested more than {_NESTED} deep")


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
        if len(self.tags) >= _MOST_TAGS:
            raise XmlError(f"more than {_MOST_TAGS:,} tags")
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
