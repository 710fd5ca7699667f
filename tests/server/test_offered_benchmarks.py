"""The problems of benchmarks that a server offers are listed, and judged as by their graders."""

import json

import pytest

from code_tasks.benchmarks import BENCHMARKS
from code_tasks.server.offered_benchmarks import FUSION_IDS, load_offered
from sandboxes import open_sandbox
from support.server_client import serving

PROBLEM = {
    "task_id": "HumanEval/7",
    "prompt": "def double(x):\n",
    "entry_point": "double",
    "canonical_solution": "    return 2 * x\n",
    "test": "def check(candidate):\n    assert candidate(3) == 6\n",
}

NEEDS_MODULES = {
    "task_id": "BigCodeBench/0",
    "entry_point": "task_func",
    "complete_prompt": 'import no_such_module\n\ndef task_func(values):\n    """Return the sorted list."""\n',
    "code_prompt": "import no_such_module\n\ndef task_func(values):\n",
    "canonical_solution": "    return sorted(values)\n",
    "test": "import unittest\n\nclass TestCases(unittest.TestCase):\n    def test_it(self):\n"
    "        self.assertEqual(task_func([2, 1]), [1, 2])\n",
}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Return the option that offers one problem of HumanEval."""
    path = tmp_path_factory.mktemp("problems") / "problems.jsonl"
    path.write_text(json.dumps(PROBLEM) + "\n", encoding="utf-8")
    return f"humaneval={path}"


@pytest.fixture(scope="module")
def client(source):
    """Serve that problem."""
    with serving(benchmarks=(source,)) as client:
        yield client


def submit(client, completion, number=7, **config):
    """Return the answer for a completion."""
    body = {"dataset": "humaneval_python", "id": number, "completion": completion, "config": config}
    return client.post("/submit", json=body)


def test_ids_of_data_sets(client):
    """A benchmark has our name and SandboxFusion's."""
    assert client.get("/list_datasets").json() == ["humaneval", "humaneval_python"]
    body = {"dataset": "humaneval", "config": {}}
    assert client.post("/list_ids", json=body).json() == ["HumanEval/7"]
    assert client.post("/list_ids", json={**body, "offset": 1}).json() == []


def test_prompts(client):
    """A prompt is the problem's."""
    body = {"dataset": "humaneval_python", "config": {}}
    [prompt] = client.post("/get_prompts", json=body).json()
    assert (prompt["prompt"], prompt["labels"]["entry_point"]) == (PROBLEM["prompt"], "double")
    assert client.post("/get_prompt_by_id", json={**body, "id": 7}).json() == prompt


@pytest.mark.parametrize(
    ("completion", "accepted"),
    [
        ("```python\ndef double(x):\n    return 2 * x\n```", True),
        ("```python\ndef double(x):\n    return 3 * x\n```", False),
        ("    return 2 * x\n", True),
        ("    return 3 * x\n", False),
        ("```python\nimport os\nos._exit(0)\n```", False),
    ],
)
def test_submissions(client, completion, accepted):
    """A completion with a fence is a program of its own, and any other continues the prompt."""
    assert submit(client, completion, language="python").json()["accepted"] is accepted


@pytest.mark.parametrize(("number", "config"), [(8, {}), (7, {"language": "cpp"})])
def test_submissions_that_are_refused(client, number, config):
    """An unknown problem, and a language that the server lacks, are errors."""
    assert submit(client, "x", number, **config).status_code == 400


def test_data_sets_that_are_not_offered(client):
    """A dataset that the server does not have is an error that names the ways out."""
    answer = client.post("/get_prompts", json={"dataset": "mbpp", "config": {}})
    assert (answer.status_code, "CommonOJDataset" in answer.json()["detail"]) == (400, True)
    answer = client.post("/get_prompts", json={"dataset": "mbpp", "config": {"dataset_type": "MBPPDataset"}})
    assert (answer.status_code, "MBPPDataset" in answer.json()["detail"]) == (400, True)


def test_every_id_has_a_benchmark():
    """SandboxFusion's ids stand for benchmarks that there are."""
    assert set(FUSION_IDS.values()) <= set(BENCHMARKS)


def test_a_benchmark_that_there_is_not():
    """An unknown benchmark is an error before the server starts."""
    with pytest.raises(ValueError, match="unknown benchmark 'nonsense'"):
        load_offered(["nonsense"], open_sandbox("subprocess"))


def test_a_sandbox_that_cant_run_a_benchmark(tmp_path):
    """A benchmark whose right candidates the policy refuses is an error before the server starts."""
    path = tmp_path / "problems.jsonl"
    path.write_text(json.dumps(NEEDS_MODULES) + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match="the sandbox 'restricted' refuses"):
        load_offered([f"bigcodebench={path}"], open_sandbox("restricted"))


def test_a_module_that_is_missing(tmp_path):
    """A problem whose module programs can't import has no verdict, and the client tries again."""
    path = tmp_path / "problems.jsonl"
    path.write_text(json.dumps(NEEDS_MODULES) + "\n", encoding="utf-8")
    completion = f"```python\n{NEEDS_MODULES['code_prompt']}{NEEDS_MODULES['canonical_solution']}```"
    body = {"dataset": "bigcodebench", "id": 0, "completion": completion, "config": {"language": "python"}}
    with serving(benchmarks=(f"bigcodebench={path}",)) as client:
        answer = client.post("/submit", json=body)
    assert (answer.status_code, "no_such_module" in answer.json()["detail"]) == (504, True)
