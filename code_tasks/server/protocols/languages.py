"""The names under which other services know languages, each with ours. The tables of the manual are made of them."""

from __future__ import annotations

from dataclasses import dataclass

from sandboxes.languages.registry import ALIASES, LABELS, NAMES, VARIANTS


@dataclass(frozen=True)
class ForeignLanguage:
    """A language, or a way to run it, under another service's name."""

    language: str
    """Our name of the language."""

    test_command: str = ""
    """The test runner that runs the file: one of TEST_COMMANDS. "": the file is a program."""


TEST_COMMANDS = ("pytest", "go test", "JUnit", "unittest", "jest")
"""Test runners that some names stand for."""

FUSION_LANGUAGES = {
    **{name: ForeignLanguage(name) for name in ("python", "cpp", "go", "java", "bash", "typescript", "rust", "c")},
    **{name: ForeignLanguage(name) for name in ("php", "lua", "perl", "ruby", "racket")},
    "R": ForeignLanguage("r"),
    "csharp": ForeignLanguage("csharp"),
    "scala": ForeignLanguage("scala"),
    "sql": ForeignLanguage("sql"),
    "swift": ForeignLanguage("swift"),
    "nodejs": ForeignLanguage("javascript"),
    "pytest": ForeignLanguage("python", "pytest"),
    "go_test": ForeignLanguage("go", "go test"),
    "junit": ForeignLanguage("java", "JUnit"),
    "D_ut": ForeignLanguage("d", "unittest"),
    "jest": ForeignLanguage("javascript", "jest"),
}
"""SandboxFusion's names. It has no C, which its clients can't ask for; others can."""

FUSION_UNAVAILABLE = (
    *("cuda", "julia", "kotlin_script"),
    *("verilog", "python_gpu", "lean", "python2", "gtest", "react"),
)
"""SandboxFusion's names of languages that no sandbox of ours has."""

FUSION_FENCES = {
    "python": ("python", "py", "python3"),
    "cpp": ("cpp", "c++"),
    "nodejs": ("javascript", "js"),
    "go": ("go",),
    "java": ("java",),
    "bash": ("bash", "sh", "shell"),
    "typescript": ("typescript",),
    "rust": ("rust", "rs"),
    "c": ("c",),
    "php": ("php",),
    "lua": ("lua",),
    "perl": ("perl", "pl"),
    "ruby": ("ruby", "rb"),
    "racket": ("racket", "rkt"),
    "R": ("r",),
    "csharp": ("csharp", "c#", "cs"),
    "scala": ("scala",),
    "sql": ("sql",),
    "swift": ("swift",),
}
"""The words after a fence that name a language, in any case, by SandboxFusion's names."""


@dataclass(frozen=True)
class Runtime:
    """A runtime of piston."""

    name: str
    language: str
    """Our name of the language."""

    aliases: tuple[str, ...] = ()
    runtime: str = ""
    """The field of the same name in piston's answers. "": the answer lacks it."""


PISTON_RUNTIMES = (
    Runtime("python", "python", ("py", "py3", "python3")),
    Runtime("javascript", "javascript", ("node-javascript", "node-js", "js"), "node"),
    Runtime("typescript", "typescript", ("node-typescript", "ts"), "node"),
    Runtime("c", "c", ("gcc",), "gcc"),
    Runtime("c++", "cpp", ("cpp", "g++"), "gcc"),
    Runtime("java", "java"),
    Runtime("go", "go", ("golang",)),
    Runtime("rust", "rust", ("rs",)),
    Runtime("bash", "bash", ("sh",)),
    Runtime("ruby", "ruby", ("ruby3", "rb")),
    Runtime("php", "php"),
    Runtime("lua", "lua"),
    Runtime("perl", "perl", ("pl",)),
    Runtime("rscript", "r", ("r",)),
    Runtime("octave", "octave"),
    Runtime("racket", "racket", ("rkt",)),
    Runtime("elixir", "elixir", ("exs",)),
    Runtime("clojure", "clojure", ("clj",)),
    Runtime("coq", "coq"),
    Runtime("ocaml", "ocaml", ("ml",)),
    Runtime("haskell", "haskell", ("hs",)),
    Runtime("ada", "ada", ("adb",)),
    Runtime("csharp", "csharp", ("mono", "mono-csharp", "mono-c#", "mono-cs", "c#", "cs"), "mono"),
    Runtime("d", "d", ("gdc",), "gcc"),
    Runtime("fortran", "fortran", ("f90",), "gcc"),
    Runtime("scala", "scala", ("sc",)),
    Runtime("kotlin", "kotlin", ("kt",)),
    Runtime("swift", "swift"),
    Runtime("sqlite3", "sql", ("sqlite", "sql")),
)
"""Runtimes that run programs as they stand."""

CODEFORCES, CMS = "codeforces", "cms_ioi"
"""The packages of open-r1 for piston. Their runtimes judge a program."""

JUDGING_RUNTIMES = (
    Runtime("c++17", "cpp", ("cf_c++17", "C++17 (GCC 7-32)", "C++17 (GCC 9-64)"), CODEFORCES),
    Runtime("cf_python3", "python", ("Python 3",), CODEFORCES),
    Runtime("cf_java", "java", ("Java 17",), CODEFORCES),
    Runtime("cms", "cpp", ("cms_ioi",), CMS),
)
"""Runtimes that judge a program. In piston, the second and the third are also called "python3" and "java"."""

NOTEBOOK_LANGUAGES = {
    "python": "python",
    "javascript": "javascript",
    "js": "javascript",
    "typescript": "typescript",
} | {name: name for name in ("bash", "java")}
"""The names of languages of scripts in open-r1's batches."""


def find_runtime(name: str) -> Runtime | None:
    """Return the runtime of a name or an alias. None if there is none."""
    return next((one for one in (*PISTON_RUNTIMES, *JUDGING_RUNTIMES) if name == one.name or name in one.aliases), None)


def available_names(names: dict[str, ForeignLanguage], offered: frozenset[str]) -> list[str]:
    """Return the names of languages that the server offers, in their order."""
    return [name for name, foreign in names.items() if foreign.language in offered]


def language_table() -> str:
    """Return the manual's table of names, in Markdown. Other services have no names for our variants of a language."""
    lines = ["| language | ours | SandboxFusion, verl | piston | open-r1's router |", "|---|---|---|---|---|"]
    for name in (name for name in NAMES if name not in VARIANTS):
        fusion = [one for one, foreign in FUSION_LANGUAGES.items() if foreign.language == name]
        piston = [
            f"`{alias}`"
            for runtime in (*PISTON_RUNTIMES, *JUDGING_RUNTIMES)
            for alias in (runtime.name, *runtime.aliases)
            if runtime.language == name
        ]
        router = [f"`{one}`" for one, ours in NOTEBOOK_LANGUAGES.items() if ours == name]
        own = [f"`{name}`", *(f"`{alias}`" for alias, ours in ALIASES.items() if ours == name)]
        cells = (LABELS[name], ", ".join(own), ", ".join(f"`{one}`" for one in fusion), ", ".join(piston))
        lines.append(f"| {' | '.join(cells)} | {', '.join(router)} |")
    return "\n".join(lines) + "\n"
