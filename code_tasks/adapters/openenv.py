"""A coding environment for OpenEnv: what a model's code does in a `Session` is what it observes.

Each client of the server has an environment, with a session of its own. `reset` may bring tests. They stay outside of
the session, and an answer that the model submits is run against them in another sandbox.
"""

from __future__ import annotations

import asyncio
import functools
import threading
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, ConcurrencyConfig, EnvironmentMetadata, Observation, State
from pydantic import Field

from sandboxes import (
    CellResult,
    EvalConfig,
    Evaluator,
    Session,
    SessionEnded,
    SessionLimits,
    Task,
    Verdict,
)
from sandboxes.consent import require_consent
from sandboxes.pool.cpus import usable_cpus
from sandboxes.tasks.results import passed_share
from sandboxes.tasks.task import plain_reference
from sandboxes.validation import positive_int, positive_number

NAME = "coding_env"
OUTPUT_BYTES = 1 << 20
"""Bytes of stdout, and of stderr, in an observation."""

NOT_OF_ENVIRONMENTS = ("k", "on_sandbox_error", "on_invalid_tests", "progress", "languages", "cluster")
"""Options that an environment does not have."""


class CodeAction(Action):
    """Python code that the model wants to run, or submits as its answer."""

    code: str = Field(description="Python code. It runs where the variables of earlier actions are.")
    submit: bool = Field(
        default=False,
        description="True if the code is the answer to the episode's task. It is run against the tests that `reset` "
        "was given, and not in the session, and the episode ends.",
    )


class CodeObservation(Observation):
    """The output of an action's code. `metadata` may have "value", "limit", "state_lost", "detail" and "outcome"."""

    stdout: str = Field(default="", description="Standard output")
    stderr: str = Field(default="", description="Standard error, and the traceback of an exception")
    exit_code: int = Field(default=0, description="0 if the code ran to its end, or the answer passed; otherwise 1")


class CodeState(State):
    """The state of an episode."""

    last_exit_code: int = Field(default=0, description="`exit_code` of the last action")


class CodingEnvironment(Environment[CodeAction, CodeObservation, CodeState]):
    """An environment of one client. The server makes one for each, and closes it when the client goes."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self,
        config: EvalConfig,
        limits: SessionLimits,
        max_steps: int | None = None,
        places: threading.Semaphore | None = None,
    ):
        """Set up an environment; nothing is started yet.

        Args:
            config: of the session, and of the runs of answers.
            limits: of the session.
            max_steps: actions of an episode, which ends with the last one. None: no limit.
            places: for answers that are graded at once, shared by environments. None: one place.
        """
        super().__init__()
        self._places = places or threading.Semaphore(1)
        self.config, self.limits, self.max_steps = config, limits, max_steps
        self._session: Session | None = None
        self._tests: Any = None
        self._state = CodeState()
        self._is_done = False

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, tests: Any = None, **others: Any
    ) -> CodeObservation:
        """Begin an episode in a new session.

        Args:
            seed: without effect, because nothing here is random.
            episode_id: its name. None: a random one.
            tests: code or cases, as the references of `compute`, which answers are run against. The session never has
                them. None: no action has a reward.
            others: refused.

        Raises:
            ValueError, TypeError: for an invalid argument.
            SandboxUnavailable: if the session can't be opened.
        """
        if others:
            raise TypeError(f"reset takes seed, episode_id and tests, not {', '.join(others)}")
        self._tests = None if tests is None else plain_reference(tests)
        self._end_session()
        self._state = CodeState(episode_id=episode_id or str(uuid.uuid4()))
        self._is_done = False
        self._open_session()
        return CodeObservation()

    def step(self, action: CodeAction, timeout_s: float | None = None, **others: Any) -> CodeObservation:
        """Run an action's code in the session, or against the tests if it is the answer.

        Args:
            action: the action.
            timeout_s: wall seconds that the code may take in the session, if they are fewer than its limit.
            others: ignored, such as the number that a client gives its request.

        Raises:
            ValueError: if the episode has ended, or has no tests to run an answer against.
            SandboxUnavailable: if an answer can't be run, or the session can't be opened. The episode goes on.
            SessionEnded: if the session has expired or broke.
        """
        if self._is_done:
            raise ValueError("the episode has ended; reset the environment")
        if action.submit:
            observation = self._grade(action.code)
        else:
            seconds = min(timeout_s or self.limits.call_seconds, self.limits.call_seconds)
            observation = self._run(action.code, seconds)
        self._state.step_count += 1
        self._state.last_exit_code = observation.exit_code
        if self.max_steps is not None and self._state.step_count >= self.max_steps and not observation.done:
            observation.done = True
            observation.reward = None if self._tests is None else 0.0
        self._is_done = observation.done
        if self._is_done:
            self._end_session()
        return observation

    @property
    def state(self) -> CodeState:
        """The state of the episode."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """Return what the server's page says about the environment."""
        return EnvironmentMetadata(
            name=NAME, description="Runs Python code in a sandbox, and keeps its variables and files", version="1.0.0"
        )

    def close(self) -> None:
        """End the session, and the episode with it: a step that comes later would open another one."""
        self._is_done = True
        self._end_session()

    def _open_session(self) -> Session:
        if self._session is None:
            session = Session(self.config, self.limits)
            session.open()
            self._session = session
        return self._session

    def _end_session(self) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            session.close()
        else:
            # The server closes environments of plain requests on its event loop, where no other client may wait for it.
            threading.Thread(target=session.close, name="close-session").start()

    def _run(self, code: str, seconds: float) -> CodeObservation:
        """Run code in the session."""
        try:
            return observation_of(self._open_session().run_cell(code, seconds))
        except SessionEnded as error:
            raise SessionEnded(f"{error}; reset the environment") from error
        except OSError as error:
            # Earlier code has used up the processes.
            return CodeObservation(stderr=f"no process could be started: {error}\n", exit_code=1)

    def _grade(self, code: str) -> CodeObservation:
        """Run the answer against the tests of the episode."""
        if self._tests is None:
            raise ValueError("this episode has no tests; give them to reset(tests=...)")
        with self._places:
            [result] = Evaluator(self.config).run([Task(self._tests, (code,))], num_workers=1)
        if not isinstance(result, Verdict):
            raise result
        reward = passed_share(result) if self.config.tasks.partial_credit else float(result.passed)
        # Details of a failure would show the tests to a model that is trained on its observations.
        return CodeObservation(
            exit_code=int(not result.passed),
            done=True,
            reward=reward,
            metadata={"outcome": result.outcome.value},
        )


def observation_of(result: CellResult) -> CodeObservation:
    """Return the observation of a cell's result."""
    details = {
        "value": result.value,
        "limit": result.limit.value if result.limit else None,
        "state_lost": result.state_lost or None,
        "detail": result.detail or None,
    }
    trace = result.error.traceback if result.error else ""
    note = f"{result.detail}\n" if result.detail else ""
    lost = "the Python process has ended, and its variables are lost\n" if result.state_lost else ""
    return CodeObservation(
        stdout=result.stdout,
        stderr=result.stderr + trace + note + lost,
        exit_code=int(not result.succeeded),
        metadata={name: value for name, value in details.items() if value is not None},
    )


class CodingEnv(EnvClient[CodeAction, CodeObservation, CodeState]):
    """A client: `with CodingEnv(base_url="http://localhost:8000").sync() as env: env.reset()`."""

    def _step_payload(self, action: CodeAction) -> dict[str, Any]:
        return dict(action.model_dump())

    def _parse_result(self, payload: Mapping[str, Any]) -> StepResult[CodeObservation]:
        reward, done = payload.get("reward"), bool(payload.get("done"))
        observation = CodeObservation(**payload["observation"], reward=reward, done=done)
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: Mapping[str, Any]) -> CodeState:
        return CodeState(**payload)


def create_coding_app(
    *,
    max_concurrent_envs: int = 64,
    max_steps: int | None = None,
    step_seconds: float = 60.0,
    idle_seconds: float = 600.0,
    **options: Any,
) -> Any:
    """Return the FastAPI application of an environment server, made by OpenEnv's `create_app`.

    Args:
        max_concurrent_envs: clients at once. One more is refused.
        max_steps: actions of an episode. None: no limit.
        step_seconds: wall seconds that an action may take in its session.
        idle_seconds: the session of a client that does nothing for so long ends.
        options: as `compute` takes them. Options of the sandbox, `memory_mb` and `max_processes` hold for sessions and
            answers, the others for answers: `timeout`, `grading`, `partial_credit`, `num_workers`, ...

    Raises:
        ValueError, TypeError: for an invalid option, or if running programs was not allowed.
    """
    require_consent()
    config = EvalConfig.from_options(options, without=NOT_OF_ENVIRONMENTS)
    limits = replace(
        SessionLimits.from_limits(config.limits),
        call_seconds=positive_number("step_seconds", step_seconds, "seconds"),
        idle_seconds=positive_number("idle_seconds", idle_seconds, "seconds"),
        output_bytes=OUTPUT_BYTES,
    )
    # A configuration that can't hold a session is an error now, and not when the first client comes.
    Session(config, limits)
    clients = ConcurrencyConfig(
        max_concurrent_envs=positive_int("max_concurrent_envs", max_concurrent_envs), session_timeout=idle_seconds
    )
    steps = None if max_steps is None else positive_int("max_steps", max_steps)
    places = threading.Semaphore(config.num_workers or usable_cpus())
    return create_app(
        functools.partial(CodingEnvironment, config, limits, steps, places),
        CodeAction,
        CodeObservation,
        env_name=NAME,
        concurrency_config=clients,
        state_cls=CodeState,
    )
