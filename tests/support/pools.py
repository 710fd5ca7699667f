"""Pools for tests: of a sandbox that may not be available, and with a memory of their work."""

import contextlib

from sandboxes import Pool, SandboxUnavailable, open_sandbox
from support.requirements import unavailable


@contextlib.contextmanager
def opened_pool(sandbox_name, kind=Pool, **options):
    """Yield a pool of a sandbox, and close it. Skip the test where the sandbox is not available; under CI it fails.

    Args:
        sandbox_name: one of BACKENDS.
        kind: the pool's class.
        **options: of the sandbox.
    """
    try:
        pool = kind(open_sandbox(sandbox_name, **options))
        pool.preflight()
    except (NotImplementedError, SandboxUnavailable) as error:
        unavailable(f"the {sandbox_name} sandbox is not available here: {error}")
    with contextlib.closing(pool):
        yield pool


def require_layers(pool, *layers):
    """Skip a test unless these layers are on in a pool's sandbox. Under CI it fails."""
    isolation = pool.preflight()
    for layer in layers:
        if layer not in isolation.layers:
            unavailable(f"the {layer} layer is not on here: {isolation.missing.get(layer)}")


class RecordedSandbox:
    """A sandbox that remembers the workers it started."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.workers = []

    def __getattr__(self, name):
        """Return the attribute of the sandbox."""
        return getattr(self.sandbox, name)

    def for_sources(self, sources):
        """Return this sandbox, without choosing packages."""
        return self

    def start_worker(self):
        """Start a worker of the sandbox, and remember it."""
        worker = self.sandbox.start_worker()
        self.workers.append(worker)
        return worker


class CountingPool(Pool):
    """A pool that remembers the programs it ran."""

    def __init__(self, sandbox):
        super().__init__(sandbox)
        self.ran = []

    def run(self, programs, *others):
        """Run programs as any pool does, and remember them."""
        self.ran += programs.values()
        super().run(programs, *others)
