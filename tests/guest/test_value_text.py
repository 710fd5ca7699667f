"""The values of a failed assert are shown as they are written, and no code of a program's runs for it."""

import datetime
import fractions

import pytest

from sandboxes.guest.runners.value_text import format_value

SHOWN = {
    "()": "()",
    "(1,)": "(1,)",
    "[1.5, 'a', b'b', None]": "[1.5, 'a', b'b', None]",
    "set()": "set()",
    "{1}": "{1}",
    "frozenset({1})": "frozenset({1})",
    "{'a': [1]}": "{'a': [1]}",
    "1 << 5000": "<int of 5001 bits>",
    "[[[[[1]]]]]": "[[[[...]]]]",
    "list(range(50))[38:] + [object()] * 40": ", ".join(map(str, range(38, 50))),
    "__import__('collections').Counter('aa')": "Counter({'a': 2})",
    "datetime.date(2020, 1, 2)": "datetime.date(2020, 1, 2)",
    "datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc)": "tzinfo=datetime.timezone.utc",
    "__import__('decimal').Decimal('1.5')": "Decimal('1.5')",
    "fractions.Fraction(1, 3)": "Fraction(1, 3)",
    "__import__('numpy').arange(3)": "array([0, 1, 2])",
    "__import__('numpy').int8(3)": "int8(3)",
    "__import__('numpy').zeros((50, 50))": "<array of shape (50, 50)>",
    "__import__('numpy').array([object()])": "array([<object object>])",
    "__import__('numpy').dtype('int8')": "object>",
}


def no(*arguments):
    """Stand for a method of a program's that must not be called."""
    raise RuntimeError("called")


class HostileZone(datetime.tzinfo):
    """A time zone with methods of a program's."""

    __repr__ = __str__ = __reduce__ = utcoffset = dst = tzname = no


class HostileDelta(datetime.timedelta):
    """An offset with methods of a program's."""

    __repr__ = __str__ = __reduce__ = no


class HostileText(str):
    """A name with methods of a program's."""

    __repr__ = __str__ = __reduce__ = no


class HostileNumber(int):
    """A number with methods of a program's."""

    __repr__ = __str__ = __format__ = __index__ = bit_length = no


@pytest.mark.parametrize(("source", "text"), SHOWN.items())
def test_data_is_shown(source, text):
    """Data is shown as it is written, and cut where it is long or deep."""
    assert text in format_value(eval(source))


def test_no_code_of_the_candidate_s_is_run():
    """A failed assert shows only the class of an object, without calling its methods or comparing it."""

    def no(*arguments):
        raise RuntimeError("called")

    lies = ("__repr__", "__str__", "__eq__", "__hash__", "__bool__", "__len__", "__iter__", "__getattribute__")
    of_class = ("__eq__", "__hash__", "__getattribute__", "__instancecheck__", "__subclasscheck__")
    hostile = type("Meta", (type,), dict.fromkeys(of_class, no))("Hostile", (list,), dict.fromkeys(lies, no))()
    assert format_value([hostile]) == "[<Hostile object>]"


HOUR = datetime.timedelta(hours=1)
ZONES = {
    "a class of its own": HostileZone(),
    "an offset of its own class": datetime.timezone(HostileDelta(hours=1)),
    "a name of its own class": datetime.timezone(HOUR, HostileText("x")),
}


@pytest.mark.parametrize("zone", ZONES.values(), ids=ZONES)
@pytest.mark.parametrize("kind", ["time", "datetime"])
def test_no_time_zone_of_the_candidate_s_is_asked(zone, kind):
    """A time of a zone that a program wrote shows only its class."""
    day = datetime.datetime(2020, 1, 2, tzinfo=zone)
    assert format_value([day if kind == "datetime" else day.timetz()]) == f"[<{kind} object>]"


def test_no_part_of_a_fraction_is_asked(monkeypatch):
    """A Fraction is shown by its two numbers, and one whose numbers a program replaced shows only its class."""
    monkeypatch.setattr(fractions.Fraction, "__repr__", no)
    value = fractions.Fraction(1, 2)
    assert format_value(value) == "Fraction(1, 2)"
    value._numerator = HostileNumber(1)
    assert format_value(value) == "<Fraction object>"


@pytest.mark.parametrize("module", ["datetime", "fractions", "numpy"])
def test_a_module_of_the_candidate_s_is_not_believed(monkeypatch, module):
    """A class under the name of a library's shows only its name."""
    fake = type(datetime)(module)
    fake.date = fake.Fraction = fake.ndarray = type("ndarray", (), {"__repr__": no, "dtype": property(no)})
    monkeypatch.setitem(__import__("sys").modules, module, fake)
    assert format_value(fake.date()) == "<ndarray object>"


def test_numpy_s_print_options_are_not_asked():
    """An array is shown without the functions that numpy was told to print numbers with."""
    numpy = pytest.importorskip("numpy")
    with numpy.printoptions(formatter={"all": no}):
        assert format_value(numpy.arange(2)) == "array([0, 1])"


def test_a_counter_s_methods_are_not_called(monkeypatch):
    """A Counter is shown without its methods, which a program can replace."""
    from collections import Counter

    for name in ("items", "__len__", "__repr__", "__iter__"):
        monkeypatch.setattr(Counter, name, no, raising=False)
    assert format_value(Counter("aa")) == "Counter({'a': 2})"
