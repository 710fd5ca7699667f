"""Tests ask for the languages and commands that they start: one that does not fails, and a missing one is skipped."""

import re
import subprocess
import sys

import pytest

from support import languages
from support.metric_and_command import ROOT, environment

TESTS = """
import subprocess

import pytest

from sandboxes import Limits
from sandboxes.languages.programs import build_program
from support.languages import language_pool, require_command, shared_pool

LUA = ("function add(a, b) return a + b end", "assert(add(2, 3) == 5)", Limits(wall_seconds=20))


def run(pool):
    pool.run_all([build_program("lua", *LUA)], 1, on_sandbox_error="exclude")


def run_nm():
    try:
        subprocess.run(["nm", "--version"])
    except FileNotFoundError:
        pass


@pytest.fixture(scope="module")
def lua_pool():
    return language_pool("lua")


def test_unasked():
    run(shared_pool("lua"))


def test_unasked_command():
    run_nm()


@pytest.mark.languages("python")
def test_asked_for_another():
    run(shared_pool("lua"))


@pytest.mark.languages("lua")
def test_marked():
    run(shared_pool("lua"))


def test_pool():
    run(language_pool("lua"))


def test_fixture(lua_pool):
    run(lua_pool)


def test_fixture_again(lua_pool):
    run(lua_pool)


def test_asked_command():
    require_command("nm")
    run_nm()


def test_nothing():
    assert True
"""
UNASKED = {"unasked": "lua", "unasked_command": "nm", "asked_for_another": "lua"}
ASKED = ("marked", "pool", "fixture", "fixture_again", "asked_command")


@pytest.mark.slow
def test_a_test_that_does_not_ask_fails(tmp_path):
    """A test that starts a language or a command fails, unless its marker, its fixture or itself has asked for it."""
    # The guard looks at the commands that files below tests/ start.
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_lua.py").write_text(TESTS)
    guarded = "import sys; from support import needs_guard; needs_guard.TESTS = sys.argv.pop(1); import pytest; "
    command = [sys.executable, "-c", f"{guarded}sys.exit(pytest.main(plugins=[needs_guard]))", str(tmp_path), "-v"]
    paths = f"{ROOT}:{ROOT / 'tests'}"
    variables = environment(PYTHONPATH=paths, CI="")
    done = subprocess.run(command, cwd=tmp_path / "tests", env=variables, capture_output=True, text=True, timeout=300)
    outcomes = dict(re.findall(r"::test_(\w+) (PASSED|FAILED|SKIPPED|ERROR)", done.stdout))
    assert {name for name, outcome in outcomes.items() if outcome == "FAILED"} == UNASKED.keys(), done.stdout
    assert {outcomes[name] for name in ASKED} <= {"PASSED", "SKIPPED"}, done.stdout
    assert outcomes["nothing"] == "PASSED"
    assert [done.stdout.count(f"the test starts {each} without asking") > 0 for each in ("lua", "nm")] == [True, True]


@pytest.fixture
def nothing_installed(monkeypatch):
    """Hide every compiler from the sandboxes, and every command from the tests."""
    shared_pool = languages.shared_pool
    monkeypatch.setattr(languages, "shared_pool", lambda name: shared_pool(name, env={"PATH": "/nowhere"}))
    monkeypatch.setattr(languages, "lack_of", languages.lack_of.__wrapped__)
    monkeypatch.setattr(languages.shutil, "which", lambda *_, **__: None)


@pytest.mark.parametrize(
    ("ask", "name", "package"),
    [(languages.require_languages, "lua", "lua5.4"), (languages.require_command, "nm", "binutils")],
    ids=["language", "command"],
)
@pytest.mark.usefixtures("nothing_installed")
def test_what_is_missing_is_named(monkeypatch, ask, name, package):
    """Where a language or a command is missing, the reason names its package. Under CI it is no skip, but a failure."""
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=f"install Debian's package {package}"):
        ask(name)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=f"install Debian's package {package}"):
        ask(name)
