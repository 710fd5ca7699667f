"""Plain Python's answer: each program with its tests in one fresh interpreter, and nothing between them.

A fresh `python -I` imports the large libraries, and forks for each program, so that none sees another. The program is
the file `candidate.py` in an empty folder. pytest runs it if it has test functions. Otherwise it is run as a script,
and then unittest runs its test cases, if there are any.
"""

import json
import os
import subprocess
import sys
import tempfile

SECONDS = 20
"""Time limit of a program."""

QUICKER = {"OPENBLAS_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""Variables that keep numpy from starting threads before the forks, and pytest from loading plugins."""

RUNNER = r"""
import json, os, re, signal, sys, tempfile, types, unittest
import numpy, pandas, pytest

FOR_PYTEST = re.compile(r"^(?:async )?def test|^class Test\w*:", re.MULTILINE)
OPTIONS = ["-q", "-p", "no:cacheprovider", "--noconftest", "-c", os.devnull, "--rootdir", ".", "candidate.py"]


def run(candidate, tests):
    source = candidate + "\n" + tests
    with open("candidate.py", "w", encoding="utf-8", newline="") as file:
        file.write(source)
    sys.path.insert(0, os.getcwd())
    if FOR_PYTEST.search(tests):
        return pytest.main(OPTIONS)
    module = types.ModuleType("__main__")
    module.__file__ = "candidate.py"
    sys.modules["__main__"] = sys.modules["candidate"] = module
    exec(compile(source, "candidate.py", "exec"), module.__dict__)
    return not unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromModule(module)).wasSuccessful()


programs, seconds = json.load(sys.stdin), int(sys.argv[1])
sys.argv[:] = ["candidate.py"]
answers = os.dup(1)
null = os.open(os.devnull, os.O_RDWR)
for number in range(3):
    os.dup2(null, number)
for candidate, tests in programs:
    child = os.fork()
    if not child:
        status = 1
        try:
            signal.alarm(seconds)
            os.chdir(tempfile.mkdtemp(dir="."))
            status = int(run(candidate, tests))
        except SystemExit as stop:
            # From unittest.main, if the tests have it under their main guard.
            status = int(bool(stop.code))
        finally:
            os._exit(status)
    os.write(answers, b"%d\n" % (os.waitpid(child, 0)[1] == 0))
"""


def passes(pairs):
    """Return whether each program ends without an error, and none of its tests failed.

    Args:
        pairs: programs with their tests.
    """
    programs = [(pair.candidate, pair.tests) for pair in pairs]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-I", "-c", RUNNER, str(SECONDS)],
            input=json.dumps(programs),
            capture_output=True,
            text=True,
            check=True,
            cwd=folder,
            env=os.environ | QUICKER,
        )
    return [line == "1" for line in done.stdout.split()]
