"""Generations and references, as bigcode-evaluation-harness saves them, are scored here. It need not be installed.

$ python examples/integrations/bigcode_generations.py
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp())
# The harness writes both files with --generation_only --save_generations --save_references: whole programs, and tests
# in the same order.
GENERATIONS = [
    ["def add(a, b):\n    return a + b\n", "def add(a, b):\n    return a * b\n"],
    ["def double(a):\n    return 2 * a\n", "def double(a):\n    import os\n    os._exit(0)\n"],
]
REFERENCES = [
    "\n\nMETADATA = {}\n\n\ndef check(candidate):\n    assert candidate(2, 3) == 5\n\ncheck(add)",
    "assert double(2) == 4\nassert double(0) == 0",
]


def main():
    """Write the two files, and score them."""
    (FOLDER / "generations_humaneval.json").write_text(json.dumps(GENERATIONS))
    (FOLDER / "references_humaneval.json").write_text(json.dumps(REFERENCES))
    command = [sys.executable, "-m", "code_tasks.cli", "run", str(FOLDER / "generations_humaneval.json")]
    command += ["--references", str(FOLDER / "references_humaneval.json"), "--grading", "separate"]
    subprocess.run([*command, "-k", "1", "-k", "2"], check=True)


if __name__ == "__main__":
    main()
