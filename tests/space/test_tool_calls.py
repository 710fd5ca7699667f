"""The Space's endpoints as tools of agents, called by the client of the package mcp."""

import asyncio
import base64
import contextlib
import inspect
import json

import httpx
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from space.api.endpoints import Endpoints
from support.metric_and_command import PROBLEM, RIGHT, TESTS, WRONG
from support.space_client import EXAMPLES

pytestmark = pytest.mark.slow

ARGUMENTS = {"predictions": [[RIGHT, WRONG]], "references": [TESTS]}


@contextlib.asynccontextmanager
async def session_of(server):
    """Open a session of an agent."""
    async with (
        streamable_http_client(f"{server.url}/gradio_api/mcp/") as (receive, send, _),
        ClientSession(receive, send) as session,
    ):
        await session.initialize()
        yield session


def tools(server):
    """Return the tools by their names."""

    async def summarize():
        async with session_of(server) as session:
            return (await session.list_tools()).tools

    return {tool.name: tool for tool in asyncio.run(summarize())}


def call(server, name, arguments):
    """Call a tool, and return (whether it failed, the texts of its answer)."""

    async def answer():
        async with session_of(server) as session:
            return await session.call_tool(name, arguments)

    found = asyncio.run(answer())
    return found.isError, [each.text for each in found.content]


def data_uri(content):
    """Return a file as an agent can send it."""
    return "data:application/jsonl;base64," + base64.b64encode(content).decode()


def test_tools_are_the_endpoints(space):
    """Every endpoint is a tool with described arguments, and no other event is a tool."""
    found = tools(space)
    assert set(found) == {"evaluate", "score_file", "predict", "sandboxes"}
    for tool in found.values():
        assert tool.description
        assert all(each["description"] for each in tool.inputSchema["properties"].values())


def test_descriptions_are_whole(space):
    """A tool's description, and that of each argument, is the docstring's whole text, to its last word."""
    found = tools(space)
    for tool in found.values():
        function = getattr(Endpoints, tool.name)
        docstring = " ".join(inspect.getdoc(function).split())
        for name, argument in tool.inputSchema["properties"].items():
            assert f"{name}: {argument['description']}" in docstring
            assert argument["description"].endswith((".", ".)"))
        assert tool.description.endswith(docstring.partition("Returns: ")[2])
    assert '[{"input", "output"}, ...]' in found["evaluate"].inputSchema["properties"]["references"]["description"]


def test_evaluate_is_a_tool(space):
    """`evaluate` gives an agent the verdicts and the score."""
    failed, [text] = call(space, "evaluate", ARGUMENTS)
    assert not failed
    answer = json.loads(text)
    assert (answer["pass_at_k"], answer["finished"]) == ({"pass@1": 0.5}, True)
    assert [each["outcome"] for each in answer["results"]] == ["passed", "failed"]


def test_score_file_is_a_tool(space):
    """`score_file` takes files as data: URIs, and gives the score and where the results are."""
    failed, texts = call(
        space,
        "score_file",
        {
            "samples": data_uri((EXAMPLES / "samples.jsonl").read_bytes()),
            "problems": data_uri((EXAMPLES / "problems.jsonl").read_bytes()),
            "k": [1],
        },
    )
    assert not failed
    score, address = map(json.loads, texts)
    assert score["samples"] == 63
    assert len(httpx.get(address).text.splitlines()) == 63


def test_sandboxes_is_a_tool(space):
    """`sandboxes` lists what an agent can use."""
    failed, [text] = call(space, "sandboxes", {})
    assert not failed
    assert json.loads(text)["default"] == "subprocess"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sandbox": "dokcer"}, "unknown sandbox 'dokcer'"),
        ({"timeout": 99}, "timeout may be at most 10 seconds here, not 99"),
        ({"k": ["one"]}, "'one' is not of type 'integer'"),
        ({"predictions": "x"}, "'x' is not of type 'array'"),
    ],
)
def test_invalid_arguments_are_reported(space, arguments, message):
    """An agent gets a message about its invalid arguments, without a traceback."""
    failed, [text] = call(space, "evaluate", {**ARGUMENTS, **arguments})
    assert failed
    assert message in text
    assert "Traceback" not in text


def every_argument(server):
    """Return (tool, argument) for every argument of every tool."""
    return [(name, each) for name, tool in tools(server).items() for each in tool.inputSchema["properties"]]


def test_no_argument_names_a_file_of_the_server(space):
    """A tool's client runs in the server, and no argument makes it give away a file of the server."""
    right = {
        "evaluate": ARGUMENTS,
        "score_file": {"samples": data_uri(b"{}"), "problems": data_uri(json.dumps(PROBLEM).encode())},
        "predict": {"split": "complete", "subset": "full", "samples": data_uri(b"{}")},
    }
    path = str(EXAMPLES / "problems.jsonl")
    secret = json.loads((EXAMPLES / "problems.jsonl").read_text().splitlines()[0])["entry_point"]
    file = {"path": path, "meta": {"_type": "gradio.FileData"}}
    for name, argument in every_argument(space):
        for value in (file, [file], [[file]], path, f"file://{path}", "http://127.0.0.1:1/x"):
            failed, texts = call(space, name, {**right[name], argument: value})
            assert failed, (name, argument, value)
            assert not any(secret in text or "gradio_api/file" in text for text in texts)
            assert not any(space.folder in text for text in texts), texts


def test_no_tool_is_called_around_its_description(space):
    """A call that selects other tools, which would skip the check of arguments, reaches no tool."""
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "evaluate", "arguments": {"predictions": {"path": "/etc/passwd"}, "references": []}},
    }
    answer = httpx.post(
        f"{space.url}/gradio_api/mcp/?tools=sandboxes",
        json=body,
        headers={"accept": "application/json, text/event-stream"},
        timeout=60,
    )
    assert "is not in the selected tools list" in answer.text or "Input validation error" in answer.text
