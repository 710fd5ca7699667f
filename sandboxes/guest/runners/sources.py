"""The files of a program, by which tracebacks name its two sources."""

from __future__ import annotations

CANDIDATE_FILE = "candidate.py"
TESTS_FILE = "tests.py"
OWN_FILES = (CANDIDATE_FILE, TESTS_FILE)
# The candidate's source by its file.
SOURCES: dict[str, str] = {}
