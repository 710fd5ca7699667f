"""The files of .github, the Makefile and the pre-commit hooks: valid, with few rights, and true to the tree."""

import re
import shlex
import tomllib

import pytest
import yaml

from support.metric_and_command import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FILES = [*sorted((ROOT / ".github").rglob("*.yml")), ROOT / ".pre-commit-config.yaml"]
TARGETS = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
# The only rights beyond reading the repository, by workflow and job.
RIGHTS = {
    ("codeql.yml", "analyze"): {"contents": "read", "security-events": "write"},
    ("release.yml", "publish"): {"attestations": "write", "contents": "write", "id-token": "write"},
}


def name_of(path):
    """Return a file's path in the repository."""
    return str(path.relative_to(ROOT))


def steps_of(path):
    """Return the steps of all jobs of a workflow."""
    return [step for job in yaml.safe_load(path.read_text())["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_are_valid_yaml(path):
    """A file is a mapping in YAML, of 60 lines at most."""
    text = path.read_text(encoding="utf-8")
    assert isinstance(yaml.safe_load(text), dict)
    assert len(text.splitlines()) <= 60


@pytest.mark.parametrize("path", WORKFLOWS, ids=name_of)
def test_rights(path):
    """A workflow reads the repository. Only jobs of RIGHTS may do more, and no checkout keeps a token."""
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    jobs = {(path.name, name): job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
    assert jobs == {key: rights for key, rights in RIGHTS.items() if key[0] == path.name}
    checkouts = [step for step in steps_of(path) if step.get("uses", "").startswith("actions/checkout@")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


@pytest.mark.parametrize("path", WORKFLOWS, ids=name_of)
def test_actions_have_a_version(path):
    """A step uses an action by its version, never by a branch."""
    used = [step["uses"] for step in steps_of(path) if "uses" in step]
    assert used
    assert [action for action in used if not re.fullmatch(r"[\w-]+/[\w/-]+@v\d+(\.\d+)*", action)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=name_of)
def test_jobs_end(path):
    """Each job has a limit on its time."""
    assert all("timeout-minutes" in job for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values())


@pytest.mark.parametrize("path", WORKFLOWS, ids=name_of)
def test_commands_name_what_is_there(path):
    """A command of a step names files of the repository that are there, and targets of the Makefile."""
    for script in (step["run"] for step in steps_of(path) if "run" in step):
        files = re.findall(r"(?<![\w/])(?:\.ci|performance|tests|docker)/[\w./-]+", script)
        assert [file for file in files if not (ROOT / file).exists()] == []
        for targets in re.findall(r"^make (.*)$", script, re.MULTILINE):
            assert set(targets.split()) <= set(TARGETS)


def test_ci_runs_the_project_s_own_command():
    """A workflow calls .ci/run, with the oldest and the newest Python that the package names."""
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    job = workflow["jobs"]["all"]
    assert any(step.get("run", "").endswith(" .ci/run") for step in job["steps"])
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    versions = re.findall(r"Programming Language :: Python :: (\d\.\d+)", text)
    assert job["strategy"]["matrix"]["python"] == [versions[0], versions[-1]]
    assert workflow["jobs"]["quick"]["strategy"]["matrix"]["python"] == versions[1:-1]


def test_release_builds_what_is_there():
    """A tag alone starts a release, which sets the variable that setup.py reads, and names the package as pip does."""
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    # YAML 1.1 reads the key `on` as true.
    assert yaml.safe_load(text)[True] == {"push": {"tags": ["v*"]}}
    [variable] = re.findall(r"CODE_EVAL_\w+", text)
    assert f'environ.get("{variable}")' in (ROOT / "setup.py").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert f"dist/{project['project']['name'].replace('-', '_')}-$" in text
    tested = re.findall(r"\{project\}/(\S+)", " ".join(project["tool"]["cibuildwheel"]["test-command"]))
    assert tested and all((ROOT / name).is_file() for name in tested)


def test_makefile():
    """The Makefile has five targets, and its checks are those of CI."""
    assert len(TARGETS) == 5
    checks = re.search(r"^check:\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[1]
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert all(f"\n{line.strip()}\n" in ci for line in checks.splitlines())


def test_hooks_are_checks_of_ci():
    """Each pre-commit hook runs a program that CI runs, in the version of the project's environment."""
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = [hook for repository in config["repos"] for hook in repository["hooks"]]
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert hooks and all(hook["language"] == "system" for hook in hooks)
    assert {shlex.split(hook["entry"])[0] for hook in hooks} <= {line.split()[0] for line in ci if line.strip()}
