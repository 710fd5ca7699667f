"""The Space's endpoints, called as users call them: they give the metric's verdicts, one by one, within limits."""

import json
import time
from pathlib import Path

import pytest
from gradio_client import handle_file
from gradio_client.exceptions import AppError
from gradio_client.utils import QueueError

from support.metric_and_command import PROBLEM, RIGHT, TESTS, WRONG, lines_of, load_metric
from support.observers import wait_until
from support.space_client import EXAMPLES, Marked, client_of, evaluate, outcomes_of, samples_file
from support.space_server import serving

pytestmark = pytest.mark.slow

SECONDS = 60
SLEEPING = "import time\ntime.sleep(60)"


@pytest.fixture(scope="module")
def client(space):
    """Provide a visitor of the Space."""
    with client_of(space) as client:
        yield client


@pytest.fixture(scope="module")
def small():
    """Provide a Space with little room: one run at a time, one that waits, six seconds for each."""
    limits = {"CONCURRENT_RUNS": 1, "QUEUE": 1, "RUN_SECONDS": 6, "CANDIDATES": 4, "OUTPUT_BYTES": 1000}
    with serving(**{f"CODE_EVAL_MAX_{name}": str(value) for name, value in limits.items()}) as server:
        yield server


@pytest.fixture(scope="module")
def small_client(small):
    """Provide a visitor of the Space with little room."""
    with client_of(small) as client:
        yield client


@pytest.fixture(scope="module")
def examples():
    """(problems, their candidates) of the examples, by task_id."""
    problems = {each["task_id"]: each for each in lines_of(EXAMPLES / "problems.jsonl")}
    candidates = {task_id: [] for task_id in problems}
    for sample in lines_of(EXAMPLES / "samples.jsonl"):
        candidates[sample["task_id"]].append(problems[sample["task_id"]]["prompt"] + sample["completion"])
    return problems, candidates


@pytest.fixture(scope="module")
def expected(examples):
    """Provide the metric's own result for the examples: (pass_at_k, outcomes by task_id)."""
    problems, candidates = examples
    tests = [f"{each['test']}\ncheck({each['entry_point']})" for each in problems.values()]
    with pytest.warns(UserWarning, match="looks like a chat answer"):
        pass_at_k, results = load_metric().compute(
            predictions=list(candidates.values()), references=tests, k=[1, 3], grading="auto", progress=False
        )
    outcomes = [[result["outcome"] for _, result in results[index]] for index in range(len(problems))]
    return pass_at_k, dict(zip(problems, outcomes, strict=True))


def test_evaluate_agrees_with_the_metric(client, examples, expected):
    """/evaluate gives the verdicts and the score of `code_eval.compute`, task by task."""
    problems, candidates = examples
    tests = [f"{each['test']}\ncheck({each['entry_point']})" for each in problems.values()]
    answer = client.predict(list(candidates.values()), tests, k=[1, 3], extract="none", api_name="/evaluate")
    pass_at_k, outcomes = expected
    assert answer["pass_at_k"] == pytest.approx(pass_at_k)
    assert outcomes_of(answer) == [each for task in outcomes.values() for each in task]
    assert answer["finished"]


@pytest.mark.parametrize("from_data_set", [False, True])
def test_score_file_agrees_with_the_metric(client, expected, from_data_set):
    """/score_file gives the metric's verdicts for a file, with uploaded problems and with the server's dataset."""
    [name] = client.predict(api_name="/sandboxes")["datasets"]
    problems = {"dataset": name} if from_data_set else {"problems": handle_file(EXAMPLES / "problems.jsonl")}
    score, file = client.predict(
        samples=handle_file(EXAMPLES / "samples.jsonl"), k=[1, 3], extract="none", api_name="/score_file", **problems
    )
    pass_at_k, outcomes = expected
    assert score["pass_at_k"] == pytest.approx(pass_at_k)
    scored = {task_id: [] for task_id in outcomes}
    with open(file, encoding="utf-8") as results:
        for record in map(json.loads, results):
            scored[record["task_id"]].append(record["outcome"])
    assert scored == outcomes
    assert sum(score["outcomes"].values()) == score["samples"] == score["ended"] == 63


def test_sandboxes_are_listed(client):
    """/sandboxes lists the limits, and for each backend its layers, or the reason why it can't be used."""
    answer = client.predict(api_name="/sandboxes")
    assert set(answer["sandboxes"]) == {"subprocess", "restricted", "docker"}
    for sandbox in answer["sandboxes"].values():
        assert bool(sandbox["why_not"]) != sandbox["usable"] == bool(sandbox["layers"])
    assert answer["sandboxes"][answer["default"]]["usable"]
    assert answer["limits"]["max_candidates"] == 200


def test_results_come_while_there_are_more(client):
    """Results arrive before the run is over, with None for each candidate that has not ended."""
    job = client.submit([[RIGHT, f"import time\ntime.sleep(3)\n{RIGHT}"]], [TESTS], timeout=10, api_name="/evaluate")
    job.result(SECONDS)
    seen = [outcomes_of(answer) for answer in job.outputs()]
    assert ["passed", None] in seen
    assert seen[-1] == ["passed", "passed"]
    assert [answer["finished"] for answer in job.outputs()] == [False] * (len(seen) - 1) + [True]


def test_chat_answers(client):
    """A candidate may be a chat answer. The result has the program and how it was found, or says what is wrong."""
    answer = f"Sure! ```python\n{RIGHT}```<|im_end|>"
    [read], [as_it_is] = (evaluate(client, [answer], TESTS, **each)["results"] for each in ({}, {"extract": "none"}))
    assert (read["outcome"], read["program"], as_it_is["outcome"]) == ("passed", RIGHT, "compile_error")


def test_cancelled_run_ends_its_programs(space, client):
    """`job.cancel()` ends the programs of a run, and the next run finds a worker."""
    hanging = Marked()
    job = client.submit([[hanging.source] * 4], ["assert True"], timeout=10, api_name="/evaluate")
    assert wait_until(hanging.runs, SECONDS)
    job.cancel()
    assert wait_until(lambda: not hanging.runs(), 5)
    assert outcomes_of(evaluate(client, [RIGHT], TESTS)) == ["passed"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sandbox": "dokcer"}, "unknown sandbox 'dokcer'; choose one of subprocess, restricted, docker"),
        ({"grading": "both"}, "grading must be one of shared, separate, auto, not 'both'"),
        ({"k": [0]}, "k must be whole numbers such as 1, 10, not 0"),
        ({"k": {"path": "/etc/passwd"}}, "k must be whole numbers such as 1, 10, not {'path': '/etc/passwd'}"),
        ({"timeout": 11}, "timeout may be at most 10 seconds here, not 11"),
        ({"timeout": "3"}, "timeout must be a number of seconds, not '3'"),
        ({"memory_mb": 4096}, "memory_mb may be at most 1024 here, not 4096"),
        ({"predictions": ["x"]}, "predictions[0] must be a list of candidates, not 'x'; a single one is a list of one"),
        ({"predictions": [[1]]}, "predictions[0][0] must be a string, not 1"),
        ({"predictions": None}, "predictions must be a list, not None; a single task is a list of one"),
        ({"predictions": [[]]}, "no candidates for task(s) 0; leave such tasks out of both arguments"),
        ({"references": []}, "there are 1 predictions, but 0 references; one per task"),
        (
            {"references": [None]},
            "references[0]: tests must be a string, or a list of dicts with input and output, not None",
        ),
        ({"references": ["class T(" + "a+" * 500 + "a): pass"]}, "programs or tests are nested too deeply"),
        ({"references": ["assert " + "0+" * 500 + "1"]}, "programs or tests are nested too deeply"),
        (
            {"predictions": [["x"] * 201]},
            "at most 200 candidates may be run at once here, not 201; use /score_file",
        ),
    ],
)
def test_invalid_arguments_are_reported(client, arguments, message):
    """Invalid arguments of /evaluate lead to one message that names the value and the valid ones."""
    with pytest.raises(AppError) as raised:
        client.predict(**{"predictions": [["x"]], "references": ["assert True"], **arguments}, api_name="/evaluate")
    assert raised.value.message == message


@pytest.mark.parametrize("name", ["sandbox", "grading", "k", "timeout", "memory_mb", "dataset"])
def test_invalid_arguments_of_a_file_are_reported(client, name, tmp_path):
    """Invalid arguments of /score_file lead to such a message too."""
    paths = samples_file(tmp_path, RIGHT, problem=PROBLEM)
    samples, problems = map(handle_file, paths)
    with pytest.raises(AppError, match=r"sandbox|grading must|k must|timeout must|memory_mb must|dataset"):
        client.predict(**{"samples": samples, "problems": problems, name: "wrong"}, api_name="/score_file")


def test_invalid_file_is_reported(client, tmp_path):
    """The message about an invalid file has its name and its lines."""
    samples, problems = samples_file(tmp_path, RIGHT, problem=PROBLEM)
    samples.write_text('{"task_id": "t/0"}\n{"task_id": "nowhere", "completion": ""}\nno JSON')
    with pytest.raises(AppError) as raised:
        client.predict(samples=handle_file(samples), problems=handle_file(problems), api_name="/score_file")
    lines = raised.value.message.splitlines()
    assert [line.split(":")[:2] for line in lines] == [["samples.jsonl", number] for number in "123"]


def test_long_value_is_cut_in_a_message(client):
    """A message is short even if it is about a long value."""
    with pytest.raises(AppError) as raised:
        client.predict([["x"]], ["x"], timeout="3" * 100_000, api_name="/evaluate")
    assert len(raised.value.message) <= 8_000


def test_run_that_takes_too_long_is_stopped(small_client):
    """A run that exceeds its seconds is stopped: the other programs have no verdict, and a note says so."""
    answer = evaluate(small_client, [RIGHT, WRONG, SLEEPING, SLEEPING], TESTS, timeout=10, k=[1])
    assert outcomes_of(answer) == ["passed", "failed", None, None]
    assert (answer["finished"], answer["ended"], answer["samples"]) == (True, 2, 4)
    assert answer["pass_at_k"] == {"pass@1": 0.5}
    assert "the other candidates have no verdict" in answer["note"]


def test_file_that_takes_too_long_is_stopped(small_client, tmp_path):
    """The results of a stopped run are those of the programs that have ended."""
    completions = ["    return a + b\n", *["    import time; time.sleep(60)\n"] * 3]
    samples, problems = map(handle_file, samples_file(tmp_path, *completions, problem=PROBLEM))
    score, file = small_client.predict(samples=samples, problems=problems, timeout=10, api_name="/score_file")
    assert (score["finished"], score["ended"], score["samples"]) == (True, 1, 4)
    assert score["pass_at_k"] == {"pass@1": 1.0}
    with open(file, encoding="utf-8") as results:
        assert [json.loads(line)["outcome"] for line in results] == ["passed"]


def test_full_queue_is_reported(small, small_client):
    """A visitor is refused if the queue is full, and a visitor who waited gets a turn."""
    hanging = Marked()
    with client_of(small) as other:
        running = small_client.submit([[hanging.source]], ["assert True"], timeout=10, api_name="/evaluate")
        assert wait_until(hanging.runs, SECONDS)
        waiting = small_client.submit([[RIGHT]], [TESTS], api_name="/evaluate")
        assert wait_until(lambda: waiting.status().rank == 0, SECONDS)
        with pytest.raises(QueueError, match="full"):
            evaluate(other, [RIGHT])
    running.cancel()
    assert outcomes_of(waiting.result(SECONDS)) == ["passed"]


def test_results_of_many_tests_are_cut(client):
    """A candidate with thousands of asserts has a result of a bounded size, and is run on all of them."""
    tests = "assert add(2, 3) == 5\n" * 5_000 + "assert add(2, 3) == 6"
    answer = evaluate(client, [RIGHT] * 20, tests, timeout=10)
    assert outcomes_of(answer) == ["failed"] * 20
    assert {len(result["tests"]) for result in answer["results"]} == {2500}
    assert answer["results"][0]["tests"][-1]["outcome"] == "failed"


def test_cases_are_run(client):
    """References may be inputs and outputs, both as dicts and as JSON."""
    cases = [{"input": "2\n", "output": "4\n"}, {"input": "3\n", "output": "6\n"}]
    for reference in (cases, json.dumps(cases)):
        answer = client.predict([["print(2 * int(input()))", "print(4)"]], [reference], api_name="/evaluate")
        assert outcomes_of(answer) == ["passed", "failed"]


def waits_of(process):
    """Return how often the threads of a process have waited for something."""
    states = [path.read_text() for path in Path(f"/proc/{process.pid}/task").glob("*/status")]
    return sum(int(text.partition("\nvoluntary_ctxt_switches:")[2].split()[0]) for text in states)


def test_server_without_visitors_rests(small):
    """A server that has nothing to do wakes up less than 300 times a second. Gradio's own queue does it a thousand."""
    before, begin = waits_of(small.process), time.monotonic()
    time.sleep(2)
    assert waits_of(small.process) - before < 300 * (time.monotonic() - begin)


def test_output_is_limited(small_client):
    """A program may write as much as the owner allows."""
    assert outcomes_of(evaluate(small_client, ["print('x' * 200_000)"])) == ["output_limit"]
