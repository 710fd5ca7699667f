"""The start of a guest in a container: an archive of its files, and the script that receives and runs the archive.

`DockerSandbox` gives the script to the image's Python, and sends the archive to its standard input.
"""

from __future__ import annotations

import functools
import importlib.util
import io
import marshal
import sys
import zipfile
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

from sandboxes import guest
from sandboxes.backends.local_process import EXTENSION_MODULE
from sandboxes.guest.common.frames import FIRST_FREE_FD

SOURCE_FOLDER = Path(guest.__file__).parent
GUEST_PATH = "/guest"
# What marks bytecode that Python does not compare with a source. It still checks that it is its own version's.
UNCHECKED_HASH = (1).to_bytes(4, "little")
# The suffix of an extension module for every Python of at least some version.
ABI_SUFFIX = ".abi3.so"
# The descriptor of the guest's file. It is above all descriptors that a fork server is given, and below FIRST_FREE_FD,
# from which on a fork server closes all that is open.
GUEST_FD = FIRST_FREE_FD - 1
# Programs are the same user as the guest, but nobody can change what is in a sealed file. The constants are written as
# the kernel's numbers: a Python that was built with a C library from before 2018, such as conda's, has no names for
# them, and no `os.memfd_create`.
BOOT_SCRIPT = f"""
import fcntl, os, struct, sys
def read(size):
    data = b""
    while len(data) < size:
        part = os.read(0, size - len(data))
        if not part:
            sys.exit(1)
        data += part
    return data
if sys.version_info < (3, 8):
    sys.exit("Python 3.8 or newer is needed, and the image has %s" % sys.version.split()[0])
MFD_CLOEXEC, MFD_ALLOW_SEALING, F_ADD_SEALS = 1, 2, 1033
F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE = 1, 2, 4, 8
try:
    memfd_create = os.memfd_create
except AttributeError:
    import ctypes
    memfd_create = ctypes.CDLL(None).memfd_create
guest = memfd_create(b"guest", MFD_CLOEXEC | MFD_ALLOW_SEALING)
data = read(struct.unpack(">I", read(4))[0])
while data:
    data = data[os.write(guest, data):]
fcntl.fcntl(guest, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)
os.dup2(guest, {GUEST_FD})
# As on the host: each child is spared the page faults of binding functions at their first call.
os.environ["LD_BIND_NOW"] = "1"
os.execv(sys.executable, [sys.executable, "-I", "-S", "-X", "utf8", "/proc/self/fd/{GUEST_FD}", "{GUEST_PATH}"])
"""


@functools.cache
def guest_archive() -> bytes:
    """Return the guest's files as an archive that Python can run. It is not compressed, as an image may lack zlib.

    Before it stands the extension module, if there is one. Python finds an archive from its end, and the dynamic loader
    a library from its beginning.
    """
    archive = io.BytesIO()
    archive.write(extension_file())
    with zipfile.ZipFile(archive, "w") as files:
        files.write(SOURCE_FOLDER / "__main__.py", "__main__.py")
        for path in sorted(SOURCE_FOLDER.rglob("*.py")):
            name = f"guest/{path.relative_to(SOURCE_FOLDER)}"
            files.write(path, name)
            # Without optimisation, as the guest runs.
            if not sys.flags.optimize:
                files.writestr(f"{name}c", bytecode(path, f"/proc/self/fd/{GUEST_FD}/{name}"))
    return archive.getvalue()


def bytecode(path: Path, shown: str) -> bytes:
    """Return the bytecode of a module, which saves a guest two fifths of its start. Another Python reads the source.

    Args:
        path: of the source.
        shown: the path that tracebacks show.
    """
    code = SourceFileLoader(path.stem, str(path)).get_code(path.stem)
    # A loader of sources has the code of each module.
    assert code is not None
    data = marshal.dumps(with_path(code, shown))
    return importlib.util.MAGIC_NUMBER + UNCHECKED_HASH + importlib.util.source_hash(path.read_bytes()) + data


def with_path(code: CodeType, shown: str) -> CodeType:
    """Return code, and all functions in it, with another path of its source."""
    constants = tuple(with_path(each, shown) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename=shown, co_consts=constants)


def extension_file() -> bytes:
    """Return the file of the guest's C extension; b"" if it was not built, or is for one version of Python alone."""
    spec = importlib.util.find_spec(EXTENSION_MODULE)
    if spec is None or spec.origin is None or not spec.origin.endswith(ABI_SUFFIX):
        return b""
    return Path(spec.origin).read_bytes()
