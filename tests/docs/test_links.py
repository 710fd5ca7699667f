"""Links lead to what is there: from page to page, and from the code to pages."""

import re

import pytest

from support.pages import PAGES, ROOT, name_of

SOURCES = sorted(
    path
    for folder in ("sandboxes", "code_tasks", "space", "performance", "tests", "docker", ".ci", "examples")
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and path.suffix not in (".pyc", ".so", ".png") and "__pycache__" not in path.parts
)
# A page of another place has the same form: the tests of the Space's redaction name one.
PAGE_NAME = re.compile(r"(?<![\w./-])(docs/[\w/-]+\.md)(?:#([\w-]+))?")


def anchors_of(page):
    """Return the anchors of a page's headings, as GitHub and the site make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_pages(page):
    """A link to a file of the repository leads to an existing file, and to a heading of it."""
    missing = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            name, _, anchor = target.partition("#")
            file = page.parent / name if name else page
            if not file.exists() or (anchor and anchor not in anchors_of(file)):
                missing.append(target)
    assert missing == []


def test_pages_that_the_code_names():
    """A docstring, a message or a page that names a page of docs/ names one that is there, and a heading of it."""
    missing = []
    for source in [*SOURCES, *ROOT.glob("*.py"), *PAGES]:
        for name, anchor in PAGE_NAME.findall(source.read_text(encoding="utf-8", errors="replace")):
            page = ROOT / name
            if not page.exists() or (anchor and anchor not in anchors_of(page)):
                missing.append((str(source.relative_to(ROOT)), name, anchor))
    assert missing == []


def test_nothing_names_sections_of_readme():
    """README has no sections that code or pages send readers to: they send them to the pages of docs/."""
    mentions = re.compile(r"README(?:'s|\.md#| section| says| names)")
    naming = [
        str(source.relative_to(ROOT))
        for source in [*SOURCES, *ROOT.glob("*.py"), *PAGES]
        if source.name not in ("CHANGELOG.md", "test_links.py")
        and mentions.search(source.read_text(encoding="utf-8", errors="replace"))
    ]
    assert naming == []
