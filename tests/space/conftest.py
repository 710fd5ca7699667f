"""A fixture of the tests that use the Space in a browser."""

import pytest

from support.browser import Visitor


@pytest.fixture
def visit(browser, space):
    """Return a function that opens the Space for a new `Visitor`. Fail if a page had `problems`."""
    visitors = []

    def open_space(server=space, path="", **options):
        visitors.append(Visitor(browser, server.url + path, **options))
        return visitors[-1]

    yield open_space
    for visitor in visitors:
        visitor.leave()
    assert not any(visitor.problems for visitor in visitors), [visitor.problems for visitor in visitors]
