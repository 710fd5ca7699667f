"""On honest answers the reward for verl agrees with verl's own prime_code, whose place it takes."""

import json

import pytest

from support.frameworks import framework
from support.verl_samples import OPTIONS, fenced

framework("verl", "verl")

from verl.utils.reward_score import default_compute_score  # noqa: E402

from code_tasks.adapters.verl import compute_scores  # noqa: E402

pytestmark = pytest.mark.slow


def script(pairs, *answers):
    """Return (tests, answers) of a script."""
    inputs, outputs = zip(*pairs, strict=True)
    return {"inputs": list(inputs), "outputs": list(outputs)}, answers


def calls(name, pairs, *answers):
    """Return (tests, answers) of a function."""
    inputs, outputs = zip(*pairs, strict=True)
    return {"fn_name": name, "inputs": list(inputs), "outputs": list(outputs)}, answers


PROBLEMS = [
    script(
        [("2 3\n", "5\n"), ("1 1\n", "2\n"), ("-1 1\n", "0\n")],
        "a, b = map(int, input().split())\nprint(a + b)",
        "import sys\nprint(sum(map(int, sys.stdin.read().split())))",
        "print(sum(int(each) for each in input().split()))",
        "a, b = map(int, input().split())\nprint(a * b)",
        "if __name__ == '__main__':\n    print(sum(map(int, input().split())))",
    ),
    script(
        [("3\n1 2 3\n", "1 2 3\n"), ("2\n5 4\n", "4 5\n")],
        "input()\nprint(*sorted(map(int, input().split())))",
        "n = int(input())\nfor each in sorted(map(int, input().split())): print(each, end=' ')",
        "input()\nprint(*map(int, input().split()))",
        "input()\nprint('\\n'.join(sorted(input().split())))",
    ),
    script(
        [("1\n", "0.5\n"), ("2\n", "1.0\n")],
        "print(int(input()) / 2)",
        "print(f'{int(input()) / 2:.6f}')",
        "print(int(input()) // 2)",
    ),
    script(
        [("abc\n", "YES\n"), ("abb\n", "NO\n")],
        "s = input()\nprint('YES' if len(set(s)) == len(s) else 'NO')",
        "s = input()\nprint('yes' if len(set(s)) == len(s) else 'no')",
        "print('YES')",
        "s = input()\nraise ValueError(s)",
    ),
    script(
        [("4\n", "1\n2\n3\n4\n"), ("1\n", "1\n")],
        "for each in range(1, int(input()) + 1): print(each)",
        "print(*range(1, int(input()) + 1), sep='\\n', end='\\n\\n')",
        "print(*range(1, int(input()) + 1))",
        "def main():\n    n = int(input())\n    print('\\n'.join(map(str, range(1, n + 1))))\nmain()",
    ),
    script(
        [("2\n3 4\n5 6\n", "7\n11\n")],
        "for _ in range(int(input())):\n    print(sum(map(int, input().split())))",
        "import sys\nlines = sys.stdin.readlines()\nfor line in lines[1:]:\n    print(sum(map(int, line.split())))",
        "from collections import deque\nfor _ in range(int(input())): print(sum(deque(map(int, input().split()))) + 1)",
        "import sys\nfor _ in range(int(input())):\n    print(sum(map(int, input().split())))\nsys.exit(0)",
    ),
    calls(
        "add",
        [("2\n3", "5"), ("1\n1", "2")],
        "def add(a, b): return a + b",
        "class Solution:\n    def add(self, a, b): return a + b",
        "def add(a, b): return a - b",
        "def plus(a, b): return a + b",
        "def add(a, b): return str(a + b)",
    ),
    calls(
        "pairs",
        [("[3, 1, 2]", "[[1, 3], [2, 1], [3, 2]]")],
        "def pairs(values): return sorted([value, 3 - i if i == 0 else i] for i, value in enumerate(values))",
        "def pairs(values): return [[1, 3], [2, 1], [3, 2]]",
        "def pairs(values): return ([1, 3], [2, 1], [3, 2])",
        "def pairs(values): return []",
    ),
    calls(
        "shout",
        [('"abc"', '"ABC"'), ('""', '""')],
        "def shout(text): return text.upper()",
        "def shout(text: str) -> str:\n    return ''.join(map(str.upper, text))",
        "def shout(text): return text.upper() or None",
        "def shout(text): print(text.upper())",
    ),
    calls(
        "mean",
        [("[1, 2]", "1.5"), ("[]", "null")],
        "def mean(values): return sum(values) / len(values) if values else None",
        "class Solution:\n    def mean(self, values: List[int]) -> Optional[float]:\n"
        "        return sum(values) / len(values) if values else None",
        "def mean(values): return sum(values) / len(values)",
    ),
]
PAIRS = [(fenced(answer), tests) for tests, answers in PROBLEMS for answer in answers]


# prime_code runs the single calls of a function as scripts, which print nothing.
HALF_RIGHT = ["def shout(text): return text.upper() or None", "def mean(values): return sum(values) / len(values)"]


def test_agreement_with_prime_code():
    """All cases together have the scores that verl's own scorer gives, and so has a script's share of the first ten."""
    answers, truths = zip(*((answer, json.dumps(tests)) for answer, tests in PAIRS), strict=True)
    sources = ["codecontests"] * len(PAIRS)
    # No problem has more than ten cases, so that prime_code counts all of them.
    expected = [float(default_compute_score("codecontests", *pair)) for pair in zip(answers, truths, strict=True)]
    assert len(expected) == 40
    assert compute_scores(sources, answers, truths, **OPTIONS) == [float(each == 1) for each in expected]
    shares = compute_scores(sources, answers, truths, continuous=True, **OPTIONS)
    rows = zip(answers, shares, expected, strict=True)
    others = {answer: (share, theirs) for answer, share, theirs in rows if share != pytest.approx(theirs)}
    assert others == {fenced(code): (0.5, 0.0) for code in HALF_RIGHT}
