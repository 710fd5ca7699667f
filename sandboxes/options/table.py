"""The one table of options.

The metric's argument list, the command's options, the tables of docs/options.md and `EvalConfig` come from it. No
option's text stands anywhere else. Defaults are those of the dataclasses that hold the options' values.
"""

from __future__ import annotations

from sandboxes.cluster.session import checked_cluster
from sandboxes.contract import Limits
from sandboxes.grading import DEFAULT_GRADING, GRADINGS
from sandboxes.guest.common.checkers import CHECKERS
from sandboxes.languages.registry import NAMES as LANGUAGE_NAMES
from sandboxes.languages.registry import VARIANTS
from sandboxes.options.backend_options import CONFINEMENT, DOCKER, RESTRICTED
from sandboxes.options.option import Option, OptionGroup, number_of, whole_numbers
from sandboxes.reuse.options import ReuseOptions
from sandboxes.runner import ON_SANDBOX_ERROR
from sandboxes.tasks.options import ON_INVALID_TESTS, TaskOptions
from sandboxes.validation import positive_int, true_or_false


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f'`"{name}"`' for name in names)


_LANGUAGES = tuple(name for name in LANGUAGE_NAMES if name not in VARIANTS)
_LIMITS, _TASKS, _REUSE = Limits(), TaskOptions(), ReuseOptions()

SCORING = OptionGroup(
    "scoring",
    "Scoring",
    (
        Option(
            "k",
            "int or list of int, >= 1",
            list,
            "Each k of pass@k. A k that some task has too few candidates for is left out, with a warning.",
            default=(1, 10, 100),
            default_text="`[1, 10, 100]`",
            check=whole_numbers,
            flags=("-k",),
            allows_none=False,
        ),
        Option(
            "grading",
            "str",
            str,
            '`"shared"`: tests run in the candidate\'s interpreter. `"separate"`: they run in another, so that '
            'a candidate can\'t forge a pass. `"auto"`: `"separate"`, unless the tests\' text shows that they need '
            '`"shared"`.',
            default=DEFAULT_GRADING,
            choices=GRADINGS,
            see="[Grading](grading.md)",
            allows_none=False,
        ),
        Option(
            "partial_credit",
            "bool",
            bool,
            'Add "partial_credit" to results: the share of tests that passed. All tests are run then.',
            default=_TASKS.partial_credit,
        ),
        Option(
            "stop_at_first_failure",
            "bool",
            bool,
            "Leave out the cases and asserts after the first that failed.",
            default_text="`True`, unless `partial_credit` is on",
        ),
        Option(
            "repeats",
            "int, >= 1",
            int,
            "Number of runs of each candidate. The first run counts, and the results say how the others ended.",
            default=_REUSE.repeats,
            see="[Flaky candidates](performance.md#flaky-candidates)",
        ),
        Option(
            "on_sandbox_error",
            "str",
            str,
            'The treatment of a candidate that the sandbox could not run, even on fresh workers. `"raise"`: end '
            'with the error. `"exclude"`: it counts neither as right nor as wrong, and its "passed" is None.',
            default=ON_SANDBOX_ERROR[0],
            choices=ON_SANDBOX_ERROR,
            allows_none=False,
        ),
        Option(
            "on_invalid_tests",
            "str",
            str,
            "The treatment of tests that can judge no candidate: they are empty, can't be parsed, or lack a module. "
            '`"raise"`: end with an error that lists them, before anything runs. `"skip"`: their candidates count '
            'neither as right nor as wrong, and their "passed" is None.',
            default=ON_INVALID_TESTS[0],
            choices=ON_INVALID_TESTS,
            see="[Invalid tests](results.md#invalid-tests)",
            allows_none=False,
        ),
        Option(
            "progress",
            "bool",
            bool,
            "Show a bar.",
            default_text="on a terminal, for runs of more than a second or two",
            check=lambda name, value: None if value is None else true_or_false(name, value),
        ),
    ),
)

TASKS = OptionGroup(
    "tasks",
    "Candidates and tests",
    (
        Option(
            "language",
            "str",
            str,
            f"The language of all candidates: {_listed(_LANGUAGES)}. "
            'C++, Java and Python have a name for each standard or version too, such as `"cpp20"`.',
            default=_TASKS.language,
            see="[Languages](languages.md)",
        ),
        Option(
            "languages",
            "list of str",
            list,
            "One language per task, in place of `language`.",
            default_text="`language` for all",
        ),
        Option(
            "extract",
            "str or function (candidate, reference) -> code",
            str,
            'The extraction of the program from a chat answer. `"auto"`: whatever its form is: a block, a completion, '
            'or code between prose, without reasoning and special tokens. `"last"` or `"all"`: of its fenced blocks. '
            '`"defining"`: the last block that defines a name that the tests use. `"none"`: all of the answer '
            "is code.",
            default="none",
        ),
        Option(
            "assemble",
            "function (candidate, reference) -> program",
            object,
            "A function that joins a candidate with tests that are code.",
            default_text="the candidate, then its tests",
        ),
        Option(
            "checker",
            "str or function (input, expected output, output) -> bool",
            str,
            f"The check of a case's output: {_listed(CHECKERS)}. "
            '`"module:name"` names a function, which runs in your process.',
            default_text='`"lines"` for the cases of LiveCodeBench, otherwise `"tokens"`',
            see="[Inputs and outputs](formats.md#inputs-and-outputs)",
        ),
        Option(
            "tolerance",
            "float, > 0",
            float,
            'The largest difference of numbers that the `checker` `"floats"` accepts, relative or absolute.',
            default=_TASKS.tolerance,
            check=number_of(""),
        ),
    ),
)

LIMITS = OptionGroup(
    "limits",
    "Limits of each candidate",
    (
        Option(
            "timeout",
            "float, > 0",
            float,
            "Seconds on the clock for a candidate with its tests, or for each of its cases. Time in which the machine "
            "had no CPU free does not count.",
            default=_LIMITS.wall_seconds,
            check=number_of("seconds"),
            allows_none=False,
        ),
        Option(
            "compile_timeout",
            "float, > 0",
            float,
            "Seconds on the clock of each compiler.",
            default=_TASKS.compile_seconds,
        ),
        Option(
            "memory_mb",
            "int, >= 1",
            int,
            "MiB of address space of one process, and of memory of all processes of a candidate together.",
            default=_LIMITS.memory_bytes >> 20,
            check=positive_int,
        ),
        Option(
            "stack_mb",
            "int, >= 1",
            int,
            "MiB of stack of each process's first thread, for deep recursion. It counts as memory, and a candidate may "
            "raise it itself.",
            default=_LIMITS.stack_bytes >> 20,
            check=positive_int,
            see="[Deep recursion](sandboxes.md#deep-recursion)",
        ),
        Option(
            "cpu_seconds",
            "float, > 0",
            float,
            "CPU time of one process.",
            default_text="`timeout` on every CPU",
            check=number_of("seconds"),
        ),
        Option(
            "max_processes",
            "int, >= 1",
            int,
            "Processes and threads of a candidate at once.",
            default=_LIMITS.processes,
            check=positive_int,
        ),
        Option(
            "max_output_bytes",
            "int, >= 1",
            int,
            "Bytes that a candidate may write to stdout and stderr together.",
            default=_LIMITS.output_bytes,
            default_text=f"{_LIMITS.output_bytes >> 20} MiB",
            check=positive_int,
        ),
    ),
)

PLACE = OptionGroup(
    "sandbox",
    "Where candidates run",
    (
        Option(
            "sandbox",
            "str",
            str,
            '`"subprocess"`: processes of this machine. `"restricted"`: the same, with a policy for the language. '
            '`"docker"`: containers.',
            default_text='the configuration name given to `evaluate.load`, otherwise `"subprocess"`',
        ),
        Option(
            "num_workers",
            "int, >= 1",
            int,
            "Candidates that run at once.",
            default_text="the CPUs that this process may use, or the cluster's",
            check=positive_int,
        ),
        Option(
            "cluster",
            "str",
            str,
            'The Ray cluster whose nodes run candidates. `"auto"`: the one that runs here or that RAY_ADDRESS leads '
            'to. `"local"`: one that is started for this process. `"ray://HOST:PORT"`: the one with this client '
            "server.",
            default_text="this machine alone",
            check=lambda _, value: checked_cluster(value),
            see="[A cluster](cluster.md)",
        ),
        *CONFINEMENT,
    ),
)

REUSE = OptionGroup(
    "reuse",
    "The same work only once",
    (
        Option(
            "cache_dir",
            "str or path",
            str,
            "A folder for results. They are taken from it when the same candidate meets the same tests in the same "
            "sandbox again.",
            default_text="no cache",
            see="[The same work only once](performance.md#the-same-work-only-once)",
        ),
        Option(
            "cache_mb",
            "int, >= 1",
            int,
            "MiB of that folder. Beyond it, the results that were used longest ago are removed.",
            default=_REUSE.cache_mb,
        ),
        Option(
            "cache_nondeterministic",
            "bool",
            bool,
            "Also keep time-outs, results that exceeded the memory limit, and flaky results.",
            default=_REUSE.cache_nondeterministic,
        ),
        Option(
            "dedupe",
            "bool",
            bool,
            "Run identical candidates with the same tests and limits only once.",
            default_text="only candidates that look deterministic, outside of containers and without a network",
            see="[The same work only once](performance.md#the-same-work-only-once)",
        ),
    ),
)

DEFAULT_SANDBOX = "subprocess"

GROUPS = (SCORING, TASKS, LIMITS, PLACE, REUSE, RESTRICTED, DOCKER)
"""All options, in the order of the documentation."""

OPTIONS = {option.name: option for group in GROUPS for option in group.options}
"""Every option by its name."""

TASK_OPTIONS = (*TASKS.names, "compile_timeout", "on_invalid_tests", "partial_credit", "stop_at_first_failure")
"""Options that `TaskOptions` takes."""

REUSE_OPTIONS = (*REUSE.names, "repeats")
"""Options that `ReuseOptions` takes."""
