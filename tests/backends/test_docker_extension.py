"""The C extension in containers: where it forks programs, where Python does, and what programs see of it."""

import importlib.util

import pytest

from code_tasks.cli.doctor import show_isolation
from sandboxes import Limits, Program, open_sandbox
from sandboxes.backends.docker import boot
from sandboxes.backends.docker.boot import extension_file, guest_archive
from sandboxes.backends.local_process import EXTENSION_MODULE
from support.docker_engines import IMAGE
from support.requirements import WALL_SECONDS

NEWEST_GLIBC = b"GLIBC_2.99"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("engine"),
    pytest.mark.skipif(importlib.util.find_spec(EXTENSION_MODULE) is None, reason="the extension is not built"),
]


def run_all(pool, *candidates, grading="shared"):
    """Return the verdicts of candidates that run one after the other in one container."""
    limits = Limits(wall_seconds=WALL_SECONDS)
    return pool.run_all([Program(each, "assert f() == 1\n", limits, grading) for each in candidates], 1)


def with_other_glibc(extension):
    """Return the extension as one that needs a C library which is not made yet."""
    needed = next(part for part in extension.split(b"\0") if part.startswith(b"GLIBC_2.") and len(part) == 10)
    return extension.replace(needed + b"\0", NEWEST_GLIBC + b"\0")


def for_other_machine(extension):
    """Return the extension as one for another processor."""
    return extension[:18] + (0xF3).to_bytes(2, "little") + extension[20:]


@pytest.fixture
def send_extension(monkeypatch):
    """Return a function that makes the archive begin with another file than the extension."""

    def send(file):
        guest_archive.cache_clear()
        monkeypatch.setattr(boot, "extension_file", lambda: file)

    yield send
    guest_archive.cache_clear()


@pytest.fixture
def image_without_libc_name(tmp_path, engine):
    """Return an image whose Python does not name its C library, as Python on musl does not."""
    name = "code-eval-test:no-libc-name"
    # The guest imports json first. `os` itself is frozen into the interpreter.
    edit = "echo 'import os; del os.confstr' >>$(python3 -c 'import json; print(json.__file__)')"
    dockerfile = f"FROM {IMAGE}\nRUN {edit}\n"
    (tmp_path / "Dockerfile").write_text(dockerfile)
    engine.call("build", "--quiet", "--network", "none", "--tag", name, str(tmp_path), what="can't build")
    yield name
    engine.call("image", "rm", "--force", name, what="can't remove")


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_the_extension_forks_programs(open_pool, grading):
    """In an image whose Python and C library fit, programs are forked by the extension."""
    pool = open_pool()
    assert pool.preflight().forked_in_python == ""
    verdicts = run_all(pool, "def f(): return 1", "def f(): return 2", "def f(): return 1", grading=grading)
    assert [verdict.passed for verdict in verdicts] == [True, False, True]


@pytest.mark.parametrize(
    ("alter", "reason"),
    [
        (lambda extension: b"", "there was none where the archive was made"),
        (with_other_glibc, "version `GLIBC_2.99' not found"),
        (for_other_machine, "it is for another architecture"),
    ],
    ids=["none", "older glibc", "other architecture"],
)
def test_an_extension_that_does_not_fit_is_not_used(open_pool, send_extension, alter, reason):
    """Where the extension does not fit, Python forks programs, with the same verdicts, and the reason is told."""
    send_extension(alter(extension_file()))
    pool = open_pool()
    assert reason in pool.preflight().forked_in_python
    assert [verdict.passed for verdict in run_all(pool, "def f(): return 1", "def f(): return 2")] == [True, False]


def test_another_c_library_gets_no_extension(open_pool, image_without_libc_name, capsys):
    """A container whose C library is not known to be glibc forks in Python, and the doctor says so in one line."""
    pool = open_pool(image=image_without_libc_name)
    isolation = pool.preflight()
    assert isolation.forked_in_python == "it needs glibc"
    assert run_all(pool, "def f(): return 1")[0].passed
    show_isolation(open_sandbox("docker", image=image_without_libc_name), isolation)
    assert "the extension can't be used there: it needs glibc" in capsys.readouterr().out


SEEN = """
import os, sys
print(sorted(os.listdir("/proc/self/fd"), key=int))
def f(): return 1
"""
OPENS_THE_EXTENSION = """
import os, sys
def f():
    assert not [name for name in sys.modules if "forking" in name]
    spans = [line.split()[0].split("-") for line in open("/proc/self/maps") if "memfd" in line]
    assert spans
    for start, end in spans:
        try:
            os.open("/proc/self/map_files/%x-%x" % (int(start, 16), int(end, 16)), os.O_RDWR)
        except PermissionError:
            continue
        return 2
    return 1
"""


def test_programs_have_no_descriptor_more_than_without_the_extension(open_pool, send_extension):
    """A program finds the same open descriptors with and without the extension."""
    with_extension = run_all(open_pool(), SEEN)[0].stdout
    send_extension(b"")
    assert run_all(open_pool(), SEEN)[0].stdout == with_extension != ""


def test_programs_cant_open_the_file_that_the_extension_was_loaded_from(open_pool):
    """A program finds the extension neither among its modules nor as a file that it could write to."""
    assert run_all(open_pool(), OPENS_THE_EXTENSION)[0].passed
