"""Limits and requirements that many tests share."""

import os
from pathlib import Path

import pytest

# Far more than any program here needs, so that a busy machine fails no test.
WALL_SECONDS = 20.0


def require_file(path):
    """Skip a test unless a file of the data that is kept outside of this repository is there. Under CI it fails."""
    if not path.exists():
        unavailable(f"there is no {path}")


def require_testify():
    """Skip a test without the library that HumanEval-X's Go tests import. Under CI it fails."""
    if not Path("/usr/share/gocode/src/github.com/stretchr/testify").is_dir():
        unavailable("there is no testify: install Debian's package golang-github-stretchr-testify-dev")


def unavailable(reason):
    """Skip a test, or a file while it is imported, for a reason that is printed. Under CI it fails."""
    if os.environ.get("CI"):
        pytest.fail(f"not to be skipped under CI: {reason}")
    pytest.skip(reason, allow_module_level=True)
