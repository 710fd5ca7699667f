"""The site is built without a warning and without a network, and a dead link does not get into it."""

import html
import importlib
import os
import re
import shutil
import subprocess
import sys

import pytest
from mkdocs.config import load_config

from code_tasks.cli.main import CodeEvalCommands
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


def commands():
    """Return each command and each command of a group, by its words."""
    found = {}
    for name, command in CodeEvalCommands().commands.items():
        below = getattr(command.loaded, "commands", None)
        found |= {f"{name} {word}": each for word, each in below.items()} if below else {name: command.loaded}
    return found


@pytest.mark.parametrize("name", commands())
def test_reference_of_commands(site, name):
    """The reference has each command with all its options."""
    page = html.unescape((site / "reference" / "command.html").read_text(encoding="utf-8"))
    _, *after = re.split(rf"<h[23][^>]*><code>code-eval {name}</code>", page)
    [section] = [re.split(r"<h[23]\b", each)[0] for each in after]
    options = [option for each in commands()[name].params for option in each.opts if option.startswith("-")]
    assert [option for option in options if not re.search(rf"<code>[^<]*{re.escape(option)}\b", section)] == []


PACKAGES = (
    "sandboxes",
    *(f"code_tasks.{name}" for name in "benchmarks scoring solvers audit adapters execution correctness".split()),
)


def test_reference_of_the_api():
    """The reference asks for each name that these packages export, and for no other."""
    page = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    asked = re.findall(r"^::: (\S+)$", page, re.MULTILINE)
    exported = [f"{name}.{each}" for name in PACKAGES for each in importlib.import_module(name).__all__]
    assert sorted(asked) == sorted(exported)


def test_docstrings_are_in_the_reference(site):
    """The built reference has a class with its inherited methods, and the fields of a dataclass."""
    page = (site / "reference" / "api.html").read_text(encoding="utf-8")
    assert all(f'id="{name}"' in page for name in ("sandboxes.Evaluator.run", "sandboxes.Limits.wall_seconds"))


def test_dead_links_fail_the_build(tmp_path):
    """A link to a page, an anchor or a file that is not there is an error of the build."""
    folder = tmp_path / "project"
    shutil.copytree(ROOT / "docs", folder / "docs")
    for path in [*ROOT.glob("*.md"), ROOT / "mkdocs.yml", ROOT / "LICENSE"]:
        shutil.copy(path, folder)
    for name in ("examples", "images", "sandboxes", "code_tasks"):
        (folder / name).symlink_to(ROOT / name)
    # The references take most of the time.
    (folder / "docs" / "reference" / "api.md").write_text("# Reference of the API\n")
    dead = ["nowhere.md", "grading.md#nowhere", "#nowhere", "../nowhere.py", "/grading.md"]
    with (folder / "docs" / "results.md").open("a", encoding="utf-8") as page:
        page.writelines(f"\n[x]({link})\n" for link in dead)
    done = build(folder, tmp_path / "site")
    assert done.returncode != 0
    assert [link for link in dead if f"'{link}'" not in done.stderr] == []
