"""The page `docs/command.md`: its commands run, in their order."""

import re
import shutil

import pytest

from support.metric_and_command import ROOT, python

pytestmark = pytest.mark.slow(seconds=60)

PAGE = (ROOT / "docs" / "command.md").read_text(encoding="utf-8")


@pytest.fixture
def place(tmp_path):
    """Return a folder that has the examples, and the settings of the page."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    [settings] = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    # One example's candidate never ends, and each command runs it.
    (tmp_path / "pyproject.toml").write_text(re.sub(r"^timeout = \d+$", "timeout = 1", settings, flags=re.MULTILINE))
    return tmp_path


def test_commands_run(place):
    """Each command of the page runs in turn, and ends well, or with the status that a comment after it names."""
    lines = [line for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.M | re.S) for line in block.splitlines()]
    commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ code-eval ")]
    assert commands
    for command in commands:
        words, _, status = command.partition("  # status ")
        done = python("-m", "code_tasks.cli", *words.split()[1:], cwd=place)
        assert done.returncode == int(status or 0), f"{command}\n{done.stdout}{done.stderr}"
