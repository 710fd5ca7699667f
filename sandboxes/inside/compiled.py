"""The extension module, which does without Python what children are to be spared; None where there is none."""

try:
    from . import forking
except ImportError:
    # Not compiled, or for another Python or system than a container's.
    forking = None
