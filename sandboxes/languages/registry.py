"""All languages by name, and what callers do with them: build programs, look for compilers, say what to install."""

from __future__ import annotations

import glob
from collections.abc import Collection
from weakref import WeakKeyDictionary

from sandboxes.backends.host_state import PROGRAM_PATH
from sandboxes.contract import Limits
from sandboxes.errors import SandboxUnavailable
from sandboxes.languages.ada import ADA
from sandboxes.languages.base import (
    COMPILE_SECONDS,
    Language,
)
from sandboxes.languages.bash import BASH
from sandboxes.languages.c_family import C_LANGUAGE
from sandboxes.languages.clojure import CLOJURE
from sandboxes.languages.coq import COQ
from sandboxes.languages.cpp import CPP_LANGUAGE, CPP_STANDARDS
from sandboxes.languages.csharp import CSHARP
from sandboxes.languages.d import D
from sandboxes.languages.elixir import ELIXIR
from sandboxes.languages.fortran import FORTRAN
from sandboxes.languages.go import GO
from sandboxes.languages.haskell import HASKELL
from sandboxes.languages.java import JAVA
from sandboxes.languages.java_versions import JAVA_VERSIONS
from sandboxes.languages.javascript import JAVASCRIPT, TYPESCRIPT
from sandboxes.languages.kotlin import KOTLIN
from sandboxes.languages.lua import LUA
from sandboxes.languages.ocaml import OCAML
from sandboxes.languages.octave import OCTAVE
from sandboxes.languages.perl import PERL
from sandboxes.languages.php import PHP
from sandboxes.languages.python_versions import PYTHON_VERSIONS
from sandboxes.languages.r import R
from sandboxes.languages.racket import RACKET
from sandboxes.languages.ruby import RUBY
from sandboxes.languages.rust import RUST
from sandboxes.languages.scala import SCALA
from sandboxes.languages.sql import SQL
from sandboxes.languages.steps import SCRIPT_FILE, Command, StepPlan, TestRun, step_program
from sandboxes.languages.swift import SWIFT
from sandboxes.runner import Runner
from sandboxes.workers.sandbox import Sandbox

LANGUAGES = {
    language.name: language
    for language in (
        JAVA,
        GO,
        JAVASCRIPT,
        TYPESCRIPT,
        CPP_LANGUAGE,
        C_LANGUAGE,
        RUST,
        BASH,
        RUBY,
        PHP,
        LUA,
        PERL,
        R,
        OCTAVE,
        RACKET,
        ELIXIR,
        CLOJURE,
        OCAML,
        HASKELL,
        ADA,
        CSHARP,
        D,
        FORTRAN,
        SCALA,
        KOTLIN,
        COQ,
        SWIFT,
        SQL,
        *CPP_STANDARDS,
        *JAVA_VERSIONS,
        *PYTHON_VERSIONS,
    )
}
"""Every language but Python by its name."""

NAMES = ("python", *LANGUAGES)
LABELS = {"python": "Python", **{name: language.label for name, language in LANGUAGES.items()}}
"""The names that people read, by name."""

HIGHLIGHTS = {"python": "python", **{name: language.highlight for name, language in LANGUAGES.items()}}
"""The languages of Gradio's code editor, by name."""

ALIASES = {"py": "python", **{alias: name for name, language in LANGUAGES.items() for alias in language.aliases}}
"""Names by the other names that datasets use."""

VARIANTS = {name: language.variant_of for name, language in LANGUAGES.items() if language.variant_of}
"""Languages by the names of their standards and versions."""

TOOLS = tuple(dict.fromkeys(tool for language in LANGUAGES.values() for tool in language.tools))
"""The compilers and interpreters of all languages."""

WITHOUT_PACKAGE = {
    "dart": "Dart",
    "jl": "Julia",
    "julia": "Julia",
    "lean": "Lean",
    "zig": "Zig",
}
"""The labels of languages that benchmarks have and Debian has not, by their names."""

_versions: WeakKeyDictionary[Runner, dict[str, str]] = WeakKeyDictionary()


def checked_language(name: object) -> str:
    """Return the name of a language.

    Raises:
        ValueError: if there is no such language.
    """
    if name not in NAMES:
        raise ValueError(f"unknown language {name!r}{lack_of_package(name)}; choose one of {', '.join(NAMES)}")
    return str(name)


def lack_of_package(name: object) -> str:
    """Return the part of a message that says that Debian has no package of a language; "" if that is not the reason."""
    label = WITHOUT_PACKAGE.get(name) if isinstance(name, str) else None
    return f" (Debian has no package of {label})" if label else ""


def is_python(name: str) -> bool:
    """Return whether a language is Python of any version."""
    return VARIANTS.get(name, name) == "python"


def probe_version(pool: Runner, name: str) -> str:
    """Return the version of a language in a sandbox, as the language's own command prints it. Asked once per pool.

    Raises:
        SandboxUnavailable: if the sandbox does not have the language. The message says what to install.
    """
    if version := _versions.setdefault(pool, {}).get(name):
        return version
    language = LANGUAGES[name]
    limits = Limits(wall_seconds=COMPILE_SECONDS)
    asked = language.version()
    files, argv = ({SCRIPT_FILE: asked}, None) if isinstance(asked, str) else ({}, asked)
    # A guest that breaks would be started three times.
    command = Command(argv, limits, reserves_memory=True, may_be_missing=True)
    plan = StepPlan((), (TestRun(command),), returns_output=True)
    [verdict] = pool.run_all([step_program(files, plan, limits)], 1, on_sandbox_error="exclude")
    if isinstance(verdict, SandboxUnavailable) or not verdict.passed:
        reason = verdict if isinstance(verdict, SandboxUnavailable) else verdict.detail
        # Some commands set variables first.
        tool = language.tools[0] if argv is None or argv[0] in ("env", "sh") else argv[0]
        raise SandboxUnavailable(
            f"{name} programs need {tool}, which the {pool.sandbox.name} sandbox does not have ({reason}): "
            + install_hint(language, pool.sandbox)
        )
    _versions[pool][name] = (verdict.stdout.strip() or verdict.stderr.strip()).splitlines()[0]
    return _versions[pool][name]


def install_hint(language: Language, sandbox: Sandbox) -> str:
    """Return a hint for the user whose sandbox does not have a language.

    Args:
        language: the missing language.
        sandbox: the sandbox.
    """
    if language.image is None:
        return f"install Debian's package {language.package} here; containers have to be on this machine too"
    if not language.package:
        command, image = language.tools[0], f'"{language.image}"'
        if not sandbox.uses_host_files:
            return f"choose an image that has it, such as {image}"
        return (
            f'install {command} where programs find it, in {PROGRAM_PATH}, or use sandbox="docker" with image={image}'
        )
    if not sandbox.uses_host_files:
        return f'choose an image that has it, such as "{language.image}", or Debian with {language.package} and python3'
    return f'install Debian\'s package {language.package}, or use sandbox="docker" with image="{language.image}"'


def required_paths(names: Collection[str], uses_host_files: bool = True) -> list[str]:
    """Return the files and folders of this machine that programs of some languages must see.

    Args:
        names: of languages.
        uses_host_files: False if the programs see the files of an image, which has all but what is compiled here.
            What is prepared here is for the compilers of this machine alone.

    Raises:
        SandboxUnavailable: if a file is missing and can't be built.
    """
    languages = [LANGUAGES[name] for name in sorted({*names} - {"python"})]
    patterns = [pattern for language in languages if uses_host_files for pattern in language.paths]
    paths = [path for pattern in patterns for path in glob.glob(pattern)]
    if uses_host_files:
        paths += [path for language in languages if language.prepared_here for path in language.prepared_here()]
    return [*paths, *(path for language in languages if language.compiled_here for path in language.compiled_here())]
