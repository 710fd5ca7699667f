"""The `main` of tests in C++: a quick build optimises it only if that gains something."""

import pytest

from sandboxes import Limits
from sandboxes.languages.c_family import CPP, MAX_RUN_ONCE_CHARS, RUN_ONCE, C, declare_main
from sandboxes.languages.compilers import cpp_headers
from sandboxes.languages.programs import build_program
from support.languages import language_pool
from support.observers import passes
from support.requirements import WALL_SECONDS

CALL = "    assert(add(2, 3) == 5);\n"
ONCE = {
    "calls": f"int main() {{\n{CALL}}}\n",
    "a loop before it": "int all(int n) { for (; n; n--) add(n, n); return 0; }\nint main(void) { return all(1); }\n",
    "a name with a word in it": "int main(void) { return before(2); }\n",
}
OPTIMISED = {
    "for": "int main(void) { for (int i = 0; i < 9; i++) add(i, i); }\n",
    "while": "int main(void) { while (add(1, 2) != 3); }\n",
    "do": "int main(void) { do add(1, 2); while (0); }\n",
    "goto": "int main(void) { again: if (add(1, 2) != 3) goto again; }\n",
    "a macro before it": "#define EACH(i) for (int i = 0; i < 9; i++)\nint main(void) { EACH(i) add(i, i); }\n",
    "a macro in it": "int main(void) {\n#define EACH(i) for (int i = 0; i < 9; i++)\nEACH(i) add(i, i); }\n",
    "many calls": f"int main(void) {{ {CALL * (MAX_RUN_ONCE_CHARS // len(CALL) + 1)} }}\n",
}


@pytest.mark.parametrize("tests", ONCE.values(), ids=ONCE)
def test_statements_that_run_once_are_not_optimised(tests):
    """A short `main` without loops is compiled as it is."""
    assert RUN_ONCE in declare_main(CPP, tests, "tag")


@pytest.mark.parametrize("tests", OPTIMISED.values(), ids=OPTIMISED)
def test_statements_that_may_repeat_are_optimised(tests):
    """A `main` that repeats something, or has many statements, is optimised as the candidate is."""
    assert RUN_ONCE not in declare_main(CPP, tests, "tag")


def test_a_program_in_c_is_optimised():
    """Programs in C, which have one build, optimise each `main`."""
    assert RUN_ONCE not in declare_main(C, ONCE["calls"], "tag")


@pytest.mark.slow
def test_the_longest_main_that_is_not_optimised_has_room_on_the_stack(monkeypatch):
    """Values of the longest such `main` fit into the stack, although each has a place of its own."""
    monkeypatch.setattr(cpp_headers, "PROGRAMS_BEFORE", 1)
    candidate = "#include <map>\n#include <string>\n#include <vector>\n#include <cassert>\n"
    candidate += "using V = std::vector<std::map<std::string, std::vector<std::string>>>;\n"
    candidate += "size_t f(V v) { return v.size(); }\n"
    call = 'assert(f({{{"",{"",""}}},{},{},{}})==4);'
    tests = f"int main() {{{call * ((MAX_RUN_ONCE_CHARS - 20) // len(call))}}}\n"
    assert RUN_ONCE in declare_main(CPP, tests, "tag")
    pool = language_pool("cpp")
    program = build_program("cpp", candidate, tests, Limits(wall_seconds=4 * WALL_SECONDS), grading="shared")
    passes(pool.run_all([program], 1)[0])
