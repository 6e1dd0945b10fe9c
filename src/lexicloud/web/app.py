"""The app: pages for people, an API for programs, and the security middleware around both."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from fastapi import FastAPI

from lexicloud.version import __version__
from lexicloud.web import faults, mcp, pages
from lexicloud.web.api import PREFIX, router, survey
from lexicloud.web.security import Guard
from lexicloud.web.service import Service
from lexicloud.web.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

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
