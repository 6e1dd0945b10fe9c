"""Every error that lexicloud raises on purpose.

LexicloudError
├── InputError            a file, a text or a table cannot be read as asked
│   └── EncodingError     bytes that are not text in the stated encoding
├── VectorsError          a vector file is malformed, or vectors do not fit each other
│   └── UnknownWord       a word has no vector (also a KeyError)
├── CorpusError           a corpus cannot be built, or has nothing to work on
│   └── UnknownDocument   no document of that name (also a KeyError)
├── EstimateError         the data cannot answer the question (too few points, k too large; also a ValueError)
├── OptionError           an argument has a value that is not allowed (also a ValueError)
├── StorageError          a saved folder is missing, damaged or of a newer format
│   └── BrokenIndex       a sentence index is broken, newer than this version, or does not fit the query
├── ClusterError          a scheduler or its workers cannot be reached, or went away
├── SurveyError           a study or its answers are not as they should be
│   ├── NoConsent         somebody takes part without having agreed to it
│   └── UnknownToken      a code to continue with that belongs to nobody
└── MissingExtra          an optional package is not installed; names the command that installs it (also an ImportError)

A message is one line: what is wrong, with the numbers, and what to do about it.
"""

from __future__ import annotations

import warnings
from pathlib import Path


class LexicloudError(Exception):
    """The root: catch this to catch every error that lexicloud raises on purpose."""

    def __str__(self) -> str:
        # A KeyError would show the message in quotes.
        return str(self.args[0]) if self.args else ""


class InputError(LexicloudError):
    """A file, a text or a table cannot be read as asked."""


class EncodingError(InputError):
    """Bytes that are not text in the stated encoding."""


class VectorsError(LexicloudError):
    """A vector file is malformed, or vectors do not fit each other."""


class UnknownWord(VectorsError, KeyError):
    """A word has no vector."""


class CorpusError(LexicloudError):
    """A corpus cannot be built, or has nothing to work on."""


class UnknownDocument(CorpusError, KeyError):
    """No document of that name."""


class EstimateError(LexicloudError, ValueError):
    """The data cannot answer the question."""


class OptionError(LexicloudError, ValueError):
    """An argument has a value that is not allowed."""


class StorageError(LexicloudError):
    """A saved folder is missing, damaged or of a newer format."""


class BrokenIndex(StorageError):
    """A sentence index is broken, newer than this version, or does not fit the query."""


class ClusterError(LexicloudError):
    """A scheduler or its workers cannot be reached, or went away."""


class SurveyError(LexicloudError):
    """A study or its answers are not as they should be."""


class NoConsent(SurveyError):
    """Somebody takes part in a study without having agreed to it."""


class UnknownToken(SurveyError):
    """A code to continue a study with that belongs to nobody."""


class MissingExtra(LexicloudError, ImportError):
    """An optional package is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f'{what} needs an optional package: pip install "lexicloud[{extra}]"')
        self.extra = extra


class LexicloudWarning(UserWarning):
    """Something a reader of the result should know."""


def shortage(error: BaseException) -> str | None:
    """Return what the system lacked if that caused an error (memory, threads, files), else None.

    >>> shortage(RuntimeError("can't start new thread")), shortage(KeyError("a"))
    ('the system starts no more threads: end other programs, or try again later', None)
    """
    if isinstance(error, MemoryError):
        return "not enough memory: take fewer or shorter texts, or a smaller sample"
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return "the system starts no more threads: end other programs, or try again later"
    if isinstance(error, OSError) and not isinstance(error, ConnectionError | TimeoutError | ImportError):
        return f"the system refused ({error.strerror or type(error).__name__}): try again later"
    return None


def warn(message: str) -> None:
    """Show a `LexicloudWarning` that points at the user's line that called lexicloud."""
    from inspect import currentframe

    home, depth, frame = str(Path(__file__).parent), 1, currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(home):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(message, LexicloudWarning, stacklevel=depth)
