"""The supervisor looks ahead for cancellations, and loses no request by it."""

import json
import os

import pytest

from sandboxes.contract import Program
from sandboxes.guest.supervisor import request_reader
from sandboxes.workers.messages import encode_cancellation, encode_request


@pytest.fixture
def pipe():
    """Return (reader, descriptor of the caller's end)."""
    read_end, write_end = os.pipe()
    yield request_reader.RequestReader(read_end), write_end
    for fd in (read_end, write_end):
        os.close(fd)


NEXT = encode_request(2, Program("candidate", "tests"), same_tests=False)


def test_a_cancellation_behind_a_request(pipe):
    """A cancellation is found behind the next request, which is read as if nothing had been looked at."""
    reader, caller = pipe
    assert reader.news_of(1) is None
    os.write(caller, NEXT + encode_cancellation(1))
    assert reader.news_of(1) == "cancelled"
    request = reader.request()
    assert (request["id"], reader.exactly(len("testscandidate"))) == (2, b"testscandidate")
    assert reader.request() == {"cancel": 1}


def test_a_cancellation_that_was_read_is_not_forgotten(pipe):
    """A cancellation that was read while a step ended still holds for the next step, and for this request alone."""
    reader, caller = pipe
    os.write(caller, encode_cancellation(1))
    assert [reader.news_of(number) for number in (1, 1, 2)] == ["cancelled", "cancelled", None]


def test_a_request_that_is_not_whole(pipe):
    """A part of a request is no news."""
    reader, caller = pipe
    for byte in NEXT:
        os.write(caller, bytes([byte]))
        assert reader.news_of(1) is None
    assert reader.request()["id"] == 2


def test_a_caller_that_has_gone():
    """A caller that closes its end does not wait for the request any more."""
    read_end, write_end = os.pipe()
    reader = request_reader.RequestReader(read_end)
    os.write(write_end, NEXT)
    os.close(write_end)
    assert reader.news_of(1) == "abandoned"
    os.close(read_end)


def test_not_too_much_is_read_ahead(pipe, monkeypatch):
    """Reading ahead has a bound, so that a long request waits in the pipe."""
    monkeypatch.setattr(request_reader, "MAX_AHEAD_BYTES", 8)
    reader, caller = pipe
    os.write(caller, NEXT)
    assert reader.news_of(1) is None
    os.write(caller, json.dumps({}).encode())
    assert reader.is_full
    assert reader.news_of(1) is None
    assert len(reader.buffer) == len(NEXT)
