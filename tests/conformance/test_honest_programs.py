"""Honest programs work in every sandbox, beside the behaviour that the interpreter's tests show."""

import zoneinfo

import pytest

from sandboxes import Outcome
from support.observers import passes
from support.requirements import unavailable

WORKS = {
    "echo": ("import subprocess", "assert subprocess.run(['echo', 'hi'], stdout=-1, text=True).stdout == 'hi\\n'"),
    "pipeline of programs": (
        "import subprocess as s",
        "assert s.run(['sort'], input='b\\na\\n', stdout=-1, text=True).stdout == 'a\\nb\\n'",
    ),
    "shell by its name": ("import subprocess as s", "assert s.check_output(['sh', '-c', 'echo $HOME']) == b'/work\\n'"),
    "python from python": (
        "import subprocess, sys\nopen('own.py', 'w').write('import json, sys; print(json.dumps(sys.argv[1:]))')",
        "assert subprocess.check_output([sys.executable, 'own.py', 'x']) == b'[\"x\"]\\n'",
    ),
    "its own module": ("open('own.py', 'w').write('x = 5')", "import own\nassert own.x == 5"),
    "queue": (
        "import multiprocessing as m\ndef put(queue):\n    queue.put({'x': [1] * 1000})",
        "q = m.Queue()\np = m.Process(target=put, args=(q,))\np.start()\n"
        "assert q.get(timeout=20)['x'][-1] == 1\np.join()",
    ),
    "lock and value": (
        "import multiprocessing as m\nvalue = m.Value('i', 0)\ndef add():\n    for _ in range(100):\n"
        "        with value.get_lock():\n            value.value += 1",
        "ps = [m.Process(target=add) for _ in range(3)]\nfor p in ps: p.start()\nfor p in ps: p.join()\n"
        "assert value.value == 300",
    ),
    "shared memory": (
        "from multiprocessing.shared_memory import SharedMemory\nmemory = SharedMemory(create=True, size=1000)",
        "other = SharedMemory(memory.name)\nother.buf[0] = 5\nassert memory.buf[0] == 5\n"
        "other.close()\nmemory.close()\nmemory.unlink()",
    ),
    "thread pool": (
        "from concurrent.futures import ThreadPoolExecutor",
        "with ThreadPoolExecutor(8) as pool:\n    assert list(pool.map(abs, range(-9, 0))) == list(range(9, 0, -1))",
    ),
    "temporary folder": (
        "import os, tempfile",
        "with tempfile.TemporaryDirectory() as d:\n    open(d + '/x', 'w').close()\n    assert os.listdir(d) == ['x']",
    ),
    "moved from one folder to another": (
        "import os, shutil, tempfile",
        "fd, path = tempfile.mkstemp()\nos.write(fd, b'x')\nshutil.move(path, 'y')\nassert open('y').read() == 'x'",
    ),
    "memory map": (
        "import mmap\nfile = open('x', 'w+b')\nfile.truncate(5000)",
        "with mmap.mmap(file.fileno(), 0) as m:\n    m[:2] = b'ab'\nassert file.read(2) == b'ab'",
    ),
    "file lock": (
        "import fcntl",
        "fcntl.flock(open('x', 'w'), fcntl.LOCK_EX)\nfcntl.lockf(open('x', 'w'), fcntl.LOCK_EX)",
    ),
    "async programs": (
        "import asyncio\nasync def f():\n    p = await asyncio.create_subprocess_exec('echo', 'x', stdout=-1)\n"
        "    return (await p.communicate())[0]",
        "assert asyncio.run(f()) == b'x\\n'",
    ),
    "async threads": ("import asyncio", "assert asyncio.run(asyncio.to_thread(abs, -5)) == 5"),
    "interrupt": (
        "import os, signal, time",
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(20)\n    raise AssertionError\n"
        "except KeyboardInterrupt:\n    pass",
    ),
    "alarm": (
        "import signal\nseen = []\nsignal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))",
        "signal.setitimer(signal.ITIMER_REAL, 0.01)\nsignal.pause()\nassert seen == [signal.SIGALRM]",
    ),
    "its status": ("text = open('/proc/self/status').read()", "import os\nassert f'Pid:\\t{os.getpid()}\\n' in text"),
    "its user": (
        "import getpass, os, pwd, grp",
        "user = pwd.getpwuid(os.getuid())\nassert user.pw_name == getpass.getuser() and user.pw_dir == os.getcwd()\n"
        "assert grp.getgrgid(os.getgid()).gr_name",
    ),
    "home": (
        "import os, pathlib",
        "assert os.path.expanduser('~') == str(pathlib.Path.home()) == os.getcwd() == os.environ['HOME']",
    ),
    "which": ("import shutil", "assert shutil.which('sh') and shutil.which('echo') and not shutil.which('nothing')"),
    "uuid": ("import uuid", "assert uuid.uuid4() != uuid.uuid4() and uuid.uuid1().version == 1"),
    "secrets": (
        "import secrets, random",
        "assert len(secrets.token_hex(8)) == 16 and random.SystemRandom().random() < 1",
    ),
    "sqlite": (
        "import sqlite3\ndb = sqlite3.connect('x.db')\ndb.execute('PRAGMA journal_mode=WAL')",
        "with db:\n    db.execute('create table t (x)')\n    db.execute('insert into t values (5)')\n"
        "assert sqlite3.connect('x.db').execute('select x from t').fetchall() == [(5,)]",
    ),
    "platform": (
        "import platform",
        "assert platform.system() and platform.machine() and platform.python_version() and platform.platform()\n"
        "assert platform.node() and platform.uname()",
    ),
    "locale": (
        "import locale",
        "assert locale.setlocale(locale.LC_ALL, '') and locale.getpreferredencoding().lower() == 'utf-8'",
    ),
    "ctypes": (
        "import ctypes as c\nlibc = c.CDLL(None)\norder = c.CFUNCTYPE(c.c_int, *[c.POINTER(c.c_int)] * 2)",
        "a = (c.c_int * 3)(3, 1, 2)\nlibc.qsort(a, 3, 4, order(lambda x, y: x[0] - y[0]))\nassert list(a) == [1, 2, 3]",
    ),
    "clock": (
        "import datetime, time",
        "assert time.localtime().tm_gmtoff == 0 and datetime.datetime.now().year >= 2024 and time.tzname[0] == 'UTC'",
    ),
    "machine": ("import os", "assert os.cpu_count() and os.sched_getaffinity(0) and os.getloadavg() and os.uname()"),
    "polling": (
        "import os, select",
        "r, w = os.pipe()\ne = select.epoll()\ne.register(r)\nos.write(w, b'x')\nassert e.poll(5) == [(r, 1)]",
    ),
    "mime types": ("import mimetypes", "assert mimetypes.guess_type('a.html')[0] == 'text/html'"),
    "hashes": ("import hashlib, ssl, zlib, bz2, lzma", "assert hashlib.new('sha256', b'x').hexdigest()[:4] == '2d71'"),
    "logging": (
        "import logging\nlogging.basicConfig(filename='log', level=logging.INFO)\nlogging.info('x')",
        "assert open('log').read() == 'INFO:root:x\\n'",
    ),
    "system source": ("import inspect, json", "assert 'def dumps' in inspect.getsource(json)"),
    "installed packages": ("import importlib.metadata as m", "assert m.version('numpy')"),
}


@pytest.mark.parametrize(("candidate", "tests"), WORKS.values(), ids=WORKS)
def test_honest_program_works(run, needs, candidate, tests):
    """The features that honest programs use work as elsewhere, at the first attempt."""
    needs("mount")
    verdict = run(candidate, tests)
    passes(verdict)
    assert verdict.attempts == 1


def test_time_zones_are_there(run):
    """Programs know the time zones that the machine knows."""
    if "Europe/Paris" not in zoneinfo.available_timezones():
        unavailable("this machine has no time zones")
    candidate = "import datetime as d, zoneinfo\nnoon = d.datetime(2024, 7, 1, 12, tzinfo=d.timezone.utc)"
    passes(run(candidate, "assert noon.astimezone(zoneinfo.ZoneInfo('Europe/Paris')).hour == 14"))


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_streams_can_be_opened_by_name(run, name):
    """Text written to /dev/stdout and /dev/stderr is in the verdict."""
    assert getattr(run(f"with open('/dev/{name}', 'w') as file:\n    file.write('said')"), name) == "said"


def test_uncaught_interrupt_is_a_failure(run):
    """A program that sends itself SIGINT gets a KeyboardInterrupt, even in its first line."""
    verdict = run("import os, signal\nos.kill(os.getpid(), signal.SIGINT)")
    assert (verdict.outcome, verdict.exception_type) == (Outcome.FAILED, "KeyboardInterrupt")


PROCESSES = """
import multiprocessing, time
def hold(megabytes, ready, done):
    data = bytearray(megabytes << 20)
    for place in range(0, len(data), 4096):
        data[place] = 1
    ready.release()
    done.acquire()
def start(count, megabytes):
    ready, done = multiprocessing.Semaphore(0), multiprocessing.Semaphore(0)
    processes = [multiprocessing.Process(target=hold, args=(megabytes, ready, done)) for _ in range(count)]
    for process in processes:
        process.start()
    for _ in processes:
        ready.acquire()
    time.sleep(0.3)
    for _ in processes:
        done.release()
    for process in processes:
        process.join()
"""


@pytest.mark.slow
def test_processes_together_are_out_of_memory(run):
    """A program whose processes each fit into `memory_bytes`, but not together, is OUT_OF_MEMORY."""
    verdict = run(PROCESSES + "start(6, 200)\ntime.sleep(60)", memory_bytes=512 << 20)
    assert verdict.outcome is Outcome.OUT_OF_MEMORY
    assert verdict.detail
    passes(run("x = 1"))


def test_processes_that_fit_pass(run):
    """A program whose processes together use less than `memory_bytes` passes."""
    passes(run(PROCESSES + "start(4, 50)", memory_bytes=512 << 20))


@pytest.mark.slow
def test_shared_memory_is_counted_once(run):
    """Memory that forked copies share is not counted for each of them."""
    shared = "data = b'x' * (200 << 20)\nstart(6, 1)"
    passes(run(PROCESSES + shared, memory_bytes=512 << 20))


@pytest.mark.slow
def test_detached_processes_count_too(run):
    """The memory of processes that left their parents counts as well."""
    candidate = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            data = b"x" * (200 << 20)
            time.sleep(60)
        os._exit(0)
time.sleep(60)
"""
    assert run(candidate, memory_bytes=512 << 20).outcome is Outcome.OUT_OF_MEMORY
