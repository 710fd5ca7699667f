"""The statuses of interactors, and the replies of guests that name one."""

import pytest

from sandboxes.guest.common.checker_programs import CheckerFault
from sandboxes.guest.common.interactors import interactor_files, interactor_refusal
from sandboxes.workers.messages import GuestBroken, judge_error

DECISIONS = {
    ("testlib", 0, "ok"): "",
    ("testlib", 1, "wrong\nmore"): "wrong answer: wrong",
    ("testlib", 1, ""): "wrong answer",
    ("testlib", 2, "x"): "presentation error: x",
    ("testlib", 8, "x"): "presentation error: x",
    ("testlib", 7, "points 100"): "",
    ("testlib", 7, "0.5"): "the interactor gives part of the points: 0.5",
    ("testlib", 16, "x"): "the interactor gives part of the points: x",
    ("icpc", 42, "x"): "",
    ("icpc", 43, "\n x\n"): "wrong answer: x",
    ("icpc", 43, ""): "wrong answer",
}
FAULTS = [("testlib", 3), ("testlib", 5), ("testlib", 255), ("icpc", 0), ("icpc", 1), ("icpc", 44)]


@pytest.mark.parametrize(("end", "refusal"), DECISIONS.items(), ids=map(str, DECISIONS))
def test_a_decision(end, refusal):
    """A status of the convention accepts, or refuses with the message's first line."""
    assert interactor_refusal(*end) == refusal


@pytest.mark.parametrize(("convention", "status"), FAULTS)
def test_a_status_that_decides_nothing(convention, status):
    """Each other status says that the interactor is at fault."""
    with pytest.raises(CheckerFault, match=f"it ended with status {status}: bad"):
        interactor_refusal(convention, status, "bad")


def test_files():
    """Each convention has its files, and the input and the expected output among them."""
    assert interactor_files("testlib", "in", "") == {"input.txt": "in", "correct_output.txt": ""}
    assert "feedback/judgemessage.txt" in interactor_files("icpc", "in", "out")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"judge": "interactor", "unusable": "x\x1b"}, "the interactor of program 3 does not work: x\ufffd; mend it"),
        ({"judge": "checker program", "unusable": "x"}, "the checker program of program 3 does not work: x"),
        ({"judge": "library", "unusable": "there is no x"}, "program 3 can't be tested: there is no x, or pass"),
        ({"judge": "layer", "unusable": "pid"}, "program 3 is interactive, and its two sides could see each other"),
    ],
)
def test_a_program_that_can_t_be_judged(frame, message):
    """The error says which part does not work, in printable characters, and what to do."""
    assert message in str(judge_error(3, frame))


@pytest.mark.parametrize("judge", [None, "x", ["interactor"], {}, 1])
def test_a_reply_that_names_no_judge(judge):
    """A guest that says anything else is broken."""
    with pytest.raises(GuestBroken, match="the guest names the judge"):
        judge_error(0, {"judge": judge, "unusable": "x"})
