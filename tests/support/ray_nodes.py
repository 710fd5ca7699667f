"""A Ray cluster of two nodes on this machine, for tests, and programs to run on it."""

import contextlib
import gc
import logging
import os
import shutil
import tempfile
import warnings
from pathlib import Path

import psutil

import sandboxes
from sandboxes import Limits, Program
from support.metric_and_command import ROOT
from support.observers import processes_with
from support.space_server import free_port

OBJECT_STORE_BYTES = 80 << 20
# The second variable: with some versions of grpc the client server's processes die when they fork.
ENVIRONMENT = {"RAY_USAGE_STATS_ENABLED": "0", "GRPC_ENABLE_FORK_SUPPORT": "0", "PYTHONPATH": str(ROOT)}
END_TIMEOUT_SECONDS = 60
# The source of a RestrictedPython that can't be imported.
BROKEN_LIBRARY = "raise ImportError('not here')"


def numbered(number):
    """Return a program whose outcome depends on its number: most pass."""
    kinds = {
        3: Program(f"x = {number}", "assert x < 0, x"),
        50: Program("x = (", ""),
        77: Program("import os\nos._exit(0)", "assert x"),
        90: Program("while True:\n    pass", "", Limits(wall_seconds=0.2)),
    }
    return kinds.get(number % 100, Program(f"x = {number}", f"assert x == {number}"))


class TwoNodes:
    """A cluster of two nodes with one CPU each, on this machine, and a way to add a broken third node."""

    def __init__(self, folder):
        from ray.cluster_utils import Cluster

        self.folder, self.port = folder, free_port()
        options = {"num_cpus": 1, "object_store_memory": OBJECT_STORE_BYTES}
        head = {"include_dashboard": False, "temp_dir": folder, "ray_client_server_port": self.port, **options}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.options = options
        self.second = self.cluster.add_node(**options)

    def add_one_without_restricted_python(self):
        """Add a node whose RestrictedPython can't be imported."""
        library = Path(self.folder) / "library" / "RestrictedPython"
        library.mkdir(parents=True)
        (library / "__init__.py").write_text(BROKEN_LIBRARY)
        path = os.pathsep.join((str(library.parent), str(ROOT)))
        with files_of_ray():
            return self.cluster.add_node(**self.options, env_vars={"PYTHONPATH": path})


@contextlib.contextmanager
def files_of_ray():
    """Let Ray close the log files of its processes at once. Ray leaves them to the garbage collector."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        gc.collect()


@contextlib.contextmanager
def connected_nodes():
    """Connect this process to a cluster of two nodes until the block is left, like a caller with its own Ray."""
    import ray

    folder = tempfile.mkdtemp(prefix="ray-tests-")
    # Ray's test cluster notes its address there.
    os.makedirs("/tmp/ray", exist_ok=True)  # noqa: S108
    before = {name: os.environ.get(name) for name in ENVIRONMENT}
    os.environ |= ENVIRONMENT
    with files_of_ray():
        nodes = TwoNodes(folder)
        ray.init(nodes.cluster.address, log_to_driver=False, logging_level=logging.ERROR)
    yield nodes
    sandboxes.close_pools()
    assert ray.is_initialized(), "the caller's Ray was shut down"
    with files_of_ray():
        ray.shutdown()
        nodes.cluster.shutdown()
    for name, value in before.items():
        os.environ.pop(name)
        if value is not None:
            os.environ[name] = value
    shutil.rmtree(folder)


def running_actors():
    """Return the processes of actors that run programs, without those of clusters that other tests have started."""
    actors = processes_with("ray::CodeEvalActor")
    own = {child.pid for child in psutil.Process().children(recursive=True)}
    return [actor for actor in actors if actor.pid in own or not has_node(actor)]


def has_node(actor):
    """Return whether the node of an actor runs. An actor whose node has ended may be anybody's."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return any(parent.name() == "raylet" for parent in actor.parents())
    return False
