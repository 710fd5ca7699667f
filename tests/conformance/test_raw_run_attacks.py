"""A hostile raw run changes its own result alone, reads nothing that is not its own, and leaves nothing behind."""

import textwrap

import pytest

from sandboxes import Outcome
from support.observers import all_gone, passes
from support.raw_runs import execute, run_of

pytestmark = pytest.mark.slow

FORGED = {
    "writes to the report": "import os\nos.write(3, b'P')\nos._exit(4)",
    "writes a frame to each descriptor": """
        import json, os, struct
        body = json.dumps({"id": 0, "outcome": "passed", "raw": {}}).encode()
        for fd in range(3, 64):
            try:
                os.write(fd, struct.pack(">I", len(body)) + body)
            except OSError:
                pass
        os._exit(4)
    """,
    "closes all descriptors": "import os\nos.closerange(0, 256)\nos._exit(4)",
    "replaces the functions that end it": """
        import os, sys, traceback
        sys.exit, os._exit, os.getpid, traceback.print_exception = print, print, print, print
        raise SystemExit(4)
    """,
    "lies about its exception's class": """
        class Liar(SystemExit):
            @property
            def __class__(self):
                return MemoryError
        raise Liar(4)
    """,
    "an exception whose code raises": """
        import os, atexit
        atexit.register(lambda: os._exit(4))
        class Odd(SystemExit):
            @property
            def code(self):
                raise KeyError
        try:
            raise Odd
        finally:
            pass
    """,
}


@pytest.mark.parametrize("source", FORGED.values(), ids=FORGED)
def test_the_status_is_the_processes_own(pool, source):
    """A program that forges reports and replies has the status with which its process ended."""
    ended = run_of(pool, textwrap.dedent(source))
    assert (ended.exit_status, ended.limit, ended.signal) in ((4, None, ""), (1, None, ""))
    assert run_of(pool, "print(1)").stdout == b"1\n"


NOT_READ = {
    "link to a file outside": "os.symlink('/etc/passwd', 'out')",
    "link to its own memory": "os.symlink('/proc/self/mem', 'out')",
    "link to its own file": "open('in', 'w').write('x')\nos.symlink('in', 'out')",
    "folder": "os.mkdir('out')",
    "pipe": "os.mkfifo('out')",
    "socket": "import stat\nos.mknod('out', stat.S_IFSOCK | 0o600)",
    "file with a second name": "open('in', 'w').write('x')\nos.link('in', 'out')",
    "sparse file that is too large": "open('out', 'w').truncate(40 << 20)",
    "nothing": "pass",
    "deleted folder": "import shutil\ntry:\n    shutil.rmtree(os.getcwd())\nexcept OSError:\n    pass",
}


@pytest.mark.parametrize("source", NOT_READ.values(), ids=NOT_READ)
def test_only_plain_files_are_returned(pool, source):
    """A name that is no plain file is missing, with a reason, and nothing waits for it."""
    result = execute(pool, f"import os\n{source}", fetch=["out"])
    assert result.run.exit_status == 0, result.run.stderr
    assert (dict(result.files), [*result.missing]) == ({}, ["out"])
    assert result.missing["out"]


def test_no_link_on_the_way_is_followed(pool):
    """A folder that is a link leads to no file."""
    result = execute(pool, "import os\nos.symlink('/etc', 'd')", fetch=["d/passwd"])
    assert [*result.missing] == ["d/passwd"]


def test_returned_files_share_a_bound(pool):
    """The files that do not fit behind the others are missing, and the others are whole."""
    source = "for name in 'abc':\n    open(name, 'wb').write(name.encode() * (9 << 20))"
    result = execute(pool, source, fetch=["a", "b", "c"])
    assert {name: len(content) for name, content in result.files.items()} == {"a": 9 << 20, "b": 9 << 20}
    assert [*result.missing] == ["c"]


def test_a_sparse_file_of_any_size_is_no_burden(pool):
    """A file can't be grown past its limit, also with holes, and the run goes on."""
    source = """
        try:
            open("out", "wb").truncate(10 << 30)
        except OSError:
            print("refused")
    """
    assert execute(pool, textwrap.dedent(source), fetch=["out"]).run.stdout == b"refused\n"


def test_many_files_end_nothing(pool):
    """A program that makes files until it can't has its result, and the next one has an empty folder."""
    source = """
        import time
        end, number = time.monotonic() + 5, 0
        try:
            while time.monotonic() < end:
                open(str(number), "w").close()
                number += 1
        except OSError:
            pass
    """
    assert run_of(pool, textwrap.dedent(source)).exit_status == 0
    assert run_of(pool, "import os\nprint(os.listdir())").stdout == b"['candidate.py']\n"


def test_a_flood_of_output_is_bounded(pool):
    """A hundred MiB of output end the run at its limit, and no more than `kept_bytes` is returned."""
    ended = run_of(pool, "import os\nfor _ in range(1600):\n    os.write(1, b'x' * (1 << 16))")
    assert (ended.limit, len(ended.stdout), ended.stdout_is_cut) == (Outcome.OUTPUT_LIMIT, 8 << 20, True)


def test_a_daemon_ends_with_its_run(pool):
    """A process that has left its parent and its session ends with the run that started it."""
    source = """
        import os, sys
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", "left-by-a-raw-run"])
            os._exit(0)
        os.wait()
        print("started")
    """
    ended = run_of(pool, textwrap.dedent(source))
    assert (ended.exit_status, ended.stdout) == (0, b"started\n"), ended.stderr
    assert all_gone("left-by-a-raw-run")


def test_standard_input_is_the_runs_alone(pool):
    """A program that changes the file behind its stdin changes nothing for the next run."""
    run_of(pool, "import os\nos.ftruncate(0, 0)\nos.write(0, b'left')", stdin=b"first")
    assert run_of(pool, "print(input())", stdin=b"second").stdout == b"second\n"


def test_a_variable_for_the_loader_reaches_the_run_alone(pool):
    """LD_PRELOAD and its like disturb the run that brings them, and neither the sandbox nor the next run."""
    env = {"LD_PRELOAD": "/work/no-such.so", "PATH": "/nowhere", "HOME": "/nowhere", "TMPDIR": "/nowhere"}
    run_of(pool, "import os\nos.environ['LD_PRELOAD']", env=env)
    source = "import os, tempfile\nprint('LD_PRELOAD' in os.environ, os.path.isdir(tempfile.gettempdir()))"
    assert run_of(pool, source).stdout == b"False True\n"


def test_tests_run_after_it(pool, run):
    """A program with tests is judged as ever after a raw run that changed whatever it could."""
    run_of(pool, "import builtins, sys\nbuiltins.AssertionError = None\nsys.modules.clear()\nopen('candidate.py', 'w')")
    passes(run("def f():\n    return 1", "assert f() == 1"))
    assert run("def f():\n    return 1", "assert f() == 2").outcome is Outcome.FAILED
