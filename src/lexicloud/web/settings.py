"""The settings of a server: where it listens, what it may read, and its limits."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from lexicloud.errors import OptionError
from lexicloud.operations.asked import ROWS, TEXT

LEAST_TOKEN: Final = 16  # characters; a shorter token could be guessed over a network
MIB: Final = 1 << 20


@dataclass(frozen=True)
class ServerLimits:
    """Limits of one request, one client and the whole server; beyond them the answer is 413, 422, 429 or 503."""

    body: int = 32 * MIB  # bytes of one request that carries texts
    small: int = MIB  # bytes of any other request: a search, a question, an answer
    head: int = 16 << 10  # bytes of a request's address and headers
    values: int = (
        1_000_000  # values of the JSON of one request, names of fields included: 20,000 rows of 25 fields
    )
    in_flight: int = 128 * MIB  # bytes of all requests that have arrived and are not answered
    upload: int = 32 * MIB  # bytes of one file
    text: int = TEXT  # characters of one text
    rows: int = ROWS  # rows of one table
    seconds: float = 20.0  # for an answer that a client waits for
    heads: float = 10.0  # seconds for a request's head to arrive
    reading: float = 30.0  # seconds for a request's body to arrive
    connections: int = 1000  # at once; fewer where the system allows fewer open files
    per_address: int = 100  # connections of one address that is neither a proxy nor this machine
    waiting: int = 256  # searches that wait for a free thread
    jobs: int = 2  # jobs at once
    queued: int = 16  # jobs that wait
    job_seconds: float = 600.0
    job_memory: int = 2048 * MIB  # bytes that a job may take beyond what it shares with the server
    sources: int = 8  # collections of dropped texts of one browser, in memory
    all_sources: int = 64  # of all browsers
    dropped: int = 128_000_000  # characters of all dropped texts
    participants: int = 1000  # of a study
    # requests of one client; None: no limit on loopback without a token, else 1,200
    per_minute: int | None = None


@dataclass(frozen=True)
class ServerSettings:
    """A server's settings.

    On a loopback address no token is needed; on any other address, or with further names or proxies, it is. Files are
    read only at the start, from `indexes` and `folders`; no request can name a path.
    """

    host: str = "127.0.0.1"
    port: int = 8321
    token: str | None = field(default=None, repr=False)
    names: tuple[str, ...] = ()  # further host names that the server is reached by
    proxies: frozenset[str] = frozenset()  # addresses whose X-Forwarded-For and -Proto are believed
    indexes: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()
    study: Path | None = None
    # The code for the results of a study, where the server has no token.
    owner: str = field(default_factory=lambda: secrets.token_urlsafe(12), repr=False)
    demo: bool = True
    vectors: str | None = None
    limits: ServerLimits = field(default_factory=ServerLimits)

    def __post_init__(self) -> None:
        if self.token is not None and len(self.token) < LEAST_TOKEN:
            raise OptionError(
                f"the token has {len(self.token)} characters, but at least {LEAST_TOKEN} are needed: "
                'python -c "import secrets; print(secrets.token_urlsafe())" makes one'
            )
        if self.token is None and not self.loopback:
            raise OptionError(
                f"{self.host} can be reached by others, so a token is needed: "
                "set LEXICLOUD_TOKEN or give --token-file, or listen on 127.0.0.1"
            )
        if self.token is None and (self.names or self.proxies):
            raise OptionError(
                "a server with a name or behind a proxy can be reached by others, so a token is needed: "
                "set LEXICLOUD_TOKEN or give --token-file, or leave --name and --proxy out"
            )
        for address in self.proxies:
            _check_address(address)

    @property
    def loopback(self) -> bool:
        """Whether the server can be reached only from this machine."""
        return is_loopback(self.host)

    @property
    def threads(self) -> int:
        """How many searches run at once."""
        return max(2, min(8, os.cpu_count() or 2))

    @property
    def per_minute(self) -> int | None:
        """How many requests one client may send in a minute: too few to guess a token."""
        return self.limits.per_minute or (None if self.token is None else 1200)

    def allowed_hosts(self) -> frozenset[str]:
        """Return the host names, without port, that a request may have; others are DNS rebinding, or a mistake."""
        own = {"localhost", "127.0.0.1", "::1"} if self.loopback else {self.host.lower()}
        return frozenset(own | {name.lower() for name in self.names})


def is_loopback(host: str) -> bool:
    """Tell whether an address can be reached only from this machine.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "192.168.1.4", "example.org")]
    [True, True, True, False, False, False]
    """
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _check_address(given: str) -> None:
    try:
        ip_address(given)
    except ValueError:
        raise OptionError(f"--proxy {given!r} is no address: give one such as 127.0.0.1") from None
