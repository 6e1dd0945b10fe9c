"""The guard at the door: which host, which origin, which token, how much, how often, and what a page may do."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

from lexicloud.web.faults import Fault, fault_of
from lexicloud.web.settings import MIB

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from lexicloud.web.service import Metrics
    from lexicloud.web.settings import Settings

COOKIE: Final = "lexicloud_session"
BUFFERED: Final = 256 * MIB  # bytes of all requests that are being read at one time
_SAFE: Final = frozenset(("GET", "HEAD", "OPTIONS"))
# What can be asked without a token: whether the server lives, what its API is, and a cookie for the token.
_OPEN: Final = frozenset(("/api/v1/health", "/api/v1/openapi.json", "/api/v1/session"))
_PRIVATE: Final = ("/api/", "/mcp")
# A study's participants have a code of their own; its results are the owner's.
_PARTICIPANTS: Final = frozenset(
    f"/api/v1/survey{way}" for way in ("", "/start", "/question", "/answer", "/comment")
)

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
_CLIENTS: Final = 10_000  # remembered at once; the one not seen for longest is forgotten


class Key:
    """The server's token and the cookie that stands for it in a browser; compared in constant time."""

    def __init__(self, token: str | None) -> None:
        self._token = None if token is None else sha256(token.encode()).digest()
        self._session = secrets.token_urlsafe(32)

    @property
    def needed(self) -> bool:
        """Whether anybody has to show a token."""
        return self._token is not None

    def fits(self, token: str) -> bool:
        """Tell whether this is the token."""
        given = sha256(token.encode("utf-8", "surrogateescape")).digest()
        return self._token is not None and hmac.compare_digest(given, self._token)

    def cookie(self) -> str:
        """Return what a browser keeps in the token's place until the server stops."""
        return self._session

    def admits(self, headers: Headers) -> bool:
        """Tell whether a request carries the token, or the cookie that was given for it."""
        if not self.needed:
            return True
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.fits(token.strip()):
            return True
        return hmac.compare_digest(_cookie(headers).encode(), self._session.encode())


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


class Guard:
    """ASGI middleware around everything else."""

    def __init__(self, app: ASGIApp, settings: Settings, key: Key, metrics: Metrics) -> None:
        self._app = app
        self._hosts = settings.allowed_hosts()
        self._any_host = settings.host in {"0.0.0.0", "::"} and not settings.names  # noqa: S104
        self._limits = settings.limits
        self._key = key
        self._per_minute = settings.per_minute
        self._rate = RateLimit(self._per_minute)
        self._metrics = metrics
        self._buffered = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, pass it on, and put the headers on its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        answer = _Answer(scope, send)
        held = 0
        try:
            headers = Headers(scope=scope)
            self._check(scope, headers)
            body = await self._read(headers, receive)
            held = len(body)
            self._buffered += held
            await self._app(scope, _replayed(body, receive), answer)
        except Exception as error:  # the last stop: no error leaves without an answer
            if answer.status is None:
                await fault_of(error).response()(scope, receive, answer)
        finally:
            self._buffered -= held
            self._metrics.request(scope, answer.status or 500, time.perf_counter() - start)

    def _check(self, scope: Scope, headers: Headers) -> None:
        path: str = scope["path"]
        self._check_host(headers)
        private = path.startswith(_PRIVATE)
        self._check_origin(scope["method"], headers, private=private)
        if private and path not in _OPEN | _PARTICIPANTS and not self._key.admits(headers):
            raise Fault(
                401,
                "this server needs a token",
                "send it as 'Authorization: Bearer TOKEN'; whoever started the server has it",
                headers={"www-authenticate": "Bearer"},
            )
        client = scope.get("client") or ("unknown", 0)
        seconds = self._rate.wait(str(client[0]))
        if seconds:
            wait = int(seconds) + 1
            raise Fault(
                429,
                f"more than {self._per_minute} requests a minute",
                f"wait {wait} s",
                headers={"retry-after": str(wait)},
            )

    def _check_host(self, headers: Headers) -> None:
        """Refuse names that are not ours: a page elsewhere may have pointed its own name at this machine."""
        given = headers.get("host", "")
        if self._any_host and given:
            return
        if _host_name(given) not in self._hosts:
            raise Fault(
                421,
                f"this server does not go by the name {given[:80]!r}",
                "use the address it printed at its start, or name it with --name",
            )

    def _check_origin(self, method: str, headers: Headers, *, private: bool) -> None:
        """Refuse what a page of another site asks for."""
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower():
            raise Fault(
                403, f"a page of {origin[:80]!r} may not ask this server", "open the server's own page"
            )
        if private and headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            raise Fault(403, "a page of another site may not ask this server", "open the server's own page")
        if method not in _SAFE and private and not _is_known_type(headers):
            raise Fault(
                415, "the body is neither JSON nor plain bytes", "send it with Content-Type: application/json"
            )

    async def _read(self, headers: Headers, receive: Receive) -> bytes:
        """Read the whole body within its limits of size and time."""
        announced = headers.get("content-length", "0")
        if announced.isdecimal() and int(announced) > self._limits.body:
            raise self._too_large()
        pieces: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._limits.reading):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Fault(400, "the connection was closed before the request was whole")
                    pieces.append(message.get("body", b""))
                    size += len(pieces[-1])
                    if size > self._limits.body:
                        raise self._too_large()
                    if self._buffered + size > BUFFERED:
                        raise Fault(503, "too many large requests at once", headers={"retry-after": "2"})
                    if not message.get("more_body"):
                        return b"".join(pieces)
        except TimeoutError:
            raise Fault(
                408, f"the request took more than {self._limits.reading:g} s to arrive", "send it again"
            ) from None

    def _too_large(self) -> Fault:
        return Fault(
            413,
            f"the request is larger than {self._limits.body // MIB} MiB",
            "send fewer or shorter texts, in several requests",
        )


def _host_name(given: str) -> str:
    """Return the host of a Host header without its port.

    >>> _host_name("LOCALHOST:8321"), _host_name("[::1]:8321"), _host_name("evil.example")
    ('localhost', '::1', 'evil.example')
    """
    if given.startswith("["):
        return given[1:].partition("]")[0].lower()
    return given.partition(":")[0].lower()


def _is_known_type(headers: Headers) -> bool:
    """Only types that a form of another site cannot send without the browser asking first."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if not kind:
        return headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers
    return kind in {"application/json", "application/octet-stream"}


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body in one piece and then listens to the connection."""
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


class _Answer:
    """A `send` that remembers the status and adds the headers that every answer carries."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._private = scope["path"].startswith(_PRIVATE)
        self._send = send
        self.status: int | None = None

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            if "cache-control" not in headers:
                # Pages and scripts are asked for again with every visit, which a 304 makes cheap.
                headers["cache-control"] = "no-store" if self._private else "no-cache"
        await self._send(message)


@dataclass
class _Bucket:
    left: float
    seen: float


class RateLimit:
    """At most `per_minute` requests of one client, and as many at once after a minute of silence.

    >>> limit = RateLimit(60, clock=lambda: 0.0)
    >>> sum(limit.wait("a") == 0 for _ in range(100)), limit.wait("b"), limit.wait("a")
    (60, 0.0, 1.0)
    """

    def __init__(self, per_minute: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._size = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def wait(self, client: str) -> float:
        """Count one request; return 0 if it may pass, otherwise the seconds to wait."""
        if self._size is None:
            return 0.0
        now, rate = self._clock(), self._size / 60
        bucket = self._buckets.pop(client, None) or _Bucket(self._size, now)
        bucket.left = min(self._size, bucket.left + (now - bucket.seen) * rate)
        bucket.seen = now
        self._buckets[client] = bucket
        while len(self._buckets) > _CLIENTS:
            self._buckets.popitem(last=False)
        if bucket.left < 1:
            return (1 - bucket.left) / rate
        bucket.left -= 1
        return 0.0
