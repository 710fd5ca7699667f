"""The filter before Gradio, and the clean-up of messages that nobody fetches."""

import asyncio
import json
from types import SimpleNamespace

import gradio as gr
import pytest
from gradio.queueing import Queue
from gradio.server_messages import HeartbeatMessage
from starlette.applications import Starlette
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from sandboxes.grading import detect_grading
from sandboxes.separable_tests import reason_for_shared
from sandboxes.tasks.analyses import drop_test_analyses
from space.hosting import housekeeping
from space.hosting.housekeeping import MessageQueues, drop_unread
from space.hosting.request_filter import EXTRA_VALUES, FORM_BYTES, UPLOAD_PATH, RequestFilter
from space.hosting.tool_calls import HEADER, MAX_CALLS, ToolCalls
from space.settings import Settings

SETTINGS = Settings(max_request_mb=1, max_file_mb=1, max_candidates=1)
MAX_VALUES = EXTRA_VALUES + 4


class Wire:
    """One request to an app, as a server delivers it: chunks of its body, and then the end of the connection."""

    def __init__(self, path, chunks, method="POST", leaves=False):
        self.scope = {"type": "http", "path": path, "method": method, "headers": [], "query_string": b""}
        self.messages = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
        if not leaves:
            self.messages.append({"type": "http.request", "body": b"", "more_body": False})
        self.sent = []

    async def receive(self):
        """Return the next message."""
        return self.messages.pop(0) if self.messages else {"type": "http.disconnect"}

    async def send(self, message):
        """Note a part of the answer."""
        self.sent.append(message)

    @property
    def status(self):
        """The status of the answer."""
        return self.sent[0]["status"]

    @property
    def body(self):
        """The body of the answer."""
        return json.loads(self.sent[1]["body"])


async def echo(request):
    """Answer with the length and the start of the body."""
    body = await request.body()
    return JSONResponse({"length": len(body), "start": body[:20].decode("latin-1")})


APP = Starlette(routes=[Route("/{path:path}", echo, methods=["GET", "POST"])])


def asked(*args, **kwargs):
    """Return a request to an app behind the filter."""
    wire = Wire(*args, **kwargs)
    asyncio.run(RequestFilter(APP, SETTINGS, ToolCalls())(wire.scope, wire.receive, wire.send))
    return wire


def test_request_reaches_the_app_whole():
    """A request in pieces reaches the app whole."""
    wire = asked("/gradio_api/queue/join", [b'{"data": ', b"[1, 2]}"])
    assert (wire.status, wire.body) == (200, {"length": 16, "start": '{"data": [1, 2]}'})


@pytest.mark.parametrize("path", ["/gradio_api/queue/join", "/gradio_api/call/evaluate", "/gradio_api/mcp/", "/login"])
def test_requests_are_limited(path):
    """The filter reads no more of a request than the limit, and refuses a longer one."""
    wire = asked(path, [bytes(1 << 19)] * 100)
    assert (wire.status, wire.body) == (413, {"detail": "a request may be at most 1 MiB long"})
    assert len(wire.messages) == 98


def test_values_are_limited():
    """A short request with too many values is refused, because values take far more memory than their text."""
    for count, status in ((MAX_VALUES - 2, 200), (MAX_VALUES + 1, 413)):
        wire = asked("/gradio_api/queue/join", [b'{"data": [' + b",".join([b"[]"] * count) + b"]}"])
        assert wire.status == status
    assert wire.body == {"detail": f"a request may hold at most {MAX_VALUES:,} values"}


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 200_000, b"\xff", b"a=b"])
def test_other_requests_reach_the_app(body):
    """A request that is not JSON reaches Gradio, which refuses it."""
    assert asked("/gradio_api/queue/join", [body]).body["length"] == len(body)


@pytest.mark.parametrize("address", ["http://127.0.0.1/x", "https://example.org/big"])
def test_no_file_is_fetched(address):
    """An address in place of a file, anywhere in a request, is refused in the format of Gradio's clients."""
    file = {"path": address, "meta": {"_type": "gradio.FileData"}}
    wire = asked("/gradio_api/queue/join", [json.dumps({"data": [[{"x": file}]]}).encode()])
    assert wire.status == 422
    assert wire.body["detail"][0]["message"] == "send the file itself: this server fetches none"


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/file=http://127.0.0.1/",
        "/gradio_api/file=https://example.org/",
        "/gradio_api/file/https://example.org/",
        "/gradio_api/process_recording",
        "/gradio_api/deep_link",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_unneeded_pages_are_blocked(path, method):
    """Gradio's pages that fetch or store something for anybody do not exist here."""
    assert asked(path, [], method).status == 404


def test_request_without_a_body_is_not_delayed():
    """A request without a body reaches the app as it is: a stream of events itself notices that its reader leaves."""
    wire = Wire("/gradio_api/queue/data", [], "GET")
    seen = []

    async def app(scope, receive, send):
        seen.append(receive)

    asyncio.run(RequestFilter(app, SETTINGS, ToolCalls())(wire.scope, wire.receive, wire.send))
    assert seen == [wire.receive]


def test_uploads_are_limited():
    """An upload that is too long ends with the error for which Gradio removes what it has stored, and answers 413."""
    size = (1 << 20) + FORM_BYTES
    assert asked(UPLOAD_PATH, [bytes(size // 4)] * 4).body["length"] == size
    with pytest.raises(MultiPartException, match="maximum allowed size"):
        asked(UPLOAD_PATH, [bytes(size // 4)] * 5)


def test_an_upload_that_breaks_off_is_an_error():
    """An upload whose visitor leaves in the middle ends with an error."""
    with pytest.raises(MultiPartException, match="broke off"):
        asked(UPLOAD_PATH, [b"x"], leaves=True)


def test_tool_calls_at_once_are_limited():
    """Calls of tools above the limit are refused, and accepted again once others have ended."""

    async def scenario():
        done = asyncio.Event()

        async def wait(scope, receive, send):
            await done.wait()
            await JSONResponse({})(scope, receive, send)

        request_filter = RequestFilter(wait, SETTINGS, ToolCalls())
        wires = [Wire("/gradio_api/mcp/", []) for _ in range(MAX_CALLS + 1)]
        calls = [asyncio.create_task(request_filter(wire.scope, wire.receive, wire.send)) for wire in wires]
        await calls[-1]
        page = Wire("/gradio_api/mcp/", [], "GET")
        calls.append(asyncio.create_task(request_filter(page.scope, page.receive, page.send)))
        done.set()
        await asyncio.gather(*calls)
        last = Wire("/gradio_api/mcp/", [])
        await request_filter(last.scope, last.receive, last.send)
        return [wire.status for wire in (*wires, page, last)]

    assert asyncio.run(scenario()) == [200] * MAX_CALLS + [503, 200, 200]


def request_of(headers):
    """Return a request as the Space's endpoints get it."""
    return gr.Request(Request({"type": "http", "headers": headers}))


def test_a_call_is_abandoned_when_its_caller_leaves():
    """A call has an id in its headers, which its caller can't choose; once the caller has left, the call is abandoned.

    An abandoned call counts until it ends, because it has a thread until then.
    """

    async def scenario():
        calls, ends, seen = ToolCalls(), asyncio.Event(), []

        async def app(scope, receive, send):
            seen.append(scope["headers"])
            while await receive() and not ends.is_set():
                seen.append(calls.is_abandoned(request_of(scope["headers"])))

        wire = Wire("/gradio_api/mcp/", [], leaves=True)
        wire.scope["headers"] = [(HEADER.encode(), b"mine"), (b"accept", b"x")]
        wire.messages.append({"type": "http.request", "body": b"", "more_body": False})
        task = asyncio.create_task(RequestFilter(app, SETTINGS, calls)(wire.scope, wire.receive, wire.send))
        await asyncio.sleep(0.1)
        headers = seen[0]
        while_there = (len(calls._has_caller), calls.is_abandoned(request_of(headers)), task.done())
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return [name for _, name in headers], seen[1:], while_there, len(calls._has_caller)

    names, before, after_leaving, left = asyncio.run(scenario())
    assert names[0] == b"x" and len(names) == 2 and names[1] != b"mine"
    assert before == [False]
    assert after_leaving == (1, True, False)
    assert left == 0


def test_requests_without_a_call_are_nobodys():
    """A request without a call is not abandoned; a request with an unknown call is."""
    assert not ToolCalls().is_abandoned(request_of([]))
    assert ToolCalls().is_abandoned(request_of([(HEADER.encode(), b"forged")]))


def test_websockets_and_lifespans_pass():
    """A scope that is not an HTTP request reaches the app as it is."""
    seen = []

    async def app(scope, receive, send):
        seen.append((scope["type"], receive, send))

    asyncio.run(RequestFilter(app, SETTINGS, ToolCalls())({"type": "lifespan"}, "receive", "send"))
    assert seen == [("lifespan", "receive", "send")]


async def new_queue():
    """Return Gradio's event queue without an app."""
    queue = Queue(True, 1, 1.0, None, None)
    queue.pending_messages_per_session = MessageQueues(3)
    return queue


def test_a_message_to_nobody_is_dropped():
    """A message to a session without a queue is dropped: an error would end the event queue."""

    async def scenario():
        queue = await new_queue()
        event = SimpleNamespace(alive=True, session_hash="nobody", _id="event")
        queue.send_message(event, HeartbeatMessage())
        return list(queue.pending_messages_per_session)

    assert asyncio.run(scenario()) == []


def test_number_of_message_queues_is_limited():
    """The number of message queues is limited, and the oldest goes."""

    async def scenario():
        queue = await new_queue()
        for name in "abcd":
            queue.pending_messages_per_session[name] = asyncio.Queue()
        return list(queue.pending_messages_per_session)

    assert asyncio.run(scenario()) == ["b", "c", "d"]


def test_unread_messages_are_forgotten(monkeypatch):
    """A session whose messages nobody fetches loses them and its events; other sessions lose nothing."""

    async def scenario():
        queue = await new_queue()
        messages = queue.pending_messages_per_session
        event = SimpleNamespace(session_hash="left", _id="event", alive=True)
        queue.active_jobs = [[event]]
        for name in ("left", "read", "empty"):
            messages[name] = asyncio.Queue()
            queue.pending_event_ids_session[name] = {"event"}
        for name in ("left", "read"):
            for _ in range(2):
                await messages[name].put("x")
        await asyncio.sleep(0.2)
        await messages["read"].get()
        await drop_unread(queue)
        return list(messages), list(queue.pending_event_ids_session), event.alive

    monkeypatch.setattr(housekeeping, "MAX_UNREAD_SECONDS", 0.1)
    assert asyncio.run(scenario()) == (["read", "empty"], ["read", "empty"], False)


def test_analyses_of_tests_are_dropped():
    """The clean-up clears the caches that hold the texts of visitors' tests."""
    assert detect_grading("assert unlikely_name == 1") == "separate"
    assert reason_for_shared.cache_info().currsize > 0
    drop_test_analyses()
    assert reason_for_shared.cache_info().currsize == 0
