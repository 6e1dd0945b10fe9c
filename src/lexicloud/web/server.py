"""The app (pages for people, an API for programs, and a guard around both), and running it until it is stopped."""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import os
import socket
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import uvicorn
from fastapi import FastAPI

from lexicloud.errors import OptionError
from lexicloud.version import __version__
from lexicloud.web import faults, mcp, pages
from lexicloud.web.api import PREFIX, router, survey
from lexicloud.web.connections import PlainHandler, connection_class, on_loop_trouble
from lexicloud.web.security import Guard
from lexicloud.web.service import Service
from lexicloud.web.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from types import FrameType

GRACE: Final = 30  # seconds after which a stopping process ends, whatever still runs
_FINISHING: Final = 25  # seconds of these for requests that are being answered
log = logging.getLogger("lexicloud.web")


class Server(uvicorn.Server):
    """uvicorn's server with our connections; it ends jobs as soon as it is told to stop."""

    def __init__(self, settings: ServerSettings) -> None:
        app = create_app(settings)
        self.service: Service = app.state.service
        config = uvicorn.Config(
            app,
            http=connection_class(settings),
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=_FINISHING,
            timeout_keep_alive=30,
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, with errors inside the event loop logged and not fatal."""
        asyncio.get_running_loop().set_exception_handler(on_loop_trouble)
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End jobs, so that clients waiting for them get an answer; then finish searches and writes."""
        self.service.jobs.stop_all()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Start to stop; faulthandler's timer, outside of Python, ends the process if something hangs."""
        if not self.should_exit:
            log.info("stopping: jobs end now, searches and writes have %d s", GRACE)
            # The file that it writes its traceback to has to stay open until then.
            self._nowhere = Path(os.devnull).open("w")  # noqa: SIM115
            faulthandler.dump_traceback_later(GRACE, exit=True, file=self._nowhere)
        super().handle_exit(sig, frame)


def serve(settings: ServerSettings, ready: Callable[[str], None] | None = None) -> None:
    """Serve until interrupted; `ready` is called with the address."""
    log_plainly()
    listening = listen(settings.host, settings.port)
    port = listening.getsockname()[1]
    server = Server(settings)
    try:
        open_sources(server.service)
        if ready is not None:
            host = f"[{settings.host}]" if ":" in settings.host else settings.host
            shown = "127.0.0.1" if settings.host == "0.0.0.0" else host  # noqa: S104
            ready(f"http://{shown}:{port}/")
        server.run(sockets=[listening])
    finally:
        listening.close()
        server.service.close()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on the port; taken before anything is read, so that an error comes at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns Nagle's algorithm off only if the protocol is named; with it every answer is 40 ms late.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        # A client that knows the address may connect before the app is ready; it waits instead of being refused.
        listening.listen(1024)
    except OSError as error:
        listening.close()
        raise OptionError(
            f"{host} port {port} cannot be listened on ({error.strerror}): give another with --port"
        ) from None
    return listening


def log_plainly() -> None:
    """Log to stderr, including every write to an index."""
    for name, level in (
        ("lexicloud.web", logging.INFO),
        ("uvicorn", logging.WARNING),
        ("asyncio", logging.WARNING),
    ):
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(PlainHandler())
            logger.setLevel(level)
            logger.propagate = False


_ABOUT: Final = (
    "Search, compare and attribute texts by meaning, offline. Every error has one shape: "
    '`{"error": {"code", "status", "message", "remedy"}}`. Routes that may take long run as jobs: send '
    "`Prefer: respond-async` and ask at the Location that comes back."
)


def create_app(settings: ServerSettings | None = None) -> FastAPI:
    """Return the app; its indexes and folders are opened when it starts."""
    service = Service.of(settings or ServerSettings())
    study = service.settings.study is not None

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        open_sources(service)
        async with tools:
            yield
        service.close()

    app = FastAPI(
        title="lexicloud",
        version=__version__,
        description=_ABOUT,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,  # FastAPI's own page loads its script from another site: ours is at /docs
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = service
    faults.install(app)
    app.include_router(router(study=study))
    tools = mcp.install(app, service)
    pages.install(app, study=study, local=service.settings.loopback)
    app.add_middleware(Guard, service=service)
    return app


def open_sources(service: Service) -> None:
    """Open what was named at the start, once: a command does so before it says where the server is."""
    if not service.opened:
        service.opened = True
        survey.open_study(service)
        service.library.open()
