"""Candidates in Python of another version that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`). Lies about
values are in tests/data/separate: here are the ones about processes, files and messages.
"""

TESTS = (
    "def check(candidate):\n    assert candidate(2, 3) == 5, 'no sum'\n    assert candidate(0, 1) == 1\n\ncheck(add)\n"
)
UNITTEST = (
    "import unittest\n\n\nclass TestAdd(unittest.TestCase):\n    def test_add(self):\n"
    "        self.assertEqual(add(2, 3), 5)\n\n\n"
    "result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(TestAdd))\n"
    "assert result.wasSuccessful() and result.testsRun == 1\n"
)
CATCHES = (
    "for _ in range(3):\n    try:\n        value = add(2, 3)\n    except ValueError:\n        value = 0\n"
    "    assert value == 5\n"
)
TIMES, PLUS = (f"def add(a, b):\n    return a {sign} b\n" for sign in "*+")
SAYS = """
import os, struct
def say(text):
    os.write(4, struct.pack(">I", len(text)) + text.encode())
"""
RETURNED = "[%s, 0, [5], [], [], []]"


def around(text, *tests):
    """Return (wrong, honest, *tests) for candidates with something after their function."""
    return TIMES + text, PLUS + text, *tests


def tampering(text, *tests):
    """Return (wrong, honest, *tests) for candidates that disturb the link to their tests."""
    return TIMES + text, PLUS, *tests


def called(body, *tests):
    """Return (wrong, honest, *tests) for candidates whose function does something in place of its sum."""
    return f"import os, sys\ndef add(a, b):\n    {body}\n", PLUS, *tests


ATTACKS = {
    "exit": tampering("import sys\nsys.exit(0)\n"),
    "exit without an end": tampering("import os\nos._exit(0)\n"),
    "exit when called": called("sys.exit(0)"),
    "exit without an end when called": called("os._exit(0)"),
    "exit at the end": around("import atexit, os\natexit.register(os._exit, 0)\n"),
    "exit in a destructor": called(
        "class Last:\n        def __del__(self): os._exit(0)\n    Last()\n    return a * b",
    ),
    "SystemExit": called("raise SystemExit(0)", CATCHES),
    "KeyboardInterrupt": called("raise KeyboardInterrupt", CATCHES),
    "StopIteration": called("raise StopIteration", CATCHES),
    "an exception that is none": called("raise type('PeerGone', (BaseException,), {})()"),
    "another program": called("os.execv('/bin/true', ['true'])"),
    "a thread that leaves": around("import os, threading\nthreading.Timer(5, os._exit, [0]).start()\n"),
    "a child that goes on": called("if os.fork(): os._exit(0)\n    return a * b"),
    "an object that is equal": called("return type('E', (), {'__eq__': lambda self, other: True})()"),
    "a number that is equal": called("return type('E', (int,), {'__eq__': lambda self, other: True})(5 + 1)"),
    "a check of its own": around("def check(candidate):\n    return True\n"),
    "builtins": around("import builtins\nbuiltins.AssertionError = type('E', (Exception,), {})\nbuiltins.print = id\n"),
    "a unittest of its own": around(
        "import unittest\nunittest.TestCase.assertEqual = lambda *all: None\n", UNITTEST
    ),
    "a result that is successful": around(
        "import unittest\nunittest.TextTestRunner.run = lambda *all: unittest.TestResult()\n", UNITTEST
    ),
    "an answer ahead": tampering(SAYS + "".join(f"say('{RETURNED % each}')\n" for each in (0, 1)), TESTS),
    "names ahead": tampering(SAYS + "say('[0, 0, [\"check:1:\", \"\", \"\", \"\"], [], [], []]')\n"),
    "an invalid answer": (SAYS + "def add(a, b):\n    say('{')\n    return 6\n", PLUS),
    "a short answer": (SAYS + "def add(a, b):\n    os.write(4, b'\\0\\0\\0\\x09[')\n    return 6\n", PLUS),
    "a request in place of an answer": (
        SAYS + "def add(a, b):\n    say('[1, \"global\", 0, \"check\", [], [], [], []]')\n    return 6\n",
        PLUS,
    ),
    "a closed link": called("os.closerange(0, 20)"),
    "files of the tests": around("for name in ('tests.py', 'code_eval_runner.py'):\n    open(name, 'w').close()\n"),
    "reading the tests": (
        "import glob\nfound = [path for path in glob.glob('*') + glob.glob('../*/*') if 'tests.py' in path]\n"
        "def add(a, b):\n    return a + b if found else a * b\n",
        "import glob\nfound = [path for path in glob.glob('*') if 'tests.py' in path]\n"
        "def add(a, b):\n    return a * b if found else a + b\n",
    ),
    "modules in the folder": around(
        "for name in ('random', 'string', 'unittest', 'json', 'guest', 'sitecustomize'):\n"
        "    with open(name + '.py', 'w') as file:\n        file.write('import os; os._exit(0)')\n",
        "import random, string\n" + TESTS,
    ),
    "killing": called(
        "import signal\n    try: os.kill(os.getppid(), signal.SIGTERM)\n"
        "    except OSError: pass\n    return a * b"
    ),
    "our own modules": around(
        "import sys\nfor name in [name for name in sys.modules if name.startswith('guest')]:\n"
        "    for part in ('serve', 'leave', 'write', 'scan'):\n"
        "        if hasattr(sys.modules[name], part): setattr(sys.modules[name], part + '_', None)\n"
    ),
    "frames above": called("sys._getframe(1).f_globals['add'] = None\n    return a * b"),
}  # fmt: skip

HONEST = {
    "HumanEval": (PLUS, TESTS),
    "unittest": (PLUS, UNITTEST),
    "a class": (
        "class Account:\n    def __init__(self, owner): self.owner, self.all = owner, []\n"
        "    def add(self, n):\n        if n < 0: raise ValueError('negative')\n        self.all.append(n)\n"
        "        return self\n",
        "account = Account('Ada').add(2).add(3)\nassert (account.owner, account.all) == ('Ada', [2, 3])\n"
        "try:\n    account.add(-1)\nexcept ValueError as error:\n    assert str(error) == 'negative'\n"
        "else:\n    raise AssertionError\n",
    ),
}
