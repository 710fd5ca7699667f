"""Reading and resuming a run log: incomplete lines, damage, other settings, and the attempts that are done."""

import asyncio

import pytest

from code_tasks.solvers.record.format import RunLogError, read_run_log
from code_tasks.solvers.record.reader import read_run_state
from code_tasks.solvers.record.writer import JsonlRecorder
from code_tasks.solvers.run import solve
from support.solver_fixtures import Scripted, answers, final_result, questions, solve_options
from support.solver_records import attempt, recorded, write_record


@pytest.fixture
def path(tmp_path):
    """Return the path of a run log."""
    return tmp_path / "run.jsonl"


@pytest.mark.parametrize("kept", [1, 40, -1])
def test_torn_last_line(path, kept):
    """A resumed run removes an incomplete last line of its run log; all other lines stay."""
    write_record(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][: kept if kept > 0 else -2])
    with JsonlRecorder(path, resume=True) as recorder:
        recorder.record("step", attempt("a"), step=0)
    assert path.read_bytes().splitlines(keepends=True)[:-1] == lines[:-1]
    assert [line["record_type"] for line in read_run_log(path)][-1] == "step"


def test_last_line_without_its_end(path):
    """A last line that lacks only its newline is complete, and gets one."""
    write_record(path)
    before = path.read_bytes()
    path.write_bytes(before[:-1])
    JsonlRecorder(path, resume=True).close()
    assert path.read_bytes() == before


def test_readers_skip_an_incomplete_line(path):
    """A reader of a run log that is being written skips an incomplete last line."""
    write_record(path)
    whole = len(list(read_run_log(path)))
    with open(path, "ab") as file:
        file.write(b'{"timestamp": 1, "record_')
    assert len(list(read_run_log(path))) == whole


@pytest.mark.parametrize("damage", [b'{"timestamp": 1, "rec\n', b"\0" * 20 + b"\n", b"\xff\xfe\n", b"\n"])
def test_damaged_line(path, damage):
    """An invalid line in the middle is an error that names file and line."""
    write_record(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], damage, *lines[3:]]))
    with pytest.raises(RunLogError, match=rf"{path}:4: not JSON: the run log is damaged"):
        read_run_state(path)


@pytest.mark.parametrize("other", ["[1]", '{"task_id": "t/0"}', '{"record_type": "match"}'])
def test_other_files(path, other):
    """A file that is not a run log is an error that names the line."""
    path.write_text(other + "\n" + other + "\n")
    with pytest.raises(RunLogError, match=rf"{path}:1: "):
        read_run_state(path)


def test_attempts_that_are_done(path):
    """Attempts with a match or a final error are done, and the state has the summary of its run."""
    write_record(path)
    state = read_run_state(path)
    assert sorted(state.attempts) == [(question, number) for question in "abc" for number in (0, 1)]
    summary = state.summary()
    assert (summary.accuracy, summary.missing_tasks) == (0.75, ("c",))


def test_system_errors_can_be_retried(path):
    """Without system errors these attempts are not done, and continue with the next retry_idx."""
    write_record(path)
    state = read_run_state(path).without_system_errors()
    assert sorted(state.attempts) == [("a", 0), ("a", 1), ("b", 0)]
    assert state.retries == {("b", 1): 2, ("c", 0): 2, ("c", 1): 2}


@pytest.mark.parametrize(
    ("change", "differences"),
    [
        ({"timeout": 5.0}, "timeout was 3.0 and is 5.0"),
        ({"n_tries": 4, "sandbox": "docker"}, "n_tries was 2 and is 4; sandbox was 'subprocess' and is 'docker'"),
        ({"model": "new"}, "model was null and is 'new'"),
    ],
)
def test_other_settings(path, change, differences):
    """A run log with other settings is refused, and the error lists the differences."""
    from support.solver_records import SETTINGS

    write_record(path)
    state = read_run_state(path)
    state.check_settings(path, SETTINGS)
    with pytest.raises(RunLogError, match=f"{path} is the run log of a run with other settings: {differences}"):
        state.check_settings(path, SETTINGS | change)


def test_a_bug_does_not_end_an_attempt(path):
    """A resumed run repeats an attempt that a solver's bug ended, with the same retry_idx."""

    def decide(question_id, attempt_id, retry_idx):
        if not fixed:
            raise KeyError("mine")
        return True

    fixed = False
    solver = answers(decide)
    with pytest.raises(KeyError):
        recorded(path, solver)
    fixed = True

    async def resume():
        with JsonlRecorder(path, resume=True) as recorder:
            return await solve(solver, questions("a"), solve_options(), recorder, state=read_run_state(path))

    assert asyncio.run(resume()).correct == 1
    assert solver.tasks == [("a", 0, 0)] * 2


def test_nothing_is_missing(path):
    """A complete run log stays unchanged."""
    solver = answers(lambda *attempt: True)
    first, _ = recorded(path, solver)
    before = path.read_bytes()

    async def resume():
        with JsonlRecorder(path, resume=True) as recorder:
            return await solve(solver, questions("a"), solve_options(), recorder, state=read_run_state(path))

    assert asyncio.run(resume()).as_record() == first.as_record()
    assert path.read_bytes() == before and len(solver.tasks) == 1


def test_results_of_a_solver_are_read_as_they_were(path):
    """An attempt that is read from the run log equals the one in the run."""
    limits = [{"max_time_reached": True}, {"max_steps_reached": True}, {"max_tokens_reached": True}, {}]
    done = []

    async def script(task):
        yield final_result(task.attempt_id % 2 == 0, **limits[task.attempt_id])

    async def run():
        with JsonlRecorder(path) as recorder:
            await solve(Scripted(script), questions("a"), solve_options(n_tries=4), recorder, on_done=done.append)

    asyncio.run(run())
    assert {each.attempt_id: each for each in done} == {
        each.attempt_id: each for each in read_run_state(path).attempts.values()
    }
