"""Hostile programs look for what is there: a program that looks for a name of long ago attacks nothing."""

import ast
import re
from pathlib import Path

import pytest

import sandboxes
from sandboxes import Limits, Program
from support.conformance_programs import HOSTILE as SHARED_HOSTILE
from support.conformance_programs import PRELUDE
from support.docker_engines import WITH_DOCKER
from support.separate_programs import HOSTILE as SEPARATE_HOSTILE

GUEST = Path(sandboxes.__file__).parent / "guest"
# Attributes of frames and functions, and functions of the prelude, that give our names to a program.
NAMESPACES = ("f_locals", "f_globals", "__globals__", "namespaces")
# What programs call the candidate's end of a connection.
CONNECTIONS = ("connection", "c", "conn")


def defined_names():
    """Return all names of functions, classes, parameters, variables and attributes of the guest."""
    names = set()
    for path in GUEST.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.arg):
                names.add(node.arg)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                names.add(node.attr)
            elif isinstance(node, ast.alias):
                names.add(node.asname or node.name)
    return names


DEFINED = defined_names()


def texts(node):
    """Return the texts that stand in an expression."""
    return {part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and type(part.value) is str}


def mentions_namespace(node):
    """Return whether a statement reads our namespaces."""
    names = (getattr(part, "attr", getattr(part, "id", None)) for part in ast.walk(node))
    return any(name in NAMESPACES for name in names)


def sought_names(source):
    """Return the names of ours that a program looks for in frames and modules, and on a connection."""
    names = set()
    tree = ast.parse(source)
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple)]
    reads_all = mentions_namespace(tree)
    for node in loops:
        # The second form has a namespace in a variable of that name.
        is_search = mentions_namespace(node) or (reads_all and re.search(r"names(\[|\.get\()name", ast.unparse(node)))
        if getattr(node.target, "id", None) == "name" and is_search:
            names |= texts(node.iter)
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(map(mentions_namespace, node.comparators)):
            names |= texts(node.left)
        elif isinstance(node, ast.Compare) and "__name__" in ast.unparse(node.left):
            names |= {text for text in texts(node.comparators[0]) if text[:1].isupper()}
        elif isinstance(node, ast.Subscript) and mentions_namespace(node.value):
            names |= texts(node.slice)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            names |= texts(ast.Tuple(node.args[:1])) if mentions_namespace(node.func.value) else set()
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", None) in CONNECTIONS:
            names.add(node.attr)
    return names


def candidates():
    """Return the sources of all hostile candidates that look for names of ours."""
    sources = dict.fromkeys(program.candidate for program in (*SHARED_HOSTILE, *SEPARATE_HOSTILE))
    seeking = []
    for source in sources:
        try:
            if names := sought_names(source):
                seeking.append((source, names))
        except SyntaxError:
            # One of them does not compile on purpose.
            continue
    return seeking


# Names of the tests, which candidates look for too.
NAMES_OF_TESTS = {"secret", "want"}


def test_every_name_that_a_hostile_program_looks_for_is_one_of_the_guest_s():
    """Each name that hostile candidates look for is defined in the guest, so that their attacks arrive."""
    sought = set().union(*(names for _, names in candidates()))
    assert sorted(sought - DEFINED - NAMES_OF_TESTS) == []


def test_names_are_sought():
    """The names that the best known attacks need are among those that are checked."""
    sought = set().union(*(names for _, names in candidates()))
    wanted = {"encode", "messages", "exported", "exports", "CandidateEnd", "forking"}
    wanted |= {"encode_details", "encode_json", "report", "error", "program", "prepare", "server"}
    assert wanted - sought == set()
    assert len(candidates()) > 15


REACHED_TOGETHER = f"""{PRELUDE}
everywhere = set().union(*namespaces())
for name in ("encode_details", "encode_json", "encode_report", "program_report", "error_report", "encode_test_log"):
    assert name in everywhere, name
for name in ("PASSED_REPORT", "OTHER_REPORT", "run_and_report", "prepare"):
    assert name in everywhere, name
assert len(ours()) > 100, len(ours())
assert any("server" in frame.f_locals for frame in frames())
assert any("forking" in frame.f_globals for frame in frames())
"""
REACHED_APART = """
import gc
connection = next(each for each in gc.get_objects() if type(each).__name__ == "CandidateEnd")
for name in ("encode", "exports", "messages", "exported", "kinds"):
    assert hasattr(connection, name), name
def f(): return 1
"""


@pytest.mark.parametrize("sandbox_name", ["subprocess", WITH_DOCKER], indirect=True)
def test_attacks_reach_the_process_that_judges(pool):
    """What hostile programs look for in frames or in the collector's objects is found there."""
    limits = Limits(wall_seconds=5.0)
    programs = [
        Program(REACHED_TOGETHER, "assert True", limits, grading="shared"),
        Program(REACHED_APART, "assert f() == 1", limits, grading="separate"),
    ]
    assert [(verdict.passed, verdict.detail) for verdict in pool.run_all(programs, 1)] == [(True, "")] * 2
