"""Visitors who leave end their runs, and no visitor sees or changes the run of another."""

import contextlib
import json
import uuid

import httpx
import pytest

from support.observers import wait_until
from support.space_client import Marked, Raw

pytestmark = pytest.mark.slow

SECONDS = 60
# A run is polled four times a second. The rest is for a busy machine.
END_TIMEOUT_SECONDS = 15


@pytest.fixture(scope="module")
def raw(space):
    """Provide the Space without a client of Gradio."""
    with httpx.Client(timeout=SECONDS) as http:
        yield Raw(space, http)


@pytest.mark.parametrize("name", ["evaluate", "run_candidates"])
def test_programs_end_with_their_visitor(raw, name):
    """A visitor who closes the page, or ends the client, ends the programs of the run."""
    program = Marked("time.sleep(60)")
    session, _ = raw.join(name, program.source)
    with raw.listening("queue/data", session_hash=session):
        assert wait_until(program.runs, SECONDS)
    assert wait_until(lambda: not program.runs(), END_TIMEOUT_SECONDS)


def test_programs_end_with_a_plain_call(raw):
    """A caller without a client who stops reading ends the programs of the run."""
    program = Marked()
    event = raw.post("call/evaluate", data=raw.arguments("evaluate", program.source)).json()["event_id"]
    with raw.listening(f"call/evaluate/{event}"):
        assert wait_until(program.runs, SECONDS)
    assert wait_until(lambda: not program.runs(), END_TIMEOUT_SECONDS)


def test_programs_end_with_an_agent(raw):
    """An agent that calls a tool and leaves ends its programs, though Gradio calls the endpoint by itself."""
    program = Marked()
    names = ("predictions", "references", "sandbox", "grading", "k", "timeout", "memory_mb", "language", "extract")
    arguments = dict(zip(names, raw.arguments("evaluate", program.source), strict=True))
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "evaluate", "arguments": arguments}}
    headers = {"accept": "application/json, text/event-stream"}
    with httpx.stream("POST", f"{raw.api}/mcp/", json=body, headers=headers, timeout=SECONDS):
        assert wait_until(program.runs, SECONDS)
    assert wait_until(lambda: not program.runs(), END_TIMEOUT_SECONDS)


def test_nobody_cancels_the_run_of_another(raw):
    """A run goes on if a stranger cancels it without the ids of its session and event, which can't be guessed."""
    program = Marked("time.sleep(3)")
    session, _ = raw.join("evaluate", program.source)
    with raw.listening("queue/data", session_hash=session) as lines:
        assert wait_until(program.runs, SECONDS)
        for forged in ({"session_hash": ""}, {"session_hash": "null"}, {"session_hash": session[:-1]}):
            for index in (*range(30), -1):
                assert raw.post("cancel", **forged, fn_index=index, event_id="").status_code == 200
        for each in raw.events.values():
            if each["cancels"]:
                raw.post("run/predict", data=[], fn_index=each["id"], session_hash="mine")
        assert program.runs()
        [last] = [line for line in lines if "process_completed" in line]
    assert json.loads(last.removeprefix("data:"))["success"]


def test_nobody_reads_the_messages_of_another(raw):
    """A stream of another session has none of the messages of a run."""
    program = Marked("print('sesame')\ntime.sleep(2)")
    session, event = raw.join("evaluate", program.source)
    assert wait_until(program.runs, SECONDS)
    for path, parameters in (
        ("queue/data", {"session_hash": session[:-1]}),
        ("queue/data", {"session_hash": ""}),
        (f"call/evaluate/{event[:-1]}", {}),
    ):
        with contextlib.suppress(httpx.RemoteProtocolError), raw.listening(path, **parameters) as lines:
            assert not any("sesame" in line or "pass_at_k" in line for line in lines)


def test_states_of_visitors_are_apart(raw):
    """The number of editors is the state of one page, and another page does not see it."""
    add, remove = (raw.events[name] for name in ("add_candidate", "remove_candidate"))
    texts = [f"x = {number}" for number in range(8)]

    def press(event, session, *values):
        answer = raw.post("run/predict", data=[*values, *texts], fn_index=event["id"], session_hash=session)
        return [each["visible"] for each in answer.json()["data"][8:16]]

    assert press(add, "one", None).count(True) == 6
    assert press(add, "one", None).count(True) == 7
    assert press(add, "two", None).count(True) == 6
    assert press(remove, "two", None, None).count(True) == 5


@pytest.mark.parametrize("kept", [{"path": "/etc/passwd", "offsets": [0]}, "/etc/passwd", [["/etc/passwd"], [0]]])
def test_what_a_page_keeps_can_not_be_forged(raw, kept):
    """The event that opens a row takes the file from the server's memory, and ignores one that a request names."""
    answer = raw.post(
        "run/predict",
        data=[kept],
        fn_index=raw.events["open_row"]["id"],
        session_hash=uuid.uuid4().hex,
        event_data={"index": [0, 0], "value": 1, "row_value": ["1"]},
    )
    assert answer.json()["data"] == [""]


def test_empty_session_ends_nothing(raw):
    """A request without a session's id does not stop others from being served."""
    hanging = [Marked(), Marked()]
    sessions = [raw.join("evaluate", program.source)[0] for program in hanging]
    assert wait_until(lambda: any(program.runs() for program in hanging), SECONDS)
    waiting, _ = raw.join("evaluate", "x = 1")
    raw.post(
        "queue/join", data=raw.arguments("evaluate", "x = 1"), fn_index=raw.events["evaluate"]["id"], session_hash=""
    )
    last, _ = raw.join("evaluate", "x = 1")
    for session in sessions:
        with raw.listening("queue/data", session_hash=session) as lines:
            next(lines)
    for session in (waiting, last):
        with raw.listening("queue/data", session_hash=session) as lines:
            [done] = [line for line in lines if "process_completed" in line]
            assert json.loads(done.removeprefix("data:"))["success"]
