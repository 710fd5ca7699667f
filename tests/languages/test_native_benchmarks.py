"""C++ and Rust on published records: solutions pass, and wrong or `return`-less ones do not."""

import json
import re

import pytest

from sandboxes import Limits
from sandboxes.languages.programs import build_program
from support.languages import language_pool
from support.metric_and_command import DATA
from support.requirements import WALL_SECONDS, require_file

# Crates that HumanEvalPack's Rust prompts name, although these solutions do not use them.
CRATES = re.compile(r"^use (?:rand|regex|md5)\b[^;]*;\n", re.MULTILINE)
RETURN = re.compile(r"\breturn\b[^;]*;")
HEADERS = "#include<assert.h>\n#include<bits/stdc++.h>\n"


def read(language):
    """Return the records of HumanEvalPack in a language."""
    path = DATA / "benchmarks" / f"humanevalpack_{language}.jsonl"
    require_file(path)
    return [json.loads(line) for line in path.read_text().splitlines()]


def passed(language, programs):
    """Return which programs pass, given as (candidate, tests)."""
    limits = Limits(wall_seconds=WALL_SECONDS)
    verdicts = language_pool(language).run_all([build_program(language, *each, limits) for each in programs], 1)
    return [verdict.passed for verdict in verdicts]


def less_return(solution):
    """Return a solution without its last `return`."""
    last = list(RETURN.finditer(solution))[-1]
    return solution[: last.start()] + ";" + solution[last.end() :]


def multipl_e_tests(record):
    """Return the tests of a record in the shape of MultiPL-E, whose prompt has all headers."""
    name, tests = record["entry_point"], re.sub(r"^#.*\n", "", record["test"], flags=re.MULTILINE)
    tests = re.sub(rf"\b{name}\s*\(", "candidate(", tests)
    return re.sub(r"int main\(\)\s*\{", f"int main() {{\n    auto candidate = {name};\n", tests)


@pytest.mark.parametrize("language", ["cpp", "rust"])
def test_solutions_pass_and_buggy_ones_do_not(language):
    """HumanEvalPack's solutions pass, and its buggy ones fail: every fourth, because each takes a compiler twice."""
    records = read(language)[::4]
    kinds = ("canonical_solution", "buggy_solution")
    programs = [(CRATES.sub("", each["prompt"]) + each[kind], each["test"]) for kind in kinds for each in records]
    assert passed(language, programs) == [True] * len(records) + [False] * len(records)


def test_cpp_without_a_return_does_not_pass():
    """A C++ solution without a body, or without its last `return`, does not pass although the full solution does."""
    programs = []
    for record in read("cpp")[::6]:
        tests, prompt = multipl_e_tests(record), HEADERS + record["prompt"]
        solution = record["canonical_solution"]
        programs += [(prompt + body, tests) for body in (solution, "\n}\n", less_return(solution))]
    assert passed("cpp", programs) == [True, False, False] * (len(programs) // 3)
