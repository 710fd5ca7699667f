"""A cache survives damage, full disks, killed writers and several processes at once."""

import random
import sqlite3
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from sandboxes.reuse.cache_store import DAMAGED, DATABASE, FOLDER, clear
from support.cached_verdicts import KEY, MANY, VERDICT, filled_cache, verdicts_in
from support.requirements import unavailable

pytestmark = pytest.mark.slow


def damaged_copies(data, seed):
    """Return the bytes of a file with a few of them changed, some overwritten, or its end cut off."""
    draw = random.Random(seed)
    changed = bytearray(data)
    kind = seed % 3
    if kind == 0:
        for _ in range(draw.choice([1, 5, 200])):
            changed[draw.randrange(len(changed))] ^= draw.randrange(1, 256)
    elif kind == 1:
        begin, size = draw.randrange(len(changed)), draw.choice([100, 4096, 20000])
        changed[begin : begin + size] = draw.randbytes(len(changed[begin : begin + size]))
    else:
        del changed[draw.randrange(len(changed)) :]
    return bytes(changed)


def test_damaged(tmp_path):
    """A damaged file causes no crash and no wrong verdict, whatever bytes change. The cache works again."""
    some = dict(list(MANY.items())[:300])
    path = filled_cache(tmp_path, some) / FOLDER / DATABASE
    whole = path.read_bytes()
    set_aside = 0
    for seed in range(45):
        path.write_bytes(damaged_copies(whole, seed))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = verdicts_in(tmp_path)
            filled_cache(tmp_path, dict(list(MANY.items())[:600]))
        assert found.items() <= MANY.items(), seed
        assert all("damaged" in str(warning.message) for warning in caught), seed
        set_aside += bool(caught)
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            verdicts_in(tmp_path)
        filled_cache(tmp_path, some)
        assert verdicts_in(tmp_path, some) == some
    assert set_aside > 15


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\0" + bytes(84), b"\0" * 5000])
def test_no_database(tmp_path, content):
    """A file that is not a database is renamed, the warning names it, and a new database is made."""
    path = filled_cache(tmp_path) / FOLDER / DATABASE
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=rf"was damaged .* a new one is used, the old one is {tmp_path / DAMAGED}"):
        filled_cache(tmp_path)
    assert verdicts_in(tmp_path) == MANY
    assert (tmp_path / DAMAGED / DATABASE).read_bytes() == content


def test_forged_checksum_of_another_row(tmp_path):
    """A row under another row's key is corrupt, and gives no verdict."""
    path = filled_cache(tmp_path, {KEY: VERDICT}) / FOLDER / DATABASE
    database = sqlite3.connect(path)
    database.execute("UPDATE verdicts SET key = ?", (b"l" * 32,))
    database.commit()
    database.close()
    with pytest.warns(UserWarning, match="a checksum is wrong"):
        assert verdicts_in(tmp_path, [b"l" * 32]) == {}


# Without CPython's own handler, a file that may not grow ends the process.
SMALL_FILES = """
import resource, sys, warnings
from pathlib import Path
from sandboxes.reuse.cache_store import Cache
sys.path.insert(0, sys.argv[1])
from support.cached_verdicts import MANY
with Cache(Path(sys.argv[2]), 64 << 20) as cache:
    keys = list(MANY)
    cache.put([(keys[0], MANY[keys[0]])])
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cache.put(MANY.items())
        cache.put(MANY.items())
    print([str(warning.message) for warning in caught])
    print(len(cache.get(keys)))
"""


def test_no_more_room(tmp_path):
    """A full disk causes one warning, and the run goes on without the cache."""
    command = [sys.executable, "-c", SMALL_FILES, Path(__file__).parents[1], tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    messages, count = done.stdout.splitlines()
    assert messages.count("can't be used") == 1
    assert count == "0"
    assert len(verdicts_in(tmp_path)) == 1


READ_ONLY = """
mount -t tmpfs -o size=1m,mode=700 none "$1" && mount -o remount,ro "$1" || exit 77
exec "$2" -W always -c 'import sys
from pathlib import Path
from sandboxes.reuse.cache_store import Cache
with Cache(Path(sys.argv[1]), 1 << 20) as cache:
    cache.put([])
    print(cache.get([b"k" * 32]))' "$1"
"""


def test_read_only(tmp_path):
    """A folder that can't be written to causes a warning."""
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", READ_ONLY, "sh", tmp_path, sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode in (1, 77) and "Traceback" not in done.stderr:
        unavailable(f"nothing can be mounted here: {done.stderr}")
    assert (done.stdout.strip(), done.returncode) == ("{}", 0)
    assert done.stderr.count("can't be used: Read-only file system; the run goes on without it") == 1


WRITER = """
import sys
from pathlib import Path
from sandboxes.reuse.cache_store import Cache
sys.path.insert(0, sys.argv[1])
from support.cached_verdicts import MANY
items = list(MANY.items())
print("began", flush=True)
number = 0
with Cache(Path(sys.argv[2]), 64 << 20) as cache:
    while number < int(sys.argv[3]):
        begin = 50 * (number % 40)
        cache.put(items[begin : begin + 50])
        cache.get([key for key, _ in items[begin : begin + 100]])
        number += 1
"""


def writer(folder, times):
    """Start a process that writes to a cache, and return it once it has begun."""
    command = [sys.executable, "-W", "error", "-c", WRITER, Path(__file__).parents[1], folder, str(times)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "began\n"
    return process


def test_several_processes(tmp_path):
    """Several processes that use a cache at once lose no verdict and meet no error."""
    processes = [writer(tmp_path, 40) for _ in range(3)]
    outputs = [process.communicate(timeout=300) for process in processes]
    assert outputs == [("", "")] * 3
    assert verdicts_in(tmp_path) == MANY


def test_killed_while_writing(tmp_path):
    """A writer that is killed at any moment leaves a cache that works and has no wrong verdict."""
    for milliseconds in (0, 5, 20, 60, 150):
        with writer(tmp_path, 1 << 30) as process:
            try:
                process.wait(milliseconds / 1000)
            except subprocess.TimeoutExpired:
                process.kill()
        assert verdicts_in(tmp_path).items() <= MANY.items()
    filled_cache(tmp_path)
    assert verdicts_in(tmp_path) == MANY
    assert not (tmp_path / DAMAGED).exists()


def test_cleared(tmp_path):
    """Clearing removes the verdicts and the database that was set aside, and leaves other files."""
    (tmp_path / "mine").touch()
    (filled_cache(tmp_path) / FOLDER / DATABASE).write_bytes(b"no database" * 100)
    with pytest.warns(UserWarning, match="damaged"):
        filled_cache(tmp_path)
    assert clear(tmp_path) > 1000
    assert verdicts_in(tmp_path) == {}
    assert not (tmp_path / DAMAGED).exists()
    assert (tmp_path / "mine").exists()
