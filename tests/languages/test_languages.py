"""In each language a right program passes, and each kind of failure has its own outcome."""

from contextlib import closing

import pytest

from sandboxes import Limits, Outcome, Pool, Program, SandboxUnavailable, open_sandbox
from sandboxes.languages.go import go_files
from sandboxes.languages.java import java_files, java_standalone_files
from sandboxes.languages.programs import build_program, plan_for, reason_for_candidate
from sandboxes.languages.registry import (
    ALIASES,
    LANGUAGES,
    NAMES,
    VARIANTS,
    checked_language,
    probe_version,
)
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.options import TaskOptions, with_mounts
from sandboxes.tasks.task import Task
from support.docker_engines import LANGUAGES_IMAGE, WITH_DOCKER, require_image
from support.language_programs import PROGRAMS
from support.languages import language_pool, require_languages
from support.observers import passes
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

MEMORY_BYTES = 256 << 20
# Swift has a file of its own, because Debian 12 has no package of it.
EACH = [name for name in LANGUAGES if name not in VARIANTS and name != "swift"]
# How a program ends in a container depends on how it is started there: as a script, from a file of its own or in a
# virtual machine, apart from its tests or with them. These have each way.
WAYS = ("bash", "c", "go", "java", "javascript", "ocaml", "ruby", "rust", "sql")


def in_backends(in_containers):
    """Return a mark that runs a test in each language here, and in some languages in containers."""
    here = [pytest.param("subprocess", name, id=f"subprocess-{name}") for name in EACH]
    there = [pytest.param("docker", name, id=f"docker-{name}", marks=WITH_DOCKER.marks) for name in in_containers]
    return pytest.mark.parametrize(("backend", "language"), [*here, *there], indirect=True, scope="module")


in_both = in_backends(EACH)
at_its_end = in_backends(WAYS)


@pytest.fixture(scope="module")
def backend(request):
    """Return the name of a backend that supports other languages."""
    if request.param == "docker":
        require_image(LANGUAGES_IMAGE)
    return request.param


@pytest.fixture(scope="module")
def language(request):
    """Return the name of a language that is no variant of another."""
    return request.param


@pytest.fixture(scope="module")
def pool(backend, language):
    """Return a pool whose programs can be of the language."""
    if backend == "subprocess":
        yield language_pool(language)
        return
    if LANGUAGES[language].compiled_here:
        require_languages(language)
    with closing(Pool(with_mounts(open_sandbox("docker", image=LANGUAGES_IMAGE, pull="never"), {language}))) as opened:
        yield opened


@pytest.fixture(scope="module")
def run(pool, language):
    """Return a function that runs a candidate of the language with its tests: (candidate, **limits) -> Verdict."""

    def run_one(candidate, **limits):
        limits = Limits(**{"wall_seconds": WALL_SECONDS, **limits})
        [verdict] = pool.run_all([build_program(language, candidate, PROGRAMS[language].tests, limits)], 1)
        return verdict

    return run_one


@pytest.fixture(scope="module")
def right(run, language):
    """Return the verdict on a right candidate."""
    return run(PROGRAMS[language].add)


@pytest.fixture(scope="module")
def java():
    """Return a pool for programs in Java."""
    return language_pool("java")


@in_both
def test_a_right_candidate_passes(right, language):
    """A right candidate passes without an error."""
    passes(right)
    has_layers = {"pid", "mount"} <= {*right.isolation}
    is_apart = not reason_for_candidate(language, PROGRAMS[language].tests)
    is_plain = LANGUAGES[language].plain_tests(PROGRAMS[language].tests) is not None
    grading = "separate" if is_plain or is_apart and has_layers else "shared"
    assert (right.detail, right.grading, right.attempts) == ("", grading, 1)


@at_its_end
def test_a_wrong_candidate_fails(run, language):
    """A candidate with a wrong result fails, and the detail has the tests' message."""
    verdict = run(PROGRAMS[language].wrong)
    assert verdict.outcome is Outcome.FAILED
    assert any(text in verdict.detail for text in ("no sum", "add(2, 3) == 5", "left == right", "should return 5"))


@at_its_end
def test_no_program_is_a_compile_error(run, language):
    """The verdict on a program that does not compile has the compiler's message."""
    verdict = run(PROGRAMS[language].broken)
    assert verdict.outcome.value == PROGRAMS[language].breaks_as
    assert "error" in verdict.detail.lower()


@at_its_end
def test_a_runtime_error_is_told(run, language):
    """The detail of a candidate that fails when it is called has the language's own message."""
    verdict = run(PROGRAMS[language].failing)
    assert verdict.outcome.value == PROGRAMS[language].fails_as
    assert "Overdrawn" in verdict.detail


@at_its_end
def test_a_hang_times_out(run, language):
    """A candidate that does not end is TIMED_OUT, whatever it was compiled for."""
    assert run(PROGRAMS[language].hanging, wall_seconds=0.5).outcome is Outcome.TIMED_OUT


@at_its_end
def test_leaving_early_is_no_pass(run, language):
    """A candidate that ends the program with status 0 is EXITED. SQL has no means to do that."""
    assert run(PROGRAMS[language].leaving).outcome.value == PROGRAMS[language].leaves_as


@at_its_end
def test_memory_is_limited(run, language):
    """A candidate that uses memory without end does not pass, and is OUT_OF_MEMORY in most languages."""
    verdict = run(PROGRAMS[language].hungry, memory_bytes=MEMORY_BYTES)
    assert not verdict.passed
    if language not in ("c", "cpp", "rust", "bash", "perl", "racket", "coq"):
        # Their allocations fail, or their stack is full, and each handles the failure in its own way.
        assert verdict.outcome is Outcome.OUT_OF_MEMORY


@at_its_end
def test_a_program_on_inputs(pool, language):
    """A complete program reads each input and is judged by its output."""
    kinds = TaskOptions.checked(language=language, stop_at_first_failure=False)
    reads = PROGRAMS[language].reads
    cases = [{"input": reads.format(number), "output": str(2 * min(number, 2))} for number in (1, 2, 3)]
    tasks = [Task(cases, [PROGRAMS[language].doubling])]
    job = ProgramBatch.assemble(tasks, kinds, Limits(wall_seconds=WALL_SECONDS), "shared")
    [verdict] = pool.run_all(job.programs, 1)
    assert [test.outcome.value for test in verdict.tests] == ["passed", "passed", "failed"]
    assert (verdict.detail, verdict.grading) == ("case 3: expected '4', but it wrote '6'", "separate")


@in_both
def test_the_version_is_known(pool, language):
    """The sandbox reports its version of the language."""
    assert any(char.isdigit() for char in probe_version(pool, language))


@in_both
def test_a_plain_program_runs_after_it(pool, right):
    """A guest that ran a program of the language runs a Python program right, in an empty folder."""
    passes(right)
    source = "import os\nfound = os.listdir() + os.listdir('/dev/shm')"
    passes(pool.run_all([Program(source, "assert found == []", Limits(WALL_SECONDS))], 1)[0])


def test_a_language_that_is_missing_is_named(caplog):
    """The error for a missing command names Debian's package and Docker's image. No guest breaks because of it."""
    caplog.set_level("INFO")
    pool = Pool(open_sandbox("subprocess", env={"PATH": "/nowhere"}))
    try:
        with pytest.raises(SandboxUnavailable, match="openjdk-17-jdk-headless.*openjdk:17-jdk-bullseye"):
            probe_version(pool, "java")
    finally:
        pool.close()
    assert "broke" not in caplog.text


def test_an_unknown_language_is_refused():
    """An unknown language is an error that lists the known ones."""
    with pytest.raises(ValueError, match="unknown language 'cobol'; choose one of python, java"):
        checked_language("cobol")


def test_a_language_without_a_package_is_refused():
    """The error for a language that Debian does not have says so."""
    with pytest.raises(ValueError, match=r"unknown language 'zig' \(Debian has no package of Zig\); choose one of"):
        checked_language("zig")


def test_aliases_are_not_names():
    """Each alias leads to one language, and is not itself a language's name."""
    aliases = [alias for language in LANGUAGES.values() for alias in language.aliases]
    assert sorted(aliases + ["py"]) == sorted(ALIASES)
    assert set(ALIASES.values()) <= set(NAMES)
    assert not set(ALIASES) & set(NAMES)


def test_programs_share_a_plan():
    """Programs of a language with the same limits share one plan, which a guest then keeps."""
    assert plan_for("c", Limits(), 10.0) is plan_for("c", Limits(), 10.0)


def test_tokens_are_drawn_for_each_program():
    """No two programs have the same completion token."""
    assert build_program("c", "", "", Limits()).candidate != build_program("c", "", "", Limits()).candidate


MAIN_TESTS = "public class Main { public static void main(String[] a) { if (Box.of(2) != 2) throw new Error(); } }"
JAVA_SHAPES = {
    "public class": ("public class Box { static int of(int n) { return n; } }", MAIN_TESTS),
    "final public class": ("public final class Box { static int of(int n) { return n; } }", MAIN_TESTS),
    "package": (
        "package shapes;\npublic class Box { static int of(int n) { return n; } }",
        "package shapes;\n" + MAIN_TESTS,
    ),
    "record": ("record Box(int n) { static int of(int n) { return new Box(n).n(); } }", MAIN_TESTS),
    "interface": ("interface Box { static int of(int n) { return n; } }", MAIN_TESTS),
    "imports of the other part": (
        "class Box { static int of(int n) { return List.of(n).get(0); } }",
        "import java.util.*;\n" + MAIN_TESTS,
    ),
    "main after an inner class": (
        "class Box { static int of(int n) { return n; } }",
        MAIN_TESTS.replace("Main {", "Main { static class Inner { int x; }"),
    ),
    "main in the candidate": (MAIN_TESTS + "\nclass Box { static int of(int n) { return n; } }", ""),
    "main of a class that is not public": (
        "class Box { static int of(int n) { return n; } }",
        MAIN_TESTS.replace("public class", "class"),
    ),
    "a class of the candidate's own in tests": (
        "class Box { static int of(int n) { return n; } }",
        MAIN_TESTS + "\nclass Helper {}",
    ),
}


@pytest.mark.parametrize(("candidate", "tests"), JAVA_SHAPES.values(), ids=JAVA_SHAPES)
def test_java_s_files(java, candidate, tests):
    """Java programs are put into files as the language demands, whatever their shape."""
    passes(java.run_all([build_program("java", candidate, tests, Limits(wall_seconds=WALL_SECONDS))], 1)[0])


def test_a_java_file_is_named_by_its_public_class():
    """A Java file has the name of its public class, if there is one."""
    files = java_files("class Helper {}\npublic class Account {}", "class Main { static void main(String[] a) {} }")
    assert {"Account.java", "Main.java"} <= set(files)
    assert "Account.java" in java_standalone_files("public class Account {}", "")


def test_go_imports_go_where_they_are_used():
    """Each part of a Go program has the imports that it uses, whichever part declares them."""
    files = go_files(
        'package main\n\nimport (\n\t"fmt"\n\t"strings"\n)\n\nfunc F() { fmt.Println() }\n',
        'import "testing"\nfunc TestF(t *testing.T) { fmt.Print(strings.Count("a", "a")) }\n',
    )
    assert files["candidate.go"].startswith('package candidate; import ("fmt"); ')
    assert files["candidate_test.go"].startswith('package candidate; import ("testing"; "fmt"; "strings"); ')


def test_go_tests_need_no_package():
    """Tests without a package clause are in the candidate's package."""
    files = go_files("package main\n\nfunc F() {}\n", "func TestF(t *testing.T) { F() }\n")
    assert files["candidate.go"].count("package ") == 1
    assert files["candidate_test.go"].startswith("package candidate; ")
    assert '{"TestF", run(0, candidate.TestF)}' in files["code_eval_main.go"]


RUST_TESTS = "#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn sums() {\n"
RUST_TESTS += "        assert_eq!(add(2, 3), 5);\n    }\n}\n"
MARKED = {
    "rust": (RUST_TESTS, "fn add(a: i32, b: i32) -> i32 { a + b }", "fn add(a: i32, b: i32) -> i32 { a * b }"),
    "javascript": ("console.assert(add(2, 3) === 5);", "add = (a, b) => a + b;", "add = (a, b) => a * b;"),
}


@pytest.mark.parametrize("name", MARKED)
def test_a_language_s_own_way_to_test(name):
    """Rust's functions marked as tests are run, and JavaScript's `console.assert` fails a program."""
    tests, *candidates = MARKED[name]
    limits = Limits(wall_seconds=WALL_SECONDS)
    verdicts = language_pool(name).run_all([build_program(name, each, tests, limits) for each in candidates], 1)
    assert [verdict.outcome for verdict in verdicts] == [Outcome.PASSED, Outcome.FAILED]


def test_go_without_isolation():
    """Programs that run as another user can read Go's compiled packages."""
    pool, go = language_pool("go", isolation="off"), PROGRAMS["go"]
    passes(pool.run_all([build_program("go", go.add, go.tests, Limits(wall_seconds=WALL_SECONDS))], 1)[0])
