"""Python of other versions than ours, as commands: `python3.8` to `python3.14`.

The tests run apart from the candidate. Both processes have the modules with which the guest keeps them apart under
`grading="separate"`, and nothing else of the guest. They are loaded from the text of the process's own file, so that
nothing has to be installed beside the interpreter.
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

VERSIONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
"""The versions on which the guest's modules run."""

GUEST_FOLDER = Path(__file__).parents[1] / "guest"
FIRST_MODULE = "remote.piped_processes"
IMPORT = re.compile(r"^ *from (\.\.?)([\w.]*) import", re.MULTILINE)
"""An import in a module of the guest's packages, from its own package or from another one."""

DRIVER_FILE, RUNNER_FILE, TESTS_FILE = "code_eval_driver.py", "code_eval_runner.py", "tests.py"

LOADER = """\
import base64, json, sys, zlib
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
    return LOADER % {"sources": base64.b64encode(packed).decode()}


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


def python_language(version: str) -> Language:
    """Return Python of a version: one of VERSIONS."""
    command = f"python{version}"
    # -I: no process finds modules in the folder, where the candidate may write some.
    own = (command, "-I", "-X", "utf8")
    return Language(
        name=command,
        label=f"Python {version}",
        with_tests=SeparateRecipe(
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
