"""The face of `sandboxes`: the names that others use, and the inner modules that they need all the same."""

import ast
import importlib

import pytest

import sandboxes
from support.metric_and_command import ROOT

FACE = """
AsyncSession BACKENDS CellError CellResult ClusterPool EvalConfig Evaluator GRADINGS InvalidTests Isolation LAYERS
Limits Outcome Pool ProcessResult Program ProgramBatch RawResult RawRun ReuseOptions RunResult RunStopped Sandbox
SandboxError SandboxUnavailable Session SessionEnded SessionLimits SessionRegistry Task TaskOptions TestResult Usage
UsageMeter Verdict close_pools estimate_pass_at_k open_sandbox result_dict warm_pool
""".split()

INNER = {
    "sandboxes.extraction": "solvers and rewards read answers",
    "sandboxes.extraction.hints": "the report and the metric say what answers look like",
    "sandboxes.tasks.assert_statements": "problems and the Space read tests before they are run",
    "sandboxes.backends.registry": "the metric checks its configuration name before anything is opened",
    "sandboxes.reuse.cache_store": "`code-eval cache` looks after the folder",
    "sandboxes.tasks.case_judging": "the server checks how a program of Codeforces reads its input",
    "sandboxes.tasks.judging_fields": "problems refuse fields that may decide and are not read",
    "sandboxes.tasks.io_cases": "problems and the Space read cases before they are run",
    "sandboxes.pass_at_k": "commands estimate from counts, without NumPy's arrays",
    "sandboxes.validation": "values and messages of options are checked and shortened alike everywhere",
    "sandboxes.available_languages": "the Space and the server probe languages when they start",
    "sandboxes.private_process": "servers of strangers keep their memory to themselves",
    "sandboxes.tasks.analyses": "servers of strangers drop what they know about tests",
    "sandboxes.consent": "doors that are not commands ask for the consent to run programs",
    "sandboxes.pool.cpus": "doors share the CPUs among their own processes",
    "sandboxes.backends.docker.engine": "`code-eval docker` looks after the engine",
    "sandboxes.backends.docker.images": "`code-eval docker` looks after images",
    "sandboxes.tasks.empty_tests": "problems refuse tests that test nothing when a file is read",
    "sandboxes.languages.compilers.compiled_libraries": "expected results are kept beside compiled libraries",
    "sandboxes.languages.coq_source": "MultiPL-E's tests import what the prompt imports",
    "sandboxes.languages.csharp": "MultiPL-E's tests call the candidate's library",
    "sandboxes.languages.d": "MultiPL-E's tests call the candidate's module",
    "sandboxes.languages.swift_uses": "MultiPL-E's tests import what the prompt declares",
    "sandboxes.languages.compilers.go_toolchain": "CodeCorrectness builds Go projects itself",
    "sandboxes.languages.go": "CodeCorrectness and HumanEval-X read Go",
    "sandboxes.grading": "code-execution and the Space classify tests of their own",
    "sandboxes.imports": "packages are chosen by what programs import",
    "sandboxes.backends.confinement": "two entry points have a loopback network where it is possible",
    "sandboxes.backends.import_paths": "what is installed here is looked up where programs find it",
    "sandboxes.languages.java": "CodeCorrectness reads Java",
    "sandboxes.languages.compilers.java_compiler": "CodeCorrectness builds Java with the compiler that stays",
    "sandboxes.languages.java_junit": "CodeCorrectness runs JUnit as the language Java does",
    "sandboxes.languages.javascript": "MultiPL-E's tests ask for a check of types",
    "sandboxes.languages.apart.javascript_jest_runner": "SandboxFusion's jest is found as that of tests in a task",
    "sandboxes.languages.compilers.typescript_compiler": "SandboxFusion's jest compiles with the language's compiler",
    "sandboxes.languages.base": "a compiler's default time limit",
    "sandboxes.languages.comments": "Go and Java are read without their comments",
    "sandboxes.languages.judge_programs": "the server bounds the limits of programs that decide",
    "sandboxes.languages.programs": "`code-eval doctor` builds the canary of each language",
    "sandboxes.languages.registry": "names of languages, and what their programs need",
    "sandboxes.options.option": "the command makes its parameters from options",
    "sandboxes.options.checks": "the metric tells given options from the defaults of its parameters",
    "sandboxes.options.docs": "the metric's argument list is made from the option table",
    "sandboxes.options.table": "the command's options are those of the table",
    "sandboxes.config": "limits that a user gives replace those of a benchmark",
    "sandboxes.workers.canaries": "`code-eval doctor` shows the canaries",
    "sandboxes.outcome_labels": "outcomes have the same words and letters for people everywhere",
    "sandboxes.pool.progress": "every door shows the same bar",
    "sandboxes.tasks.results": "the metric's answer has a form of its own",
    "sandboxes.backends.kernel_settings": "`code-eval doctor` names the setting that forbids a layer",
    "sandboxes.backends.local_process": "`code-eval doctor` says whether the extension module is there",
    "sandboxes.runner": "types of callbacks and of what runs programs",
    "sandboxes.tasks.added_samples": "what both metrics share about samples that are added",
    "sandboxes.tasks.results_table": "results of a file are the same table in a notebook",
    "sandboxes.tasks.samples": "the metric's arguments have a form of their own",
    "sandboxes.languages.steps": "CodeCorrectness makes programs with steps of its own",
    "sandboxes.tasks.options": "extractors, and what languages need of a sandbox, are checked before problems are read",
    "sandboxes.tasks.batch": "a file's tests are all checked before any sample runs",
    "sandboxes.tasks.task": "references are normalized before they are stored or limited",
    "sandboxes.guest.common.checkers": "official forms of problems compare outputs as the checkers do",
    "sandboxes.guest.common.benchmark_checkers": "the same, because the checkers stand in several modules",
    "sandboxes.guest.common.call_results": "the same",
    "sandboxes.guest.common.training_checkers": "the same",
    "sandboxes.raw_runs.raw_run": "the server keeps as much output of a program as a raw run can",
    "sandboxes.separable_tests": "code-execution says why tests of its own run with the candidate",
    "sandboxes.tasks.unittest_harness": "code-execution harnesses tests of its own",
}
"""Modules that others import from past the face, each with the reason."""


def module_file(name):
    """Return the path of a module that is a file."""
    return ROOT.joinpath(*name.split(".")).with_suffix(".py")


def inner_imports(path):
    """Yield the modules of `sandboxes` that a file imports from."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sandboxes."):
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if module_file(name).exists() else node.module for name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module == "sandboxes":
            yield from (f"sandboxes.{alias.name}" for alias in node.names if alias.name not in FACE)


def test_the_face_has_these_names():
    """The face exports what is listed here, and nothing else."""
    assert sorted(sandboxes.__all__) == sorted(FACE)


def test_names_come_from_the_modules_that_the_type_checker_sees():
    """Each name of the face is imported late from the module from which the type checker takes it."""
    tree = ast.parse((ROOT / "sandboxes" / "__init__.py").read_text(encoding="utf-8"))
    [for_the_checker] = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {alias.name: node.module for node in for_the_checker.body for alias in node.names}
    assert {name: f"sandboxes.{module}" for name, module in sandboxes._MODULE_OF_NAME.items()} == seen
    assert sorted(seen) == sorted(FACE)


@pytest.mark.parametrize("name", FACE)
def test_each_name_is_there(name):
    """Each name of the face is found where the face says."""
    assert getattr(sandboxes, name) is not None
    assert name in dir(sandboxes)


def test_a_name_that_is_not_there():
    """An unknown name is an AttributeError, so `hasattr` works."""
    assert not hasattr(sandboxes, "no_such_name")
    assert sandboxes.warm_pools is importlib.import_module("sandboxes.warm_pools")


def test_imports_past_the_face_have_a_reason():
    """Every import of the product from past the face stands in the list, and the list has no others."""
    files = [*ROOT.glob("*.py")]
    for name in ("code_tasks", "space"):
        files += (ROOT / name).glob("**/*.py")
    assert {module for path in files for module in inner_imports(path)} == set(INNER)
