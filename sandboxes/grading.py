"""Grading modes. Tests run in the candidate's interpreter ("shared"), or in another one ("separate").

With "auto", the text of the tests decides: tests that look into the candidate's interpreter, or change it, need
"shared".
"""

import ast
import builtins
import functools
import re

from sandboxes.imports import parse_tree

BUILTINS = frozenset(dir(builtins))
# Modules, names and attributes by which tests look into the candidate's interpreter, or change it.
SHARED_MODULES = frozenset(
    "mock inspect gc importlib pickle marshal shelve dis traceback tracemalloc weakref ctypes builtins "
    "signal multiprocessing subprocess atexit faulthandler logging warnings locale resource site code codeop pdb "
    "os pathlib tempfile shutil glob fileinput sqlite3 zipfile tarfile configparser socket ssl http urllib requests "
    "select pty fcntl mmap threading sched doctest runpy linecache platform getpass matplotlib pandas sklearn scipy "
    "seaborn torch tensorflow flask django bs4 PIL cv2 openpyxl docx psutil nltk sympy".split()
)
SHARED_NAMES = frozenset(
    "open input globals locals vars eval exec compile __import__ setattr delattr breakpoint memoryview id "
    "patch monkeypatch capsys capfd caplog tmp_path tmpdir mocker MagicMock Mock redirect_stdout redirect_stderr "
    "redirect_stdin getsource signature getrefcount __builtins__ __file__ __main__".split()
)
SHARED_ATTRIBUTES = frozenset(
    "__dict__ __code__ __globals__ __closure__ __defaults__ __subclasses__ __bases__ __func__ gi_frame "
    "modules stdout stdin stderr _getframe settrace setprofile setrecursionlimit getrefcount seed getcontext "
    "setcontext localcontext environ patch assertLogs assertWarns warns redirect_stdout redirect_stderr readouterr "
    "wait_for timeout_at setattr setswitchinterval testmod getsource getcallargs cache_parameters".split()
)
SHARED_ARGUMENTS = ("monkeypatch", "capsys", "capfd", "caplog", "mocker", "tmp_path", "tmpdir")
# With these, tests end what they wait for. Their own process has its own timer.
TIMER_NAMES = ("ITIMER_REAL", "SIGALRM", "alarm", "setitimer", "signal")
# Harmless attributes of modules that need "shared" otherwise.
SEPARATE_ATTRIBUTES = {"sys": frozenset("maxsize float_info int_info version_info exit path getsizeof".split())}


# By these calls, and by assigning to a class's attribute, tests change libraries in their own process.
CHANGES_OWN_PROCESS = re.compile(
    r"\.register\(|\bsetfirstweekday\(|^[ \t]*[A-Z]\w*(?:\.\w+)+[ \t]*=(?!=)", re.MULTILINE
)
GRADINGS = ("shared", "separate", "auto")
DEFAULT_GRADING = "auto"


def classify_tests(chosen: str, tests: str) -> tuple[str, bool]:
    """Return (the grading of a program, whether its tests are repeatable, as in `Program.tests_are_repeatable`).

    Args:
        chosen: one of GRADINGS. "auto" stands for the grading that the tests need.
        tests: source.
    """
    if chosen == "shared":
        return chosen, False
    detected = detect_grading(tests)
    is_repeatable = detected == "separate" and not CHANGES_OWN_PROCESS.search(tests)
    return detected if chosen == "auto" else chosen, is_repeatable


def detect_grading(tests: str) -> str:
    """Return the grading that tests need: "shared" if there is a `reason_for_shared`, otherwise "separate"."""
    return "shared" if reason_for_shared(tests) else "separate"


@functools.lru_cache(maxsize=4096)
def reason_for_shared(tests: str) -> str:
    """Return why tests need the candidate's interpreter, such as "the tests use exec"; "" if they don't.

    The tests' text alone decides. It is trusted, and a candidate must not be able to choose.

    Args:
        tests: source.

    Returns:
        A reason if the tests patch, inspect, print into or share files with the candidate, derive classes from its
        classes, or can't be parsed.
    """
    try:
        nodes = list(ast.walk(parse_tree(tests)))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return "the tests can't be parsed"
    own = defined_names(nodes)
    found = next(filter(None, (what_needs_shared(node, own) for node in nodes)), "")
    return f"the tests {found}" if found else ""


def defined_names(nodes: list[ast.AST]) -> dict[str, bool]:
    """Return all names that the tests define or import anywhere, and whether each stands for a module."""
    names: dict[str, bool] = {}
    for node in nodes:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            names[node.name] = False
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            is_module = isinstance(node, ast.Import)
            names.update(((alias.asname or alias.name).partition(".")[0], is_module) for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.id, False)
    return names


def changes_library(target: ast.Attribute | ast.Subscript, own: dict[str, bool]) -> bool:
    """Return whether tests assign to an attribute of a module (`time.time = fixed`), which the candidate sees."""
    part: ast.expr = target
    while isinstance(part, (ast.Attribute, ast.Subscript)):
        part = part.value
    return isinstance(part, ast.Name) and own.get(part.id, False)


def what_needs_shared(node: ast.AST, own: dict[str, bool]) -> str:
    """Return what a part of the tests does that works only in the candidate's interpreter; "" if it works elsewhere.

    Args:
        node: the part.
        own: names that the tests define, and whether each stands for a module.
    """
    if isinstance(node, ast.Import | ast.ImportFrom):
        return shared_import(node)
    if isinstance(node, ast.Name):
        needs_it = node.id in SHARED_NAMES and node.id not in own or node.id == "os" and "os" not in own
        return f"use {node.id}" if needs_it else ""
    if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        if changes_library(node, own):
            return "change a module"
        return shared_attribute(node) if isinstance(node, ast.Attribute) else ""
    if isinstance(node, ast.Attribute):
        return shared_attribute(node)
    if isinstance(node, ast.arg):
        return f"use {node.arg}" if node.arg in SHARED_ARGUMENTS else ""
    if isinstance(node, ast.ClassDef):
        bases = [base.id for base in node.bases if isinstance(base, ast.Name) and is_candidates(base.id, own)]
        return f"derive a class from {bases[0]}" if bases else ""
    return ""


def shared_import(node: ast.Import | ast.ImportFrom) -> str:
    """Return what an import does that needs "shared", or ""."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names if is_shared_module(alias.name)]
        return f"import {names[0]}" if names else ""
    module = node.module or ""
    if module == "signal" and all(alias.name in TIMER_NAMES for alias in node.names):
        return ""
    if is_shared_module(module):
        return f"import {module}"
    for alias in node.names:
        if is_shared_module(f"{module}.{alias.name}") or alias.name in SHARED_NAMES | SHARED_ATTRIBUTES:
            return f"import {module}.{alias.name}"
    return ""


def is_shared_module(name: str) -> bool:
    """Return whether tests that import a module need "shared"."""
    parts = name.split(".")
    return parts[0] in SHARED_MODULES or "mock" in parts


def shared_attribute(node: ast.Attribute) -> str:
    """Return what tests that name an attribute do that needs "shared", or ""."""
    if isinstance(node.value, ast.Name) and node.value.id in SEPARATE_ATTRIBUTES:
        is_shared = node.attr not in SEPARATE_ATTRIBUTES[node.value.id]
        return f"use {node.value.id}.{node.attr}" if is_shared else ""
    return f"use the attribute {node.attr}" if node.attr in SHARED_ATTRIBUTES else ""


def is_candidates(name: str, own: dict[str, bool]) -> bool:
    """Return whether a name that tests use stands for something of the candidate's."""
    return name not in own and name not in BUILTINS
