"""Make the pictures in images/ that the pages of docs/ show: `python docs/screenshots.py`, in this repository.

The programs are the examples, and they run. Their times and sizes, which no two machines share, are replaced by figures
that are the same in each run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
# Gradio reads these variables when it is imported. The programs that run are the project's own examples.
FILES = tempfile.TemporaryDirectory(prefix="code-eval-screenshots-")
os.environ |= {"HF_ALLOW_CODE_EVAL": "1", "GRADIO_ANALYTICS_ENABLED": "False", "GRADIO_TEMP_DIR": FILES.name}

import orjson  # noqa: E402
from PIL import Image  # noqa: E402

from sandboxes import Outcome, Verdict  # noqa: E402
from space.available_languages import Languages  # noqa: E402
from space.available_sandboxes import probe  # noqa: E402
from space.background_run import BackgroundRunner  # noqa: E402
from space.hosting.tool_calls import ToolCalls  # noqa: E402
from space.service import Service  # noqa: E402
from space.settings import Settings  # noqa: E402
from space.ui.page import build, launch_options  # noqa: E402
from space.uploads import FileStore  # noqa: E402
from support.browser import CURVE_POINTS, Visitor, chromium, expect  # noqa: E402
from support.report_reader import Reader  # noqa: E402
from support.space_server import free_port  # noqa: E402

DATE = 1767225600
"""The date of the report's run, in seconds since 1970."""

COLORS = 256
SIZE = {"width": 1280, "height": 1000}
REPORT_SIZE = {"width": 1100, "height": 1800}


def steady_figures(number: int, outcome: str) -> dict[str, Any]:
    """Return measurements for a program, by its number in the run and its outcome."""
    seconds = 3.02 if outcome == Outcome.TIMED_OUT.value else 0.008 * 1.05 ** (number * 7 % 40)
    mebibytes = 11 + number * 3 % 5
    return {
        "wall_seconds": seconds,
        "cpu_seconds": 0.9 * seconds,
        "waited_seconds": 0.0,
        "peak_memory_bytes": mebibytes << 20,
    }


class SteadyRunner(BackgroundRunner):
    """Runs programs for visitors, and reports the same figures in each run."""

    async def run(self, *arguments: Any) -> AsyncGenerator[dict[int, Any], None]:
        """Run programs, as the base class does."""
        async with aclosing(super().run(*arguments)) as updates:
            async for results in updates:
                yield {index: steady(index, result) for index, result in results.items()}


def steady(index: int, result: Any) -> Any:
    """Return a result with steady figures."""
    return replace(result, **steady_figures(index, result.outcome.value)) if isinstance(result, Verdict) else result


class SteadyService(Service):
    """The service behind the page, with steady figures."""

    def __init__(self, *arguments: Any):
        """Start nothing yet."""
        super().__init__(*arguments)
        self._runner = SteadyRunner(self.settings)
        # The pictures show Python, and probing the other languages takes as long as all pictures.
        self.languages = Languages({})


@contextmanager
def served_space() -> Any:
    """Serve the Space with the sandboxes that each Linux has, and yield its address."""
    settings, store = Settings(max_concurrent_runs=1), FileStore.new()
    sandboxes = {name: probe(name, settings) for name in ("subprocess", "restricted")}
    service, calls = SteadyService(settings, sandboxes, store), ToolCalls()
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "SECURITY.md")]
    service.languages.start()
    page = build(service, calls, *texts)
    try:
        # Gradio's own choice of a port fails if another process makes the same one at that moment.
        options = {"server_port": free_port(), **launch_options(page, service, calls)}
        _, url, _ = page.launch(prevent_thread_lock=True, quiet=True, **options)
        yield url
    finally:
        page.close(verbose=False)
        service.languages.stop()
        store.close()


def save(page: Any, path: Path, height: int) -> None:
    """Write the page's upper part as a picture of few bytes."""
    page.mouse.move(0, 0)
    clip = {"x": 0, "y": 0, "width": page.viewport_size["width"], "height": height}
    page.screenshot(path=path, full_page=True, clip=clip, animations="disabled", caret="hide")
    with Image.open(path) as image:
        image.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)


def picture_try_it(browser: Any, url: str, folder: Path) -> None:
    """Run the first example, and open the result of a candidate."""
    visitor = Visitor(browser, url, viewport=SIZE, color_scheme="light")
    visitor.button("Run").click()
    expect(visitor.outcomes.nth(2)).to_have_text("timed out")
    expect(visitor.page.locator(CURVE_POINTS)).to_have_count(5)
    visitor.results.nth(1).locator("summary").click()
    save(visitor.page, folder / "try-it.png", 1000)
    visitor.context.close()


def picture_score_a_file(browser: Any, url: str, folder: Path) -> None:
    """Score the example, and open a sample."""
    visitor = Visitor(browser, url, viewport=SIZE, color_scheme="dark")
    visitor.open_tab("Score a file")
    visitor.button("Take the example: 63 samples of 12 problems").click()
    expect(visitor.page.get_by_role("row").filter(has_text="samples")).to_be_visible()
    visitor.button("Score").click()
    expect(visitor.page.locator(CURVE_POINTS)).to_have_count(5)
    visitor.open_sample("timed out")
    save(visitor.page, folder / "score-a-file.png", 1400)
    visitor.context.close()


def picture_report(browser: Any, folder: Path) -> None:
    """Make the report of the examples, and open a failing sample."""
    with tempfile.TemporaryDirectory() as temporary:
        results = Path(temporary, "RUN.jsonl")
        run_command("run", "examples/samples.jsonl", "--problems", "examples/problems.jsonl", "--output", str(results))
        records = map(orjson.loads, results.read_bytes().splitlines())
        lines = [orjson.dumps(steady_record(number, record)) for number, record in enumerate(records)]
        results.write_bytes(b"\n".join(lines) + b"\n")
        os.utime(results, (DATE, DATE))
        run_command("report", str(results))
        reader = Reader(browser, results.with_suffix(".html"), viewport=REPORT_SIZE, color_scheme="light")
        reader.samples.first.locator("summary").click()
        save(reader.page, folder / "report.png", REPORT_SIZE["height"])
        reader.context.close()


def steady_record(number: int, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line of results with steady figures; another line stays as it is."""
    return {**record, **steady_figures(number, record["outcome"])} if "outcome" in record else dict(record)


def run_command(*arguments: str) -> None:
    """Run `code-eval` in the repository."""
    subprocess.run([sys.executable, "-m", "code_tasks.cli", *arguments], cwd=ROOT, check=True, capture_output=True)


def main() -> None:
    """Write all pictures into images/, or into the folder that is named."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "images"
    with served_space() as url, chromium() as browser:
        picture_try_it(browser, re.sub("/$", "", url), folder)
        picture_score_a_file(browser, re.sub("/$", "", url), folder)
        picture_report(browser, folder)


if __name__ == "__main__":
    main()
