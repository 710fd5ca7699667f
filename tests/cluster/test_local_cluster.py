"""A cluster that a process starts for itself ends with the process."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile

import psutil
import pytest

from support.metric_and_command import ROOT
from support.observers import all_gone, wait_until
from support.ray_nodes import END_TIMEOUT_SECONDS

pytestmark = [pytest.mark.slow(seconds=30), pytest.mark.cluster]

ray = pytest.importorskip("ray") if not os.environ.get("CI") else __import__("ray")
LOCAL_SCRIPT = """
import sandboxes, ray
pool = sandboxes.warm_pool(sandboxes.open_sandbox("subprocess"), "local")
assert pool.run_all([sandboxes.Program("x = 1", "assert x == 1")], 2)[0].passed
print("began", flush=True)
pool.run_all([sandboxes.Program("while True:\\n    pass", "", sandboxes.Limits(wall_seconds=300.0))] * 4, 2)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Ray's processes are found in /proc")
def test_ctrl_c_leaves_nothing_of_a_local_cluster():
    """Ctrl-C while programs hang on this process's own cluster removes the cluster, its processes and its files."""
    folder = tempfile.mkdtemp(prefix="rt-")
    running = subprocess.Popen(
        # Ray imports an old part of pydantic's, which warns on Python 3.14.
        [sys.executable, "-W", "error", "-W", "ignore:Core Pydantic V1:UserWarning", "-c", LOCAL_SCRIPT],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": folder},
        start_new_session=True,
    )
    try:
        # Ray prints what happens to its own processes there too.
        assert "began\n" in iter(running.stdout.readline, ""), running.communicate()[1]
        assert wait_until(lambda: len(psutil.Process(running.pid).children(recursive=True)) > 8, END_TIMEOUT_SECONDS)
        descendants = psutil.Process(running.pid).children(recursive=True)
        # A terminal sends the signal to its whole foreground process group.
        os.killpg(running.pid, signal.SIGINT)
        _, errors = running.communicate(timeout=END_TIMEOUT_SECONDS)
        assert "KeyboardInterrupt" in errors
        assert running.returncode != 0
        assert not psutil.wait_procs(descendants, END_TIMEOUT_SECONDS)[1]
        assert all_gone(folder)
        assert os.listdir(folder) == []
    finally:
        running.kill()
        shutil.rmtree(folder)
