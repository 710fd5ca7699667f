"""`code-eval run` says where a candidate may not be to blame, and counts its problem all the same."""

import pytest

from support.metric_and_command import code_eval

RIGHT = "class A:\n    def one(self):\n        return 1\n"
TEST = (
    "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_one(self):\n"
    "        self.assertEqual(A().one(), {})\n"
)


def record(task_id, expected):
    """Return a record of ClassEval whose test wants this result."""
    return {
        **{"task_id": task_id, "test": TEST.format(expected), "skeleton": "", "import_statement": []},
        **{"solution_code": RIGHT, "class_name": "A", "test_classes": ["T"]},
    }


@pytest.mark.slow
@pytest.mark.parametrize(("expected", "is_told"), [(2, True), (1, False)])
def test_a_problem_that_no_program_passes(files, expected, is_told):
    """The reason is told if no sample of the problem passed, and the problem counts in pass@k."""
    records = [record("ClassEval_17", expected), record("ClassEval_1", 1)]
    samples = [{"task_id": each["task_id"], "completion": RIGHT} for each in records]
    done = code_eval(*files(samples, records), "--benchmark", "classeval")
    assert ("ClassEval_17 counts in pass@k, but no program can pass: the tests take" in done.stderr) == is_told
    assert ("ClassEval_1 counts" in done.stderr, "50.0" in done.stdout) == (False, is_told)
