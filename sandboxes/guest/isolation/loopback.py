"""A loopback network of the programs' own: in their network namespace, `lo` is up and nothing else is there."""

from __future__ import annotations

import _socket
import struct

# struct ifreq: a name of 16 bytes and a union of 24, which begins with the flags here.
REQUEST = struct.Struct("16sH22x")
SIOCGIFFLAGS, SIOCSIFFLAGS = 0x8913, 0x8914
IFF_UP, IFF_RUNNING = 0x1, 0x40
LOOPBACK = b"lo"
# Settings of the namespace, {path below /proc/sys/net/ipv4: text}.
SETTINGS = {
    # Connections that have ended keep no port from the next program.
    "tcp_max_tw_buckets": "0",
    # Programs have no root's powers, and may listen on port 80 as in a container.
    "ip_unprivileged_port_start": "0",
    # Bytes in a connection's buffers, which no limit of a program counts: less than in a socket pair's.
    "tcp_rmem": "4096 65536 131072",
    "tcp_wmem": "4096 16384 65536",
}
HOSTS = "127.0.0.1\tlocalhost {name}\n::1\tlocalhost ip6-localhost ip6-loopback\n"
# Without these files the C library would ask a name server that nobody can reach. Musl reads the second file alone, and
# would wait 5 seconds for an answer.
NAME_SOURCES = "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n"
NAME_SERVERS = "options timeout:0 attempts:1\n"
PORT_NAMES = ("/etc/services", "/etc/protocols")


class SettingRefused(OSError):
    """A setting of the network namespace can't be changed."""


def name_files(host_name: str) -> dict[str, str]:
    """Return the files {path: text} by which programs look up names of hosts."""
    return {
        "/etc/hosts": HOSTS.format(name=host_name),
        "/etc/nsswitch.conf": NAME_SOURCES,
        "/etc/resolv.conf": NAME_SERVERS,
    }


def bring_up() -> None:
    """Bring up `lo` in this process's network namespace, which it has the right to change.

    Raises:
        OSError: if the kernel refuses it.
    """
    request(SIOCSIFFLAGS, IFF_UP | IFF_RUNNING)


def is_up() -> bool:
    """Return whether `lo` is up in this process's network namespace.

    Raises:
        OSError: if there is no `lo`.
    """
    return bool(request(SIOCGIFFLAGS, 0) & IFF_UP)


def request(number: int, flags: int) -> int:
    """Make a request about `lo`, by its number among the calls of ioctl, and return the flags in the answer."""
    # Only fork servers with a loopback need this module.
    import fcntl

    endpoint = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    try:
        answer: int = REQUEST.unpack(fcntl.ioctl(endpoint.fileno(), number, REQUEST.pack(LOOPBACK, flags)))[1]
        return answer
    finally:
        endpoint.close()


def change_settings(proc: str) -> None:
    """Write SETTINGS for this process's network namespace.

    Args:
        proc: where a file system of processes is mounted, and its settings can still be written.

    Raises:
        SettingRefused: if a setting is not the namespace's own, as on kernels before 4.15.
    """
    for name, text in SETTINGS.items():
        try:
            with open(f"{proc}/sys/net/ipv4/{name}", "w") as file:
                file.write(text)
        except OSError as error:
            raise SettingRefused(error.errno, f"net.ipv4.{name} can't be set: {error.strerror}") from error
