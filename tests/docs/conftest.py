"""A fixture of the tests that run the examples of pages."""

from unittest.mock import patch

import pytest

from sandboxes import BACKENDS
from sandboxes.languages.registry import LANGUAGES
from support.languages import require_languages
from support.pages import LANGUAGES_OF, ROOT, name_of, run_blocks

SPACE = "http://127.0.0.1:7860"


@pytest.fixture
def run_page(tmp_path, monkeypatch, request):
    """Return a function that runs a page's examples: path -> number of blocks.

    The current folder has the project's metrics and examples, and a page may write there.
    """
    for name in ("code_eval.py", "code_correctness.py", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)

    def run(page):
        text = page.read_text(encoding="utf-8")
        if SPACE in text:
            text = text.replace(SPACE, request.getfixturevalue("space").url)
        require_languages(*LANGUAGES_OF.get(name_of(page), ()))
        return run_blocks(text, name_of(page))

    # The page on extending adds a backend and a language.
    with patch.dict(BACKENDS), patch.dict(LANGUAGES):
        yield run
