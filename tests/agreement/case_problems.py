"""Our own problems in the shapes of benchmarks whose tests are cases, and how their graders differ from ours."""

import json

from problems import KEPT, livecodebench, prime_code


def codecontests(number, name, cases, is_call):
    """Return a problem as CodeContests publishes it."""
    tests = [{"input": [one], "output": [other]} for one, other in cases]
    return {
        **{"name": str(number), "public_tests": tests[0], "private_tests": tests[1], "generated_tests": None},
        **{"time_limit": {"seconds": 10, "nanos": 0}, "memory_limit_bytes": 1 << 30},
    }


def xcodeeval(number, name, cases, is_call):
    """Return a problem as xCodeEval publishes it, with a second accepted output."""
    tests = [{"input": one, "output": ["no such output", other]} for one, other in cases]
    return {"src_uid": str(number), "hidden_unit_tests": json.dumps(tests)}


def verifiable_coding(number, name, cases, is_call):
    """Return a problem as open-r1 publishes it."""
    return {"problem_id": str(number), "problem": name, "verification_info": verification(name, cases, is_call)}


def synthetic1(number, name, cases, is_call):
    """Return a problem as SYNTHETIC-1 has it."""
    record = verifiable_coding(number, name, cases, is_call)
    return {**record, "task_type": "verifiable_code", "prompt": name, "gold_standard_solution": None}


def synthetic2(number, name, cases, is_call):
    """Return a problem as SYNTHETIC-2 has it: with cases in verl's shape."""
    truth = prime_code(number, name, cases, is_call)["reward_model"]["ground_truth"]
    info = {"language": "python", "test_cases": truth}
    return {"problem_id": str(number), "task_type": "prime_rl_code", "prompt": name, "verification_info": info}


def verification(name, cases, is_call):
    """Return the cases as `verification_info`."""
    kind = {"type": "function_call", "fn_name": name} if is_call else {"type": "stdin_stdout", "fn_name": None}
    return {"language": "python", "test_cases": [{"input": one, "output": other, **kind} for one, other in cases]}


def intellect3(number, name, cases, is_call):
    """Return a problem as INTELLECT-3-RL has it."""
    if is_call:
        cases = [("\n".join(map(repr, one)), json.dumps(other)) for one, other in cases]
    return {"question": name, "info": json.dumps({"tests": json.dumps(lists(name, cases, is_call)), "source": "own"})}


def deepcoder(number, name, cases, is_call):
    """Return a problem as DeepCoder has those of TACO."""
    cases = [(one, [other]) for one, other in cases] if is_call else cases
    return {"problem": name, "tests": json.dumps(lists(name, cases, is_call))}


def codeforces(number, name, cases, is_call):
    """Return a problem as DeepCoder has those of Codeforces."""
    return {"problem": name, "tests": json.dumps([{"input": one, "output": other} for one, other in cases])}


def deepcoder_livecodebench(number, name, cases, is_call):
    """Return a problem as DeepCoder has those of LiveCodeBench."""
    record = livecodebench(number, name, cases, is_call)
    own = json.loads(record["public_test_cases"]) + json.loads(record["private_test_cases"])
    metadata = json.loads(record["metadata"])
    return {"problem": name, "tests": json.dumps([{**case, "metadata": metadata} for case in own])}


def lists(name, cases, is_call):
    """Return cases as lists of inputs and outputs."""
    data = {"inputs": [one for one, _ in cases], "outputs": [other for _, other in cases]}
    return data | ({"fn_name": name} if is_call else {})


CASE_SHAPES = {
    "codecontests": codecontests,
    "xcodeeval": xcodeeval,
    "verifiable_coding": verifiable_coding,
    "synthetic1": synthetic1,
    "synthetic2": synthetic2,
    "intellect3": intellect3,
    "deepcoder": deepcoder,
    "deepcoder/codeforces": codeforces,
    "deepcoder/livecodebench": deepcoder_livecodebench,
}
"""{benchmark, or one of its parts: a function that returns a problem in its shape}"""

SCRIPTS_ONLY = {"codecontests", "xcodeeval", "verifiable_coding", "deepcoder/codeforces"}

CASE_WRONG_THERE = {
    # An output that goes on after the right one passes in open-r1, and one that ends before it.
    *(("verifiable_coding", kind) for kind in ("extra line", "last line missing")),
    # Text on stderr belongs to the output in Genesys.
    ("synthetic1", "prompt on stderr"),
    # What a function prints belongs to its result.
    *((name, "prints") for name in ("synthetic1", "intellect3")),
    # Each call has a process of its own, in which it is the first.
    *((name, "second call fails") for name in ("synthetic1", "intellect3")),
    # The block runs before each call there.
    ("intellect3", "main block"),
    # Where all results are in a list of one, the list may be left out.
    *((name, "unwrapped") for name in ("synthetic1", "intellect3")),
    # Any word passes for another one, and a crash is no failure.
    *(("deepcoder", kind) for kind in ("lower case", "off by one", "a list", "constant", "nothing")),
    *(
        (name, kind)
        for name in ("deepcoder", "deepcoder/codeforces")
        for kind in ("raises after its output", "reads too much")
    ),
    *((name, kind) for name in ("deepcoder/codeforces", "deepcoder") for kind in ("other order", "a word twice")),
    *((name, "future") for name in ("synthetic1", "synthetic2", "intellect3", "deepcoder", "deepcoder/livecodebench")),
    # A call has its own limit there.
    *((name, "a slow call") for name in ("synthetic2", "deepcoder/livecodebench")),
    # All cases have one limit there, and a list's first item passes for it.
    *(("synthetic2", kind) for kind in ("slow cases", "unwrapped")),
    ("deepcoder", "future after a comment"),
    *((name, kind) for name in CASE_SHAPES for kind in KEPT),
}
"""Kinds of candidates that an official grader judges wrongly, and for which we keep our verdict."""
