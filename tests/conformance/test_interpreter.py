"""The interpreter that runs a program behaves as elsewhere: its main module, its libraries, its memory."""

import re
import sys
import textwrap

import pytest

from support.observers import passes

SEMANTICS = {
    "name is not main": ("if __name__ == '__main__':\n    raise SystemExit", "assert __name__ != '__main__'"),
    "module is real": ("import sys", "assert sys.modules[__name__].__dict__ is globals()"),
    "main is not ours": ("import __main__", "assert not hasattr(__main__, 'ForkServer')"),
    "one namespace": ("x = 1\ndef get():\n    return x", "x = 2\nassert get() == 2"),
    "dataclass": (
        "from __future__ import annotations\nfrom dataclasses import dataclass, field\n"
        "@dataclass\nclass A:\n    x: int\n    y: list[A] = field(default_factory=list)",
        "assert A(1) == A(1, [])",
    ),
    "type hints": (
        "from __future__ import annotations\nimport typing\nclass A:\n    x: A\n",
        "assert typing.get_type_hints(A) == {'x': A}",
    ),
    "pickle": (
        "import pickle\nclass A:\n    def __init__(self):\n        self.x = 1\n",
        "assert pickle.loads(pickle.dumps(A())).x == 1",
    ),
    "enum": (
        "import enum, pickle\nclass E(enum.Enum):\n    A = 1\n",
        "assert pickle.loads(pickle.dumps(E.A)) is E.A\nassert repr(E.A) == '<E.A: 1>'",
    ),
    "named tuple": (
        "import collections, pickle\nP = collections.namedtuple('P', 'x')",
        "assert pickle.loads(pickle.dumps(P(1))) == P(1)",
    ),
    "future import in tests": ("x = 1", "from __future__ import annotations\ndef f(a: nothing): pass\nassert x == 1"),
    "future import stays in its part": (
        "from __future__ import annotations",
        "def f(a: int): pass\nassert f.__annotations__ == {'a': int}",
    ),
    "inspect finds the source": ("import inspect\ndef f():\n    return 1", "assert 'return 1' in inspect.getsource(f)"),
    "builtins are there": (
        "import builtins, os, shutil, subprocess",
        "assert None not in (os.getcwd, os.kill, os.fork, os.unlink, shutil.rmtree, shutil.move, subprocess.Popen,"
        " builtins.exit, builtins.quit, builtins.help)",
    ),
    "getcwd": ("import os", "assert os.path.isdir(os.getcwd())"),
    "arguments": ("import sys", "assert len(sys.argv) == 1 and sys.argv[0].endswith('.py')"),
    "stdin at its end": ("import sys", "assert sys.stdin.read() == ''"),
    "input raises EOFError": (
        "try:\n    input()\n    ended = False\nexcept EOFError:\n    ended = True",
        "assert ended",
    ),
    "UTF-8": ("open('f', 'w').write('\u00e9')", "assert open('f', 'rb').read() == b'\\xc3\\xa9'"),
    "recursion": ("def f(n):\n    return n and f(n - 1)", "f(900)"),
    "garbage is collected": (
        "import gc, weakref\nclass A: pass\na = A()\na.me = a\nr = weakref.ref(a)\ndel a",
        "assert gc.isenabled()\ngc.collect()\nassert r() is None",
    ),
    "numbers differ": ("import random, os", "assert random.random() and len(os.urandom(4)) == 4"),
}
LIBRARIES = {
    "unittest": (
        "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(1, 1)",
        "result = unittest.main(module=__name__, exit=False).result\n"
        "assert result.wasSuccessful() and result.testsRun == 1",
    ),
    "doctest": (
        "import doctest\ndef f():\n    '''\n    >>> f()\n    1\n    '''\n    return 1",
        "import sys\nassert doctest.testmod(sys.modules[__name__]) == (0, 1)",
    ),
    "multiprocessing": (
        "import multiprocessing\ndef square(x):\n    return x * x\n",
        "with multiprocessing.Pool(2) as workers:\n    assert workers.map(square, [1, 2, 3]) == [1, 4, 9]",
    ),
    "process pool": (
        "import concurrent.futures\ndef square(x):\n    return x * x\n",
        "with concurrent.futures.ProcessPoolExecutor(2) as e:\n    assert list(e.map(square, [1, 2])) == [1, 4]",
    ),
    "subprocess": ("import subprocess", "assert subprocess.run(['echo', 'x'], capture_output=True).stdout == b'x\\n'"),
    "python in a subprocess": (
        "import subprocess, sys",
        "assert subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True).stdout == b'1\\n'",
    ),
    "threading": (
        "import threading\nseen = []\nthreads = [threading.Thread(target=seen.append, args=(i,)) for i in range(8)]",
        "for t in threads: t.start()\nfor t in threads: t.join()\nassert sorted(seen) == list(range(8))",
    ),
    "signal.alarm": (
        "import signal, time\ndef ring(number, frame):\n    raise TimeoutError\nsignal.signal(signal.SIGALRM, ring)",
        "signal.alarm(1)\ntry:\n    time.sleep(30)\n    raise AssertionError\nexcept TimeoutError:\n    pass",
    ),
    "asyncio": (
        "import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 5",
        "assert asyncio.run(f()) == 5",
    ),
    "fork and wait": (
        "import os\ndef f():\n    pid = os.fork()\n    if pid == 0:\n        os._exit(5)\n"
        "    return os.waitpid(pid, 0)[1]",
        "assert os.waitstatus_to_exitcode(f()) == 5",
    ),
    "tempfile": ("import tempfile", "with tempfile.NamedTemporaryFile('w+') as f:\n    f.write('x')"),
    "numpy": ("import numpy as np", "assert (np.arange(3) @ np.eye(3)).tolist() == [0, 1, 2]"),
}


@pytest.mark.parametrize(("candidate", "tests"), SEMANTICS.values(), ids=SEMANTICS)
def test_program_behaves_as_elsewhere(run, candidate, tests):
    """A program finds the same surroundings as a module that is run anywhere else."""
    passes(run(candidate, tests))


@pytest.mark.parametrize(("candidate", "tests"), LIBRARIES.values(), ids=LIBRARIES)
def test_library_works(run, candidate, tests):
    """The usual libraries work in a program."""
    passes(run(candidate, tests))


def test_open_quote_does_not_swallow_the_tests(run):
    """An open triple quote at the candidate's end is a syntax error, and does not turn the tests into a string."""
    assert run('x = """', 'assert False\n"""').outcome.value == "compile_error"


def test_same_tests_twice_give_the_same_verdict(run):
    """Tests that a guest compiled for an earlier program decide as they did then."""
    tests = "from __future__ import annotations\ndef check(f: nothing):\n    assert f() == 1\ncheck(f)"
    outcomes = [run(f"def f():\n    return {number}", tests).outcome.value for number in (1, 2, 1, 2, 1)]
    assert outcomes == ["passed", "failed", "passed", "failed", "passed"]


def test_warnings_about_tests_are_harmless(run, monkeypatch):
    """Tests that Python warns about, however often, are run like others."""
    monkeypatch.setattr("sandboxes.pool.run.SILENCE_TIMEOUT_SECONDS", 1.0)
    tests = "x = 1\n" + "x is 5\n" * 3000
    verdicts = [run("", tests, wall_seconds=5.0) for _ in range(3)]
    assert [(verdict.outcome.value, verdict.attempts) for verdict in verdicts] == [("passed", 1)] * 3


def test_modules_of_ours_are_not_importable(run):
    """A program that imports a module of the guest, or the package, gets the installed one or an ImportError."""
    for name in ("guest", "common", "forkserver", "supervisor"):
        assert run(f"import {name}").exception_type == "ModuleNotFoundError"


def test_no_descriptor_is_inherited(run):
    """A program has its three standard streams and the pipe for the report, and nothing else open."""
    candidate = """
        import os
        open_fds = []
        for fd in range(256):
            try:
                os.fstat(fd)
                open_fds.append(fd)
            except OSError:
                pass
        assert set(open_fds) <= {0, 1, 2, 3}, open_fds
    """
    passes(run(textwrap.dedent(candidate), open_files=256))


def test_programs_it_starts_inherit_the_standard_streams_only(run):
    """A program's child does not get the report pipe."""
    candidate = "import subprocess\nout = subprocess.run(['sh', '-c', 'echo x >&3'], close_fds=False).returncode"
    passes(run(candidate, "assert out != 0"))


def test_earlier_candidate_is_not_among_the_objects(run):
    """No object of a program holds an earlier candidate's source."""
    run("MARK = 'marker-of-an-earlier-candidate'\n" * 50, "assert False")
    candidate = """
        import gc
        gc.unfreeze()
        needle = "-".join(["marker", "of", "an", "earlier", "candidate"])
        found = []
        for thing in gc.get_objects():
            for text in gc.get_referents(thing):
                if type(text) in (str, bytes, bytearray) and text is not needle:
                    if needle in (text if type(text) is str else text.decode("latin-1")):
                        found.append(type(thing))
        assert not found, found
    """
    passes(run(textwrap.dedent(candidate)))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/maps")
def test_earlier_candidate_is_not_in_memory(run):
    """A program's memory does not contain the source of an earlier candidate."""
    run("MARK = 'marker_in_the_memory'\n" * 50, "assert False")
    candidate = """
        import ctypes, re
        # Written so that it does not match itself.
        needle = re.compile(b"marker[_]in[_]the[_]memory")
        found = read = 0
        with open("/proc/self/maps") as maps:
            lines = maps.read().splitlines()
        for line in lines:
            ends, rights = line.split()[:2]
            if rights.startswith("rw") and "[v" not in line:
                begin, end = (int(n, 16) for n in ends.split("-"))
                data = ctypes.string_at(begin, end - begin)
                read += len(data)
                found += len(needle.findall(data))
        assert read > 1 << 20
        assert not found, found
    """
    passes(run(textwrap.dedent(candidate)))


def test_version_is_that_of_the_sandbox(pool, run):
    """Programs run on the interpreter version that the sandbox names."""
    python = pool.preflight().python
    assert re.fullmatch(r"3\.\d+\.\d+", python)
    passes(run("import platform", f"assert platform.python_version() == {python!r}"))
