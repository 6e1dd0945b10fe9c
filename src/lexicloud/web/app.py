"""The app: pages for people, an API for programs, the guard around both; and running it until it is told to stop."""

from __future__ import annotations

import logging
import socket
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from fastapi import FastAPI

from lexicloud.errors import OptionError
from lexicloud.version import __version__
from lexicloud.web import faults, mcp, pages
from lexicloud.web.api import PREFIX, router, survey
from lexicloud.web.security import Guard
from lexicloud.web.service import Service
from lexicloud.web.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

GRACE: Final = 30  # seconds that running requests have to finish after a stop
_ABOUT: Final = (
    "Search, compare and attribute texts by meaning, offline. Every error has one shape: "
    '`{"error": {"code", "status", "message", "remedy"}}`. Routes that may take long run as jobs: send '
    "`Prefer: respond-async` and ask at the Location that comes back."
)


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the app; what it was told to read is opened when it starts."""
    service = Service.of(settings or Settings())
    study = service.settings.study is not None

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        survey.open_study(service)
        service.library.open()
        async with tools:
            yield
        service.close()

    app = FastAPI(
        title="lexicloud",
        version=__version__,
        description=_ABOUT,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,  # FastAPI's own page loads its script from elsewhere: ours is at /docs
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = service
    faults.install(app)
    app.include_router(router(study=study))
    tools = mcp.install(app, service)
    pages.install(app, study=study, local=service.settings.loopback)
    app.add_middleware(Guard, settings=service.settings, key=service.key, metrics=service.metrics)
    return app


def serve(settings: Settings, ready: Callable[[str], None] | None = None) -> None:
    """Serve until interrupted; what runs then is finished first. `ready` is told the address."""
    import uvicorn

    _log_to_stderr()
    listening = _listen(settings.host, settings.port)
    port = listening.getsockname()[1]
    config = uvicorn.Config(
        create_app(settings),
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=GRACE,
        timeout_keep_alive=30,
    )
    server = uvicorn.Server(config)
    if ready is not None:
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        shown = "127.0.0.1" if settings.host == "0.0.0.0" else host  # noqa: S104
        ready(f"http://{shown}:{port}/")
    server.run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    """Take the port before anything is read, so that a taken one is told at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only where the protocol is named does asyncio turn Nagle's algorithm off; with it every answer is 40 ms late.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(
            1024
        )  # whoever is told the address may connect at once, and waits instead of being refused
    except OSError as error:
        listening.close()
        raise OptionError(
            f"{host} port {port} cannot be listened on ({error.strerror}): give another with --port"
        ) from None
    return listening


def _log_to_stderr() -> None:
    """Write what the server has to say, every write to an index included, to stderr."""
    log = logging.getLogger("lexicloud.web")
    if log.handlers:
        return
    handler: Any = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
