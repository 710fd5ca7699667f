"""The examples of harnesses that need not be installed run, and their files get the right verdicts."""

import json

import pytest

from support.metric_and_command import RIGHT, ROOT, TESTS, WRONG, code_eval, python, results_of

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples" / "integrations"
HOSTILE = [
    "class Same:\n    __eq__ = lambda *_: True\ndef add(a, b): return Same()",
    "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(-1, signal.SIGKILL)",
    "kept = []\nwhile True:\n    kept.append(bytearray(1 << 28))",
    "import os\ndef add(a, b): os._exit(0)",
]


def test_evalplus(tmp_path):
    """A right sample, one that fails a plus input, a slow one and a hostile one have EvalPlus's statuses and scores."""
    done = python(EXAMPLES / "evalplus_results.py", TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-5:] == [
        "base: pass plus: pass",
        "base: pass plus: fail",
        "base: timeout plus: timeout",
        "base: fail plus: fail",
        "{'base': {'pass@1': 0.5}, 'plus': {'pass@1': 0.25}}",
    ]


def test_bigcode(tmp_path):
    """Two of four generations are right, one for each reference."""
    done = python(EXAMPLES / "bigcode_generations.py", TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    scores = [line.split()[:2] for line in done.stdout.splitlines() if "pass@" in line]
    assert scores == [["pass@1", "50.0"], ["pass@2", "100.0"]]


@pytest.fixture
def files(tmp_path):
    """Write generations and references. Return the command's arguments."""
    (tmp_path / "generations.json").write_text(json.dumps([[RIGHT, WRONG, "while True: pass", *HOSTILE], [RIGHT]]))
    (tmp_path / "references.json").write_text(json.dumps([TESTS, TESTS]))
    return ["run", tmp_path / "generations.json", "--references", tmp_path / "references.json", "--grading", "separate"]


def test_hostile_generations(files, tmp_path):
    """Slow and hostile generations fail, and the honest one after them passes."""
    done = code_eval(*files, "--output", tmp_path / "results.jsonl")
    assert done.returncode == 0, done.stderr
    results = results_of(tmp_path / "results.jsonl")
    assert [each["passed"] for each in results] == [True, *[False] * (2 + len(HOSTILE)), True]
    assert results[2]["outcome"] == "timed_out"


def test_broken_sandbox(files, tmp_path):
    """Without a sandbox there is an error, and no results."""
    broken = ["--sandbox", "docker", "--docker-host", "unix:///nowhere.sock"]
    done = code_eval(*files, *broken, "--output", tmp_path / "results.jsonl")
    assert done.returncode == 2 and "docker" in done.stderr
    assert not (tmp_path / "results.jsonl").exists()
