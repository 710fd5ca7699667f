"""The repository: its files follow the layout, and a wheel holds the library."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, version

import pytest
from evaluate.loading import get_imports

from support.metric_and_command import METRIC, ROOT
from support.requirements import unavailable

PACKAGES = ("sandboxes", "code_tasks", "space")
MODULES = [
    ROOT / "app.py",
    ROOT / "code_eval.py",
    ROOT / "code_correctness.py",
    *sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py")),
]
# The server gives two modules of its own to sandboxes.
SANDBOXED = [
    *sorted((ROOT / "sandboxes" / "guest").rglob("*.py")),
    *(ROOT / "code_tasks" / "server" / "protocols" / name for name in ("cell_program.py", "fusion_extraction.py")),
]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_module_docstring(path):
    """Every module has a docstring."""
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", PACKAGES)
def test_the_map_has_each_package(name):
    """The map of CONTRIBUTING has each package below the top-level ones."""
    [the_map] = re.findall(r"^## The map$.*?(?=^## )", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE | re.DOTALL)
    packages = {path.parent.name for path in (ROOT / name).glob("*/__init__.py")}
    assert packages and {each for each in packages if f"{each}/`" not in the_map} == set()


def imports_of(path):
    """Return the top-level names of the modules that a file imports; those of its own package as "."."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("." if node.level else node.module.partition(".")[0])
    return names


@pytest.mark.parametrize("path", SANDBOXED, ids=lambda path: path.name)
def test_guest_imports(path):
    """A module that runs inside a sandbox imports only the standard library and its own folder."""
    assert imports_of(path) - sys.stdlib_module_names <= {".", "guest"}


@pytest.mark.parametrize("path", SANDBOXED, ids=lambda path: path.name)
def test_guest_is_python_3_8(path):
    """A module that runs inside a sandbox has the syntax of Python 3.8, as far as a parser can tell."""
    source = path.read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 8))
    # Methods of texts that 3.9 brought.
    assert not {"removeprefix", "removesuffix"} & {
        node.attr for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)
    }


@pytest.mark.parametrize(
    ("folder", "above"),
    [
        ("sandboxes", {"code_eval", "code_tasks", "space"}),
        ("code_tasks", {"space"}),
    ],
)
def test_imports_point_down(folder, above):
    """A lower package imports nothing from a higher one."""
    upward = {str(path): imports_of(path) & above for path in (ROOT / folder).rglob("*.py")}
    assert {name: names for name, names in upward.items() if names} == {}


def test_metric_does_not_import_the_command():
    """The metric imports only `sandboxes` of our packages."""
    assert imports_of(ROOT / "code_eval.py") & set(PACKAGES) == {"sandboxes"}


def test_evaluate_finds_the_imports():
    """The library evaluate asks for no optional library, and leaves our package to the file, whose advice is better."""
    imports = {name: (kind, where) for kind, name, where, _ in get_imports(METRIC)}
    assert imports.keys() - sys.stdlib_module_names == {"datasets", "evaluate"}
    assert imports == {name: ("library", name) for name in imports}


def test_module_names_shadow_nothing():
    """No module of ours has the name of a standard module, because a guest would import ours instead."""
    assert {path.stem for path in MODULES} & sys.stdlib_module_names == set()


def test_requirements_are_those_of_the_package():
    """A Space installs from requirements.txt, which names its libraries, and the version of Gradio in README."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    gradio, *others = project["optional-dependencies"]["space"]
    pinned, *listed = sorted((ROOT / "requirements.txt").read_text().split(), key=lambda line: "==" not in line)
    assert listed == [*project["dependencies"], *others]
    name, version = pinned.split("==")
    assert gradio.startswith(f"{name}>=")
    assert f"\nsdk_version: {version}\n" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Provide the names of the files in a wheel that is built, without a network, from a copy of the repository."""
    try:
        if int(version("setuptools").partition(".")[0]) < 80:
            unavailable("pyproject.toml needs setuptools 80: pip install 'setuptools>=80'")
    except PackageNotFoundError:
        unavailable("setuptools is not installed: pip install 'setuptools>=80'")
    folder = tmp_path_factory.mktemp("wheel")
    for name in PACKAGES:
        # The copy has no compiled module, so the wheel has to build it.
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name in ("app.py", "code_eval.py", "code_correctness.py", "pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    build = "from setuptools.build_meta import build_wheel; build_wheel('dist')"
    done = subprocess.run([sys.executable, "-c", build], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    [path] = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


@pytest.mark.slow
def test_wheel_holds_the_library_alone(wheel):
    """A wheel holds the library's two packages and two metrics, and not the Space, which runs from the repository."""
    names = {name.partition("/")[0] for name in wheel if ".dist-info/" not in name}
    assert names == {"sandboxes", "code_tasks", "code_eval.py", "code_correctness.py"}


@pytest.mark.parametrize("package", ["sandboxes", "code_tasks"])
def test_wheel_holds_each_file_of_a_package(wheel, package):
    """A wheel holds every module, style, script and template of a package."""
    paths = (path for path in (ROOT / package).rglob("*") if path.is_file())
    files = {str(path.relative_to(ROOT)) for path in paths if path.suffix not in (".pyc", ".so")}
    assert files - set(wheel) == set()


def test_space_starts_from_another_folder(tmp_path):
    """`python /elsewhere/app.py` finds the package `space` beside itself, and gets as far as the settings."""
    done = subprocess.run(
        [sys.executable, ROOT / "app.py"],
        cwd=tmp_path,
        env={"CODE_EVAL_MAX_TIMEOUT": "long"},
        capture_output=True,
        text=True,
    )
    assert "CODE_EVAL_MAX_TIMEOUT must be a number, not 'long'" in done.stderr
