"""What a command said of its failure: the line of its output that tells most."""

import re

MOST_LINES, MOST_CHARS = 3, 300
# How the lines begin in which languages say what ended a program.
ENDS = re.compile(
    r"(?:Exception in thread|Caused by:|Uncaught |panic:|fatal error:|thread '.*' panicked|terminate called"
    r"|(?:[\w$]+\.)*[\w$]*(?:Error|Exception)\b|--- FAIL|[^\s:]+: .*Assertion)"
)
HINTS = re.compile(r"error|exception|assert|fail|not found|unbound|denied", re.IGNORECASE)
# Where they go over into a stack, or advice.
STACK = re.compile(r"\s+at |note:|goroutine |\[signal")


def telling(stderr, stdout):
    """The lines that say why a command failed, as one; "" if it said nothing.

    Args:
        stderr: text.
        stdout: text, in which some test runners say what failed.
    """
    of_stderr, of_stdout = ([line for line in text.splitlines() if line.strip()] for text in (stderr, stdout))
    for lines, search in ((of_stderr, ENDS.match), (of_stdout, ENDS.match), (of_stderr, HINTS.search)):
        for number, line in enumerate(lines):
            if search(line):
                return beginning(lines[number:])
    return beginning(of_stderr[-1:])


def beginning(lines):
    """The first lines as one, up to a stack. Of Go's test runner, some more."""
    most = 2 * MOST_LINES if lines and lines[0].startswith("--- FAIL") else MOST_LINES
    end = next((number for number, line in enumerate(lines[:most]) if STACK.match(line)), most)
    return " ".join(" ".join(lines[:end]).split())[:MOST_CHARS]
