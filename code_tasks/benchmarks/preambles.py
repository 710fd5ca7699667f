"""Preambles: the statements that a benchmark's grader runs before each candidate, and how they are put there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from sandboxes.imports import parse_candidate

STAR_IMPORTS = (
    *("string", "re", "datetime", "collections", "heapq", "bisect", "copy", "math", "random", "statistics"),
    *("itertools", "functools", "operator", "io", "sys", "json", "builtins", "typing"),
)
"""Modules whose names the graders of LiveCodeBench and verl import, in this order: a later name replaces a former."""

PLAIN_IMPORTS = tuple(name for name in STAR_IMPORTS if name not in ("builtins", "typing"))
"""Modules that they import by name, afterwards."""

APPS_IMPORTS = (
    "import sys, time, itertools, collections, math, fractions, random, heapq",
    "from itertools import accumulate, product, permutations, combinations",
    "from collections import Counter, OrderedDict, deque, defaultdict, ChainMap",
    "from functools import lru_cache",
    "from math import sqrt, sin, cos, tan, ceil, fabs, floor, gcd, exp, log, log2",
    "from typing import List, Tuple",
    "from heapq import *",
)
"""The imports of the graders of APPS and TACO, but for numpy."""

APPS_MODULES = (
    "sys",
    "time",
    "itertools",
    "collections",
    "functools",
    "math",
    "fractions",
    "random",
    "heapq",
    "typing",
)
COMMON_IMPORTS = (
    "from itertools import accumulate, chain, combinations, count, permutations, product, groupby, islice, repeat",
    "from copy import deepcopy",
    "from string import ascii_lowercase, ascii_uppercase",
    "from math import floor, log2, log10, sqrt, comb, gcd, ceil, inf, isqrt, factorial, atan2, pi",
    "from bisect import bisect, bisect_left, bisect_right, insort",
    "from heapq import heappush, heappop, heapify, merge, nlargest, nsmallest, heapreplace",
    "from functools import reduce, cache, lru_cache, cmp_to_key, partial",
    "from random import randrange, shuffle",
    "from operator import itemgetter, sub, xor, or_, iand",
    "from re import search as re_search",
    "from os.path import commonprefix",
    "from typing import List, Tuple, Dict, Set, Optional, Union, Any, Callable, Iterable, Iterator, Generator, Deque",
    "import copy, string, math, collections, bisect, heapq, functools, random, itertools, operator, re, datetime",
    "from time import time",
    "from math import log, prod",
    "from collections import deque, defaultdict, Counter, OrderedDict",
    "from itertools import zip_longest, cycle, pairwise",
    "import sys, io, os",
)
"""The imports of the graders of DeepCoder and INTELLECT-3, but for numpy and pandas."""

COMMON_MODULES = (
    *("itertools", "copy", "string", "math", "bisect", "heapq", "functools", "random", "operator", "re", "os"),
    *("typing", "collections", "datetime", "time", "sys", "io"),
)
HUMANEVAL_X_MODULES = (
    *("math", "re", "sys", "copy", "datetime", "itertools", "collections", "heapq", "statistics", "functools"),
    *("hashlib", "string"),
)
NUMPY = "try:\n    import numpy as np\nexcept ImportError:\n    pass\n"
PANDAS = "try:\n    import pandas as pd\nexcept ImportError:\n    pass\n"
OPTIONAL = {NUMPY: re.compile(r"\bnp\b"), PANDAS: re.compile(r"\bpd\b")}
"""Imports that a preamble has for candidates that use their name, and the name."""

# Bounded, because a hostile text may open a parenthesis in each line.
FUTURE = re.compile(r"^from[ \t]+__future__[ \t]+import[ \t]*+(?:\([^)]{0,400}+\)|[^\r\n;#]*+)", re.MULTILINE)
COMMENT_OR_LINE_END = re.compile(r"#[^\r\n]*|[\r\n]")
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def star_imports(recursion_limit: int, digits: int | None = None) -> str:
    """Return the preamble of LiveCodeBench's grader and verl's, as one line.

    Args:
        recursion_limit: of the interpreter.
        digits: how many an int may have as a text. None: Python's own limit.
    """
    lines = [*(f"from {name} import *" for name in STAR_IMPORTS), f"import {', '.join(PLAIN_IMPORTS)}"]
    lines.append(f"sys.setrecursionlimit({recursion_limit})")
    if digits:
        lines.append(f"getattr(sys, 'set_int_max_str_digits', int)({digits})")
    return "; ".join(lines) + "\n"


def humaneval_x_imports() -> str:
    """Return the preamble of the graders of HumanEval-X and HumanEvalPack."""
    return f"import {', '.join(HUMANEVAL_X_MODULES)}; from typing import *; from collections import *\n{NUMPY}"


def apps_imports() -> str:
    """Return the preamble of the graders of APPS and TACO. `with_preamble` leaves out what is OPTIONAL."""
    return "; ".join(APPS_IMPORTS) + "\n" + NUMPY


def common_import_lines() -> str:
    """Return the imports of `common_imports` without numpy and pandas, a line each, and an empty line."""
    return "\n".join((*COMMON_IMPORTS, "", ""))


def common_imports() -> str:
    """Return the preamble of the graders of DeepCoder and INTELLECT-3."""
    return "; ".join(COMMON_IMPORTS) + "\n" + NUMPY + PANDAS


def with_preamble(preamble: str, code: str) -> str:
    """Return a candidate with a preamble before it. Imports from `__future__` come first, as Python demands."""
    for statement, name in OPTIONAL.items():
        if statement in preamble and not name.search(code):
            preamble = preamble.replace(statement, "")
    future = "; ".join(match[0] for match in FUTURE.finditer(code)) if "__future__" in code else ""
    if future:
        # A line stays a line, so that messages have the numbers of the candidate's lines, plus those of the preamble.
        code = FUTURE.sub(lambda match: "pass" + "\n" * match[0].count("\n"), code)
        preamble = COMMENT_OR_LINE_END.sub(" ", future) + "; " + preamble
    return preamble + code


def returns_as_exits(code: str) -> str:
    """Return a script that may have a `return` outside of functions. It ends the script there, as the graders have it.

    They wrap a script in a function. Here every such `return` becomes a `raise SystemExit`, and the rest stays as it
    is, because `global` means something else in a script that is wrapped.
    """
    if "return" not in code:
        return code
    # Python takes each of these for the end of a line.
    code = code.replace("\r\n", "\n").replace("\r", "\n")
    try:
        returns = list(top_level_returns(parse_candidate(code)))
    except ValueError:
        return code
    lines = code.encode("utf-8", "surrogatepass").split(b"\n")
    for node in sorted(returns, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        # Columns are those of UTF-8. The value of `return print(1)` is computed.
        line = lines[node.lineno - 1]
        if node.value is None:
            lines[node.lineno - 1] = line[: node.col_offset] + b"raise SystemExit" + line[node.end_col_offset :]
            continue
        end = (node.end_lineno or node.lineno) - 1
        lines[end] = lines[end][: node.end_col_offset] + b", 0)[-1])" + lines[end][node.end_col_offset :]
        rest = lines[node.lineno - 1][node.col_offset + len(b"return") :]
        lines[node.lineno - 1] = line[: node.col_offset] + b"raise SystemExit((" + rest
    return b"\n".join(lines).decode("utf-8", "surrogatepass")


def top_level_returns(tree: ast.AST) -> Iterator[ast.Return]:
    """Yield the `return` statements of a module that stand in no function and no class."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Return):
            yield node
        elif isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case) and not isinstance(node, SCOPES):
            yield from top_level_returns(node)
