"""The sdist and the wheels: what they hold, their version and tags, and that they work without a compiler."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

import pytest

from support.metric_and_command import ROOT

pytestmark = pytest.mark.slow

NAME = "code_eval_sandboxes-7.8.9"
WHEELS = {"compiled": f"{NAME}-cp311-abi3-{{}}.whl", "pure": f"{NAME}-py3-none-any.whl"}
EXTENSION = "sandboxes/guest/forkserver/_forking.abi3.so"


def run(*command, cwd, **variables):
    """Run a command that has to end well, without what git and pip read from their settings. Return its output."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHON"))}
    environment = {**clean, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **variables}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copy_of_repository(folder):
    """Make a clone of the files as they stand, with one commit."""
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT)
    for name in listed.split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    run("git", "init", "--quiet", cwd=folder)
    run("git", "add", "--all", cwd=folder)
    run("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "all", cwd=folder)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Provide a folder with the sdist and both wheels of a tagged commit. The wheels are made from the sdist."""
    folder = tmp_path_factory.mktemp("built")
    copy_of_repository(clone := folder / "clone")
    run("git", "tag", "v7.8.9", cwd=clone)
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir", folder)
    run(*build, cwd=clone)
    run(*build, cwd=clone, CODE_EVAL_PURE_PYTHON="1")
    return folder


@pytest.fixture(scope="module")
def sdist_files(built):
    """Provide the names of the files in the sdist."""
    with tarfile.open(built / f"{NAME}.tar.gz") as archive:
        return {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}


@pytest.fixture(scope="module")
def wheels(built):
    """Provide the paths of the wheels by kind. They have the tags that pip takes them by."""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return {kind: built / name.format(platform) for kind, name in WHEELS.items()}


@pytest.fixture(scope="module")
def wheel_without_compiler(built):
    """Provide a wheel made from the sdist where no compiler is found, as `pip install` does it."""
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation")
    run(*pip, "--wheel-dir", folder := built / "without", built / f"{NAME}.tar.gz", cwd=built, PATH="", CC="missing")
    [wheel] = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module", params=["compiled", "pure", "without a compiler"])
def environment(request, wheels, tmp_path_factory):
    """Provide the programs of a new environment with one wheel. Its dependencies are those of the tests."""
    if (wheel := wheels.get(request.param)) is None:
        wheel = request.getfixturevalue("wheel_without_compiler")
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=folder)
    [packages] = folder.glob("lib/*/site-packages")
    # Folders of this kind are searched last, and no editable installation in them counts.
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    return python.parent


@pytest.fixture
def elsewhere(tmp_path):
    """Provide a folder with the files that the first examples in README name."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for name in ("code_eval.py", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def test_sdist_builds_the_library_and_has_no_more(sdist_files):
    """An sdist has the library with its C files, the examples, and neither tests nor documentation."""
    tops = {name.partition("/")[0] for name in sdist_files if not name.startswith("code_eval_sandboxes.egg-info")}
    assert tops == {
        *("sandboxes", "code_tasks", "examples", "code_eval.py", "code_correctness.py"),
        *("LICENSE", "README.md", "MANIFEST.in", "PKG-INFO", "pyproject.toml", "setup.cfg", "setup.py"),
    }
    c_files = {str(path.relative_to(ROOT)) for path in (ROOT / "sandboxes").rglob("*.[ch]")}
    assert c_files and c_files <= sdist_files


def test_wheels_differ_in_the_compiled_part(wheels):
    """A pure wheel has all files of the compiled one but the extension."""
    files = {kind: set(zipfile.ZipFile(path).namelist()) for kind, path in wheels.items()}
    assert files["compiled"] - files["pure"] == {EXTENSION}
    assert files["pure"] <= files["compiled"]


def test_clone_without_tags_has_a_version(tmp_path):
    """A clone without tags has a version before all releases, which names its commit."""
    copy_of_repository(tmp_path)
    said = run(sys.executable, "-m", "setuptools_scm", cwd=tmp_path)
    assert said.startswith("0.0.1.dev1+g")


def test_tree_without_git_has_a_version(tmp_path):
    """A tree without git, such as the one that the server's Dockerfile copies, has the version 0.0.0."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    assert run(sys.executable, "-m", "setuptools_scm", cwd=tmp_path).strip() == "0.0.0"


def test_installed_command_has_the_version_of_the_tag(environment, elsewhere):
    """`code-eval --version` prints the version that the tag names, and `--help` works."""
    assert run(environment / "code-eval", "--version", cwd=elsewhere, PATH=str(environment)) == "code-eval 7.8.9\n"
    assert "pass@k" in run(environment / "code-eval", "--help", cwd=elsewhere, PATH=str(environment))


def test_installed_package_runs_the_examples(environment, elsewhere):
    """A package that was installed without a compiler scores the examples as everywhere."""
    files = ("examples/samples.jsonl", "--problems", "examples/problems.jsonl")
    command = (environment / "code-eval", "run", *files, "-k", "1", "-k", "3", "--json")
    said = json.loads(run(*command, cwd=elsewhere, PATH=str(environment)))
    assert {name: round(score["mean"], 3) for name, score in said["scores"].items()} == {
        "pass@1": 0.431,
        "pass@3": 0.829,
    }


def test_installed_package_is_the_metric(environment, elsewhere):
    """The session in Python that README shows prints what it shows."""
    run(environment / "python", "-m", "doctest", "README.md", cwd=elsewhere, PATH=str(environment))
