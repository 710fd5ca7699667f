"""The pages of reports and comparisons for people who use a keyboard or a screen reader, or who see few colours."""

import pytest

from support.accessibility import violations

pytestmark = pytest.mark.slow

STRICT = "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'\">"


@pytest.mark.parametrize(
    ("part", "rule"),
    [
        ("<button></button>", "button-name (critical)"),
        ("<p style='color: #aaa; background: #fff'>pale</p>", "color-contrast (serious)"),
    ],
)
def test_check_finds_a_defect(browser, part, rule):
    """The check finds a defect of a page whose policy allows no script."""
    page = browser.new_page()
    page.set_content(f"<html lang='en'><head><title>Page</title>{STRICT}</head><body><main>{part}</main></body></html>")
    [found] = violations(page)
    page.close()
    assert found.startswith(rule)
