"""The project's pages, their blocks of code, and how these run."""

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]*)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
# The tests have an environment in which everything is installed.
INSTALLATION = re.compile(r"^pip install [^&\n]*(?:&& )?", re.MULTILINE)
SHELL = ("bash", "console")
DOCS = ROOT / "docs"
# Pages whose examples run in a file of their own, with more checks.
OWN_TESTS = {
    "docs/command.md": "tests/cli/test_command_page.py",
    "docs/compare.md": "tests/reports/test_compare_page.py",
    "docs/coming-from/mera_code_correctness.md": "tests/correctness/test_coming_from_mera.py",
    "docs/coming-from/nanoeval.md": "tests/solvers/test_coming_from_nanoeval.py",
}

LANGUAGES_OF = {
    "docs/integrations/bigcode.md": ("javascript",),
    "docs/languages.md": ("coq", "cpp", "go", "javascript", "octave", "perl"),
}
"""Languages that the examples of a page need besides those that are always there."""


@dataclass(frozen=True)
class Block:
    """One block of code of a page."""

    line: int
    """The number of its first line in the page."""

    language: str
    title: str
    """The text above it, which says what it needs. Empty for a block that runs wherever the project is installed."""

    code: str

    @property
    def script(self):
        """The commands of a block of the shell."""
        if self.language == "console":
            return "\n".join(line[2:] for line in self.code.splitlines() if line.startswith("$ "))
        return INSTALLATION.sub("", self.code)

    @property
    def shown_output(self):
        """The lines of a console that its commands write."""
        lines = self.code.splitlines() if self.language == "console" else []
        return [line.rstrip() for line in lines if line.strip() and not line.startswith("$ ")]


def name_of(page):
    """Return the path of a page in the repository."""
    return str(page.relative_to(ROOT))


def blocks_of(text, *languages):
    """Return the blocks of some languages in a Markdown text, in its order."""
    blocks = (
        Block(text.count("\n", 0, match.start(3)) + 1, match[1], match[2] or "", match[3])
        for match in BLOCK.finditer(text)
    )
    return [block for block in blocks if block.language in languages]


def run_python(block, name, namespace):
    """Run a block of Python in a namespace. Examples of an interpreter's session have to print what they show."""
    if ">>>" in block.code:
        test = doctest.DocTestParser().get_doctest(block.code, namespace, name, name, block.line - 1)
        failed, _ = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, clear_globs=False)
        assert failed == 0, f"the example at line {block.line} of {name} does not print what it says"
        namespace |= test.globs
    else:
        exec(compile("\n" * (block.line - 1) + block.code, name, "exec"), namespace)


def run_shell(block, name):
    """Run the commands of a block, with `code-eval` as it is in this tree. They have to write what a console shows."""
    command = f'code-eval() {{ "{sys.executable}" -m code_tasks.cli "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-ec", command + block.script],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )
    assert done.returncode == 0, f"line {block.line} of {name}: {done.stderr}"
    written = {line.rstrip() for line in done.stdout.splitlines()}
    assert [line for line in block.shown_output if line not in written] == [], f"line {block.line} of {name}"


def run_blocks(text, name):
    """Run the blocks of a Markdown text that have no title, in turn, in one namespace; return their number."""
    namespace = {"__name__": "examples_of_" + name}
    blocks = [block for block in blocks_of(text, "python", *SHELL) if not block.title]
    for block in blocks:
        if block.language == "python":
            run_python(block, name, namespace)
        else:
            run_shell(block, name)
    return len(blocks)


WITH_EXAMPLES = [
    page
    for page in PAGES
    if any(not block.title for block in blocks_of(page.read_text(encoding="utf-8"), "python", *SHELL))
    and name_of(page) not in OWN_TESTS
]
"""The pages whose examples tests/docs runs."""
