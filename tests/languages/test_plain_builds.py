"""Programs in C++ whose quick build fails where the plain build does not, and programs in C like them: they pass."""

import pytest

from sandboxes import Limits
from sandboxes.languages.compilers import cpp_headers
from sandboxes.languages.programs import build_program
from support.languages import language_pool
from support.observers import passes
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

ADD = "int add(int a, int b) { return a + b; }\n"
CALL = "assert(add(2, 3) == 5);"
TESTS = f"#include <assert.h>\nint main() {{ {CALL} }}\n"
STATIC = "struct Sums {{ static {} int most = 5; }};\n"
LARGE_CALL = "assert(first({1, 2}) == 1);"
ALL = "#include <bits/stdc++.h>\n"

# {name: (language, candidate, tests)}
PROGRAMS = {
    "a function that is only inline": ("c", "inline " + ADD, f"#include <assert.h>\nint main(void) {{ {CALL} 9; }}\n"),
    "an argument that has to be constant": (
        "c",
        'void missing(void) __attribute__((error("no constant")));\n'
        "static inline __attribute__((always_inline)) int add(int a, const int b) {\n"
        "    if (!__builtin_constant_p(b)) missing();\n    return a + b;\n}\n",
        f"#include <assert.h>\nint main(void) {{ {CALL} 9; }}\n",
    ),
    "a constant of a class": (
        "cpp",
        "#include <algorithm>\n" + STATIC.format("const"),
        "#include <cassert>\nint main() { assert(std::max(Sums::most, 3) == 5); }\n",
    ),
    "a constant of a class in C++11": (
        "cpp11",
        "#include <vector>\n" + STATIC.format("constexpr"),
        "#include <cassert>\nint main() { std::vector<int> all; all.push_back(Sums::most); assert(all[0] == 5); }\n",
    ),
    "a constant of a class, without headers": (
        "cpp",
        STATIC.format("const"),
        "#include <algorithm>\n#include <cassert>\nint main() { assert(std::max(Sums::most, 3) == 5); }\n",
    ),
    "a function that is checked": (
        "cpp",
        "#define _FORTIFY_SOURCE 2\n#include <fcntl.h>\n" + ADD,
        f'#include <cassert>\nint main() {{ assert(open("/dev/null", O_RDONLY) >= 0); {CALL} }}\n',
    ),
    "large temporary values": (
        "cpp",
        "#include <array>\ndouble first(const std::array<double, 10000> &all) { return all[0]; }\n",
        f"#include <cassert>\nint main() {{ {LARGE_CALL * 300} }}\n",
    ),
    "a template that headers use": (
        "cpp",
        ALL
        + "namespace std { template <> inline const int &max(const int &a, const int &b) { return a < b ? b : a; } }\n"
        "int add(int a, int b) { return std::max(a + b, 0); }\n",
        TESTS,
    ),
    "a class that headers use in C++20": (
        "cpp20",
        ALL + "template <> struct std::less<const char *> {\n"
        "    bool operator()(const char *a, const char *b) const { return strcmp(a, b) < 0; }\n};\n"
        'int add(int a, int b) { return std::map<const char *, int>{{"b", 0}, {"a", a + b}}.begin()->second; }\n',
        TESTS,
    ),
    "a main that throws nothing": ("cpp", ADD, TESTS.replace("main()", "main() noexcept")),
    "a main with arguments that throws nothing": (
        "cpp",
        ADD,
        TESTS.replace("main()", "main(int, char **argv) noexcept(true)\n"),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_needs_the_plain_build_passes(monkeypatch, name):
    """A right program passes, even if only the plain build builds it."""
    monkeypatch.setattr(cpp_headers, "PROGRAMS_BEFORE", 1)
    limits = Limits(wall_seconds=2 * WALL_SECONDS)
    language, *parts = PROGRAMS[name]
    passes(language_pool(language).run_all([build_program(language, *parts, limits, grading="shared")], 1)[0])
