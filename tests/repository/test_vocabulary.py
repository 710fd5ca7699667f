"""One word for one thing: texts for people have the words of docs/glossary.md, and none of their synonyms."""

import re
from collections import Counter
from typing import NamedTuple

import pytest

from support.texts import files_for_people, texts_of

NOT_SANDBOX_CODE = (
    r"README|SECURITY|docs/(?!extending|glossary|reference)|code_tasks/(cli|server)|space/ui|sandboxes/options"
)


class Rule(NamedTuple):
    """A word that is not said."""

    word: str
    """A pattern, whose blanks also match line breaks."""

    say: str
    where: str = ""
    """The beginning of the paths that it is for, as a pattern; "" for all."""

    but: tuple[str, ...] = ()
    """Patterns of what is right: a text around the word, on its line, or the beginning of a path with a slash in it."""


RULES = (
    Rule(r"data[ -]sets?", "dataset"),
    Rule(
        r"timeouts?",
        "time-out for the end of a program, time limit for its seconds",
        but=(
            # The option and fields of this name, and the words of other programs.
            r"(--|\"|test\.)timeout\b",
            r"options timeout:0 ",
            r"^\s*timeout(:| may be)",
            r"timeout=",
            r"options as  .* such as timeout",
            r"the timeout of $",
            r"a larger timeout",
            r"potentially due to timeout",
            r"code_tasks/solvers/models/",
            r"sandboxes/cluster/environment.py",
            r"sandboxes/languages/javascript_runner.py",
        ),
    ),
    Rule(
        r"questions?",
        "task",
        but=(
            # The Python API of solvers has it, after nanoeval, and LiveCodeBench's files.
            r"code_tasks/solvers/",
            r"docs/coming-from/nanoeval.md",
            r"code_tasks/scoring/formats/livecodebench.py",
            r"^\| \*\*question\*\*",
            r"question marks?",
            r"LiveCodeBench's question|the text of a question",
            r"ask questions|answers? +questions|answer a question|leave a question|next question|time of the question",
        ),
    ),
    Rule(r"(gold|golden|reference) solutions?", "canonical solution"),
    Rule(r"test cases?", "case, or I/O case"),
    Rule(r"test suites?", "tests", but=("(GCC|Rust)'s own test suite",)),
    Rule(r"slots?", "worker, or place in a queue", but=("sandboxes/restricted_policy/name_rules.py",)),
    Rule(r"executors?", "worker", but=("/smolagents",)),
    Rule(r"judge?ments?", "verdict"),
    Rule(r"prediction", "candidate", but=(r"\"prediction\"", r"code_tasks/benchmarks/cruxeval.py")),
    Rule(
        r"generations?",
        "candidate, or sample",
        but=(
            # The words of harnesses that call it so, and of Ray's actors.
            r"code_tasks/adapters/lighteval.py",
            r"docs/integrations/bigcode.md",
            r"docs/coming-from/",
            r"its file of generations",
            r"actor's generation|an actor, and its generation",
            r"LiveCodeBench's code generation",
        ),
    ),
    Rule(r"(code )?snippets?", "candidate"),
    Rule(r"submissions?", "candidate", but=(r"code_tasks/server/", r"docs/server-clients.md", r"docs/coming-from/")),
    Rule(
        r"(compilation|compiler|memory) errors?|(time|memory|output) limit exceeded|timed-out|out-of-memory errors?",
        "the outcome's label in sandboxes/outcome_labels.py",
        but=(r"code_tasks/server/protocols/", r"code_tasks/scoring/formats/livecodebench.py"),
    ),
    Rule(r"runlogs?|run-logs?|log files?", "run log"),
    Rule(r"result files?", "results file"),
    Rule(r"(pass|success|solve) rates?", "pass@k, or the passed share", but=("canonical solutions' pass rate",)),
    Rule(r"backends?", "sandbox", where=NOT_SANDBOX_CODE),
    Rule(r"worker process(es)?", "worker"),
)
PATTERNS = {
    rule: re.compile(rf"(?<![\w.-])(?:{rule.word.replace(' ', chr(92) + 's+')})(?![\w-])", re.IGNORECASE)
    for rule in RULES
}
ANY = re.compile("|".join(pattern.pattern for pattern in PATTERNS.values()), re.IGNORECASE)


def is_right(but, path, line):
    """Return whether an exception is for a line of a file."""
    return bool(re.search(but, path if "/" in but else line, re.IGNORECASE))


def violations(path, source, used=None):
    """Yield a message for each synonym in the texts of a file, and count the exceptions that hold others back."""
    rules = [rule for rule in RULES if re.match(rule.where, path) and PATTERNS[rule].search(source)]
    for start, text in texts_of(path, source) if rules else ():
        for rule in rules if ANY.search(text) else ():
            for match in PATTERNS[rule].finditer(text):
                begin, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
                line = text[begin : None if end < 0 else end]
                held = [but for but in rule.but if is_right(but, path, line)]
                if used is not None:
                    used.update((rule.word, but) for but in held)
                if not held:
                    number = start + text.count("\n", 0, match.start())
                    yield (
                        f"{path}:{number}: {' '.join(match[0].split())!r} is called {rule.say} (docs/glossary.md). The "
                        "name of a field or an option stands in backticks; a word of another program needs an "
                        "exception in RULES"
                    )


@pytest.fixture(scope="module")
def checked():
    """Provide (messages about all files, the exceptions that were needed)."""
    used = Counter()
    found = [message for path, source in files_for_people().items() for message in violations(path, source, used)]
    return found, used


def test_texts_have_the_glossarys_words(checked):
    """No text for people has a synonym of a word in the glossary."""
    assert not checked[0], "\n".join(checked[0])


def test_exceptions_are_needed(checked):
    """Each exception holds for a text that is there."""
    assert {(rule.word, but) for rule in RULES for but in rule.but} - set(checked[1]) == set()


WRONG = {
    "prose": ("docs/results.md", "One.\n\nA data\nset.\n", "docs/results.md:3: 'data set' is called dataset"),
    "a docstring": ("code_tasks/x.py", '"""One.\n\nThe timeout passed."""\n', "code_tasks/x.py:3: 'timeout'"),
    "a comment": ("sandboxes/x.py", "x = 1\n# A slot is free.\n", "sandboxes/x.py:2: 'slot'"),
    "a message": ("space/x.py", "x = 1\n\nraise E(f'{x} test cases failed')\n", "space/x.py:3: 'test cases'"),
    "a template": ("code_tasks/x.html", "<p>\n<b>Gold solution</b>", "code_tasks/x.html:2: 'Gold solution'"),
    "a sandbox": ("docs/results.md", "Choose a backend.", "docs/results.md:1: 'backend' is called sandbox"),
}


@pytest.mark.parametrize(("path", "source", "message"), WRONG.values(), ids=WRONG)
def test_a_synonym_is_found(path, source, message):
    """A synonym is named with its file, its line and the word that is said."""
    [found] = violations(path, source)
    assert found.startswith(message)


@pytest.mark.parametrize(
    "source", ["`data set`", "```\nslot\n```", "`` ` `` `slot`", "[x](slot.md)", "datasets, time-out"]
)
def test_code_and_links_are_no_texts(source):
    """A code span, a block of code and a link's target may have any word."""
    assert [*violations("docs/results.md", source)] == []
