"""The pages: one frame, a file with the content of each page, and static files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from lexicloud.say.html import map_script

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from fastapi import FastAPI
    from starlette.requests import Request

HERE: Final = Path(__file__).parent
STATIC: Final = HERE.parent / "static"


@dataclass(frozen=True)
class WebPage:
    """An address, the name in the navigation, and one sentence about it."""

    path: str
    name: str
    about: str
    listed: bool = True
    shelf: bool = True  # whether it uses the texts that a person brought

    @property
    def file(self) -> str:
        """The name of its content file and of its script, without ending."""
        return self.path.strip("/") or "write"


PAGES: Final = (
    WebPage("/", "Write", "Write, and let other sentences answer yours."),
    WebPage("/compare", "Compare", "How far apart texts are, and which words say so."),
    WebPage("/who", "Who wrote it", "Which of several hands wrote a text, or none of them."),
    WebPage("/explore", "Explore", "Keywords, contexts, trends and maps of a collection."),
    WebPage("/label", "Label", "Label short texts from a few examples."),
    WebPage("/survey", "Survey", "A study, answered in the browser.", shelf=False),
    WebPage(
        "/results", "Results", "Make a study, invite people, and see what their answers say.", listed=False
    ),
    WebPage("/docs", "API", "Every address of the API, with an example.", listed=False, shelf=False),
)

MISSING: Final = WebPage(
    "/missing", "Nothing here", "There is no page at this address.", listed=False, shelf=False
)
_SHELF_SCRIPT: Final = '<script type="module" src="/static/shelfbox.js"></script>\n'
_SHELF_BUTTON: Final = '  <button type="button" id="shelf-open" class="shelf-open">Texts</button>\n'


def install(app: FastAPI, *, study: bool, local: bool) -> None:
    """Add the pages and the static files to an app; the study's pages only where there is one.

    `local` says whether the server can be reached only from this machine.
    """
    left_out = () if study else ("survey", "results")
    there = [page for page in PAGES if page.file not in left_out]
    for page in there:
        app.router.routes.append(Route(page.path, _shower(page, there, local=local), name=page.name))
    app.state.missing_page = render(MISSING, there, local=local)
    # The map's script is part of `lexicloud.say`, not of the static files.
    app.router.routes.append(Route("/static/map.js", _map_script, name="map.js"))
    app.mount("/static", StaticFiles(directory=STATIC), name="static")


async def _map_script(_: Request) -> Response:
    return Response(map_script(), media_type="text/javascript")


def _shower(
    page: WebPage, there: Sequence[WebPage], *, local: bool
) -> Callable[[Request], Awaitable[Response]]:
    html = render(page, there, local=local)

    async def show(_: Request) -> Response:
        return HTMLResponse(html)

    return show


def render(page: WebPage, there: Sequence[WebPage], *, local: bool = True) -> str:
    """Return a page in the frame; it never contains anything that a person typed."""
    frame = (HERE / "frame.html").read_text(encoding="utf-8")
    inside = (HERE / f"{page.file}.html").read_text(encoding="utf-8")
    links = "\n".join(
        f'<a href="{other.path}"{" aria-current=page" if other is page else ""}>{other.name}</a>'
        for other in there
        if other.listed
    )
    filled = {
        "TITLE": page.name,
        "ABOUT": page.about,
        "LINKS": links,
        "FILE": page.file,
        "INSIDE": inside,
        "FOOT": _foot(page, local=local),
        "SHELF": _SHELF_SCRIPT if page.shelf else "",
        "TEXTS": _SHELF_BUTTON if page.shelf else "",
    }
    for name, value in filled.items():
        frame = frame.replace(f"{{{{{name}}}}}", value)
    return frame


def _foot(page: WebPage, *, local: bool) -> str:
    """Return the footer, which says what happens to what a person types into this page."""
    if page.file == "survey":
        return "Your answers are kept under a random number, for whoever asks these questions."
    typed = (
        "Everything runs on this machine. Nothing you type is sent elsewhere or stored."
        if local
        else "Everything runs on the server that you opened. What you type is answered there and not stored."
    )
    return f'{typed}</p>\n  <p><a href="/docs">API</a>'
