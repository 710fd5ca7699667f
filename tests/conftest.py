"""Set-up and fixtures that several folders share: an offline Hugging Face, and a pool of each backend under test."""

import copy
import enum
import json
import os
import shutil
import signal
import sys
import tempfile

from support.browser import require_chromium

HF_HOME = tempfile.mkdtemp(prefix="hf-home-of-tests-")
os.environ.update(
    HF_ALLOW_CODE_EVAL="1",
    HF_HUB_OFFLINE="1",
    HF_EVALUATE_OFFLINE="1",
    HF_DATASETS_OFFLINE="1",
    HF_HOME=HF_HOME,
    # Ray's grpc reads this at import. Otherwise processes that these tests start can hold up its connections.
    GRPC_ENABLE_FORK_SUPPORT="0",
)
# With this path the tests find the code from any folder, even if it is not installed.
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import hypothesis  # noqa: E402
import pytest  # noqa: E402

from sandboxes import Limits, Pool, Program, open_sandbox  # noqa: E402
from support.backend_options import PERMISSIVE  # noqa: E402
from support.browser import chromium  # noqa: E402
from support.docker_engines import WITH_DOCKER  # noqa: E402
from support.pools import CountingPool, RecordedSandbox, opened_pool, require_layers  # noqa: E402
from support.requirements import WALL_SECONDS  # noqa: E402
from support.space_server import ROOT, serving  # noqa: E402

# The choice of tests, and the guard that finds what tests do not ask for.
pytest_plugins = ("support.selection", "support.needs_guard")

BACKENDS_UNDER_TEST = ("subprocess", "restricted", WITH_DOCKER)

hypothesis.settings.register_profile("quick", max_examples=50, deadline=None, database=None)
hypothesis.settings.load_profile("quick")


def pytest_configure():
    """Let SIGINT interrupt the tests and what they start. A shell that starts pytest with `&` has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure(config):
    """Remove the files that evaluate and datasets wrote."""
    shutil.rmtree(HF_HOME, ignore_errors=True)


@pytest.fixture(scope="module", autouse=True)
def library():
    """Restore the parts of the standard library that the policy of "restricted" changes in the tests' process.

    A file may not leave another recursion limit: tests of other files depend on it.
    """
    table = "_copy_atomic_types" if sys.version_info >= (3, 14) else "_copy_dispatch"
    reconstruct, of_copies, create = copy._reconstruct, getattr(copy, table).copy(), enum.EnumMeta.__dict__["_create_"]
    limit = sys.getrecursionlimit()
    yield
    assert sys.getrecursionlimit() == limit
    copy._reconstruct = reconstruct
    setattr(copy, table, of_copies)
    enum.EnumMeta._create_ = create


@pytest.fixture(scope="session", params=BACKENDS_UNDER_TEST)
def sandbox_name(request):
    """Return the name of a backend. A test with this fixture runs once for each of BACKENDS_UNDER_TEST."""
    return request.param


@pytest.fixture(scope="session")
def pool(sandbox_name):
    """Return a warm pool of a backend, for all tests that leave its workers whole."""
    with opened_pool(sandbox_name, **PERMISSIVE[sandbox_name]) as pool:
        yield pool


@pytest.fixture(scope="session")
def run(pool):
    """Return a function that runs one program: (candidate, tests="", **limits) -> Verdict."""

    def run_one(candidate, tests="", **limits):
        [verdict] = pool.run_all([Program(candidate, tests, Limits(**{"wall_seconds": WALL_SECONDS, **limits}))], 1)
        return verdict

    return run_one


@pytest.fixture
def open_own_pool(pool, sandbox_name):
    """Return a function that opens a pool for one test, of a sandbox with the given options.

    `sandbox.workers` of such a pool lists all workers that it has started.
    """
    pools = []

    def open_pool(**options):
        permissive = PERMISSIVE[sandbox_name]
        pools.append(Pool(RecordedSandbox(open_sandbox(sandbox_name, **{**permissive, **options}))))
        return pools[-1]

    yield open_pool
    for own_pool in pools:
        own_pool.close()


@pytest.fixture
def own_pool(open_own_pool):
    """Return a pool that no other test uses."""
    return open_own_pool()


@pytest.fixture(scope="module")
def counting_pool():
    """Return a pool of processes, for the tests of one file. It records the programs that it runs."""
    with opened_pool("subprocess", CountingPool) as pool:
        yield pool


@pytest.fixture
def needs(pool):
    """Return a function that skips a test unless the layers that it names are on here."""

    def check(*layers):
        if "container" in pool.preflight().layers and {"mount", "pid"}.intersection(layers):
            pytest.skip("a container has a root and processes of its own, which also hold the guest's")
        require_layers(pool, *layers)

    return check


@pytest.fixture
def folder():
    """Make a folder in which candidates of every user may write."""
    path = tempfile.mkdtemp(prefix="folder-of-tests-")
    os.chmod(path, 0o777)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def files(tmp_path):
    """Return a function that writes samples and problems, and returns the arguments of `code-eval run` for them."""
    from support.metric_and_command import PROBLEM

    def write(completions, problems=(PROBLEM,), task_id="t/0"):
        samples = [one if isinstance(one, dict) else {"task_id": task_id, "completion": one} for one in completions]
        for name, records in (("samples", samples), ("problems", problems)):
            (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        return ["run", tmp_path / "samples.jsonl", "--problems", tmp_path / "problems.jsonl"]

    return write


@pytest.fixture(scope="session")
def space(tmp_path_factory):
    """Serve the Space for all tests that ask for it. Its only dataset is the examples' problems."""
    folder = tmp_path_factory.mktemp("dataset")
    shutil.copy(ROOT / "examples" / "problems.jsonl", folder / "test.jsonl")
    with serving(CODE_EVAL_DATASETS=str(folder)) as server:
        yield server


@pytest.fixture(scope="module")
def browser():
    """Return a Chromium for the tests of one file. Meanwhile nothing in this thread can use asyncio."""
    require_chromium()
    with chromium() as started:
        yield started
