"""JavaScript and TypeScript. Node runs the file of `javascript_runner`, which reads candidate and tests."""

from __future__ import annotations

import re
from collections.abc import Callable

from sandboxes.contract import Limits
from sandboxes.languages.apart.javascript_driver import DRIVER_FILE, driver_text
from sandboxes.languages.apart.javascript_jest import read_jest, reason_for_candidate
from sandboxes.languages.apart.javascript_jest_imports import GLOBALS
from sandboxes.languages.apart.javascript_link import RUNNER_FILE, runner_text
from sandboxes.languages.base import (
    TESTS_FOLDER,
    Language,
    Recipe,
    SeparateRecipe,
    SplitRecipe,
    fixed_build,
    heap_mb,
    linked,
)
from sandboxes.languages.calls.scripts import javascript_call
from sandboxes.languages.compilers.quick_builds import IS_PREPARED, QUICK_FILE, quick_build
from sandboxes.languages.compilers.typescript_compiler import (
    CHECKED_FILE,
    TRANSPILE,
    TRANSPILE_FILE,
    prepare_snapshot,
    snapshot_path,
)
from sandboxes.languages.javascript_runner import RUNNER
from sandboxes.languages.steps import Command

NODE_FILE = "code_eval_run.js"
"""The file that Node runs."""

TYPE_CHECK = "// @ts-check"
"""A comment of TypeScript's, with which tests ask for a check of types. It covers both parts, joined as one text."""

ES_MODULE = re.compile(r"^\s*(?:import\s+[\w{*\"']|export\s)", re.MULTILINE)


def javascript_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a JavaScript program with tests: text by path."""
    runner = RUNNER % {"shows_exports": "false", "module": f"/{ES_MODULE.pattern}/m"}
    return {**part_files(candidate, tests, "js"), NODE_FILE: runner}


def javascript_standalone_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a JavaScript candidate alone. A candidate that imports or exports is a module."""
    if ES_MODULE.search(candidate):
        return {"candidate.mjs": candidate, NODE_FILE: 'import("./candidate.mjs");\n'}
    return {"candidate.js": candidate, NODE_FILE: 'require("./candidate.js");\n'}


def typescript_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a TypeScript program with tests, with the script that makes JavaScript of them."""
    runner = RUNNER % {"shows_exports": "true", "module": "/(?!)/"}
    files = {**part_files(candidate, tests, "ts"), TRANSPILE_FILE: TRANSPILE, NODE_FILE: runner}
    joined = {CHECKED_FILE: f"{candidate}\n{tests}"} if tests.startswith(TYPE_CHECK) else {}
    return {**files, **joined, QUICK_FILE: f"{snapshot_path()}\n"}


def javascript_candidate_files(candidate: str) -> dict[str, str]:
    """Return the files of a JavaScript candidate whose tests run apart."""
    return {"candidate.js": candidate, DRIVER_FILE: driver_text(f"/{ES_MODULE.pattern}/m")}


def javascript_tests_files(tests: str) -> dict[str, str]:
    """Return the files of JavaScript tests that run apart."""
    return {"tests.js": own_code(tests), RUNNER_FILE: runner_text(tests)}


def typescript_split_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a TypeScript candidate and tests that run apart from it."""
    files = {**typescript_files(candidate, own_code(tests)), DRIVER_FILE: driver_text("/(?!)/")}
    if CHECKED_FILE in files and read_jest(tests) is not None:
        files[CHECKED_FILE] += f"declare var {', '.join(f'{name}: any' for name in sorted(GLOBALS))};\n"
    del files[NODE_FILE]
    return {**files, f"{TESTS_FOLDER}/{RUNNER_FILE}": runner_text(tests)}


def typescript_standalone_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a TypeScript candidate alone."""
    files = {"candidate.ts": candidate, TRANSPILE_FILE: TRANSPILE, NODE_FILE: 'require("./candidate.js");\n'}
    return {**files, QUICK_FILE: f"{snapshot_path()}\n"}


def own_code(tests: str) -> str:
    """Return the text of tests that run apart, without statements that import the candidate or jest."""
    jest = read_jest(tests)
    return tests if jest is None else jest.code


def only_apart(tests: str) -> str:
    """Return "jest" if tests are for jest, which never run with the candidate."""
    return "" if read_jest(tests) is None else "jest"


def part_files(candidate: str, tests: str, suffix: str) -> dict[str, str]:
    """Return the files of both parts. A program without tests is its own test."""
    if not tests.strip():
        return {f"tests.{suffix}": candidate}
    return {f"candidate.{suffix}": candidate, f"tests.{suffix}": tests}


def node(limits: Limits, *words: str) -> tuple[str, ...]:
    """Return a command of Node's. Before version 20.12, scripts can import modules only with its first option."""
    return ("node", "--experimental-vm-modules", f"--max-old-space-size={heap_mb(limits)}", *words)


def run_node(limits: Limits, *options: str) -> Command:
    """Return the command that runs NODE_FILE."""
    return Command(node(limits, *options, NODE_FILE), limits, reserves_memory=True)


def run_linked(file: str) -> Callable[[Limits], Command]:
    """Return the run of one side of a program whose tests run apart."""
    return lambda limits: linked(*node(limits, file), reserves_memory=True)(limits)


def run_node_tests(limits: Limits) -> Command:
    """Return the command that runs NODE_FILE with tests. No listener can keep a rejected promise from failing them."""
    return run_node(limits, "--unhandled-rejections=strict")


BUILD_TYPESCRIPT = quick_build(
    ("node",), IS_PREPARED, 'node --snapshot-blob "$prepared"', f"exec node {TRANSPILE_FILE}"
)
JAVASCRIPT = Language(
    name="javascript",
    label="JavaScript",
    with_tests=Recipe(javascript_files, fixed_build(), run_node_tests),
    standalone=Recipe(javascript_standalone_files, fixed_build(), run_node),
    version=lambda: ("node", "--version"),
    package="nodejs",
    image="node:20",
    highlight="javascript",
    canary=("const add = (a, b) => a + b;", "require('assert').equal(add(2, 3), 5);"),
    calls=javascript_call,
    aliases=("js",),
    apart=SeparateRecipe(
        javascript_candidate_files, javascript_tests_files, run_linked(DRIVER_FILE), run_linked(RUNNER_FILE)
    ),
    reason_for_candidate=reason_for_candidate,
    only_apart=only_apart,
    tools=("node", "jest"),
)
TYPESCRIPT = Language(
    name="typescript",
    label="TypeScript",
    with_tests=Recipe(typescript_files, BUILD_TYPESCRIPT, run_node_tests, sources=(".ts",)),
    standalone=Recipe(typescript_standalone_files, BUILD_TYPESCRIPT, run_node),
    version=lambda: ("tsc", "--version"),
    package="node-typescript",
    image="node:20, with the package typescript",
    highlight="typescript",
    canary=(
        "const add = (a: number, b: number): number => a + b;",
        "declare var require: any;\nrequire('assert').equal(add(2, 3), 5);",
    ),
    calls=javascript_call,
    aliases=("ts",),
    apart=SplitRecipe(typescript_split_files, BUILD_TYPESCRIPT, run_linked(DRIVER_FILE), run_linked(RUNNER_FILE)),
    reason_for_candidate=reason_for_candidate,
    only_apart=only_apart,
    tools=("node", "tsc", "jest"),
    prepared_here=prepare_snapshot,
)
