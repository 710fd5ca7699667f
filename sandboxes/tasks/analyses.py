"""The caches of functions that analyse tests. They hold the tests' texts, which only one run needs."""

from __future__ import annotations

from sandboxes.extraction.names import names_under_test
from sandboxes.extraction.prompts import prompt_of
from sandboxes.separable_tests import reason_for_shared
from sandboxes.tasks.assert_all import with_all_asserts_run
from sandboxes.tasks.assert_statements import find_assert_statements
from sandboxes.tasks.broken_tests import is_own_failure, modules_of_tests
from sandboxes.tasks.continued_block import continued_block
from sandboxes.tasks.empty_tests import check_not_empty
from sandboxes.tasks.python_tests import all_passed_results, detect_framework, needed_module


def drop_test_analyses() -> None:
    """Clear the caches, in a process that runs the tests of strangers."""
    analyses = (
        all_passed_results,
        check_not_empty,
        continued_block,
        detect_framework,
        reason_for_shared,
        find_assert_statements,
        is_own_failure,
        modules_of_tests,
        names_under_test,
        needed_module,
        prompt_of,
        with_all_asserts_run,
    )
    for analysis in analyses:
        analysis.cache_clear()
