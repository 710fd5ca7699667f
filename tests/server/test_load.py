"""The server under load: no wrong verdict, and nothing that grows or is left."""

import re

import pytest

from support.metric_and_command import ROOT, python

pytestmark = pytest.mark.slow(seconds=30)


def test_many_clients_and_hostile_programs():
    """With 64 clients, hostile programs and clients who leave, all verdicts are right and nothing grows or is left."""
    script = ROOT / "performance" / "server_load.py"
    done = python(script, "--requests", 400, "--rounds", 2, "--clients", 64, "--workers", 2, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    answered, gone = map(int, re.search(r"^(\d+) answered, (\d+) gone before the answer", done.stdout, re.M).groups())
    assert answered + gone == 400
    assert gone > 0
