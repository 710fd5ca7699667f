"""A fixture of the tests of benchmarks."""

import pytest


@pytest.fixture
def own_cache(tmp_path_factory, monkeypatch):
    """Keep expected results in a folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
