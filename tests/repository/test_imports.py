"""The import contract: imports point down, without circles, and the host knows only a small part of the guest."""

import ast
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter

import pytest

from support.layers import LAYERS, layer
from support.metric_and_command import ROOT

TOP = ("sandboxes", "code_tasks", "space")
# What the host may import of the guest: data and messages that both ends of a pipe know.
SHARED_WITH_THE_HOST = "sandboxes.guest.common"


def module_name(path):
    """Return the dotted name of a file's module."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


# The stub of the extension module counts too.
FILES = {
    module_name(path): path
    for name in TOP
    for suffix in ("py", "pyi")
    for path in sorted((ROOT / name).rglob(f"*.{suffix}"))
}


def imported(module):
    """Return the names of our own modules that a module imports, those for the type checker alone included."""
    path, found = FILES[module], set()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                source = ".".join([*above, *filter(None, [node.module])])
            else:
                # The guest is a package of its own inside a sandbox.
                source = f"sandboxes.{node.module}" if node.module.partition(".")[0] == "guest" else node.module
            names = [f"{source}.{alias.name}" for alias in node.names]
            found |= {name if name in FILES else source for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name in FILES and name != module}


IMPORTS = {module: imported(module) for module in FILES}


def circles(imports):
    """Return the modules of one circle of imports; none if there is no circle."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_import_circle():
    """No module imports itself by way of others."""
    assert circles(IMPORTS) == []


def test_circles_are_found():
    """A circle of three modules is named."""
    assert set(circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == {"a", "b", "c"}


def test_imports_for_the_type_checker_count():
    """An import counts even if only the type checker makes it, in a module or in the stub of a compiled one."""
    child, stub = (f"sandboxes.guest.forkserver.{name}" for name in ("child", "_forking"))
    assert "sandboxes.guest.forkserver.server_state" in IMPORTS[child] & IMPORTS[stub]


@pytest.mark.parametrize("module", FILES)
def test_imports_point_down(module):
    """A module imports nothing of a layer above its own."""
    assert sorted(name for name in IMPORTS[module] if layer(name) > layer(module)) == []


@pytest.mark.parametrize("entry", LAYERS)
def test_each_layer_is_there(entry):
    """An entry of LAYERS is a module or a package."""
    assert entry in FILES


def test_the_host_imports_little_of_the_guest():
    """The host imports nothing of the guest but `guest.common`, and from the restricted policy's own files."""
    reached = defaultdict(set)
    for module, names in IMPORTS.items():
        if not module.startswith("sandboxes.guest"):
            reached[module] = {name for name in names if name.startswith("sandboxes.guest.")}
    outside = {
        module: sorted(name for name in names if not name.startswith(SHARED_WITH_THE_HOST))
        for module, names in reached.items()
    }
    assert {module: names for module, names in outside.items() if names} == {}


def test_guest_common_stands_alone():
    """`guest.common` imports nothing of ours but itself."""
    modules = [module for module in FILES if module.startswith(SHARED_WITH_THE_HOST)]
    assert {
        name for module in modules for name in IMPORTS[module] if not name.startswith(SHARED_WITH_THE_HOST)
    } == set()
