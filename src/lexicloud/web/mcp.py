"""The same tools for assistants, by the Model Context Protocol: over stdio, and under the server at /mcp."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial, wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import MissingExtra
from lexicloud.result import plain
from lexicloud.version import __version__
from lexicloud.web import schemas
from lexicloud.web.api import authorship, compare, indexes, search
from lexicloud.web.faults import fault_of
from lexicloud.web.service import Service

if TYPE_CHECKING:
    from fastapi import FastAPI
    from mcp.server.mcpserver import MCPServer

    from lexicloud.web.settings import Settings
    from lexicloud.web.sources import Source

_WAIT: Final = 120.0  # seconds for a source to be read; an assistant has no page that says "being prepared"
_ABOUT: Final = (
    "Search, compare and attribute texts by meaning, with the words behind every answer. "
    "Begin with `sources` to see which texts there are."
)
Tool = Callable[..., dict[str, Any]]


def run_stdio(settings: Settings) -> None:
    """Serve the tools over stdin and stdout until the assistant closes them."""
    service = Service.of(settings)
    server = build(service)
    service.library.open()
    try:
        server.run("stdio")
    finally:
        service.close()


def install(app: FastAPI, service: Service) -> AbstractAsyncContextManager[Any]:
    """Add /mcp to an app, and return what has to run while the app does; nothing where the package is missing."""
    if find_spec("mcp") is None:
        return nullcontext()
    from mcp.server.transport_security import TransportSecuritySettings

    server = build(service)
    # The guard around the app has checked host, origin and token already.
    inner = server.streamable_http_app(
        streamable_http_path="/mcp",
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    app.router.routes.extend(inner.routes)
    return server.session_manager.run()


def build(service: Service) -> MCPServer[Any]:
    """Return a server with every tool."""
    try:
        from mcp.server.mcpserver import MCPServer
    except ImportError:
        raise MissingExtra("lexicloud mcp", "mcp") from None
    from mcp.types import ToolAnnotations

    server: MCPServer[Any] = MCPServer(
        "lexicloud", instructions=_ABOUT, version=__version__, log_level="WARNING"
    )
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    writes = ToolAnnotations(destructive_hint=True, open_world_hint=False)
    for tool in _reading(service):
        server.add_tool(_told(tool), annotations=reads)
    for tool in _comparing(service):
        server.add_tool(_told(_queued(service, tool)), annotations=reads)
    for tool in _writing(service):
        server.add_tool(_told(_queued(service, tool)), annotations=writes)
    return server


def _queued(service: Service, tool: Tool) -> Tool:
    """Let a tool wait its turn among the server's jobs, within their limits of number and time."""

    @wraps(tool)
    def queued(*args: Any, **kwargs: Any) -> dict[str, Any]:
        job = service.jobs.submit(tool.__name__, partial(tool, *args, **kwargs))
        assert job.future is not None
        job.future.result()
        found: dict[str, Any] = service.jobs.result(job)
        return found

    return queued


def _told(tool: Tool) -> Tool:
    """Let a tool's mistakes reach the assistant as one line with the remedy."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    def told(*args: Any, **kwargs: Any) -> dict[str, Any]:
        try:
            found: dict[str, Any] = plain(tool(*args, **kwargs))
        except ValueError as error:
            raise ToolError(str(error)) from None
        except Exception as error:
            fault = fault_of(error)
            raise ToolError(f"{fault.message}: {fault.remedy}") from None
        return found

    return told


def _ready(service: Service, identifier: str | None) -> Source:
    source = service.library.get(identifier)
    source.prepared.wait(_WAIT)
    return source


def _reading(service: Service) -> tuple[Tool, ...]:
    def sources() -> dict[str, Any]:
        """List the collections of texts that can be searched, with their ids."""
        return {"sources": [source.to_dict() for source in service.library]}

    def search_(
        query: str, source: str | None = None, top: int = 5, mode: str = "related", context: int = 1
    ) -> dict[str, Any]:
        """Find sentences for a query (mode: related, varied or interleaved), with reasons, title and context."""
        wanted = schemas.Search(query=query, source=source, top=top, mode=mode, context=context)  # type: ignore[arg-type]
        found = _ready(service, source)
        return search.find(found.id, found.index, query, wanted)

    def search_many(queries: list[str], source: str | None = None, top: int = 3) -> dict[str, Any]:
        """Answer several queries at once."""
        wanted = schemas.SearchMany(queries=queries, source=source, top=top)
        found = _ready(service, source)
        return {"answers": [search.find(found.id, found.index, query, wanted) for query in wanted.queries]}

    def explain(query: str, id: str | int, source: str | None = None) -> dict[str, Any]:  # noqa: A002
        """Tell which words of a query lead to one sentence; the weights add up to its score."""
        wanted = schemas.Explain(query=query, id=id, source=source)
        return search.explained(_ready(service, source).index, wanted)

    def neighbours(word: str, k: int = 10) -> dict[str, Any]:
        """Return the words nearest in meaning to a word."""
        return search.nearest(word, k, service.library.refined)

    search_.__name__ = "search"
    return sources, search_, search_many, explain, neighbours


def _comparing(service: Service) -> tuple[Tool, ...]:
    def compare_(texts: dict[str, str], method: str = "smoothed") -> dict[str, Any]:
        """Compare two or more texts (name → text): how far apart they are, and which words say so."""
        items = [schemas.TextItem(name=name, text=text) for name, text in texts.items()]
        wanted = schemas.Compare(texts=items, method=method, top=40)  # type: ignore[arg-type]
        return compare.compared(service, wanted)

    def attribute(known: dict[str, list[str]], unknown: str) -> dict[str, Any]:
        """Say how likely each author (author → their texts) wrote an unknown text."""
        items = [
            schemas.TextItem(name=f"{author} {i}", text=text, author=author)
            for author, texts in known.items()
            for i, text in enumerate(texts, 1)
        ]
        wanted = schemas.Attribute(known=items, unknown=[schemas.TextItem(name="unknown", text=unknown)])
        return authorship.attributed(service, wanted)

    def verify(known: list[str], unknown: str) -> dict[str, Any]:
        """Say whether the writer of the known texts wrote the unknown one, and by which words."""
        return authorship.verified(schemas.Verify(known=known, unknown=unknown))

    compare_.__name__ = "compare"
    return compare_, attribute, verify


def _writing(service: Service) -> tuple[Tool, ...]:
    def index_add(source: str, sentences: list[str]) -> dict[str, Any]:
        """Add sentences to an index that the server was started with."""
        items = [schemas.Item(text=text) for text in sentences]
        return indexes.added(service, schemas.IndexAdd(source=source, items=items), "assistant")

    def index_remove(source: str, ids: list[str | int]) -> dict[str, Any]:
        """Remove sentences from an index by their ids."""
        return indexes.removed(service, schemas.IndexRemove(source=source, ids=ids), "assistant")

    return index_add, index_remove
