"""Programs of other languages, and programs on inputs, that want an unearned pass or harm later programs."""

import uuid

import pytest

from sandboxes import Limits, Outcome, Pool, open_sandbox
from sandboxes.languages.steps import Command, StepPlan, TestRun
from support.docker_engines import LANGUAGES_IMAGE, WITH_DOCKER, require_image
from support.languages import require_languages
from support.observers import all_gone, passes
from support.requirements import WALL_SECONDS
from support.step_programs import plan_of, run, shell

pytestmark = pytest.mark.slow

EXPECTED = "c0ffee4b1d"
LIMITS = Limits(wall_seconds=WALL_SECONDS)
# Each searches where an expected output might be, and writes everything that it finds.
LOOKS = {
    "arguments and environment": "import glob\nfor path in glob.glob('/proc/[0-9]*/[ce][mn][dv]*'):\n"
    "    try:\n        print(open(path, 'rb').read())\n    except OSError:\n        pass",
    "files": "import os\nfor place in ('/work', '/dev/shm', '/proc/self/fdinfo'):\n"
    "    for folder, _, names in os.walk(place):\n        for name in names:\n            try:\n"
    "                print(open(os.path.join(folder, name), 'rb').read(1 << 20))\n"
    "            except OSError:\n                pass",
    "memory": "import re\nfor line in open('/proc/self/maps'):\n    first, last = line.split()[0].split('-')\n"
    "    if 'r' not in line.split()[1] or '[v' in line:\n        continue\n"
    "    with open('/proc/self/mem', 'rb') as memory:\n        memory.seek(int(first, 16))\n        try:\n"
    "            data = memory.read(int(last, 16) - int(first, 16))\n        except OSError:\n            continue\n"
    "    found = re.search(b'c0ff[e]e4b1d', data)\n    print('found' if found else '', end='')",
}
# Each changes something for the next run.
CHANGES = {
    "its program": "rm program; printf '#!/usr/bin/bash\\necho 2' >program; chmod +x program",
    "its program's mode": "chmod 000 program",
    "its program's folder": "rm program; chmod 000 .",
    "all": "rm -rf /work/* /work/.[!.]*",
}
LEAVES = {
    "a file": "echo 2 >left",
    "a hidden file": "echo 2 >.stdin",
    "a folder that can't be read": "mkdir -p left/deep; chmod 000 left/deep left",
    "a link in place of the input": "ln -s /etc/passwd .stdin",
    "a folder in place of the input": "mkdir .stdin",
    "a pipe in place of the input": "mkfifo .stdin",
    "a file elsewhere": "echo 2 >/tmp/left; echo 2 >/dev/shm/left",
    "many files": "for i in {1..5000}; do : >left$i; done",
    "a mode": "chmod 500 .",
}
SEES_NOTHING = '[ -z "$(find /work /dev/shm -mindepth 1 ! -name program)" ] && [ ! -e /tmp/left ] && touch ok && cat'


@pytest.fixture(scope="module", params=["isolated", "off", WITH_DOCKER])
def pool(request):
    """Return a pool of guests with all layers, of guests with limits only, or of guests in containers."""
    if request.param == "docker":
        require_image(LANGUAGES_IMAGE)
        pool = Pool(open_sandbox("docker", image=LANGUAGES_IMAGE, pull="never"))
    else:
        pool = Pool(open_sandbox("subprocess", isolation="off" if request.param == "off" else "auto"))
    yield pool
    pool.close()


def sees_the_machine(pool):
    """Return whether programs have the machine's files and processes, because the guests lack layers."""
    return not {"mount", "container"}.intersection(pool.preflight().layers)


@pytest.mark.parametrize("source", LOOKS.values(), ids=LOOKS)
def test_expected_outputs_are_not_where_a_candidate_can_look(pool, source):
    """The expected output is not in a program's files, arguments, environment or memory."""
    if source is not LOOKS["memory"] and sees_the_machine(pool):
        pytest.skip("without isolation programs see the machine's files and processes, among them this test")
    verdict = run(pool, source, plan_of([(None, "1", EXPECTED), (None, "1", EXPECTED)], stop_at_first_failure=False))
    assert [test.outcome for test in verdict.tests] == [Outcome.FAILED] * 2
    assert EXPECTED not in verdict.stdout
    assert "found" not in verdict.stdout


@pytest.mark.parametrize("command", CHANGES.values(), ids=CHANGES)
def test_a_program_that_is_changed_does_not_run_again(pool, command):
    """A run that changes the built program fails the next run, and the guest runs the next program."""
    if "/work" in command and sees_the_machine(pool):
        command = "rm -rf -- * .[!.]*"
    runs = [(shell(command), "", None), (("./program",), "2", "2")]
    verdict = run(pool, {}, plan_of(runs, [shell("cp /usr/bin/cat program")]))
    assert (verdict.outcome, verdict.detail) == (
        Outcome.FAILED,
        "case 2: an earlier run changed the files that the program was built as",
    )
    passes(run(pool, {}, plan_of([(("cat",), "1", "1")])))


@pytest.mark.parametrize("command", LEAVES.values(), ids=LEAVES)
def test_what_a_run_leaves_the_next_does_not_see(pool, command):
    """Files of a run are gone in the next one, which finds its input and its program."""
    if "chmod 500 ." in command and sees_the_machine(pool):
        pytest.skip("a folder of the machine's whose mode was changed is made anew, without what was built there")
    if sees_the_machine(pool) and "/tmp/left" in command:
        pytest.skip("without a root of their own there is one /tmp, the machine's")
    look = '[ "$(ls -A)" = program ] && cat' if sees_the_machine(pool) else SEES_NOTHING
    runs = [(shell(command), "", None), (shell(look), "2", "2"), (("./program",), "3", "3")]
    passes(run(pool, {}, plan_of(runs, [shell("cp /usr/bin/cat program")])))
    passes(run(pool, "print(input())", plan_of([(None, "1", "1")])))


def test_a_process_that_a_run_leaves_is_ended(pool):
    """A daemon of a run does not see the next run."""
    name = f"left-{uuid.uuid4().hex}"
    daemon = shell(f"(exec -a {name} setsid sleep 300 >/dev/null 2>&1 </dev/null &) ; sleep 0.2")
    passes(run(pool, {}, plan_of([(daemon, "", None), (("cat",), "1", "1")])))
    assert all_gone(name)


def test_a_script_that_replaces_itself(pool):
    """A script that overwrites itself is run in its original form the next time."""
    source = "print(input())\nopen('candidate.py', 'w').write('print(2)')"
    verdict = run(pool, source, plan_of([(None, "1", "1"), (None, "3", "2")]))
    assert verdict.tests[1].message == "expected '2', but it wrote '3'"


def test_a_report_of_a_script_s_own_is_none(pool):
    """Text that a program writes to other descriptors decides nothing, and does not break the guest."""
    source = (
        "import os\nfor fd in range(3, 64):\n    for said in (b'P', b'O{\"outcome\": \"missing\"}', b'x' * 70000):\n"
    )
    source += "        try:\n            os.write(fd, said)\n        except OSError:\n            break\nprint(2)"
    verdict = run(pool, source, plan_of([(None, "", "1")]))
    assert (verdict.outcome, verdict.attempts) == (Outcome.FAILED, 1)


def test_a_script_that_kills_all_it_sees(pool):
    """A program that kills its parent, or all processes, does not harm the next program."""
    if sees_the_machine(pool):
        pytest.skip("without isolation a program can kill what its user runs")
    source = "import os, signal\nfor pid in (os.getppid(), -1):\n    try:\n        os.kill(pid, signal.SIGKILL)\n"
    source += "    except OSError:\n        pass\nprint(1)"
    verdict = run(pool, source, plan_of([(None, "", "1")] * 2))
    assert verdict.attempts == 1
    passes(run(pool, "print(1)", plan_of([(None, "", "1")])))


def test_a_token_can_be_read_early(pool):
    """A run that reads its completion token from its input and exits passes, because its grading is "shared"."""
    plan = StepPlan([], [TestRun(Command(shell("cat; exit 0; false"), LIMITS), writes_token=True)])
    verdict = run(pool, {}, plan, token="0123")
    assert (verdict.passed, verdict.grading) == (True, "shared")


BOMBS = {
    "templates": "template <int n> struct A { typedef A<n + 1> t; static const int v = t::v + t::v; };\n"
    "template <int n, int m> struct B { static const int v = B<n - 1, 2 * m>::v + B<n - 1, 2 * m + 1>::v; };\n"
    "template <int m> struct B<0, m> { static const int v = m; };\nint x = B<24, 0>::v;\nint main() {}",
    "an endless file": '#include "/dev/zero"\nint main() {}',
    "its own input": '#include "/dev/stdin"\nint main() {}',
    "itself": '#include "candidate.cpp"\nint main() {}',
    "a large program": "char all[1 << 30] = {1};\nint main() {}",
}


@pytest.mark.parametrize("source", BOMBS.values(), ids=BOMBS)
def test_a_bomb_for_the_compiler(pool, source):
    """A program that exhausts the compiler's time, memory or files gets a verdict, and the next one runs."""
    if pool.sandbox.uses_host_files:
        require_languages("cpp")
    limits = Limits(wall_seconds=5.0, memory_bytes=512 << 20)
    build = Command(("g++", "-o", "program", "candidate.cpp"), limits, reserves_memory=True)
    verdict = run(pool, {"candidate.cpp": source}, StepPlan([build], [TestRun(Command(("./program",), LIMITS))]))
    assert verdict.attempts == 1
    if "/dev/stdin" not in source:
        assert not verdict.passed
    passes(run(pool, "print(1)", plan_of([(None, "", "1")])))
