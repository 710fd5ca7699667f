"""Every reader accepts the results of every writer: the command, an interrupted run, the Space, and solvers."""

import asyncio
import json

import pytest

from code_tasks.benchmarks.readers import InputError
from code_tasks.reports.data import read_report_data
from code_tasks.scoring.results_format import summary_line
from space.uploads import FileStore
from support.metric_and_command import PROBLEM, code_eval, lines_of
from support.run_files import read_summary, results, write_lines

pytestmark = pytest.mark.slow

COMPLETIONS = [
    "    return a + b\n",
    "    return a * b\n",
    "    raise ValueError('\\x1b[31mred\\n\\u202e')\n",
    "    import os\n    os._exit(0)\n",
    "    return (\n",
    "    return '\ud800'\n",
    "    print('\\x00\\ud800')\n    return 1\n",
]


def written_by_run(files, folder, *options):
    """Write results with `code-eval run --output`."""
    done = code_eval(*files(COMPLETIONS), "--output", folder / "results.jsonl", *options)
    assert done.returncode == 0, done.stderr
    return folder / "results.jsonl"


def written_by_the_space(files, folder):
    """Write the results that a visitor of the Space downloads."""
    return FileStore(folder).keep(lines_of(written_by_run(files, folder))[:-1]).path


def written_by_a_solver(files, folder):
    """Write the run log of `code-eval solve`."""
    _, samples, *problems = files(COMPLETIONS)
    done = code_eval("solve", "--solver", "replay", "--samples", samples, *problems, "--output", folder / "run.jsonl")
    assert done.returncode == 0, done.stderr
    return folder / "run.jsonl"


WRITERS = {
    "run": written_by_run,
    "run with partial credit": lambda files, folder: written_by_run(files, folder, "--partial-credit"),
    "run, apart": lambda files, folder: written_by_run(files, folder, "--grading", "separate"),
    "run, restricted": lambda files, folder: written_by_run(files, folder, "--sandbox", "restricted"),
    "run, repeated": lambda files, folder: written_by_run(files, folder, "--repeats", "2"),
    "the Space": written_by_the_space,
    "solve": written_by_a_solver,
}


@pytest.mark.parametrize("writer", WRITERS)
def test_report_reads_what_is_written(files, tmp_path, writer):
    """`code-eval report` shows all results of every writer, with their outcomes."""
    path = WRITERS[writer](files, tmp_path)
    done = code_eval("report", path, "--output", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert f"{len(COMPLETIONS)} samples of 1 task" in done.stdout
    run = read_report_data(path)
    assert [sample.correct for sample in run.attempts] == [True, *[False] * (len(COMPLETIONS) - 1)]


def test_a_run_that_was_ended_early_is_read_by_resume(files, tmp_path):
    """`--resume` reads the file of an interrupted run, and the report reads the file that is then written."""
    output = written_by_run(files, tmp_path)
    summary = read_summary(output)
    begun = [json.dumps({"settings": summary["settings"]})]
    begun += [json.dumps({"sample": n, "record": record}) for n, record in enumerate(lines_of(output)[:3])]
    partial = tmp_path / "results.jsonl.partial"
    partial.write_text("\n".join(begun) + "\n")
    with pytest.raises(InputError, match="partial:1: these are partial results of an interrupted run; .* --resume"):
        read_report_data(partial)
    done = code_eval(*files(COMPLETIONS), "--output", output, "--resume")
    assert done.returncode == 0, done.stderr
    assert read_summary(output)["samples_run"] == len(COMPLETIONS) - 3
    assert len(read_report_data(output).attempts) == len(COMPLETIONS)


def test_a_report_shows_the_settings_of_the_summary(files, tmp_path):
    """The settings in the last line are those of the page."""
    assert read_report_data(written_by_run(files, tmp_path, "--timeout", "7")).settings["limits"]["wall_seconds"] == 7.0


def test_a_summary_alone_is_no_result(tmp_path):
    """A file without samples is an error."""
    (tmp_path / "results.jsonl").write_bytes(summary_line({"samples": 0}))
    with pytest.raises(InputError, match="there are no samples in it to report"):
        read_report_data(tmp_path / "results.jsonl")


@pytest.mark.parametrize("last", [{"summary": 5}, {"summary": {}, "more": 1}, {"summary": None}, {"summaries": {}}])
def test_an_invalid_summary(tmp_path, last):
    """A last line that only resembles a summary is an error with its number."""
    path = write_lines(tmp_path / "results.jsonl", [*results(), last])
    with pytest.raises(InputError, match=r"results.jsonl:10: missing key 'task_id'"):
        read_report_data(path)


@pytest.mark.parametrize("settings", [None, 5, [], "text", {}])
def test_a_summary_with_odd_settings(tmp_path, settings):
    """Settings in a summary that are not an object count as none."""
    path = write_lines(tmp_path / "results.jsonl", [*results(), {"summary": {"settings": settings}}])
    assert read_report_data(path).settings == {}


def test_the_space_s_file_of_a_stopped_run(tmp_path):
    """A file that lacks samples which were not run is read too."""
    kept = FileStore(tmp_path).keep(results()[:4])
    assert len(read_report_data(kept.path).attempts) == 4
    assert kept.record(2)["completion_id"] == 2


def uneven(folder, counts):
    """Return the options of `code-eval solve` for these numbers of samples; every second sample is correct."""
    problems = [{**PROBLEM, "task_id": f"t/{number}"} for number in range(len(counts))]
    samples = [
        {"task_id": f"t/{task}", "completion": f"    return a {'+*'[number % 2]} b\n"}
        for task, count in enumerate(counts)
        for number in range(count)
    ]
    write_lines(folder / "p.jsonl", problems)
    write_lines(folder / "s.jsonl", samples)
    return ["solve", "--solver", "replay", "--samples", folder / "s.jsonl", "--problems", folder / "p.jsonl"]


@pytest.mark.parametrize("counts", [(61, 1, 1), (1, 1), (2, 5, 3)])
def test_replay_runs_every_sample(tmp_path, counts):
    """All samples are run, logged and reported, even if tasks have different numbers of them."""
    done = code_eval(*uneven(tmp_path, counts), "--output", tmp_path / "run.jsonl")
    assert done.returncode == 0, done.stderr
    right = sum(-(-count // 2) for count in counts)
    assert f"{sum(counts)} attempts at {len(counts)} tasks: {right} correct" in done.stdout
    run = read_report_data(tmp_path / "run.jsonl")
    assert ([len(task) for task in run.tasks.values()], run.unfinished) == (list(counts), 0)


def test_replay_is_resumed(tmp_path):
    """A replay of uneven tasks can be resumed, and its report counts the missing attempts."""
    options, record = uneven(tmp_path, (4, 1)), tmp_path / "run.jsonl"
    assert code_eval(*options, "--output", record).returncode == 0
    lines = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join(lines[:3]))
    assert read_report_data(record).unfinished == 4
    done = code_eval(*options, "--output", record, "--resume")
    assert done.returncode == 0, done.stderr
    assert "5 attempts at 2 tasks: 3 correct" in done.stdout
    assert read_report_data(record).unfinished == 0


def test_replay_says_what_is_left_out(tmp_path):
    """If --tries is smaller than the number of samples, a message says how many are left out."""
    done = code_eval(*uneven(tmp_path, (5, 2)), "--tries", 2)
    assert done.returncode == 0, done.stderr
    assert "4 attempts at 2 tasks" in done.stdout
    assert "3 samples are not in the score: --tries takes the first 2 of each task" in done.stderr


def test_tries_by_question():
    """`tries_by_question` gives a question its own number of attempts."""
    from code_tasks.solvers.options import SolveOptions
    from code_tasks.solvers.run import solve
    from support.solver_fixtures import answers, questions

    solver = answers(lambda *attempt: True)
    summary = asyncio.run(solve(solver, questions("a", "b"), SolveOptions(1, tries_by_question={"b": 3})))
    assert (summary.attempts, sorted(solver.tasks)) == (4, [("a", 0, 0), ("b", 0, 0), ("b", 1, 0), ("b", 2, 0)])
