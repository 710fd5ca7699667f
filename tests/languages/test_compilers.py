"""A candidate can't make a compiler read the machine's files, or exhaust its time and memory."""

import pytest

from sandboxes import Limits, Outcome
from sandboxes.languages.programs import build_program
from support.language_programs import PROGRAMS
from support.languages import language_pool
from support.observers import passes
from support.requirements import WALL_SECONDS, unavailable

pytestmark = pytest.mark.slow

SECRET = "int s3cret = ;"
COMPILE_SECONDS = 4.0
READS = {
    "an included file": ("cpp", '#include "{path}"\nint main() {{}}'),
    "an included file in C": ("c", '#include "{path}"\nint main(void) {{}}'),
    "a file for the assembler": (
        "c",
        '__asm__(".globl all\\nall: .incbin \\"{path}\\"\\n.byte 0");\nint puts(const char *);\nextern char all[];\n'
        "int main(void) {{ return puts(all) < 0; }}",
    ),
    "a file as text": ("rust", 'fn main() {{ println!("{{}}", include_str!("{path}")); }}'),
    "a file as a module": ("rust", '#[path = "{path}"]\nmod other;\nfn main() {{}}'),
}
DOUBLES = "\n".join(f"static final String s{n + 1} = s{n} + s{n};" for n in range(31))
BOMBS = {
    "texts that double": ("java", f'class Solution {{ static final String s0 = "xx";\n{DOUBLES}\n}}'),
    "a deep expression": ("java", "class Solution { int x = " + "(" * 20000 + "1" + ")" * 20000 + "; }"),
    "macros that double": (
        "rust",
        "macro_rules! two { ($($x:tt)*) => { two!($($x)* $($x)*) } }\nfn main() { two!(1 + 1 + 1); }",
    ),
    "a large table": (
        "go",
        "package main\n\nvar Table = [1 << 29]int{1<<29 - 1: 1}\n\nfunc add(a, b int) int { return 5 }\n",
    ),
    "a deep expression in TypeScript": ("typescript", "const x: number = " + "(" * 20000 + "1" + ")" * 20000 + ";"),
}
ENDS = (Outcome.COMPILE_ERROR, Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY)


@pytest.mark.parametrize(("name", "source"), READS.values(), ids=READS)
def test_compilers_read_no_files_of_the_machine_s(folder, name, source):
    """A world-readable file of the machine does not exist for a compiler, and no message shows its text."""
    pool = language_pool(name)
    if "mount" not in pool.preflight().layers:
        unavailable("without the mount layer programs see the machine's files")
    path = f"{folder}/secret.rs"
    with open(path, "w") as file:
        file.write(SECRET)
    limits = Limits(wall_seconds=WALL_SECONDS)
    [verdict] = pool.run_all([build_program(name, source.format(path=path), "", limits)], 1)
    assert not verdict.passed
    assert "s3cret" not in "".join((verdict.detail, verdict.exception_message, verdict.stdout, verdict.stderr))
    assert path in verdict.stderr


@pytest.mark.parametrize(("name", "source"), BOMBS.values(), ids=BOMBS)
def test_bombs(name, source):
    """A candidate that exhausts the compiler's time or memory gets a verdict, and the next one passes."""
    pool = language_pool(name)
    limits = Limits(wall_seconds=WALL_SECONDS)
    tests = PROGRAMS[name].tests if name in ("java", "go") else ""
    [verdict] = pool.run_all([build_program(name, source, tests, limits, COMPILE_SECONDS)], 1)
    assert (verdict.outcome in ENDS, verdict.attempts) == (True, 1), verdict.detail
    passes(pool.run_all([build_program("bash", PROGRAMS["bash"].add, PROGRAMS["bash"].tests, limits)], 1)[0])
