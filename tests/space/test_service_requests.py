"""Requests of visitors: every fault is one message that names it."""

import json

import hypothesis.strategies as st
import pytest
from hypothesis import example, given

from sandboxes import Isolation, open_sandbox
from sandboxes.languages.base import COMPILE_SECONDS
from space.available_sandboxes import SandboxAvailability
from space.errors import RequestError
from space.service_requests import (
    MAX_K,
    MAX_TESTS_CHARS,
    NOT_ALLOWED,
    check_tests_of_file,
    checked_choices,
    checked_ks,
    checked_programs,
    without_blank,
)
from space.settings import Settings

SETTINGS = Settings(max_timeout=5.0, max_memory_mb=256, max_candidates=3, max_output_bytes=1000)
USABLE, RESTRICTED = (
    SandboxAvailability(name, open_sandbox(name), Isolation((), {}, "3.11.2")) for name in ("subprocess", "restricted")
)
SANDBOXES = {
    "subprocess": USABLE,
    "restricted": RESTRICTED,
    "docker": SandboxAvailability("docker", refused="no engine answers"),
}
RIGHT = {"sandbox": "subprocess", "grading": "auto", "k": [1], "timeout": 3.0, "memory_mb": 256}


def choices(**changed):
    """Return valid choices of a visitor, with some of them changed."""
    return checked_choices(SETTINGS, SANDBOXES, **{**RIGHT, **changed})


def said(function, *args, **kwargs):
    """Return the message about an invalid request."""
    with pytest.raises(RequestError) as raised:
        function(*args, **kwargs)
    return str(raised.value)


def test_choices_become_limits():
    """A visitor's choices are the limits of each program, except for the output, which the owner limits."""
    found = choices(timeout=2, memory_mb=100.0, k="1, 2")
    assert (found.limits.wall_seconds, found.limits.memory_bytes) == (2.0, 100 << 20)
    assert found.limits.output_bytes == 1000
    assert (found.k, found.grading, found.sandbox) == ((1, 2), "auto", USABLE.sandbox)


@pytest.mark.parametrize(("most", "seconds"), [(2.0, 2.0), (1000.0, COMPILE_SECONDS)])
def test_compilers_have_the_owners_seconds(most, seconds):
    """A compiler has the seconds that the owner allows, and never more than the default."""
    found = checked_choices(Settings(max_compile_seconds=most), SANDBOXES, **RIGHT, language="java")
    assert (found.tasks.language, found.tasks.compile_seconds) == ("java", seconds)


def test_only_restricted_describes_exceptions():
    """Results of the restricted sandbox have one more key."""
    assert choices().extra_fields == ()
    assert choices(sandbox="restricted").extra_fields == ("exception_description",)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"sandbox": "dokcer"}, "unknown sandbox 'dokcer'; choose one of subprocess, restricted, docker"),
        ({"sandbox": None}, "unknown sandbox None"),
        ({"sandbox": ["docker"]}, "unknown sandbox ['docker']"),
        ({"sandbox": "docker"}, "the sandbox docker can't be used here: no engine answers"),
        ({"grading": "both"}, "grading must be one of shared, separate, auto, not 'both'"),
        ({"grading": {}}, "grading must be one of"),
        ({"timeout": 5.5}, "timeout may be at most 5 seconds here, not 5.5"),
        ({"timeout": 0}, "timeout must be a finite number of seconds above 0, not 0"),
        ({"timeout": float("nan")}, "timeout must be"),
        ({"timeout": float("inf")}, "timeout must be"),
        ({"timeout": "3"}, "timeout must be a number of seconds, not '3'"),
        ({"timeout": True}, "timeout must be"),
        ({"timeout": None}, "timeout must be"),
        ({"memory_mb": 257}, "memory_mb may be at most 256 here, not 257"),
        ({"memory_mb": 0}, "memory_mb must be at least 1, not 0"),
        ({"memory_mb": 1.5}, "memory_mb must be a whole number, not 1.5"),
        ({"memory_mb": float("inf")}, "memory_mb must be a whole number"),
        ({"memory_mb": 10**400}, "memory_mb may be at most 256"),
        ({"memory_mb": [1]}, "memory_mb must be a whole number, not [1]"),
        ({"k": []}, "k must hold at least one number, such as 1"),
        ({"k": " , "}, "k must hold at least one number, such as 1"),
        ({"k": "0"}, f"k must be from 1 to {MAX_K}, not 0"),
        ({"k": 0}, "k must be whole numbers such as 1, 10, not 0"),
        ({"k": [1, MAX_K + 1]}, f"k must be from 1 to {MAX_K}, not {MAX_K + 1}"),
        ({"k": "1, two"}, "k must be whole numbers such as 1, 10, not 'two'"),
        ({"k": None}, "k must be whole numbers such as 1, 10, not None"),
        ({"k": {"path": "/etc/passwd"}}, "k must be whole numbers"),
        ({"k": [[1]]}, "k must be whole numbers"),
        ({"k": [True]}, "k must be whole numbers"),
        ({"k": "9" * 5000}, "k must be whole numbers"),
        ({"language": "cobol"}, "unknown language 'cobol'; choose one of python, java"),
        ({"language": ["java"]}, "unknown language ['java']"),
    ],
)
def test_wrong_choice_is_named(changed, message):
    """A choice that is invalid, or above the owner's limit, is named in a message with the valid choices."""
    assert message in said(choices, **changed)


def test_nothing_runs_unless_the_owner_allows_it(monkeypatch):
    """Without HF_ALLOW_CODE_EVAL=1 the answer to every request says which variable to set."""
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL")
    assert said(choices) == NOT_ALLOWED


@given(st.text())
@example("1 2,,3")
@example("\u0661")
@example("1_0")
@example("-1")
@example("\0")
def test_any_text_is_ks_or_a_bad_request(text):
    """Any text in the field for k gives numbers in range, each once, or a message."""
    try:
        ks = checked_ks(text)
    except RequestError as error:
        assert str(error).startswith("k must")
    else:
        assert ks
        assert len(set(ks)) == len(ks)
        assert all(isinstance(k, int) and 1 <= k <= MAX_K for k in ks)


@given(st.lists(st.integers(1, MAX_K), min_size=1))
def test_ks_keep_their_order(ks):
    """A text of numbers gives these numbers, each once, in their order."""
    expected = tuple(dict.fromkeys(ks))
    assert checked_ks(", ".join(map(str, ks))) == checked_ks(ks) == expected


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(json_values, json_values)
def test_any_json_is_programs_or_a_bad_request(predictions, references):
    """Any JSON in place of candidates and tests gives programs, or a message."""
    try:
        sizes, job = checked_programs(SETTINGS, choices(), predictions, references)
    except RequestError as error:
        assert str(error)
    else:
        assert sum(sizes) == len(job.programs)
        assert all(isinstance(each.candidate, str) and isinstance(each.tests, str) for each in job.programs)


def test_programs_stand_task_by_task():
    """Each candidate becomes a program with the tests of its task and the chosen limits."""
    found = choices()
    sizes, job = checked_programs(SETTINGS, found, [["a", "b"], ["c"]], ["s", "t"])
    assert sizes == [2, 1]
    assert [(each.candidate, each.tests) for each in job.programs] == [("a", "s"), ("b", "s"), ("c", "t")]
    assert {each.limits for each in job.programs} == {found.limits}
    assert {each.grading for each in job.programs} == {"separate"}


def test_number_of_candidates_is_limited():
    """Too many candidates are refused, counted over all tasks."""
    message = said(checked_programs, SETTINGS, choices(), [["x"] * 2, ["x"] * 2], ["x", "x"])
    assert message == "at most 3 candidates may be run at once here, not 4; use /score_file"


def test_tests_that_are_read_are_limited():
    """Tests have a limit, which counts each text once, because the server parses them to choose how they run."""
    long = "x" * MAX_TESTS_CHARS
    checked_programs(SETTINGS, choices(), [["x"]] * 2, [long, long])
    message = said(checked_programs, SETTINGS, choices(grading="shared"), [["x"]] * 2, [long, "y"])
    assert message.startswith("all tests together may be at most 256 KiB long here")


def test_tests_of_a_file_that_are_read_are_limited():
    """The tests of a file have a limit for each text, and one for all. Inputs and outputs are not parsed or counted."""
    long = "x" * MAX_TESTS_CHARS
    check_tests_of_file([long] * 4)
    check_tests_of_file([json.dumps([{"input": long * 5, "output": ""}])])
    for tests in ([long + "x"], [*[long] * 4, "y"]):
        assert "at most 256 KiB long here, and all together 1024 KiB" in said(check_tests_of_file, tests)


def test_blank_editors_are_no_candidates():
    """Blank editors are skipped. If all editors are blank, a message says so."""
    assert without_blank(["", "x = 1", None, " \n"]) == ["x = 1"]
    assert "there is no candidate" in said(without_blank, ["", None])


def test_cases_are_no_code():
    """Tests in JSON are run as cases, because as code they would always pass."""
    _, job = checked_programs(SETTINGS, choices(), [["print(1)"]], ['[{"input": "", "output": "1"}]'])
    assert [each.grading for each in job.programs] == ["steps"]


def test_cases_that_can_t_be_right():
    """The message about invalid cases names the task."""
    assert "references[0]" in said(checked_programs, SETTINGS, choices(), [["x"]], ['[{"input": 3, "output": "1"}]'])
