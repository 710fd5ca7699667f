"""The networks of containers: Docker's by its name, or localhost alone."""

from __future__ import annotations

import os
from typing import Any

from sandboxes.validation import short_repr

NO_NETWORK = "none"
"""Docker's name of the network that has nothing but localhost."""

LOOPBACK_SETTINGS = (
    # Connections that have ended keep no port from the next program.
    "net.ipv4.tcp_max_tw_buckets=0",
    # Programs may listen on port 80.
    "net.ipv4.ip_unprivileged_port_start=0",
)
# Musl asks the machine's name servers, which can't be reached, and would wait 5 seconds for an answer.
NO_NAME_SERVERS = ("--dns-option", "timeout:0", "--dns-option", "attempts:1")
IPV6_SETTING = "net.ipv6.conf.lo.disable_ipv6=0"
IPV6_FOLDER = "/proc/sys/net/ipv6"


def checked_network(network: Any) -> str:
    """Return Docker's name of a network, from such a name or from a bool."""
    if isinstance(network, bool):
        return "bridge" if network else NO_NETWORK
    if not isinstance(network, str) or not network or network[0] == "-":
        raise TypeError(f"network must be True, False or a name such as 'none' or 'bridge', not {short_repr(network)}")
    return network


def loopback_arguments(host_name: str, podman: bool) -> list[str]:
    """Return the arguments of `docker run` for programs that use localhost.

    Args:
        host_name: the container's name, which leads to localhost too.
        podman: whether Podman answers in place of Docker. It allows no options of name servers without a network.
    """
    # A kernel without IPv6 has no such setting, and the engine would refuse it. An engine usually has this kernel.
    settings = (*LOOPBACK_SETTINGS, *((IPV6_SETTING,) if os.path.isdir(IPV6_FOLDER) else ()))
    arguments = ["--add-host", f"{host_name}:127.0.0.1", *(() if podman else NO_NAME_SERVERS)]
    return [*arguments, *(word for setting in settings for word in ("--sysctl", setting))]
