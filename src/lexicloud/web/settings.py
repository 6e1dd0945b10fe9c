"""What a server is told at its start: where it listens, what it may read, and how much it takes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from lexicloud.errors import OptionError

LEAST_TOKEN: Final = 16  # characters: shorter ones can be guessed over a network
MIB: Final = 1 << 20


@dataclass(frozen=True)
class Limits:
    """How much one request, one client and the whole server may take; beyond it the answer is 413, 422, 429 or 503."""

    body: int = 32 * MIB  # bytes of one request
    upload: int = 8 * MIB  # bytes of one file
    query: int = 10_000  # characters of one query
    text: int = 4_000_000  # characters of one text: a long novel has three million
    texts: int = 400  # texts of one request
    rows: int = 20_000  # rows of one table, or sentences added to an index at once
    top: int = 50  # results of one search
    queries: int = 200  # queries of one search_many
    seconds: float = 20.0  # for an answer that is waited for
    reading: float = 30.0  # seconds for a request's body to arrive
    waiting: int = 256  # searches that wait for a free thread
    jobs: int = 2  # jobs at once
    queued: int = 16  # jobs that wait
    job_seconds: float = 600.0
    sources: int = 8  # collections of dropped texts, in memory
    per_minute: int | None = None  # requests of one client; None: no limit on loopback, 1,200 elsewhere


@dataclass(frozen=True)
class Settings:
    """A server's settings.

    On a loopback address nobody needs a token; on any other address everybody does. Files are read at the
    start, from `indexes` and `folders`; no request can name a path.
    """

    host: str = "127.0.0.1"
    port: int = 8321
    token: str | None = field(default=None, repr=False)
    names: tuple[str, ...] = ()  # further host names that the server is reached by
    indexes: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()
    study: Path | None = None
    demo: bool = True
    vectors: str | None = None
    limits: Limits = field(default_factory=Limits)

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

    @property
    def loopback(self) -> bool:
        """Whether the server listens to this machine alone."""
        return is_loopback(self.host)

    @property
    def threads(self) -> int:
        """How many searches run at once."""
        return max(2, min(8, os.cpu_count() or 2))

    @property
    def per_minute(self) -> int | None:
        """How often one client may ask in a minute; nobody guesses a token at this pace."""
        return self.limits.per_minute or (None if self.loopback else 1200)

    def allowed_hosts(self) -> frozenset[str]:
        """The host names, without port, that a request may be addressed to; others are DNS rebinding, or a mistake."""
        own = {"localhost", "127.0.0.1", "::1"} if self.loopback else {self.host.lower()}
        return frozenset(own | {name.lower() for name in self.names})


def is_loopback(host: str) -> bool:
    """Tell whether an address belongs to this machine alone.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "192.168.1.4", "example.org")]
    [True, True, True, False, False, False]
    """
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
