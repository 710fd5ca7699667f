"""Raw runs: a program runs as it stands, with files in and out, and its end is told and not judged.

`Evaluator.execute` runs them, over the same workers as tasks. A raw run is never deduped, cached or repeated, and never
runs again after a time-out: time in which it waited for a CPU does not count, and `waited_seconds` tells of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sandboxes.contract import Limits
from sandboxes.languages.registry import checked_language
from sandboxes.process_result import ProcessResult
from sandboxes.raw_runs.inputs import checked_env, checked_fetch, checked_files, checked_words
from sandboxes.validation import positive_int, short_repr

MAX_INPUT_BYTES = 16 << 20
"""Size of a run's source, files and standard input together."""

MAX_OUTPUT_BYTES = 10 << 20
"""Largest `RawRun.kept_bytes`."""

MAX_FETCHED_BYTES = 20 << 20
"""Size of the returned files together."""

MAX_WORDS_BYTES = 1 << 20
"""Size of all words and environment variables together."""


@dataclass(frozen=True)
class RawRun:
    """A program that runs as it stands: a source in one of the languages, or a command.

    Raises:
        ValueError, TypeError: if a field is invalid; the message names the field.
    """

    source: str | None = None
    """The program's source. A Python source runs in the warm interpreter."""

    argv: Sequence[str] | None = None
    """The words of a command of the sandbox, in place of a source. It may be one of `files`, such as "./start"."""

    language: str = "python"
    """Language of the source."""

    arguments: Sequence[str] = ()
    """Words behind the command that runs the source."""

    stdin: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files to write into the program's folder, by their names there: "data/in.txt"."""

    fetch: Sequence[str] = ()
    """Names of the files to return after the run."""

    env: Mapping[str, str] = field(default_factory=dict)
    """More environment variables of the run. The compiler does not get them. They come too late for options of the
    warm interpreter, such as PYTHONHASHSEED."""

    limits: Limits = Limits()
    """The limits of the run, except for `Limits.kept_bytes`."""

    compile_limits: Limits | None = None
    """The limits of the compiler. None: 30 seconds, and 2 GiB of memory or more."""

    kept_bytes: int = 8 << 20
    """Size of the beginning of stdout, and of stderr, that the result has: at most 10 MiB."""

    def __post_init__(self) -> None:
        """Check and copy all fields."""
        if (self.source is None) == (self.argv is None):
            raise ValueError("a raw run needs either a source or an argv")
        if not isinstance(self.source, str | None):
            raise TypeError(f"source must be a text, not {short_repr(self.source)}")
        checked_language(self.language)
        if self.argv is not None and not checked_words("argv", self.argv):
            raise ValueError("argv must have a word at least")
        if not isinstance(self.stdin, bytes):
            raise TypeError(f"stdin must be bytes, not {short_repr(self.stdin)}")
        if positive_int("kept_bytes", self.kept_bytes) > MAX_OUTPUT_BYTES:
            raise ValueError(f"kept_bytes must be at most {MAX_OUTPUT_BYTES}, not {self.kept_bytes}")
        for name, value, kind in (
            ("limits", self.limits, Limits),
            ("compile_limits", self.compile_limits, Limits | None),
        ):
            if not isinstance(value, kind):
                raise TypeError(f"{name} must be Limits, not {short_repr(value)}")
        for name, checked in (
            ("argv", None if self.argv is None else checked_words("argv", self.argv)),
            ("arguments", checked_words("arguments", self.arguments)),
            ("files", checked_files(self.files)),
            ("fetch", checked_fetch(self.fetch)),
            ("env", checked_env(self.env)),
        ):
            object.__setattr__(self, name, checked)
        self._check_sizes()

    def _check_sizes(self) -> None:
        """Raise ValueError if the run brings more than fits into one request."""
        size = len((self.source or "").encode("utf-8", "surrogatepass")) + len(self.stdin)
        size += sum(map(len, self.files.values()))
        if size > MAX_INPUT_BYTES:
            raise ValueError(f"source, files and stdin have {size} bytes together, and {MAX_INPUT_BYTES} are taken")
        words = [*(self.argv or ()), *self.arguments, *self.env, *self.env.values()]
        if (size := sum(len(word.encode()) for word in words)) > MAX_WORDS_BYTES:
            raise ValueError(f"argv, arguments and env have {size} bytes together, and {MAX_WORDS_BYTES} are taken")


@dataclass(frozen=True)
class RawResult:
    """The end of a raw run."""

    compile: ProcessResult | None = None
    """The end of the compiler, which may be several commands. None if the language has none."""

    run: ProcessResult | None = None
    """The end of the program. None if it could not be compiled."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    """Contents of the files that were asked for, by name."""

    missing: Mapping[str, str] = field(default_factory=dict)
    """The other names that were asked for, and why there is no content: no such file, a link, too large."""

    isolation: tuple[str, ...] = ()
    """The layers that were on."""

    attempts: int = 1
    """Number of times that the program was started. Above 1 if the sandbox broke."""
