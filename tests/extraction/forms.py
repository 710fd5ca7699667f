"""Forms in which chat models give a program: a generator, whose parts combine to some thousands of forms.

`PYTHONPATH=.:tests python -m extraction.forms DATA [--problems N]` runs each form with N random problems of HumanEval,
and prints the forms whose program fails.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
import random
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any

from code_tasks.benchmarks.problems import Problem, parse_problem
from sandboxes.extraction import EXTRACTORS

Text = Callable[[str], str]


@dataclass(frozen=True)
class Asked:
    """A problem, with what a form may need of its solution."""

    problem: Problem

    @property
    def prompt(self) -> str:
        """The prompt."""
        return self.problem.prompt

    @property
    def body(self) -> str:
        """The right completion."""
        return str(self.problem.canonical_solution)

    @property
    def whole(self) -> str:
        """The right program."""
        return self.prompt + self.body

    @property
    def function(self) -> str:
        """The function that is asked for, without imports and helpers."""
        tree = ast.parse(self.whole)
        [node] = [each for each in tree.body if getattr(each, "name", "") == self.problem.entry_point]
        end = tree.body[-1].end_lineno
        return "\n".join(self.whole.split("\n")[node.lineno - 1 : end]) + "\n"

    @property
    def wrong(self) -> str:
        """A wrong function of the same name."""
        return f"def {self.problem.entry_point}(*arguments):\n    return 'a draft'\n"


PROGRAMS: Mapping[str, Callable[[Asked], str]] = {
    "whole": lambda asked: asked.whole,
    "function": lambda asked: asked.function,
    "body": lambda asked: asked.body,
    "body without indentation": lambda asked: textwrap.dedent(asked.body),
    "body cut at its beginning": lambda asked: asked.body.lstrip(" "),
}


def indented(code: str, prefix: str) -> str:
    """Return code with a prefix before each line."""
    return "".join(prefix + line for line in code.splitlines(keepends=True))


CONTAINERS: Mapping[str, Text] = {
    "none": lambda code: code,
    "fence": lambda code: f"```python\n{code}```\n",
    "fence without label": lambda code: f"```\n{code}```\n",
    "fence of another label": lambda code: f"```Python3\n{code}```\n",
    "fence with attributes": lambda code: f'```python title="solution.py"\n{code}```\n',
    "blank lines in the fence": lambda code: f"```python\n\n{code}\n\n```\n",
    "longer fence": lambda code: f"````python\n{code}````\n",
    "tildes": lambda code: f"~~~python\n{code}~~~\n",
    "opening fence in a line": lambda code: f"Here you go: ```python\n{code}```\n",
    "opening fence behind bold text": lambda code: f"**Solution:** ```python\n{code}```\n",
    "list item": lambda code: f"1. Write this:\n\n{indented('```python' + chr(10) + code + '```' + chr(10), '   ')}\n",
    "list item's own line": lambda code: f"- ```python\n{indented(code + '```' + chr(10), '  ')}\n",
    "quote": lambda code: indented(f"```python\n{code}```\n", "> "),
    "closing fence before a sentence": lambda code: f"```python\n{code}``` This is all.\n",
    "closing fence on the last line": lambda code: f"```python\n{code.rstrip()}```\n",
    "no closing fence": lambda code: f"```python\n{code}",
    "no opening fence": lambda code: f"{code}```\n",
    "CodeLlama's tags": lambda code: f"[PYTHON]\n{code}[/PYTHON]\n",
    "HTML's tags": lambda code: f"<code>\n{code}</code>\n",
}
AROUND: Mapping[str, Callable[[str, Asked], str]] = {
    "none": lambda text, asked: text,
    "prose before": lambda text, asked: f"Sure! Here is the solution for {asked.problem.entry_point}:\n\n{text}",
    "prose behind": lambda text, asked: f"{text}\nThis function works, because it's simple: it loops once.\n",
    "prose around": lambda text, asked: f"Certainly, I'll do that.\n\n{text}\n**Explanation**\n\n- `x` is the input\n",
    "usage block": lambda text, asked: (
        f"{text}\nUsage:\n\n```python\nprint(len('abc'), {asked.problem.entry_point})\n```\n"
    ),
    "output block": lambda text, asked: f"{text}\nOutput:\n\n```\n3\n[1, 2]\nTrue\n```\n",
    "test block": lambda text, asked: (
        f"{text}\nTests:\n```python\nimport unittest\nclass Check(unittest.TestCase):\n    def test(self): ...\n```\n"
    ),
    "shell block": lambda text, asked: f"First:\n```bash\npip install numpy\n```\n{text}",
    "shell block behind": lambda text, asked: f"{text}\nRun it so:\n```bash\npython solution.py\n```\n",
    "draft block": lambda text, asked: f"At first:\n```python\n{asked.wrong}```\nThat is wrong. Better:\n\n{text}",
}
WRAPPERS: Mapping[str, Callable[[str, Asked], str]] = {
    "none": lambda text, asked: text,
    "end token": lambda text, asked: f"{text.rstrip()}<|im_end|>\n",
    "two end tokens": lambda text, asked: f"{text}<|eot_id|><|end_of_text|>",
    "next turn": lambda text, asked: f"{text}</s>\n[INST] Thanks! Now write {asked.wrong} [/INST]",
    "template's next turn": lambda text, asked: f"{text}<|im_end|>\n<|im_start|>user\nAnd now?<|im_end|>",
    "role's header": lambda text, asked: f"<|start_header_id|>assistant<|end_header_id|>\n\n{text}<|eot_id|>",
    "reasoning": lambda text, asked: f"<think>\nLet me see, it's easy.\n</think>\n\n{text}",
    "draft in the reasoning": lambda text, asked: f"<think>\nSo:\n```python\n{asked.wrong}```\nNo.\n</think>\n{text}",
    "reasoning without its beginning": lambda text, asked: (
        f"I don't know.\n```python\n{asked.wrong}```\n</think>\n{text}"
    ),
    "thinking": lambda text, asked: f"<thinking>Try:\n{asked.wrong}</thinking>\n{text}",
    "Mistral's reasoning": lambda text, asked: f"[THINK]Hm.\n{asked.wrong}[/THINK]{text}",
    "answer tags": lambda text, asked: f"<think>Hm.</think>\n<answer>\n{text}</answer>",
    "harmony": lambda text, asked: (
        f"<|channel|>analysis<|message|>We need:\n{asked.wrong}<|end|>"
        f"<|start|>assistant<|channel|>final<|message|>{text}<|return|>"
    ),
    "harmony without tokens": lambda text, asked: f"analysisWe need:\n{asked.wrong}assistantfinal{text}",
    "byte-order mark": lambda text, asked: f"\ufeff{text}",
    "no-break spaces": lambda text, asked: text.replace("    ", "\u00a0\u00a0\u00a0 "),
    "carriage returns": lambda text, asked: text.replace("\n", "\r\n"),
    "reads input": lambda text, asked: text,
}
ASKING = "\n\nn = int(input())\nm = n + 1\nprint(m)\n"


@dataclass(frozen=True)
class Form:
    """A form of answers."""

    program: str
    container: str
    around: str
    wrapper: str

    @property
    def name(self) -> str:
        """Its name."""
        return f"{self.program}, {self.container}, {self.around}, {self.wrapper}"

    @property
    def can_be_read(self) -> bool:
        """Return whether a person would know the program in such an answer."""
        is_body = self.program.startswith("body")
        if self.wrapper == "reads input" and is_body:
            return False
        if is_body and self.around == "draft block":
            # A body among whole programs is no program.
            return False
        if self.container in ("none", "no opening fence"):
            # Nothing tells where a body begins, and blocks beside code without a fence are all that is fenced.
            return not (is_body and self.around not in ("none", "prose behind")) and "block" not in self.around
        if self.container == "no closing fence":
            return self.around in ("none", "prose before", "shell block", "draft block") and self.wrapper != "next turn"
        return not (self.container.endswith("tags") and ("block" in self.around or "draft" in self.wrapper))

    def answer(self, asked: Asked) -> str:
        """Return the answer to a problem in this form."""
        code = PROGRAMS[self.program](asked)
        code = code if code.endswith("\n") else f"{code}\n"
        code += ASKING if self.wrapper == "reads input" else ""
        return WRAPPERS[self.wrapper](AROUND[self.around](CONTAINERS[self.container](code), asked), asked)


def all_forms() -> Iterator[Form]:
    """Yield the forms that a person could read."""
    for parts in product(PROGRAMS, CONTAINERS, AROUND, WRAPPERS):
        form = Form(*parts)
        if form.can_be_read:
            yield form


def problems_in(path: Path) -> list[Problem]:
    """Return the problems of HumanEval's file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [parse_problem(json.loads(line)) for line in file]


def passes(program: str, problem: Problem) -> bool:
    """Return whether a program, which is no stranger's, passes the tests of its problem in this process."""
    namespace: dict[str, Any] = {"__name__": "candidate"}
    try:
        with redirect_stdout(StringIO()):
            exec(program, namespace)
            exec(problem.tests, namespace)
    except (Exception, SystemExit):
        return False
    return True


def failing_forms(
    problems: list[Problem], count: int, seed: int, share: float = 1.0
) -> Iterator[tuple[Form, str, str]]:
    """Yield (form, task_id, the program) of each form whose program fails for a random problem.

    Args:
        problems: the problems.
        count: how many problems each form has.
        seed: of the choice.
        share: of the forms that are tried.
    """
    chance = random.Random(seed)
    for form in all_forms():
        if chance.random() > share:
            continue
        for problem in chance.sample(problems, count):
            read = problem.extracted(form.answer(Asked(problem)), "python", EXTRACTORS["auto"])
            if not passes(read.code, problem):
                yield form, problem.task_id, f"{read.reading}:\n{read.code}"


def main() -> None:
    """Print the forms that fail, and their share."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--problems", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print the programs too")
    parser.add_argument("--share", type=float, default=1.0, help="of the forms")
    options = parser.parse_args()
    failures = list(failing_forms(problems_in(options.data), options.problems, options.seed, options.share))
    for form, task_id, program in failures:
        sys.stdout.write(f"{form.name} {task_id} {program if options.show else ''}\n")
    forms = round(sum(1 for _ in all_forms()) * options.share)
    sys.stdout.write(f"{len(failures)} of {forms * options.problems} answers in {forms} forms failed\n")


if __name__ == "__main__":
    main()
