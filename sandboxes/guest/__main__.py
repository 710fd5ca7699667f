"""The one program that runs inside every sandbox: a supervisor, and fork servers for Python programs.

The host starts it as ``python -I -S guest/__main__.py FOLDER``, or in a container as an archive of the package `guest`.
It uses only the standard library of Python 3.8 or newer, because a container may hold nothing else. It runs as several
processes:

- The supervisor, which the caller starts, speaks with the caller, watches the clock and the output, and decides the
  verdict of each program.
- The supervisor starts fork servers from this file too. A fork server enters a sandbox of its own, imports the modules
  that programs usually need, and forks. It does little else, because after a fork each page of memory that it writes to
  costs a page fault. There is one for programs graded "shared", and one each for the candidates and the tests graded
  "separate". The process that the supervisor forked stays outside as the fork server's parent.
- A child of a fork server runs a program, reports, and ends.
- The guest of a session has a session server in place of fork servers. `common/session_frames.py` has its frames.

Frames, on standard input and output, are four bytes of length, big-endian, then a JSON object.

- Caller, once: the options, such as ``{"isolated": true, "network": false, ...}``.
- Supervisor, once: ``{"ready": true, "python": "3.11.7", "layers": [...], "missing": {layer: reason}, "modules"}``,
  "forked_in_python" and "is_connected". The modules are those of HARNESS_MODULES that programs can import. All further
  frames go through the guest's connection to the caller's socket, if the option "direct" named one and it came about.
- Caller: ``{"grading", "alike", "limits"}`` and on a line after it the id and the sizes of the candidate and the tests,
  then the tests and the candidate, both UTF-8. The tests' size is -1 and the tests are left out if they are the same as
  last time with this grading. ``alike`` says whether the tests can run several times in one process.
- Supervisor: ``{"id", "outcome", ...}`` once the program has ended, ``{"id", "waiting": true}`` from time to time while
  it runs, ``{"id", "broken": reason}`` if the sandbox failed before the program's first line. The reply to a program
  that has passed and written nothing has a shorter form, which is no JSON.

A fork server reads the tests. Only the child reads the candidate, so that an earlier candidate's text is not in a later
one's memory. A child says on one pipe, which it then closes, that it was set up, and reports on another how the program
ended. The report counts only behind the nonce that the child was given, and only if the child's exit status agrees.
"""

from __future__ import annotations

import os
import signal
import site
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# A folder. In a container it is an archive, in a file that has no name and can't be changed.
ARCHIVES = "/proc/self/fd/"
GUEST = os.path.dirname(os.path.abspath(__file__))
if not GUEST.startswith(ARCHIVES):
    GUEST = os.path.dirname(GUEST)

if not sys.flags.isolated and sys.version_info < (3, 11):
    # Later versions have an option that leaves this file's folder out of the search path.
    del sys.path[0]
# This folder is in the search path only for these imports: a program must not find our modules.
sys.path.insert(0, GUEST)
from guest.common.frames import CHANNEL_FD, read_options  # noqa: E402

# The arguments are only the folder and, for a fork server, its role, because programs can read them.
scratch, *role = sys.argv[1:]
options = {**read_options(CHANNEL_FD if role else 0), "scratch": scratch}
# Each process imports only the modules that it needs: the memory of a fork server is copied for every program.
if role:
    from guest.forkserver.fork_hooks import ForkHooks

    # Before any module that programs may have too.
    fork_hooks = ForkHooks()
    from guest.common.frames import SESSION, SHARED, TESTS
    from guest.forkserver.huge_pages import use_huge_pages_for_code
    from guest.forkserver.kept_output import keep_output
    from guest.forkserver.limits import limit_arenas
    from guest.forkserver.memory_snapshot import MemorySnapshot
    from guest.forkserver.server import ForkServer, reset_interrupts
    from guest.forkserver.warm_up import complete_builtins, find_harness_modules, freeze_memory, import_modules, warm_up
    from guest.isolation.account import account_name
    from guest.isolation.layers import LayerFailed, StartupChannel, apply_layers
    from guest.isolation.root_filesystem import WORK_FOLDER
    from guest.runners.policy import PLAIN
    from guest.runners.sources import CANDIDATE_FILE
    from guest.supervisor.scratch import PLAIN_NAME

    if role == [SESSION]:
        from guest.sessions.server import SessionServer
    if role not in ([SHARED], [SESSION]):
        from guest.remote import roles
    else:
        roles = None
    if options["policy"] is not None:
        from guest.runners.custom_policy import load_policy
elif options["session"] is not None:
    from guest.supervisor.session_supervisor import SessionSupervisor
else:
    from guest.supervisor.supervisor import Supervisor

sys.path[:] = [path for path in sys.path if path != GUEST]
if role and GUEST.startswith(ARCHIVES):
    os.close(int(GUEST[len(ARCHIVES) :]))
for name in [name for name in sys.modules if name.partition(".")[0] == "guest"]:
    del sys.modules[name]


def reset_signals() -> None:
    """Unblock all signals and stop ignoring them, because a program inherits both from the caller.

    A caller that ignores the end of its children is one example.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # Python itself ignores these two.
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def set_environment(options: dict[str, Any], workplace: str, layers: Sequence[str], user: int | None) -> None:
    """Set the module search path, the arguments and the environment variables of programs.

    Args:
        options: the guest's.
        workplace: the folder that programs begin in, which is their home too.
        layers: that are on.
        user: user id that programs change to; None if they have this process's own.
    """
    if options["role"] != TESTS or "mount" in layers:
        # Without a root of their own, tests would import modules that a candidate put there.
        sys.path[:0] = [workplace]
    sys.path += options["site_folders"]
    sys.argv[:] = [CANDIDATE_FILE]
    # The host sets these for the guest alone. The first one spares each child the page faults of binding functions at
    # their first call. With the others the interpreter finds its library.
    for name in ("LD_BIND_NOW", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        os.environ.pop(name, None)
    for name in ("HOME", "PWD"):
        os.environ[name] = workplace
    account = account_name(layers, user, workplace)
    for name in ("USER", "LOGNAME"):
        os.environ[name] = account
    os.environ["TMPDIR"] = "/tmp" if workplace == WORK_FOLDER else workplace
    os.environ.update(options["env"])


def serve_as_fork_server(options: dict[str, Any]) -> None:
    """Enter the sandbox and fork programs there, in a process that `ForkServerProcess` has started."""
    startup = StartupChannel()
    limit_arenas()
    snapshot = None
    if options["role"] not in (TESTS, SESSION):
        # The other roles fork a child for each program.
        use_huge_pages_for_code()
        snapshot = MemorySnapshot()
    complete_builtins()
    # Loaded outside of the sandbox, where the caller's modules can be read.
    wanted = options.pop("policy")
    policy = PLAIN if wanted is None else load_policy(wanted, options["role"], GUEST)
    try:
        privileges, layers, missing, folders = apply_layers(options, startup)
    except LayerFailed as error:
        startup.send(failed=error.layer, reason=error.reason)
        return
    keep_output()
    # A program can send an interrupt, for which a Python handler would be called even in process 1.
    reset_interrupts()
    workplace = WORK_FOLDER if folders else os.path.join(options["scratch"], PLAIN_NAME)
    set_environment(options, workplace, layers, privileges.child_user)
    server: ForkServer | SessionServer
    if options["role"] == SESSION:
        import_modules(options["preload"])
        freeze_memory()
        fork_hooks.close()
    else:
        # With folders of its own this process is in the workplace already.
        entered = None if folders else workplace
        server = ForkServer(options["role"], startup.channel, privileges, entered, options["announces"], policy, roles)
        warm_up(server, options["preload"])
        server.settle(fork_hooks.close())
    sys.stdout.flush()
    modules = find_harness_modules()
    if not folders:
        # This process has looked for modules in the programs' folder before there was one.
        sys.path_importer_cache.pop(workplace, None)
    known = {"owner": privileges.owner, "confines_signals": privileges.confines_signals}
    startup.send(folders, layers=layers, missing=missing, modules=modules, **known)
    for folder in folders:
        os.close(folder)
    if options["role"] == SESSION:
        server = SessionServer(startup.channel, privileges, workplace)
    if snapshot is not None:
        snapshot.take()
    server.serve()


def interpreter_folders() -> dict[str, list[str]]:
    """Return the folders of a container's interpreter, which the caller can't know."""
    folders = [folder for folder in site.getsitepackages() if os.path.isdir(folder)]
    needed = [os.path.dirname(os.__file__), *folders]
    return {"site_folders": folders, "needed_folders": needed, "shown_paths": [sys.prefix, sys.base_prefix, *needed]}


def connect(direct: dict[str, str] | None) -> int | None:
    """Return the descriptor of a connection to the caller, if it offers one that comes about.

    Args:
        direct: the path of the caller's socket, and the token to send first; None if there is no offer.
    """
    if direct is None:
        return None
    import _socket

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        # Others may have taken all the room for connections.
        connection.setblocking(False)
        connection.connect(direct["path"])
        connection.sendall(direct["token"].encode())
    except OSError:
        connection.close()
        return None
    connection.setblocking(True)
    return connection.detach()


def supervise(options: dict[str, Any]) -> None:
    """Run the supervisor, in the process that the caller has started."""
    if options["site_folders"] is None:
        options.update(interpreter_folders())
        # The engine sets this variable, not the image.
        os.environ.pop("HOSTNAME", None)
    requests, replies = os.dup(0), os.dup(1)
    connection = connect(options.pop("direct", None))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    # The caller sends this signal to a guest that does not notice that its pipe was closed.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    guest_file = GUEST if GUEST.startswith(ARCHIVES) else os.path.abspath(__file__)
    supervisor = (Supervisor if options["session"] is None else SessionSupervisor)(
        requests, replies, options, guest_file
    )
    supervisor.connection = connection
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
