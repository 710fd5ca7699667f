"""Values survive the way through JSON, and hostile messages do no harm to the end that reads them."""

import datetime
import math
import struct
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandboxes.guest.common.value_encoder import MAX_INT, Encoder
from sandboxes.guest.common.values import scan, write
from sandboxes.guest.remote import tests_end
from sandboxes.guest.remote.candidate_end import CandidateEnd


def crossed(value: Any) -> Any:
    """Return a value as the other process receives it."""
    encoder = Encoder(CandidateEnd(-1))
    roots = list(encoder.children([value]))
    message = "".join(write([roots, encoder.finish()], 0)).encode("utf-8", "surrogatepass")
    (roots, nodes), _ = scan(message.decode("utf-8", "surrogatepass"), 0)
    decoder = tests_end.TestsDecoder(tests_end.TestsEnd(-1), nodes)
    decoder.build()
    return decoder.resolve(roots)[0]


def bits(value: float) -> bytes:
    """Return a float's own bytes, which tell NaNs and zeros apart."""
    return struct.pack(">d", value)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(1 << 3000), max_value=1 << 3000)
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
    | st.text(st.characters())
    | st.binary()
    | st.decimals(allow_nan=False)
    | st.fractions()
    | st.datetimes()
    | st.timedeltas()
)
KEYS = st.integers() | st.text() | st.tuples(st.integers(), st.text()) | st.none() | st.frozensets(st.integers())
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(KEYS, inner)
        | st.dictionaries(KEYS, inner).map(OrderedDict)
        | st.lists(inner).map(deque)
        | st.sets(KEYS)
    ),
    max_leaves=20,
)


def shape(value: Any) -> Any:
    """Return a value with the types of everything in it, because 1 == 1.0 == True."""
    if isinstance(value, dict):
        return type(value), [(shape(key), shape(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple, deque)):
        return type(value), [shape(item) for item in value]
    if isinstance(value, float):
        return float, bits(value)
    if isinstance(value, complex):
        return complex, bits(value.real), bits(value.imag)
    return type(value), value


@pytest.mark.slow
@given(VALUES)
@settings(max_examples=150, deadline=None)
def test_data_comes_back_as_it_was(value):
    """Plain data keeps its values, types, order and float bits."""
    assert shape(crossed(value)) == shape(value)


def test_integers_of_any_size_come_back():
    """Integers of any number of digits keep their value."""
    for value in (MAX_INT - 1, MAX_INT, -MAX_INT, 10**5000, -(7**9999)):
        assert (crossed([value, (value,)]) == [value, (value,)]) is True


def test_every_nan_keeps_its_bits():
    """A NaN's sign and payload are kept."""
    for content in ("7ff8000000000000", "fff8000000000000", "7ff8000000000123"):
        value = struct.unpack(">d", bytes.fromhex(content))[0]
        assert bits(crossed(value)).hex() == content


def test_plain_nan_is_the_one_nan():
    """`[math.nan] == [math.nan]` holds by identity, even after a crossing."""
    assert crossed([float("nan"), math.inf]) == [math.nan, math.inf]


def test_surrogates_stay_apart():
    """Two lone surrogates do not become one character."""
    assert crossed(["\ud83d\ude00", "\ude00\ud83d"]) == ["\ud83d\ude00", "\ude00\ud83d"]
    assert len(crossed("\ud83d\ude00")) == 2


@pytest.mark.parametrize(
    "value",
    [
        ...,
        NotImplemented,
        range(1, 10, 3),
        slice(None, 5),
        bytearray(b"\x00\xff"),
        frozenset({1, (2, frozenset())}),
        deque([1, 2], maxlen=2),
        Counter("aab"),
        datetime.date(2020, 2, 29),
        datetime.time(1, 2, 3, 4, fold=1),
        datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=-3), "X")),
        Decimal("-0E-7"),
        Fraction(-3, 7),
        int,
        {(1, 2): {3}, None: [True, 1, 1.0]},
    ],
)
def test_value_of_a_kind_of_its_own_comes_back(value):
    """Each kind of data with its own encoding comes back unchanged."""
    assert repr(crossed(value)) == repr(value)
    assert crossed(value) == value


def test_a_class_of_exceptions_stands_for_the_candidate_s():
    """A class of exceptions is none that catches what the tests raise themselves."""
    found = crossed(ValueError)
    assert issubclass(found, ValueError)
    assert not issubclass(ValueError, found)


def test_defaultdict_keeps_its_factory():
    """A defaultdict of a builtin type goes on making values."""
    found = crossed(defaultdict(list, a=[1]))
    assert (found, found["new"]) == ({"a": [1], "new": []}, [])


def test_shared_references_and_cycles_keep_their_shape():
    """Two references to one object are two references to one object after a crossing."""
    inner: list[Any] = [1]
    inner.append((inner, {"a": inner}))
    found = crossed([inner, inner])
    assert found[0] is found[1]
    assert found[0][1][0] is found[0] is found[0][1][1]["a"]


@pytest.mark.slow
def test_depth_is_no_limit():
    """A list in a list, a hundred thousand times, comes back."""
    value: Any = ()
    for k in range(100_000):
        value = [value] if k % 2 else (value,)
    found, depth = crossed(value), 0
    while found:
        found, depth = found[0], depth + 1
    assert depth == 100_000


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f8", "c16", "U3", "S2", "M8[s]", "m8[ms]", ">i4"])
def test_arrays_come_back(dtype):
    """Arrays and scalars of numpy keep their type, shape and content."""
    array = np.arange(6).astype("i8").astype(dtype).reshape(2, 3)
    found = crossed([array, array[0, 1]])
    assert (found[0] == array).all()
    assert (found[0].dtype, found[0].shape) == (array.dtype, array.shape)
    assert type(found[1]) is type(array[0, 1])
    found[0][0, 0] = found[0][1, 1]


PLAIN = st.none() | st.booleans() | st.integers(-3, 30) | st.text(max_size=5) | st.floats()
KINDS = st.sampled_from(
    "list tuple set frozenset dict OrderedDict Counter deque defaultdict int float complex bytes bytearray range slice "
    "keys items str data array scalar type exception_class object value exception sender receiver container".split()
)
NODES = st.lists(
    st.lists(KINDS | PLAIN | st.lists(st.integers(-2, 12), max_size=2) | st.just("builtins"), max_size=12), max_size=10
)


@pytest.mark.slow
@given(NODES)
@settings(max_examples=400, deadline=None)
def test_hostile_nodes_make_data_or_an_error(nodes):
    """Hostile nodes make values of known kinds, or raise an ordinary exception."""
    try:
        values = tests_end.TestsDecoder(tests_end.TestsEnd(-1), nodes).build()
    except Exception:
        return
    assert all(type(value).__module__ for value in values)


@pytest.mark.parametrize(
    "node",
    [
        ["type", "os", "system"],
        ["type", "builtins", "eval"],
        ["type", "unittest", "TestCase"],
        ["data", "subprocess", "Popen", "true"],
        ["data", "builtins", "open", "/etc/passwd"],
        ["array", "O", "1", "00" * 8],
        ["module", "os"],
        ["named", "os", "system"],
        ["tuple", [0]],
        ["object", 1, [0]],
        ["object", True, [1, "C", "m", "", "", None, None]],
        ["object", 1, [1, "C", "m", "", "", "int", None]],
        ["value", 1, [1, "C", "m", "", "", "list", None], "list"],
        ["value", 1, [1, "C", "m", "", "", None, None], "int", "0x5"],
        ["exception", 1, [1, "C", "m", "", "", None, []], 5],
        ["type", "builtins", "AssertionError"],
        ["receiver", 1],
        ["sender", 1],
        ["container", 1],
        ["nothing"],
        [],
    ],
)
def test_node_that_names_what_it_may_not_is_refused(node):
    """No name leads to code, and no node to a value that was never sent."""
    with pytest.raises(Exception):  # noqa: B017 - any ordinary exception ends the connection
        tests_end.TestsDecoder(tests_end.TestsEnd(-1), [node]).build()
