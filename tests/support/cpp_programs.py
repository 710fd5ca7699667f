"""Helpers of tests of C++ programs."""

import shutil

from support.requirements import unavailable


def require_cpp():
    """Skip a test where there is no compiler of C++."""
    if not shutil.which("g++"):
        unavailable("g++ is not installed")
