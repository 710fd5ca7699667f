"""The files that a candidate and its tests make, by language, with the file that writes the seal."""

from __future__ import annotations

import re

RUST_MAIN = re.compile(r"^(?:pub\s+)?fn\s+main\s*\(", re.MULTILINE)

RUST_FILE = "code_eval_arguments"

# Each runs the program, and if it ends well copies its own input, which is the seal, to its output. Where the language
# allows it, that is taken before the program's first line, and is then not there any more.
C_SEAL = """\
#include <stdio.h>
%s int __real_main(int argc, char **argv, char **environment);
%s int __wrap_main(int argc, char **argv, char **environment) {
    int status = __real_main(argc, argv, environment);
    if (status == 0) {
        int each;
        while ((each = getchar()) != EOF) putchar(each);
        fflush(stdout);
    }
    return status;
}
"""


def cpp_files(candidate: str, tests: str) -> dict[str, str]:
    """One file of both parts."""
    return {"candidate.cpp": candidate + "\n" + tests, "code_eval_seal.cpp": C_SEAL % (('extern "C"',) * 2)}


def c_files(candidate: str, tests: str) -> dict[str, str]:
    """One file of both parts."""
    return {"candidate.c": candidate + "\n" + tests, "code_eval_seal.c": C_SEAL % ("", "")}


def rust_files(candidate: str, tests: str) -> dict[str, str]:
    """One file of both parts, whose program is its `main`, or else what runs its functions marked as tests."""
    source = candidate + "\n" + tests
    arguments = "--test\n" if "#[test]" in source and not RUST_MAIN.search(source) else ""
    return {"candidate.rs": source, "code_eval_seal.c": C_SEAL % ("", ""), RUST_FILE: arguments}
