"""Requests and replies cross between caller and guest as they were."""

import json
import os
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes import Outcome
from sandboxes.guest.common import frames
from sandboxes.workers.messages import FrameReader, GuestBroken, parse_reply, parse_verdict

NUMBERS = st.integers(min_value=0, max_value=1 << 40)
ORDINARY = {"id": 3, "outcome": "passed", "grading": "shared", "wall_seconds": 0.5, "cpu_seconds": 0.25}
ORDINARY["peak_memory_bytes"] = 4096


def written(reply):
    """Return the body of the frame that a guest writes."""
    read_end, write_end = os.pipe()
    frames.write_reply(write_end, reply)
    os.close(write_end)
    reader = FrameReader()
    reader.feed(os.read(read_end, 1 << 16))
    os.close(read_end)
    return reader.next_body()


@given(
    settings=st.dictionaries(st.text(), st.text() | st.integers()),
    request_id=NUMBERS,
    candidate=NUMBERS,
    tests=st.integers(min_value=-1, max_value=1 << 40),
)
def test_requests(settings, request_id, candidate, tests):
    """A request's settings and numbers are decoded as they were encoded, whatever the settings hold."""
    frame = frames.encode_request(json.dumps(settings).encode(), request_id, candidate, tests)
    (size,) = frames.HEAD.unpack_from(frame)
    assert size == len(frame) - frames.HEAD.size
    numbers = {"id": request_id, "candidate_bytes": candidate, "tests_bytes": tests}
    assert frames.decode_request(frame[frames.HEAD.size :], {}) == {**settings, **numbers}


def test_known_settings_have_a_bound():
    """A guest keeps the settings of some requests, and not those of all."""
    known = {}
    for number in range(3 * frames.MAX_KNOWN_SETTINGS):
        frame = frames.encode_request(b'{"limit": %d}' % number, 1, 2, 3)
        assert frames.decode_request(frame[frames.HEAD.size :], known)["limit"] == number
    assert len(known) <= frames.MAX_KNOWN_SETTINGS


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_an_ordinary_reply(grading):
    """A pass without output is a few bytes, and gives a whole verdict."""
    body = written({**ORDINARY, "grading": grading})
    assert len(body) == frames.ORDINARY_REPLY.size
    reply = parse_reply(body)
    verdict = parse_verdict(reply, ("mount", "pid"))
    assert (reply["id"], verdict.outcome, verdict.grading) == (3, Outcome.PASSED, grading)
    costs = (verdict.wall_seconds, verdict.cpu_seconds, verdict.peak_memory_bytes)
    assert (costs, verdict.isolation) == ((0.5, 0.25, 4096), ("mount", "pid"))


@pytest.mark.parametrize("more", [{"stdout": "x"}, {"outcome": "failed"}, {"waited_seconds": 0.1}])
def test_other_replies_are_json(more):
    """A reply with anything unusual crosses as an object."""
    assert parse_reply(written({**ORDINARY, **more})) == {**ORDINARY, **more}


@pytest.mark.parametrize(
    "body",
    [
        b"P" * frames.ORDINARY_REPLY.size + b"x",
        b"Q" * frames.ORDINARY_REPLY.size,
        b"P",
        b"",
        json.dumps([ORDINARY]).encode(),
    ],
)
def test_invalid_replies(body):
    """Bytes that are neither an ordinary reply nor an object are an error."""
    with pytest.raises(GuestBroken):
        parse_reply(body)


def test_an_object_that_claims_to_be_ordinary():
    """No JSON object is taken for an ordinary reply."""
    reply = parse_reply(json.dumps({"id": 3, "ordinary": ["shared", 0.5, 0.25, 4096]}).encode())
    with pytest.raises(GuestBroken):
        parse_verdict(reply, ())


def test_a_writer_that_leaves_something_unread():
    """A socket whose other end is closed before it has read everything ends like a pipe."""
    near, far = socket.socketpair()
    near.sendall(b"unread")
    far.close()
    assert frames.FrameReader(near.fileno()).frame() is None
    near.close()
