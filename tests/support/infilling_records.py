"""Records of HumanEval's infilling, made of HumanEval's: a piece of each solution is asked for."""

import random
import signal

KINDS = ("line", "lines", "span")
SECONDS = 3


def infilling_record(record, kind, seed):
    """Return a record whose canonical solution is a piece of another record's.

    Args:
        record: of HumanEval.
        kind: one of KINDS: whole lines, or any characters.
        seed: of the choice.
    """
    choice = random.Random(f"{record['task_id']} {kind} {seed}")
    solution = record["canonical_solution"]
    if kind == "span":
        first, last = sorted(choice.sample(range(len(solution) + 1), 2))
    else:
        ends = [0, *(place + 1 for place, each in enumerate(solution) if each == "\n")]
        first, last = sorted(choice.sample(range(len(ends)), 2))
        first, last = ends[first], ends[last if kind == "lines" else first + 1]
    return {
        **record,
        "task_id": f"{kind}/{record['task_id']}/{seed}",
        "prompt": record["prompt"] + solution[:first],
        "suffix": solution[last:],
        "canonical_solution": solution[first:last],
    }


def infilling_completions(record):
    """Yield completions of a record: the canonical one, and others that may be right or wrong."""
    solution = record["canonical_solution"]
    yield solution
    yield solution.replace(" = ", "  =  ").replace("return ", "return  ")
    yield solution.replace("+", "-").replace("<", ">=")
    yield solution.rstrip("\n")
    yield solution[: len(solution) // 2]
    yield "\n" + solution
    yield ""


def official_verdict(record, completion):
    """Return whether a completion passes as human-eval-infilling runs it: with `exec`, in one text with its tests."""
    text = f"{record['prompt']}{completion}{record['suffix']}\n{record['test']}\ncheck({record['entry_point']})"
    signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS)
    try:
        exec(compile(text, "<string>", "exec", dont_inherit=True), {})
    except BaseException:
        return False
    finally:
        signal.alarm(0)
    return True


def end(number, frame):
    """End a run that takes too long."""
    raise TimeoutError
