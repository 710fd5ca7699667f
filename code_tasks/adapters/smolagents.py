"""A code executor for smolagents: each block of code that a `CodeAgent` writes is a cell of one `Session`.

The agent sends its variables and the source of its tools first, as it does to smolagents' remote executors. They run in
the session, beside the code. All that comes back is text. A final answer is JSON, which is never unpickled.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from types import FunctionType
from typing import Any

from smolagents.local_python_executor import DEFAULT_MAX_LEN_OUTPUT, CodeOutput, InterpreterError
from smolagents.monitoring import AgentLogger, LogLevel
from smolagents.remote_executors import RemotePythonExecutor
from smolagents.serialization import SafeSerializer, SerializationError
from smolagents.tools import Tool, get_tools_definition_code
from smolagents.utils import truncate_content

from code_tasks.adapters.session_options import session_config
from sandboxes import CellResult, Outcome, SandboxUnavailable, Session, SessionEnded, SessionLimits
from sandboxes.consent import require_consent
from sandboxes.validation import positive_int, positive_number, short_repr

MAX_UNORDERED = 10_000
"""Elements of a set, or of a dictionary whose keys are not texts, in a final answer. More of them could be chosen so
that their hashes are equal, and building the set would take minutes."""

NUMBERS = re.compile(r"bool|u?int(8|16|32|64)|float(16|32|64)")
"""The dtypes of arrays in a final answer. Other dtypes may ask for any amount of memory."""

REQUIRE_MODULES = """
import importlib.util
missing = [name for name in {names!r} if importlib.util.find_spec(name) is None]
if missing:
    raise ModuleNotFoundError("the sandbox does not have " + ", ".join(missing))
"""

LOST = (
    "The Python process has ended, and the variables are lost. Tools and the variables of the task are there again, "
    "and files are kept."
)


class SandboxBroken(BaseException):
    """The sandbox broke in a run of an agent, and nothing is known about the code.

    It is no Exception, because a `CodeAgent` takes each Exception of its executor for a mistake in the code, shows it
    to the model, and goes on.
    """


class SandboxExecutor(RemotePythonExecutor):
    """An executor for `CodeAgent(executor=...)` whose code, tools and variables live in a sandbox.

    The session is opened by the agent's first run, and kept until `cleanup`, which `with CodeAgent(...)` calls.
    """

    def __init__(
        self,
        additional_authorized_imports: Sequence[str] = (),
        *,
        timeout_seconds: float = 30.0,
        max_print_outputs_length: int | None = None,
        limits: SessionLimits | None = None,
        **options: Any,
    ):
        """Check the arguments; nothing is started yet.

        Args:
            additional_authorized_imports: modules that the sandbox must have. All that it has can be imported, because
                the sandbox holds the code.
            timeout_seconds: wall seconds that a block of code may take.
            max_print_outputs_length: characters of a block's output, or of its error, that the agent sees. None:
                smolagents' own default.
            limits: of the session. None: `SessionLimits` with `memory_mb` and `max_processes` of the options.
            options: SESSION_OPTIONS, as `compute` takes them: `sandbox`, `memory_mb`, `network`, `image`, ...

        Raises:
            ValueError, TypeError: for an invalid option, or if running programs was not allowed.
        """
        require_consent()
        if isinstance(additional_authorized_imports, str):
            raise TypeError(f"additional_authorized_imports must be a list, not {additional_authorized_imports!r}")
        super().__init__(list(additional_authorized_imports), AgentLogger(LogLevel.OFF), allow_pickle=False)
        self.timeout_seconds = positive_number("timeout_seconds", timeout_seconds, "seconds")
        self.max_output_chars = positive_int(
            "max_print_outputs_length",
            DEFAULT_MAX_LEN_OUTPUT if max_print_outputs_length is None else max_print_outputs_length,
        )
        self.config, self.limits = session_config(options), limits
        self.state = {"_print_outputs": ""}
        """The output of the last block, where `CodeAgent` looks for it after an error."""
        self._session = Session(self.config, self.limits)
        self._variables: dict[str, Any] = {}
        self._tools_code = ""
        self._is_incomplete = True

    def send_variables(self, variables: dict[str, Any]) -> None:
        """Take variables. They are in the session before the next block of code runs.

        Raises:
            TypeError: if a value can't be sent; the message names its variable.
        """
        for name, value in variables.items():
            try:
                SafeSerializer.dumps(value)
            except SerializationError as error:
                raise TypeError(f"variable {name!r} can't be sent into the sandbox: {error}") from None
        self._variables.update(variables)
        self._is_incomplete = True

    def send_tools(self, tools: dict[str, Tool]) -> None:
        """Define tools in the session, from their source, and the variables.

        Raises:
            TypeError, ValueError: if a tool has no source of its own, as managed agents and tools of MCP servers.
            InterpreterError: if the sandbox lacks a module that a tool imports.
            SandboxUnavailable, SessionEnded: if the session can't be opened, or ends.
        """
        modules = {name.partition(".")[0] for name in self.additional_imports if name != "*"}
        for name, tool in tools.items():
            modules.update(required_modules(name, tool))
        if "final_answer" in tools:
            tools = {**tools, "final_answer": copied(tools["final_answer"])}
            self._patch_final_answer_with_exception(tools["final_answer"])
        require_modules = REQUIRE_MODULES.format(names=sorted(modules - {"smolagents"}))
        self._tools_code = f"exec({require_modules!r}, {{}})\n{get_tools_definition_code(tools)}"
        if self._session.end_reason is not None:
            self.cleanup()
        self._set_up()

    def __call__(self, code_action: str) -> CodeOutput:
        """Run a block of code where the variables of earlier blocks are.

        Raises:
            InterpreterError: if the code fails, takes too long, or uses too much memory.
            SandboxBroken: if the sandbox broke.
        """
        try:
            if self._is_incomplete:
                self._set_up_again()
            return self.run_code_raise_errors(code_action)
        except (SandboxUnavailable, SessionEnded) as error:
            raise SandboxBroken(f"the agent's sandbox broke: {error}") from error

    def run_code_raise_errors(self, code: str) -> CodeOutput:
        """Run a cell, and return what `__call__` returns."""
        self.state["_print_outputs"] = ""
        result = self._run_cell(code, self.timeout_seconds)
        self._is_incomplete |= result.state_lost
        logs = truncate_content(result.stdout + result.stderr, self.max_output_chars)
        self.state["_print_outputs"] = logs
        if result.succeeded:
            logs += f"\n{LOST}" if result.state_lost else ""
            return CodeOutput(output=result.value, logs=logs, is_final_answer=False)
        if result.limit is None and result.error and result.error.name == self.FINAL_ANSWER_EXCEPTION:
            return CodeOutput(output=decode_final_answer(result.error.message), logs=logs, is_final_answer=True)
        raise InterpreterError(truncate_content(self._explain(result), self.max_output_chars))

    def cleanup(self) -> None:
        """End the session with all that it started. A later run of the agent opens another."""
        self._session.close()
        self._session = Session(self.config, self.limits)
        self._is_incomplete = True

    def _run_cell(self, code: str, seconds: float | None = None) -> CellResult:
        """Run a cell.

        Raises:
            InterpreterError: if its process can't start, because earlier code has used up the processes.
        """
        try:
            return self._session.run_cell(code, seconds)
        except OSError as error:
            self._is_incomplete = True
            raise InterpreterError(f"Code execution failed due to: no process could be started: {error}") from error

    def _set_up(self) -> None:
        """Define tools and variables in the session.

        Raises:
            InterpreterError: if they can't be defined.
        """
        # In a namespace of its own, so that the helpers are no variables of the agent.
        decoder = SafeSerializer.get_deserializer_code(allow_pickle=False)
        result = self._run_cell(
            f"{self._tools_code}\n_names = {{}}\nexec({decoder!r}, _names)\n"
            f"globals().update(_names['_deserialize']({SafeSerializer.dumps(self._variables)!r}))\ndel _names"
        )
        if not result.succeeded:
            raise InterpreterError(f"Tools and variables can't be defined in the sandbox. {self._explain(result)}")
        self._is_incomplete = False

    def _set_up_again(self) -> None:
        """Define tools and variables in a new process of cells, if need be in another session."""
        try:
            self._set_up()
        except InterpreterError:
            # Earlier code may have left something in the way, such as processes up to the limit.
            self.cleanup()
            self._set_up()

    def _explain(self, result: CellResult) -> str:
        """Return why a block of code did not run to its end."""
        if result.limit is Outcome.TIMED_OUT:
            kept = "" if result.state_lost else " It was interrupted, and the variables are kept."
            reason = f"the code {result.detail}.{kept}"
        elif result.limit is Outcome.OUT_OF_MEMORY:
            reason = "the code used more memory than it may."
        elif result.error is not None and result.error.traceback:
            reason = f"{result.error.name}: {result.error.message}\n{result.error.traceback}"
        else:
            reason = f"{result.detail or 'the Python process ended'}."
        return f"Code execution failed due to: {reason}" + (f"\n{LOST}" if result.state_lost else "")


def required_modules(name: str, tool: Any) -> list[str]:
    """Return the modules that a tool's source imports.

    Raises:
        TypeError, ValueError: if the tool has no source that can be sent.
    """
    if not isinstance(tool, Tool):
        raise TypeError(
            f"{name!r} can't be sent into the sandbox: a {type(tool).__name__} runs in your process; give the agent "
            "tools whose source is their own"
        )
    try:
        return list(tool.to_dict()["requirements"])
    except (ValueError, TypeError, OSError) as error:
        raise ValueError(f"tool {name!r} can't be sent into the sandbox: {error}") from error


def copied(tool: Tool) -> Tool:
    """Return a copy for smolagents' patch, which changes a tool, and the source of its method for the whole class."""
    twin, method = copy.copy(tool), type(tool).forward
    forward = FunctionType(
        method.__code__, method.__globals__, method.__name__, method.__defaults__, method.__closure__
    )
    twin.__class__ = type(type(tool).__name__, (type(tool),), {"forward": forward})
    return twin


def decode_final_answer(encoded: str) -> Any:
    """Return the final answer that a session sent. Nothing in it is run or unpickled.

    Raises:
        InterpreterError: if it is not what smolagents' serializer writes.
    """
    try:
        if not encoded.startswith(SafeSerializer.SAFE_PREFIX):
            raise SerializationError(f"unknown format {short_repr(encoded)}")
        return SafeSerializer.from_json_safe(restrict(json.loads(encoded[len(SafeSerializer.SAFE_PREFIX) :])))
    # The session's code chose the text, and with it the error of the parser that reads it.
    except Exception as error:
        raise InterpreterError(
            f"The final answer can't be read ({type(error).__name__}: {error}). Its JSON may have 1 MiB."
        ) from None


def restrict(value: Any) -> Any:
    """Return a final answer's JSON, without what smolagents' decoder would read at the cost of this process.

    Raises:
        SerializationError: if a set or a dictionary is too large.
    """
    if isinstance(value, str):
        # A lone surrogate can't be printed.
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [restrict(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("__type__")
    if kind == "PIL.Image":
        return open_png(value)
    if kind == "ndarray" and not NUMBERS.fullmatch(value["dtype"]):
        return restrict(value["data"])
    if kind in ("set", "frozenset", "dict_with_complex_keys") and len(value["data"]) > MAX_UNORDERED:
        raise SerializationError(f"a {kind} has more than {MAX_UNORDERED} elements")
    return {restrict(key): restrict(item) for key, item in value.items()}


def open_png(value: Mapping[str, Any]) -> Any:
    """Return the image that the serializer has written as PNG. Pillow's many other parsers are kept out of it."""
    import base64

    import PIL.Image

    return PIL.Image.open(BytesIO(base64.b64decode(value["data"])), formats=["PNG"])
