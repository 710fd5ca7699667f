"""Programs from the answers of chat models: a whole function, or a body that continues the prompt."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator

from code_tasks.benchmarks.problems import Problem
from sandboxes.imports import parse_source

INDENT = "    "
# Keywords that come before a call. The line does not declare the called function.
CALL_KEYWORDS = "return|if|while|for|else|switch|case|throw|new|await|yield|go|defer"
NESTED_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def program_of_answer(problem: Problem, code: str) -> str:
    """Return the program, without tests, that the code of an answer stands for.

    `SandboxGrader` assembles the programs of chat models with this function. Code that defines the entry point is a
    whole program. It is put after the prompt, whose imports and helpers it may use. Other code continues the prompt. If
    that code lost its indentation, as stripped texts do, it is indented again.

    Args:
        problem: its prompt is the beginning of a program, up to the place of a body. A prompt of plain words is left
            out.
        code: taken out of the answer.
    """
    prompt = problem.prompt
    if problem.language not in ("", "python"):
        is_whole = any(declares_function(code, name) for name in names_before_parentheses(prompt)[-1:])
        return problem.whole(code) if is_whole else problem.candidate(code, problem.language)
    if defines_name(code, problem.entry_point or "".join(names_before_parentheses(prompt)[-1:])):
        return after_prompt(prompt, code)
    starts = (prompt,) if prompt.endswith("\n") else (prompt, f"{prompt}\n")
    for body in (code, INDENT + code, textwrap.indent(code, INDENT)):
        for start in starts:
            if is_program(start + body):
                return start + body
    return prompt + code


def names_before_parentheses(prompt: str) -> list[str]:
    """Return the names before an opening parenthesis in a prompt, outside of comments. The last is the function's.

    An arrow function's name stands before an equals sign: `const name = (a, b) => {`.
    """
    code = re.sub(r"(?s)/\*.*?\*/|\"{3}.*?\"{3}|'{3}.*?'{3}|(?://|#)[^\n]*", "", prompt)
    return re.findall(r"(\w+)\s*(?:=\s*(?:async\s*)?(?:function\s*)?)?\(", code)


def declares_function(code: str, name: str) -> bool:
    """Tell whether code in another language than Python declares a function. A call alone does not count."""
    after_type = rf"(?m)^(?![ \t]*(?:{CALL_KEYWORDS})\b)[^\n=;(]*[\w>\])*&][ \t*&]+{name}[ \t]*[<(]"
    return re.search(rf"{after_type}|\b{name}[ \t]*=[ \t]*(?:async\b|function\b|\()", code) is not None


def defines_name(code: str, name: str) -> bool:
    """Tell whether a Python module with this code defines a function, class or variable of that name."""
    try:
        tree = parse_source(code)
    except ValueError:
        # Truncated code, for example. It fails its tests either way, but must fail with the error of its own line.
        return re.search(rf"(?m)^(?:async\s+def|def|class)\s+{re.escape(name)}\b", code) is not None
    return name in top_level_names(tree)


def top_level_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module's own statements define, import or assign."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def after_prompt(prompt: str, code: str) -> str:
    """Return a whole program, put after the imports and helpers of the prompt."""
    before = completed_prompt(prompt)
    if not before:
        return code
    future, rest = split_future_imports(code)
    return f"{future}{before}\n\n{rest}"


def completed_prompt(prompt: str) -> str:
    """Return a prompt as a program. A function without a body gets an empty one. Plain words give an empty text."""
    lines = prompt.rstrip().splitlines() or [""]
    indent = lines[-1][: len(lines[-1]) - len(lines[-1].lstrip())] + INDENT
    for program in (f"{prompt}\n", f"{prompt.rstrip()}\n{indent}pass\n"):
        try:
            tree = parse_source(program)
        except ValueError:
            continue
        # A single word parses as an expression.
        return program if any(not isinstance(node, ast.Expr) for node in tree.body) else ""
    return ""


def split_future_imports(code: str) -> tuple[str, str]:
    """Return (imports from __future__, the code without them). These imports must be at the beginning of a file."""
    try:
        tree = parse_source(code)
    except ValueError:
        return "", code
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    lines = code.splitlines(keepends=True)
    for node in imports:
        # Nobody writes a further statement, after a semicolon, on these lines.
        lines[node.lineno - 1 : node.end_lineno] = ["\n"] * ((node.end_lineno or node.lineno) - node.lineno + 1)
    return "".join(f"{ast.unparse(node)}\n" for node in imports), "".join(lines)


def is_program(source: str) -> bool:
    """Tell whether a text parses as a Python module with no `return` outside of a function."""
    try:
        tree = parse_source(source)
    except ValueError:
        return False
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return):
            return False
        pending += [child for child in ast.iter_child_nodes(node) if not isinstance(child, NESTED_SCOPES)]
    return True
