"""Samples as verl's datasets have them: tests, and answers whose scores are known."""

import json
import os

SUM = json.dumps({"inputs": ["2 3\n", "1 1\n", "10 -4\n"], "outputs": ["5\n", "2\n", "6\n"]})
ADD = json.dumps({"fn_name": "add", "inputs": ["2\n3", "1\n1"], "outputs": ["5", "2"]})


def fenced(code):
    """Return an answer of a chat model."""
    return f"Let me think.\n\n```python\n{code}\n```\nThat prints:\n\n```\n5\n```\n"


RIGHT = fenced("a, b = map(int, input().split())\nprint(a + b)")
WRONG = fenced("print(5)")
HANGS = fenced("import time\ntime.sleep(1000)")
FILLS_MEMORY = fenced("text = 'x'\nwhile True: text += text")
NO_CODE = "I am sorry, but I don't know."
FORGERIES = {
    "says that it passed": fenced("import os\nprint('passed', flush=True)\nos._exit(0)"),
    "kills its parent": fenced("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nprint(5)"),
    "kills all processes": fenced("import os, signal\nos.kill(-1, signal.SIGKILL)\nprint(5)"),
    "reads the tests": fenced(
        "import glob\nfor name in glob.glob('/proc/*/cmdline') + glob.glob('/tmp/**', recursive=True):\n"
        "    try: print(open(name).read())\n    except OSError: pass"
    ),
    "forks without end": fenced("import os\nwhile True: os.fork()"),
}
FORGED_CALLS = {
    "equals everything": fenced("class Same:\n    def __eq__(self, other): return True\ndef add(a, b): return Same()"),
    "ends the process": fenced("import os\ndef add(a, b): os._exit(0)"),
    "exits": fenced("import sys\ndef add(a, b): sys.exit(0)"),
    "looks at the caller": fenced(
        "import sys\ndef add(a, b):\n    frame = sys._getframe(1)\n    while frame:\n"
        "        for value in frame.f_locals.values():\n            if value in (5, 2): return value\n"
        "        frame = frame.f_back"
    ),
}
RIGHT_CALL = fenced("class Solution:\n    def add(self, a, b): return a + b")
OPTIONS = {"timeout": 20.0}
"""Options of tests whose programs do not hang. A busy machine fails none of them."""

BROKEN = {"sandbox": "docker", "docker_host": "unix:///nowhere/docker.sock", "retry_seconds": 0}
"""Options of a sandbox that can't run anything."""

ADAPTER = os.path.join(os.path.dirname(__file__), "..", "..", "code_tasks", "adapters", "verl.py")
"""The path that users give as `custom_reward_function.path`."""
