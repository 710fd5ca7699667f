"""code-execution-pass@1 on a real Docker engine: images and packages of each record, and cleanup."""

import pytest

from code_tasks.execution import CodeExecutionPassAtOne, unittest_merge_snippets
from sandboxes import close_pools
from sandboxes.backends.docker.backend import DockerSandbox
from support.docker_engines import IMAGE, containers, require_image, wait_until
from support.execution_records import RIGHT, WRONG, responses_of

pytestmark = pytest.mark.slow

MAPPING = {"json": None, "six": "six", "iniconfig": "iniconfig", "unused": "no-such-package-of-anybody"}


@pytest.fixture(scope="module", autouse=True)
def engine():
    """Skip these tests if there is no engine."""
    require_image()


@pytest.fixture
def evaluate():
    """Return a function that scores records in containers: (responses, **options) -> results."""

    def score(responses, **options):
        return CodeExecutionPassAtOne(pull="never", progress=False, **options).evaluate(responses)

    return score


@pytest.fixture
def started(monkeypatch):
    """Return a list that collects the started workers."""
    workers, start = [], DockerSandbox.start_worker

    def start_worker(self):
        workers.append(start(self))
        return workers[-1]

    monkeypatch.setattr(DockerSandbox, "start_worker", start_worker)
    return workers


def packages_of(workers):
    """Return the packages that are installed in each worker's container."""
    return [each.sandbox.container.packages for each in workers]


def merge(code, test_code):
    """Merge like the default function, as a record's own function."""
    return unittest_merge_snippets(code, test_code)


@pytest.mark.parametrize("functions", [{}, {"snippet_merge_fn": merge}])
def test_values(evaluate, started, functions):
    """Completions have their values with the default functions and as scripts, and no container is left."""
    results = evaluate(responses_of(RIGHT, WRONG, "def add(:", run_env=IMAGE, **functions))
    assert [result.value for result in results] == [1.0, 0.0, 0.0]
    assert started
    wait_until(lambda: not {each.name for each in started} & set(containers()))


def test_packages(evaluate, started):
    """Only the packages that a completion imports are installed."""
    codes = [f"import {name}\n{RIGHT}" for name in ("six", "json", "iniconfig", "unmapped")]
    results = evaluate(responses_of(*codes, run_env=IMAGE, package_downloads=MAPPING), num_workers=1)
    assert [result.value for result in results] == [1.0, 1.0, 1.0, 0.0]
    assert packages_of(started) == [("six",), (), ("iniconfig",)]


def test_shared_packages(evaluate, started):
    """With share_packages, all completions of an image run in one container with all their packages."""
    codes = [f"import {name}\n{RIGHT}" for name in ("six", "json", "iniconfig")]
    responses = responses_of(*codes, run_env=IMAGE, package_downloads=MAPPING)
    results = evaluate(responses, num_workers=1, share_packages=True)
    assert [result.value for result in results] == [1.0, 1.0, 1.0]
    assert packages_of(started) == [("iniconfig", "six")]


@pytest.mark.parametrize("packages", [["six"], {"six": "six", "unused": "no-such-package-of-anybody"}])
def test_packages_for_all(evaluate, packages):
    """Packages for all completions can be a list, which is installed, or a mapping, which is consulted."""
    [result] = evaluate(responses_of(f"import six\n{RIGHT}", run_env=IMAGE), packages=packages)
    assert result.value == 1.0


def test_warm_containers(evaluate, started):
    """Completions with equal needs run in one container, in whatever order they come."""
    code = f"import six\n{RIGHT}"
    responses = responses_of(*[RIGHT, code] * 10, run_env=IMAGE, package_downloads=MAPPING)
    assert [result.value for result in evaluate(responses, num_workers=1)] == [1.0] * 20
    assert sorted(packages_of(started)) == [(), ("six",)]


def test_errors(evaluate):
    """Completions whose image or package is missing have an error and no value; the others have values."""
    missing = responses_of(f"import unused\n{RIGHT}", run_env=IMAGE, package_downloads=MAPPING)
    responses = [*responses_of(RIGHT, run_env="no-such-image"), *missing, *responses_of(RIGHT, run_env=IMAGE)]
    results = evaluate([*responses, *responses_of(RIGHT, run_env="-bad")])
    assert [result.value for result in results] == [None, None, 1.0, None]
    kinds = [result.error and result.error.error_class for result in results]
    assert kinds == ["SandboxUnavailable", "SandboxUnavailable", None, "TypeError"]
    assert "no-such-image" in results[0].error.message
    assert "no-such-package-of-anybody" in results[1].error.message


def test_image_option(evaluate):
    """The option `image` replaces the records' images."""
    assert evaluate(responses_of(RIGHT, run_env="no-such-image"), image=IMAGE)[0].value == 1.0


def test_one_by_one(started):
    """A container stays warm between calls of `calculate`."""
    metric = CodeExecutionPassAtOne(pull="never", num_workers=1)
    try:
        values = [metric.calculate(each)[0].value for each in responses_of(RIGHT, WRONG, RIGHT, run_env=IMAGE)]
        assert (values, len(started)) == ([1.0, 0.0, 1.0], 1)
    finally:
        close_pools()
