"""The web app and the service: one local server with pages for people and an API for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lexicloud.web.server import create_app, serve
    from lexicloud.web.settings import ServerLimits, ServerSettings

__all__ = ["ServerLimits", "ServerSettings", "create_app", "serve"]


def __getattr__(name: str) -> Any:
    if name in {"create_app", "serve"}:
        from lexicloud.web import server

        return getattr(server, name)
    if name in {"ServerLimits", "ServerSettings"}:
        from lexicloud.web import settings

        return getattr(settings, name)
    raise AttributeError(f"module 'lexicloud.web' has no attribute {name!r}")
