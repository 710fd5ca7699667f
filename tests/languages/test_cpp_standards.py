"""The standards of C++ are languages: each program is compiled by the standard that its language names."""

import json

import pytest

from sandboxes import Limits, Outcome
from sandboxes.languages.compilers import cpp_headers
from sandboxes.languages.compilers.quick_builds import QUICK_FILE
from sandboxes.languages.cpp import STANDARDS
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import ALIASES, LANGUAGES
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.options import TaskOptions
from sandboxes.tasks.task import Task
from support.language_programs import PROGRAMS
from support.languages import language_pool
from support.observers import passes
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

LIMITS = Limits(wall_seconds=WALL_SECONDS)
TELLS = "#include <iostream>\nint main() { std::cout << __cplusplus / 100 << std::endl; }\n"
YEARS = {"cpp": "2017", **{f"cpp{each}": f"20{each}" for each in STANDARDS}}
# What GCC 12 calls the coming standard.
YEARS["cpp23"] = "2021"
NEW = {
    "14": "int add(int a, int b) { return [](auto x, auto y) { return x + y; }(a, b); }\n",
    "17": "#include <optional>\nint add(int a, int b) { return std::optional<int>(a).value() + b; }\n",
    "20": "template <class T> concept Any = true;\nint add(Any auto a, int b) { return a + b; }\n",
    "23": "#include <expected>\nint add(int a, int b) { return std::expected<int, int>(a).value() + b; }\n",
}
BEFORE = dict(zip(STANDARDS[1:], STANDARDS, strict=False))


@pytest.fixture(scope="module")
def pool():
    """Return a pool whose programs are compiled with headers that were compiled before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpp_headers, "PROGRAMS_BEFORE", 1)
        yield language_pool(*YEARS)


@pytest.mark.parametrize("language", YEARS)
def test_a_program_has_its_standard(pool, language):
    """A complete program is compiled by the standard of its language, with that standard's compiled headers."""
    task = Task([{"input": "", "output": YEARS[language]}], [TELLS])
    batch = ProgramBatch.assemble([task], TaskOptions.checked(language=language), LIMITS, "shared")
    passes(pool.run_all(batch.programs, 1)[0])


@pytest.mark.parametrize("standard", NEW)
def test_a_candidate_has_its_standard(pool, standard):
    """A candidate that uses a new thing of its standard passes its tests, and is no C++ of the standard before."""
    tests = "#include <cassert>\nint main() { assert(add(2, 3) == 5); }\n"
    languages = (f"cpp{standard}", f"cpp{BEFORE[standard]}")
    now, before = pool.run_all([build_program(each, NEW[standard], tests, LIMITS) for each in languages], 1)
    passes(now)
    assert before.outcome is Outcome.COMPILE_ERROR


@pytest.mark.parametrize("kind", ["wrong", "leaving", "broken"])
def test_other_candidates_have_their_outcomes(pool, kind):
    """A candidate that is wrong, leaves or does not compile has the outcome that it has in C++17, in each standard."""
    programs = [build_program(each, getattr(PROGRAMS["cpp"], kind), PROGRAMS["cpp"].tests, LIMITS) for each in YEARS]
    assert len({verdict.outcome for verdict in pool.run_all(programs, 1)} - {Outcome.PASSED}) == 1


@pytest.mark.languages("cpp")
def test_compiled_headers_have_a_standard():
    """Programs of two standards that begin with the same headers do not share compiled ones."""
    files = [
        json.loads(build_program(name, "#include <vector>\n", "int main() {}", LIMITS).candidate)["files"]
        for name in ("cpp11", "cpp20")
    ]
    assert files[0][QUICK_FILE] != files[1][QUICK_FILE]


def test_the_unnamed_standard_is_17():
    """`cpp` builds what `cpp17` builds."""
    unnamed, named = LANGUAGES["cpp"], LANGUAGES["cpp17"]
    assert unnamed.with_tests.build(LIMITS) == named.with_tests.build(LIMITS)
    assert unnamed.standalone.build(LIMITS) == named.standalone.build(LIMITS)


@pytest.mark.parametrize("standard", STANDARDS)
def test_a_standard_has_two_names(standard):
    """Datasets may write "c++20" for cpp20."""
    assert ALIASES[f"c++{standard}"] == f"cpp{standard}"
