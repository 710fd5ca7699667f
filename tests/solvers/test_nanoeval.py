"""The summary, the dummy solver and the protocol as nanoeval's PythonCodingEval has them."""

import asyncio
import time

import pytest

from code_tasks.benchmarks.problems import Problem
from code_tasks.solvers import (
    DummySolver,
    FinalResult,
    Grade,
    JsonlRecorder,
    MeasuredSolver,
    Step,
    Task,
    solve,
    tasks_from_problems,
)
from code_tasks.solvers.attempts import MAX_MESSAGE_CHARS, Attempt
from code_tasks.solvers.options import SolveOptions
from code_tasks.solvers.record.format import read_run_log
from code_tasks.solvers.summary import as_text, summarize_attempts
from support.solver_fixtures import Scripted, answers, final_result, questions, solve_options
from support.solver_records import recorded


def result(number, score, messages=2, **limits):
    """Return an attempt at "a" that ended with a result."""
    return Attempt.from_result("a", number, FinalResult(Grade(score), ({},) * messages, **limits))


def broken(question, number, message):
    """Return an attempt that ended with a system error."""
    return Attempt.from_error(question, number, "RetryableSystemError", message, is_system_error=True)


MIXED = [
    result(0, 1.0, messages=10, max_time_reached=True),
    result(1, 0.0, messages=2, max_time_reached=True),
    result(2, 0.5, messages=4, max_steps_reached=True),
    result(3, 0.0, messages=0),
    result(4, 0.0, messages=6, max_tokens_reached=True, max_time_reached=True),
    broken("a", 5, "503"),
]


def test_fractions_are_of_incorrect_results_over_all_results():
    """A limit's fraction counts incorrect results only, divided by all results; system errors are in neither."""
    stats = summarize_attempts(MIXED).length_stats
    assert (stats.frac_max_time, stats.frac_max_steps, stats.frac_max_tokens) == (2 / 5, 1 / 5, 1 / 5)
    assert stats.frac_model_ended == 1 / 5


def test_frac_correct():
    """frac_correct is the share of correct results, whichever questions they are at; accuracy weighs questions."""
    attempts = [Attempt.from_result(name, n, final_result(name == "a")) for name, n in [("a", 0), ("a", 1), ("b", 0)]]
    summary = summarize_attempts(attempts)
    assert (summary.length_stats.frac_correct, summary.accuracy) == (2 / 3, 1 / 2)


def test_results_without_a_conversation():
    """Results without a conversation are in no percentile, and count in every fraction."""
    stats = summarize_attempts(MIXED).length_stats
    assert list(stats.convo_len_percentiles) == [3.5, 5.0, 7.0]
    assert stats.conversation_percentiles == {"25": 3.5, "50": 5.0, "75": 7.0}


def test_no_conversation_at_all():
    """If no result has a conversation, there are no percentiles."""
    stats = summarize_attempts([result(0, 1.0, messages=0)]).length_stats
    assert (stats.convo_len_percentiles, stats.conversation_percentiles, stats.frac_correct) == ([], {}, 1.0)


def test_errors_by_message():
    """Errors are counted by their messages, the most frequent first; one without a text by its class."""
    messages = ["503", "429", "429", "", "503", "429"]
    summary = summarize_attempts([broken("a", number, message) for number, message in enumerate(messages)])
    assert [*summary.error_messages.items()] == [("429", 3), ("503", 2), ("RetryableSystemError", 1)]
    assert summary.error_breakdown == {"RetryableSystemError": 6}


def test_long_messages():
    """Messages that agree in their first characters count as one, so that a summary stays small."""
    pages = [broken("a", number, "x" * 100_000 + str(number)) for number in range(3)]
    [(message, number)] = summarize_attempts(pages).error_messages.items()
    assert (len(message), number) == (MAX_MESSAGE_CHARS, 3)


def test_messages_in_the_text():
    """The text for a terminal has the most frequent messages, each in one line, and the number of others."""
    many = [broken("a", number, f"line {number // 2}\nsecond") for number in range(30)]
    text = as_text(summarize_attempts(many))
    assert "        2  line 0 second\n" in text and text.count("second") == 10
    assert "and 5 other messages" in text


def test_top_level_names():
    """The summary in the run log has nanoeval's names: counts without system errors, and with them."""
    record = summarize_attempts([*MIXED, broken("b", 0, "503")]).as_record()
    counted = {"num_correct": 1, "num_incorrect": 4}
    assert record["aggregations"] == {
        "num_tasks": 1,
        "num_attempts": 5,
        **counted,
        "num_system_error": 0,
        "error_breakdown": {},
    }
    assert record["metrics_including_errors"] == {
        "accuracy": pytest.approx((1 / 6 + 0) / 2),
        "aggregations": {
            "num_tasks": 2,
            "num_attempts": 7,
            **counted,
            "num_system_error": 2,
            "error_breakdown": {"503": 2},
        },
    }
    assert (record["accuracy"], record["missing_tasks"], record["is_valid"]) == (0.2, ["b"], False)


def test_bugs_are_no_system_errors():
    """A bug of the solver is incorrect, is counted by message, and is not among the system errors."""
    bug = Attempt.from_error("a", 0, "KeyError", "'x'", is_system_error=False)
    record = summarize_attempts([bug]).as_record()
    assert record["error_messages"] == {"'x'": 1}
    aggregations = record["metrics_including_errors"]["aggregations"]
    assert (aggregations["num_incorrect"], aggregations["error_breakdown"]) == (1, {})


def test_metrics_of_a_solver(tmp_path):
    """A solver's own metrics are in the summary as "solver"; a solver without any has an empty object."""

    class Counting(Scripted):
        def get_additional_metrics(self):
            assert self.left == 0
            return {"attempts": len(self.tasks)}

    async def script(task):
        yield final_result()

    for solver, metrics in ((Counting(script), {"attempts": 2}), (Scripted(script), {})):
        summary, lines = recorded(tmp_path / type(solver).__name__, solver, ("a", "b"))
        assert summary.solver == lines[-1]["summary"]["solver"] == metrics
        assert isinstance(solver, MeasuredSolver) == bool(metrics)


def test_the_dummy_solver():
    """The dummy solver is always correct, without a sandbox, a conversation or a candidate."""
    summary = asyncio.run(solve(DummySolver(), questions("a", "b"), solve_options(n_tries=3)))
    assert (summary.accuracy, summary.correct, summary.length_stats.frac_correct) == (1.0, 6, 1.0)
    assert summary.length_stats.convo_len_percentiles == []


def order_of(names, **options):
    """Return the attempts of a run in the order in which they began."""
    solver = answers(lambda *attempt: True)
    asyncio.run(solve(solver, questions(*names), solve_options(concurrency=1, **options)))
    return [f"{name}{number}" for name, number, _ in solver.tasks]


def test_attempts_interleave():
    """The first attempts at all questions come before the second ones."""
    assert order_of("abc", n_tries=2) == ["a0", "b0", "c0", "a1", "b1", "c1"]
    assert order_of("abc", n_tries=2, tries_by_question={"b": 1, "c": 3}) == ["a0", "b0", "c0", "a1", "c1", "c2"]


def test_by_question():
    """With order="by_question" all attempts at a question come before those at the next."""
    assert order_of("ab", n_tries=2, order="by_question") == ["a0", "a1", "b0", "b1"]


def test_the_order_is_found_in_linear_time():
    """A question with far more attempts than many others does not make every other one looked at each time."""
    names = [f"q{number}" for number in range(20_000)]
    options = SolveOptions(1, tries_by_question={"q7": 20_000})
    started = time.process_time()
    assert sum(1 for _ in options.attempts(names)) == 40_000 - 1
    # 400 million looks would take a minute.
    assert time.process_time() - started < 5


@pytest.mark.slow
def test_a_large_summary():
    """50,000 attempts, each of which broke with a message of its own, are summed up within seconds."""
    many = [broken(f"q{number % 500}", number // 500, f"request {number}") for number in range(50_000)]
    started = time.process_time()
    record = summarize_attempts(many).as_record()
    assert len(record["error_messages"]) == 50_000
    assert time.process_time() - started < 20


def test_the_name_of_an_attempt():
    """An attempt has a name."""
    assert Task("t/0", (), attempt_id=2).name == "t/0.2"


def test_task_metadata(tmp_path):
    """A task's metadata reach the solver in every attempt, and stand beside the answer in the run log."""
    seen = []

    async def script(task):
        seen.append(task.metadata)
        yield final_result()

    task = Task("a", (), metadata={"difficulty": "hard", "tags": ["x"]})

    async def run():
        with JsonlRecorder(tmp_path / "run.jsonl") as recorder:
            await solve(Scripted(script), [task], solve_options(n_tries=2), recorder)

    asyncio.run(run())
    lines = [line for line in read_run_log(tmp_path / "run.jsonl") if line["record_type"] == "sampling"]
    assert seen == [line["task_metadata"] for line in lines] == [{"difficulty": "hard", "tags": ["x"]}] * 2


def test_metadata_of_problems():
    """A problem's task has its language and entry point as metadata, if its record names them."""
    problems = {
        "a": Problem("a", "", "assert f()", "python", entry_point="f"),
        "b": Problem("b", "", "assert g()"),
    }
    assert [task.metadata for task in tasks_from_problems(problems)] == [
        {"language": "python", "entry_point": "f"},
        {},
    ]


def test_a_graded_step(tmp_path):
    """A step may have a grade, which stands in its line; the step is correct if the score is 1."""
    graded = Step(({},), grade=Grade(1.0, "all passed"))

    async def script(task):
        yield Step(({},))
        yield graded
        yield final_result()

    _, lines = recorded(tmp_path / "run.jsonl", Scripted(script))
    steps = [line["grade"] for line in lines if line["record_type"] == "step"]
    assert steps == [None, {"score": 1.0, "grader_log": "all passed"}]
    assert (graded.correct, Step(()).correct, Step((), grade=Grade(0.5)).correct) == (True, False, False)


@pytest.mark.parametrize("error", [GeneratorExit, KeyboardInterrupt, RuntimeError])
def test_any_other_exception_ends_the_run(error):
    """An exception that is neither a system error nor a cancellation ends the run, even one that is no Exception."""

    def decide(*attempt):
        raise error

    with pytest.raises(error):
        asyncio.run(solve(answers(decide), questions("a"), solve_options()))
