"""How a fork server goes into its sandbox: namespaces, a root of its own, another user, a filter of system calls."""

import _socket
import json
import os
import struct

from .endings import end_descendants, remove_folder
from .frames import CHANNEL_FD, FIRST_FREE_FD, HEAD, MAPPED, REPORT_FD, SETUP_FD
from .kernel import (
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
from .privileges import NAMESPACE_UID, Privileges, die_with_parent
from .root import enter_own_root
from .seccomp import install

# The first gives the right to the others, to who does not have it.
NAMESPACES = {
    "user": CLONE_NEWUSER,
    "pid": CLONE_NEWPID,
    "mount": CLONE_NEWNS,
    "net": CLONE_NEWNET,
    "ipc": CLONE_NEWIPC,
    "uts": CLONE_NEWUTS,
}
# What programs are told, since a new namespace begins with the machine's name.
HOST_NAME = "sandbox"


class LayerFailed(Exception):
    """A layer that can't be had here, found out too late to go on without it: the supervisor begins again."""

    def __init__(self, layer, reason):
        super().__init__(layer, reason)
        self.layer, self.reason = layer, reason


class Link:
    """The fork server's end of the channel, while it starts."""

    def __init__(self):
        for fd in (REPORT_FD, SETUP_FD, CHANNEL_FD):
            os.set_inheritable(fd, False)
        self.channel = _socket.socket(fileno=CHANNEL_FD)

    def say(self, fds=(), **message):
        body = json.dumps(message).encode()
        carried = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("%di" % len(fds), *fds))] if fds else []
        self.channel.sendmsg([HEAD.pack(len(body)) + body], carried)

    def ask_for_maps(self):
        """Has the supervisor, which is outside of the new user namespace, say who is who in it."""
        self.say(map_users_of=os.getpid())
        answer = self.channel.recv(len(MAPPED))
        if answer != MAPPED:
            raise LayerFailed("user", "the users of a new user namespace can't be mapped here")


def enter(options, link):
    """Takes this process into its sandbox, as far as that is possible here. What returns may be a child of it.

    Args:
        options: as `Box` gives them.
        link: to the supervisor.

    Returns:
        (privileges, layers, missing, folders): folders are descriptors of those that programs may write to, none where
        the supervisor provides for that.
    """
    missing = dict(options["without"])
    on = set()
    if options["isolated"]:
        on = leave_namespaces(missing, options["network"], link)
    parent = os.getppid()
    if "pid" in on:
        pid = os.fork()
        if pid:
            hold(pid, parent, link)
        # As process 1 sees it.
        parent = 0
    in_user_namespace = "user" in on
    user = NAMESPACE_UID if in_user_namespace else options["user"]
    os.setsid()
    folders = []
    if "mount" in on:
        try:
            folders = enter_own_root(options["scratch"], options["shown_paths"], options["network"], user)
        except OSError as error:
            raise LayerFailed("mount", error_text(error)) from error
    elif options["folders"]:
        folders = [os.open(path, os.O_RDONLY | os.O_DIRECTORY) for path in options["folders"]]
        os.chdir(options["folders"][0])
    privileges = Privileges(user, in_user_namespace, "pid" in on, options["needed_folders"], bool(options["folders"]))
    layers = [name for name in NAMESPACES if name in on and name != "user"] + privileges.layers
    missing.update(privileges.missing)
    privileges.end_with(parent, lambda: give_up(options["scratch"]))
    if options["isolated"]:
        # Outside of a PID namespace programs could see these. In a container's the caller has no number, so 0.
        guest = [os.getpid(), os.getppid(), options["caller"], *options["others"]]
        visible = [] if "pid" in on else [pid for pid in guest if pid]
        filter_calls(layers, missing, options["network"], visible)
    else:
        unasked = [name for name in (*NAMESPACES, "no_new_privs", "seccomp") if name != "user"]
        missing.update(dict.fromkeys(unasked, 'isolation="off"'))
    for layer in layers:
        # One that was had in another way.
        missing.pop(layer, None)
    return privileges, layers, missing, folders


def leave_namespaces(missing, network, link):
    """Leaves the caller's namespaces; the names of those that were left. Puts into `missing` why others were not."""
    if not LINUX:
        missing.update(dict.fromkeys(NAMESPACES, "needs Linux"))
        return set()
    on = set()
    for name, flag in NAMESPACES.items():
        if name in missing or (network and name == "net"):
            continue
        if name == "mount" and "pid" not in on:
            missing[name] = "needs a PID namespace"
            continue
        try:
            unshare(flag)
            if name == "uts":
                _socket.sethostname(HOST_NAME)
        except OSError as error:
            missing[name] = error_text(error)
            continue
        on.add(name)
        if name == "user":
            link.ask_for_maps()
    return on


def filter_calls(layers, missing, network, protected_pids):
    try:
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        layers.append("no_new_privs")
    except OSError as error:
        missing["no_new_privs"] = error_text(error)
    try:
        install(network, protected_pids)
        layers.append("seccomp")
    except OSError as error:
        missing["seccomp"] = error_text(error)


def error_text(error):
    return error.args[1] if len(error.args) > 1 else str(error)


def hold(pid, parent, link):
    """Stays the parent of process 1 of a PID namespace, which no process in it can be. Does not return.

    Args:
        pid: of that process.
        parent: of this one, the supervisor.
        link: to it.
    """
    link.say(fork_server=pid)
    os.closerange(0, FIRST_FREE_FD)
    die_with_parent(parent)
    os.waitpid(pid, 0)
    os._exit(1)


def give_up(scratch):
    """When the supervisor was killed: does what it can't do any more."""
    try:
        end_descendants(True, os.getpid())
        while os.path.lexists(folder := os.path.dirname(scratch)):
            # Ends early where another fork server, which does the same, was quicker.
            remove_folder(folder)
    finally:
        os._exit(1)
