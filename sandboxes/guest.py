"""The one program that runs inside every sandbox: a fork server for Python programs.

It is started as ``python -I -S guest.py OPTIONS`` and with the files in `inside` uses the standard library alone,
of Python 3.8 or newer, because a container may hold nothing else. It is two processes, and a third for each program:

- the supervisor speaks with the caller, watches the clock and the output, and decides what became of a program;
- the fork server imports what programs usually need, and forks. It does little else, because after a fork each page of
  memory that it touches costs a page fault;
- the child limits itself, runs the program, reports, and ends.

Frames, on standard input and output: four bytes of length, big-endian, then a JSON object.

- Supervisor, once: ``{"ready": true, "python": "3.11.7", "layers": [...], "missing": {layer: reason}}``.
- Caller: ``{"id", "candidate_bytes", "tests_bytes", "limits"}``, then the tests (none where ``tests_bytes`` is null:
  the same as last time), then the candidate, both UTF-8. The fork server reads the tests, and compiles them if they
  come again; only the child reads the candidate, so that an earlier one's text is not in a later one's memory.
- Supervisor: ``{"id", "outcome", ...}`` once the program has ended, ``{"id", "waiting": true}`` each time it is given
  longer because the machine was busy, ``{"id", "broken": reason}`` if the sandbox failed before its first line.

A child reports on a pipe of its own: when it was set up, then what became of the program. A report counts only if the
child also ended as a reporting child does.
"""

import json
import os
import signal
import sys

# -I leaves this folder out of the search path. It is there for these imports alone: a program must not find ours.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from inside.endings import end_descendants, kill  # noqa: E402
from inside.fork_server import ForkServer, warm_up  # noqa: E402
from inside.frames import READY, write_frame  # noqa: E402
from inside.judge import CANDIDATE_FILE  # noqa: E402
from inside.privileges import Privileges  # noqa: E402
from inside.supervisor import Supervisor, channel_pair  # noqa: E402

del sys.path[0]
for name in [name for name in sys.modules if name.partition(".")[0] == "inside"]:
    del sys.modules[name]


def set_surroundings(workplace, site_folders):
    """What programs find: module search path, arguments and environment."""
    sys.path[:0] = [workplace]
    sys.path += site_folders
    sys.argv[:] = [CANDIDATE_FILE]
    # For the guest alone: it spares each child the page faults of binding functions when they are first called.
    os.environ.pop("LD_BIND_NOW", None)
    for name in ("HOME", "TMPDIR", "PWD"):
        os.environ[name] = workplace


def reset_signals():
    """Undoes what the caller blocks or ignores, which a new program inherits: the end of a child, for one."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # Python itself ignores these two.
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def clear(supervisor, pid):
    """Ends all descendants of this process, one of which is or was `pid`, and removes the scratch folder."""
    try:
        end_descendants(supervisor.privileges.reaps, pid)
    finally:
        supervisor.remove_scratch()


def give_up(supervisor):
    """In the fork server, when the supervisor was killed: does what it can't do any more."""
    try:
        clear(supervisor, os.getpid())
    finally:
        os._exit(1)


def main():
    """Starts the fork server in a child of this process, which stays as its supervisor."""
    options = json.loads(sys.argv[1])
    reset_signals()
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    privileges = Privileges([os.path.dirname(os.__file__), *options["site_folders"]])
    channel, far_channel = channel_pair()
    supervisor = Supervisor(requests, replies, channel, options["scratch"], privileges)
    supervisor.make_workplace()
    pid = os.fork()
    if pid == 0:
        channel.close()
        os.close(replies)
        privileges.enter_fork_server(lambda: give_up(supervisor))
        set_surroundings(supervisor.workplace, options["site_folders"])
        warm_up()
        far_channel.send(READY)
        ForkServer(requests, far_channel, privileges, supervisor.workplace).serve()
        return
    far_channel.close()
    supervisor.fork_server = pid
    # The caller's way to end a guest that does not see its pipe closing.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        supervisor.word(len(READY))
        write_frame(replies, supervisor.hello())
        supervisor.serve()
    finally:
        kill(os.kill, pid)
        clear(supervisor, pid)


if __name__ == "__main__":
    main()
