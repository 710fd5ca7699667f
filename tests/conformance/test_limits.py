"""Every sandbox limits what a program may use: its folders, its environment, its resources."""

import os
import sys
import textwrap

import pytest

from support.observers import passes

FRESH_FOLDERS = """
import os, tempfile
folders = {os.getcwd(), tempfile.gettempdir()} | ({"/dev/shm"} if %r else set())
for folder in folders:
    # What the sandbox shows below a folder is mounted there.
    left = [name for name in os.listdir(folder) if not os.path.ismount(os.path.join(folder, name))]
    assert left == [], (folder, left)
    assert os.stat(folder).st_mode & 0o7777 == 0o700, (folder, oct(os.stat(folder).st_mode))
    with open(folder + "/mine", "w") as file:
        file.write("x")
    os.unlink(folder + "/mine")
assert os.environ["HOME"] == os.getcwd()
assert os.environ["TMPDIR"] == tempfile.gettempdir()
"""
LEAVINGS = {
    "file": "open('left', 'w').write('x')",
    "hidden file": "open('.left', 'w').write('x')",
    "file in each folder": "import os, tempfile\nfor folder in ('.', tempfile.gettempdir(), '/dev/shm'):\n"
    "    if os.stat(folder).st_mode & 0o7777 == 0o700:\n        open(folder + '/left', 'w').write('x')",
    "odd names": "open(b'\\xff\\n \"', 'w').close()\nopen('-rf', 'w').close()",
    "folders without rights": "import os\nos.makedirs('a/b/c')\nos.chmod('a/b', 0)\nos.chmod('a', 0)",
    "no rights on its own folder": "import os\nos.chmod('.', 0)",
    "no rights on the temporary folder": "import os, tempfile\nopen(tempfile.gettempdir() + '/left', 'w').close()\n"
    "os.chmod(tempfile.gettempdir(), 0)",
    "no rights on the folder above": "import os\ntry:\n    os.chmod('..', 0)\nexcept OSError:\n    pass",
    "folders nested 3000 deep": "import os\nfor _ in range(3000):\n    os.mkdir('d')\n    os.chdir('d')",
    "3000 files": "for n in range(3000):\n    open(str(n), 'w').close()",
    "link to a folder outside": "import os\nos.symlink('/usr', 'usr')",
    "links to one file": "import os\nopen('left', 'w').close()\nfor n in range(9):\n    os.link('left', str(n))",
    "pipe and socket": "import os, stat\nos.mkfifo('pipe')\nos.mknod('socket', stat.S_IFSOCK | 0o600)",
    "extended attribute": "import ctypes\nopen('left', 'w').close()\nfor path in (b'left', b'.'):\n"
    "    ctypes.CDLL(None).setxattr(path, b'user.a', b'x', ctypes.c_size_t(1), 0)",
    "open file without a name": "import os\nfile = open('left', 'w')\nfile.write('x' * 100_000)\nos.unlink('left')\n"
    "if os.fork() == 0:\n    os.setsid()\n    import time\n    time.sleep(300)",
    "its folder renamed": "import os\ntry:\n    os.rename(os.getcwd(), os.getcwd() + 'x')\nexcept OSError:\n    pass",
    "its folder deleted": "import os\ntry:\n    os.rmdir(os.getcwd())\nexcept OSError:\n    pass",
    "its folder replaced": "import os\nhere = os.getcwd()\ntry:\n    os.rmdir(here)\n    os.symlink('/usr', here)\n"
    "except OSError:\n    pass",
    "file beside its folder": "import os\ntry:\n    open('../left', 'w').close()\nexcept OSError:\n    pass",
}


@pytest.mark.parametrize("leave", LEAVINGS.values(), ids=LEAVINGS)
def test_folders_are_fresh_after(pool, run, leave):
    """A program's writable folders are empty and its own, whatever an earlier program did to them."""
    passes(run(leave))
    passes(run(FRESH_FOLDERS % ("mount" in pool.preflight().layers)))


def test_removing_leaves_other_folders_alone(run, folder):
    """Removing a link that a program left does not remove the link's target."""
    with open(os.path.join(folder, "precious"), "w"):
        passes(run(f"import os\nos.symlink({folder!r}, 'link')\nos.mkdir('d')\nos.symlink({folder!r}, 'd/link')"))
    assert os.listdir(folder) == ["precious"]


def test_environment_of_the_caller_is_not_visible(run, monkeypatch):
    """A program sees no environment variable of the caller."""
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    passes(run("import os", "assert 'hunter2' not in str(os.environ) and 'SECRET_TOKEN' not in os.environ"))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_environment_of_the_caller_is_not_in_proc(run, monkeypatch):
    """/proc shows a program no environment variable of the caller either."""
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    passes(run("", "assert b'hunter2' not in open('/proc/self/environ', 'rb').read()"))


def test_environment_is_small(run):
    """A program sees only the variables that the sandbox sets."""
    names = "HOME USER LOGNAME TMPDIR PWD PATH LANG LC_ALL TZ".split()
    names += ["PYTHONHASHSEED", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]
    passes(run("import os", f"assert set(os.environ) <= set({names}), sorted(os.environ)"))


def test_file_size_is_limited(run):
    """A file can't grow past `file_bytes`."""
    candidate = """
        import errno, os
        fd = os.open("big", os.O_WRONLY | os.O_CREAT)
        try:
            for _ in range(100):
                os.write(fd, bytes(100_000))
            raise AssertionError("no limit")
        except OSError as error:
            assert error.errno == errno.EFBIG
        assert os.fstat(fd).st_size <= 1 << 20
    """
    passes(run(textwrap.dedent(candidate), file_bytes=1 << 20))


def test_open_files_are_limited(run):
    """A program can't have more than `open_files` descriptors."""
    candidate = """
        import errno
        files = []
        try:
            for _ in range(1000):
                files.append(open("/dev/null"))
            raise AssertionError("no limit")
        except OSError as error:
            assert error.errno == errno.EMFILE
        assert len(files) <= 32
    """
    passes(run(textwrap.dedent(candidate), open_files=32))


def test_processes_are_limited(run):
    """A program that exceeds the limit on processes gets an error."""
    candidate = """
        import os, signal
        started = 0
        try:
            for _ in range(2000):
                if os.fork() == 0:
                    signal.pause()
                started += 1
            raise AssertionError("no limit")
        except BlockingIOError:
            pass
        assert started >= 4
    """
    passes(run(textwrap.dedent(candidate), processes=8))


def test_fork_bomb_leaves_the_guest_whole(run):
    """A program that forks as often as it can gets a verdict, and the next one runs."""
    candidate = "import os\nfor _ in range(200):\n    try:\n        os.fork()\n    except OSError:\n        pass\n"
    verdict = run(candidate + "import time\ntime.sleep(30)", processes=20, wall_seconds=1.0)
    assert (verdict.outcome.value, verdict.attempts) == ("timed_out", 1)
    passes(run("x = 1"))


def test_memory_is_limited(run):
    """A program that allocates more than `memory_bytes` gets a MemoryError, which it may catch."""
    candidate = "try:\n    x = bytearray(200 << 20)\n    ended = False\nexcept MemoryError:\n    ended = True"
    passes(run(candidate, "assert ended", memory_bytes=128 << 20))
    passes(run(candidate, "assert not ended", memory_bytes=1 << 30))


@pytest.mark.parametrize("megabytes", [4, 8, 64])
def test_the_stack_is_as_large_as_chosen(run, megabytes):
    """A program's stack has the chosen size, which it can raise as far as outside of the sandbox."""
    candidate = """
        import resource
        size, hard = resource.getrlimit(resource.RLIMIT_STACK)
        resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
    """
    passes(run(textwrap.dedent(candidate), f"assert size == {megabytes << 20}", stack_bytes=megabytes << 20))


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python limits the calls of functions of C itself from 3.12 on")
@pytest.mark.parametrize(("megabytes", "outcome"), [(8, "crashed"), (256, "passed")])
def test_a_large_stack_takes_deep_recursion(run, megabytes, outcome):
    """A function with a cache recurses 50,000 deep on a large stack, and ends the program on a small one."""
    candidate = """
        import sys
        from functools import lru_cache
        sys.setrecursionlimit(200_000)
        @lru_cache(None)
        def depth(n):
            return n and 1 + depth(n - 1)
    """
    verdict = run(textwrap.dedent(candidate), "assert depth(50_000) == 50_000", stack_bytes=megabytes << 20)
    assert verdict.outcome.value == outcome


def test_sixty_threads_fit_into_the_default_memory(run):
    """The addresses that threads reserve leave room for as many as may run at once, and for what each allocates."""
    candidate = """
        import threading
        event, results = threading.Event(), []
        def work():
            results.append([str(number) * 100 for number in range(1000)])
            event.wait()
        threads = [threading.Thread(target=work) for _ in range(60)]
        for thread in threads:
            thread.start()
        event.set()
        for thread in threads:
            thread.join()
    """
    passes(run(textwrap.dedent(candidate), "assert len(results) == 60"))


def test_limits_cannot_be_raised(run):
    """A program can't raise its own limits."""
    candidate = """
        import resource
        for name in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE):
            hard = resource.getrlimit(name)[1]
            assert hard != resource.RLIM_INFINITY, name
            try:
                resource.setrlimit(name, (hard + 1, hard + 1))
                raise AssertionError(name)
            except ValueError:
                pass
    """
    passes(run(textwrap.dedent(candidate)))
