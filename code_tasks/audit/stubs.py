"""Stubs: candidates that solve nothing. Tests that accept one test too little, or the right answer is a constant."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from code_tasks.benchmarks.problems import Problem
from sandboxes.imports import parse_source, parse_tree
from sandboxes.tasks.io_cases import IOCases, parse_cases

RETURNED = ("None", "0", "1", "-1", "True", "False", '""', "[]", "{}")
ARRAYS = ("numpy.array([])", "numpy.float16('inf')")
"""Results that tests accept whose comparison is NumPy's: no element differs, and any large number is infinite."""

NUMPY = re.compile(r"\b(?:np|numpy|allclose|isclose)\b")
PRINTED = ("0", "1", "-1", "YES", "NO")
FIRST_ARGUMENT, FIRST_LINE = "return the first argument", "print the first line"
EMPTY, EQUAL_OBJECT = "empty", "an object that is equal to everything"
EQUAL_BODY = """\
class Equal:
    def __eq__(self, other):
        return True
return Equal()
"""
JAVA_METHOD = re.compile(r"public\s+(?:static\s+)?([\w.<>\[\], ]+?)\s+\w+\s*\([^()]*\)[^()]*\{\s*$")
GO_RESULTS = re.compile(r"func\s+\w+\((?:[^()]|\([^()]*\))*\)\s*((?:(?!\nfunc\s).)*?)\s*\{\s*$", re.DOTALL)
CPP_FUNCTION = re.compile(r"(?:^|\n)[ \t]*([\w:<>, \t*&]+?)[\s*&]+\w+\s*\([^(){};]*\)\s*\{\s*$")
JAVASCRIPT_FUNCTION = re.compile(r"(?:\bfunction\b[^(){}]*\([^{}]*\)[^{}]*|=>)\s*\{\s*$")
RUST_FUNCTION = re.compile(r"\bfn\s+\w+[^{};]*\{\s*$")
JAVA_ZEROS = {"boolean": "false", "char": "'\\0'", **dict.fromkeys(("int", "long", "double", "float"), "0"), "void": ""}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Variant:
    """A stub or a mutant."""

    name: str
    """One line for people."""

    program: str
    """The whole program, as `Problem.candidate` returns it."""


def stubs_of(problem: Problem, language: str) -> list[Variant]:
    """Return the stubs of a problem. The last may be EQUAL_OBJECT.

    In other languages than Python: the empty completion, and a constant result in those that `zero_stub` knows.

    Args:
        problem: the problem.
        language: of its candidates.
    """
    stubs = [Variant(EMPTY, problem.candidate("", language))]
    cases = parse_cases(problem.tests)
    is_script = isinstance(cases, IOCases) and not cases.function
    if language != "python":
        zero = "" if is_script else zero_stub(language, problem.prompt, is_closed=not problem.suffix)
        return [*stubs, Variant("return a zero", problem.candidate(zero, language))] if zero else stubs
    sources = script_stubs() if is_script else function_stubs(problem)
    stubs += [Variant(name, problem.whole(source, language)) for name, source in sources]
    return list({stub.program: stub for stub in reversed(stubs)}.values())[::-1]


def script_stubs() -> Iterator[tuple[str, str]]:
    """Yield (name, source) of scripts that print the same for each input, or its first line."""
    for text in PRINTED:
        yield f"print {text}", f"print({text!r})\n"
    yield FIRST_LINE, "print(input())\n"


def function_stubs(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield (name, source) of programs whose functions return the same for all arguments, or the first argument."""
    name = (re.findall(r"\w+", problem.entry_point) or [""])[-1]
    source = problem.prompt + (problem.canonical_solution or "    pass\n")
    if problem.canonical_solution is None and not problem.prompt:
        source = f"def {name}(*arguments, **others):\n    pass\n" if name else ""
    try:
        ast.unparse(parse_source(source))
    except (ValueError, RecursionError):
        return
    bodies = {f"return {value}": f"return {value}" for value in RETURNED}
    if NUMPY.search(problem.tests):
        bodies |= {f"return {value}": f"import numpy\nreturn {value}" for value in ARRAYS}
    for title, body in {**bodies, FIRST_ARGUMENT: "", EQUAL_OBJECT: EQUAL_BODY}.items():
        tree = parse_source(source)
        functions = stubbed_functions(tree, name, problem.prompt.count("\n"))
        if not functions or (title == FIRST_ARGUMENT and not any(map(first_argument, functions))):
            continue
        for function in functions:
            function.body = statements(body or f"return {first_argument(function) or None}")
        yield title, ast.unparse(tree) + "\n"


def stubbed_functions(tree: ast.Module, name: str, prompt_lines: int) -> list[Function]:
    """Return the functions and methods that become stubs.

    Args:
        tree: the prompt with its completion.
        name: of a function, method or class. If there is none of this name, all functions are meant.
        prompt_lines: lines of the prompt. A function that ends in the prompt stays, because tests may use it.
    """
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    methods = {node.name: [part for part in node.body if isinstance(part, Function)] for node in classes}
    functions = [node for node in tree.body if isinstance(node, Function)]
    every = [*functions, *(method for of_class in methods.values() for method in of_class)]
    named = [function for function in every if function.name == name] or methods.get(name, [])
    last_lines = {function: function.end_lineno or 0 for function in named or every}
    return [each for each, line in last_lines.items() if line > prompt_lines and not each.name.startswith("__")]


def first_argument(function: Function) -> str:
    """Return the source of a function's first argument without `self`, or "" if it has none."""
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    names = [name for name in names if name not in ("self", "cls")]
    variable = function.args.vararg
    return names[0] if names else f"{variable.arg}[0]" if variable else ""


def statements(body: str) -> list[ast.stmt]:
    """Return the statements of a function's body."""
    [function] = parse_tree("def function():\n" + textwrap.indent(body, "    ")).body
    assert isinstance(function, ast.FunctionDef)  # noqa: S101 (for the type checker)
    return function.body


def zero_stub(language: str, prompt: str, is_closed: bool = True) -> str:
    """Return a completion that compiles and has the same empty result for all arguments, in one of ZERO_STATEMENTS.

    Args:
        language: of the prompt.
        prompt: code. If it does not end with the beginning of a function, "" is returned.
        is_closed: whether the completion has the brackets that end the function, and in Java its class.
    """
    if language not in ZERO_STATEMENTS:
        return ""
    pattern, statement = ZERO_STATEMENTS[language]
    function = pattern.search(prompt.rstrip())
    if function is None:
        return ""
    indent, end = ("        ", "    }\n}\n") if language == "java" else ("    ", "}\n")
    return f"{indent}{statement(function)}\n" + end * is_closed


def go_zeros(results: str) -> list[str]:
    """Return the zero values of a Go function's result types."""
    inner = results[1:-1] if results.startswith("(") else results
    types, depth = [""], 0
    for char in inner:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            types.append("")
        else:
            types[-1] += char
    return [f"*new({name.strip()})" for name in types if name.strip()]


ZERO_STATEMENTS: dict[str, tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = {
    "java": (JAVA_METHOD, lambda function: f"return {JAVA_ZEROS.get(function[1], 'null')};"),
    "go": (GO_RESULTS, lambda function: f"return {', '.join(go_zeros(function[1]))}"),
    "cpp": (CPP_FUNCTION, lambda function: "return;" if function[1] == "void" else "return {};"),
    "javascript": (JAVASCRIPT_FUNCTION, lambda function: "return null;"),
    "rust": (RUST_FUNCTION, lambda function: "Default::default()"),
}
"""The beginning of a function, and the statement that makes a stub of it, by language."""
