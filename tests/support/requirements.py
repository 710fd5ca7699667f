"""Limits and requirements that many tests share."""

import os

import pytest

# Far more than any program here needs, so that a busy machine fails no test.
WALL_SECONDS = 20.0


def require_file(path):
    """Skip a test unless a file of the data that is kept outside of this repository is there. Under CI it fails."""
    if not path.exists():
        unavailable(f"there is no {path}")


def unavailable(reason):
    """Skip a test, or a file while it is imported, for a reason that is printed. Under CI it fails."""
    if os.environ.get("CI"):
        pytest.fail(f"not to be skipped under CI: {reason}")
    pytest.skip(reason, allow_module_level=True)
