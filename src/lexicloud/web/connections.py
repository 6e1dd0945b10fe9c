"""Limits on connections, so that slow clients, or many of them, do not block others; and a log that cannot fail.

uvicorn limits the time between two requests but not the time that the head of a request takes, so the protocol below
adds that limit. A server that is full closes the connection that has waited longest without a complete request, and
refuses a new one only if all others are being answered.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Any, ClassVar, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from lexicloud.web.settings import is_loopback

if TYPE_CHECKING:
    import asyncio

    from lexicloud.web.settings import ServerSettings

RESERVED: Final = 128  # open files reserved for indexes, uploads, jobs and the log
OPEN_FILES: Final = 4096  # how many a server asks the system for
_LINGER: Final = 5.0  # seconds for a client to read the last answer of a closed connection
_LEAST_RATE: Final = 1024  # bytes a second that a client must read of its answer
_REPEAT: Final = 10.0  # seconds in which the same warning is logged once
_FULL: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 2\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
)
_SLOW: Final = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Door:
    """The connections of a server: how many each address has, and which have no request being answered."""

    def __init__(self, settings: ServerSettings) -> None:
        limits = settings.limits
        self.head_seconds, self.stall_seconds = limits.heads, limits.reading
        self._most = min(limits.connections, max(16, open_files() - RESERVED))
        self._most_each = limits.per_address
        self._proxies = settings.proxies
        self._held: Counter[str] = Counter()
        self._waiting: OrderedDict[Connection, None] = OrderedDict()

    def __len__(self) -> int:
        return self._held.total()

    def admit(self, new: Connection) -> bool:
        """Count a connection. If there are too many, close one that only waits; return False if there is none."""
        address = new.address
        self._held[address] += 1
        if self._is_one_client(address) and self._held[address] > self._most_each:
            return self._let_go(address)
        return len(self) <= self._most or self._let_go(None)

    def _is_one_client(self, address: str) -> bool:
        """Tell whether an address is one client; a proxy, or this machine, may stand for many."""
        return not is_loopback(address) and address not in self._proxies

    def _let_go(self, address: str | None) -> bool:
        found = next((one for one in self._waiting if address in {None, one.address}), None)
        if found is None:
            return False
        del self._waiting[found]
        found.transport.abort()
        return True

    def waits(self, connection: Connection) -> None:
        """Note that a connection has no complete request."""
        self._waiting.setdefault(connection)

    def answers(self, connection: Connection) -> None:
        """Note that a request is being answered: then the connection is not closed to make room."""
        self._waiting.pop(connection, None)

    def left(self, connection: Connection) -> None:
        """Forget a connection."""
        self._waiting.pop(connection, None)
        self._held[connection.address] -= 1
        if self._held[connection.address] <= 0:
            del self._held[connection.address]


class Connection(H11Protocol):
    """One connection, with time limits for the head of each request and for reading the answer."""

    door: ClassVar[Door]
    _head_timer: asyncio.TimerHandle | None = None
    _stall_timer: asyncio.TimerHandle | None = None

    @property
    def address(self) -> str:
        """Where the connection comes from."""
        return self.client[0] if self.client else "unknown"

    @property
    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: Any) -> None:
        """Count the connection, and refuse it where there are too many."""
        super().connection_made(transport)
        if self.door.admit(self):
            self._watch()
        else:
            self._end(_FULL)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection and stop its timers."""
        self.door.left(self)
        for timer in (self._head_timer, self._stall_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take data, and start the timer of the head if a request begins."""
        super().data_received(data)
        self._watch()

    def shutdown(self) -> None:
        """Let a stopping server wait for what it answers, not for the rest of a request."""
        if not self._idle and self.cycle.more_body and not self.cycle.response_started:
            self._end(_FULL)
        else:
            super().shutdown()

    def on_response_complete(self) -> None:
        """Wait for the next request; uvicorn limits the time until it begins."""
        super().on_response_complete()
        if self._idle:
            self.door.waits(self)

    def _watch(self) -> None:
        if self._idle or self.cycle.more_body:
            self.door.waits(self)
        else:
            self.door.answers(self)
        if not self._idle:
            if self._head_timer is not None:
                self._head_timer.cancel()
                self._head_timer = None
        elif self._head_timer is None and not self.transport.is_closing():
            self._head_timer = self.loop.call_later(self.door.head_seconds, self._end, _SLOW)

    def _end(self, answer: bytes = b"") -> None:
        """Close the connection, and abort it if the client does not read what was written."""
        if not self.transport.is_closing():
            if answer:
                self.transport.write(answer)
            self.transport.close()
        self.loop.call_later(_LINGER, self.transport.abort)

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection without a next request, even if the client has not read the last answer."""
        super().timeout_keep_alive_handler()
        self._end()

    def pause_writing(self) -> None:
        """Start to watch a client that does not read."""
        super().pause_writing()
        self._stalled(None)

    def resume_writing(self) -> None:
        """Stop watching."""
        super().resume_writing()
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None

    def _stalled(self, before: int | None) -> None:
        """Abort the connection of a client that reads less than a kilobyte a second."""
        left, seconds = self.transport.get_write_buffer_size(), self.door.stall_seconds
        if before is not None and left > before - _LEAST_RATE * seconds:
            self.transport.abort()
            return
        self._stall_timer = self.loop.call_later(seconds, self._stalled, left)


def connection_class(settings: ServerSettings) -> type[Connection]:
    """Return the protocol class of one server: uvicorn makes an object for each connection, and all share a `Door`."""
    return type("Connection", (Connection,), {"door": Door(settings)})


def open_files() -> int:
    """Return how many files this process may have open, after asking the system for more."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return OPEN_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return OPEN_FILES if soft == resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


class PlainHandler(logging.Handler):
    """Writes log lines to stderr without anything that can fail: it opens no file, imports nothing and raises nothing.

    The same warning is written once in ten seconds: a server that cannot accept connections would write it a thousand
    times.
    """

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        try:
            message = record.getMessage()
            if record.levelno < logging.WARNING or self._is_new(message):
                # UTC is computed; for the local time a file would have to be read.
                clock = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(record.created))
                line = f"{clock} {record.name} {message}{_cause(record)}\n"
                os.write(sys.stderr.fileno(), line.encode("utf-8", "replace"))
        except Exception:  # noqa: S110 — a log must not end a server
            pass

    def _is_new(self, message: str) -> bool:
        now = time.monotonic()
        if now - self._told.get(message, -_REPEAT) < _REPEAT:
            return False
        if len(self._told) > 100:
            self._told.clear()
        self._told[message] = now
        return True


def _cause(record: logging.LogRecord) -> str:
    """Return an error with the places that led to it, without opening source files."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return ""
    places, step = [], error.__traceback__
    while step is not None:
        places.append(f"{step.tb_frame.f_code.co_filename}:{step.tb_lineno}")
        step = step.tb_next
    return f": {type(error).__name__}: {error} ({' > '.join(places[-6:])})"


def on_loop_trouble(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error inside the event loop, such as a connection that could not be accepted, and go on."""
    error = context.get("exception")
    message = f"{context.get('message', 'trouble in the event loop')}"
    logging.getLogger("lexicloud.web").warning(message, exc_info=error)
