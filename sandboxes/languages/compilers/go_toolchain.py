"""The Go compiler and linker, and Go's standard packages, compiled once for all programs. Testify is among them.

Go's own tools then compile and link a program in a tenth of the time of `go build`. Programs can read the compiled
packages. Only the user who made the packages can write them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

from sandboxes.contract import Limits
from sandboxes.errors import SandboxUnavailable
from sandboxes.languages.compilers.compiled_libraries import COMPILE_TIMEOUT_SECONDS, kept_folder
from sandboxes.languages.steps import Command

GOPATH = "/usr/share/gocode"
"""The folder of Go's libraries in Debian's packages."""

LIBRARIES = tuple(f"github.com/stretchr/testify/{name}" for name in ("assert", "require", "suite", "mock"))
LIST_FORMAT = "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}"
TOKEN_FILE, NAMES_FILE, MAIN_FILE = "code_eval_token.go", "code_eval_names.go", "code_eval_main.go"
CODE_FILE, TEST_FILE = "candidate.go", "candidate_test.go"
CODE_FILES = (TOKEN_FILE, NAMES_FILE, CODE_FILE, TEST_FILE)


@lru_cache(maxsize=1)
def compiled_stdlib() -> tuple[str, str]:
    """Return the folder of the compiled packages and the folder of Go's tools. The first call compiles the packages.

    Raises:
        SandboxUnavailable: if Go is not installed, or can't compile its own packages.
    """
    version, tools, architecture = go("env", "GOVERSION", "GOTOOLDIR", "GOARCH").split()
    installed = [name for name in LIBRARIES if Path(GOPATH, "src", name).is_dir()]
    digest = hashlib.sha256(repr((version, architecture, installed, tools)).encode()).hexdigest()[:12]
    folder = kept_folder(f"{version}-{digest}", lambda partial, folder: compile_stdlib(partial, folder, installed))
    return str(folder), tools


def version() -> tuple[str, ...]:
    """Return the command that prints the version of the Go compiler."""
    return (f"{compiled_stdlib()[1]}/compile", "-V")


def compile_stdlib(partial: Path, folder: Path, libraries: list[str]) -> None:
    """Compile Go's packages, and write the list of them.

    Args:
        partial: the folder to write into.
        folder: the folder's path when it is finished, which the list names.
        libraries: import paths of packages beside Go's own.
    """
    with tempfile.TemporaryDirectory() as cache:
        listing = go("list", "-export", "-deps", "-f", LIST_FORMAT, "std", *libraries, GOCACHE=cache)
        lines = []
        for number, line in enumerate(listing.splitlines()):
            name, _, path = line.partition("=")
            shutil.copyfile(path, partial / f"{number}.a")
            lines.append(f"packagefile {name}={folder}/{number}.a\n")
    (partial / "packages").write_text("".join(lines))
    # The candidate's package is in the program's own folder.
    (partial / "packages_with_candidate").write_text("".join([*lines, "packagefile candidate=candidate.a\n"]))


def go(*arguments: str, **environment: str) -> str:
    """Return the output of the go command.

    Raises:
        SandboxUnavailable: if the command is not installed, or fails.
    """
    settings = {
        "GO111MODULE": "off",
        "GOPATH": GOPATH,
        "GOFLAGS": "",
        "GOENV": "off",
        "CGO_ENABLED": "0",
        **environment,
    }
    # No other variables: programs of the same user without namespaces can read a process's environment.
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    try:
        completed = subprocess.run(
            ("go", *arguments),
            env={**inherited, **settings},
            capture_output=True,
            text=True,
            timeout=COMPILE_TIMEOUT_SECONDS,
            check=True,
        )
    except FileNotFoundError as error:
        raise SandboxUnavailable("go programs need go: install Debian's package golang-go") from error
    except (subprocess.SubprocessError, OSError) as error:
        reason = getattr(error, "stderr", None) or str(error)
        raise SandboxUnavailable(f"go can't compile its own packages: {reason.strip()[:500]}") from error
    return completed.stdout


def build(
    limits: Limits, code: tuple[str, ...] = CODE_FILES, main: tuple[str, ...] = (MAIN_FILE,)
) -> tuple[Command, ...]:
    """Return the commands that make `program` of a candidate's package and a `main` package.

    Args:
        limits: of the compiler.
        code: files of the candidate's package. Go initialises their variables in this order.
        main: files of the `main` package.
    """
    folder, tools = compiled_stdlib()
    packages, with_candidate = f"{folder}/packages", f"{folder}/packages_with_candidate"
    compiler, linker = f"{tools}/compile", f"{tools}/link"
    compile_code = (compiler, "-o", "candidate.a", "-p", "candidate", "-importcfg", packages, "-pack", *code)
    compile_main = (compiler, "-o", "main.a", "-p", "main", "-importcfg", with_candidate, "-pack", *main)
    return (
        Command(compile_code, limits, True, needs=(packages,)),
        Command(compile_main, limits, True),
        Command((linker, "-s", "-w", "-o", "program", "-importcfg", with_candidate, "main.a"), limits, True),
    )


def build_standalone(limits: Limits) -> tuple[Command, ...]:
    """Return the commands that make `program` of `candidate.go` alone."""
    folder, tools = compiled_stdlib()
    packages = f"{folder}/packages"
    compiler = (f"{tools}/compile", "-o", "program.a", "-p", "main", "-importcfg", packages, "-pack", CODE_FILE)
    return (
        Command(compiler, limits, True, needs=(packages,)),
        Command((f"{tools}/link", "-s", "-w", "-o", "program", "-importcfg", packages, "program.a"), limits, True),
    )
