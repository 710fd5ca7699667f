"""The environment for TRL's `environment_factory`: its tools, its reward, and the life of its session."""

import functools
import gc
import inspect
import multiprocessing
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor

import psutil
import pytest

import sandboxes
from code_tasks.adapters.trl import CodeEnvironment
from sandboxes import SandboxUnavailable, Session, SessionLimits
from support.metric_and_command import RIGHT, SECONDS, WRONG
from support.new_process import in_a_new_process
from support.observers import has_ended, wait_until

pytestmark = pytest.mark.slow

SECRET = 7231
TESTS = f"assert add({SECRET}, 1) == {SECRET + 1}\nassert add(2, 3) == 5"
PATIENT = SessionLimits(call_seconds=60.0)


@pytest.fixture
def environment():
    """Return an environment after its reset."""
    with CodeEnvironment(timeout=20.0, partial_credit=True, session_limits=PATIENT) as environment:
        assert environment.reset(prompt="add", tests=TESTS, difficulty=1) is None
        yield environment


def guest_of(environment):
    """Return the first process of an environment's session; None if it is not open."""
    worker = environment._rollout.session._calls.connection.worker
    return worker and psutil.Process(worker.process.pid)


def test_tools(environment):
    """The public methods, which a trainer gives to the model, are two tools with typed and described arguments."""
    functions = inspect.getmembers(CodeEnvironment, inspect.isfunction)
    public = {name for name, _ in functions if not name.startswith("_")}
    assert public == {"reset", "get_reward", "run_code", "run_tests"}
    for tool in (environment.run_code, environment.run_tests):
        assert inspect.get_annotations(tool) == {"code": "str", "return": "str"}
        text = inspect.getdoc(tool)
        assert "Args:\n    code: The " in text and "Returns:" in text


def test_run_code(environment):
    """Code runs in one session, whose variables and files stay, and the model sees output, value and traceback."""
    assert environment.run_code("x = 6 * 7\nprint('x', x)\nx") == "x 42\n42"
    assert environment.run_code("open('kept', 'w').write('y')\nx + 1") == "43"
    assert environment.run_code("open('kept').read(); None") == "There was no output."
    assert "ZeroDivisionError" in environment.run_code("1 / 0")
    assert "SyntaxError" in environment.run_code("def add(:")


def test_output_is_bounded(environment):
    """A model sees the beginning and the end of a long output."""
    shown = environment.run_code("print('a' * 10_000_000)\nprint('z')")
    assert len(shown) < 4100 and shown.startswith("aaa") and "characters are left out" in shown


def test_run_tests(environment):
    """The reward is that of the last code that was tested, and outcomes are all that the model is told."""
    assert environment.run_tests(WRONG) == "The solution did not pass: failed.\ntest 1: failed\ntest 2: failed"
    assert environment.run_tests("def add(a, b):\n    return 5") == (
        "The solution did not pass: failed.\ntest 1: failed\ntest 2: passed"
    )
    assert environment.get_reward() == 0.5
    assert environment.run_tests(RIGHT) == "All tests passed."
    assert environment.get_reward() == 1.0


def test_rewards_without_a_test():
    """A rollout without tested code, or with invalid code, has the reward of its rule."""
    environment = CodeEnvironment(no_code=-1.0, syntax_error=-0.5, timeout=20.0)
    environment.reset(tests=TESTS)
    assert environment.get_reward() == -1.0
    assert environment.run_tests("def add(:") == "The solution did not pass: compile error."
    assert environment.get_reward() == -0.5
    assert environment.run_tests(" ") == "There is no code to test."
    assert environment.get_reward() == -1.0
    environment.reset(tests=None)
    assert environment.run_tests(RIGHT) == "This task has no tests."
    assert environment.get_reward() is None


def test_weights():
    """A row's weights decide about the share, as for a reward."""
    environment = CodeEnvironment(timeout=20.0, partial_credit=True)
    environment.reset(tests=TESTS, weights=[3, 1])
    environment.run_tests("def add(a, b):\n    return 5")
    assert environment.get_reward() == 0.25


def test_number_of_test_runs():
    """The number of test runs is bounded, because each tells something about the tests. The last run counts."""
    environment = CodeEnvironment(timeout=20.0, max_test_runs=2)
    environment.reset(tests=TESTS)
    environment.run_tests(WRONG)
    environment.run_tests(RIGHT)
    assert environment.run_tests(WRONG).startswith("Nothing was tested: there were 2 test runs")
    assert environment.get_reward() == 1.0
    environment.reset(tests=TESTS)
    assert environment.run_tests(RIGHT) == "All tests passed."


LEAKS = {
    "output": "def add(a, b):\n    print(a, b, flush=True)\n    return 0",
    "errors": "import sys\ndef add(a, b):\n    sys.stderr.write(f'{a} {b}')\n    return 0",
    "a message": "def add(a, b):\n    raise ValueError(f'{a} {b}')",
    "a class's name": "def add(a, b):\n    raise type(f'{a} {b}', (Exception,), {})",
    "a value": "class Shown(int):\n    def __repr__(self): return str(int(self))\ndef add(a, b):\n    return Shown(a)",
    "files": (
        "import os\ndef add(a, b):\n"
        "    for folder in ('/tmp', '/dev/shm', '/work', '/var/tmp', os.getcwd(), os.path.expanduser('~')):\n"
        "        try: open(folder + '/seen', 'a').write(f'{a} {b} ')\n"
        "        except OSError: pass\n"
        "    return 0"
    ),
    "a socket": (
        "import socket\ndef add(a, b):\n    with socket.create_connection(('127.0.0.1', 9), 1) as one:\n"
        "        one.send(str(a).encode())\n    return 0"
    ),
}

SEARCH = """
import glob, os
seen = [open(path, errors='replace').read() for pattern in ('/tmp/*', '/dev/shm/*', '/work/*', '/var/tmp/*', '*', '~/*')
        for path in glob.glob(os.path.expanduser(pattern)) if os.path.isfile(path)]
for path in glob.glob('/proc/[0-9]*/environ') + glob.glob('/proc/[0-9]*/cmdline'):
    try: seen.append(open(path, errors='replace').read())
    except OSError: pass
print(seen, os.environ)
"""


@pytest.mark.parametrize("candidate", LEAKS.values(), ids=LEAKS)
def test_nothing_leaks_from_the_tests(environment, candidate):
    """A candidate that knows its arguments can tell neither the model nor the session of them."""
    assert str(SECRET) not in environment.run_tests(candidate)
    assert str(SECRET) not in environment.run_code(SEARCH)
    assert environment.get_reward() == 0.0


def test_memory_of_the_session_has_no_tests(environment):
    """No process that a session can read holds the tests, also after they ran."""
    environment.run_tests(RIGHT)
    # The pattern is not found in its own text.
    search = (
        "import glob, re\npattern, read, found = re.compile(rb'add.[0-9]+, 1.'), 0, False\n"
        "for maps in glob.glob('/proc/[0-9]*/maps'):\n"
        "    try:\n"
        "        with open(maps) as lines, open(maps[:-4] + 'mem', 'rb', 0) as memory:\n"
        "            for line in lines:\n"
        "                first, last = (int(end, 16) for end in line.split()[0].split('-'))\n"
        "                if 'rw' in line and last - first < 1 << 26:\n"
        "                    memory.seek(first)\n"
        "                    read += 1\n"
        "                    found = found or bool(pattern.search(memory.read(last - first)))\n"
        "    except OSError: pass\n"
        "print(read > 0, found)"
    )
    assert environment.run_code(search) == "True False"


def test_forged_passes(environment):
    """A solution that claims to equal everything gets nothing, and neither does one that reads its tests."""
    for forged in (
        "class Same:\n    def __eq__(self, other): return True\ndef add(a, b): return Same()",
        "import os\ndef add(a, b):\n    os._exit(0)",
        "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
        "import gc\ndef add(a, b):\n    return next(o for o in gc.get_objects() if isinstance(o, str) and '==' in o)",
    ):
        assert "All tests passed" not in environment.run_tests(forged)
        assert environment.get_reward() == 0.0


def test_a_session_does_not_reach_the_verdict(environment):
    """Changes of the session's own process and files change nothing for the tested code."""
    environment.run_code("import os, builtins\nopen('add.py', 'w').write('x')\nbuiltins.sum = None")
    assert environment.run_tests("def add(a, b):\n    return sum([a, b])") == "All tests passed."
    assert environment.get_reward() == 1.0


def test_code_that_kills_its_session(environment):
    """A cell that ends its process or takes too long costs the variables, and the rollout goes on."""
    environment.run_code("x = 1")
    shown = environment.run_code("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    assert "The variables of earlier calls are gone." in shown
    assert "NameError" in environment.run_code("x")
    limits = SessionLimits(call_seconds=1.0)
    with CodeEnvironment(session_limits=limits) as hasty:
        hasty.reset(tests=TESTS)
        assert "KeyboardInterrupt" in hasty.run_code("while True: pass")
        assert hasty.run_code("1 + 1") == "2"


def test_a_session_that_has_ended_begins_again(environment):
    """If the session's guest dies, the model is told, and the next call begins a new session."""
    environment.run_code("x = 1")
    guest_of(environment).kill()
    assert environment.run_code("x").startswith("The session has ended, with its variables and files")
    assert environment.run_code("1 + 1") == "2"
    environment.run_tests(RIGHT)
    assert environment.get_reward() == 1.0


def test_texts_that_utf_8_can_not_encode(environment):
    """A lone surrogate, which would break a tokenizer, never leaves a tool, and breaks nothing on its way in."""
    for code in ("print('\\ud800')", "'\\ud800'", "raise ValueError('\\ud800')", "'\ud800'", "print('\0')"):
        environment.run_code(code).encode()
        environment.run_tests(code).encode()
    assert environment.get_reward() == 0.0


def test_limits_of_the_session():
    """A session has the memory and the processes of a candidate, unless the user gives limits."""
    limits = CodeEnvironment(memory_mb=256, max_processes=7)._rollout.session.limits
    assert (limits.memory_bytes, limits.processes, limits.call_seconds) == (256 << 20, 7, 10.0)
    with CodeEnvironment(memory_mb=256) as environment:
        environment.reset(tests=TESTS)
        assert "MemoryError" in environment.run_code("x = bytearray(1 << 30)")


def test_column_names_are_free(environment):
    """A row may have columns with any names."""
    environment.reset(self=1, row=2, code=3, tests=TESTS)
    assert environment.run_tests(RIGHT) == "All tests passed."


def in_a_fork(environment, answers):
    """Put what an inherited environment does into a queue."""
    environment.reset(tests=TESTS)
    answers.put((environment.run_code("'x' in globals()"), environment.run_tests(RIGHT), environment.get_reward()))


def environment_here_and_in_a_fork():
    """Return the exit status of a forked process, what an inherited environment does there, and then here."""
    with CodeEnvironment() as environment:
        environment.reset(tests=TESTS)
        environment.run_code("x = 1")
        context = multiprocessing.get_context("fork")
        answers = context.SimpleQueue()
        process = context.Process(target=in_a_fork, args=(environment, answers))
        process.start()
        process.join(SECONDS)
        ended = process.exitcode
        process.kill()
        return ended, None if answers.empty() else answers.get(), environment.run_code("x")


def test_forks():
    """An environment that a forked process inherits works there, and its session goes on here."""
    ended, there, here = in_a_new_process(environment_here_and_in_a_fork)
    assert (ended, there) == (0, ("False", "All tests passed.", 1.0))
    assert here == "1"


def test_state_between_rollouts(environment):
    """A reset forgets everything of the rollout before: variables, files, the grade and the count of test runs."""
    environment.run_code("x = 1\nopen('left', 'w').write('x')")
    environment.run_tests(RIGHT)
    guest = guest_of(environment)
    environment.reset(tests=TESTS)
    assert wait_until(lambda: has_ended(guest), SECONDS)
    assert environment.get_reward() == 0.0
    assert environment.run_code("import os\n'x' in globals() or os.path.exists('left')") == "False"


def test_the_session_ends_with_the_rollout(environment):
    """Nothing runs before the first call, and nothing after the reward was asked for."""
    assert guest_of(environment) is None
    environment.run_code("1")
    guest = guest_of(environment)
    environment.get_reward()
    assert wait_until(lambda: has_ended(guest), SECONDS)
    environment.run_code("1")
    guest = guest_of(environment)
    environment.__exit__(None, None, None)
    assert wait_until(lambda: has_ended(guest), SECONDS)


def test_the_session_ends_with_the_environment():
    """An environment that nobody uses any more takes its session along, whichever thread finds that out."""
    environment = CodeEnvironment(session_limits=PATIENT)
    environment.reset(tests=TESTS)
    environment.run_code("1")
    guest = guest_of(environment)
    environment.itself = environment
    del environment
    collector = threading.Thread(target=gc.collect)
    collector.start()
    collector.join(SECONDS)
    assert wait_until(lambda: has_ended(guest), SECONDS)


def test_broken_sandbox(environment, monkeypatch):
    """A solution that the sandbox could not run has no reward, and the model learns that it is not to blame."""
    pool = sandboxes.warm_pool(environment._grader.config.sandbox)
    broken = SandboxUnavailable("the disk is full")
    monkeypatch.setattr(pool, "run", lambda programs, controls, on_result: on_result(0, broken))
    with pytest.warns(UserWarning, match="the sandbox broke in a rollout, which has no reward: the disk is full"):
        assert environment.run_tests(RIGHT) == "The sandbox is not available. This is not your code's fault."
    monkeypatch.undo()
    assert environment.get_reward() is None
    assert environment.run_tests(WRONG).startswith("The solution did not pass")
    assert environment.get_reward() is None
    environment.reset(tests=TESTS)
    environment.run_tests(RIGHT)
    assert environment.get_reward() == 1.0


def test_sandbox_that_does_not_start(environment, monkeypatch):
    """The same holds if the sandbox does not work at all, for both tools, and for any other error of ours."""

    def fail(*args, **kwargs):
        raise SandboxUnavailable("no namespaces")

    monkeypatch.setattr(Session, "run_cell", fail)
    with pytest.warns(UserWarning, match="no namespaces"):
        assert environment.run_code("1").startswith("The sandbox is not available")
    assert environment.get_reward() is None
    environment.reset(tests=TESTS)
    monkeypatch.setattr(sandboxes.Evaluator, "run", fail)
    with pytest.warns(UserWarning, match="no namespaces"):
        assert environment.run_tests(RIGHT).startswith("The sandbox is not available")
    assert environment.get_reward() is None
    environment.reset(tests=TESTS)
    monkeypatch.setattr(sandboxes.Evaluator, "run", lambda *args, **kwargs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        environment.run_tests(RIGHT)
    assert environment.get_reward() is None


@pytest.mark.parametrize("tool", ["run_code", "run_tests"])
def test_arguments_of_tools(environment, tool):
    """An argument that is no text is an error, which a trainer shows to the model, and counts as no test run."""
    with pytest.raises(TypeError, match="code must be text, not 3"):
        getattr(environment, tool)(3)
    assert environment._rollout.test_runs == 0


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"prompt": "x"}, "there is no column 'tests' with the tests; there are prompt"),
        ({"tests": "# nothing"}, "tests: "),
        ({"tests": 3}, "tests: "),
        ({"tests": TESTS, "weights": [-1, 2]}, "at least 0, not -1"),
    ],
)
def test_invalid_rows(environment, row, message):
    """An invalid row is an error of `reset`, because a trainer would show a tool's error to the model."""
    with pytest.raises((ValueError, TypeError), match=message):
        environment.reset(**row)


def test_invalid_options():
    """Invalid options are errors when the environment is made."""
    for options, message in (
        ({"max_test_runs": 0}, "max_test_runs must be at least 1"),
        ({"truncated": 1}, "no option 'truncated'"),
        ({"sandbox": "restricted"}, "can't hold a session"),
        ({"no_code": "x"}, "no_code must be a reward"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            CodeEnvironment(**options)


def test_consent(monkeypatch):
    """A rollout does not begin before HF_ALLOW_CODE_EVAL is 1."""
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL")
    with pytest.raises(ValueError, match='HF_ALLOW_CODE_EVAL to "1"'):
        CodeEnvironment().reset(tests=TESTS)


def rollout(factory):
    """Return what a rollout in another process gives."""
    environment = factory()
    environment.reset(tests=TESTS)
    return environment.run_code("6 * 7"), environment.run_tests(RIGHT), environment.get_reward()


def test_pickles(environment):
    """A used environment can be pickled, without its rollout, and a factory works in a process that is spawned."""
    environment.run_code("x = 1")
    text = pickle.dumps(environment)
    assert len(text) < 4096 and b"7231" not in text
    again = pickle.loads(text)
    assert again.get_reward() is None
    assert again._grader == environment._grader
    factory = functools.partial(CodeEnvironment, timeout=20.0, session_limits=PATIENT)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as processes:
        assert processes.submit(rollout, factory).result(SECONDS) == ("42", "All tests passed.", 1.0)
