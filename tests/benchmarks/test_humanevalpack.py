"""HumanEval-X and HumanEvalPack are read in their published shapes, and judged as in their harnesses."""

import json

import pytest

from code_tasks.benchmarks import load_benchmark
from code_tasks.benchmarks.readers import InputError
from sandboxes import Evaluator, SandboxUnavailable
from sandboxes.languages.compilers import rust_crates
from support.humanevalpack_records import RECORDS
from support.languages import each_of, require_languages
from support.observers import passes

pytestmark = [pytest.mark.slow, pytest.mark.languages]


PACK = "humanevalpack"


@pytest.fixture
def load(tmp_path):
    """Provide a function that loads records of a benchmark."""

    def load(name, *records):
        path = tmp_path / "problems.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in records))
        return load_benchmark(name, path)

    return load


@pytest.fixture
def run(load):
    """Provide a function that runs completions of a record, and returns their verdicts."""

    def run(name, record, *completions):
        loaded = load(name, record)
        config = loaded.benchmark.eval_config({})
        require_languages(*filter(None, (each.language for each in loaded.problems.values())))
        with Evaluator(config) as evaluator:
            return evaluator.run(loaded.tasks({record["task_id"]: completions}, config))

    return run


@pytest.mark.parametrize("language", each_of(RECORDS))
def test_solutions_pass_and_buggy_ones_fail(run, language):
    """The solution of a record passes, and its buggy one fails, in each language."""
    own = RECORDS[language]
    right, wrong = run(PACK, own, own["canonical_solution"], own["buggy_solution"])
    passes(right)
    assert wrong.outcome.value == "failed", wrong


def test_rust_uses_the_crates(run):
    """Rust's programs can use the crates that all prompts import."""
    body = (
        '    let text = format!("{:x}", md5::compute(b"a")) + &rand::thread_rng().gen_range(0..9).to_string();\n'
        '    if Regex::new("^[0-9a-f]+$").unwrap().is_match(&text) { a + b } else { 0 }\n}\n'
    )
    [verdict] = run(PACK, RECORDS["rust"], body)
    passes(verdict)


def test_no_rust_program_passes_for_its_main(run):
    """A wrong Rust function fails, although the prompt has a `main`, and whatever `main` the completion has."""
    wrong = RECORDS["rust"]["buggy_solution"]
    ends = ("fn main() {}\n", "#[cfg(any())]\n", "mod tests {}\n", "#[test]\nfn test_add() {}\n", "/*")
    verdicts = run(PACK, RECORDS["rust"], *(wrong + end for end in ends))
    assert [verdict.passed for verdict in verdicts] == [False] * len(ends)


def test_rust_without_crates_is_no_verdict(load, monkeypatch):
    """Without the sources of the crates there is an error that says what to install."""
    monkeypatch.setattr(rust_crates, "REGISTRY", "/nowhere")
    rust_crates.compiled_crates.cache_clear()
    loaded = load(PACK, RECORDS["rust"])
    config = loaded.benchmark.eval_config({})
    with Evaluator(config) as evaluator, pytest.raises(SandboxUnavailable, match="librust-regex-dev|need rustc"):
        evaluator.run(loaded.tasks({"Rust/0": ["    a + b\n}\n"]}, config))
    rust_crates.compiled_crates.cache_clear()


def test_rust_of_humaneval_x_has_its_declaration(load):
    """HumanEval-X's prompt in Rust is a comment, and comes after a `main` and the declaration."""
    own = RECORDS["rust"]
    [problem] = load("humaneval-x", {**own, "prompt": "\n/*\n Add.\n*/\n"}).problems.values()
    assert problem.prompt == f"fn main(){{}}\n{own['declaration']}\n/*\n Add.\n*/\n"


def test_a_main_after_a_completion_is_cut(run):
    """HumanEvalPack's harness cuts a completion in C++ before `int main`."""
    own = RECORDS["cpp"]
    [verdict] = run(PACK, own, own["canonical_solution"] + "int main() { return 1; }\n")
    passes(verdict)


def test_cpp_is_that_of_2011(run):
    """C++ is compiled in its standard of 2011, with the headers that the harness includes."""
    end = "}\n"
    old, new = run(
        *(
            PACK,
            RECORDS["cpp"],
            "    vector<int> all{a, b};\n    return accumulate(all.begin(), all.end(), 0);\n" + end,
        ),
        "    auto add = [](auto x, auto y) { return x + y; };\n    return add(a, b);\n" + end,
    )
    passes(old)
    assert new.outcome.value == "compile_error"


def test_python_gets_the_harness_imports(run):
    """Python's completions may use the names that the harness imports."""
    [verdict] = run(
        PACK, RECORDS["python"], "    both: List = [a, b]\n    return sum(deque(both)) + int(math.sqrt(0))\n"
    )
    passes(verdict)


def test_python_of_humaneval_x_ends_at_the_margin(run):
    """HumanEval-X's script ends a completion in Python before its first line that is not indented."""
    completion = "    return a + b\n\nraise ValueError\n"
    [verdict] = run("humaneval-x", RECORDS["python"], completion)
    passes(verdict)
    [verdict] = run(PACK, RECORDS["python"], completion)
    assert verdict.outcome.value == "failed"


@pytest.mark.parametrize(("language", "seconds"), [("python", 10), ("cpp", 60), ("go", 20), ("rust", 300)])
def test_limits_are_the_graders(load, language, seconds):
    """Each language has the time limit of HumanEvalPack's task."""
    [problem] = load(PACK, RECORDS[language]).problems.values()
    assert problem.limits["wall_seconds"] == seconds


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (PACK, {"buggy_solution": None}, ":1: 'buggy_solution' is not a string, but null"),
        ("humaneval-x", {"declaration": None}, ":1: 'declaration' is not a string, but null"),
        (
            PACK,
            {"task_id": "Cobol/0"},
            ":1: 'Cobol/0' does not begin with a language that can be run, such as 'Java/0'",
        ),
    ],
)
def test_an_invalid_record_is_an_error(load, name, change, message):
    """A record that can't be right is an error with its line and what was found."""
    with pytest.raises(InputError, match=message):
        load(name, {**RECORDS["js"], **change})
