"""Each block of each page that no test runs says in its title what it needs, and names what is there."""

import ast
import pkgutil
import re
import shlex

import pytest
from typer.main import get_command

from code_tasks.cli.main import CodeEvalCommands, app
from support.pages import OWN_TESTS, PAGES, ROOT, SHELL, blocks_of, name_of, run_blocks

# What the title of a block may say, and why no test runs the block as it stands.
TITLES = {
    "needs Docker": "tests of Docker make images of their own, without a registry",
    "needs a cluster": "tests start a Ray of their own",
    "needs a model": "tests have a server that answers as a model",
    "needs half an hour": ".ci/run runs it",
    "needs more than an hour": ".ci/run runs it",
    "needs three minutes": ".ci/run runs it",
    "needs the Hub": "tests have a server that answers as the Hub",
    "needs more Pythons": "tests/languages/test_python_versions.py",
    "needs Swift": "tests/languages/test_swift.py",
    "needs your own files": "the files are not part of the project",
    "takes half an hour": "tests/pool/test_soak.py",
    "runs until it is ended": "tests start servers with ports of their own",
    # The tests of frameworks run in environments of their own.
    "needs Weights & Biases and MLflow": "tests/integrations/test_trackers.py",
    "needs BigCodeBench": "tests/integrations/test_bigcodebench.py",
    "needs EvalPlus": "tests/scoring/test_formats.py",
    "needs Inspect": "tests/integrations/test_inspect_ai.py",
    "needs OpenEnv": "tests/integrations/test_openenv.py",
    "needs TRL": "tests/integrations/test_trl_grpo.py",
    "needs bigcode-evaluation-harness": "tests/cli/test_harness_examples.py",
    "needs lighteval": "tests/integrations/test_lighteval.py",
    "needs lm-eval": "tests/cli/test_harness_examples.py",
    "needs smolagents": "tests/integrations/test_smolagents.py",
    "needs verifiers": "tests/integrations/test_verifiers.py",
    "needs verl": "tests/integrations/test_verl.py",
}
# Options in the text that belong to programs of others, or to scripts of this repository.
OTHER_OPTIONS = {
    "docker": {"--build-arg", "--cap-add", "--privileged", "--security-opt", "--user"},
    "frameworks": {"--custom-tasks", "--env.taskset.", "--execution", "--gradio_endpoint", "--save_references"},
    "scripts": {"--docker-image", "--pairs", "--short"},
}


@pytest.mark.parametrize("code", ["assert one == 2", ">>> one\n2", "import nothing_of_that_name"])
def test_wrong_examples_are_found(code):
    """An example that does not run, or prints something else, fails this file's own check."""
    with pytest.raises((AssertionError, ImportError)):
        run_blocks(f"```python\none = 1\n```\n\n```python\n{code}\n```\n", "page")


@pytest.mark.parametrize("script", ["false", "echo one\ntwo"])
def test_wrong_commands_are_found(script):
    """A command that fails, or does not write what the page shows, fails this file's own check."""
    with pytest.raises(AssertionError):
        run_blocks(f"```console\n$ {script}\n```\n", "page")


@pytest.mark.parametrize(("page", "test"), OWN_TESTS.items())
def test_own_tests(page, test):
    """A page that is not run here is named by the test that runs it."""
    assert page.rpartition("/")[2] in (ROOT / test).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_titles(page):
    """A title is known. It is one that says why the block is not run."""
    blocks = blocks_of(page.read_text(encoding="utf-8"), "python", *SHELL)
    assert {block.title for block in blocks} - {""} <= set(TITLES)


def test_titles_are_used():
    """Each known title stands in some page, and the test file that it stands for is there."""
    used = {block.title for page in PAGES for block in blocks_of(page.read_text(encoding="utf-8"), "python", *SHELL)}
    assert set(TITLES) - used == set()
    assert [test for test in TITLES.values() if test.startswith("tests/") and not (ROOT / test).exists()] == []


def imported_names(code):
    """Return "module:name" of each name of our packages that a block imports."""
    imports = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom))
    return {
        f"{node.module}:{alias.name}"
        for node in imports
        if node.module.partition(".")[0] in ("sandboxes", "code_tasks")
        for alias in node.names
    }


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_that_is_not_run(page):
    """A block with a title is valid Python, and imports what is there, as far as its framework is not needed."""
    blocks = blocks_of(page.read_text(encoding="utf-8"), "python")
    for name in {name for block in blocks if block.title for name in imported_names(block.code)}:
        if not name.startswith("code_tasks.adapters."):
            pkgutil.resolve_name(name)
        else:
            module, _, attribute = name.partition(":")
            path = ROOT / module.replace(".", "/")
            source = path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"
            assert re.search(rf"\b{attribute}\b", source.read_text(encoding="utf-8"))


def commands_of(text):
    """Return the words of each `code-eval` command in the blocks and in the inline code of a Markdown text."""
    shell = "\n".join(block.script for block in blocks_of(text, *SHELL))
    lines = re.findall(r"(?:^|&& |\b[A-Z_]+=\S+ )code-eval (.*)", shell.replace("\\\n", " "), re.MULTILINE)
    lines += re.findall(r"`code-eval ([^`]*)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    return [shlex.split(line.partition("&&")[0].partition("|")[0], comments=True) for line in lines]


def after_group_options(words):
    """Return the words of a line from its command on."""
    by_name = {option: each for each in get_command(app).params for option in [*each.opts, *each.secondary_opts]}
    while words and words[0] in by_name:
        words = words[1 if getattr(by_name[words[0]], "is_flag", False) else 2 :]
    return words


def parser_of(words):
    """Return the command that some words name, or None if there is none."""
    command = CodeEvalCommands().commands.get(words[0])
    command = command.loaded if command else None
    for word in words[1:2]:
        command = getattr(command, "commands", {}).get(word, command)
    return command


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands(page):
    """Each `code-eval` command that a page shows is there, and has the options that the page gives to it."""
    unknown = []
    for words in map(after_group_options, commands_of(page.read_text(encoding="utf-8"))):
        if not words or words == ["--help"]:
            continue
        command = parser_of(words)
        options = {option for each in getattr(command, "params", ()) for option in [*each.opts, *each.secondary_opts]}
        given = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)} - {"--help"}
        if command is None or given - options:
            unknown.append((words, given - options))
    assert unknown == []


def all_options():
    """Return the options of all commands."""
    groups = [command.loaded for command in CodeEvalCommands().commands.values()]
    commands = [
        get_command(app),
        *groups,
        *(each for group in groups for each in getattr(group, "commands", {}).values()),
    ]
    parameters = [parameter for command in commands for parameter in command.params]
    return {option for each in parameters for option in [*each.opts, *each.secondary_opts]} | {"--help"}


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=name_of)
def test_options_in_the_text(page):
    """An option that the text of a page names belongs to a command, or to a known program of others."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"`(--[a-z][^` =]*)[^`]*`", text))
    assert named - all_options() - set.union(*OTHER_OPTIONS.values()) == set()
