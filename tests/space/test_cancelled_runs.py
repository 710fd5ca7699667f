"""A run that is cancelled before it begins, in a real browser."""

import pytest

from support.browser import expect
from support.observers import wait_until
from support.space_client import Marked
from support.space_server import serving

pytestmark = pytest.mark.slow

SECONDS = 120


def test_cancel_before_the_run_begins(visit):
    """A run that waits for another visitor's says so, and if it is cancelled then, that nothing was run."""
    with serving(CODE_EVAL_MAX_CONCURRENT_RUNS="1", CODE_EVAL_MAX_TIMEOUT="600") as server:
        first, second, endless = visit(server), visit(server), Marked("time.sleep(600)")
        first.write(endless.source, tests="assert True")
        first.set("Seconds for each candidate", "600")
        first.button("Run").click()
        assert wait_until(endless.runs, SECONDS)
        second.button("Run").click()
        expect(second.status).to_contain_text("Waiting until a run of another visitor has ended")
        second.button("Cancel").click()
        expect(second.status).to_have_text("Nothing was run.")
        first.button("Cancel").click()
        expect(first.status).to_contain_text("0 of 1 candidates have a verdict")
        for visitor in (first, second):
            visitor.context.close()
