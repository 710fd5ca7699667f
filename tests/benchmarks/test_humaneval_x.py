"""HumanEval-X: solutions pass in each language, and stubs do not. performance/humaneval_x.py runs all of them."""

import pytest

from code_tasks.benchmarks import humaneval_x
from code_tasks.benchmarks.humaneval_x import LANGUAGES, detect_language, missing_modules
from sandboxes import Limits
from sandboxes.languages.programs import build_program
from support.humaneval_x_samples import build_candidate, build_stub
from support.languages import each_of, language_pool
from support.published_records import read
from support.requirements import WALL_SECONDS, require_testify

pytestmark = [pytest.mark.slow, pytest.mark.languages]

LIMITS = Limits(wall_seconds=WALL_SECONDS)
# A spread over all problems. Go's include some whose imports differ from what they use.
NUMBERS = {"java": range(3, 164, 9), "go": (*range(5, 164, 13), 17, 20, 27, 59, 65, 75, 162)}
FUNCTION = {
    "task_id": "Go/0",
    "import": 'import "math"',
    "prompt": 'import "math"\n\n// It is math.Sqrt\nfunc F(x int) (int, error) {\n',
    "declaration": "func F(x int) (int, error) {\n",
    "test": "func TestF(t *testing.T) { assert.New(t) }",
    "test_setup": 'package main\n\nimport (\n    "testing"\n    "time"\n    "github.com/stretchr/testify/assert"\n)\n',
}


@pytest.fixture(scope="module")
def records():
    """Provide {language: its records}."""
    return {name: read(f"humaneval_x_{name}.jsonl.gz") for name in LANGUAGES}


@pytest.fixture(scope="module", params=each_of(["java", "go"]))
def verdicts(request, records):
    """Provide {"solutions": {task_id: verdict}, "stubs": the same} for a spread of a language's problems."""
    name = request.param
    if name == "go":
        require_testify()
    pool = language_pool(name)
    chosen = [records[name][number] for number in NUMBERS[name]]
    found = {}
    for kind in ("solutions", "stubs"):
        programs = [
            build_program(name, build_candidate(each, completion_of(each, kind)), humaneval_x.build_tests(each), LIMITS)
            for each in chosen
        ]
        ids = [each["task_id"] for each in chosen]
        found[kind] = dict(zip(ids, pool.run_all(programs, 1), strict=True))
    return found


def completion_of(record, kind):
    """Return the completion of a record's prompt that makes this code."""
    return record["canonical_solution"] if kind == "solutions" else build_stub(record)


def test_solutions_pass(verdicts):
    """The data's solutions pass."""
    assert {name: each.detail for name, each in verdicts["solutions"].items() if not each.passed} == {}


def test_stubs_fail(verdicts):
    """A stub compiles, and its tests fail."""
    assert {name: each.outcome.value for name, each in verdicts["stubs"].items()} == dict.fromkeys(
        verdicts["stubs"], "failed"
    )


def test_there_are_all_records(records):
    """Each language has 164 records, and a stub can be made for each."""
    for name, each in records.items():
        assert len(each) == 164
        assert {detect_language(record) for record in each} == {name}
        assert all(build_stub(record) for record in each)


def test_a_candidate_imports_what_it_uses():
    """A candidate in Go has the imports that its code uses, whatever its prompt imports."""
    candidate = build_candidate(FUNCTION, '    return strings.Count("a", "b"), nil\n}\n')
    assert candidate.startswith('package main\n\nimport (\n\t"strings"\n)\n')
    assert '"math"' not in candidate


def test_tests_import_what_they_use():
    """Go tests have the imports of their set-up that they use."""
    assert '"testing"\n\t"github.com/stretchr/testify/assert"\n)' in humaneval_x.build_tests(FUNCTION)
    assert '"time"' not in humaneval_x.build_tests(FUNCTION)


def test_a_stub_has_a_value_for_each_result():
    """A function of two results has a stub that returns two."""
    assert build_stub(FUNCTION) == "    return *new(int), *new(error)\n}\n"


def test_a_prompt_without_a_function_has_no_stub():
    """A prompt without a function's beginning has no stub."""
    with pytest.raises(ValueError, match="Go/0: no function begins"):
        build_stub({**FUNCTION, "declaration": "type T int"})


def test_modules_that_are_not_imported():
    """The Python modules that a text uses and does not import are added."""
    assert missing_modules("import re\nfrom math import pi\nre.sub, string.digits, math.pi, itertools.count") == [
        "math",
        "itertools",
        "string",
    ]


def test_another_language_is_named():
    """A record of an unknown language is named by its id."""
    with pytest.raises(ValueError, match="'Cobol/1' is none of"):
        detect_language({"task_id": "Cobol/1"})


WITH_SUITE = """package main
import (
	"testing"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/suite"
)
type AddSuite struct {
	suite.Suite
	doubled mock.Mock
}
func (s *AddSuite) TestAdd() {
	s.doubled.On("Double", 2).Return(4)
	s.Equal(s.doubled.MethodCalled("Double", 2).Int(0), Add(2, 2))
	s.Equal(5, Add(2, 3))
}
func TestAdd(t *testing.T) { suite.Run(t, new(AddSuite)) }
"""


def test_go_has_suites_and_mocks_of_testify():
    """Go's tests may be a suite, with mocks: a right candidate passes, a wrong one does not."""
    pool = language_pool("go")
    candidates = [f"package main\nfunc Add(a, b int) int {{ return a {sign} b }}" for sign in "+*"]
    programs = [build_program("go", candidate, WITH_SUITE, LIMITS) for candidate in candidates]
    assert [verdict.passed for verdict in pool.run_all(programs, 1)] == [True, False]
