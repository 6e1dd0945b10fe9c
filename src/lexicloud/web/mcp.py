"""The same tools for assistants, by the Model Context Protocol: over stdio, and under the server at /mcp."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial, wraps
from importlib.util import find_spec
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field, TypeAdapter, WithJsonSchema

from lexicloud.errors import MissingExtra
from lexicloud.operations import OPERATIONS, Operation
from lexicloud.result import plain
from lexicloud.version import __version__
from lexicloud.web.api import told
from lexicloud.web.faults import fault_of
from lexicloud.web.jobs import Work
from lexicloud.web.processes import Encoded
from lexicloud.web.service import Service

if TYPE_CHECKING:
    from fastapi import FastAPI
    from mcp.server.mcpserver import MCPServer
    from mcp.types import ToolAnnotations
    from pydantic.fields import FieldInfo

    from lexicloud.web.settings import ServerSettings

# Seconds to wait until a source is read: an assistant sees no page that says "being prepared".
_WAIT: Final = 120.0
_ABOUT: Final = (
    "Search, compare and attribute texts by meaning, with the words behind every answer. "
    "Begin with `sources` to see which texts there are."
)
Tool = Callable[..., dict[str, Any]]


def run_stdio(settings: ServerSettings) -> None:
    """Serve the tools over stdin and stdout until the assistant closes them."""
    service = Service.of(settings)
    server = build(service)
    service.library.open()
    try:
        server.run("stdio")
    finally:
        service.close()


def install(app: FastAPI, service: Service) -> AbstractAsyncContextManager[Any]:
    """Add /mcp to an app, and return a context that must be open while the app runs; nothing without the package."""
    if find_spec("mcp") is None:
        return nullcontext()
    from mcp.server.transport_security import TransportSecuritySettings

    server = build(service)
    # The app's middleware (`Guard`) has checked host, origin and token already.
    inner = server.streamable_http_app(
        streamable_http_path="/mcp",
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    app.router.routes.extend(inner.routes)
    return server.session_manager.run()


def build(service: Service) -> MCPServer[Any]:
    """Return a server with a tool for each operation, and one that lists the sources."""
    try:
        from mcp.server.mcpserver import MCPServer
    except ImportError:
        raise MissingExtra("lexicloud mcp", "mcp") from None
    from mcp.types import ToolAnnotations

    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    writes = ToolAnnotations(destructive_hint=True, open_world_hint=False)

    def sources() -> dict[str, Any]:
        """List the collections of texts that can be searched, with their ids."""
        return {"sources": [source.to_dict() for source in service.library]}

    tools = [_unchecked(_told(_tool(service, one)), writes if one.writes else reads) for one in OPERATIONS]
    server: MCPServer[Any] = MCPServer(
        "lexicloud", instructions=_ABOUT, version=__version__, log_level="WARNING", tools=tools
    )
    server.add_tool(_told(sources), annotations=reads)
    return server


def _unchecked(tool: Tool, annotations: ToolAnnotations) -> Any:
    """Describe a tool to the assistant, and let its arguments through as they are: the operation checks them.

    The package would pass unknown arguments over, and tell of missing ones in the lines of its validator.
    """
    from mcp.server.mcpserver.tools import Tool as Described

    made = Described.from_function(tool, annotations=annotations)

    class AsGiven(made.fn_metadata.arg_model):  # type: ignore[name-defined,misc]
        @classmethod
        def model_validate(cls, obj: Any, **_: Any) -> Any:
            return _Given(obj)

    made.fn_metadata.arg_model = AsGiven
    return made


class _Given(dict[str, Any]):
    """The arguments of a call, as the package asks for them."""

    def model_dump_one_level(self) -> dict[str, Any]:
        """Return them all."""
        return dict(self)


def _tool(service: Service, operation: type[Operation]) -> Tool:
    """Return a function that takes an operation's fields and runs it, at once or as a job."""

    def tool(**fields: Any) -> dict[str, Any]:
        wanted = operation(**{key: value for key, value in fields.items() if value is not None})
        source = getattr(wanted, "source", None)
        if "source" in operation.model_fields and list(service.library):
            service.library.get(source).prepared.wait(_WAIT)
        wanted.check(service.library)
        work = partial(told, service, wanted, "assistant")
        if wanted.is_quick:
            return service.at_once(work)
        job = service.jobs.submit(operation.doing, Work(work, apart=not operation.writes))
        assert job.future is not None
        job.future.result()
        result = service.jobs.result(job)
        found: dict[str, Any] = result.value if isinstance(result, Encoded) else result
        return found

    fields = operation.model_fields
    tool.__name__ = operation.path.replace("/", "_")
    tool.__doc__ = operation.__doc__
    ordered = sorted(fields.items(), key=lambda one: not one[1].is_required())
    tool.__signature__ = Signature(  # type: ignore[attr-defined]
        [_parameter(name, field) for name, field in ordered], return_annotation=dict[str, Any]
    )
    tool.__annotations__ = {
        **{name: _annotation(field) for name, field in fields.items()},
        "return": dict[str, Any],
    }
    return tool


def _parameter(name: str, field: FieldInfo) -> Parameter:
    default = Parameter.empty if field.is_required() else field.get_default(call_default_factory=True)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=_annotation(field))


def _annotation(field: FieldInfo) -> Any:
    """Return the type Any with the field's description: the operation checks it, and its errors are one line."""
    own: Any = Annotated[(field.annotation, *field.metadata, Field(description=field.description))]
    return Annotated[Any, WithJsonSchema(_inlined(TypeAdapter(own).json_schema()))]


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with its definitions in place of references: an argument's schema cannot hold definitions."""
    parts = schema.pop("$defs", {})

    def put(value: Any) -> Any:
        if isinstance(value, dict):
            name = str(value.get("$ref", "")).rpartition("/")[2]
            return put(parts[name]) if name in parts else {key: put(item) for key, item in value.items()}
        return [put(item) for item in value] if isinstance(value, list) else value

    found: dict[str, Any] = put(schema)
    return found


def _told(tool: Tool) -> Tool:
    """Return a tool whose errors reach the assistant as one line with the remedy."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    def tellable(*args: Any, **kwargs: Any) -> dict[str, Any]:
        try:
            found: dict[str, Any] = plain(tool(*args, **kwargs))
        except Exception as error:
            fault = fault_of(error)
            raise ToolError(f"{fault.message}: {fault.remedy}") from None
        return found

    return tellable
