"""A raw run tells how a program ended: its status, its signal, its whole output, and the files that it left."""

import os
import re
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes import Outcome
from support.raw_runs import execute, fresh_interpreter, run_of

pytestmark = pytest.mark.slow

ENDINGS = {
    "the end": "print('x')",
    "sys.exit()": "import sys\nsys.exit()",
    "sys.exit(None)": "import sys\nsys.exit(None)",
    "sys.exit(3)": "import sys\nsys.exit(3)",
    "sys.exit(-1)": "import sys\nsys.exit(-1)",
    "sys.exit(256)": "import sys\nsys.exit(256)",
    "sys.exit of a long number": "import sys\nsys.exit(2 ** 70)",
    "sys.exit of a bool": "import sys\nsys.exit(True)",
    "sys.exit of text": "import sys\nsys.exit('gone')",
    "sys.exit of a tuple": "import sys\nsys.exit((1, 2))",
    "SystemExit": "raise SystemExit",
    "os._exit": "import os\nprint('x', flush=True)\nos._exit(7)",
    "exception": "print('x')\nraise ValueError('wrong')",
    "exception of no Exception": "class Odd(BaseException):\n    pass\nraise Odd('wrong')",
    "chained exceptions": "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise ValueError('two') from error",
    "syntax error": "x = (",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "exception in atexit": "import atexit\natexit.register(lambda: 1 / 0)\nprint('x')",
    "exit in atexit": "import atexit, sys\natexit.register(lambda: sys.exit(5))",
    "output in atexit": "import atexit\natexit.register(print, 'bye')\nraise ValueError",
    "exit in a thread": "import threading, sys\nthreading.Thread(target=lambda: sys.exit(4)).start()",
    "thread that goes on": "import threading, time\n"
    "threading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start()",
    "hook": "import sys\nsys.excepthook = lambda *_: print('hook')\n1 / 0",
    "hook that exits": "import sys\nsys.excepthook = lambda *_: sys.exit(9)\n1 / 0",
    "hook that fails": "import sys\nsys.excepthook = lambda *_: [].pop()\n1 / 0",
    "no stderr": "import sys\nsys.stderr = None\n1 / 0",
    "stdout closed": "import sys\nprint('x')\nsys.stdout.close()",
    "descriptor of stdout closed": "import os\nprint('x', flush=True)\nos.close(1)\nprint('lost')",
    "stdout replaced": "import sys\nsys.stdout = open('file', 'w')\nprint('lost')",
    "forked copy": "import os, sys\nif os.fork() == 0:\n    sys.exit(3)\nprint(os.WEXITSTATUS(os.wait()[1]))",
    "own exit": "import sys\nsys.exit = print\nraise SystemExit(6)",
    "abort": "import os\nos.abort()",
}


@pytest.mark.parametrize("source", ENDINGS.values(), ids=ENDINGS)
def test_a_script_ends_as_in_a_fresh_interpreter(pool, source, tmp_path):
    """A script has the status, the signal, the stdout and the last line of stderr that a fresh interpreter gives it."""
    status, stdout, stderr = fresh_interpreter(source, tmp_path)
    ended = run_of(pool, source)
    assert ended.exit_status == (status if status >= 0 else None)
    assert ended.signal == (signal.Signals(-status).name if status < 0 else "")
    assert ended.stdout == stdout
    assert ended.stderr.splitlines()[-1:] == stderr.splitlines()[-1:]


def test_the_traceback_is_a_fresh_interpreters(pool, tmp_path):
    """The traceback of a script has the script's own frames alone, with their lines."""
    source = "def fails():\n    raise ValueError('wrong')\n\n\nfails()\n"
    _, _, stderr = fresh_interpreter(source, tmp_path)
    expected = stderr.decode().replace(str(tmp_path) + os.sep, "")
    assert without_marks(run_of(pool, source).stderr.decode()) == without_marks(expected)


def without_marks(text):
    """Return a traceback without the marks below its lines, which a container's older Python does not write."""
    return re.sub(r"^ +~*\^+~*\n", "", text, flags=re.MULTILINE)


def test_each_status_is_exact(pool):
    """A status from 0 to 255 is told as it is, and `succeeded` means 0."""
    ends = [run_of(pool, f"import os\nos._exit({status})") for status in range(256)]
    assert [ended.exit_status for ended in ends] == [*range(256)]
    assert [ended.succeeded for ended in ends] == [True, *[False] * 255]


def test_each_signal_is_named(pool, tmp_path):
    """A script that a signal ends has the signal's name and no status, as in a fresh interpreter."""
    stopping = {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
    for number in sorted({number for number in signal.valid_signals() if number < signal.SIGRTMIN} - stopping):
        source = f"import os, sys\nos.kill(os.getpid(), {int(number)})\nsys.exit(9)"
        status, _, _ = fresh_interpreter(source, tmp_path)
        ended = run_of(pool, source)
        assert (ended.signal, ended.exit_status, ended.limit) == (
            (signal.Signals(number).name, None, None) if status < 0 else ("", status, None)
        )


@pytest.mark.parametrize(("number", "name"), [("signal.SIGRTMIN + 3", "SIGRTMIN+3"), ("32", "SIG32")])
def test_a_signal_without_a_name(pool, number, name):
    """A real-time signal is counted from SIGRTMIN. The C library keeps those just below it to itself."""
    assert run_of(pool, f"import os, signal\nos.kill(os.getpid(), {number})").signal == name


@given(st.binary(max_size=2000), st.binary(max_size=2000), st.integers(0, 255))
def test_bytes_go_through_unchanged(pool, stdin, content, status):
    """Stdin and files are bytes, stdout, stderr and returned files are the same bytes, and the status is exact."""
    source = (
        "import os, sys\ndata = sys.stdin.buffer.read()\nos.write(1, data)\nos.write(2, open('in', 'rb').read())\n"
        f"os.rename('in', 'out')\nsys.exit({status})"
    )
    result = execute(pool, source, stdin=stdin, files={"in": content}, fetch=["out"])
    assert (result.run.stdout, result.run.stderr, result.run.exit_status) == (stdin, content, status)
    assert result.files == {"out": content}


NAME_PART = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=60).filter(
    lambda part: part not in (".", "..", ".stdin", "candidate.py") and len(part.encode()) <= 255
)


@given(st.lists(NAME_PART, min_size=1, max_size=5).map("/".join), st.binary(max_size=100))
def test_names_go_through_unchanged(pool, name, content):
    """A file may have any name that a system takes, in any folder, on the way in and on the way out."""
    source = f"with open({name!r}, 'ab') as file:\n    file.write(b'!')"
    assert execute(pool, source, files={name: content}, fetch=[name]).files == {name: content + b"!"}


VARIABLE = st.text(st.characters(codec="utf-8", exclude_characters="\0="), min_size=1, max_size=30)


@given(
    st.dictionaries(VARIABLE, st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=99), max_size=5)
)
def test_variables_go_through_unchanged(pool, env):
    """Environment variables have any name and value that a system takes."""
    source = "import os, sys\nfor name in sys.argv[1:]:\n    os.write(1, os.environb[name.encode()] + b'\\0')"
    ended = run_of(pool, source, env=env, arguments=[*env])
    assert ended.stdout == b"".join(value.encode() + b"\0" for value in env.values())


def test_the_next_run_sees_nothing_of_it(pool):
    """Files, variables, arguments and stdin of one run are not there for the next one."""
    execute(pool, "", files={"a/b": b"x"}, env={"LEFT": "x"}, arguments=["x"], stdin=b"x")
    source = "import os, sys\nprint(sorted(os.listdir()), 'LEFT' in os.environ, sys.argv[1:], sys.stdin.read())"
    assert run_of(pool, source).stdout == b"['candidate.py'] False [] \n"


def test_modules_beside_the_source_are_imported(pool):
    """A script imports the files that come with it."""
    files = {"helper.py": b"value = 1", "package/__init__.py": b"", "package/inner.py": b"value = 2"}
    source = "import helper\nfrom package import inner\nprint(helper.value, inner.value)"
    assert run_of(pool, source, files=files).stdout == b"1 2\n"


def test_megabytes_of_output_are_whole(pool):
    """Eight MiB of stdout are returned whole by default, and of stderr as well."""
    source = "import sys\nsys.stdout.write('x' * (8 << 20))\nsys.stderr.write('y' * (7 << 20))"
    ended = run_of(pool, source)
    assert (len(ended.stdout), len(ended.stderr)) == (8 << 20, 7 << 20)
    assert (ended.stdout_is_cut, ended.stderr_is_cut, ended.exit_status) == (False, False, 0)


def test_a_cut_is_told(pool):
    """An output of more than `kept_bytes` is cut there, and the result says so, for each stream."""
    ended = run_of(pool, "import sys\nprint('x' * 9)\nsys.stderr.write('y' * 10)", kept_bytes=10)
    assert (ended.stdout, ended.stdout_is_cut, ended.stderr_is_cut) == (b"x" * 9 + b"\n", False, False)
    ended = run_of(pool, "import sys\nprint('x' * 10)\nsys.stderr.write('y' * 10)", kept_bytes=10)
    assert (ended.stdout, ended.stdout_is_cut, ended.stderr_is_cut) == (b"x" * 10, True, False)


LIMITED = {
    "time": ("while True:\n    pass", {"wall_seconds": 1, "cpu_seconds": 60}, Outcome.TIMED_OUT),
    "CPU time": ("while True:\n    pass", {"cpu_seconds": 1}, Outcome.TIMED_OUT),
    "memory": ("x = bytearray(1 << 30)", {"memory_bytes": 256 << 20}, Outcome.OUT_OF_MEMORY),
    "output": ("while True:\n    print('x' * 99999)", {"output_bytes": 1 << 20}, Outcome.OUTPUT_LIMIT),
}


@pytest.mark.parametrize(("source", "limits", "limit"), LIMITED.values(), ids=LIMITED)
def test_a_limit_is_told(pool, source, limits, limit):
    """A process that a limit ended has the limit, and neither status nor signal."""
    ended = run_of(pool, source, limits)
    assert (ended.limit, ended.exit_status, ended.signal) == (limit, None, "")
    assert ended.detail


def test_output_before_the_end_is_kept(pool):
    """A process that ran out of time has the output that it wrote before."""
    ended = run_of(pool, "print('before', flush=True)\nwhile True:\n    pass", {"wall_seconds": 1})
    assert (ended.limit, ended.stdout) == (Outcome.TIMED_OUT, b"before\n")


def test_costs_are_told(pool):
    """The result has the time by the clock and of the CPU, and the memory."""
    ended = run_of(
        pool, "import time\nx = bytearray(50 << 20)\ntime.sleep(0.3)\nwhile time.process_time() < 0.2:\n    pass"
    )
    assert ended.wall_seconds > 0.3
    assert ended.cpu_seconds > 0.15
    assert ended.peak_memory_bytes > 50 << 20


def test_a_large_input_goes_in_and_out(pool):
    """Fifteen MiB of stdin and files go in, and come out as a file."""
    stdin, content = os.urandom(8 << 20), os.urandom(7 << 20)
    source = "import sys\nopen('out', 'wb').write(sys.stdin.buffer.read() + open('in', 'rb').read())"
    result = execute(pool, source, stdin=stdin, files={"in": content}, fetch=["out"])
    assert result.files == {"out": stdin + content}


def test_the_isolation_is_told(pool):
    """The result names the layers that were on."""
    assert execute(pool, "").isolation == pool.preflight().layers
