"""Each example of README and of the pages in folders runs. Those of docs/ itself have a file beside this one."""

import pytest

from support.pages import DOCS, WITH_EXAMPLES, name_of

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.mark.parametrize("page", [page for page in WITH_EXAMPLES if page.parent != DOCS], ids=name_of)
def test_examples(page, run_page):
    """The examples of a page run in turn, in the order of the page, and print the output that they show."""
    assert run_page(page) > 0
