"""Frameworks whose adapters are tested. Each is installed in an environment of tests/integrations alone."""

import importlib
import os

import pytest

ENVIRONMENT = os.environ.get("CODE_EVAL_TEST_ENVIRONMENT", "")
"""The name of the file in tests/integrations that `.ci/run` has installed here."""


def framework(name, environment):
    """Import a framework. Skip the test file if it is missing, unless `.ci/run` says that this environment has it."""
    return importlib.import_module(name) if ENVIRONMENT == environment else pytest.importorskip(name)
