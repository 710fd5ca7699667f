"""Every outcome has one label and one letter, and one table holds them."""

import ast

from sandboxes import Outcome
from sandboxes.outcome_labels import INVALID_TESTS, LETTERS, NOT_RUN, OUTCOME_LABELS, WAITING
from support.metric_and_command import ROOT

TABLE = ROOT / "sandboxes" / "outcome_labels.py"
LABELS_OF_THEIR_OWN = {shown.label for name, shown in OUTCOME_LABELS.items() if shown.label != name}
# Texts of other tools that read the same: the metric code_eval has it as a result.
OF_OTHER_TOOLS = {("sandboxes/tasks/results.py", "timed out")}


def test_table_is_complete():
    """The table has all outcomes in their order, then the two states without an outcome."""
    assert list(OUTCOME_LABELS) == [*(outcome.value for outcome in Outcome), NOT_RUN, INVALID_TESTS, WAITING]
    assert [outcome.label for outcome in Outcome] == [OUTCOME_LABELS[outcome.value].label for outcome in Outcome]


def test_labels_and_letters_are_unique():
    """No two outcomes are shown alike."""
    assert len({shown.label for shown in OUTCOME_LABELS.values()}) == len(OUTCOME_LABELS)
    assert len(set(LETTERS.values())) == len(OUTCOME_LABELS)


def test_no_other_module_has_a_label():
    """A label is written in the table alone: other modules take it from there."""
    found = {
        (str(path.relative_to(ROOT)), node.value)
        for package in ("sandboxes", "code_tasks", "space")
        for path in (ROOT / package).rglob("*.py")
        if path != TABLE and any(label in (source := path.read_text(encoding="utf-8")) for label in LABELS_OF_THEIR_OWN)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and node.value in LABELS_OF_THEIR_OWN
    }
    assert found == OF_OTHER_TOOLS, "take the label from sandboxes/outcome_labels.py"
