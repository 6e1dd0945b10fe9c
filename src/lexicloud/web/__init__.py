"""The web app and the service: one local server with pages for people and an API for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lexicloud.web.app import create_app
    from lexicloud.web.server import serve
    from lexicloud.web.settings import ServerLimits, ServerSettings

__all__ = ["ServerLimits", "ServerSettings", "create_app", "serve"]


def __getattr__(name: str) -> Any:
    if name == "create_app":
        from lexicloud.web.app import create_app

        return create_app
    if name == "serve":
        from lexicloud.web.server import serve

        return serve
    if name in {"ServerLimits", "ServerSettings"}:
        from lexicloud.web import settings

        return getattr(settings, name)
    raise AttributeError(f"module 'lexicloud.web' has no attribute {name!r}")
