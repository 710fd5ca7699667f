"""The quick suite and the rest: together all tests, each once, and nothing in the quick suite needs what few have."""

import re
import subprocess
import sys
from pathlib import Path
from types import CodeType, SimpleNamespace

import pytest

from support import browser, docker_engines, ray_nodes
from support.metric_and_command import ROOT
from support.selection import COLLECTED, MARKERS, SPLIT_FILE, FileScheduling, sample

# Functions that only tests with a marker use.
NEEDED = {
    "docker": (
        docker_engines.why_not,
        docker_engines.require_image,
        docker_engines.containers,
        docker_engines.engine_of_own,
    ),
    "browser": (browser.chromium, browser.require_chromium),
    "cluster": (ray_nodes.connected_nodes, ray_nodes.running_actors),
}
FOLDER = ROOT / "tests" / "backends"


def fixtures_of(item):
    """Return the fixtures that a test uses, by name, without those that stand for a parameter alone."""
    found = {name: item.session._fixturemanager.getfixturedefs(name, item) for name in item.fixturenames}
    return {name: definitions[-1] for name, definitions in found.items() if definitions}


def values_used(code, scope):
    """Return the objects of a module that a function names."""
    used = [scope[name] for name in code.co_names if name in scope]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            used += values_used(constant, scope)
    return used


def needed_by(item):
    """Return the markers that a test must have, because of what its function and its fixtures use."""
    fixtures = fixtures_of(item)
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    needed = {"docker" for name in fixtures.keys() & parameters.keys() if parameters[name] == "docker"}
    # A fixture with parameters uses Docker for one of them.
    functions = [item.function, *(each.func for name, each in fixtures.items() if name not in parameters)]
    used = {id(value) for each in functions for value in values_used(each.__code__, each.__globals__)}
    return needed | {marker for marker, values in NEEDED.items() if not used.isdisjoint(map(id, values))}


def test_tests_have_the_markers_of_what_they_need(request):
    """A test that uses an engine, a browser or a cluster says so. In a whole run this looks at all tests."""
    items = [item for item in request.config.stash[COLLECTED] if isinstance(item, pytest.Function)]
    missing = {item.nodeid: needed_by(item) - {marker.name for marker in item.iter_markers()} for item in items}
    assert {name: markers for name, markers in missing.items() if markers} == {}


def test_markers_are_registered(request):
    """pyproject.toml explains each marker that leaves a test out."""
    registered = [line.partition(":")[0] for line in request.config.getini("markers")]
    assert {*MARKERS} <= set(registered)


def collected(*options, folder=FOLDER):
    """Return (names of the tests that pytest would run in a folder, all that it prints)."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if re.match(r"tests/\S+::", line)], done.stdout


def chosen(commit, count=40, number=4, function="test_a"):
    """Return the cases of a test's table that a commit is tested with."""
    items = [SimpleNamespace(path=Path("test_x.py"), nodeid=f"test_x.py::{function}[{n}]") for n in range(count)]
    return {name.partition("[")[2] for name in sample(items, number, commit)}


def test_a_sample_of_a_table():
    """A commit is tested with one case in four, the same of each test's table. Others are tested with other cases."""
    assert len(chosen("one")) == 10
    assert chosen("one") == chosen("one", function="test_b")
    assert len(set().union(*(chosen(str(commit)) for commit in range(60)))) == 40


@pytest.mark.parametrize(("count", "expected"), [(1, 1), (2, 1), (4, 1), (5, 2)])
def test_each_test_is_in_a_sample(count, expected):
    """Of a small table at least one case runs."""
    assert len(chosen("one", count)) == expected


@pytest.fixture(scope="module")
def quick():
    """Provide what plain pytest does in a folder: (names of tests, its output)."""
    return collected()


@pytest.fixture(scope="module")
def rest():
    """Provide the names of the tests that --rest chooses in a folder."""
    return collected("--rest")[0]


@pytest.mark.slow
def test_quick_suite_and_rest_are_all_tests(quick, rest):
    """Plain pytest and --rest run each test of --all once."""
    everything, _ = collected("--all")
    assert quick[0] and rest
    assert sorted(quick[0] + rest) == sorted(everything)


@pytest.mark.slow
def test_a_sample_of_the_rest(rest):
    """A sample has each test of the rest, and fewer cases."""
    names, output = collected("--rest", "--sample", "4")
    tests = [{name.partition("[")[0] for name in each} for each in (names, rest)]
    assert (tests[0], len(names) < len(rest)) == (tests[1], True)
    assert f"{len(rest) - len(names):,} cases of tables were left out" in output


@pytest.mark.slow
def test_slow_files_run_last_and_the_longest_of_them_first(rest):
    """Files without a slow test come first. Among the others one with more tests in containers comes sooner."""
    files = list(dict.fromkeys(Path(name.partition("::")[0]).name for name in rest))
    chosen = ["test_docker_options.py", "test_docker_hostile.py", "test_docker.py", "test_docker_failures.py"]
    assert sorted(chosen, key=files.index) == chosen


@pytest.mark.slow
def test_quick_suite_says_what_it_left_out(quick):
    """The last lines name the number of tests that were left out, and the options that run them."""
    assert re.search(r"^\d+ tests were left out\..*: \d+ slow, \d+ docker\.$", quick[1], re.MULTILINE)
    assert re.search(r"`pytest --all`.*`--rest`.*`-m docker`", quick[1])


@pytest.mark.slow
def test_workers_run_the_quick_suite_alone():
    """The processes that run the tests leave out what their caller does, and it knows how many tests that is."""
    folder = ROOT / "tests" / "audit"
    quick, output = collected(folder=folder)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"\n{len(quick)} passed" in done.stdout
    [left_out] = re.findall(r"^\d+ tests were left out.*$", output, re.MULTILINE)
    assert left_out in done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [["-m", "docker"], ["-k", "test_docker_failures"], ["test_docker_failures.py"], ["test_docker.py", "--all"]],
    ids=" ".join,
)
def test_named_tests_run(options):
    """Tests that somebody names run, whatever their markers are."""
    names, output = collected(*options)
    assert [name for name in names if "docker" in name] == names != []
    assert "left out" not in output


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("tests/pool/test_pool.py::test_order[subprocess-a-b]", "tests/pool/test_pool.py"),
        (f"{SPLIT_FILE}::test_a[java-no end]", f"{SPLIT_FILE} java"),
        (f"{SPLIT_FILE}::test_b[java-a-b[c]]", f"{SPLIT_FILE} java"),
        (f"{SPLIT_FILE}::test_b[javascript, shared-no end]", f"{SPLIT_FILE} javascript, shared"),
    ],
)
def test_files_stay_whole(name, scope):
    """One process runs all tests of a file, and all tests of a language in the longest file."""
    assert (ROOT / SPLIT_FILE).is_file()
    assert FileScheduling._split_scope(None, name) == scope


def test_ci_runs_all_tests_once():
    """CI calls the command for tests that README shows, and then the rest. A failure of one fails CI at its end."""
    assert '\npip install -e ".[test]" && pytest\n' in (ROOT / "README.md").read_text(encoding="utf-8")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    calls = re.findall(r"^pytest.*$", script, re.MULTILINE)
    assert calls == [
        "pytest || failed=1",
        'pytest --rest --sample "${CODE_EVAL_SAMPLE-8}" -n 3 "${folders[@]}" || failed=1',
    ]
    assert script.count('\n[ -z "$failed" ]\n') == 1 and script.index('[ -z "$failed" ]') > script.index(calls[1])
