"""Examples with `asyncio.run` also work in a notebook, whose event loop runs already, as their pages say."""

import ast
import asyncio
import inspect
import re
import tempfile

import pytest

from support.pages import PAGES, blocks_of, name_of

CALL = re.compile(r"asyncio\.run\((\w+\(\))\)")
WITH_LOOPS = [page for page in PAGES if CALL.search(page.read_text(encoding="utf-8"))]


async def run_cells(text):
    """Run the blocks of a page as cells of a notebook: they may await, and a loop runs."""
    namespace = {"__name__": "__main__"}
    for block in blocks_of(text, "python"):
        if not block.title:
            code = compile(CALL.sub(r"(await \1)", block.code), "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            done = eval(code, namespace)
            if inspect.iscoroutine(done):
                await done


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_LOOPS, ids=name_of)
def test_examples_in_a_notebook(page, tmp_path, monkeypatch):
    """A page's examples run with `await` in place of `asyncio.run`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    asyncio.run(run_cells(page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", WITH_LOOPS, ids=name_of)
def test_pages_tell_of_notebooks(page):
    """A page says for each call of `asyncio.run` what to write in a notebook."""
    text = page.read_text(encoding="utf-8")
    for called in CALL.findall(text):
        assert f"await {called}" in text.partition(f"asyncio.run({called})")[2]
