"""The start of a cluster on this machine, with a module in Ray's place."""

import os
from types import SimpleNamespace

import pytest

from sandboxes.cluster.session import STARTS, _start_local


class StandIn(SimpleNamespace):
    """A Ray whose first starts fail with an error."""

    def __init__(self, fails, error):
        """Note how many starts fail."""
        super().__init__(fails=fails, error=error, folders=[], ended=0)

    def init(self, address, _temp_dir, **options):
        """Start, or fail."""
        self.folders.append(_temp_dir)
        if len(self.folders) <= self.fails:
            raise self.error

    def shutdown(self):
        """Count what has to be ended."""
        self.ended += 1


SLOW = Exception("The current node timed out during startup. This could happen")


def test_slow_start_is_repeated():
    """A node that Ray gave up on is started again, and nothing of the first start is left."""
    ray = StandIn(1, SLOW)
    folder = _start_local(ray)
    assert ray.ended == 1
    assert [os.path.exists(each) for each in ray.folders] == [False, True] and ray.folders[1] == folder
    os.rmdir(folder)


@pytest.mark.parametrize(("error", "starts"), [(SLOW, STARTS), (OSError("no port"), 1), (KeyboardInterrupt(), 1)])
def test_failed_start_ends(error, starts):
    """A start that fails for good, for another reason or by an interrupt is no endless loop, and leaves nothing."""
    ray = StandIn(100, error)
    with pytest.raises(type(error)):
        _start_local(ray)
    assert len(ray.folders) == ray.ended == starts
    assert not any(map(os.path.exists, ray.folders))
