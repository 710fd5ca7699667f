"""Records and samples of our own in BigCodeBench's shape, and calls of `/predict` as its client makes them."""

import json
from pathlib import Path

from gradio_client import Client, handle_file

OPENING = "import json\n\ndef task_func(text):"
RIGHT = "    return sorted(json.loads(text))\n"
WRONG = "    return json.loads(text)\n"
KILLING = "    import os, signal\n    os.kill({}, signal.SIGKILL)\n" + WRONG
HANGING = "    import time\n    time.sleep(1000)\n"
EQUAL_TO_ALL = (
    "    class Same:\n        def __eq__(self, other):\n            return True\n"
    "        __hash__ = None\n    return Same()\n"
)
HOSTILE = {
    "equal to all": EQUAL_TO_ALL,
    "exits with success": "    import os\n    os._exit(0)\n",
    "kills its parent": KILLING.format("os.getppid()"),
    "kills all": KILLING.format(-1),
    "fills the memory": "    return [bytearray(1 << 30) for _ in range(64)]\n",
    "skips its tests": "    import unittest\n    raise unittest.SkipTest('enough')\n",
    "patches unittest": "    import unittest\n    unittest.TestCase.assertEqual = lambda *args, **more: None\n",
    "reads the tests": (
        "    import gc\n    found = [each for each in gc.get_objects() if type(each) is list and each == [1, 2]]\n"
        "    return found[0] if found else None\n"
    ),
}
"""Completions that are wrong, by what they try."""

TESTS = (
    "import unittest\n\n\nclass TestCases(unittest.TestCase):\n"
    "    def test_case_1(self):\n        self.assertEqual(task_func(json.dumps([2, 1])), [1, 2])\n"
    "    def test_case_2(self):\n        self.assertEqual(task_func('[3]'), [3])\n"
)


def record_of(number=0, **fields):
    """Return a record of BigCodeBench, which may have other fields."""
    return {
        "task_id": f"BigCodeBench/{number}",
        "complete_prompt": f'{OPENING}\n    """Return the sorted list."""\n',
        "instruct_prompt": "Return the sorted list.",
        "code_prompt": OPENING,
        "canonical_solution": RIGHT,
        "test": TESTS,
        "entry_point": "task_func",
        "libs": "['json']",
        **fields,
    }


def write_records(path, records):
    """Write records or samples as JSON lines, and return the path."""
    Path(path).write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def samples_of(*completions, field="completion"):
    """Return a sample for each problem, in the problems' order."""
    return [{"task_id": f"BigCodeBench/{number}", field: text} for number, text in enumerate(completions)]


def predict(url, samples, **parameters):
    """Return the (results, pass_at_k) that a server answers, called as BigCodeBench's client calls it.

    Args:
        url: of the server.
        samples: path of the file.
        **parameters: in place of the client's defaults.
    """
    given = {"split": "complete", "subset": "full", "pass_k": "1,5,10", "parallel": -1, "min_time_limit": 1}
    given |= {"max_as_limit": 30 * 1024, "max_data_limit": 30 * 1024, "max_stack_limit": 10, "calibrated": True}
    given |= {"check_gt_only": False, "no_gt": False, "selective_evaluate": ""} | parameters
    client = Client(url, verbose=False, analytics_enabled=False)
    try:
        return client.predict(samples=handle_file(samples), **given, api_name="/predict")
    finally:
        client.close()


def statuses_of(results):
    """Return the statuses of each task's samples, in the tasks' order."""
    return [[entry["status"] for entry in entries] for _, entries in sorted(results["eval"].items())]
