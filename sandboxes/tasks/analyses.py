"""The caches of functions that analyse tests. They hold the tests' texts, which only one run needs."""

from __future__ import annotations

from sandboxes.separable_tests import reason_for_shared
from sandboxes.tasks.assert_all import with_all_asserts_run
from sandboxes.tasks.assert_statements import find_assert_statements
from sandboxes.tasks.continued_block import continued_block
from sandboxes.tasks.python_tests import all_passed_results, detect_framework, needed_module


def drop_test_analyses() -> None:
    """Clear the caches, in a process that runs the tests of strangers."""
    analyses = (
        all_passed_results,
        continued_block,
        detect_framework,
        reason_for_shared,
        find_assert_statements,
        needed_module,
        with_all_asserts_run,
    )
    for analysis in analyses:
        analysis.cache_clear()
