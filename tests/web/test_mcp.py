"""The tools for assistants, asked by the official client: in process, over stdio, and under the server."""

from __future__ import annotations

import os
import sys

import anyio
import pytest

from lexicloud.web.mcp import build
from lexicloud.web.service import Service
from lexicloud.web.settings import Settings

mcp_client = pytest.importorskip("mcp.client.client")
TOOLS = {
    "sources",
    "search",
    "search_many",
    "explain",
    "neighbours",
    "compare",
    "attribute",
    "verify",
    "index_add",
    "index_remove",
}


@pytest.fixture(scope="module")
def service(folder, tmp_path_factory):
    from lexicloud.search import SentenceIndex

    path = tmp_path_factory.mktemp("index") / "notes"
    SentenceIndex.build(["The captain sailed home.", "The cook tasted the soup."]).save(path)
    made = Service.of(Settings(folders=(folder,), indexes=(path,), demo=False))
    made.library.open()
    yield made
    made.close()


def call(service, *calls):
    """Ask for some tools, one after another, and return what they answered."""

    async def ask():
        async with mcp_client.Client(build(service)) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return anyio.run(ask)


def test_every_tool_is_listed_with_what_it_takes(service):
    async def ask():
        async with mcp_client.Client(build(service)) as client:
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in anyio.run(ask)}
    assert set(tools) == TOOLS
    assert all(tool.description and tool.input_schema["type"] == "object" for tool in tools.values())
    assert tools["search"].annotations.read_only_hint
    assert tools["index_remove"].annotations.destructive_hint


def test_every_tool_answers(service):
    from tests.report.stories import story
    from tests.texts import KITCHEN, SEA

    known = {
        "Salt": [story("Salt", 1, 15), story("Salt", 2, 15)],
        "Pepper": [story("Pepper", 1, 15), story("Pepper", 2, 15)],
    }
    answers = call(
        service,
        ("sources", {}),
        ("search", {"query": "the captain and the storm", "source": "stories", "top": 2}),
        ("search_many", {"queries": ["a ship", "a soup"], "source": "stories"}),
        ("neighbours", {"word": "sea", "k": 2}),
        ("compare", {"texts": {"sea": SEA, "kitchen": KITCHEN}}),
        ("attribute", {"known": known, "unknown": story("Salt", 9, 15)}),
        ("verify", {"known": known["Salt"], "unknown": story("Salt", 9, 15)}),
        ("index_add", {"source": "notes", "sentences": ["The judge read the verdict."]}),
        ("index_remove", {"source": "notes", "ids": [2]}),
    )
    assert [answer.is_error for answer in answers] == [False] * 9
    found = [answer.structured_content for answer in answers]
    assert {s["id"] for s in found[0]["sources"]} == {"stories", "notes"}
    first = found[1]["suggestions"][0]
    assert len(found[2]["answers"]) == 2
    assert found[4]["names"] == ["sea", "kitchen"]
    chances = found[5]["answers"][0]["chances"]
    assert max(chances, key=chances.get) == "Salt"
    assert found[6]["likelihood_ratio"] > 0
    assert (found[7]["sentences"], found[8]["sentences"]) == (3, 2)
    why = call(
        service, ("explain", {"query": "the captain and the storm", "id": first["id"], "source": "stories"})
    )[0]
    assert why.structured_content["id"] == first["id"]


def test_a_mistake_is_told_with_its_remedy(service):
    answer = call(service, ("search", {"query": "x", "source": "nowhere"}))[0]
    assert answer.is_error
    assert "choose one of" in answer.content[0].text


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
    assert len(answer.structured_content["suggestions"]) == 1


def test_under_the_server(address):
    async def ask():
        async with mcp_client.Client(f"{address}/mcp") as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            return tools, await client.call_tool("sources", {})

    tools, answer = anyio.run(ask)
    assert tools == TOOLS
    assert answer.structured_content["sources"][0]["id"] == "stories"
