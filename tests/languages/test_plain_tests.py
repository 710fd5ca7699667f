"""Tests in compiled languages that compare results of calls with data. No candidate's process has what they expect."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes import Limits, Outcome
from sandboxes.languages.apart.go import shown
from sandboxes.languages.programs import build_program, reason_for_candidate
from sandboxes.languages.registry import LANGUAGES
from support.languages import language_pool
from support.other_texts import OTHERS
from support.plain_candidates import CANDIDATES, HONEST, LIES, MISTYPED, RIGHT, WRONG
from support.plain_frames import ADA, BASH, FORTRAN, GO, HASKELL, JAVA, KOTLIN, RUST, SCALA
from support.plain_texts import PLAIN
from support.requirements import WALL_SECONDS
from support.selection import chosen_parameters


@pytest.mark.parametrize("name", PLAIN)
def test_results_are_read(name):
    """What calls return is read, and the tests that are compiled do not hold it."""
    language, tests, expected = PLAIN[name]
    plain = LANGUAGES[language].plain_tests(tests)
    assert plain is not None
    assert json.loads(plain.expected) == expected
    assert not any(text in plain.tests for text in ("987", "98.7", "xyz"))
    assert reason_for_candidate(language, tests) == ""


@pytest.mark.parametrize("name", OTHERS)
def test_other_tests_are_not_plain(name):
    """Tests that do anything else are run with the candidate."""
    language, tests = OTHERS[name]
    assert LANGUAGES[language].plain_tests(tests) is None
    assert reason_for_candidate(language, tests) == f"the tests are in {language}"


@given(
    st.sampled_from(["ada", "bash", "c", "cpp", "fortran", "go", "haskell", "java", "kotlin", "rust", "scala"]),
    st.text(alphabet="ad(2)=,;\"'{}[]<>.: !-+*1e\n$"),
)
def test_any_text_can_be_read(language, text):
    """No text is an error."""
    body = {
        **dict.fromkeys(("c", "cpp"), f"int main() {{ {text} }}"),
        "go": GO.replace("BODY", text),
        "java": JAVA.replace("BODY", text),
    }
    forms = {"ada": ADA, "bash": BASH, "fortran": FORTRAN, "haskell": HASKELL, "kotlin": KOTLIN, "scala": SCALA}
    body |= {name: form.replace("BODY", text) for name, form in forms.items()}
    LANGUAGES[language].plain_tests(body.get(language, RUST.replace("BODY", text)))


def test_the_program_has_no_expected_result():
    """The files of a candidate do not hold what its calls should return, and the plan does."""
    # A random token, of which the program has one, does not hold so many digits by chance.
    language, tests, expected = "cpp", PLAIN["C++"][1].replace("987", "1987654321"), "1987654321"
    program = build_program(language, "int add(int a, int b) { return 1; }", tests, Limits())
    assert (expected in program.candidate, expected in program.tests) == (False, True)
    program = build_program(language, "int add(int a, int b) { return 1; }", tests, Limits(), grading="shared")
    assert expected in program.candidate


def test_first_comments_stay():
    """Comments that choose options of the compiler are the first lines of the tests that are compiled."""
    option = '// { dg-options "-std=c++11" }\n'
    plain = LANGUAGES["cpp"].plain_tests(option + PLAIN["C++"][1])
    assert plain and plain.tests.startswith(option)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-2.5, "-2.5"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (0.0001, "0.0001"),
        (1e-5, "1e-05"),
        (1.5e300, "1.5e+300"),
        ([1, "a b", [True, None]], "[1 a b [true <nil>]]"),
        ({"b": 1, "a": [2.0]}, "map[a:[2] b:1]"),
    ],
)
def test_data_as_go_writes_it(value, text):
    """The text of data is that of Go's "%v"."""
    assert shown(value) == text


@pytest.fixture(scope="module")
def verdicts(request):
    """Return {(language, body): verdict} of lies and of honest candidates."""
    parameters = chosen_parameters(request)
    lies, languages = {each.get("lie") for each in parameters}, {each.get("language") for each in parameters}
    bodies = [lie for name, lie in LIES.items() if name in lies or name.startswith("times") and lie[0] in languages]
    bodies += [(language, body) for language, body in RIGHT.items() if language in languages]
    pool = language_pool(*{language for language, _ in bodies})
    programs = []
    for language, body in bodies:
        candidate, tests = CANDIDATES[language]
        code = candidate.replace("BODY", body).replace("IMPORT", 'import "os"\n' if "os." in body else "")
        programs.append(build_program(language, code, tests, Limits(wall_seconds=WALL_SECONDS)))
    return dict(zip(bodies, pool.run_all(programs, 1), strict=True))


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.parametrize("lie", LIES)
def test_a_lie_does_not_pass(verdicts, lie):
    """A candidate whose results are wrong, or that leaves with results of its own, has not passed."""
    verdict = verdicts[LIES[lie]]
    assert (verdict.passed, verdict.attempts) == (False, 1), verdict


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.parametrize("language", CANDIDATES)
def test_a_right_candidate_passes(verdicts, language):
    """A right candidate passes. A framework's test has a result under its name."""
    verdict = verdicts[language, RIGHT[language]]
    assert verdict.passed, (verdict.detail, verdict.stderr)
    name = {"go": "TestAdd", "rust": "test_add"}.get(language, "")
    assert (verdict.grading, [test.name for test in verdict.tests]) == ("separate", [name])


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.parametrize("name", HONEST)
def test_results_of_each_kind(name):
    """Honest candidates pass, whatever their results are, and whatever they write."""
    language, candidate, tests = HONEST[name]
    pool = language_pool(language)
    [verdict] = pool.run_all([build_program(language, candidate, tests, Limits(wall_seconds=WALL_SECONDS))], 1)
    assert (verdict.passed, verdict.grading) == (True, "separate"), (verdict.detail, verdict.stderr)


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.parametrize("name", WRONG)
def test_results_that_differ(name):
    """Results are equal where the language says so, and nowhere else."""
    language, candidate, tests = WRONG[name]
    pool = language_pool(language)
    [verdict] = pool.run_all([build_program(language, candidate, tests, Limits(wall_seconds=WALL_SECONDS))], 1)
    assert (verdict.outcome, verdict.grading) == (Outcome.FAILED, "separate"), verdict


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.parametrize("name", MISTYPED)
def test_types_are_checked(name):
    """A candidate whose results have other types than the tests' data does not compile."""
    language, candidate, tests = MISTYPED[name]
    pool = language_pool(language)
    [verdict] = pool.run_all([build_program(language, candidate, tests, Limits(wall_seconds=WALL_SECONDS))], 1)
    assert (verdict.outcome, verdict.grading) == (Outcome.COMPILE_ERROR, "separate"), verdict


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.parametrize("language", CANDIDATES)
def test_the_message_names_the_call(verdicts, language):
    """The detail of a wrong candidate says which call returned what."""
    [lie] = [body for name, (each, body) in LIES.items() if each == language and name.startswith("times")]
    verdict = verdicts[language, lie]
    others = {"bash": '"5", but returned "6"', "go": '[5, "int"], but returned [6, "int"]'}
    shown = others.get(language, "5, but returned 6")
    assert verdict.outcome is Outcome.FAILED
    assert f"call 1 should return {shown}" in verdict.detail
