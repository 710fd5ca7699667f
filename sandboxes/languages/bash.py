"""Bash. Candidate and tests are two files, which one shell reads in turn."""

from __future__ import annotations

import re

from sandboxes.languages.apart.bash import bash_tests
from sandboxes.languages.base import Language, Recipe, fixed_build, fixed_run
from sandboxes.languages.comments import HASH_COMMENTS

RUNNER_FILE = "code_eval_runner.sh"

JUDGES = (
    "[ . : alias bg break builtin caller cd command compgen continue declare dirs disown echo enable eval exec exit "
    "export false getopts let local mapfile printf pwd read readarray readonly return set shift shopt source test "
    "trap true type typeset ulimit umask unalias unset wait"
).split()
"""Builtins that tests judge by. A candidate's functions of these names are removed before the tests."""

COMMANDS = "awk bash bc cat cmp diff egrep env expr fgrep grep jq python3 sed sh".split()
"""Commands that tests judge by. A candidate's functions of these names are removed before the tests."""

ERREXIT = re.compile(r"^\s*set\s+(?:-[a-zA-Z]*e|-o\s+errexit)", re.MULTILINE)
NO_ERREXIT = re.compile(r"\bset\s+(?:\+[a-zA-Z]*e|\+o\s+errexit)")

# The text of `eval` is one command, which Bash reads before it reads the candidate. The completion token is in that
# text and in no variable. In POSIX mode no function replaces a special builtin such as `unset`. The tests are not part
# of a condition, because `set -e` has no effect in one.
RUNNER = """\
IFS= read -r code_eval_token
: >/dev/stdin
exec {code_eval_out}>&1
code_eval_path=${PATH@Q}
eval "{
unset code_eval_token code_eval_out code_eval_path BASH_ENV ENV
. ./candidate.sh
if [[ \\$? != 0 ]]; then
[[ candidate == well ]]
else
code_eval_option=-u
[[ :\\$BASHOPTS: == *:inherit_errexit:* ]] && code_eval_option=-s
POSIXLY_CORRECT=1
unset -f %(names)s command_not_found_handle
set +T +E
trap - EXIT ERR DEBUG RETURN
unset POSIXLY_CORRECT BASH_ENV ENV
PATH=$code_eval_path
hash -r
shopt -u extdebug expand_aliases
shopt \\$code_eval_option inherit_errexit
unset code_eval_option
unalias -a
if enable %(builtins)s; then
. ./tests.sh
[[ \\$? == 0 && %(condition)s && -z \\$(declare -F %(names)s) ]] &&
printf %%s $code_eval_token >&$code_eval_out
fi
fi
}"
"""


def bash_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a program with tests: candidate, tests, and the file that reads both."""
    if not tests.strip():
        candidate, tests = "", candidate
    # With `:` at its end, a candidate has a bad status only if it is not valid Bash, or returns one on purpose.
    return {"candidate.sh": candidate + "\n:\n", "tests.sh": tests, RUNNER_FILE: RUNNER % runner_values(tests)}


def runner_values(tests: str) -> dict[str, str]:
    """Return the values for RUNNER, which depend on the names and options that tests use."""
    names = [name for name in (*JUDGES, *COMMANDS) if not defines(tests, name)]
    must_exit = ERREXIT.search(tests) and not NO_ERREXIT.search(tests)
    return {
        "names": " ".join(names),
        "builtins": " ".join(JUDGES),
        "condition": "\\$- == *e*" if must_exit else "1",
    }


def defines(tests: str, name: str) -> bool:
    """Return whether tests define a function of a name."""
    word = re.escape(name)
    return bool(re.search(rf"(?:^|[;&|({{])\s*(?:function\s+{word}\b|{word}\s*\(\s*\))", tests, re.MULTILINE))


BASH = Language(
    name="bash",
    label="Bash",
    with_tests=Recipe(bash_files, fixed_build(), fixed_run("bash", RUNNER_FILE)),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.sh": candidate}, fixed_build(), fixed_run("bash", "candidate.sh")
    ),
    version=lambda: ("bash", "--version"),
    package="bash",
    image="python:3.11-slim",
    highlight="shell",
    canary=("add() { echo $(($1 + $2)); }", '[ "$(add 2 3)" = 5 ]'),
    comments=HASH_COMMENTS,
    aliases=("sh",),
    tools=("bash",),
    plain_tests=bash_tests,
)
