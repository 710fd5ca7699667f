"""The Gradio Space: `python app.py` serves it on this machine, and a Space on the Hub runs it as it is.

The server runs programs only with HF_ALLOW_CODE_EVAL=1. CODE_EVAL_MAX_... set what visitors may ask for: see
README.md. The package `space` is found in this file's folder, which Python has on its path for a script.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from pathlib import Path

from sandboxes.private_process import keep_private
from space.available_sandboxes import probe_sandboxes
from space.service import Service
from space.settings import Settings
from space.uploads import FileStore

FOLDER = Path(__file__).resolve().parent


def main() -> None:
    """Serve the Space until the process is ended."""
    keep_private()
    # The Hub stops a Space with this signal. An exit runs the clean-up; the signal alone would not.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    settings = Settings.from_environment()
    store = FileStore.new()
    atexit.register(store.close)
    # Gradio keeps uploads in this folder too. It reads the variable when it is imported.
    os.environ["GRADIO_TEMP_DIR"] = str(store.folder)
    from space.hosting.tool_calls import ToolCalls
    from space.ui.page import build, launch_options

    service, calls = Service(settings, probe_sandboxes(settings), store), ToolCalls()
    texts = [(FOLDER / name).read_text(encoding="utf-8") for name in ("README.md", "SECURITY.md")]
    page = build(service, calls, *texts)
    try:
        page.launch(**launch_options(page, service, calls), prevent_thread_lock=True)
        # Not before: probing takes all processors, and the server has to answer Gradio's own requests in time.
        service.languages.start()
        page.block_thread()
    finally:
        service.languages.stop()
        page.close(verbose=False)


if __name__ == "__main__":
    main()
