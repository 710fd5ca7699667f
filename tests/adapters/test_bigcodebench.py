"""BigCodeBench's remote evaluation: parameters are honoured or refused, and answers are as its own grader's."""

import io
import json
from dataclasses import replace

import pytest

from code_tasks.adapters.bigcodebench import OwnerBounds, RemoteEvaluator, read_samples, shorten_details
from code_tasks.adapters.bigcodebench_parameters import Parameters
from sandboxes import EvalConfig, Evaluator, SandboxUnavailable
from support.bigcodebench_records import OPENING, RIGHT, WRONG, record_of, samples_of, statuses_of
from support.judged_records import loaded_records

ASKED = {"split": "complete", "subset": "full"}
BOUNDS = OwnerBounds(240.0, 8 << 30, 1000)
NAME = "model--bigcodebench-complete.jsonl"
CONFIG = EvalConfig.from_options({"grading": "auto", "on_sandbox_error": "exclude", "progress": False})


def lines(*records):
    """Return a file of JSON lines."""
    return io.BytesIO("".join(json.dumps(record) + "\n" for record in records).encode())


def remote_of(*records):
    """Return an evaluator that offers records as the full set."""
    return RemoteEvaluator({"bigcodebench": loaded_records("bigcodebench", *records)})


def evaluation_of(remote, samples, bounds=BOUNDS, **parameters):
    """Return the evaluation of samples."""
    return remote.evaluation(Parameters.of({**ASKED, **parameters}), lines(*samples), NAME, bounds)


def answer_of(remote, samples, **parameters):
    """Run samples, and return the answer."""
    evaluation = evaluation_of(remote, samples, **parameters)
    order, tasks = evaluation.tasks(CONFIG)
    results = Evaluator(CONFIG).run(tasks)
    in_order = [result for _, result in sorted(zip(order, results, strict=True), key=lambda pair: pair[0])]
    return evaluation.answer(in_order, CONFIG.tasks)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("split", "Complete", "split must be one of complete, instruct, not 'Complete'"),
        ("subset", ["full"], r"subset must be one of full, hard, not \['full'\]"),
        ("pass_k", "1,x", "pass_k must be numbers from 1 to 10000 such as '1,5,10', not '1,x'"),
        ("pass_k", [], "pass_k must be"),
        ("pass_k", "0", "pass_k must be"),
        ("pass_k", [True], "pass_k must be"),
        ("pass_k", {"k": 1}, "pass_k must be"),
        ("pass_k", "1" * 5000, "pass_k must be"),
        ("parallel", "2", "parallel must be a number, not '2'"),
        ("min_time_limit", -1, "min_time_limit must be a number from 0, not -1"),
        ("min_time_limit", float("nan"), "min_time_limit must be"),
        ("max_as_limit", float("inf"), "max_as_limit must be"),
        ("max_data_limit", True, "max_data_limit must be"),
        ("max_stack_limit", 20, "max_stack_limit is 20: the stack counts as address space"),
        ("calibrated", "True", "calibrated must be true or false, not 'True'"),
        ("no_gt", None, "no_gt must be true or false, not None"),
        ("selective_evaluate", 7, "selective_evaluate must be the ids"),
        ("selective_evaluate", [7], "selective_evaluate must be the ids"),
    ],
)
def test_invalid_parameters(name, value, message):
    """An invalid parameter is an error that names it."""
    with pytest.raises(ValueError, match=message):
        Parameters.of({**ASKED, name: value})


def test_a_check_that_is_not_to_be_made():
    """A check of the canonical solutions alone, without a check, is an error."""
    with pytest.raises(ValueError, match="check_gt_only and no_gt exclude each other"):
        Parameters.of({**ASKED, "check_gt_only": True, "no_gt": True})


@pytest.mark.parametrize("value", ["1, 5,10", [1, 5, 10], (1, 5, 10), ["1", 5, 10, 1]])
def test_values_of_a_command_line(value):
    """The client's command line makes a list of several k, and a number of one."""
    assert Parameters.of({**ASKED, "pass_k": value}).ks == (1, 5, 10)
    assert Parameters.of({**ASKED, "pass_k": 3}).ks == (3,)
    assert Parameters.of({**ASKED, "selective_evaluate": "a, b,"}).selected == {"a", "b"}
    assert Parameters.of({**ASKED, "selective_evaluate": ["a", "b"]}).selected == {"a", "b"}


def limits_asked(bounds=BOUNDS, **parameters):
    """Return (seconds, MiB) of a program."""
    [problem] = evaluation_of(remote_of(record_of()), samples_of(RIGHT), bounds, **parameters).problems.values()
    return problem.limits["wall_seconds"], problem.limits["memory_bytes"] / (1 << 20)


def test_limits():
    """Programs have the benchmark's limits, more seconds or less memory if asked for, and no more than the owner's."""
    assert limits_asked() == (240, 8192)
    assert limits_asked(min_time_limit=200, max_as_limit=512.5) == (240, 512.5)
    assert limits_asked(replace(BOUNDS, wall_seconds=600.0), min_time_limit=500) == (500, 8192)
    assert limits_asked(replace(BOUNDS, wall_seconds=5.0, memory_bytes=1 << 30)) == (5, 1024)
    assert limits_asked(max_as_limit=100, max_stack_limit=0) == (240, 8192)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_time_limit": 241}, "min_time_limit is 241, and this server allows at most 240"),
        ({"max_data_limit": 100}, "max_data_limit is 100: this server limits the address space alone"),
        ({"subset": "hard"}, "does not offer the subset 'hard'.*bigcodebench-hard=FILE"),
        ({"selective_evaluate": "BigCodeBench/9"}, "names 'BigCodeBench/9', which is no task of 'full'"),
    ],
)
def test_parameters_that_this_server_refuses(parameters, message):
    """A parameter that can't be honoured is an error that names the way out."""
    with pytest.raises(ValueError, match=message):
        evaluation_of(remote_of(record_of()), samples_of(RIGHT), **parameters)


@pytest.mark.slow
def test_answers(tmp_path):
    """An answer has a status for each sample, the program without our environment, and facts about the run."""
    remote = remote_of(record_of(0), record_of(1, canonical_solution=WRONG))
    samples = [*samples_of(RIGHT, WRONG), *samples_of(WRONG, f"import json\n\ndef task_func(text):\n{RIGHT}")]
    samples[3]["solution"] = samples[3].pop("completion")
    results, pass_at_k = answer_of(remote, samples, pass_k="1,2,3")
    assert statuses_of(results) == [["pass", "fail"], ["fail", "pass"]]
    first, second = results["eval"]["BigCodeBench/0"]
    assert first["solution"] == f"{OPENING}\n    pass\n{record_of()['complete_prompt']}{RIGHT}"
    assert (first["details"], list(second["details"])) == ({}, ["test_case_1"])
    assert results["eval"]["BigCodeBench/1"][1]["solution"] == f"{OPENING}\n    pass\n{samples[3]['solution']}"
    assert pass_at_k == {
        **{"pass@1": 0.5, "pass@2": 1.0, "model": "model", "split": "complete", "subset": "full"},
        **{"calibrated": True, "gt_pass_rate": 0.5, "failed_tasks": ["BigCodeBench/1"]},
    }


@pytest.mark.parametrize(("calibrated", "status"), [(True, "pass"), (False, "fail")])
def test_calibration(calibrated, status):
    """Without calibration, candidate and tests have no imports but their own, as in the grader."""
    [sample] = samples_of(f"def task_func(text):\n{RIGHT}", field="solution")
    results, _ = answer_of(remote_of(record_of()), [sample], calibrated=calibrated)
    [[found]] = statuses_of(results)
    [entry] = results["eval"]["BigCodeBench/0"]
    assert (found, entry["solution"] == sample["solution"]) == (status, not calibrated)
    [whole] = samples_of(f"import json\n\ndef task_func(text):\n{RIGHT}", field="solution")
    assert statuses_of(answer_of(remote_of(record_of()), [whole], calibrated=calibrated)[0]) == [["pass"]]


def test_no_check():
    """Without a check no canonical solution runs, and none counts as right, as in the grader."""
    remote, samples = remote_of(record_of()), samples_of(RIGHT)
    assert evaluation_of(remote, samples, no_gt=True).canonical == []
    _, pass_at_k = answer_of(remote, samples, no_gt=True)
    assert (pass_at_k["pass@1"], pass_at_k["gt_pass_rate"], pass_at_k["failed_tasks"]) == (1, 0, ["BigCodeBench/0"])


def test_a_check_alone():
    """A check of the canonical solutions needs no samples, and has no scores."""
    results, pass_at_k = answer_of(remote_of(record_of()), [{"anything": 1}], check_gt_only=True)
    assert (results["eval"], pass_at_k["gt_pass_rate"], pass_at_k["failed_tasks"]) == ({}, 1, [])
    assert not [name for name in pass_at_k if name.startswith("pass@")]


def test_canonical_solutions_run_once():
    """A canonical solution that passed runs again only if the limits are others, or the check alone is asked for."""
    remote, samples = remote_of(record_of(0), record_of(1, canonical_solution=WRONG)), samples_of(RIGHT, RIGHT)
    answer_of(remote, samples)

    def to_run(**parameters):
        return [sample.task_id for sample in evaluation_of(remote, samples, **parameters).canonical]

    assert to_run() == ["BigCodeBench/1"]
    assert to_run(max_as_limit=1024) == to_run(check_gt_only=True) == ["BigCodeBench/0", "BigCodeBench/1"]
    assert answer_of(remote, samples)[1]["failed_tasks"] == ["BigCodeBench/1"]


def test_chosen_tasks():
    """Samples of tasks that are not chosen, or that the dataset does not have, are left out, as by the grader."""
    remote, samples = remote_of(record_of(0), record_of(1)), samples_of(RIGHT, WRONG, WRONG)
    results, pass_at_k = answer_of(remote, samples, selective_evaluate="BigCodeBench/0")
    assert (statuses_of(results), pass_at_k["pass@1"]) == ([["pass"]], 1)
    assert statuses_of(answer_of(remote, samples)[0]) == [["pass"], ["fail"]]


def test_missing_samples():
    """A file without samples of some task is an error that names one."""
    with pytest.raises(ValueError, match="Expected 2 problems, got 1; 'BigCodeBench/1' is one"):
        evaluation_of(remote_of(record_of(0), record_of(1)), samples_of(RIGHT))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", f"{NAME}:1: not JSON"),
        (b"\x1f\x8b\x08\x00", f"{NAME}:1: not JSON"),
        (b"[" * 100_000, f"{NAME}:1: not JSON"),
        (b"[1]", f"{NAME}:1: not a JSON object"),
        (b'{"task_id": "BigCodeBench/0"}', f"{NAME}:1: missing key 'completion'"),
        (b'{"task_id": "BigCodeBench/0", "completion": 1}', f"{NAME}:1: 'completion' is not a string"),
        (b'{"task_id": "' + b"x" * (1 << 20), f"{NAME}:1: a line of more than 1 MiB"),
        (b'{"task_id": "BigCodeBench/0", "completion": ""}\n' * 1001, "more than 1,000 samples"),
        (b'{"task_id": "BigCodeBench/0", "completions": [%s""]}' % (b'"",' * 1001), "more than 1,000 samples"),
    ],
)
def test_invalid_files(content, message):
    """A file that holds no samples, or too many, is an error with its place."""
    problems = loaded_records("bigcodebench", record_of()).problems
    with pytest.raises(ValueError, match=message):
        read_samples(io.BytesIO(content), NAME, problems, 1000)


def test_long_programs(monkeypatch):
    """A prompt counts for each of its samples, because the answer repeats it."""
    monkeypatch.setattr("code_tasks.adapters.bigcodebench.MAX_PROGRAM_CHARS", 1 << 20)
    problems = loaded_records("bigcodebench", record_of(complete_prompt=OPENING + "\n" + "#" * 300_000 + "\n")).problems
    with pytest.raises(ValueError, match="programs of more than 1 MiB"):
        read_samples(lines(*samples_of(RIGHT) * 4), NAME, problems, 1000)


def test_a_broken_sandbox():
    """A program that the sandbox could not run makes the whole answer an error, and no status."""
    evaluation = evaluation_of(remote_of(record_of()), samples_of(RIGHT))
    [verdict] = Evaluator(CONFIG).run(evaluation.tasks(CONFIG)[1][:1])
    with pytest.raises(SandboxUnavailable, match="the disk is full"):
        evaluation.answer([verdict, SandboxUnavailable("the disk is full")], CONFIG.tasks)


def test_a_missing_package():
    """A record that needs a package which the sandbox lacks makes the answer an error that names the package."""
    record = record_of(canonical_solution="    import no_such_library\n    return []\n")
    with pytest.raises(SandboxUnavailable, match="no_such_library"):
        answer_of(remote_of(record), samples_of(RIGHT))


def test_details_are_no_files():
    """Messages are shortened from the front, and none has a name that a client takes for a file to be fetched."""
    entries = [{"details": {"path": "x" * 10_000 + "end", "n" * 1000: "m"}}]
    shorten_details(entries)
    [(first, message), (second, _)] = entries[0]["details"].items()
    assert (first, len(message), message[-3:], len(second)) == ("path()", 4000, "end", 200)
