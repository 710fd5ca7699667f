"""The shapes of problems' records: the fields that are read in each, and those that only look as if they decided.

`check_record` is the one check of all readers: a field that may decide on verdicts is an error, unless it is in the
record's shape. Any other field may stand there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from code_tasks.benchmarks.problems import TEST_FIELDS
from sandboxes.tasks.judging_fields import check_fields


@dataclass(frozen=True)
class RecordShape:
    """The fields of one kind of records."""

    needed: tuple[str, ...]
    """Fields that all records of the kind have."""

    read: tuple[str, ...] = ()
    """Further fields that are read where they are."""

    harmless: tuple[str, ...] = ()
    """Published fields that look as if they decided, and that the benchmark's own grader does not use."""


WAY_OUT = "here; rename or remove such a field, or leave it out with --ignore-field NAME of `code-eval run`"
OF_PROMPT = ("task_id", "prompt", "test", "entry_point")
OF_HUMANEVAL = RecordShape(OF_PROMPT, ("canonical_solution", "suffix"))
OF_INFILLING = RecordShape((*OF_PROMPT, "suffix"), ("canonical_solution",))
OF_HUMANEVAL_X = (*OF_PROMPT[:3], "declaration", "canonical_solution")
READ_IN_HUMANEVAL_X = ("entry_point", "import", "test_setup", "language")
OF_EVALPLUS = RecordShape(
    (*OF_PROMPT[:2], "entry_point", "canonical_solution", "base_input", "plus_input", "atol"), (), ("assertion", "test")
)
OF_VERIFICATION = RecordShape(("problem_id", "verification_info"), ("task_type", "gold_standard_solution"))
OF_CRUXEVAL = RecordShape(("id", "code", "input", "output"))
OF_BIGCODEBENCH = RecordShape(
    ("task_id", "complete_prompt", "code_prompt", "canonical_solution", "test", "entry_point")
)
OF_VERL = RecordShape(("reward_model",), ("ability", "extra_info", "solutions"))
PLAIN_SHAPES = (
    *(
        RecordShape(("task_id", "declaration", tests), ("prompt", "canonical_solution", *READ_IN_HUMANEVAL_X))
        for tests in TEST_FIELDS
    ),
    *(
        RecordShape(("task_id", tests), ("prompt", "language", *OF_HUMANEVAL.needed[3:], *OF_HUMANEVAL.read))
        for tests in TEST_FIELDS
    ),
)

SHAPES: Mapping[str, Sequence[RecordShape]] = {
    "": PLAIN_SHAPES,
    "humaneval": (OF_HUMANEVAL,),
    "humanevalplus": (OF_EVALPLUS, OF_HUMANEVAL),
    "humaneval-infilling": (OF_INFILLING,),
    "evoeval": (OF_HUMANEVAL,),
    "mbpp": (
        RecordShape(("task_id", "test_list"), ("code", "test_setup_code", "test_imports"), ("challenge_test_list",)),
    ),
    "mbppplus": (OF_EVALPLUS, RecordShape(("task_id", "test", "test_imports"), ("code",), ("test_list",))),
    "livecodebench": (
        RecordShape(("question_id", "public_test_cases", "private_test_cases"), ("metadata", "contest_date")),
    ),
    "apps": (RecordShape(("input_output",), ("problem_id", "id", "solutions")),),
    "taco": (RecordShape(("input_output",), ("solutions",), ("time_limit", "memory_limit")),),
    "prime_code": (OF_VERL,),
    "codecontests": (
        RecordShape(
            ("name", "public_tests", "private_tests"),
            ("generated_tests", "solutions", "time_limit", "memory_limit_bytes", "interactor"),
            ("input_file", "output_file"),
        ),
    ),
    "xcodeeval": (RecordShape(("src_uid", "hidden_unit_tests"), ("lang",), ("time_limit", "memory_limit")),),
    "verifiable_coding": (OF_VERIFICATION,),
    "synthetic1": (OF_VERIFICATION,),
    "synthetic2": (OF_VERIFICATION,),
    "intellect3": (RecordShape(("info",)),),
    "deepcoder": (RecordShape(("tests",), ("solutions", "metadata")), OF_VERL),
    "open-r1-codeforces": (
        RecordShape(
            ("id", "official_tests"),
            (
                "generated_checker",
                "input_mode",
                "time_limit",
                "memory_limit",
                "language",
                "interactor",
                "interaction_format",
            ),
            ("generated_tests",),
        ),
    ),
    "cruxeval-input": (OF_CRUXEVAL,),
    "cruxeval-output": (OF_CRUXEVAL,),
    "classeval": (RecordShape(("task_id", "test", "solution_code", "import_statement", "test_classes", "class_name")),),
    "kodcode": tuple(
        RecordShape(("question_id", "solution", tests), ("test_info",)) for tests in ("test", "test_code")
    ),
    "bigcodebench": (OF_BIGCODEBENCH,),
    "bigcodebench-hard": (OF_BIGCODEBENCH,),
    "ds-1000": (RecordShape(("code_context", "reference_code", "metadata")),),
    "multipl-e": (RecordShape(("name", "language", "prompt", "tests")),),
    "humaneval-x": (RecordShape(OF_HUMANEVAL_X, READ_IN_HUMANEVAL_X),),
    "humanevalpack": (RecordShape((*OF_HUMANEVAL_X, "buggy_solution"), READ_IN_HUMANEVAL_X),),
    "mhpp": (RecordShape(("id", "function_name", "test")),),
}
"""The shapes of each benchmark's records by its name; "" for problems that belong to none.

Readers take the first shape whose needed fields are all there. A field that only another shape has is then not read.
"""


def check_record(record: Mapping[str, Any], shapes: Sequence[RecordShape]) -> None:
    """Raise ValueError if fields that may decide on verdicts are not read in a record's shape.

    Args:
        record: that a reader has understood.
        shapes: those that it may have; without any, nothing is known of its fields, and all may stand there.
    """
    for shape in shapes:
        if record.keys() >= {*shape.needed}:
            known = (*shape.needed, *shape.read, *shape.harmless)
            check_fields(record, known, WAY_OUT)
            return
