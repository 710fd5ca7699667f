"""The pictures of the documentation, and the script that makes them."""

import re
import subprocess
import sys

import pytest

from support.browser import require_chromium
from support.pages import PAGES, ROOT

pytestmark = pytest.mark.slow(seconds=30)

MAX_BYTES = 150_000
PICTURE = re.compile(r"!\[[^\]]+\]\(\.\./images/([\w-]+\.png)\)")


@pytest.mark.browser
def test_script_makes_every_picture(tmp_path):
    """`python docs/screenshots.py` makes just the pictures that pages show, and each is small."""
    require_chromium()
    done = subprocess.run(
        [sys.executable, "docs/screenshots.py", str(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    made = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert set(made) == {name for page in PAGES for name in PICTURE.findall(page.read_text(encoding="utf-8"))}
    assert max(made.values()) < MAX_BYTES
    assert all(path.stat().st_size < MAX_BYTES for path in (ROOT / "images").glob("*.png"))
