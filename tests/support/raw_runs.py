"""Raw runs on a pool, for tests."""

import os
import subprocess
import sys

from sandboxes import Limits, RawRun
from sandboxes.raw_runs.programs import raw_program, raw_result
from support.requirements import WALL_SECONDS


def execute(pool, source=None, limits=(), **fields):
    """Return the result of a raw run on a pool.

    Args:
        pool: to run it on.
        source: of the run; None if `fields` has an argv.
        limits: fields of its limits, as a dict.
        **fields: of the run.
    """
    run = RawRun(source, limits=Limits(**{"wall_seconds": WALL_SECONDS, **dict(limits)}), **fields)
    [result] = pool.run_all([raw_program(run, pool.sandbox)], 1)
    return raw_result(result)


def run_of(pool, source=None, limits=(), **fields):
    """Return the end of a raw run's program. The arguments are those of `execute`."""
    return execute(pool, source, limits, **fields).run


def fresh_interpreter(source, folder):
    """Return how a fresh interpreter ends with a script: (status, below 0 for a signal, stdout, stderr)."""
    (folder / "candidate.py").write_text(source, encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    ended = subprocess.run(
        # Whoever started the tests may have had signals ignored, as nohup does.
        ["env", "--default-signal", sys.executable, "-I", "-X", "utf8", "candidate.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=60,
    )
    return ended.returncode, ended.stdout, ended.stderr
