"""Security of requests: host, origin, token, size, rate, and the headers that restrict pages."""

from __future__ import annotations

import asyncio
import hmac
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from threading import Lock
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

from lexicloud.web.faults import Fault, fault_of
from lexicloud.web.settings import MIB

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from lexicloud.web.service import Service

COOKIE: Final = "lexicloud_session"
BROWSER: Final = "lexicloud_browser"
_SAFE: Final = frozenset(("GET", "HEAD", "OPTIONS"))
# Addresses that need no token: the server's health, the description of its API, and the cookie for a token.
_OPEN: Final = frozenset(("/api/v1/health", "/api/v1/openapi.json", "/api/v1/session"))
_PRIVATE: Final = ("/api/", "/mcp")
_TEXTS_TO: Final = ("sources", "shelf/texts", "compare", "attribute", "verify", "label", "index/add")
# Addresses whose requests may carry whole texts; all others have a smaller limit.
_WITH_TEXTS: Final = frozenset(
    (
        "/mcp",
        *(f"/api/v1/{way}" for way in _TEXTS_TO),
    )
)
_UPLOADS: Final = frozenset(("/api/v1/read", "/api/v1/shelf/files"))
# A browser that brings texts to these gets a cookie, which makes the texts its own.
_BRINGING: Final = frozenset(f"/api/v1/{way}" for way in ("sources", "shelf/files", "shelf/texts"))
_WITH_BODY: Final = frozenset(("POST", "PUT", "PATCH"))
# A string of JSON; in what is left, each value but the first has one of the marks before it.
_STRING: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_MARKS: Final = (b",", b"[", b"{")
_HELD: Final = "lexicloud.held"  # bytes of a request that are counted, in its scope
# A study's participants have a code of their own; its results are the owner's.
_PARTICIPANTS: Final = frozenset(
    f"/api/v1/survey{way}" for way in ("", "/start", "/question", "/answer", "/comment")
)
_OWNER: Final = frozenset(f"/api/v1/survey/{way}" for way in ("results", "export", "create", "invite"))
_WRONG: Final = 20  # requests that one without the right token counts for: 60 guesses a minute

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
_CLIENTS: Final = 10_000  # clients remembered at once; the one not seen for longest is forgotten


class Key:
    """The server's token, and the cookie that replaces it in a browser; both are compared in constant time.

    Without a token, the results of a study still need the owner's code.
    """

    def __init__(self, token: str | None, owner: str | None = None) -> None:
        self.needed = token is not None  # whether anybody has to show a token
        secret = token or owner
        self._secret = None if secret is None else sha256(secret.encode()).digest()
        self._session = secrets.token_urlsafe(32)

    def fits(self, token: str) -> bool:
        """Tell whether this is the token, or the owner's code where there is no token."""
        given = sha256(token.encode("utf-8", "surrogateescape")).digest()
        return self._secret is not None and hmac.compare_digest(given, self._secret)

    def cookie(self) -> str:
        """Return the cookie that a browser keeps in place of the token, valid until the server stops."""
        return self._session

    def admits(self, headers: Headers) -> bool:
        """Tell whether a request carries the token, or the cookie that was given for it."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.fits(token.strip()):
            return True
        return hmac.compare_digest(_cookie(headers, COOKIE).encode(), self._session.encode())


def _cookie(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""


class InFlight:
    """The bytes of all requests that are not answered yet; a job in the background keeps those of its request."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.bytes = 0
        self._lock = Lock()

    def take(self, scope: Scope, n: int) -> None:
        """Count some bytes of a request, or refuse them with 503."""
        with self._lock:
            if self.bytes + n > self._most:
                raise Fault(503, "too many large requests at once", headers={"retry-after": "2"})
            self.bytes += n
            scope[_HELD] = scope.get(_HELD, 0) + n

    def handed_over(self, scope: Scope) -> int:
        """Return how many bytes a request holds, and release it of them: the caller must give them back."""
        held: int = scope.pop(_HELD, 0)
        return held

    def give_back(self, n: int) -> None:
        """Stop counting some bytes."""
        with self._lock:
            self.bytes -= n


class Guard:
    """ASGI middleware around everything else."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        settings = service.settings
        self._hosts = settings.allowed_hosts()
        self._any_host = settings.host in {"0.0.0.0", "::"} and not settings.names  # noqa: S104
        self._proxies = settings.proxies
        self._limits = settings.limits
        self._key = service.key
        self._per_minute = settings.per_minute
        self._rate = RateLimit(self._per_minute)
        self._metrics = service.metrics
        self._in_flight = service.in_flight

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, pass it on, and add the headers to its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        headers = Headers(scope=scope)
        self._unwrap(scope, headers)
        answer = _Answer(scope, send, _known_browser(scope, headers))
        try:
            self._check(scope, headers)
            body = await self._read(scope, headers, receive)
            _check_values(body, headers, self._limits.values)
            await self._app(scope, _replayed(body, receive), answer)
        except Exception as error:  # no error may leave without an answer
            if answer.status is None:
                await fault_of(error).response()(scope, receive, answer)
        finally:
            self._in_flight.give_back(self._in_flight.handed_over(scope))
            if answer.status == 401:
                self._rate.charge(_client(scope), _WRONG)
            self._metrics.request(scope, answer.status or 500, time.perf_counter() - start)

    def _unwrap(self, scope: Scope, headers: Headers) -> None:
        """Take the client's address and scheme from the headers of a known proxy; those of others are ignored."""
        if _client(scope) not in self._proxies:
            return
        steps = [step.strip() for step in headers.get("x-forwarded-for", "").split(",")]
        believed = next((step for step in reversed(steps) if step and step not in self._proxies), None)
        if believed is not None:
            scope["client"] = (believed[:64], 0)
        if headers.get("x-forwarded-proto", "").lower() == "https":
            scope["scheme"] = "https"

    def _check(self, scope: Scope, headers: Headers) -> None:
        path: str = scope["path"]
        self._check_rate(_client(scope))
        _check_head(scope, self._limits.head)
        self._check_host(headers)
        private = path.startswith(_PRIVATE)
        self._check_origin(scope["method"], headers, private=private)
        if not private or path in _OPEN | _PARTICIPANTS:
            return
        if (self._key.needed or path in _OWNER) and not self._key.admits(headers):
            needed = "this server needs a token" if self._key.needed else "this needs the owner's code"
            raise Fault(
                401,
                needed,
                "send it as 'Authorization: Bearer TOKEN'; whoever started the server has it",
                headers={"www-authenticate": "Bearer"},
            )

    def _check_rate(self, client: str) -> None:
        """Refuse a client that asks too often; this comes first, so that guesses of the token count, too."""
        seconds = self._rate.wait(client)
        if seconds:
            wait = int(seconds) + 1
            raise Fault(
                429,
                f"more than {self._per_minute} requests a minute, or too many wrong tokens",
                f"wait {wait} s",
                headers={"retry-after": str(wait)},
            )

    def _check_host(self, headers: Headers) -> None:
        """Refuse host names that are not ours: another site may have pointed its name here (DNS rebinding)."""
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
        """Refuse requests from pages of other sites."""
        origin = headers.get("origin")
        if origin is not None and _site(origin) != headers.get("host", "").lower():
            raise Fault(
                403, f"a page of {origin[:80]!r} may not ask this server", "open the server's own page"
            )
        if private and headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            raise Fault(403, "a page of another site may not ask this server", "open the server's own page")
        if method not in _SAFE and private and not _is_known_type(headers):
            raise Fault(
                415, "the body is neither JSON nor plain bytes", "send it with Content-Type: application/json"
            )

    async def _read(self, scope: Scope, headers: Headers, receive: Receive) -> bytes:
        """Read the whole body within its limits of size and time, and count its bytes as they arrive."""
        most = self._most(scope)
        announced = headers.get("content-length", "0")
        if "transfer-encoding" not in headers and announced.isdecimal():
            if int(announced) > most:
                raise _too_large(most)
            if int(announced) == 0:
                return b""
        elif most == 0:
            raise _too_large(most)
        pieces = []
        try:
            async with asyncio.timeout(self._limits.reading):
                async for piece in _pieces(receive):
                    self._in_flight.take(scope, len(piece))
                    pieces.append(piece)
                    if scope.get(_HELD, 0) > most:
                        raise _too_large(most)
        except TimeoutError:
            raise _refused(
                408, f"the request took more than {self._limits.reading:g} s to arrive", "send it again"
            ) from None
        return b"".join(pieces)

    def _most(self, scope: Scope) -> int:
        """Return how many bytes a request may have, by its address."""
        if scope["method"] not in _WITH_BODY or not scope["path"].startswith(_PRIVATE):
            return 0
        if scope["path"] in _WITH_TEXTS:
            return self._limits.body
        if scope["path"] in _UPLOADS:
            return min(self._limits.body, self._limits.upload)
        return min(self._limits.body, self._limits.small)


async def _pieces(receive: Receive) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Fault(400, "the connection was closed before the request was whole")
        yield message.get("body", b"")
        if not message.get("more_body"):
            return


def _refused(status: int, message: str, remedy: str) -> Fault:
    """Return the fault for a request whose body is not read to its end; the connection is then closed."""
    return Fault(status, message, remedy, headers={"connection": "close"})


def _too_large(most: int) -> Fault:
    if most == 0:
        return _refused(413, "this address takes no body", "send it without one")
    size = f"{most / MIB:g} MiB" if most >= MIB else f"{most:,} bytes"
    return _refused(
        413, f"the request is larger than {size}", "send fewer or shorter texts, in several requests"
    )


def _check_head(scope: Scope, most: int) -> None:
    """Refuse a large head that arrived at once; one that arrives in pieces is cut off by h11."""
    if (
        len(scope.get("query_string", b"")) + sum(len(name) + len(value) for name, value in scope["headers"])
        > most
    ):
        raise _refused(431, f"the address and the headers have more than {most:,} bytes", "send shorter ones")


def _check_values(body: bytes, headers: Headers, most: int) -> None:
    """Refuse JSON of very many values before it is read: each takes much more memory, and time, than its bytes."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return
    strings = (body.count(b'"') - body.count(b'\\"')) // 2
    if strings <= most and sum(map(body.count, _MARKS)) > most:  # those inside of texts do not count
        bare = _STRING.sub(b"", body)
        strings = max(strings, sum(map(bare.count, _MARKS)))
    if strings > most:
        raise Fault(
            413, f"the request has more than {most:,} values", "send fewer texts, in several requests"
        )


def _client(scope: Scope) -> str:
    return str((scope.get("client") or ("unknown", 0))[0])


def _site(origin: str) -> str | None:
    """Return the host and port of an origin; None where it has none."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


# The browser that a request came from; texts that it brought belong to it.
browser: ContextVar[str | None] = ContextVar("lexicloud_browser", default=None)


def _known_browser(scope: Scope, headers: Headers) -> str | None:
    """Set `browser` from the cookie of a request; for a new browser that brings texts, return a new cookie's value."""
    given = _cookie(headers, BROWSER)
    browser.set(sha256(given.encode()).hexdigest() if given else None)
    if given or scope["method"] != "POST" or scope["path"] not in _BRINGING:
        return None
    new = secrets.token_urlsafe(24)
    browser.set(sha256(new.encode()).hexdigest())
    return new


def _host_name(given: str) -> str:
    """Return the host of a Host header without its port.

    >>> _host_name("LOCALHOST:8321"), _host_name("[::1]:8321"), _host_name("evil.example")
    ('localhost', '::1', 'evil.example')
    """
    if given.startswith("["):
        return given[1:].partition("]")[0].lower()
    return given.partition(":")[0].lower()


def _is_known_type(headers: Headers) -> bool:
    """Tell whether the content type is one that a form of another site cannot send without the browser asking first."""
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
    """A `send` that remembers the status and adds the headers of every answer."""

    def __init__(self, scope: Scope, send: Send, new_browser: str | None = None) -> None:
        self._private = scope["path"].startswith(_PRIVATE)
        self._new_browser = new_browser
        self._secure = "; Secure" if scope["scheme"] == "https" else ""
        self._send = send
        self.status: int | None = None

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            if "cache-control" not in headers:
                # Browsers ask for pages and scripts again at every visit, which a 304 makes cheap.
                headers["cache-control"] = "no-store" if self._private else "no-cache"
            self._set_cookies(headers)
        await self._send(message)

    def _set_cookies(self, headers: MutableHeaders) -> None:
        """Set the cookie of a new browser, and mark all cookies Secure under TLS."""
        given = headers.getlist("set-cookie")
        if self._new_browser is not None and self.status and self.status < 400:
            given.append(f"{BROWSER}={self._new_browser}; HttpOnly; Path=/; SameSite=strict")
        if given:
            del headers["set-cookie"]
            for cookie in given:
                headers.append("set-cookie", cookie + self._secure)


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

    def charge(self, client: str, n: float) -> None:
        """Count an allowed request as `n` more."""
        bucket = self._buckets.get(client)
        if bucket is not None:
            bucket.left = max(0.0, bucket.left - n)

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
