"""Fixtures for the tests of the docker sandbox."""

import pytest

from sandboxes import Pool, open_sandbox
from sandboxes.backends.docker.engine import DockerCli
from support.docker_engines import IMAGE, require_image


@pytest.fixture(scope="module")
def engine():
    """Return the `docker` command for the machine's engine."""
    require_image()
    return DockerCli()


@pytest.fixture
def open_pool():
    """Return a function that opens a pool on the test image with more options."""
    pools = []

    def open_one(**options):
        pools.append(Pool(open_sandbox("docker", **{"image": IMAGE, "pull": "never", **options})))
        return pools[-1]

    yield open_one
    for pool in pools:
        pool.close()
