"""Checker programs in every sandbox that runs them: no candidate reaches them, changes them or speaks for them."""

import pytest

from sandboxes import Outcome, SandboxUnavailable
from support.backend_options import PERMISSIVE
from support.checker_programs import SUM, TRIPLE, checked, read_candidates, verdicts
from support.docker_engines import LANGUAGES_IMAGE, WITH_DOCKER
from support.observers import passes
from support.pools import opened_pool

pytestmark = pytest.mark.slow

HOSTILE, HONEST = read_candidates("checker_hostile.txt"), read_candidates("checker_honest.txt")
REFERENCE = checked(TRIPLE, ["4711", "1234"], ["14134", "3703"])
PLAIN = HONEST["is plain"]


@pytest.fixture(scope="module", params=["subprocess", WITH_DOCKER])
def pool(request):
    """Return a warm pool of each backend that runs checker programs."""
    with opened_pool(request.param, **PERMISSIVE[request.param]) as pool:
        yield pool


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_candidate_fails_alone(pool, source):
    """A candidate without the right output fails, and the next one is judged as ever."""
    hostile, honest = verdicts(pool, REFERENCE, [source, PLAIN])
    assert not isinstance(hostile, SandboxUnavailable)
    assert not hostile.passed
    passes(honest)


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_candidate_fails_in_each_case(pool, source):
    """No case of a hostile candidate passes, whatever its runs before have left."""
    [hostile] = verdicts(pool, REFERENCE, [source], stop_at_first_failure=False)
    assert not any(test.outcome is Outcome.PASSED for test in hostile.tests)


@pytest.mark.parametrize("source", HONEST.values(), ids=HONEST)
def test_an_honest_candidate_passes(pool, source):
    """A candidate with the right output passes, however it writes it."""
    [verdict] = verdicts(pool, REFERENCE, [source])
    passes(verdict)
    assert (verdict.grading, len(verdict.tests)) == ("separate", 2)


def test_the_checker_finds_nothing_of_the_candidate(pool):
    """A checker starts among its own files, and no process of the candidate is left."""
    checker = """
import os
own = ["checker.py", "correct_output.txt", "input.txt", "solution_output.txt"]
left = [folder for folder in ("/tmp", "/dev/shm") if "x" in os.listdir(folder)]
print(1 if sorted(os.listdir(".")) == own and not left else 0)
"""
    leaves = "import os\nos.makedirs('a/b')\nfor f in ('/tmp', '/dev/shm', '.'):\n    open(f + '/x', 'w').close()"
    for verdict in verdicts(pool, checked(checker, ["1", "2"], ["", ""]), [leaves, "print(1)"]):
        passes(verdict)


@pytest.mark.languages("cpp")
@pytest.mark.parametrize("sandbox", ["subprocess", WITH_DOCKER])
def test_a_compiled_candidate_and_its_checker_do_not_meet(sandbox):
    """Neither finds the other's files, in each case, and both run as they were compiled."""
    candidate = """
#include <cstdio>
#include <fstream>
int main() {
    bool is_alone = !std::ifstream("checker.cpp") && !std::ifstream("input.txt") && !std::ifstream("checker.py");
    int n;
    scanf("%d", &n);
    printf("%d %d", n - is_alone, 1);
}
"""
    looks = SUM.replace("long sum", 'if (std::ifstream("candidate.cpp")) return 1;\n    long sum')
    options = {"image": LANGUAGES_IMAGE, "pull": "never"} if sandbox == "docker" else {}
    reference = checked({"source": looks, "language": "cpp"}, ["5", "7"], ["1 4", "3 4"])
    with opened_pool(sandbox, **options) as pool:
        for verdict in verdicts(pool, reference, [candidate] * 2, "cpp"):
            passes(verdict)
