"""Names of fields that may decide on verdicts, and names of one's own."""

import pytest

from sandboxes.tasks.io_cases import parse_cases
from sandboxes.tasks.judging_fields import check_fields, decides

DECISIVE = """suffix prefix checker checker_code custom_checker special_judge is_special_judge spj spj_code interactor
interactive validator setup setup_code test_setup test_imports timeout timeouts test_timeout timeLimit time-limit
time_limit_ms memory_limit memoryLimitBytes tests test_cases testcases unit_tests hidden_unit_tests private_test_cases
test_list test_code base_input input_output fn_name func_name input_mode output_file test_files atol tolerance
assertions judge_program""".split()
OWN = """my_note my_checker id question_id difficulty tags source url model checked verified num_tests test_count tested
test_info tests_passed time timeout_rate limit prompt_suffix judge grader checkpoint setup_id language_id inputs outputs
has_tests example_test contract starter_code interactions""".split()


@pytest.mark.parametrize("name", DECISIVE)
def test_decisive_names(name):
    """A name under which the field keeps what judges is one that decides, however it is written."""
    assert decides(name)


@pytest.mark.parametrize("name", OWN)
def test_own_names(name):
    """A researcher's own columns decide nothing."""
    assert not decides(name)


@pytest.mark.parametrize("value", [None, "", [], {}, False, 0])
def test_no_value(value):
    """A field without a value decides nothing."""
    check_fields({"checker": value}, (), "here")


@pytest.mark.parametrize(("value", "is_other"), [("java", True), ("C++", True), ("python", False), ("en", False)])
def test_languages(value, is_other):
    """A programming language other than Python decides; Python, and the language of a text, don't."""
    if is_other:
        with pytest.raises(ValueError, match="'lang' may decide on verdicts, and is not read here"):
            check_fields({"lang": value}, (), "here")
    else:
        check_fields({"lang": value}, (), "here")


CASE = {"input": "1", "output": "1"}


@pytest.mark.parametrize(
    "reference",
    [
        [CASE, {**CASE, "checker": "print(1)"}],
        {"inputs": ["1"], "outputs": ["1"], "special_judge": True},
        '{"inputs": ["1"], "outputs": ["1"], "time_limit": 2}',
    ],
)
def test_fields_of_references(reference):
    """Cases with a field that may decide and is not read are an error, and not judged without it."""
    with pytest.raises(ValueError, match=r"'\w+' may decide on verdicts, and is not read in cases; remove it"):
        parse_cases(reference)


def test_own_fields_of_references():
    """Cases may have fields of one's own."""
    assert len(parse_cases([{**CASE, "points": 5, "my_note": "x"}]).cases) == 1
