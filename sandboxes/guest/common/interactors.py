"""Interactors of tasks: the files that they get, and what their end says about a conversation."""

from __future__ import annotations

from .checker_programs import EXPECTED_FILE, INPUT_FILE, TESTLIB, CheckerFault, first_line, refusal

# The ways in which interactors are called and answer. TESTLIB: `interactor input log expected`, and the exit status
# decides, with a message on standard error. ICPC, for Kattis and DOMjudge: `interactor input expected folder/`, status
# 42 or 43 decides, and the message is a file of the folder.
ICPC = "icpc"
INTERACTOR_CONVENTIONS = (TESTLIB, ICPC)
# The tests of a program in another language, which call the candidate's functions through the pipes. Status 0 decides
# that the candidate is right. LOST_STATUS says that the candidate had ended before the tests did. UNUSABLE_STATUS says,
# before anything of the candidate's is loaded, that the tests can't run here. The last line of errors has the reason.
TESTS = "tests"
LOST_STATUS = 86
UNUSABLE_STATUS = 85
LOG_FILE, FEEDBACK_FOLDER, MESSAGE_FILE = "interactor_log.txt", "feedback", "judgemessage.txt"
INTERACTOR_ARGUMENTS = {
    TESTLIB: (INPUT_FILE, LOG_FILE, EXPECTED_FILE),
    ICPC: (INPUT_FILE, EXPECTED_FILE, FEEDBACK_FOLDER + "/"),
}
ACCEPTED, REFUSED = 42, 43
# The layers without which a candidate and its interactor could see each other.
NEEDED_LAYERS = ("pid", "mount")
ENDED_EARLY = "wrong answer: the candidate ended before the interactor had all that it waits for"


def interactor_files(convention: str, given: str, expected: str) -> dict[str, str]:
    """Return the files of an interactor of a convention, beside its own.

    Args:
        convention: one of INTERACTOR_CONVENTIONS, or TESTS.
        given: input of the test.
        expected: output of the test, which may be empty.
    """
    if convention == TESTS:
        return {}
    files = {INPUT_FILE: given, EXPECTED_FILE: expected}
    if convention == ICPC:
        files[f"{FEEDBACK_FOLDER}/{MESSAGE_FILE}"] = ""
    return files


def interactor_refusal(convention: str, status: int, message: str) -> str:
    """Return why an interactor that ended by itself refuses a conversation; "" if it accepts.

    Args:
        convention: one of INTERACTOR_CONVENTIONS.
        status: its exit status.
        message: that it wrote for people.

    Raises:
        CheckerFault: if its status says that the interactor itself, or the test, is at fault.
    """
    if convention == TESTLIB:
        return refusal(TESTLIB, status, "", message, "interactor")
    if status == ACCEPTED:
        return ""
    line = first_line(message)
    if status == REFUSED:
        return f"wrong answer: {line}" if line else "wrong answer"
    raise CheckerFault(f"it ended with status {status}: {line}")
