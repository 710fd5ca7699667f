"""LiveCodeBench's code generation: programs that read stdin, and methods that are called.

Source: Jain et al. 2024, arXiv:2403.07974, and its grader, lcb_runner. A completion is a whole program. Each case or
call may take 6 seconds. Lines are compared without the white space at their ends, or as decimal numbers.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import pickle  # noqa: S403 (only texts are read, see TextUnpickler)
import re
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark, limits_of_calls, limits_of_cases
from code_tasks.benchmarks.official.forms import OfficialGrader
from code_tasks.benchmarks.preambles import PLAIN_IMPORTS, star_imports
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.records import id_field, json_field, text_field
from sandboxes.tasks.io_cases import check_cases, parse_cases
from sandboxes.validation import short_json

SECONDS = 6.0
PREAMBLE = star_imports(recursion_limit=50_000, digits=50_000)
MAX_UNPACKED_BYTES = 1 << 30
"""Largest unpacked text of a problem's private cases."""

RELEASES = 6
"""Number of files of the dataset. Release n consists of the first n."""

RELEASE = re.compile(r"release_v([1-9])")


class TextUnpickler(pickle.Unpickler):
    """Unpickles texts. A pickle that names any class or function is refused, because loading it could run code."""

    def find_class(self, module: str, name: str) -> Any:
        """Refuse a class or function."""
        raise pickle.UnpicklingError(f"it names {module}.{name}, and only a text is read")


def parse(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of LiveCodeBench. Public and private cases count, as in its grader."""
    cases = [*cases_of(json_field(record, "public_test_cases"), "public_test_cases"), *private_cases(record)]
    metadata = json_field(record, "metadata") if record.get("metadata") else {}
    function = metadata.get("func_name") if isinstance(metadata, dict) else None
    kinds = {str(case.get("testtype")) for case in cases}
    if kinds - {"stdin", "functional"}:
        raise ValueError(f"a case has the testtype {short_json(min(kinds - {'stdin', 'functional'}))}")
    if "functional" in kinds and not function:
        raise ValueError("cases of the testtype 'functional' need a 'func_name' in 'metadata'")
    inputs, outputs = ([case[name] for case in cases] for name in ("input", "output"))
    return problem_of(id_field(record, "question_id"), inputs, outputs, function)


def problem_of(
    task_id: str, inputs: Sequence[Any], outputs: Sequence[Any], function: str | None, seconds: float = SECONDS
) -> Problem:
    """Return a problem with the preamble, the comparison and the limits of LiveCodeBench's grader.

    Args:
        task_id: its name.
        inputs: a text of stdin for each case, or a line of JSON for each argument of a call.
        outputs: a text of stdout for each case, or the JSON of a call's result.
        function: that is called. None or "": candidates are scripts.
        seconds: of each case or call.

    Raises:
        ValueError, TypeError: if these are no valid cases.
    """
    tests = {
        "inputs": list(inputs),
        "outputs": list(outputs),
        **({"fn_name": function} if function else {"checker": "lines", "any_status": True}),
    }
    parse_cases(tests)
    limits = limits_of_calls(seconds, len(inputs)) if function else limits_of_cases(seconds)
    return Problem(
        *(task_id, "", json.dumps(tests), "python"),
        entry_point=function or "",
        preamble=PREAMBLE,
        is_script=not function,
        limits=limits,
    )


def private_cases(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the private cases: JSON, or a pickle of JSON in zlib in base64."""
    text = text_field(record, "private_test_cases")
    if not text.lstrip().startswith("["):
        text = unpacked_text(text)
    return cases_of(json_field({"private_test_cases": text}, "private_test_cases"), "private_test_cases")


def unpacked_text(text: str) -> str:
    """Return the text in base64, zlib and pickle.

    Raises:
        ValueError: if it is anything else, or too large.
    """
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(base64.b64decode(text, validate=True), MAX_UNPACKED_BYTES)
        if not unpacking.eof:
            raise ValueError(f"it is cut, or larger than {MAX_UNPACKED_BYTES >> 20} MiB")
        value = TextUnpickler(io.BytesIO(data)).load()
    except (binascii.Error, zlib.error, pickle.UnpicklingError, ValueError, EOFError, LookupError, TypeError) as error:
        raise ValueError(
            f"'private_test_cases' is neither JSON nor a text in base64, zlib and pickle: {error}"
        ) from error
    if not isinstance(value, str):
        raise TypeError(f"'private_test_cases' has {short_json(value)} in its pickle, and not a text")
    return value


def cases_of(value: Any, name: str) -> list[dict[str, Any]]:
    """Return a list of cases, each with the texts "input" and "output".

    Raises:
        ValueError: if the value is anything else.
    """
    if not isinstance(value, list):
        raise ValueError(f"{name!r} is not a list of cases, but {short_json(value)}")
    for case in value:
        if not isinstance(case, dict) or not all(isinstance(case.get(key), str) for key in ("input", "output")):
            raise ValueError(f"a case in {name!r} has no texts 'input' and 'output': {short_json(case)}")
    check_cases(value)
    return value


def files(split: str, release: str | None) -> Sequence[str]:
    """Return the files of a release, such as "release_v5". None: all files. There is one split.

    Raises:
        ValueError: if there is no such release.
    """
    match = RELEASE.fullmatch(release or f"release_v{RELEASES}")
    if not match or int(match[1]) > RELEASES:
        raise ValueError(f"livecodebench has the releases release_v1 to release_v{RELEASES}, not {release!r}")
    return [f"test{number if number > 1 else ''}.jsonl" for number in range(1, int(match[1]) + 1)]


OFFICIAL = OfficialGrader("livecodebench", 6, lambda cases: 7.0 * cases + 5)
LIVECODEBENCH = Benchmark(
    *("livecodebench", parse, "livecodebench/code_generation_lite"),
    preload=PLAIN_IMPORTS,
    fields=("question_id", "public_test_cases", "private_test_cases"),
    is_sorted=True,
    official=OFFICIAL.form,
    runs_restricted=False,
    files=files,
    date_field="contest_date",
)
