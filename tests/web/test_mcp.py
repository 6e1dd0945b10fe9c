"""The tools for assistants, asked by the official client: in process, over stdio, and under the server."""

from __future__ import annotations

import os
import sys

import anyio
import pytest

from lexicloud.operations import OPERATIONS
from lexicloud.version import __version__
from lexicloud.web.mcp import build
from lexicloud.web.service import Service
from lexicloud.web.settings import ServerSettings
from tests.web.conftest import running

mcp_client = pytest.importorskip("mcp.client.client")
TOOLS = {"sources", *(operation.path.replace("/", "_") for operation in OPERATIONS)}


def fresh(folder, tmp_path_factory):
    """A folder of stories and an index of its own."""
    from lexicloud.search import SentenceIndex

    path = tmp_path_factory.mktemp("index") / "notes"
    SentenceIndex.build(["The captain sailed home.", "The cook tasted the soup."]).save(path)
    return ServerSettings(folders=(folder,), indexes=(path,), demo=False)


@pytest.fixture(scope="module")
def service(folder, tmp_path_factory):
    made = Service.of(fresh(folder, tmp_path_factory))
    made.library.open()
    yield made
    made.close()


@pytest.fixture(scope="module")
def in_process(service):
    return build(service)


@pytest.fixture(scope="module")
def over_http(folder, tmp_path_factory):
    with running(fresh(folder, tmp_path_factory)) as address:
        yield f"{address}/mcp"


@pytest.fixture(params=["in process", "over http"])
def server(request, in_process, over_http):
    return in_process if request.param == "in process" else over_http


def asked(server, question):
    """Connect the official client, ask, and return the answer."""

    async def ask():
        async with mcp_client.Client(server) as client:
            return await question(client)

    return anyio.run(ask)


def call(server, *calls):
    """Ask for some tools, one after another, and return what they answered."""

    async def every(client):
        return [await client.call_tool(name, arguments) for name, arguments in calls]

    return asked(server, every)


def test_the_server_introduces_itself(server):
    async def introduced(client):
        return client.server_info, client.instructions

    info, instructions = asked(server, introduced)
    assert (info.name, info.version) == ("lexicloud", __version__)
    assert "sources" in instructions


def test_every_tool_is_listed_with_what_it_takes(server):
    async def listed(client):
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in asked(server, listed)}
    assert set(tools) == TOOLS
    assert all(tool.description and tool.input_schema["type"] == "object" for tool in tools.values())
    assert tools["search"].annotations.read_only_hint
    assert tools["index_remove"].annotations.destructive_hint


def test_every_tool_answers(server):
    from tests.report.stories import story
    from tests.texts import KITCHEN, SEA

    known = [
        {"name": f"{author} {i}", "text": story(author, i, 15), "author": author}
        for author in ("Salt", "Pepper")
        for i in (1, 2)
    ]
    unknown = story("Salt", 9, 15)
    answers = call(
        server,
        ("sources", {}),
        ("search", {"query": "the captain and the storm", "source": "stories", "top": 2}),
        ("search_many", {"queries": ["a ship", "a soup"], "source": "stories"}),
        ("neighbours", {"word": "sea", "k": 2}),
        ("compare", {"texts": [{"name": "sea", "text": SEA}, {"name": "kitchen", "text": KITCHEN}]}),
        ("attribute", {"known": known, "unknown": [{"name": "new", "text": unknown}]}),
        ("verify", {"known": [one["text"] for one in known[:2]], "unknown": unknown}),
        ("index_add", {"source": "notes", "items": [{"text": "The judge read the verdict."}]}),
        ("index_remove", {"source": "notes", "ids": [2]}),
        ("index_update", {"source": "notes", "id": 1, "changes": {"state": "open"}}),
        ("index_get", {"source": "notes", "id": 1}),
        ("index_facets", {"source": "notes", "column": "state"}),
        ("index_info", {"source": "notes"}),
        ("index_synonyms", {"source": "notes", "synonyms": {"OOM": ["out of memory"]}}),
    )
    assert [answer.is_error for answer in answers] == [False] * 14
    assert {s["id"] for s in answers[0].structured_content["sources"]} == {"stories", "notes"}
    found = [answer.structured_content.get("result") for answer in answers]
    assert all(answer.structured_content["say"] for answer in answers[1:])
    first = found[1]["suggestions"][0]
    assert len(found[2]["answers"]) == 2
    assert found[4]["names"] == ["sea", "kitchen"]
    chances = found[5]["answers"][0]["probabilities"]
    assert max(chances, key=chances.get) == "Salt"
    assert found[6]["decision"]
    assert (found[7]["sentences"], found[8]["sentences"]) == (3, 2)
    assert (found[10]["metadata"], found[11]["counts"]) == ({"state": "open"}, {"open": 1})
    assert (found[12]["kinds"], found[12]["path"]) == ({"state": "text"}, None)
    assert (found[13]["action"], found[13]["number"]) == ("changed", 1)
    why = call(
        server, ("explain", {"query": "the captain and the storm", "id": first["id"], "source": "stories"})
    )[0]
    assert why.structured_content["result"]["suggestion"]["id"] == first["id"]


def test_a_mistake_is_told_with_its_remedy(server):
    answer = call(server, ("search", {"query": "x", "source": "nowhere"}))[0]
    assert answer.is_error
    assert "choose one of" in answer.content[0].text
    one = [{"name": name, "text": "A text.", "author": "Salt"} for name in "ab"]
    few = call(server, ("attribute", {"known": one, "unknown": [{"name": "u", "text": "A text."}]}))[0]
    assert few.is_error
    assert "at least two authors" in few.content[0].text
    beyond = call(server, ("neighbours", {"word": "sea", "k": 10**9}))[0]
    assert beyond.is_error
    assert "k: it is at most 100" in beyond.content[0].text


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("neighbours", {"word": "sea", "k": 10**9}, "k: it is at most 100"),
        ("neighbours", {"word": "sea", "k": -1}, "k: it is at least 1"),
        ("neighbours", {"word": "x" * 101}, "at most 100 characters"),
        ("neighbours", {}, "word: it is needed"),
        ("neighbours", {"word": "sea", "kk": 5}, "kk: there is no such field"),
        ("search", {"query": "a ship", "top": 10**9}, "top: it is at most 50"),
        ("search", {"query": "x" * 10_001}, "at most 10,000 characters"),
        ("search", {"query": "a ship", "mode": "no such"}, "mode: choose"),
        ("search_many", {"queries": ["a ship"] * 201}, "at most 200 are taken"),
        ("compare", {"texts": [{"name": "a", "text": "one text"}]}, "at least 2 are needed"),
        (
            "compare",
            {"texts": [{"name": n, "text": n * 4_000_001} for n in "ab"]},
            "at most 4,000,000 characters",
        ),
        ("index_add", {"source": "notes", "items": [{"text": "a"}] * 20_001}, "at most 20,000 are taken"),
    ],
)
def test_what_is_too_much_is_refused_in_one_line_that_names_it(in_process, tool, arguments, told):
    answer = call(in_process, (tool, arguments))[0]
    assert answer.is_error
    line = answer.content[0].text
    assert told in line
    assert "our side" not in line
    assert "\n" not in line.strip()


@pytest.mark.slow
def test_over_stdio_the_protocol_is_all_there_is_on_stdout(folder):
    from mcp.client.stdio import StdioServerParameters, stdio_client

    command = ["-m", "lexicloud", "mcp", "--folder", str(folder), "--no-demo"]
    started = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))

    async def ask():
        async with mcp_client.Client(stdio_client(started)) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            return tools, await client.call_tool("search", {"query": "the captain's ship", "top": 1})

    tools, answer = anyio.run(ask)
    assert tools == TOOLS
    assert len(answer.structured_content["result"]["suggestions"]) == 1
