"""Modules, lambdas and local functions as names of restricted programs: they work as they are, and open nothing."""

import sys
import types

import cloudpickle
import numpy as np
import pytest

from sandboxes.restricted_policy.transport import decode, encode
from support.metric_and_command import load_metric, texts

PASSES = {
    "sum": "return np.array([1, 2, 3]).sum() == 6",
    "text": "return str(np.arange(3)) == '[0 1 2]'",
    "module in a module": "return round(float(np.linalg.det(np.eye(2)))) == 1",
    "lazily loaded module": "return float(np.fft.fft([1.0, 2.0])[0].real) == 3",
    "warning": "return bool(np.isinf(np.array([1.0]) / np.array([0.0])).all())",
    "masked": "return int(np.ma.masked_array([1, 2], mask=[0, 1]).sum()) == 1",
    "in place": "a = np.zeros(2)\n    a += 1\n    a[0] *= 4\n    return a.tolist() == [4, 1]",
}
REFUSED = {
    "import": ("import numpy", "import of 'numpy' is not allowed"),
    "module of the module": ("return np.os", "no attribute 'os'"),
    "private": ("return getattr(np, '__builtins__')", "invalid attribute name"),
    "what it has loaded": ("np.array([1]).sum()\n    import os", "import of 'os' is not allowed"),
}


def results_of(bodies, **options):
    """Return the texts of functions with these bodies, each of which should return True."""
    candidates = [[f"def f():\n    {body}" for body in bodies]]
    _, results = load_metric("restricted").compute(
        references=["assert f() == True"], predictions=candidates, k=[1], grading="shared", num_workers=1, **options
    )
    return texts(results)[0]


@pytest.mark.slow
@pytest.mark.parametrize("policy", [None, "strict"])
def test_module_imports_what_it_needs(policy):
    """A given module works as anywhere, although its own code imports others while the program runs."""
    bodies = [body for name, body in PASSES.items() if policy is None or name != "in place"]
    assert results_of(bodies, additional_globals={"np": np}, policy=policy) == ["passed"] * len(bodies)


def test_module_opens_nothing():
    """A program gets no module by way of the one that it was given."""
    found = results_of([body for body, _ in REFUSED.values()], additional_globals={"np": np})
    for text, (_, said) in zip(found, REFUSED.values(), strict=True):
        assert said in text


def local_function():
    """Return a function that no import finds, with a value of its own, which imports when it is called."""
    offset = 40

    def add(x):
        import json

        return json.loads(str(x)) + offset

    return add


TRUSTED = {"add": local_function(), "double": lambda x: 2 * x, "both": [lambda: 1, max]}
CALLS = ["return add(2) == 42", "return double(add(1)) == 82", "return both[0]() == both[1](0, 1)"]


@pytest.mark.slow
@pytest.mark.parametrize("option", ["additional_globals", "additional_locals", "custom_builtins"])
def test_trusted_names(option):
    """Lambdas and local functions arrive with their values, in names and in builtins, in every worker."""
    found = results_of(CALLS, trusted_globals=True, **{option: TRUSTED}) + results_of(
        CALLS * 3, trusted_globals=True, **{option: TRUSTED, "policy": "original"}
    )
    assert found == ["passed"] * 12


def test_trusted_functions_open_nothing():
    """A program reads neither the globals nor the code of a function that it was given."""
    bodies = ["return getattr(add, '__globals__')", "return getattr(add, '__closure__')", "return add(1).json"]
    for text in results_of(bodies, trusted_globals=True, additional_globals=TRUSTED):
        assert "attribute" in text


def test_names_that_can_be_imported_are_no_copies():
    """With trust, what has a name is still sent by its name."""
    assert encode("k", max, cloudpickle.dumps) == encode("k", max)


def test_object_of_main_arrives():
    """A trusted function of `__main__` arrives as a copy."""
    function = types.FunctionType((lambda: 5).__code__, {"__name__": "__main__"})
    function.__module__ = "__main__"
    assert decode(encode("k", function, cloudpickle.dumps))() == 5


def test_what_can_not_be_pickled():
    """A trusted value that can't be copied is a TypeError with the reason."""
    with pytest.raises(TypeError, match="k: .*TextIOWrapper.* can't be pickled: .*; put it into a module"):
        encode("k", sys.__stdout__, cloudpickle.dumps)
