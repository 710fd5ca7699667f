"""Problems in lighteval's shape: 40 pairs with candidates that both graders can judge, and hostile candidates."""

import json

SUM = {"inputs": ["1 2\n", "30 4\n", "5 5\n"], "outputs": ["3\n", "34", "10\n"], "fn_name": None}
HALVES = {"inputs": ["3\n", "4\n0\n"], "outputs": ["1.5 3\n", "2.0 4\n0 0\n"], "fn_name": None}
ADD = {"inputs": ["1\n2", "-3\n3"], "outputs": ["3", "0"], "fn_name": "add"}
PAIRS = {"inputs": ["[3, 1]", "[]"], "outputs": ["[[1, 3], true]", "[[], false]"], "fn_name": "both"}

SUM_CANDIDATES = [
    "a, b = map(int, input().split())\nprint(a + b)",
    "import sys\na, b = sys.stdin.readline().split()\nprint(int(a) + int(b), end='')",
    "def main():\n    print(sum(map(int, input().split())))\n\nif __name__ == '__main__':\n    main()",
    "print('  ', sum(int(n) for n in input().split()), '  ')",
    "print(3.0)",
    "print('3 4')",
    "a, b = input().split()\nprint(int(a) - int(b))",
    "print(1 / 0)",
    "print(",
    "import time\ntime.sleep(1000)",
]
HALVES_CANDIDATES = [
    "import sys\nfor line in sys.stdin.read().split():\n    print(int(line) / 2, line)",
    "import sys\nfor line in sys.stdin.read().split():\n    print(f'{int(line) / 2:.4f}  {line}.0')",
    "import sys\nprint('\\n'.join(f'{int(line) / 2} {line}' for line in sys.stdin.readlines() if line))",
    "import sys\nfor line in sys.stdin.read().split():\n    print(int(line) / 2)",
    "import sys\nfor line in sys.stdin.read().split():\n    print(int(line) // 2, line)",
    "import sys\nfor line in sys.stdin.read().split():\n    print(int(line) / 2, line)\nprint('done')",
    "import sys\nfor line in sys.stdin.read().split():\n    print(int(line) / 2, 'x')",
    "import sys\nfor line in sys.stdin.read().split():\n    print(int(line) / 2, line)\nsys.exit(0)",
    "raise ValueError",
    "import nothing_of_this_name",
]
ADD_CANDIDATES = [
    "def add(a, b):\n    return a + b",
    "class Solution:\n    def add(self, a: int, b: int) -> int:\n        return a + b",
    "add = int.__add__",
    "def add(a: List[int], b: Optional[int]):\n    return reduce(lambda x, y: x + y, [a, b])",
    "def add(a, b):\n    return a - b",
    "def add(a, b):\n    return 3",
    "def add(a, b):\n    return None",
    "def add(a):\n    return a",
    "def sub(a, b):\n    return a + b",
    "import time\ndef add(a, b):\n    time.sleep(1000)",
]
PAIRS_CANDIDATES = [
    "def both(items):\n    return [sorted(items), bool(items)]",
    "def both(items):\n    return sorted(items), len(items) > 0",
    "class Solution:\n    def both(self, items):\n        items.sort()\n        return [items, bool(items)]",
    "def both(items):\n    print('noise')\n    return [sorted(items), bool(items)]",
    "def both(items):\n    return [sorted(items), True]",
    "def both(items):\n    return [items, bool(items)]",
    "def both(items):\n    return [tuple(sorted(items)), bool(items)]",
    "def both(items):\n    return str([sorted(items), bool(items)])",
    "def both(items):\n    return items[0]",
    "def both(items):\n    raise SystemError",
]
PROBLEMS = [(SUM, SUM_CANDIDATES), (HALVES, HALVES_CANDIDATES), (ADD, ADD_CANDIDATES), (PAIRS, PAIRS_CANDIDATES)]

HOSTILE_CALLS = [
    # It claims to equal everything.
    "class Same:\n    __eq__ = lambda *_: True\n    __ne__ = lambda *_: False\ndef add(a, b): return Same()",
    # It ends all processes that it finds, its parents first.
    "import os, signal\ndef add(a, b):\n    for pid in (os.getppid(), -1):\n        os.kill(pid, signal.SIGKILL)\n",
    # It fills the memory.
    "def add(a, b):\n    kept = []\n    while True:\n        kept.append(bytearray(1 << 28))",
    # It looks for the expected results where a grader would have them.
    "import gc, sys\ndef add(a, b):\n"
    "    for frame in sys._current_frames().values():\n"
    "        while frame:\n"
    "            for name in ('gt_out', 'expected', 'wanted', 'all_outputs', 'outputs'):\n"
    "                if name in frame.f_locals: return frame.f_locals[name]\n"
    "            frame = frame.f_back\n"
    "    return next(each['outputs'] for each in gc.get_objects() if isinstance(each, dict) and 'outputs' in each)",
    # It ends before it is judged.
    "import os\ndef add(a, b): os._exit(0)",
    "import atexit, os\natexit.register(os._exit, 0)\ndef add(a, b): raise SystemExit(0)",
]
HOSTILE_SCRIPTS = [
    "import os\nos._exit(0)",
    "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(-1, signal.SIGKILL)",
    "kept = []\nwhile True:\n    kept.append(bytearray(1 << 28))",
    "import os\nfor each in os.walk('/proc/self/fd'):\n    print(each)\nprint(open('/proc/1/environ').read())",
    "import os, sys\nwhile True:\n    os.write(1, b'3\\n' * 100000)",
]


def samples_of(problems):
    """Return lighteval's samples of problems."""
    return [{"input_output": json.dumps(problem)} for problem in problems]
