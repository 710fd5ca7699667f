"""The metric in a Space: `evaluate` downloads it from a server on loopback that answers as the Hub does."""

import shutil

import pytest

from support.hub_server import hub_server
from support.metric_and_command import METRIC, ROOT, python

pytestmark = pytest.mark.slow

SPACE, COMMIT = "ada/code_eval", "0123456789abcdef0123456789abcdef01234567"
SCORES = """
import sys, evaluate
predictions, references = [["def add(a, b): return a + b", "def add(a, b): return a * b"]], ["assert add(2, 3) == 5"]
metric = evaluate.load(sys.argv[1])
scores, results = metric.compute(predictions=predictions, references=references, k=[1], timeout=20.0)
print(type(metric).__module__, scores, results[0][0][1]["outcome"], results[0][1][1]["detail"])
"""
ANSWER = "{'pass@1': 0.5} passed AssertionError: add(2, 3) == 5, where it is 6 == 5"


def files_of_the_repository():
    """Return the files that a Space of this repository would have at its top, and those of the package."""
    paths = [*ROOT.glob("*.*"), *(ROOT / "sandboxes").glob("*.py")]
    return {str(path.relative_to(ROOT)): path.read_bytes() for path in paths if path.is_file()}


def scored(folder, name, program=SCORES, **variables):
    """Run a program that loads a metric, in an empty folder with a cache of its own. Return the finished process."""
    (folder / "empty").mkdir(exist_ok=True)
    switches = {"HF_EVALUATE_OFFLINE": "0", "HF_HUB_OFFLINE": "0", "HF_UPDATE_DOWNLOAD_COUNTS": "0"}
    variables = {"HF_HOME": str(folder / "home"), **switches, **variables}
    return python("-c", program, name, cwd=folder / "empty", **variables)


@pytest.fixture
def hub():
    """Start a Hub with this repository as a Space."""
    with hub_server({f"spaces/{SPACE}": {"main": files_of_the_repository()}}) as server:
        yield server


def test_load_from_a_space(hub, tmp_path):
    """`evaluate.load` downloads one file of the Space, and the metric runs with the package that is installed."""
    done = scored(tmp_path, SPACE, HF_ENDPOINT=hub.url)
    assert done.stdout.endswith(f" {ANSWER}\n") and "ada--code_eval" in done.stdout, done.stderr
    assert {path.rpartition("/")[2] for _, path in hub.requests if path.startswith("/spaces/")} == {"code_eval.py"}


def test_load_from_the_cache(hub, tmp_path):
    """What was loaded once is loaded again without a network, also from a copy of the cache on another machine."""
    assert scored(tmp_path, SPACE, HF_ENDPOINT=hub.url).returncode == 0
    requests = len(hub.requests)
    offline = {"HF_EVALUATE_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "HF_ENDPOINT": "http://127.0.0.1:9"}
    assert scored(tmp_path, SPACE, **offline).stdout.endswith(f" {ANSWER}\n")
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path / "home" / "modules", copy / "home" / "modules")
    assert scored(copy, SPACE, **offline).stdout.endswith(f" {ANSWER}\n")
    assert len(hub.requests) == requests


def test_load_from_a_snapshot(tmp_path):
    """A snapshot in huggingface_hub's cache, whose files are links, has the metric under the path of its file."""
    folder = tmp_path / "home" / "hub" / "spaces--ada--code_eval"
    (folder / "blobs").mkdir(parents=True)
    (folder / "refs").mkdir()
    (folder / "snapshots" / COMMIT).mkdir(parents=True)
    (folder / "refs" / "main").write_text(COMMIT)
    shutil.copy(METRIC, folder / "blobs" / "b10b")
    (folder / "snapshots" / COMMIT / "code_eval.py").symlink_to("../../blobs/b10b")
    find = (
        "import sys, huggingface_hub as hub\n"
        "folder = hub.snapshot_download('ada/code_eval', repo_type='space', local_files_only=True)\n"
        "sys.argv[1] = f'{folder}/code_eval.py'\n"
    )
    done = scored(tmp_path, "", find + SCORES, HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1")
    assert done.stdout.endswith(f" {ANSWER}\n"), done.stderr


@pytest.mark.parametrize("there", ["None", "types.ModuleType('sandboxes')"], ids=["missing", "another package"])
def test_missing_package(hub, tmp_path, there):
    """Without the package, or with another one of its name, the error has the command that installs it."""
    hides = f"import sys, types\nsys.modules['sandboxes'] = {there}\n"
    done = scored(tmp_path, SPACE, hides + SCORES, HF_ENDPOINT=hub.url)
    error = done.stderr.strip().splitlines()[-1]
    command = f"pip install -U git+{hub.url}/spaces/ada/code_eval ("
    assert error.startswith(
        f"ImportError: code_eval.py needs its own version of the package code-eval-sandboxes: {command}"
    )
    done = scored(tmp_path, METRIC, hides + SCORES)
    assert "pip install -U ., in the repository that this file comes from" in done.stderr


def test_missing_space(hub, tmp_path):
    """A Space that is not there is evaluate's own error, with its name."""
    done = scored(tmp_path, "ada/code_evil", HF_ENDPOINT=hub.url)
    assert "Module 'ada/code_evil' doesn't exist on the Hugging Face Hub" in done.stderr
