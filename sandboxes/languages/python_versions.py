"""Python of other versions than ours, as commands: `python3.8` to `python3.14`.

Where the tests run apart from the candidate, both processes have the modules with which the guest keeps them apart
under `grading="separate"`, and nothing else of the guest. They are loaded from the text of the process's own file, so
that nothing has to be installed beside the interpreter. Other tests run in the candidate's module, as one program.
"""

from __future__ import annotations

import base64
import functools
import json
import re
import zlib
from pathlib import Path

from sandboxes.guest.common.interactors import LOST_STATUS
from sandboxes.languages.base import MEMORY_STATUS, Language, Recipe, SeparateRecipe, fixed_build, fixed_run, linked
from sandboxes.languages.comments import HASH_COMMENTS
from sandboxes.languages.steps import Command

VERSIONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
"""The versions on which the guest's modules run."""

GUEST_FOLDER = Path(__file__).parents[1] / "guest"
FIRST_MODULE = "remote.piped_processes"
IMPORT = re.compile(r"^ *from (\.\.?)([\w.]*) import", re.MULTILINE)
"""An import in a module of the guest's packages, from its own package or from another one."""

DRIVER_FILE, RUNNER_FILE, TESTS_FILE = "code_eval_driver.py", "code_eval_runner.py", "tests.py"

WITHOUT_FOLDER = "import sys\nsys.path.pop(0)\n"
"""The beginning of each of our files: no process finds modules in the folder, where the candidate may write some."""

LOADER = """\
import base64, json, zlib
from importlib.machinery import ModuleSpec

class Guest:
    sources = json.loads(zlib.decompress(base64.b64decode("%(sources)s")))

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name in cls.sources:
            return ModuleSpec(name, cls, is_package=name.count(".") < 2)

    @staticmethod
    def create_module(spec):
        return None

    @classmethod
    def exec_module(cls, module):
        exec(compile(cls.sources[module.__name__], module.__name__, "exec", dont_inherit=True), module.__dict__)

sys.meta_path.insert(0, Guest)
from guest.remote import piped_processes
"""
DRIVER = "piped_processes.serve_on_pipes(%(memory_status)d)\n"
RUNNER = 'piped_processes.run_tests_on_pipes(("%(tests)s", "%(runner)s"), %(lost_status)d, %(memory_status)d)\n'

TOGETHER = """\
import os

def run(token):
    module = type(sys)("candidate")
    sys.modules["candidate"] = sys.modules["__main__"] = module
    try:
        for name in ("candidate.py", "%(tests)s"):
            with open(name, encoding="utf-8", errors="surrogatepass") as file:
                code = compile(file.read(), name, "exec", dont_inherit=True)
            exec(code, module.__dict__)
    except MemoryError:
        os._exit(%(memory_status)d)
    sys.stdout.flush()
    os.write(1, token)

run(sys.stdin.buffer.readline().rstrip(b"\\n"))
"""
TOGETHER_FILE = "code_eval_together.py"

# The sandbox is without this language if the interpreter can't be run, or can't unpack the modules.
VERSION_SCRIPT = "import sys, zlib; print('Python', sys.version.split()[0])"


@functools.cache
def loader() -> str:
    """Return the beginning of both files: it has the guest's modules, and imports the first of them."""
    sources = {"guest": ""}
    pending = [FIRST_MODULE]
    while pending:
        module = pending.pop()
        package, name = module.split(".")
        if f"guest.{module}" in sources:
            continue
        source = (GUEST_FOLDER / package / f"{name}.py").read_text(encoding="utf-8")
        sources |= {f"guest.{package}": "", f"guest.{module}": source}
        pending += [f"{package}.{path}" if dots == "." else path for dots, path in IMPORT.findall(source)]
    packed = zlib.compress(json.dumps(sources).encode(), 9)
    return WITHOUT_FOLDER + LOADER % {"sources": base64.b64encode(packed).decode()}


def driver_files(candidate: str) -> dict[str, str]:
    """Return the files of the candidate's process."""
    return {"candidate.py": candidate, DRIVER_FILE: loader() + DRIVER % {"memory_status": MEMORY_STATUS}}


def runner_files(tests: str) -> dict[str, str]:
    """Return the files of the tests' process."""
    values = {
        "tests": TESTS_FILE,
        "runner": RUNNER_FILE,
        "lost_status": LOST_STATUS,
        "memory_status": MEMORY_STATUS,
    }
    return {TESTS_FILE: tests, RUNNER_FILE: loader() + RUNNER % values}


def together_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a program whose tests run in the candidate's module."""
    runner = WITHOUT_FOLDER + TOGETHER % {"tests": TESTS_FILE, "memory_status": MEMORY_STATUS}
    return {"candidate.py": candidate, TESTS_FILE: tests, TOGETHER_FILE: runner}


def python_language(version: str) -> Language:
    """Return Python of a version: one of VERSIONS."""
    command = f"python{version}"
    # -s: without the user's packages, as with -I, which also would leave out the seed of hashes.
    own = (command, "-s", "-X", "utf8")
    return Language(
        name=command,
        label=f"Python {version}",
        with_tests=Recipe(
            together_files,
            fixed_build(),
            lambda limits: Command((*own, TOGETHER_FILE), limits, memory_status=MEMORY_STATUS),
        ),
        apart=SeparateRecipe(
            driver_files,
            runner_files,
            linked(*own, DRIVER_FILE, memory_status=MEMORY_STATUS),
            linked(*own, RUNNER_FILE, memory_status=MEMORY_STATUS),
        ),
        standalone=Recipe(
            lambda candidate, tests: {"candidate.py": candidate},
            fixed_build(),
            fixed_run(command, "-X", "utf8", "candidate.py"),
        ),
        version=lambda: (command, "-I", "-c", VERSION_SCRIPT),
        package="",
        image=f"python:{version}-slim",
        highlight="python",
        canary=("def add(a, b): return a + b", "assert add(2, 3) == 5"),
        comments=HASH_COMMENTS,
        aliases=(f"py{version}",),
        variant_of="python",
        tools=(command,),
    )


PYTHON_VERSIONS = tuple(map(python_language, VERSIONS))
"""Python of each version by its own name."""
