"""Replies of a session's guest are checked: no byte of a hostile guest becomes a result by mistake."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes import CellResult, ProcessResult
from sandboxes.guest.common.session_frames import MAX_CHUNK_BYTES, encode_message
from sandboxes.sessions.messages import SessionFrameReader, parse_cell, parse_error, parse_process
from sandboxes.workers.messages import HEAD, GuestBroken

ENDED = {
    "status": 0,
    "signal": "",
    "limit": None,
    "detail": "",
    "cut": [],
    "wall_seconds": 1.0,
    "cpu_seconds": 1.0,
    "peak_memory_bytes": 1,
}
NUMBERS = st.booleans() | st.integers() | st.floats()
VALUES = NUMBERS | st.none() | st.text(max_size=5) | st.lists(st.integers(), max_size=3)
NAMES = [*ENDED, "value", "error_name", "error_message", "traceback", "number"]


@given(st.lists(st.tuples(st.integers(), st.binary(max_size=300)), max_size=5), st.integers(1, 40))
def test_messages_come_back_in_any_pieces(messages, size):
    """Frames and the bytes after them are put together again, wherever a pipe cuts them."""
    data = b"".join(encode_message({"id": number}, body) for number, body in messages)
    reader, found = SessionFrameReader(), []
    for start in range(0, len(data), size):
        reader.feed(data[start : start + size])
        while message := reader.next_message():
            found.append((message[0]["id"], message[1]))
    assert found == messages


@pytest.mark.parametrize("size", [-1, MAX_CHUNK_BYTES + 1, "5", 1.5, None, [], True])
def test_an_invalid_size_breaks_the_session(size):
    """A guest can't announce more bytes than it may send."""
    body = json.dumps({"id": 1, "bytes": size}).encode()
    reader = SessionFrameReader()
    reader.feed(HEAD.pack(len(body)) + body)
    with pytest.raises(GuestBroken):
        reader.next_message()


@given(st.dictionaries(st.sampled_from(NAMES), VALUES))
def test_any_fields_are_a_result_or_a_broken_guest(fields):
    """Each combination of fields becomes a checked result, or says that the guest broke."""
    for parse, kind in ((parse_process, ProcessResult), (parse_cell, CellResult)):
        try:
            assert isinstance(parse({**ENDED, **fields}, {}), kind)
        except GuestBroken:
            continue


@given(VALUES | st.tuples(VALUES, VALUES).map(list))
def test_any_error_is_an_oserror_or_a_broken_guest(error):
    """An error of a guest is the system's error with a path, or says that the guest broke."""
    try:
        found = parse_error({"error": error}, "path")
    except GuestBroken:
        return
    assert found is None or (isinstance(found, OSError) and found.filename)
