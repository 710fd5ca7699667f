"""Languages and commands that tests ask for before they start them. Where one is missing, the test is skipped.

`needs_guard` calls this for the marker `languages`, and fails a test that starts what it did not ask for.
"""

import shutil
from functools import cache

import pytest

from sandboxes import SandboxUnavailable, open_sandbox
from sandboxes.backends.host_state import PROGRAM_PATH
from sandboxes.languages.registry import ALIASES, LANGUAGES, NAMES, VARIANTS, is_python, probe_version
from sandboxes.tasks.options import with_mounts
from sandboxes.warm_pools import warm_pool
from support.requirements import unavailable

ALWAYS_THERE = frozenset({"bash", "dash", "sql", *filter(is_python, NAMES)})
"""Languages that no test asks for: every Debian has bash and dash, which a page adds, and Python has SQLite. Another
Python is found by PATH."""

PACKAGES = {"dockerd": "docker.io", "gcc": "gcc", "nm": "binutils", "setpriv": "util-linux"}
"""Debian's packages of the commands that tests start themselves, by command."""

asked: list[set[str]] = []
"""What the running test and each fixture that is being set up asked for, innermost last."""


def require_languages(*names):
    """Skip a test, or a fixture's tests, unless programs in these languages run here. Under CI they fail."""
    for name in {ALIASES.get(each, each) for each in names} - ALWAYS_THERE:
        # A standard of a language is built by the same compiler.
        note_asked(VARIANTS.get(name, name), *LANGUAGES[name].tools)
        if reason := lack_of(name):
            unavailable(reason)


def note_asked(*names):
    """Note languages and commands that the running test, or the fixture that is being set up, asks for."""
    for needs in asked:
        needs.update(names)


@cache
def lack_of(language):
    """Return why programs in a language can't run here, with the package to install; "" if they can."""
    try:
        probe_version(shared_pool(language), language)
    except SandboxUnavailable as error:
        return str(error)
    return ""


def shared_pool(*names, **options):
    """Return this process's warm pool for programs in some languages. Evaluators of the same languages share it."""
    return warm_pool(with_mounts(open_sandbox("subprocess", **options), names))


def language_pool(*names, **options):
    """Return a warm pool for programs in some languages, after asking for these. The caller does not close it.

    Args:
        *names: the languages.
        **options: of the sandbox.
    """
    require_languages(*names)
    return shared_pool(*names, **options)


def each_of(parameters):
    """Return parameters whose first or only value is a language. Each test, or fixture, asks for its own language."""
    all_values = [(each,) if isinstance(each, str) else tuple(each) for each in parameters]
    return [pytest.param(*values, marks=marks_of(values[0])) for values in all_values]


def marks_of(language):
    """Return the marks of a test that asks for a language."""
    return () if ALIASES.get(language, language) in ALWAYS_THERE else pytest.mark.languages(language)


def require_command(name):
    """Skip a test unless a command of PACKAGES is installed where programs find it. Under CI the test fails."""
    note_asked(name)
    if shutil.which(name, path=f"{PROGRAM_PATH}:/usr/local/sbin:/usr/sbin:/sbin") is None:
        unavailable(f"there is no {name}: install Debian's package {PACKAGES[name]}")
