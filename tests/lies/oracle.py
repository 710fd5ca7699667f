"""Plain Python's answer: each program with its tests in one fresh interpreter.

A fresh `python -I` imports what tests import, and forks for each program, so that none sees another.
"""

import json
import subprocess
import sys

RUNNER = """
import json, os, sys, warnings
import numpy, pytest, unittest

warnings.simplefilter("ignore")
for source in json.load(sys.stdin):
    child = os.fork()
    if not child:
        status = 1
        try:
            exec(compile(source, "program.py", "exec"), {"__name__": "program"})
            status = 0
        finally:
            os._exit(status)
    print(int(os.waitpid(child, 0)[1] == 0))
"""


def passes(sources):
    """Return whether each program ends without an error.

    Args:
        sources: candidates with their tests.
    """
    command = [sys.executable, "-I", "-c", RUNNER]
    done = subprocess.run(command, input=json.dumps(sources), capture_output=True, text=True, check=True)
    return [line == "1" for line in done.stdout.split()]
