"""Commands of a session: shell and argv, input, output, folders, limits, background processes."""

import concurrent.futures
import time

import pytest

from sandboxes import Outcome

pytestmark = pytest.mark.slow


def test_a_text_is_for_the_shell(session):
    """A command that is a text has pipes and variables."""
    result = session.run_command("echo one two | tr a-z A-Z; exit 3")
    assert (result.stdout, result.exit_status, result.succeeded) == (b"ONE TWO\n", 3, False)
    assert result.detail == "ended with status 3"


def test_a_list_is_run_as_it_stands(session):
    """A command that is a list is given its arguments without a shell."""
    assert session.run_command(["echo", "$HOME", "a  b", ""]).stdout == b"$HOME a  b \n"


def test_a_command_reads_its_input_to_the_end(session):
    """Standard input is what the caller gives, of any size, and empty otherwise."""
    data = bytes(range(256)) * 4096
    assert session.run_command(["cat"], stdin=data).stdout == data
    assert session.run_command(["cat"], stdin="ä").stdout == "ä".encode()
    assert session.run_command(["cat"]).stdout == b""


def test_a_command_that_does_not_read_its_input_ends_well(session):
    """Input that nobody reads holds nothing up."""
    assert session.run_command(["true"], stdin=b"x" * (4 << 20)).succeeded


def test_output_is_kept_by_stream(session):
    """Standard output and standard error come back apart, as bytes."""
    result = session.run_command("printf '\\377out'; printf err >&2")
    assert (result.stdout, result.stderr) == (b"\xffout", b"err")


@pytest.mark.parametrize("path", ["/dev/stdout", "/proc/self/fd/1"])
def test_output_can_be_opened_by_name(session, path):
    """A command may open its own streams, as many scripts do."""
    assert session.run_command(f"echo named > {path}").stdout == b"named\n"


def test_a_signal_is_reported_by_name(session):
    """A command that a signal ends has no exit status."""
    result = session.run_command(["sh", "-c", "kill -SEGV $$"])
    assert (result.exit_status, result.signal, result.limit) == (None, "SIGSEGV", None)


def test_the_folder_lasts(session):
    """Commands and cells share one folder."""
    session.run_command("echo 5 > shared.txt")
    assert session.run_cell("open('shared.txt').read()").value == "'5\\n'"


def test_a_command_may_begin_in_another_folder(session):
    """`cwd` is absolute, or relative to the session's folder."""
    session.run_command("mkdir -p below")
    home = session.run_command("pwd").stdout.strip()
    assert session.run_command("pwd", cwd="below").stdout.strip() == home + b"/below"
    assert session.run_command("pwd; echo $PWD", cwd="/tmp").stdout == b"/tmp\n/tmp\n"


def test_variables_are_added(session):
    """`env` adds to the variables that all commands have."""
    result = session.run_command('echo "$ADDED $TZ"', env={"ADDED": "new"})
    assert result.stdout == b"new UTC\n"
    assert session.run_command("echo $ADDED").stdout == b"\n"


@pytest.mark.parametrize(
    ("command", "options", "error", "names"),
    [
        (["no-such-command"], {}, FileNotFoundError, "no-such-command"),
        (["/etc/passwd"], {}, PermissionError, "/etc/passwd"),
        (["true"], {"cwd": "no-such-folder"}, FileNotFoundError, "no-such-folder"),
        (["true"], {"cwd": "/etc/passwd"}, NotADirectoryError, "/etc/passwd"),
    ],
)
def test_a_command_that_can_not_start_is_an_error(session, command, options, error, names):
    """The error is the system's, and names the command or the folder."""
    with pytest.raises(error, match=names):
        session.run_command(command, **options)


@pytest.mark.parametrize(
    ("command", "options", "error", "message"),
    [
        ([], {}, TypeError, "not empty"),
        ([1], {}, TypeError, "list of texts"),
        (["a\0b"], {}, ValueError, "null character"),
        ([""], {}, ValueError, "empty name"),
        ("true", {"cwd": 5}, TypeError, "a path in the sandbox must be text"),
        ("true", {"env": {"A=B": "c"}}, ValueError, "environment variable"),
        ("true", {"stdin": 5}, TypeError, "stdin must be text or bytes"),
    ],
)
def test_invalid_arguments_are_refused(session, command, options, error, message):
    """Invalid arguments are one clear error, and the session goes on."""
    with pytest.raises(error, match=message):
        session.run_command(command, **options)
    assert session.run_command(["true"]).succeeded


def test_a_command_that_takes_too_long_ends_with_all_that_it_started(own_session):
    """A time limit ends a command and its children, also those in a session of their own."""
    result = own_session.run_command("setsid sleep 987 & sleep 986", seconds=0.5)
    assert (result.limit, result.exit_status, result.signal) == (Outcome.TIMED_OUT, None, "")
    assert result.detail == "ran for more than 0.5 s"
    assert own_session.run_command("grep -l '[9]8[67]' /proc/[0-9]*/cmdline").stdout == b""


def test_output_before_a_limit_is_kept(own_session):
    """The result has all that a command wrote before its time was over."""
    assert own_session.run_command("echo before; sleep 60", seconds=4).stdout == b"before\n"


def test_several_commands_run_at_once(session):
    """A command does not wait for others."""
    session.run_command("rm -f meet; mkfifo meet")
    with concurrent.futures.ThreadPoolExecutor() as threads:
        reader = threads.submit(session.run_command, "cat meet")
        writer = threads.submit(session.run_command, "echo met > meet")
        assert (reader.result().stdout, writer.result().exit_status) == (b"met\n", 0)


def test_a_cell_and_commands_run_at_once(session):
    """A command runs while a cell does."""
    session.run_command("rm -f seen")
    with concurrent.futures.ThreadPoolExecutor() as threads:
        waiting = "import os, time\nwhile not os.path.exists('seen'):\n    time.sleep(0.01)"
        cell = threads.submit(session.run_cell, waiting)
        assert session.run_command("touch seen").succeeded
        assert cell.result().succeeded


def test_a_background_process_outlives_its_command(own_session):
    """A command ends with its first process, and what it left runs on, also if it writes."""
    started = time.monotonic()
    result = own_session.run_command(
        "(while true; do echo noise; echo noise >&2; touch alive; sleep 0.05; done) & echo started"
    )
    assert result.stdout.startswith(b"started\n") or b"started\n" in result.stdout
    assert time.monotonic() - started < 20
    own_session.run_command("rm alive; sleep 1")
    assert own_session.read_file("alive") == b""


def test_output_beyond_the_limit_is_dropped_and_told(own_session):
    """A command that writes too much runs on, and the result says what was cut."""
    result = own_session.run_command("head -c 30000000 /dev/zero; echo end >&2")
    assert (len(result.stdout), result.stdout_is_cut, result.stderr, result.stderr_is_cut) == (
        10 << 20,
        True,
        b"end\n",
        False,
    )
    assert result.succeeded


def test_a_command_may_have_an_output_limit_of_its_own(session):
    """`max_bytes` cuts each stream where the caller wants it, also above the session's own limit."""
    result = session.run_command("echo 12345; echo 12 >&2", max_bytes=4)
    assert (result.stdout, result.stdout_is_cut, result.stderr, result.stderr_is_cut) == (b"1234", True, b"12\n", False)
    size = session.limits.output_bytes + 1
    result = session.run_command(f"head -c {size} /dev/zero", max_bytes=size)
    assert (len(result.stdout), result.stdout_is_cut) == (size, False)
    with pytest.raises(ValueError, match="max_bytes"):
        session.run_command("true", max_bytes=0)


def test_a_command_may_make_a_terminal(session):
    """Programs that need a terminal, such as a shell for an agent, can make one, which is the session's own."""
    code = "import os, pty; pty.spawn(['sh', '-c', 'tty; test -t 0 && echo interactive'])"
    result = session.run_command(["python3", "-c", code])
    terminal, answer = result.stdout.split()
    assert (terminal.startswith(b"/dev/pts/"), answer) == (True, b"interactive")


def test_a_session_has_few_terminals(session):
    """A program that makes many terminals gets an error in the end, and hurts nobody else."""
    code = "import os\nmade = 0\ntry:\n    while made < 5000: os.openpty(); made += 1\nexcept OSError: print('end')"
    assert session.run_command(["python3", "-c", code]).stdout == b"end\n"
    assert session.run_command(["true"]).succeeded


def test_a_command_finds_python(session):
    """`python3` is there, and imports what the session's folder has."""
    session.write_file("found_by_commands.py", "answer = 42")
    result = session.run_command(["python3", "-c", "import found_by_commands as f; print(f.answer)"])
    assert result.stdout == b"42\n"


def test_too_many_processes_end_no_session(own_session):
    """A fork bomb reaches the limit on processes, and is ended with its command."""
    own_session.run_command("bomb() { bomb | bomb & }; bomb; sleep 60", seconds=1)
    own_session.run_command("true")
    assert own_session.end_reason is None
