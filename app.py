"""The Gradio Space: `python app.py` serves it on this machine, and a Space on the Hub runs it as it is.

It runs programs only with HF_ALLOW_CODE_EVAL=1. CODE_EVAL_MAX_... set what visitors may ask for: see README.md.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from pathlib import Path

from space.files import Shelf
from space.offers import look
from space.process import keep_private
from space.service import Service
from space.settings import Settings

FOLDER = Path(__file__).resolve().parent


def main() -> None:
    """Serves the Space until it is ended."""
    keep_private()
    # As a Space is stopped: what is left to do at exit is done.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    settings = Settings.from_environment()
    shelf = Shelf.new()
    atexit.register(shelf.close)
    # Uploads go there too. Gradio reads it when it is imported.
    os.environ["GRADIO_TEMP_DIR"] = str(shelf.folder)
    from space.calls import ToolCalls
    from space.page import build, launch_options

    service, calls = Service(settings, look(settings), shelf), ToolCalls()
    texts = [(FOLDER / name).read_text(encoding="utf-8") for name in ("README.md", "SECURITY.md")]
    service.languages.start()
    try:
        build(service, calls, *texts).launch(**launch_options(service, calls))
    finally:
        service.languages.stop()


if __name__ == "__main__":
    main()
