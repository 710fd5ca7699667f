"""The extension module that forks, the fallback without it, and huge pages for the interpreter's code."""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import sandboxes
from sandboxes import Limits, Outcome, Program
from sandboxes.guest.common import frames
from support.conformance_programs import HONEST, HOSTILE, PRELUDE
from support.languages import require_command

pytestmark = pytest.mark.slow

PACKAGE = Path(sandboxes.__file__).parent
# Programs of every outcome. Neighbours share their tests, so they run one after the other.
TESTS = "assert f() == 1"
CANDIDATES = {
    "passes": "def f(): return 1",
    "passes again": "print('seen')\ndef f(): return 1",
    "fails": "def f(): return 2",
    "does not compile": "def f(: return 1",
    "crashes": "import os\ndef f(): os.abort()",
    "leaves": "import os\ndef f(): os._exit(0)",
    "hangs": "import time\ndef f(): time.sleep(1000)",
    "uses up its memory": "def f(): return len(bytearray(1 << 34))",
    "is interrupted": "import os, signal\ndef f():\n    os.kill(os.getpid(), signal.SIGINT)\n    return 1",
    "leaves a process": "import os, time\ndef f():\n    if os.fork() == 0: time.sleep(60)\n    return 1",
    "forks and goes on": "import os\ndef f():\n    os.fork()\n    return 1",
    "collects garbage": "import gc\ndef f(): return int(gc.isenabled())",
    "closes its output": "import sys\nsys.stdout.close()\ndef f(): return 1",
    "comes last": "def f(): return 1",
}
RUN = """
import json, sys
from sandboxes import Limits, Pool, Program, open_sandbox
from sandboxes.backends.local_process import has_extension_module
limits = Limits(wall_seconds=2.0)
pool = Pool(open_sandbox("subprocess", isolation=sys.argv[1]))
ended = pool.run_all([Program(each, sys.argv[3], limits, grading=sys.argv[2]) for each in sys.argv[4:]], 1)
pool.close()
print(json.dumps([has_extension_module(), [[each.outcome.value, each.exception_type, each.stdout] for each in ended]]))
"""


def copy_package(folder, *left_out):
    """Copy the package into a folder, without the files of some patterns, for programs of any user."""
    shutil.copytree(PACKAGE, folder / "sandboxes", ignore=shutil.ignore_patterns("__pycache__", *left_out))
    # Programs may run as another user than the tests.
    for path in (folder, *folder.parents):
        if path.owner() == folder.owner() and not path.stat().st_mode & 0o001:
            path.chmod(0o711)
    return folder


def change(path, old, new):
    """Replace a text in a file that has it."""
    source = path.read_text()
    assert old in source
    path.write_text(source.replace(old, new))


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    """Return a folder with the package as it is where the extension could not be compiled."""
    return copy_package(tmp_path_factory.mktemp("without"), "*.so")


@pytest.fixture(scope="module")
def strict_about_warnings(tmp_path_factory):
    """Return a folder with the package, whose fork servers treat each warning as an error."""
    folder = copy_package(tmp_path_factory.mktemp("strict"))
    path = folder / "sandboxes" / "guest" / "supervisor" / "fork_server_process.py"
    change(path, '"-X", "utf8"]', '"-X", "utf8", "-W", "error"]')
    return folder


# Replaces the last line of `send`: its message is without the last byte, which follows late.
SENDS_LATE = """        self.channel.sendall(message)
        time.sleep(0.2)
        if self.setup.read_now():
            raise AssertionError("a program began too early")
        self.channel.sendall(texts[-1][-1:])

"""


@pytest.fixture(scope="module", params=["compiled", "in Python"])
def slow_to_send(tmp_path_factory, request):
    """Return a folder with the package, whose supervisors send the last byte of each program late."""
    folder = copy_package(tmp_path_factory.mktemp("slow"), *([] if request.param == "compiled" else ["*.so"]))
    path = folder / "sandboxes" / "guest" / "supervisor" / "fork_server_process.py"
    change(path, "candidate_bytes), *texts))\n", "candidate_bytes), *texts))[:-1]\n")
    change(path, "        self.channel.sendall(message)\n\n", SENDS_LATE)
    return folder


def verdicts(folder, isolation, grading):
    """Return (whether the extension is there, verdicts of CANDIDATES) with the package in a folder."""
    command = [sys.executable, "-c", RUN, isolation, grading, TESTS, *CANDIDATES.values()]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)
    assert done.returncode == 0, done.stderr
    there, ended = json.loads(done.stdout)
    return there, dict(zip(CANDIDATES, ended, strict=True))


@pytest.mark.parametrize("isolation", ["auto", "off"])
@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_without_the_module_verdicts_are_the_same(without, isolation, grading):
    """Verdicts do not depend on whether the extension was compiled."""
    pytest.importorskip("sandboxes.guest.forkserver._forking")
    there, compiled = verdicts(PACKAGE.parent, isolation, grading)
    missing, python = verdicts(without, isolation, grading)
    assert (there, missing) == (True, False)
    assert compiled == python
    assert compiled["comes last"][0] == "passed"


def test_a_program_without_the_module_is_forked_in_python(without):
    """Programs run without the extension."""
    _, ended = verdicts(without, "auto", "shared")
    assert (ended["passes again"], ended["fails"][0]) == (["passed", "", "seen\n"], "failed")


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_guests_do_nothing_that_python_warns_of(strict_about_warnings, grading):
    """Verdicts and output stay the same if each warning of Python in the guest is an error."""
    _, usual = verdicts(PACKAGE.parent, "auto", grading)
    _, strict = verdicts(strict_about_warnings, "auto", grading)
    # Python 3.12 and newer warn about a fork in a process with threads. Only the program causes that.
    assert strict == usual


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_programs_begin_when_their_request_is_read(slow_to_send, grading):
    """No program says that it begins, and may be ended, before its fork server has read all of its request.

    The fork server would take what is left for the next request.
    """
    _, ended = verdicts(slow_to_send, "auto", grading)
    assert ended["comes last"][0] == "passed"


JUDGE = """
import json, sys
from sandboxes import Limits, Pool, Program, open_sandbox
from sandboxes.backends.local_process import has_extension_module
pool = Pool(open_sandbox("subprocess"))
programs = [Program(*each, Limits(wall_seconds=3.0)) for each in json.load(sys.stdin)]
print(json.dumps([has_extension_module(), [each.passed for each in pool.run_all(programs, 2)]]))
pool.close()
"""


def passed_without(folder, programs):
    """Return whether each (candidate, tests) passes with the package that could not be compiled."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", JUDGE]
    done = subprocess.run(
        command, input=json.dumps(programs), capture_output=True, text=True, env=environment, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    there, passed = json.loads(done.stdout)
    assert not there
    return passed


def test_hostile_programs_do_not_pass_without_the_module(without):
    """Hostile programs that attack the judging interpreter do not pass without the extension either."""
    programs = [(PRELUDE + each.candidate, each.tests) for each in HOSTILE]
    passed = passed_without(without, programs)
    assert [each.fact for each, is_passed in zip(HOSTILE, passed, strict=True) if is_passed] == []


def test_honest_programs_pass_without_the_module(without):
    """Honest programs that use the same means pass without the extension too."""
    passed = passed_without(without, [(each.candidate, each.tests) for each in HONEST])
    assert [each.fact for each, is_passed in zip(HONEST, passed, strict=True) if not is_passed] == []


def test_doctor_says_that_the_module_is_missing(without):
    """`code-eval doctor` names what is slower without the extension and the remedy, and still reports success."""
    command = [sys.executable, "-m", "code_tasks.cli", "doctor"]
    environment = {**os.environ, "PYTHONPATH": str(without)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=without)
    assert "there was no C compiler" in done.stdout
    assert "all is well" in done.stdout


def test_a_request_of_another_size_is_refused():
    """The extension takes only a request of the right size."""
    forking = pytest.importorskip("sandboxes.guest.forkserver._forking")
    with pytest.raises(ValueError, match="not a request"):
        forking.run(b"short", *[None] * 6, (), (), None, None, [], -1, True, True, False, False)


def test_none_is_returned_with_a_reference_of_its_own():
    """The extension's functions count a reference to the None that they return, whichever headers they were made with.

    Python 3.11 frees None at its last reference.
    """
    forking = pytest.importorskip("sandboxes.guest.forkserver._forking")
    before = sys.getrefcount(None)
    for _ in range(1000):
        forking.refuse_tracing("import", ())
    assert before - sys.getrefcount(None) < 100


def test_the_module_exports_its_init_function_alone():
    """A candidate that looks up names in the extension finds nothing but the function that Python calls."""
    forking = pytest.importorskip("sandboxes.guest.forkserver._forking")
    require_command("nm")
    command = ["nm", "--dynamic", "--defined-only", "--format=posix", forking.__file__]
    symbols = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    # With musl, the compiler's own files add two empty functions.
    assert {symbol.split()[0] for symbol in symbols} - {"_init", "_fini"} == {"PyInit__forking"}


def constants_of(source):
    """Return the constants of a C file's enums: {name: int, or bytes for a letter}."""
    enums = re.findall(r"^enum \{(.*?)\};", source, re.MULTILINE | re.DOTALL)
    pairs = re.findall(r"(\w+) = ('.'|-?\d+)", " ".join(enums))
    return {name: value[1:-1].encode() if value[0] == "'" else int(value) for name, value in pairs}


def struct_format(source, name):
    """Return the format of a C file's struct without padding, as the module `struct` writes it."""
    codes = {"int64_t": "q", "int32_t": "i", "uint8_t": "B", "double": "d", "char": "c"}
    [body] = re.findall(
        rf"^struct (?:__attribute__\(\(packed\)\) )?{name} \{{(.*?)^\}};", source, re.MULTILINE | re.DOTALL
    )
    fields = [(kind, names.split(",")) for kind, names in re.findall(r"(\w+) ([^;]+);", body)]
    counts = [(codes[kind], re.search(r"\[(\d+)\]", field)) for kind, names in fields for field in names]
    return "=" + "".join(code * (int(count[1]) if count else 1) for code, count in counts)


def test_the_constants_of_the_c_files_are_those_of_the_frames():
    """Each constant and struct that _forking.h repeats is the same as in frames.py."""
    source = (PACKAGE / "guest" / "forkserver" / "_forking.h").read_text()
    constants = constants_of(source)
    # These two have no name in frames.py.
    assert (constants.pop("SAME_TESTS"), constants.pop("MAX_LIMITS")) == (-1, 16)
    assert {"REPORT_FD", "SETUP_FD", "CHANNEL_FD", "FIRST_FREE_FD", "PASSED_REPORT", "OTHER_REPORT"} < set(constants)
    assert constants == {name: getattr(frames, name) for name in constants}
    formats = [struct_format(source, name) for name in ("request", "state", "start")]
    assert formats == ["=qqqqqqqq", frames.STATE.format, frames.START.format]
    assert struct.Struct(formats[0]).size == frames.FORK_REQUEST.size


def test_jobs_follow_each_other_in_one_fork_server(counting_pool):
    """Successive programs with equal or different tests and limits get their own verdicts."""
    limits, longer = Limits(wall_seconds=3.0), Limits(wall_seconds=4.0)
    programs = [
        Program(f"def f(): return {number % 3}", f"assert f() == {tests}", either)
        for number in range(12)
        for tests in (1, 1, 2)
        for either in (limits, limits, longer)
    ]
    ended = counting_pool.run_all(programs, 1)
    right = [each.candidate[-1] == each.tests[-1] for each in programs]
    assert [each.outcome is Outcome.PASSED for each in ended] == right


def test_code_in_huge_pages_is_the_same_code():
    """The interpreter runs on after its code has moved to huge pages, and the code is unchanged."""
    script = """
import ctypes, hashlib
from sandboxes.guest.forkserver.huge_pages import interpreter_file, read_only_ranges, use_huge_pages_for_code
def read(parts):
    return hashlib.sha256(b"".join(ctypes.string_at(start, end - start) for start, end in parts)).hexdigest()
path = interpreter_file()
parts = read_only_ranges(path)
before = read(parts)
use_huge_pages_for_code()
import json, decimal, random, re
assert json.loads("[1]") == [1] and decimal.Decimal(3) / 2 and re.match("a+", "aa")
left = read_only_ranges(path)
moved = sum(end - start for start, end in parts) - sum(end - start for start, end in left)
print(read(parts) == before, moved % (2 << 20))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "0"]


def test_the_interpreters_code_is_found():
    """The file with the interpreter's code is its program, or the library that its program is linked with."""
    from sandboxes.guest.forkserver.huge_pages import interpreter_file

    path = Path(interpreter_file())
    assert "python" in path.name
    # A program that is linked with the library is much smaller.
    assert path.stat().st_size > 1 << 20
