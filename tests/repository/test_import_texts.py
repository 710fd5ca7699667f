"""Names of modules that stand in functions or texts, which nothing imports until they are needed, are right."""

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import sandboxes

PACKAGE = Path(sandboxes.__file__).parent
DOTTED = re.compile(r"sandboxes(\.\w+)+")
FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if "guest" not in path.relative_to(PACKAGE).parts]


def late_imports(tree):
    """Return the (module, name) pairs of ours that functions import, as a Ray actor does on its node."""
    return [
        (node.module, alias.name)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and not node.level and node.module.partition(".")[0] == "sandboxes"
        for alias in node.names
    ]


def dotted_texts(tree):
    """Return the texts that are nothing but the name of a module of ours, or of something in it."""
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and type(node.value) is str]
    return [text for text in texts if DOTTED.fullmatch(text)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_late_imports_and_names_in_texts_resolve(path):
    """What a function imports is there, and so is each module that a text names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for module, name in late_imports(tree):
        assert pkgutil.resolve_name(module) is importlib.import_module(module)
        assert hasattr(importlib.import_module(module), name) or importlib.util.find_spec(f"{module}.{name}")
    for text in dotted_texts(tree):
        # An extension has a stub, and may not be built here.
        is_module = importlib.util.find_spec(text.rpartition(".")[0]) is None or importlib.util.find_spec(text)
        if not is_module and not (PACKAGE.parent / f"{text.replace('.', '/')}.pyi").exists():
            pkgutil.resolve_name(text)


def test_late_imports_are_found():
    """The actor's imports on its node and the loader of the restricted policy are among what is checked."""
    actors = ast.parse((PACKAGE / "cluster" / "actors.py").read_text(encoding="utf-8"))
    assert ("sandboxes", "_version") in late_imports(actors)
    restricted = ast.parse((PACKAGE / "backends" / "restricted.py").read_text(encoding="utf-8"))
    assert "sandboxes.restricted_policy.loader" in dotted_texts(restricted)
