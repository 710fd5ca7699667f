"""Programs in Swift, here and in containers: outcomes, attacks, and MultiPL-E's problems. Debian 12 lacks Swift."""

import json
from contextlib import closing

import pytest

from code_tasks.benchmarks import load_benchmark
from sandboxes import Limits, Outcome, Pool, Program, SandboxUnavailable, open_sandbox
from sandboxes.languages.apart.swift import swift_tests
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import ALIASES, LANGUAGES, probe_version
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.options import TaskOptions
from sandboxes.tasks.task import Task
from support import attacks_swift, honest_swift, multipl_e_swift
from support.docker_engines import TRIXIE_IMAGE, WITH_DOCKER, require_image
from support.language_programs import PROGRAMS
from support.languages import lack_of, require_languages
from support.observers import passes
from support.requirements import WALL_SECONDS
from support.selection import chosen_parameters
from support.server_client import serving

pytestmark = [pytest.mark.slow, pytest.mark.languages]

SWIFT = PROGRAMS["swift"]
LIMITS = Limits(wall_seconds=WALL_SECONDS)
# The time for programs that never end is shorter.
SHORT = Limits(wall_seconds=2.5)
ENDLESS = ("a loop of its own",)
GRADINGS = ("auto", "shared")


@pytest.fixture(scope="module", params=["subprocess", WITH_DOCKER])
def sandbox(request):
    """Return (name, options) of a sandbox that has Swift: here, if Swift is here, and in containers of Debian 13."""
    if request.param == "docker":
        require_image(TRIXIE_IMAGE)
        return request.param, {"image": TRIXIE_IMAGE, "pull": "never"}
    if reason := lack_of("swift"):
        # Not under CI either: Debian 12 has no package of it.
        pytest.skip(reason)
    require_languages("swift")
    return request.param, {}


@pytest.fixture(scope="module")
def pool(sandbox):
    """Return a pool whose programs can be in Swift."""
    name, options = sandbox
    with closing(Pool(open_sandbox(name, **options))) as opened:
        yield opened


@pytest.fixture(scope="module")
def verdicts(request, pool):
    """Return the verdicts on attacks, their honest counterparts and honest shapes: {(kind, name): verdict}."""
    asked = {each.get("name") for each in chosen_parameters(request)}
    programs = {}
    for name, (wrong, honest, *tests) in attacks_swift.ATTACKS.items():
        text = tests[0] if tests else attacks_swift.TESTS
        programs["wrong", name] = (wrong, text, SHORT if name in ENDLESS else LIMITS)
        programs["right", name] = (honest, text, LIMITS)
    for name, (candidate, tests) in honest_swift.SWIFT.items():
        programs["shape", name] = (candidate, tests, LIMITS)
    programs = {key: program for key, program in programs.items() if key[1] in asked}
    different = list(dict.fromkeys(programs.values()))
    found = pool.run_all([build_program("swift", *program) for program in different], 2)
    known = dict(zip(different, found, strict=True))
    return {key: known[program] for key, program in programs.items()}


@pytest.fixture(scope="module")
def run(pool):
    """Return a function that runs a candidate with the tests of `add`: (candidate, **limits) -> Verdict."""

    def run_one(candidate, **limits):
        limits = Limits(**{"wall_seconds": WALL_SECONDS, **limits})
        return pool.run_all([build_program("swift", candidate, SWIFT.tests, limits)], 1)[0]

    return run_one


@pytest.mark.parametrize("name", attacks_swift.ATTACKS)
def test_a_wrong_candidate_does_not_pass(verdicts, name):
    """A wrong candidate does not pass, whatever else it does."""
    verdict = verdicts["wrong", name]
    assert (verdict.passed, verdict.attempts) == (False, 1), verdict


@pytest.mark.parametrize("name", attacks_swift.ATTACKS)
def test_its_honest_counterpart_passes(verdicts, name):
    """A right candidate that uses the same means without harm passes."""
    passes(verdicts["right", name])


@pytest.mark.parametrize("name", honest_swift.SWIFT)
def test_a_right_candidate_of_each_shape_passes(verdicts, name):
    """A right candidate, as models and benchmarks write it, passes."""
    passes(verdicts["shape", name])


@pytest.mark.parametrize("grading", GRADINGS)
@pytest.mark.parametrize("name", multipl_e_swift.RECORDS)
def test_records_of_multipl_e(pool, tmp_path, name, grading):
    """A right completion of a record passes, and no wrong one, also where the tests run with the candidate."""
    prompt, tests, *completions = multipl_e_swift.RECORDS[name]
    record = {"name": "HumanEval_0", "language": "swift", "prompt": prompt, "tests": tests}
    (tmp_path / "problems.jsonl").write_text(json.dumps(record))
    [problem] = load_benchmark("multipl-e", tmp_path / "problems.jsonl").problems.values()
    programs = [
        build_program("swift", problem.prompt + each + problem.suffix, problem.tests, SHORT, grading=grading)
        for each in completions
    ]
    right, *wrong = pool.run_all(programs, 2)
    passes(right)
    assert [each.passed for each in wrong] == [False] * len(wrong)
    assert right.grading == ("shared" if grading == "shared" else "separate")


@pytest.mark.parametrize("kind", ["wrong", "failing", "leaving", "hungry", "broken"])
def test_other_candidates_have_their_outcomes(run, kind):
    """A candidate that is wrong, fails, leaves, has no memory left or does not compile has its outcome."""
    expected = {
        "wrong": Outcome.FAILED,
        "failing": Outcome.CRASHED,
        "leaving": Outcome.EXITED,
        "hungry": Outcome.OUT_OF_MEMORY,
        "broken": Outcome.COMPILE_ERROR,
    }
    assert run(getattr(SWIFT, kind), memory_bytes=256 << 20).outcome is expected[kind]


def test_a_wrong_candidate_is_told(run):
    """The detail of a candidate with a wrong result has the tests' message."""
    assert "no sum" in run(SWIFT.wrong).detail


def test_a_trap_is_told(run):
    """The detail of a candidate that ends by `fatalError` has its place and message, without a stack trace."""
    detail = run(SWIFT.failing).detail
    assert detail.endswith("candidate.swift:6: Fatal error: Overdrawn")


def test_a_compile_error_is_told(run):
    """The detail of a candidate that does not compile has the place of its first error."""
    assert run(SWIFT.broken).detail.startswith("candidate.swift:1:")


def test_an_error_that_nothing_catches_is_told(pool):
    """Tests that end by an error have failed, and the detail has the error."""
    candidate = (
        "enum Failure: Error { case negative(Int) }\nfunc root(of n: Int) throws -> Int { throw Failure.negative(n) }\n"
    )
    [verdict] = pool.run_all([build_program("swift", candidate, "_ = try root(of: -1)\n", LIMITS)], 1)
    assert (verdict.outcome, verdict.detail) == (Outcome.FAILED, "ended with status 1: Error: negative(-1)")


def test_a_hang_times_out(run):
    """A candidate that does not end is TIMED_OUT."""
    assert run(SWIFT.hanging, wall_seconds=0.5).outcome is Outcome.TIMED_OUT


def test_assertions_of_a_candidate_are_on(pool):
    """A candidate's own assertions are checked in its optimised program, with tests and on inputs."""
    candidate = "func half(n: Int) -> Int {\n    assert(n % 2 == 0)\n    return n / 2\n}\n"
    tests = "for n in [1] { assert(half(n: n) == 0) }\n"
    task = Task([{"input": "1", "output": "0"}], [candidate + "print(half(n: Int(readLine()!)!))\n"])
    batch = ProgramBatch.assemble([task], TaskOptions.checked(language="swift"), LIMITS, "shared")
    found = pool.run_all([build_program("swift", candidate, tests, LIMITS), *batch.programs], 1)
    assert [verdict.passed for verdict in found] == [False, False]


@pytest.mark.parametrize(
    "source", [SWIFT.doubling, "@main struct App { static func main() { " + SWIFT.doubling + "} }"]
)
def test_a_program_on_inputs(pool, source):
    """A complete program, with statements at its top level or a main type, is judged by its output."""
    cases = [{"input": str(number), "output": str(2 * min(number, 2))} for number in (1, 2, 3)]
    options = TaskOptions.checked(language="swift", stop_at_first_failure=False)
    batch = ProgramBatch.assemble([Task(cases, [source])], options, LIMITS, "shared")
    [verdict] = pool.run_all(batch.programs, 1)
    assert [test.outcome.value for test in verdict.tests] == ["passed", "passed", "failed"]


def test_the_version_is_known(pool):
    """The sandbox reports its version of Swift."""
    assert probe_version(pool, "swift").startswith("Swift version ")


def test_a_plain_program_runs_after_it(pool, run):
    """A guest that ran a program in Swift runs a Python program right, in an empty folder."""
    passes(run(SWIFT.add))
    source = "import os\nfound = os.listdir() + os.listdir('/dev/shm')"
    passes(pool.run_all([Program(source, "assert found == []", LIMITS)], 1)[0])


def test_no_source_is_left(pool):
    """What the compiler has read and written is gone when the program runs."""
    candidate = (
        "import Foundation\nfunc add(a: Int, b: Int) -> Int {\n"
        '    let files = try! FileManager.default.contentsOfDirectory(atPath: ".")\n'
        '    return files == ["program"] ? a + b : 0\n}\n'
    )
    [verdict] = pool.run_all([build_program("swift", candidate, attacks_swift.LOOP, LIMITS)], 1)
    passes(verdict)


def test_the_server_runs_programs(sandbox):
    """SandboxFusion's mode "swift" compiles a program, runs it, and tells what the compiler says."""
    name, options = sandbox
    body = {"language": "swift", "stdin": "3\n", "compile_timeout": 60, "run_timeout": 20}
    with serving(allowed_languages=("swift",), options={"sandbox": name, **options}) as client:
        right, broken = (
            client.post("/run_code", json={**body, "code": code}).json() for code in (SWIFT.doubling, SWIFT.broken)
        )
    assert (right["status"], right["run_result"]["stdout"]) == ("Success", "6\n")
    assert broken["status"] == "Failed"
    assert "candidate.swift:1:" in broken["compile_result"]["stderr"]


def test_the_official_form(pool, tmp_path):
    """A program of MultiPL-E's grader passes if it ends with status 0, and fails if an assertion does."""
    prompt, tests, right, wrong, *_ = multipl_e_swift.RECORDS["add"]
    record = {"name": "HumanEval_0", "language": "swift", "prompt": prompt, "tests": tests}
    (tmp_path / "problems.jsonl").write_text(json.dumps(record))
    benchmark = load_benchmark("multipl-e", tmp_path / "problems.jsonl")
    problem = benchmark.benchmark.official_form(next(iter(benchmark.problems.values())))
    leaving = "    exit(0)\n"
    sources = [each + problem.suffix for each in (problem.prompt + right, problem.prompt + wrong)]
    sources.append("import Glibc\n" + problem.prompt + leaving + problem.suffix)
    tasks = [Task(json.loads(problem.tests), sources)]
    batch = ProgramBatch.assemble(tasks, TaskOptions.checked(language="swift"), LIMITS, "shared")
    assert [verdict.passed for verdict in pool.run_all(batch.programs, 1)] == [True, False, True]


def test_limits_of_multipl_e(tmp_path):
    """A problem has the time limit of the grader's run."""
    prompt, tests, *_ = multipl_e_swift.RECORDS["add"]
    record = {"name": "HumanEval_0", "language": "swift", "prompt": prompt, "tests": tests}
    (tmp_path / "problems.jsonl").write_text(json.dumps(record))
    [problem] = load_benchmark("multipl-e", tmp_path / "problems.jsonl").problems.values()
    assert problem.limits["wall_seconds"] == 5


def test_a_language_that_is_missing_is_named():
    """The error for a missing compiler names the release of Debian that has it."""
    message = r"swift programs need swiftc.*swiftlang and libc6-dev \(of Debian 13"
    with closing(Pool(open_sandbox("subprocess", env={"PATH": "/nowhere"}))) as pool:
        with pytest.raises(SandboxUnavailable, match=message):
            probe_version(pool, "swift")


def test_names():
    """Swift has one name."""
    assert "swift" in LANGUAGES
    assert "swift" not in ALIASES.values()


PLAIN = {
    "a call": ("assert(add(a: 2, b: 3) == 987)\n", [[987, 0, {"number": 987}]]),
    "a condition": ("assert(even(n: 2) && true)", None),
    "conditions": (
        'precondition(even(n: 2))\nassert(!even(n: 3), "no");assert(even(n: 3) == false)\n',
        [[True, 0, {"Bool": True}], *[[False, 0, {"Bool": False}]] * 2],
    ),
    "a difference": ("assert(abs(half(n: 3) - 98.7) < 1e-6)", [[98.7, 1e-6, {"number": 98.7}]]),
    "variables": (
        "let sum = add(a: 2, b: 3)\nvar wanted: Int = 987\nassert(sum == wanted)\n",
        [[987, 0, {"number": 987}]],
    ),
    "texts in two forms": ('assert(name() == "é")\n', [["é", 0, "e\u0301"]]),
    "a text with an expression": ('assert(name() == "\\(5)")\n', None),
    "a loop": ("for n in [987] { assert(add(a: 2, b: 3) == n) }\n", None),
    "a method of a result": ("assert(add(a: 2, b: 3).isMultiple(of: 987) == true)\n", None),
    "a method of a call without arguments": ("assert(sum().isMultiple(of: 987) == true)\n", None),
    "a method of a class": ("assert(Solution().add(2, 3) == 987)\n", [[987, 0, {"number": 987}]]),
    "a part of a result": ("assert(all(n: 1).count == 987)\n", None),
    "two calls": ("assert(add(a: 2, b: 3) == add(a: 3, b: 2))\n", None),
    "a function of the library": ("assert(max(2, 3) == 3)\n", None),
    "an initialiser of the library": ('assert(String(5) == "5")\n', None),
    "a statement that goes on": ("let sum = add(a: 2, b: 3)\n    + 1\nassert(sum == 6)\n", None),
    "another operator": ("assert(add(a: 2, b: 3) != 987)\n", None),
}


@pytest.mark.parametrize(("tests", "expected"), PLAIN.values(), ids=PLAIN)
def test_tests_are_read_as_calls_and_data(tests, expected):
    """Tests that compare calls with data are read wholly, and what they expect is not in their program."""
    plain = swift_tests(tests)
    assert (plain and json.loads(plain.expected)) == expected
    assert plain is None or not {"987", "98.7", "é"} & {*plain.tests.replace("(", " ").replace(")", " ").split()}
