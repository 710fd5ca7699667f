"""A short soak: the programs of performance/soak.py, one in ten hostile, through one pool."""

import sys

import pytest

from support.metric_and_command import ROOT, python

pytestmark = pytest.mark.slow(seconds=20)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at mounts and at other processes' memory")
@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_nothing_grows(grading, tmp_path):
    """After hundreds of programs all verdicts are right, and no descriptor, process, mount or file has been added."""
    options = ["--programs", 300, "--rounds", 2, "--workers", 2, "--grading", grading]
    done = python(ROOT / "performance" / "soak.py", *options, timeout=300, TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
