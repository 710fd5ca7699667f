"""MultiPL-E is read in its published shape. Honest completions pass, and those that attack the joined text do not."""

import json

import pytest

from code_tasks.benchmarks import load_benchmark
from code_tasks.benchmarks.readers import InputError
from sandboxes import Evaluator
from support import multipl_e_compiled, multipl_e_records, multipl_e_scripts
from support.languages import require_languages
from support.multipl_e_records import ALSO_RIGHT, JAVA, JAVA_PAIRS
from support.observers import passes
from support.requirements import WALL_SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.languages]

RECORDS = multipl_e_records.RECORDS | multipl_e_scripts.RECORDS | multipl_e_compiled.RECORDS
PARTS = multipl_e_records.PARTS | multipl_e_scripts.PARTS | multipl_e_compiled.PARTS
CHEATS = multipl_e_records.CHEATS | multipl_e_scripts.CHEATS | multipl_e_compiled.CHEATS
SWAPPED = (
    "        if (both.getValue1() < 0) return Optional.empty();\n"
    '        return Optional.of(new Pair<Long, String>(both.getValue1(), both.setAt0("a").getValue0()));\n'
)


@pytest.fixture
def load(tmp_path):
    """Provide a function that loads records as MultiPL-E."""

    def load(*records):
        path = tmp_path / "problems.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in records))
        return load_benchmark("multipl-e", path)

    return load


@pytest.fixture
def run(load):
    """Provide a function that runs completions of a record, and returns their verdicts."""

    def run(record, completions):
        loaded = load(record)
        config = loaded.benchmark.eval_config({"timeout": WALL_SECONDS, "num_workers": 1})
        require_languages(*filter(None, (each.language for each in loaded.problems.values())))
        with Evaluator(config) as evaluator:
            return evaluator.run(loaded.tasks({record["name"]: completions}, config))

    return run


@pytest.mark.parametrize("language", RECORDS)
def test_right_completions_pass_and_a_wrong_one_fails(run, language):
    """Right completions pass in each language, with brackets in texts and comments too. A wrong one fails its tests."""
    right, wrong = PARTS[language]
    *others, last = run(RECORDS[language], [right, *ALSO_RIGHT.get(language, ()), wrong])
    for verdict in others:
        passes(verdict)
    assert last.outcome.value == "failed", last


@pytest.mark.parametrize("language", CHEATS)
def test_completions_that_cheat_do_not_pass(run, language):
    """No completion passes that leaves early, encloses or hides the tests, or replaces what they judge by."""
    verdicts = run(RECORDS[language], list(CHEATS[language].values()))
    assert [name for name, verdict in zip(CHEATS[language], verdicts, strict=True) if verdict.passed] == []


def test_tuples_and_optionals_of_java(run):
    """Java's programs have javatuples, and expected values that are tuples, maps and optionals."""
    right, wrong = run(JAVA_PAIRS, [SWAPPED, SWAPPED.replace("< 0", "> 0")])
    passes(right)
    assert wrong.outcome.value == "failed"


def test_types_of_d_are_the_library_s(run):
    """D's optional values, maps and tuples are compared as the library does, whatever the candidate declares."""
    right, *others = run(multipl_e_compiled.D_NULLABLE, list(multipl_e_compiled.D_COUNTED))
    passes(right)
    assert not any(verdict.passed for verdict in others)


def test_types_of_typescript_are_checked(run):
    """TypeScript with a wrong type is a compile error, as with the grader's `tsc`."""
    [verdict] = run(RECORDS["ts"], ["    const sum: string = a + b;\n    return a + b;\n}\n"])
    assert verdict.outcome.value == "compile_error"


def test_rust_is_that_of_2015(run):
    """Rust is compiled in its edition of 2015, as by the grader's `rustc`."""
    old, new = run(RECORDS["rs"], ["    let async = a;\n    async + b\n", "    a + isize::try_from(b).unwrap()\n"])
    passes(old)
    assert new.outcome.value == "compile_error"


def test_the_name_is_the_task_id(load):
    """A record's name is its task_id, and its prompt stays as it is."""
    [problem] = load(JAVA).problems.values()
    assert (problem.task_id, problem.prompt) == (JAVA["name"], JAVA["prompt"])


@pytest.mark.parametrize(("language", "seconds"), [("cpp", 15), ("m", 30), ("rs", 5), ("js", 5), ("go_test.go", 30)])
def test_limits_are_the_graders(load, language, seconds):
    """Each language has the time limit of its evaluation script."""
    [problem] = load(RECORDS[language]).problems.values()
    assert problem.limits["wall_seconds"] == seconds


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"language": "jl"},
            r":1: programs in 'jl' can't be run \(Debian has no package of Julia\); "
            r"there are ada, adb, clj, coq, cpp, cs, d, elixir, go, go_test.go, hs, java, js, lua, m, matlab, ml",
        ),
        ({"tests": "// nothing\n"}, ":1: 'tests': there is no test in them"),
        ({"prompt": "class Problem {\n"}, ":1: 'prompt' does not end with the first line of a public static method"),
        ({"tests": "    }\n    int x;\n}\n"}, ":1: 'tests' are not the rest of a class, with a method 'main'"),
        ({"language": "cs"}, ":1: 'tests' are not the rest of a class, with a method 'Main'"),
        ({"language": "scala"}, ":1: 'prompt' does not end with the first line of a function in an object"),
        ({"language": "d"}, ":1: 'prompt' does not end with the first line of a function"),
        ({"language": "swift"}, ":1: 'prompt' does not end with the first line of a function"),
        ({"language": "m"}, ":1: 'tests' have no function 'test'"),
        ({"tests": None}, ":1: 'tests' is not a string, but null"),
    ],
)
def test_an_invalid_record_is_an_error(load, change, message):
    """A record that can't be right is an error with its line and what was found."""
    with pytest.raises(InputError, match=message):
        load({**JAVA, **change})
