"""Texts for people in the repository's files: prose, docstrings, comments and messages, without code and links."""

import ast
import re
import subprocess

from support.metric_and_command import ROOT

NOT_FOR_PEOPLE = ("tests/", "performance/", "examples/", ".ci/", ".github/", "CHANGELOG.md")
"""Beginnings of paths whose files are not read: code around the product, and the texts of earlier versions."""

FENCE = re.compile(r"^ *(```|~~~).*?^ *\1 *$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\([^)]*\)|\]: \S+|https?://\S+")
COMMENT = re.compile(r"^ *# (.*)$", re.MULTILINE)


def files_for_people():
    """Return {path: text} of the files with texts for people, by their paths in the repository."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {
        path: (ROOT / path).read_text(encoding="utf-8")
        for path in listed.splitlines()
        if path.endswith((".py", ".md", ".html", ".js")) and not path.startswith(NOT_FOR_PEOPLE)
        if (ROOT / path).is_file()
    }


def texts_of(path, source):
    """Yield (line, text) for each text for people of a file; a code span is blank, so that offsets stay."""
    if path.endswith(".py"):
        for match in COMMENT.finditer(source):
            yield source.count("\n", 0, match.start()) + 1, without(match[1], SPAN)
        for node in ast.walk(ast.parse(source)):
            # One word alone is a name or a key.
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
                yield node.lineno, without(node.value, SPAN)
    else:
        yield 1, without(source, FENCE, SPAN, LINK)


def without(text, *patterns):
    """Return a text with blanks, and its line breaks, in place of what patterns match."""
    for pattern in patterns:
        text = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return text
