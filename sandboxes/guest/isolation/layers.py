"""Applies a sandbox's layers to a fork server: namespaces, its own root, another user, a filter of system calls."""

from __future__ import annotations

import _socket
import json
import os
import struct

from ..common.files import remove_folder
from ..common.frames import CHANNEL_FD, FIRST_FREE_FD, HEAD, MAPPED, REPORT_FD, SETUP_FD
from ..common.processes import end_descendants
from ..common.user_ids import NAMESPACE_UID
from .landlock import confines_signals, make_ruleset, make_ruleset_of_signals
from .loopback import SettingRefused, bring_up, is_up
from .privileges import Privileges, die_with_parent
from .root_filesystem import enter_own_root, scratch_bytes
from .seccomp import install
from .syscalls import (
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
    LINUX,
    PR_SET_NO_NEW_PRIVS,
    prctl,
    unshare,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

# The user namespace comes first: it gives the right to create the others to a user who lacks it.
NAMESPACES = {
    "user": CLONE_NEWUSER,
    "pid": CLONE_NEWPID,
    "mount": CLONE_NEWNS,
    "net": CLONE_NEWNET,
    "ipc": CLONE_NEWIPC,
    "uts": CLONE_NEWUTS,
}
# The host name that programs see. A new namespace begins with the machine's name.
HOST_NAME = "sandbox"


class LayerFailed(Exception):
    """A layer failed too late to go on without it. The supervisor starts again and leaves the layer out."""

    def __init__(self, layer: str, reason: str) -> None:
        """Take the layer's name, and a reason for people."""
        super().__init__(layer, reason)
        self.layer, self.reason = layer, reason


class StartupChannel:
    """The fork server's end of the channel to the supervisor, while the fork server starts."""

    def __init__(self) -> None:
        """Take over the descriptors that the supervisor passed on."""
        for fd in (REPORT_FD, SETUP_FD, CHANNEL_FD):
            os.set_inheritable(fd, False)
        self.channel = _socket.socket(fileno=CHANNEL_FD)

    def send(self, fds: Sequence[int] = (), **message: Any) -> None:
        """Send the supervisor a message, and descriptors along with it."""
        body = json.dumps(message).encode()
        ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("%di" % len(fds), *fds))] if fds else []
        self.channel.sendmsg([HEAD.pack(len(body)) + body], ancillary)

    def request_user_mapping(self) -> None:
        """Have the supervisor, which is outside of the new user namespace, map its users.

        Raises:
            LayerFailed: if that is not possible here.
        """
        self.send(map_users_of=os.getpid())
        answer = self.channel.recv(len(MAPPED))
        if answer != MAPPED:
            raise LayerFailed("user", "the users of a new user namespace can't be mapped here")


def apply_layers(
    options: dict[str, Any], startup: StartupChannel
) -> tuple[Privileges, list[str], dict[str, str], list[int]]:
    """Take this process into its sandbox, as far as that is possible here. The process that returns may be a child.

    Args:
        options: the guest's options, as `ForkServerProcess` sends them.
        startup: channel to the supervisor.

    Returns:
        (privileges, layers, missing, folders). `missing` is {layer: reason}. `folders` are descriptors of the folders
        that programs may write to, none where the supervisor provides a folder.

    Raises:
        LayerFailed: if a layer failed too late to go on without it.
    """
    missing = dict(options["without"])
    unshared: set[str] = set()
    in_container = bool(options["folders"])
    has_loopback = False
    if options["isolated"]:
        unshared = unshare_namespaces(missing, options["network"], startup)
        has_loopback = options["loopback"] and prepare_loopback(unshared, missing, in_container)
    parent = os.getppid()
    if "pid" in unshared:
        pid = os.fork()
        if pid:
            wait_as_parent(pid, parent, startup)
        # Process 1 sees 0 as its parent.
        parent = 0
    in_user_namespace = "user" in unshared
    user = NAMESPACE_UID if in_user_namespace else options["user"]
    os.setsid()
    folders = enter_folders(options, unshared, user, has_loopback)
    is_pid_1 = "pid" in unshared
    has_own_root = "mount" in unshared
    needed_folders, is_held = options["needed_folders"], options["held"]
    privileges = Privileges(user, in_user_namespace, is_pid_1, has_own_root, needed_folders, in_container, is_held)
    layers = [name for name in NAMESPACES if name in unshared and name != "user"] + privileges.layers
    missing.update(privileges.missing)
    privileges.end_with(parent, lambda: clean_up_orphaned(options["scratch"]))
    if options["isolated"]:
        # Programs outside of a PID namespace could see these processes. In a container's the caller has the number 0.
        guest = [os.getpid(), os.getppid(), options["caller"], *options["others"]]
        visible = [] if is_pid_1 else [pid for pid in guest if pid]
        install_filter(layers, missing, options["network"], visible, has_loopback)
        if not has_own_root and not in_container:
            privileges.ruleset = prepare_landlock(options, layers, missing)
            privileges.confines_signals = privileges.ruleset is not None and confines_signals()
        elif not is_pid_1 and options["session"] is None:
            # Processes of a session may signal each other.
            privileges.ruleset = make_ruleset_of_signals()
            privileges.confines_signals = privileges.ruleset is not None
    else:
        unasked = [name for name in (*NAMESPACES, "no_new_privs", "seccomp") if name != "user"]
        missing.update(dict.fromkeys(unasked, 'isolation="off"'))
    for layer in layers:
        # Another mechanism provided this layer.
        missing.pop(layer, None)
    return privileges, layers, missing, folders


def enter_folders(options: dict[str, Any], unshared: set[str], user: int, has_loopback: bool) -> list[int]:
    """Enter a root of programs' own, or a container's folder.

    Args:
        options: as for `apply_layers`.
        unshared: the namespaces that this process has left.
        user: user and group id of programs.
        has_loopback: whether programs have localhost to themselves.

    Returns:
        Descriptors of the folders that programs may write to, none where the supervisor provides a folder.

    Raises:
        LayerFailed: if there can be no such root here.
    """
    if "mount" in unshared:
        network, shell, session = options["network"], options["shell"], options["session"]
        paths, own_loopback = options["shown_paths"], has_loopback and "net" in unshared
        try:
            return enter_own_root(
                options["scratch"],
                paths,
                user,
                HOST_NAME,
                network,
                own_loopback,
                shell,
                session is not None,
                scratch_bytes(options),
            )
        except OSError as error:
            layer = "loopback" if isinstance(error, SettingRefused) else "mount"
            raise LayerFailed(layer, error_text(error)) from error
    if not options["folders"]:
        return []
    os.chdir(options["folders"][0])
    return [os.open(path, os.O_RDONLY | os.O_DIRECTORY) for path in options["folders"]]


def unshare_namespaces(missing: dict[str, str], network: bool, startup: StartupChannel) -> set[str]:
    """Leave the caller's namespaces.

    Args:
        missing: {layer: reason}. Layers in it are left out, and those that fail are added to it.
        network: whether to stay in the network namespace.
        startup: channel to the supervisor.

    Returns:
        The names of the namespaces that were left.
    """
    if not LINUX:
        missing.update(dict.fromkeys(NAMESPACES, "needs Linux"))
        return set()
    unshared: set[str] = set()
    for name, flag in NAMESPACES.items():
        if name in missing or (network and name == "net"):
            continue
        if name == "mount" and "pid" not in unshared:
            missing[name] = "needs a PID namespace"
            continue
        try:
            unshare(flag)
            if name == "uts":
                _socket.sethostname(HOST_NAME)
        except OSError as error:
            missing[name] = error_text(error)
            continue
        unshared.add(name)
        if name == "user":
            startup.request_user_mapping()
    return unshared


def prepare_loopback(unshared: set[str], missing: dict[str, str], in_container: bool) -> bool:
    """Bring up the loopback device of the programs' own network namespace.

    Args:
        unshared: the namespaces that were left.
        missing: {layer: reason}, to which the reason is added if there can be no loopback.
        in_container: whether the network and the files are those of a container without a network.

    Returns:
        Whether programs may have sockets. In a network or among files that are not their own, they may not.
    """
    if "loopback" in missing:
        return False
    try:
        if "net" in unshared and ("mount" in unshared or in_container):
            bring_up()
            return True
        if in_container and is_up():
            return True
        lacking = "net" if "net" not in unshared else "mount"
        reason = "needs the layers net and mount" + (f": {missing[lacking]}" if lacking in missing else "")
    except OSError as error:
        reason = f"lo can't be used: {error_text(error)}"
    missing["loopback"] = reason
    return False


def install_filter(
    layers: list[str], missing: dict[str, str], network: bool, protected_pids: Sequence[int], loopback: bool
) -> None:
    """Install the filter of system calls, and add its layers to `layers` or `missing`.

    Args:
        layers: names of layers that are on.
        missing: {layer: reason}.
        network: whether programs may use the internet's protocols.
        protected_pids: processes that programs can see but may not signal.
        loopback: whether programs have a loopback network of their own.
    """
    if loopback:
        layers.append("loopback")
    try:
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        layers.append("no_new_privs")
    except OSError as error:
        missing["no_new_privs"] = error_text(error)
    try:
        install(network, protected_pids, loopback)
        layers.append("seccomp")
    except OSError as error:
        missing["seccomp"] = error_text(error)


def prepare_landlock(options: dict[str, Any], layers: list[str], missing: dict[str, str]) -> int | None:
    """Return the descriptor of the ruleset for programs, and add the layer to `layers`, or else to `missing`."""
    try:
        ruleset = make_ruleset(options)
    except OSError as error:
        missing["landlock"] = error_text(error)
        return None
    layers.append("landlock")
    return ruleset


def error_text(error: OSError) -> str:
    """Return an error's message without its number."""
    return str(error.args[1]) if len(error.args) > 1 else str(error)


def wait_as_parent(pid: int, parent: int, startup: StartupChannel) -> NoReturn:
    """Stay outside of a PID namespace as the parent of its process 1, which needs a parent there.

    Args:
        pid: process 1, as seen from outside.
        parent: this process's own parent, the supervisor.
        startup: channel to the supervisor.
    """
    startup.send(fork_server=pid)
    os.closerange(0, FIRST_FREE_FD)
    die_with_parent(parent)
    os.waitpid(pid, 0)
    os._exit(1)


def clean_up_orphaned(scratch: str) -> NoReturn:
    """End all programs and remove the guest's folder, because the supervisor was killed and no longer can."""
    try:
        end_descendants(True, os.getpid())
        while os.path.lexists(folder := os.path.dirname(scratch)):
            # A removal ends early where another fork server's, at the same time, was quicker.
            remove_folder(folder)
    finally:
        os._exit(1)
