"""Solvers by their names on the command line: builds one with all that it needs, and runs it with a run log."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from typing import Any

from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputError
from code_tasks.benchmarks.sample_reader import read_samples
from code_tasks.solvers.grader import SandboxGrader, program_of_answer, prompt_plus_candidate
from code_tasks.solvers.interface import SOLVERS, Solver, Task
from code_tasks.solvers.known_answers import (
    DummySolver,
    FailingSolver,
    GoldSolver,
    ReplaySolver,
    tasks_from_problems,
)
from code_tasks.solvers.options import SolveOptions
from code_tasks.solvers.progress import SolverBar
from code_tasks.solvers.record.format import NoRecorder
from code_tasks.solvers.record.reader import RunState, read_run_state
from code_tasks.solvers.record.writer import JsonlRecorder
from code_tasks.solvers.run import solve
from code_tasks.solvers.summary import Summary
from sandboxes import EvalConfig, Evaluator
from sandboxes.tasks.options import check_supported
from sandboxes.validation import short_repr, summarize

MODEL_SOLVERS = ("chat", "agent")


@dataclass(frozen=True)
class SolverChoice:
    """A solver as a user names it, and its own options."""

    name: str
    samples: Path | None = None
    """The file that the solver replay takes its answers from."""

    model_options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of `ChatSolver` and `AgentSolver`."""

    task_ids: Collection[str] | None = None
    """The tasks that it is to answer. None: all."""

    def __post_init__(self) -> None:
        """Raise ValueError for options that do not fit together."""
        if self.name not in SOLVERS:
            raise ValueError(f"unknown solver {self.name!r}; choose one of {', '.join(SOLVERS)}")
        if (self.name == "replay") != (self.samples is not None):
            raise ValueError("--samples FILE goes with --solver replay, and replay needs it")
        if self.name in MODEL_SOLVERS:
            if "model" not in self.model_options:
                raise ValueError(f"--solver {self.name} needs --model NAME")
            if "max_steps" in self.model_options and self.name != "agent":
                raise ValueError("--max-steps is for --solver agent")
        elif self.model_options:
            name = next(iter(self.model_options))
            raise ValueError(f"--{name.replace('_', '-')} is for --solver chat and agent, not {self.name}")


@dataclass(frozen=True)
class SolverJob:
    """A solver and the questions that it is to answer."""

    solver: Solver
    grader: SandboxGrader
    questions: Sequence[Task]
    settings: Mapping[str, Any]
    """Everything that decides on results, for the run log."""

    samples_by_question: Mapping[str, int] = field(default_factory=dict)
    """For replay: how many samples each question has. Each sample is an attempt, unless a user wants fewer."""

    order: str = "interleaved"
    """The order of attempts, unless a user wants another."""

    @classmethod
    def of(
        cls,
        choice: SolverChoice,
        problems: Mapping[str, Problem],
        config: EvalConfig,
        decisive: Mapping[str, Any],
    ) -> SolverJob:
        """Return the job; start nothing.

        Args:
            choice: the solver.
            problems: by task_id, also those of tasks that are not chosen.
            config: how candidates are run.
            decisive: the options that decide on results, for the run log.

        Raises:
            ValueError, TypeError: for invalid options.
            InputError: if a file can't be read.
            ImportError: if a package is missing that the solver needs.
        """
        # The answer of a model may be a whole function; any other candidate goes on where the prompt ends.
        known, chosen = problems, problems if choice.task_ids is None else choice.task_ids
        problems = {name: problem for name, problem in known.items() if name in chosen}
        assemble = program_of_answer if choice.name in MODEL_SOLVERS else prompt_plus_candidate
        languages = tuple(sorted({problem.language or "python" for problem in problems.values()}))
        config = replace(config, tasks=replace(config.tasks, languages=languages))
        check_supported(config.sandbox, languages)
        grader = SandboxGrader(Evaluator(config, keep_warm=False), assemble)
        recorded = {"solver": choice.name, **decisive}
        samples_by_question: dict[str, int] = {}
        solver: Solver
        if choice.name == "replay":
            samples = [each for each in read_samples(Path(str(choice.samples)), known) if each.task_id in problems]
            for sample in samples:
                problem = problems[sample.task_id]
                if sample.program(problem, problem.language) != prompt_plus_candidate(problem, sample.completion):
                    raise InputError(
                        f"{choice.samples}: replay takes completions, which continue the prompt; `code-eval run` takes "
                        "whole programs and answers too"
                    )
            replay = ReplaySolver(grader, samples)
            problems = {name: problem for name, problem in problems.items() if name in replay.completions}
            samples_by_question = {name: len(completions) for name, completions in replay.completions.items()}
            recorded["samples"] = digest([[sample.task_id, sample.completion] for sample in samples])
            solver = replay
        elif choice.name in MODEL_SOLVERS:
            solver, model_settings = build_model_solver(choice, grader)
            recorded |= model_settings
        elif choice.name == "gold":
            check_gold(problems)
            solver = GoldSolver(grader)
        elif choice.name == "dummy":
            solver = DummySolver()
            # Run logs of earlier versions have a solver of this name that was always wrong.
            recorded["always_correct"] = True
        else:
            solver = FailingSolver(grader)
        recorded["questions"] = digest([astuple(problem) for problem in problems.values()])
        order = default_order(choice)
        return cls(solver, grader, tasks_from_problems(problems), recorded, samples_by_question, order)

    def plan(self, n_tries: int | None, order: str | None = None, **options: Any) -> SolveOptions:
        """Return the plan of a run.

        Args:
            n_tries: attempts per question. None: 1; for replay as many as a question has samples.
            order: of attempts. None: the solver's own.
            options: other fields of `SolveOptions`.

        Raises:
            InputError: if a question has too few samples to replay.
            ValueError, TypeError: as `SolveOptions` does.
        """
        options["order"] = order or self.order
        samples = self.samples_by_question
        if n_tries is None:
            max_tries = max(samples.values(), default=1)
            fewer = {name: number for name, number in samples.items() if number != max_tries}
            return SolveOptions(max_tries, tries_by_question=fewer, **options)
        if few := [short_repr(name) for name, number in samples.items() if number < n_tries]:
            raise InputError(
                f"--tries {n_tries} needs as many samples of each task, and there are fewer of {summarize(few)}; "
                "without --tries, every sample is replayed"
            )
        return SolveOptions(n_tries, **options)

    def samples_left_out(self, plan: SolveOptions) -> int:
        """Return the number of samples that are not replayed, because a user wants fewer attempts than samples."""
        return sum(number - plan.tries_for(name) for name, number in self.samples_by_question.items())

    def run(self, plan: SolveOptions, output: Path | None, resume: Path | None, retry_errors: bool) -> Summary:
        """Run the solver, and return the summary.

        Args:
            plan: the plan of the run.
            output: a new run log.
            resume: a run log to continue.
            retry_errors: whether to repeat attempts that broken infrastructure ended.

        Raises:
            RunLogError: if the run log can't be written or continued.
            SandboxUnavailable: if the sandbox does not work here.
            Exception: what the solver raises.
        """
        settings = {**self.settings, "tries": plan.n_tries}
        path = resume or output
        past = RunState()
        with JsonlRecorder(path, resume is not None) if path else contextlib.nullcontext(NoRecorder()) as recorder:
            if resume:
                past = read_run_state(resume)
                past.check_settings(resume, settings)
                past = past.without_system_errors() if retry_errors else past
            total = sum(plan.tries_for(question.question_id) for question in self.questions)
            with SolverBar(total, done=past.attempts.values()) as bar:
                return asyncio.run(self._run(plan, recorder, settings, past, bar))

    async def _run(
        self,
        plan: SolveOptions,
        recorder: JsonlRecorder | NoRecorder,
        settings: Mapping[str, Any],
        past: RunState,
        bar: SolverBar,
    ) -> Summary:
        # A sandbox is started, and checked, only for a solver that runs programs.
        async with contextlib.nullcontext() if isinstance(self.solver, DummySolver) else self.grader:
            return await solve(self.solver, self.questions, plan, recorder, settings, past, bar.count, bar.tell)


def default_order(choice: SolverChoice) -> str:
    """Return the order of attempts that suits a solver.

    Interleaved attempts leave something of every question in a run that ends early. Attempts at one question that are
    neighbours can share a request to a model. They have the same tests, too, which saves a sandbox work, and the
    sandbox is all that a run waits for if the answers are known.
    """
    shares_requests = choice.model_options.get("answers_per_request", 1) > 1
    return "by_question" if shares_requests or choice.name in ("gold", "failing", "replay") else "interleaved"


def build_model_solver(choice: SolverChoice, grader: SandboxGrader) -> tuple[Solver, dict[str, Any]]:
    """Return a solver that asks a model, and its settings."""
    from code_tasks.solvers.models.agent import AgentSolver
    from code_tasks.solvers.models.chat import ChatSolver

    solver = (AgentSolver if choice.name == "agent" else ChatSolver)(grader, **choice.model_options)
    return solver, dict(solver.settings)


def check_gold(problems: Mapping[str, Problem]) -> None:
    """Raise InputError if a problem has no canonical solution."""
    if without := [name for name, problem in problems.items() if problem.canonical_solution is None]:
        raise InputError(
            f"{len(without)} problem(s) have no canonical_solution, which the gold solver answers with: "
            f"{summarize([short_repr(name) for name in without])}"
        )


def digest(value: Any) -> str:
    """Return a short hash of data."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]
