"""xCodeEval's program synthesis: programs that read stdin, in many languages, with several right outputs for a case.

Source: Khan et al. 2023, arXiv:2303.03004, and its grader ExecEval. A completion is a whole program. Each case may take
2 seconds, in interpreted languages 6.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.records import json_field, required, text_field
from sandboxes.languages.registry import ALIASES, checked_language
from sandboxes.tasks.io_cases import check_cases, parse_cases
from sandboxes.validation import short_json

SECONDS, INTERPRETED_SECONDS = 2.0, 6.0
INTERPRETED = ("", "python", "javascript", "typescript", "java")
MEMORY_BYTES = 2 << 30
MAKER, VERSION = re.compile(r"^(?:gnu|ms|clang)\s*"), re.compile(r"[0-9][0-9a-z]*$")
NAMES = {"pypy": "python", "node": "javascript", "node.js": "javascript", "++": "cpp", "c++": "cpp"}
"""Languages by the names of their compilers and interpreters, where these differ."""

STANDARD = re.compile(r"\+\+(0x|11|14|17|20|23)$")
"""Matches the end of a compiler's name that tells the standard of C++. A year, as in "2017", does not."""


def parse(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of xCodeEval. `lang` names the language, if the record has it."""
    cases = json_field(record, "hidden_unit_tests")
    if not isinstance(cases, list) or not all(isinstance(case, Mapping) for case in cases):
        raise TypeError(f"'hidden_unit_tests' is not a list of cases, but {short_json(cases)}")
    check_cases(cases)
    inputs, accepted = [], []
    for case in cases:
        if not isinstance(text := required(case, "input"), str):
            raise TypeError(f"the input of a case is not a text, but {short_json(text)}")
        outputs = required(case, "output")
        inputs.append(without_carriage_returns(text))
        accepted.append(list(map(without_carriage_returns, [outputs] if isinstance(outputs, str) else outputs or [])))
    tests = {"inputs": inputs, "accepted": accepted, "checker": "xcodeeval"}
    parse_cases(tests)
    language = language_of(record["lang"]) if record.get("lang") else ""
    seconds = INTERPRETED_SECONDS if language in INTERPRETED else SECONDS
    return Problem(
        *(text_field(record, "src_uid"), "", json.dumps(tests), language),
        limits={"wall_seconds": seconds, "memory_bytes": MEMORY_BYTES},
    )


def without_carriage_returns(text: Any) -> str:
    """Return a text without the carriage returns that the grader removes. Raises TypeError for anything else."""
    if not isinstance(text, str):
        raise TypeError(f"an output of a case is not a text, but {short_json(text)}")
    return text.replace("\r", "")


def language_of(lang: Any) -> str:
    """Return the language of a compiler's name, such as "GNU C++17 (64)". Raises ValueError if it can't be run."""
    words = MAKER.sub("", str(lang).lower()).split()
    name = VERSION.sub("", words[0]) if words else ""
    name = f"{name} 2" if name in ("python", "pypy") and words[1:2] == ["2"] else NAMES.get(name, name)
    if name == "cpp" and (standard := STANDARD.search(words[0])):
        # C++0x became C++11.
        name += standard[1].replace("0x", "11")
    try:
        return checked_language(ALIASES.get(name, name))
    except ValueError as error:
        raise ValueError(f"'lang' is {short_json(lang)}: {error}") from None


XCODEEVAL = Benchmark(
    *("xcodeeval", parse, "NTU-NLP-sg/xCodeEval"),
    config="program_synthesis",
    fields=("src_uid", "hidden_unit_tests"),
    runs_restricted=False,
)
