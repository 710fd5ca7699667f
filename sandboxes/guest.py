"""The one program that runs inside every sandbox: a supervisor, and fork servers for Python programs.

It is started as ``python -I -S guest.py FOLDER`` and with the files in `inside` uses the standard library alone, of
Python 3.8 or newer, because a container may hold nothing else. It is several processes:

- the supervisor, which the caller starts, speaks with the caller, watches the clock and the output, and decides what
  became of a program;
- a fork server, which the supervisor starts from this file too, goes into a sandbox of its own, imports what programs
  usually need, and forks. It does little else, because after a fork each page of memory that it touches costs a page
  fault. There is one for programs graded "shared", and one each for the candidates and the tests graded "separate". The
  process that it was started as stays behind outside, as its parent;
- a child of a fork server runs a program, reports, and ends.

Frames, on standard input and output: four bytes of length, big-endian, then a JSON object.

- Caller, once: the options, such as ``{"isolated": true, "network": false, ...}``.
- Supervisor, once: ``{"ready": true, "python": "3.11.7", "layers": [...], "missing": {layer: reason}}``.
- Caller: ``{"id", "candidate_bytes", "tests_bytes", "grading", "alike", "limits"}``, then the tests (none where
  ``tests_bytes`` is null: the same as last time with this grading), then the candidate, both UTF-8. ``alike``: whether
  the tests can run several times in one process.
- Supervisor: ``{"id", "outcome", ...}`` once the program has ended, ``{"id", "waiting": true}`` each time it is given
  longer because the machine was busy, ``{"id", "broken": reason}`` if the sandbox failed before its first line.

A fork server reads the tests; only the child reads the candidate, so that an earlier one's text is not in a later one's
memory. A child says on one pipe, which it then closes, that it was set up, and on another what became of the program.
That counts only with the seal that the child was given, and if it also ended as a reporting child does.
"""

import os
import signal
import site
import sys

# A folder, or a container's guest: an archive in a file that has no name and can't be changed.
GUEST = os.path.dirname(os.path.abspath(__file__))
ARCHIVES = "/proc/self/fd/"

# -I leaves a folder out of the search path. It is there for these imports alone: a program must not find ours.
sys.path.insert(0, GUEST)
from inside.frames import CHANNEL_FD, read_options  # noqa: E402

# As arguments there are only the folder and, for a fork server, its role: programs can read them.
scratch, *role = sys.argv[1:]
options = {**read_options(CHANNEL_FD if role else 0), "scratch": scratch}
# Each only what it needs: the memory of a fork server is copied for every program.
if role:
    from inside.enter import LayerFailed, Link, enter
    from inside.fork_server import ForkServer, hold_interrupts
    from inside.frames import SHARED, TESTS
    from inside.judge import CANDIDATE_FILE
    from inside.policy import PLAIN
    from inside.rehearsal import complete_builtins, warm_up
    from inside.root import WORK_FOLDER
    from inside.scratch import PLAIN_NAME
    from inside.text_pages import use_huge_pages_for_code

    apart = None
    if role != [SHARED]:
        from inside import apart
    if options["policy"] is not None:
        from inside.own_policy import load_policy
else:
    from inside.supervisor import Supervisor

sys.path[:] = [path for path in sys.path if path != GUEST]
if role and GUEST.startswith(ARCHIVES):
    os.close(int(GUEST[len(ARCHIVES) :]))
for name in [name for name in sys.modules if name.partition(".")[0] == "inside"]:
    del sys.modules[name]


def reset_signals():
    """Undoes what the caller blocks or ignores, which a new program inherits: the end of a child, for one."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # Python itself ignores these two.
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def set_surroundings(options, workplace, layers):
    """What programs find: module search path, arguments and environment."""
    if options["role"] != TESTS or "mount" in layers:
        # Else a candidate could put modules there, which run in the tests' process.
        sys.path[:0] = [workplace]
    sys.path += options["site_folders"]
    sys.argv[:] = [CANDIDATE_FILE]
    # For the guest alone: it spares each child the page faults of binding functions when they are first called.
    os.environ.pop("LD_BIND_NOW", None)
    for name in ("HOME", "PWD"):
        os.environ[name] = workplace
    os.environ["TMPDIR"] = "/tmp" if workplace == WORK_FOLDER else workplace
    os.environ.update(options["env"])


def serve_as_fork_server(options):
    """The part of a process that `Box` has started: goes into the sandbox, and forks programs there."""
    link = Link()
    if options["role"] != TESTS:
        # The others fork a child for each program.
        use_huge_pages_for_code()
    complete_builtins()
    # Out here, where the caller's modules can be read.
    wanted = options.pop("policy")
    policy = PLAIN if wanted is None else load_policy(wanted, options["role"], GUEST)
    try:
        privileges, layers, missing, folders = enter(options, link)
    except LayerFailed as failed:
        link.say(failed=failed.layer, reason=failed.reason)
        return
    # Programs can send one, and a handler of Python's would be called for it even in process 1.
    hold_interrupts()
    workplace = WORK_FOLDER if folders else os.path.join(options["scratch"], PLAIN_NAME)
    set_surroundings(options, workplace, layers)
    in_place = None if folders else workplace
    server = ForkServer(options["role"], link.channel, privileges, in_place, options["announces"], policy, apart)
    warm_up(server, options["preload"])
    sys.stdout.flush()
    link.say(folders, layers=layers, missing=missing, owner=privileges.owner)
    for folder in folders:
        os.close(folder)
    server.serve()


def interpreter_folders():
    """What the caller can't know of an interpreter that is in a container."""
    folders = [folder for folder in site.getsitepackages() if os.path.isdir(folder)]
    needed = [os.path.dirname(os.__file__), *folders]
    return {"site_folders": folders, "needed_folders": needed, "shown_paths": [sys.prefix, sys.base_prefix, *needed]}


def supervise(options):
    """The part of the process that the caller has started."""
    if options["site_folders"] is None:
        options.update(interpreter_folders())
        # The engine's, not the image's.
        os.environ.pop("HOSTNAME", None)
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    # The caller's way to end a guest that does not see its pipe closing.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    supervisor = Supervisor(
        requests, replies, options, GUEST if GUEST.startswith(ARCHIVES) else os.path.abspath(__file__)
    )
    try:
        supervisor.serve()
    finally:
        supervisor.close()


if __name__ == "__main__":
    reset_signals()
    if role:
        serve_as_fork_server(options)
    else:
        supervise(options)
