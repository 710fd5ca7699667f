"""The packages that the sandbox "restricted" and its options need."""

from __future__ import annotations

import functools

from sandboxes.errors import SandboxUnavailable
from sandboxes.restricted_policy.transport import PickleFunction

MIN_VERSION = 9


@functools.cache
def require_restricted_python() -> None:
    """Raise SandboxUnavailable if RestrictedPython is missing, or is a version whose policies have known holes."""
    hint = f'pip install "RestrictedPython>={MIN_VERSION}"'
    import importlib.metadata

    try:
        version = importlib.metadata.version("RestrictedPython")
    except importlib.metadata.PackageNotFoundError as error:
        raise SandboxUnavailable(f"the restricted sandbox needs RestrictedPython: {hint}") from error
    if int(version.partition(".")[0]) < MIN_VERSION:
        raise SandboxUnavailable(f"the restricted sandbox can't use RestrictedPython {version}: {hint}")


def require_cloudpickle() -> PickleFunction:
    """Return the function that pickles lambdas and local functions, or raise SandboxUnavailable."""
    try:
        import cloudpickle
    except ImportError as error:
        raise SandboxUnavailable('trusted_globals=True needs cloudpickle: pip install "cloudpickle>=3"') from error
    return cloudpickle.dumps  # type: ignore[no-any-return]
