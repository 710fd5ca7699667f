"""The quick suite: the tests that plain `pytest` runs, and what it says about the others. A plugin of conftest.py."""

import gc
import math
import subprocess
import zlib
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling

SECONDS = {"slow": 0.2, "docker": 1.0, "browser": 5.0, "cluster": 2.0, "languages": 1.0}
"""Roughly how long a test with a marker takes, for the order of files. With several markers it takes the sum.

A marker with an argument, such as `slow(seconds=60)`, says it itself.
"""

MARKERS = tuple(SECONDS)
"""A test with one of these markers is left out of the quick suite."""

REST = " or ".join(MARKERS)
QUICK = f"not ({REST})"
FOLDERS = {"languages": "languages"}
"""The marker of all tests in a folder of tests/."""

FIXTURES = {"engine": "docker", "short_run": "docker", "browser": "browser"}
"""The marker of all tests that use a fixture."""

SPLIT_FILE = "tests/languages/test_script_attacks.py"
"""A file that would keep one process busy long after the others: each process takes some of its languages."""

CASES = "cases"
"""Counts the tests that `--sample` leaves out."""

TESTS = Path(__file__).parents[1]
COLLECTED = pytest.StashKey[list]()
LEFT_OUT = pytest.StashKey[Counter]()


def pytest_addoption(parser):
    """Add the options that choose between the quick suite, the rest and both."""
    group = parser.getgroup("selection", "selection: without a name, -k, -m or --lf, pytest runs the quick suite")
    group.addoption("--all", action="store_true", help="run all tests")
    group.addoption("--rest", action="store_true", help="run the tests that the quick suite leaves out")
    of_tables = "of each test's table of cases run one in N, and at least one; each commit has others"
    group.addoption("--sample", type=int, default=1, metavar="N", help=of_tables)


def pytest_configure(config):
    """Choose the tests by their markers. A worker of xdist has the same command line, and makes the same choice."""
    config.stash[LEFT_OUT] = Counter()
    options = config.option
    # pytest has --lf only with its plugin for the cache.
    chosen = options.all or options.markexpr or options.keyword or config.getoption("lf", False)
    if options.all + options.rest + bool(options.markexpr) > 1:
        raise pytest.UsageError("choose one of --all, --rest and -m")
    if options.rest:
        options.markexpr = REST
    elif not (chosen or names_tests(config)):
        options.markexpr = QUICK


def names_tests(config):
    """Return whether the command line names a file, a test, or a folder that is not the whole suite."""
    if config.args_source is not config.ArgsSource.ARGS:
        return False
    named = {config.invocation_params.dir.joinpath(argument.partition("::")[0]).resolve() for argument in config.args}
    return not named <= {TESTS, TESTS.parent}


def markers_of(item):
    """Return the markers that a test has because of its folder or its fixtures."""
    markers = {FIXTURES[name] for name in FIXTURES.keys() & set(item.fixturenames)}
    return markers | {marker for folder, marker in FOLDERS.items() if item.path.is_relative_to(TESTS / folder)}


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage while tests are collected, nor in them later. That takes a quarter of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Add the markers that follow from the tables above, by which pytest chooses. Put long files behind the others.

    Among these the longest come first: with a long one at the end, the other worker would have nothing to do.
    """
    seconds = Counter()
    for item in items:
        for marker in markers_of(item):
            item.add_marker(marker)
        seconds[item.path] += seconds_of(item)
    config.stash[COLLECTED] = list(items)
    yield
    if config.option.sample > 1:
        chosen = sample(items, config.option.sample, head())
        left_out = [item for item in items if item.nodeid not in chosen]
        items[:] = [item for item in items if item.nodeid in chosen]
        config.hook.pytest_deselected(items=left_out)
        config.stash[LEFT_OUT][CASES] = len(left_out)
    items.sort(key=lambda item: -seconds[item.path] if takes_long(item) else -math.inf)


def chosen_parameters(request):
    """Return the parameters of each test that runs of a fixture's file, by their names.

    A fixture that runs the programs of all cases together needs no more of them.
    """
    items = [item for item in request.session.items if item.path == request.path]
    return [item.callspec.params for item in items if hasattr(item, "callspec")]


def head():
    """Return the id of the commit that is tested, or "" outside of a repository."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=TESTS, capture_output=True, text=True)
    return done.stdout.strip()


def sample(items, number, commit):
    """Return the ids of the tests that a commit is tested with: of each table of cases one in `number`.

    The tests of a file have the same cases, as far as their tables are alike, because they share what these need.
    """
    tables = defaultdict(list)
    for item in items:
        test, _, case = item.nodeid.partition("[")
        tables[test].append((zlib.crc32(f"{commit} {item.path.name} {case}".encode()), item.nodeid))
    return {name for table in tables.values() for _, name in sorted(table)[: math.ceil(len(table) / number)]}


def seconds_of(item):
    """Return roughly how long a test takes, by its markers."""
    closest = map(item.get_closest_marker, MARKERS)
    return sum(marker.kwargs.get("seconds", SECONDS[marker.name]) for marker in closest if marker)


def takes_long(item):
    """Return whether a test's file is one of those that run behind the others."""
    return any(map(item.get_closest_marker, ("slow", "languages")))


class FileScheduling(LoadFileScheduling):
    """Gives each process whole files, and of SPLIT_FILE whole languages, which its fixtures run together."""

    def _split_scope(self, nodeid):
        file, _, name = nodeid.partition("::")
        return f"{file} {name.partition('[')[2].partition('-')[0]}" if file == SPLIT_FILE else file


def pytest_xdist_make_scheduler(config, log):
    """Spread the tests over the processes by `FileScheduling`, where files are to stay whole."""
    return FileScheduling(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_deselected(items):
    """Count the tests that are left out, by marker."""
    for item in items:
        left_out = item.config.stash[LEFT_OUT]
        left_out.update({"tests"} | {*MARKERS} & {marker.name for marker in item.iter_markers()})


def pytest_sessionfinish(session):
    """Send the counts of a worker of xdist to the process that it works for."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash[LEFT_OUT])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Take the counts of a worker. All workers collect the same tests."""
    node.config.stash[LEFT_OUT] |= Counter(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_terminal_summary(terminalreporter, config):
    """Say what was left out, and how to run it."""
    left_out = config.stash[LEFT_OUT]
    if left_out[CASES]:
        terminalreporter.line(f"{left_out[CASES]:,} cases of tables were left out; without --sample they run.")
    if config.option.markexpr != QUICK or not left_out:
        return
    kinds = ", ".join(f"{left_out[marker]:,} {marker}" for marker in MARKERS if left_out[marker])
    terminalreporter.section("quick suite")
    terminalreporter.line(f"{left_out['tests']:,} tests were left out. Some have several markers: {kinds}.")
    terminalreporter.line("`pytest --all` runs everything, `--rest` what was left out, `-m docker` one kind.")
    terminalreporter.line("A file or a test that you name always runs.")
