"""Runs a Python file or module with lighteval, without the file that lighteval downloads when all tasks are imported.

$ python lighteval_offline.py FILE [ARGUMENT...]
$ python lighteval_offline.py -m MODULE [ARGUMENT...]
"""

import runpy
import sys
from types import SimpleNamespace

import requests


def main():
    """Run the file or the module that the arguments name."""
    # tiny_benchmarks goes on without its file after any other status than 200.
    requests.get = lambda *arguments, **others: SimpleNamespace(status_code=404)
    if sys.argv[1] == "-m":
        sys.argv = sys.argv[2:]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = sys.argv[1:]
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
