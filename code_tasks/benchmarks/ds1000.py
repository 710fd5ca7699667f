"""DS-1000: lines of code in the place of `[insert]` in a program, whose variable `result` is compared.

Source: Lai et al. 2022, arXiv:2211.11501, and its grader, test_ds1000.py. The record's code defines
`test_execution(solution)`, which runs the program with `exec`, and perhaps `test_string(solution)`, which reads its
text. A completion is cut as the grader cuts it. All may take 120 seconds.

The grader runs a completion in the process of its tests. Here each `exec` of the tests hands the program to the
candidate, so that it runs apart from the tests where these use nothing but numpy.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark
from code_tasks.benchmarks.packages import needed_modules
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.records import id_field, required, text_field
from sandboxes.imports import parse_source
from sandboxes.validation import short_json

SECONDS = 120.0
MEMORY_BYTES = 8 << 30
EXECUTION, STRING = "test_execution", "test_string"
PLACE = "[insert]"
CANDIDATE = """\
__import__("os").environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", MPLBACKEND="Agg")
code_eval_answer = {answer!r}


def code_eval_run(program, names, run=exec):
    names = dict(names)
    run(program, names)
    return names["result"]
"""
ANSWER = "code_eval_text = str(code_eval_answer)\n"
"""Reads the completion before it runs and could change it."""

EXEC = """

def exec(program, names):
    names["result"] = code_eval_run(program, names)
"""
"""Takes the place of `exec` in tests that read nothing but `result` afterwards."""


@dataclass(frozen=True)
class Completion:
    """Makes the program of a completion, which holds it as a text until the tests run it."""

    def __call__(self, completion: str) -> str:
        """Return the program of a completion."""
        return CANDIDATE.format(answer=cut(completion))


def cut(completion: str) -> str:
    """Return the code of a model's answer: tags and fences are removed, as the grader removes them."""
    code = completion.split("</code>")[0].replace("```python", "").split("```")[0]
    return code.split("\nEND SOLUTION")[0].replace("<code>", "")


def parse(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of DS-1000. Its name is the number in `metadata`."""
    context, solution = text_field(record, "code_context"), text_field(record, "reference_code")
    metadata = required(record, "metadata")
    if not isinstance(metadata, Mapping):
        raise TypeError(f"'metadata' is not an object, but {short_json(metadata)}")
    try:
        tree = parse_source(context)
    except ValueError as error:
        raise ValueError(f"'code_context' is not Python: {error}") from error
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if EXECUTION not in functions:
        raise ValueError(f"'code_context' does not define {EXECUTION}, so that no completion can be judged")
    calls = "".join(f"{name}(code_eval_text)\n" for name in (EXECUTION, STRING) if name in functions)
    own_exec = EXEC if reads_result_only(functions[EXECUTION]) else ""
    return Problem(
        *(id_field(metadata, "problem_id"), "", f"{ANSWER}{context}\n{own_exec}\n{calls}", "python"),
        canonical_solution=solution,
        make_program=Completion(),
        modules=needed_modules(context, *programs_of(tree)),
        limits={"wall_seconds": SECONDS, "memory_bytes": MEMORY_BYTES},
    )


def reads_result_only(function: ast.FunctionDef) -> bool:
    """Return whether tests read one name of the program that they have run: `test_env["result"]`."""
    runs = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "exec"
    ]
    spaces = {node.args[1].id for node in runs if len(node.args) == 2 and isinstance(node.args[1], ast.Name)}
    read = [
        node.slice.value if isinstance(node.slice, ast.Constant) else None
        for node in ast.walk(function)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in spaces
    ]
    uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id in spaces]
    # Each use is an assignment, an argument of `exec`, or a read of the result.
    stored = [node for node in uses if isinstance(node.ctx, ast.Store)]
    only_these = len(uses) == len(stored) + len(runs) + len(read)
    return bool(runs) and len(spaces) == 1 and {*read} == {"result"} and only_these


def programs_of(tree: ast.Module) -> list[str]:
    """Return the programs that completions are inserted in, without that place, for the modules that they import."""
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return ["\n".join(lines_of_imports(text)) for text in texts if PLACE in text]


def lines_of_imports(program: str) -> list[str]:
    """Return the lines of a program that import, at its top level."""
    return [line for line in program.split("\n") if line.startswith(("import ", "from "))]


DS1000 = Benchmark(
    *("ds-1000", parse, "xlangai/DS-1000"), fields=("code_context", "reference_code"), runs_restricted=False
)
