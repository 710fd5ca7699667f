"""BigCodeBench's own command, with our server in the place of its Gradio Space.

It needs `pip install ".[serve]"` and bigcodebench; see docs/integrations/bigcodebench.md.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

OPENING = "import json\n\ndef task_func(text):"
PROBLEM = {
    "task_id": "BigCodeBench/0",
    "complete_prompt": f'{OPENING}\n    """Return the sorted list that a text in JSON holds."""\n',
    "instruct_prompt": "Write a function that returns the sorted list that a text in JSON holds.",
    "code_prompt": OPENING,
    "canonical_solution": "    return sorted(json.loads(text))\n",
    "test": "import unittest\n\nclass TestCases(unittest.TestCase):\n    def test_it(self):\n"
    "        self.assertEqual(task_func('[2, 1]'), [1, 2])\n",
    "entry_point": "task_func",
}
COMPLETIONS = ["    return sorted(json.loads(text))\n", "    return json.loads(text)\n"]


def main():
    """Evaluate two completions of a problem, and print their statuses."""
    with tempfile.TemporaryDirectory() as folder:
        problems, samples = Path(folder, "problems.jsonl"), Path(folder, "model--bigcodebench-complete.jsonl")
        problems.write_text(json.dumps(PROBLEM) + "\n")
        lines = [json.dumps({"task_id": PROBLEM["task_id"], "completion": each}) for each in COMPLETIONS]
        samples.write_text("\n".join(lines) + "\n")
        server = [sys.executable, "-m", "code_tasks.cli", "serve", "--port", "0"]
        server += ["--allowed-language", "python", "--benchmark", f"bigcodebench={problems}"]
        with subprocess.Popen(server, stderr=subprocess.PIPE, text=True) as process:
            try:
                url = next(line for line in process.stderr if "serving on" in line).split()[-1]
                client = [sys.executable, "-m", "bigcodebench.evaluate", "--split", "complete", "--subset", "full"]
                client += ["--samples", str(samples), "--execution", "gradio", "--gradio_endpoint", url]
                subprocess.run(client, check=True, env={**os.environ, "HF_HUB_OFFLINE": "1"})
            finally:
                process.terminate()
        results = json.loads(samples.with_name(f"{samples.stem}_eval_results.json").read_text())
    print([entry["status"] for entry in results["eval"][PROBLEM["task_id"]]])


if __name__ == "__main__":
    main()
