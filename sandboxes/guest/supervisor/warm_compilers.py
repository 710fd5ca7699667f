"""The compilers that stay: which one a guest keeps, and when it is started and ended."""

from __future__ import annotations

import json
import os
import time

from ..common.interactors import NEEDED_LAYERS
from .warm_compiler import CompilerLost, WarmCompiler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .build_snapshot import StoredFiles
    from .fork_server_process import ForkServerProcess
    from .request_reader import RequestReader
    from .verdicts import Reply

# A start does not pay for a single program.
BUILDS_BEFORE = 2
# One that fails so often in a row is not started again.
MAX_FAILURES = 3
MAX_IDLE_SECONDS = 60


class WarmCompilers:
    """The warm compiler of a guest: the one whose language its last builds had."""

    def __init__(
        self,
        candidates: ForkServerProcess,
        open_server: Callable[[Callable[[], None]], ForkServerProcess],
        requests: RequestReader,
    ) -> None:
        """Start nothing yet.

        Args:
            candidates: the fork server of the programs.
            open_server: returns the fork server of compilers, which is started by the first call.
            requests: from the caller, who may go away, or cancel one.
        """
        self.open_server, self.requests = open_server, requests
        # Otherwise candidates could see or reach the compiler.
        self.is_possible = all(layer in candidates.layers for layer in NEEDED_LAYERS)
        self.compiler: WarmCompiler | None = None
        # What starts the compiler of the last builds, as JSON, and how many of them there were.
        self.description, self.builds = "", 0
        self.failures = 0
        self.used_at = 0.0

    def build(
        self, request: Mapping[str, Any], step: Mapping[str, Any], files: Mapping[str, str], notify: Callable[[], None]
    ) -> tuple[Reply, StoredFiles] | None:
        """Build a program, if the compiler of its build is warm. Start the compiler if it is worth it.

        Args:
            request: the caller's.
            step: the build. "warm" has the compiler: "argv" and "files", which start it, and its "arguments".
            files: the program's, {path: text}.
            notify: tells the caller to wait on.

        Returns:
            (result as `StepRunner.run` returns it, all files after the build); None if the step has to be run.
        """
        description = json.dumps([step["warm"], step["limits"]])
        if description != self.description:
            self.end()
            self.description, self.builds, self.failures = description, 0, 0
        self.builds += 1
        self.used_at = time.monotonic()
        if self.builds < BUILDS_BEFORE or self.failures >= MAX_FAILURES or not self.is_possible:
            return None
        if not all(os.path.exists(path) for path in step["needs"] if "/" in path):
            # The command says what is missing.
            return None
        try:
            if self.compiler is None:
                self.compiler = self.start(request, step, notify)
            if self.compiler is None or not self.compiler.is_ready():
                return None
            built = self.compiler.build(request, step, files, self.requests, notify)
            self.failures = 0
            return built
        except CompilerLost:
            # A cancellation is nobody's fault.
            self.failures += not self.requests.news_of(request["id"])
            self.end()
            return None

    def start(
        self, request: Mapping[str, Any], step: Mapping[str, Any], notify: Callable[[], None]
    ) -> WarmCompiler | None:
        """Start the compiler of a build. The arguments are those of `build`.

        Returns:
            The compiler; None if this machine does not allow another fork server.
        """
        try:
            server = self.open_server(notify)
        except (RuntimeError, EOFError, OSError):
            # Another fork server may be more than this machine allows. Programs can do without.
            self.is_possible = False
            return None
        return WarmCompiler(server, request, step)

    def end_if_idle(self) -> None:
        """End a compiler that has had nothing to do for some time."""
        if self.compiler is not None and time.monotonic() > self.used_at + MAX_IDLE_SECONDS:
            self.end()

    def end(self) -> None:
        """End the compiler, if there is one."""
        if self.compiler is not None:
            self.compiler.end()
            self.compiler = None
