"""With `loopback=True` programs have localhost to themselves: it works, and nothing else can be reached by it."""

import os
import socket
import tempfile

import pytest

from sandboxes import Limits, Program, open_sandbox
from support.backend_options import PERMISSIVE
from support.observers import passes, refused_with
from support.pools import opened_pool
from support.requirements import WALL_SECONDS, unavailable

pytestmark = pytest.mark.slow

# A connection whose listening end closes it first, which then keeps the port for a minute elsewhere.
SPENT_PORT = """
import socket
listener = socket.socket()
listener.bind(("127.0.0.1", 8080))
listener.listen()
client = socket.create_connection(("127.0.0.1", 8080))
accepted, _ = listener.accept()
accepted.close()
assert client.recv(1) == b""
client.close()
listener.close()
"""
BINDS = """
import socket
kept = []
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    for family, host in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::1")):
        one = socket.socket(family, kind)
        one.bind((host, 8080))
        kept.append(one)
        if kind == socket.SOCK_STREAM:
            one.listen()
named = socket.socket(socket.AF_UNIX)
named.bind("\\0name")
named.listen()
"""
# Sockets that are on their way to each other, so that no process has them and each keeps the others open.
IN_FLIGHT = """
one, other = socket.socketpair()
keep = [end.fileno() for end in (one, other, named, *kept)]
socket.send_fds(one, [b"x"], keep)
socket.send_fds(other, [b"x"], keep)
"""
DETACHED = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)
"""


@pytest.fixture(scope="module")
def loopback_pool(sandbox_name):
    """Return a pool of a backend whose programs have a loopback network."""
    with opened_pool(sandbox_name, loopback=True, **PERMISSIVE[sandbox_name]) as pool:
        yield pool


@pytest.fixture(scope="module")
def run(loopback_pool):
    """Return a function that runs one program: (candidate, tests="", grading="shared") -> Verdict."""

    def run_one(candidate, tests="", grading="shared"):
        [verdict] = loopback_pool.run_all([Program(candidate, tests, Limits(wall_seconds=WALL_SECONDS), grading)], 1)
        return verdict

    return run_one


def test_layer_is_named(loopback_pool):
    """Verdicts name the loopback network among the layers."""
    assert "loopback" in loopback_pool.preflight().layers


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "sandbox"])
def test_web_server_in_a_thread(run, host):
    """A program can serve and fetch pages on localhost, under each of its names."""
    passes(run(f"""
import http.server, threading, urllib.request
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"served")
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("0.0.0.0", 80), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
fetched = urllib.request.urlopen("http://{host}:80/").read()
server.shutdown()
""", "assert fetched == b'served'"))  # fmt: skip


def test_newer_internet_protocol(run):
    """A program can listen on localhost by IPv6, where the machine has it."""
    if not socket.has_ipv6 or not os.path.exists("/proc/net/if_inet6"):
        unavailable("this machine has no IPv6")
    passes(run("import socket\none = socket.create_server(('::1', 0), family=socket.AF_INET6)\n"
               "two = socket.create_connection(one.getsockname()[:2])"))  # fmt: skip


def test_manager_of_multiprocessing(run):
    """`multiprocessing.Manager` works, whose server listens on a Unix socket."""
    candidate = "import multiprocessing\nwith multiprocessing.Manager() as manager:\n    shared = manager.dict(a=1)\n"
    passes(run(candidate + "    shared['b'] = 2\n    found = dict(shared)", "assert found == {'a': 1, 'b': 2}"))


def test_servers_of_asyncio(run):
    """An asyncio server and client on localhost work."""
    passes(run("""
import asyncio
async def echo(reader, writer):
    writer.write(await reader.readline())
    writer.close()
async def talk():
    server = await asyncio.start_server(echo, "localhost", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
    writer.write(b"hello\\n")
    answer = await reader.read()
    writer.close()
    server.close()
    return answer
answer = asyncio.run(talk())
""", "assert answer == b'hello\\n'"))  # fmt: skip


def test_datagrams(run):
    """A program can send itself datagrams of UDP and of Unix sockets."""
    passes(run("""
import os, socket, tempfile
one, two = socket.socket(type=socket.SOCK_DGRAM), socket.socket(type=socket.SOCK_DGRAM)
one.bind(("127.0.0.1", 0))
two.sendto(b"x", one.getsockname())
first = one.recv(1)
one = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
one.bind(os.path.join(tempfile.mkdtemp(), "socket"))
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"y", one.getsockname())
second = one.recv(1)
""", "assert first + second == b'xy'"))  # fmt: skip


def test_own_name_has_an_address(run):
    """The name that a program finds for its machine leads to itself."""
    passes(run("import socket\nfound = socket.gethostbyname(socket.gethostname())", "assert found.startswith('127.')"))


@pytest.fixture
def services():
    """Listen on this machine: by TCP on localhost, and by Unix sockets with an abstract name and with a path."""
    folder = tempfile.mkdtemp(prefix="sockets-of-tests-")
    os.chmod(folder, 0o755)
    path = os.path.join(folder, "socket")
    listeners = [socket.socket(family) for family in (socket.AF_INET, socket.AF_UNIX, socket.AF_UNIX)]
    for listener, address in zip(listeners, (("127.0.0.1", 0), f"\0code-eval-test-{os.getpid()}", path), strict=True):
        listener.bind(address)
        listener.listen()
        listener.setblocking(False)
    os.chmod(path, 0o777)
    yield listeners
    for listener in listeners:
        listener.close()
    os.unlink(path)
    os.rmdir(folder)


def test_services_of_this_machine_are_out_of_reach(run, services):
    """A program reaches neither localhost of this machine, nor Unix sockets by name or by path."""
    for listener in services:
        with socket.socket(listener.family) as client:
            client.connect(listener.getsockname())
            listener.accept()[0].close()
    (_, port), *names = [listener.getsockname() for listener in services]
    names = [name.decode() if isinstance(name, bytes) else name for name in names]
    passes(run(f"""{refused_with("OSError")}
import socket
addresses = [("127.0.0.1", {port}), ("localhost", {port}), ("0.0.0.0", {port}), ("10.0.2.2", {port})]
reached = [address for address in addresses if not refused(socket.create_connection, address, 2)]
for name in {names!r}:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        if not refused(socket.socket(socket.AF_UNIX, kind).connect, name):
            reached.append(name)
""", "assert not reached, reached"))  # fmt: skip
    for listener in services:
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_there_is_no_way_out(run):
    """A program has no device but `lo`, no route to any address outside, and no names of hosts outside."""
    passes(run(f"""{refused_with("OSError")}
import socket
outside = [("192.0.2.1", 80), ("10.0.0.1", 53), ("169.254.169.254", 80), ("172.17.0.1", 2375)]
reached = [address for address in outside if not refused(socket.create_connection, address, 2)]
datagrams = [address for address in outside
             if not refused(socket.socket(type=socket.SOCK_DGRAM).sendto, b"x", address)]
names = not refused(socket.getaddrinfo, "example.com", 80)
devices = [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line]
""", """
assert not reached and not datagrams and not names, (reached, datagrams, names)
assert set(devices) <= {"lo", "tunl0", "sit0", "ip6tnl0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0",
                        "ip6gre0"}, devices
"""))  # fmt: skip


def test_unknown_names_are_refused_at_once(run):
    """A name that no file has is looked up nowhere else, for which musl would wait 5 seconds."""
    passes(run(f"""{refused_with("OSError")}
import socket, time
start = time.monotonic()
assert refused(socket.getaddrinfo, "example.com", 80)
waited = time.monotonic() - start
""", "assert waited < 4, waited"))  # fmt: skip


def test_name_servers_get_no_time(run):
    """A file has musl, which knows no sources of names, wait for no server. It is a container's, or one of our own."""
    candidate = "found = open('/etc/resolv.conf').read().splitlines()"
    passes(run(candidate, "assert 'options timeout:0 attempts:1' in found"))


def test_network_can_not_be_changed(run):
    """A program can't take `lo` down, add an address, change a setting of the network, or leave it."""
    passes(run(f"""{refused_with("OSError")}
import ctypes, fcntl, socket, struct
one = socket.socket(type=socket.SOCK_DGRAM)
changed = []
if not refused(fcntl.ioctl, one, 0x8914, struct.pack("16sH22x", b"lo", 0)):
    changed.append("flags")
address = struct.pack("16sHH4s16x", b"lo:1", socket.AF_INET, 0, bytes([10, 1, 1, 1]))
if not refused(fcntl.ioctl, one, 0x8916, address):
    changed.append("address")
if not refused(lambda: open("/proc/sys/net/ipv4/tcp_max_tw_buckets", "w").write("9")):
    changed.append("setting")
if ctypes.CDLL(None).unshare(0x40000000) == 0:
    changed.append("namespace")
""", "assert not changed, changed"))  # fmt: skip


def test_only_usual_sockets(run):
    """A program gets sockets of TCP, UDP and Unix, and no others."""
    allowed = {(1, 1, 0), (1, 2, 0), *((family, kind, 0) for family in (2, 10) for kind in (1, 2))}
    passes(run(f"""{refused_with("OSError")}
import socket
opened = set()
for family in range(46):
    for kind in (1, 2, 3, 4, 5, 6, 10):
        for protocol in (0, 1, 33, 132, 136, 255, 262):
            if not refused(lambda: socket.socket(family, kind, protocol).close()):
                opened.add((family, kind, protocol))
""", f"assert opened <= {allowed}, opened"))  # fmt: skip


def test_no_protocol_on_top_of_a_connection(run):
    """A program can't have the kernel speak TLS on a connection."""
    passes(run("""
import socket
listener = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(listener.getsockname())
client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
try:
    client.setsockopt(socket.IPPROTO_TCP, 31, b"tls")
    raise AssertionError("allowed")
except PermissionError:
    pass
"""))  # fmt: skip


@pytest.mark.parametrize("left", ["", DETACHED, IN_FLIGHT], ids=["open", "in a detached process", "in flight"])
def test_no_port_outlives_its_program(run, left):
    """Ports and names of a program are free for the next one, however the program left its sockets."""
    for _ in range(3):
        passes(run(BINDS + left))
    passes(run(BINDS))


def test_ended_connections_keep_no_port(run):
    """A port whose connections have ended can be used by the next program at once."""
    for _ in range(3):
        passes(run(SPENT_PORT))


def test_guests_do_not_hear_each_other(loopback_pool):
    """Two programs at once each have a localhost of their own."""
    program = """
import socket, time
one = socket.socket()
one.bind(("127.0.0.1", 8081))
one.listen()
one.settimeout(0.1)
heard = 0
for _ in range(15):
    socket.create_connection(("127.0.0.1", 8081)).close()
    one.accept()[0].close()
    try:
        one.accept()
        heard += 1
    except TimeoutError:
        pass
"""
    programs = [Program(program + f"x = {n}", "assert not heard", Limits(wall_seconds=WALL_SECONDS)) for n in (1, 2)]
    for verdict in loopback_pool.run_all(programs, 2):
        passes(verdict)


def test_candidate_and_tests_apart(run):
    """Under `separate` a candidate and its tests can use localhost each for themselves."""
    candidate = """
import socket
def talk():
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as client:
            client.sendall(b"hi")
            return server.accept()[0].recv(2).decode()
"""
    passes(run(candidate, "assert talk() == 'hi'", "separate"))


def test_without_it_there_are_no_sockets(pool, needs):
    """Without the option a program has neither sockets nor the layer."""
    needs("seccomp")
    [verdict] = pool.run_all([Program("import socket\nsocket.socket()", "", Limits(wall_seconds=WALL_SECONDS))], 1)
    assert verdict.exception_type == "PermissionError"
    assert "loopback" not in verdict.isolation


def test_network_and_loopback_exclude_each_other(sandbox_name):
    """A network together with a loopback network of the programs' own is refused, with the way out."""
    with pytest.raises(ValueError, match="exclude each other.*Choose one"):
        open_sandbox(sandbox_name, network=True, loopback=True)
