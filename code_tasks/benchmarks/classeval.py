"""ClassEval: whole classes, with unittest classes as their tests.

Source: Du et al. 2023, arXiv:2308.01861, and its grader. A completion is a whole program, or an answer with one. The
record's imports come before it. Each test class may take 5 seconds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark, limits_of_calls
from code_tasks.benchmarks.official.forms import classeval_form
from code_tasks.benchmarks.packages import needed_modules
from code_tasks.benchmarks.problems import Problem, check_has_tests
from code_tasks.benchmarks.records import id_field, text_field, texts_field
from sandboxes.extraction import code_blocks
from sandboxes.imports import is_python, parse_candidate, parse_source

SECONDS = 5.0
IMPORTS = ("import", "from")

CAVEATS = {
    "ClassEval_17": "no program can pass: the tests take 2 January 2024 for a day that lies ahead",
    "ClassEval_48": "no program can pass elsewhere: the tests ask for the name of the author's computer",
    "ClassEval_51": "right programs pass with numpy 1, and fail with numpy 2",
    "ClassEval_52": "right programs need nltk's data: averaged_perceptron_tagger, punkt and wordnet",
}
"""Problems whose canonical solution fails, for a reason that is not the candidate's."""


@dataclass(frozen=True)
class ClassAnswer:
    """Makes the program of an answer, as ClassEval's grader mends it."""

    def __call__(self, completion: str) -> str:
        """Return the program of a completion, or of an answer with prose around the code."""
        code = completion if is_python(completion) else code_of(completion)
        try:
            lines = sorted(missing_decorators(parse_candidate(code)), reverse=True)
        except ValueError:
            return code
        parts = code.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for number, indent in lines:
            parts[number - 1] = parts[number - 1][:indent] + "@staticmethod\n" + parts[number - 1]
        return "\n".join(parts)


def parse(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of ClassEval."""
    tests, solution = text_field(record, "test"), text_field(record, "solution_code")
    imports = "".join(f"{line}\n" for line in texts_field(record, "import_statement"))
    check_has_tests(tests, "test", "python")
    defined = {node.name for node in parse_source(tests).body if isinstance(node, ast.ClassDef)}
    # A name of the published file begins with a space, and its grader finds no such class.
    classes = [name.strip() for name in texts_field(record, "test_classes")]
    if absent := [name for name in classes if name not in defined]:
        raise ValueError(f"'test_classes' names {absent[0]!r}, which 'test' does not define")
    task_id = id_field(record, "task_id")
    return Problem(
        # The tests use these modules too. Their imports also say which grading they need.
        *(task_id, "", imports + tests, "python"),
        entry_point=text_field(record, "class_name"),
        canonical_solution=solution,
        preamble=imports,
        make_program=ClassAnswer(),
        modules=needed_modules(imports, solution, tests),
        limits=limits_of_calls(SECONDS, max(1, len(classes))),
        caveat=CAVEATS.get(task_id, ""),
        official={name: record[name] for name in ("import_statement", "test", "test_classes")},
    )


def code_of(answer: str) -> str:
    """Return the code in an answer: its first fenced block, or its imports and all lines from its first class on."""
    if blocks := code_blocks(answer):
        return blocks[0]
    lines = answer.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip().startswith("class")), len(lines))
    return "\n".join([*(line for line in lines[:first] if line.strip().startswith(IMPORTS)), *lines[first:]])


def missing_decorators(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield (line, column) of each method whose first parameter is neither `self` nor `cls`, and has no decorator.

    The grader makes these static, because models forget the decorator.
    """
    for node in tree.body:
        for method in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(method, ast.FunctionDef) and not method.decorator_list:
                names = [argument.arg for argument in (*method.args.posonlyargs, *method.args.args)]
                if not any("self" in name or "cls" in name for name in names) and method.args.vararg is None:
                    yield method.lineno, method.col_offset


CLASSEVAL = Benchmark(
    *("classeval", parse, "FudanSELab/ClassEval"),
    fields=("task_id", "test", "skeleton", "test_classes", "import_statement"),
    official=classeval_form,
    runs_restricted=False,
)
