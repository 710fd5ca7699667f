"""Verdicts that are kept between calls, in a SQLite database that several processes may use at once.

A row is believed only if its checksum over key and verdict is right. A corrupt database is set aside. A cache that
can't be used, because the disk is full for example, causes a warning and never ends a run.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import sqlite3
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from sandboxes._version import SCHEMA
from sandboxes.contract import Verdict
from sandboxes.reuse.cache_encoding import CorruptRow, decode_verdict, encode_verdict
from sandboxes.validation import system_reason

FOLDER, DAMAGED, DATABASE = f"verdicts-{SCHEMA}", f"verdicts-{SCHEMA}.damaged", "verdicts.sqlite"
DEFAULT_CACHE_MB = 1024
# The time that a process waits for another one's transaction.
LOCK_TIMEOUT_SECONDS = 30.0
# The age at which a row's time of use is written again. Writing it at every use would cost more than reading the row.
USED_AT_INTERVAL_SECONDS = 3600
ROWS_PER_QUERY = 500
ROWS_PER_EVICTION = 20
# Evict down to 90 % of the size limit, so that the next insert does not trigger another eviction.
EVICTION_TARGET = 0.9
# Largest verdict that is stored, as a share of the size limit.
MAX_VERDICT_SHARE = 0.05
WRITABLE_BY_OTHERS = 0o022
# Errors that the system or another process causes. They do not mean that the database is corrupt.
UNUSABLE = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_NOLFS,
    sqlite3.SQLITE_PROTOCOL,
)
TABLE = """
CREATE TABLE IF NOT EXISTS verdicts (key BLOB PRIMARY KEY, verdict BLOB NOT NULL, used_at INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS verdicts_by_use ON verdicts (used_at);
"""


@dataclass(frozen=True)
class CacheInfo:
    """The contents of a cache."""

    verdicts: int
    used_bytes: int
    """Size of the database's pages in use."""

    path: Path


def checked_folder(given: Any) -> Path:
    """Return the folder of a cache. The folder need not exist: it is made when the cache is first used.

    Raises:
        TypeError: if it is not a path.
        ValueError: if it is not a folder, or if another user could write verdicts there.
    """
    if not isinstance(given, str | os.PathLike) or not os.fspath(given):
        raise TypeError(f"cache_dir must be the path of a folder, not {given!r}")
    folder = Path(os.path.abspath(os.path.expanduser(os.fsdecode(given))))
    try:
        status = folder.stat()
    except OSError:
        return folder
    if not folder.is_dir():
        raise ValueError(f"cache_dir {str(folder)!r} is a file; give the path of a folder, which need not exist")
    if status.st_uid != os.geteuid():
        raise ValueError(
            f"cache_dir {str(folder)!r} belongs to another user, who could forge verdicts; use a folder of your own"
        )
    if status.st_mode & WRITABLE_BY_OTHERS:
        raise ValueError(
            f"others can write to cache_dir {str(folder)!r}, and so forge verdicts; `chmod go-w` it, or use another one"
        )
    return folder


class Cache:
    """The verdicts in a folder. A context manager for one thread; several processes may open the same folder at once.

    No method raises an error of the folder or the database. Methods warn, and the run goes on without the cache.
    """

    def __init__(self, folder: Path, max_bytes: int):
        """Set up a cache; nothing is opened yet.

        Args:
            folder: from `checked_folder`.
            max_bytes: size limit. Beyond it the verdicts that were used longest ago are evicted.
        """
        self.folder, self.max_bytes = folder, max_bytes
        self._database: sqlite3.Connection | None = None

    def __enter__(self) -> Cache:
        """Open the database."""
        with self._tolerating_errors():
            self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the database."""
        self._close()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Verdict]:
        """Return the verdicts that are stored under these keys."""
        verdicts: dict[bytes, Verdict] = {}
        with self._tolerating_errors():
            for begin in range(0, len(keys) if self._database else 0, ROWS_PER_QUERY):
                verdicts |= self._get_chunk(keys[begin : begin + ROWS_PER_QUERY])
            return verdicts
        # Rows that were read before the error come from the same corrupt database, so they are not believed either.
        return {}

    def put(self, verdicts: Iterable[tuple[bytes, Verdict]]) -> None:
        """Store verdicts under their keys, in one transaction."""
        now = int(time.time())
        rows = [(key, encode_verdict(key, verdict), now) for key, verdict in verdicts]
        largest = self.max_bytes * MAX_VERDICT_SHARE
        rows = [row for row in rows if len(row[1]) <= largest]
        with self._tolerating_errors():
            if self._database and rows:
                with self._transaction() as database:
                    database.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", rows)
                self._evict()

    def delete(self, keys: Iterable[bytes]) -> None:
        """Delete the verdicts under these keys."""
        rows = [(key,) for key in keys]
        with self._tolerating_errors():
            if self._database and rows:
                with self._transaction() as database:
                    database.executemany("DELETE FROM verdicts WHERE key = ?", rows)

    def info(self) -> CacheInfo | None:
        """Return the contents of the cache, or None if it can't be read."""
        with self._tolerating_errors():
            if self._database:
                [[verdicts]] = self._database.execute("SELECT count(*) FROM verdicts")
                return CacheInfo(verdicts, self._used_bytes(), self.folder / FOLDER)
        return None

    @contextlib.contextmanager
    def _tolerating_errors(self) -> Iterator[None]:
        """Turn an error of the block into a warning. Set a corrupt database aside, and open a new one."""
        try:
            yield
        # UnicodeError: even the text of an error may be invalid if the database is corrupt.
        except (CorruptRow, UnicodeError, sqlite3.Error, OSError) as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if isinstance(error, OSError) or code in UNUSABLE:
                self._give_up(error)
                return
            try:
                self._set_aside(error)
                self._open()
            except (UnicodeError, sqlite3.Error, OSError) as second:
                self._give_up(second)

    def _give_up(self, error: Exception) -> None:
        reason = system_reason(error) if isinstance(error, OSError) else error
        warnings.warn(
            f"the cache of results in {self.folder} can't be used: {reason}; the run goes on without it", stacklevel=6
        )
        self._close()

    def _close(self) -> None:
        database, self._database = self._database, None
        if database:
            with contextlib.suppress(sqlite3.Error, UnicodeError):
                database.close()

    def _open(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        checked_folder(self.folder)
        with self._locked():
            folder = self.folder / FOLDER
            folder.mkdir(mode=0o700, exist_ok=True)
            # SQLite's other files get the mode of this one.
            os.close(os.open(folder / DATABASE, os.O_CREAT | os.O_RDWR, 0o600))
            self._inode = folder.stat().st_ino
            database = sqlite3.connect(folder / DATABASE, timeout=LOCK_TIMEOUT_SECONDS, isolation_level=None)
            self._database = database
            # Freed space goes back to the system. This has no effect once there is a table.
            database.execute("PRAGMA auto_vacuum = INCREMENTAL")
            database.execute("PRAGMA journal_mode = WAL").fetchall()
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute("PRAGMA cell_size_check = ON")
            database.execute("PRAGMA trusted_schema = OFF")
            database.executescript(TABLE)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes from making the database, or setting it aside, during the block."""
        lock = os.open(self.folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Run the block in a transaction: all of its changes take effect, or none."""
        database = self._database
        assert database  # noqa: S101 (for the type checker)
        # IMMEDIATE: a transaction that begins by reading can't wait for another one's end.
        database.execute("BEGIN IMMEDIATE")
        try:
            yield database
            database.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error, UnicodeError):
                database.execute("ROLLBACK")
            raise

    def _get_chunk(self, keys: Sequence[bytes]) -> dict[bytes, Verdict]:
        assert self._database  # noqa: S101 (for the type checker)
        now = int(time.time())
        marks = ",".join("?" * len(keys))
        rows = self._database.execute(f"SELECT key, verdict, used_at FROM verdicts WHERE key IN ({marks})", keys)  # noqa: S608
        verdicts, stale = {}, []
        for key, data, used_at in rows:
            verdicts[key] = decode_verdict(key, data)
            if not isinstance(used_at, int) or not now - USED_AT_INTERVAL_SECONDS < used_at <= now:
                stale.append((now, key))
        if stale:
            with self._transaction() as database:
                database.executemany("UPDATE verdicts SET used_at = ? WHERE key = ?", stale)
        return verdicts

    def _used_bytes(self) -> int:
        assert self._database  # noqa: S101 (for the type checker)
        size, pages, free = (
            self._database.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_size", "page_count", "freelist_count")
        )
        return int(size * (pages - free))

    def _evict(self) -> None:
        """Delete the verdicts that were used longest ago, if the cache is above its size limit."""
        if self._used_bytes() <= self.max_bytes:
            return
        deleted = 1
        while deleted and self._used_bytes() > self.max_bytes * EVICTION_TARGET:
            with self._transaction() as database:
                oldest = f"SELECT rowid FROM verdicts ORDER BY used_at, rowid LIMIT {ROWS_PER_EVICTION}"  # noqa: S608
                deleted = database.execute(f"DELETE FROM verdicts WHERE rowid IN ({oldest})").rowcount  # noqa: S608
        assert self._database  # noqa: S101 (for the type checker)
        self._database.execute("PRAGMA incremental_vacuum").fetchall()

    def _set_aside(self, error: Exception) -> None:
        """Rename a corrupt database. One that was set aside before is removed."""
        self._close()
        with self._locked():
            folder, aside = self.folder / FOLDER, self.folder / DAMAGED
            # Another process may have set it aside already.
            if folder.exists() and folder.stat().st_ino == self._inode:
                shutil.rmtree(aside, ignore_errors=True)
                # The whole folder: a log that stayed behind would be taken for the next database's.
                folder.rename(aside)
        warnings.warn(
            f"the cache of results in {self.folder} was damaged ({error}); a new one is used, the old one is {aside}",
            stacklevel=6,
        )


def clear(folder: Path) -> int:
    """Remove all verdicts, also those of other versions and those set aside. Return the number of bytes.

    Raises:
        OSError: if a file can't be removed.
    """
    removed = 0
    for version_folder in folder.glob("verdicts-*"):
        removed += sum(path.stat().st_size for path in version_folder.rglob("*") if path.is_file())
        shutil.rmtree(version_folder)
    return removed
