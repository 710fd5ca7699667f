"""The site is built without a warning and without a network, and a dead link does not get into it."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from mkdocs.config import load_config

from support.pages import ROOT

pytestmark = pytest.mark.slow


def build(folder, site):
    """Build the site of a folder as .ci/run does. With `--quiet` a warning would not count."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", site],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Provide the built site."""
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT, folder)
    assert done.returncode == 0, done.stderr
    return folder


def listed(nav):
    """Return the pages of a navigation."""
    return [page for item in nav for page in ([item] if isinstance(item, str) else listed([*item.values()][0]))]


def test_each_page_is_in_the_navigation():
    """Each page of docs/ is in the navigation, once."""
    nav = listed(load_config(str(ROOT / "mkdocs.yml")).nav)
    assert len(nav) == len(set(nav))
    assert {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")} <= set(nav)


def test_pages_are_built(site):
    """Each page of the navigation is built, and those of the repository's root are among them."""
    pages = {name.removesuffix(".md") for name in listed(load_config(str(ROOT / "mkdocs.yml")).nav)}
    assert {"index", "security", "changelog", "contributing"} <= pages
    names = [re.sub(r"(^|/)README$", r"\1index", page) for page in pages]
    assert [name for name in names if not (site / f"{name}.html").exists()] == []


def test_links_leave_docs(site):
    """A link to a file outside of docs/ leads to a copy of it, or to the page that the site has of it."""
    page = (site / "integrations" / "lm_eval.html").read_text(encoding="utf-8")
    assert 'href="../repository/examples/integrations/lm_eval_humaneval.py"' in page
    assert (site / "repository" / "examples" / "integrations" / "lm_eval_humaneval.py").exists()
    assert 'href="security.html#what-is-promised"' in (site / "server-container.html").read_text(encoding="utf-8")


def test_the_site_loads_nothing_from_elsewhere(site):
    """No page has a script, style, font or picture of another server."""
    loads = re.compile(r"""<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//""")
    pages = [path for path in site.rglob("*.html") if loads.search(path.read_text(encoding="utf-8"))]
    assert pages == []


@pytest.mark.parametrize(
    ("link", "complaint"),
    [
        ("[x](nowhere.md)", "'nowhere.md'"),
        ("[x](grading.md#nowhere)", "'grading.md#nowhere'"),
        ("[x](#nowhere)", "'#nowhere'"),
        ("[x](../nowhere.py)", "'../nowhere.py'"),
        ("[x](/grading.md)", "'/grading.md'"),
    ],
)
def test_dead_links_fail_the_build(tmp_path, link, complaint):
    """A link to a page, an anchor or a file that is not there is an error of the build."""
    folder = tmp_path / "project"
    shutil.copytree(ROOT / "docs", folder / "docs")
    for path in [*ROOT.glob("*.md"), ROOT / "mkdocs.yml", ROOT / "LICENSE"]:
        shutil.copy(path, folder)
    for name in ("examples", "images", "sandboxes", "code_tasks"):
        (folder / name).symlink_to(ROOT / name)
    with (folder / "docs" / "results.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{link}\n")
    done = build(folder, tmp_path / "site")
    assert done.returncode != 0
    assert complaint in done.stderr
