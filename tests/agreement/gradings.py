"""Compares the gradings "auto" and "shared" on honest programs: python tests/agreement/gradings.py [--data FOLDER].

The programs are the pairs of the agreement with official graders whose tests are Python code or calls. FOLDER adds the
solutions of published data, as far as it has the files: HumanEval.jsonl.gz, humaneval_x_python.jsonl.gz with CodeGeeX's
codegeex_humaneval_generations.jsonl.gz, and in benchmarks/ mbpp.jsonl, cruxeval.jsonl, classeval.jsonl and
humanevalpack_python.jsonl. Each difference is printed. The status is 1 if fewer than 99.9 % are the same.
"""

import argparse
import ast
import sys
from collections import Counter
from pathlib import Path

from evalplus_problems import evalplus_pairs
from function_pairs import humaneval_completions
from problems import SHAPES, call_pairs
from published import humaneval_records, records_of

from agreement import write
from code_tasks.benchmarks import BENCHMARKS
from code_tasks.benchmarks.problems import parse_problem
from sandboxes import EvalConfig, Evaluator, Limits, Task, close_pools

WANTED_SHARE = 0.999
LIMITED = ("slow input", "endless", "sleeps")
"""Kinds of pairs that are left out: an input of EvalPlus has a limit of its own under "shared" alone."""


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with published data")
    data = parser.parse_args().data
    sources = {**pairs(), **(published(data) if data else {})}
    write("| programs of | programs | separate under auto | same verdict |")
    write("|---|---|---|---|")
    same = total = 0
    for name, tasks in sources.items():
        shared, auto = results(tasks, "shared"), results(tasks, "auto")
        kinds = [(task.name, number) for task in tasks for number in range(len(task.candidates))]
        different = [each for each in zip(kinds, shared, auto, strict=True) if each[1].passed != each[2].passed]
        for (task, number), one, other in different:
            sys.stderr.write(
                f"{name}: {task}, program {number}: {one.outcome.value} ({one.detail[:150]}) as shared, "
                f"{other.outcome.value} ({other.detail[:150]}) as {other.grading}\n"
            )
        separate = sum(result.grading == "separate" for result in auto)
        write(f"| {name} | {len(auto)} | {separate} | {len(auto) - len(different)} |")
        for reason, count in Counter(result.grading_reason for result in auto if result.grading_reason).items():
            sys.stderr.write(f"{name}: {count} programs are shared, because {reason}\n")
        same, total = same + len(auto) - len(different), total + len(auto)
    write(f"\n{same} of {total} verdicts are the same: {100 * same / total:.2f} %")
    close_pools()
    sys.exit(same < WANTED_SHARE * total)


def results(tasks, grading):
    """Return the results of tasks under a grading."""
    with Evaluator(EvalConfig.from_options({"grading": grading})) as evaluator:
        return evaluator.run(tasks)


def tasks_of(samples):
    """Return the tasks of (problem, completion) pairs."""
    candidates, problems = {}, {}
    for problem, completion in samples:
        problems[problem.task_id] = problem
        candidates.setdefault(problem.task_id, []).append(problem.candidate(completion, "python"))
    return [problem.task(candidates[name], Limits(), "python") for name, problem in problems.items()]


def pairs():
    """Return {name: tasks} of the agreement's pairs."""
    found = {}
    calls = list(call_pairs())
    numbers = {name: number for number, name in enumerate(dict.fromkeys(problem[0] for _, problem, _ in calls))}
    for name, shape in SHAPES.items():
        parse = BENCHMARKS[name].parse
        records = {problem[0]: shape(numbers[problem[0]], *problem, True) for _, problem, _ in calls}
        problems = {each: parse(record, numbers[each]) for each, record in records.items()}
        found[f"{name}, calls"] = tasks_of((problems[problem[0]], text) for _, problem, text in calls)
    for name, prefix in (("humanevalplus", "HumanEval"), ("mbppplus", "Mbpp")):
        parse = BENCHMARKS[name].parse
        found[name] = tasks_of(
            (parse(record, 0), text) for kind, record, text in evalplus_pairs(prefix) if kind not in LIMITED
        )
    return found


def published(folder):
    """Return {name: tasks} of the published data in a folder."""
    humaneval, x = humaneval_records(folder), records_of(folder / "humaneval_x_python.jsonl.gz")
    generated = {r["task_id"]: r["generation"] for r in records_of(folder / "codegeex_humaneval_generations.jsonl.gz")}
    benchmarks = folder / "benchmarks"
    found = {
        "HumanEval": tasks_of((parse_problem(r), text) for r in humaneval for text in humaneval_completions(r)),
        "HumanEval-X": tasks_of((parse_problem(r), r["canonical_solution"]) for r in x),
        "CodeGeeX's generations": tasks_of((parse_problem(r), generated[r["task_id"]]) for r in x),
        "MBPP": tasks_of((BENCHMARKS["mbpp"].parse(r, 0), r["code"]) for r in records_of(benchmarks / "mbpp.jsonl")),
        "CRUXEval": [
            Task(f"assert f({r['input']}) == {answer}", [r["code"]], f"{r['id']}, {answer}")
            for r in records_of(benchmarks / "cruxeval.jsonl")
            for answer in (r["output"], "None")
        ],
        "ClassEval": [
            Task(r["test"], ["\n".join([*imports_of(r), r["solution_code"]]), r["skeleton"]], r["task_id"])
            for r in records_of(benchmarks / "classeval.jsonl")
        ],
        "HumanEvalPack": tasks_of(
            (parse_problem(r), text)
            for r in records_of(benchmarks / "humanevalpack_python.jsonl")
            for text in (r["canonical_solution"], r["buggy_solution"])
        ),
    }
    return {name: tasks for name, tasks in found.items() if tasks}


def imports_of(record):
    """Return the import statements of a record of ClassEval, which may be a text of a list."""
    imports = record["import_statement"]
    return ast.literal_eval(imports) if isinstance(imports, str) else imports


if __name__ == "__main__":
    main()
