"""What a command imports before it is needed: packages that take long to import are left alone."""

import inspect
import json

import pytest

from code_tasks.cli.lazy_commands import LazyCommand
from code_tasks.cli.main import COMMANDS
from support.metric_and_command import PROBLEM, python

HEAVY = {"datasets", "evaluate", "gradio", "jinja2", "numpy", "openai", "pandas", "plotly", "pyarrow", "ray", "torch"}
IMPORTED = """
import json, sys
try:
    {code}
except SystemExit as ended:
    assert not ended.code, ended.code
print()
print(json.dumps(sorted({{name.partition(".")[0] for name in sys.modules}})))
print(json.dumps(sorted(sys.modules)))
"""
COMPLETION = "from code_tasks.cli.main import app; app(prog_name='code-eval')"
MODULES = {f"code_tasks.cli.{source.partition(':')[0]}" for source, *_ in COMMANDS.values()}
CALL = "from code_tasks.cli.main import app; app({arguments!r})"


def imported(code):
    """Return what a process has imported after some code: (top-level names, names of modules)."""
    done = python("-c", IMPORTED.format(code=code))
    assert done.returncode == 0, done.stderr
    packages, modules = (set(json.loads(line)) for line in done.stdout.splitlines()[-2:])
    return packages, modules


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["run", "--help"], ["audit", "--help"], ["compare", "--help"], ["view", "--help"], ["doctor"]],
    ids=" ".join,
)
def test_commands_that_read_nothing(arguments):
    """Neither help nor the doctor imports a package that takes long to import."""
    packages, _ = imported(CALL.format(arguments=arguments))
    assert packages & HEAVY == set()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "audit"])
def test_commands_that_run_programs(command, tmp_path):
    """Running one sample, or auditing one problem, imports no package that takes long to import."""
    problems, samples = tmp_path / "problems.jsonl", tmp_path / "samples.jsonl"
    problems.write_text(json.dumps({**PROBLEM, "canonical_solution": "    return a + b\n"}))
    samples.write_text(json.dumps({"task_id": PROBLEM["task_id"], "completion": "    return a + b\n"}))
    files = [samples] if command == "run" else []
    packages, _ = imported(CALL.format(arguments=[command, *map(str, [*files, "--problems", problems])]))
    assert packages & HEAVY == set()


@pytest.mark.parametrize("code", ["import sandboxes", "import code_tasks", "import sandboxes.config"])
def test_packages(code):
    """Importing the sandboxes, or the evaluations on top, imports no package that takes long to import."""
    packages, _ = imported(code)
    assert packages & HEAVY == set()


def test_names_of_the_face_are_imported_late():
    """Neither the import of the sandboxes nor an evaluator's imports asyncio, sessions or what uses a cluster."""
    late = {"asyncio", "importlib.metadata", "sandboxes.sessions.session", "sandboxes.cluster.pool"}
    _, modules = imported("import sandboxes")
    assert not modules & {*late, "sandboxes.evaluator"}
    _, modules = imported("from sandboxes import EvalConfig, Evaluator, Pool, Program, open_sandbox")
    assert modules & {*late, "sandboxes.evaluator"} == {"sandboxes.evaluator"}


def test_list_of_commands_imports_no_command():
    """The list of commands is shown without the sandboxes, and without the modules of the commands."""
    packages, modules = imported(CALL.format(arguments=["--help"]))
    assert "sandboxes" not in packages
    assert modules & MODULES == set()


@pytest.mark.parametrize(
    ("words", "completed", "imports"),
    [("code-eval r", {"run", "report"}, set()), ("code-eval run --gr", {"--grading"}, {"code_tasks.cli.run"})],
)
def test_completion_imports_what_it_needs(words, completed, imports):
    """A shell's completion of a command's name imports no command, and that of an option one command alone."""
    variables = {"_CODE_EVAL_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": words.count(" ")}
    done = python("-c", IMPORTED.format(code=COMPLETION), **{name: str(value) for name, value in variables.items()})
    assert done.returncode == 0, done.stderr
    *names, _, _, modules = done.stdout.splitlines()
    assert ({*names}, {*json.loads(modules)} & MODULES) == (completed, imports)


@pytest.mark.parametrize("name", COMMANDS)
def test_text_in_the_list_is_the_commands_own(name):
    """The text in the list of commands begins the command's own help."""
    source, text, panel = COMMANDS[name]
    own = LazyCommand(name, f"code_tasks.cli.{source}", text, panel).loaded
    assert " ".join(inspect.cleandoc(own.help).partition("\n\n")[0].split()) == text
