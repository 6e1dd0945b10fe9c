"""Unpacking what others packed: a small file that unpacks to gigabytes is refused before it does."""

from __future__ import annotations

import gzip
import os
import zipfile
import zlib
from io import BytesIO
from typing import Final

from lexicloud.errors import InputError, OptionError

VARIABLE: Final = "LEXICLOUD_UNPACK_MB"
_MOST: Final = 256  # megabytes: some fifty million words
_RATIO: Final = 100  # text packs to a fifth, the most repetitive to a fiftieth
_SMALL: Final = 16  # megabytes that any file may unpack to, whatever the ratio


def unpack_limit(packed: int) -> int:
    """Return how many bytes a file of `packed` bytes may unpack to; LEXICLOUD_UNPACK_MB lifts the limit."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        if not chosen.isdecimal():
            raise OptionError(f"{VARIABLE}={chosen!r} is not a number of megabytes")
        return int(chosen) << 20
    return min(_MOST << 20, max(_SMALL << 20, _RATIO * packed))


def too_large(source: str, packed: int, limit: int) -> InputError:
    """Return the error for a file that unpacks to more than the limit."""
    return InputError(
        f"{source} unpacks from {packed / 1e6:,.1f} MB to more than {limit >> 20:,} MB, as no text does: "
        f"if you trust it, set {VARIABLE} to the megabytes that it may take"
    )


def gunzip(data: bytes, source: str) -> bytes:
    """Unpack gzipped bytes, at most to the limit."""
    limit = unpack_limit(len(data))
    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as packed:
            unpacked = packed.read(limit + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise InputError(f"{source} is a damaged gzip file: {error}") from None
    if len(unpacked) > limit:
        raise too_large(source, len(data), limit)
    return unpacked


def check_zip(data: bytes, source: str) -> None:
    """Refuse a zip archive that unpacks to more than the limit; what it says of its sizes binds its readers."""
    limit = unpack_limit(len(data))
    with zipfile.ZipFile(BytesIO(data)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > limit:
            raise too_large(source, len(data), limit)
