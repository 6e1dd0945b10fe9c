"""Running the app until it is told to stop."""

from __future__ import annotations

import logging
import socket
import sys
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lexicloud.web.settings import Settings

GRACE: Final = 30  # seconds that running requests have to finish after a stop


def serve(settings: Settings, ready: Callable[[str], None] | None = None) -> None:
    """Serve until interrupted; what runs then is finished first. `ready` is told the address."""
    import uvicorn

    from lexicloud.web.app import create_app

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
    listening = socket.socket(family, socket.SOCK_STREAM)
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
