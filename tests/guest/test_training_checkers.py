"""Comparisons of the graders for training take time in proportion, and several outputs may be right."""

import time

import pytest

from sandboxes.guest.common.checkers import difference, difference_from_any
from sandboxes.guest.common.training_checkers import TRAINING_GRADERS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("checker", TRAINING_GRADERS)
@pytest.mark.parametrize("text", ["1\n" * 200_000, "9" * 1_000_000, "1 " * 200_000 + "x", "1e999999999 " * 50_000, "1"])
def test_large_outputs(checker, text):
    """A large output takes no time out of proportion to its size."""
    began = time.process_time()
    difference(checker, 1e-6, text, text.replace("1", "2", 1) + " 1")
    difference(checker, 1e-6, text, text[:-2] + "7 ")
    difference(checker, 1e-6, text, "1" * 1_000_000 + "x")
    assert time.process_time() - began < 30


def test_several_right_outputs():
    """One of several outputs is enough."""
    assert difference_from_any("tokens", 1e-6, ["1 2", "2 1"], "2\n1") == ""
    assert difference_from_any("tokens", 1e-6, "2 1", "2\n1") == ""


def test_the_message_of_several_right_outputs():
    """The message about a wrong output names the first right one, and says how many others there are."""
    message = "expected '1', but it wrote '4'"
    assert difference_from_any("tokens", 1e-6, ["1"], "4") == message
    assert difference_from_any("tokens", 1e-6, ["1", "2"], "4") == message + " (1 other output would be right)"
    assert difference_from_any("tokens", 1e-6, ["1", "2", "3"], "4") == message + " (2 other outputs would be right)"
