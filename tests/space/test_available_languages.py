"""The Space's endpoints in other languages than Python."""

import json

import pytest
from gradio_client import handle_file
from gradio_client.exceptions import AppError

from sandboxes.languages.registry import NAMES
from support.space_client import client_of, outcomes_of, samples_file

pytestmark = [pytest.mark.slow, pytest.mark.languages]

CPP_TESTS = "#include <cassert>\nint main() { assert(twice(2) == 4); }\n"
CPP = [f"int twice(int x) {{ return {code} }}\n" for code in ("2 * x;", "x;", "x")]


@pytest.fixture(scope="module")
def client(space):
    """Provide a visitor of the Space."""
    with client_of(space) as client:
        yield client


@pytest.fixture(scope="module")
def there(client):
    """Return the languages of the default sandbox."""
    answer = client.predict(api_name="/sandboxes")
    return answer["sandboxes"][answer["default"]]["languages"]


def test_languages_are_listed(client, there):
    """/sandboxes says which languages each sandbox has: all have Python, and the restricted one nothing else."""
    assert {"python", "bash"} <= {*there} <= {*NAMES}
    assert client.predict(api_name="/sandboxes")["sandboxes"]["restricted"]["languages"] == ["python"]


@pytest.mark.languages("cpp")
def test_candidates_in_another_language(client):
    """/evaluate runs candidates in the language that is given: right, wrong, and one that does not compile."""
    answer = client.predict([CPP], [CPP_TESTS], language="cpp", k=[1], api_name="/evaluate")
    assert [outcome in wanted for outcome, wanted in zip(outcomes_of(answer), CPP_OUTCOMES, strict=True)] == [True] * 3
    assert "error" in answer["results"][2]["detail"]


# A failed assertion aborts.
CPP_OUTCOMES = [{"passed"}, {"crashed", "failed"}, {"compile_error"}]


def test_cases_in_another_language(client):
    """Inputs and outputs are tests for any language."""
    cases = [{"input": "5\n", "output": "6\n"}]
    programs = ["read number; echo $((number + 1))", "echo 5"]
    answer = client.predict([programs], [cases], language="bash", api_name="/evaluate")
    assert outcomes_of(answer) == ["passed", "failed"]


@pytest.mark.parametrize(
    ("language", "outcome"), [(None, "passed"), ("bash", "passed")], ids=["of the record", "of the request"]
)
def test_file_in_another_language(client, tmp_path, language, outcome):
    """/score_file takes problems as the command does, with the language in the record or in the request."""
    problem = {"task_id": "t/0", "test": '[ "$(twice 2)" = 4 ] || exit 1'} | ({} if language else {"language": "bash"})
    paths = samples_file(tmp_path, "twice() { echo $((2 * $1)); }", "twice() { echo 1; }", problem=problem)
    samples, problems = map(handle_file, paths)
    more = {"language": language} if language else {}
    _, file = client.predict(samples=samples, problems=problems, **more, api_name="/score_file")
    with open(file, encoding="utf-8") as results:
        assert [json.loads(line)["outcome"] for line in results] == [outcome, "failed"]


def test_file_of_cases(client, tmp_path):
    """/score_file takes inputs and outputs as tests, and gives the outcome of each."""
    problem = {"task_id": "t/0", "input_output": {"inputs": ["1", "2"], "outputs": ["1", "3"]}}
    samples, problems = map(handle_file, samples_file(tmp_path, "print(input())", problem=problem))
    _, file = client.predict(samples=samples, problems=problems, api_name="/score_file")
    with open(file, encoding="utf-8") as results:
        [result] = map(json.loads, results)
    assert [each["outcome"] for each in result["tests"]] == ["passed", "failed"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"language": "cobol"}, f"unknown language 'cobol'; choose one of {', '.join(NAMES)}"),
        (
            {"language": "bash", "sandbox": "restricted"},
            'sandbox="restricted" runs Python only, not bash; choose "subprocess" or "docker"',
        ),
        (
            {"language": "bash", "references": ['{"fn_name": "f", "inputs": [[1]], "outputs": [2]}']},
            "references[0]: cases that call a function are for python, java, go, javascript, typescript, cpp, rust, "
            "ruby, php, not for bash",
        ),
    ],
    ids=["unknown", "restricted", "calls"],
)
def test_language_that_cannot_be(client, there, arguments, message):
    """A language that can't be run leads to one message with the reason."""
    with pytest.raises(AppError) as raised:
        client.predict(**{"predictions": [["x"]], "references": ["x"], **arguments}, api_name="/evaluate")
    assert raised.value.message == message


def test_problem_in_a_language_that_is_not_there(client, tmp_path):
    """The language of a problem is checked even if the request names none."""
    problem = {"task_id": "t/0", "test": "x", "language": "bash"}
    samples, problems = map(handle_file, samples_file(tmp_path, "x", problem=problem))
    with pytest.raises(AppError, match="runs Python only, not bash"):
        client.predict(samples=samples, problems=problems, sandbox="restricted", api_name="/score_file")
