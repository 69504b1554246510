"""The SQLite file of a store: opened with care, known by its marks, its errors in words with a cure."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from allpass.errors import AllpassError, InputError, MissingFileError

MARK = 0x616C7053
"""The application id in the header of the file: ``alpS``."""

VERSION = 1
"""The version of the schema, in the header of the file."""

_SCHEMA = (
    """CREATE TABLE runs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        identity TEXT NOT NULL UNIQUE,
        dataset TEXT NOT NULL, fingerprint TEXT NOT NULL, model TEXT NOT NULL,
        split TEXT NOT NULL, seed INTEGER NOT NULL, key TEXT NOT NULL,
        status TEXT NOT NULL, epoch INTEGER, epochs INTEGER NOT NULL, scores TEXT NOT NULL,
        seconds REAL NOT NULL, message TEXT NOT NULL, versions TEXT NOT NULL, started TEXT, ended TEXT NOT NULL)""",
    """CREATE TABLE curves (
        number INTEGER NOT NULL, name TEXT NOT NULL, shape TEXT NOT NULL, content BLOB NOT NULL,
        PRIMARY KEY (number, name))""",
    """CREATE TABLE claims (
        identity TEXT PRIMARY KEY, host TEXT NOT NULL, process INTEGER NOT NULL, owner TEXT NOT NULL,
        expires REAL NOT NULL)""",
    f"PRAGMA application_id = {MARK}",
    f"PRAGMA user_version = {VERSION}",
)

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_NO_ENTRY = "Give a path where you may write, or have the right to write given to you."
_WORDS = {
    sqlite3.SQLITE_NOTADB: ("is not a store of runs: it is no SQLite file.", "Give the path of a store."),
    sqlite3.SQLITE_CORRUPT: (
        "is damaged.",
        "Put a copy from a backup in its place; `sqlite3 DAMAGED .recover | sqlite3 NEW` saves what can be read.",
    ),
    sqlite3.SQLITE_FULL: (
        "cannot grow: the disk is full or a quota is reached.",
        "Make room and start again: what was stored before is safe.",
    ),
    sqlite3.SQLITE_READONLY: ("may be read but not written.", _NO_ENTRY),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened.", _NO_ENTRY),
    sqlite3.SQLITE_PERM: ("may not be opened.", _NO_ENTRY),
    sqlite3.SQLITE_IOERR: (
        "cannot be read or written: the disk reports an error.",
        "Check its space and its health, or use a local disk: what was stored before is safe.",
    ),
    **dict.fromkeys(
        _BUSY,
        (
            "is held by another process for too long.",
            "Wait for it or end it, then start again.",
        ),
    ),
}

T = TypeVar("T")
_LEAST = 512  # bytes of the smallest page that SQLite knows
_DICE = random.SystemRandom()  # leaves the seeded numbers of the caller alone


class StoreError(AllpassError):
    """A store of runs cannot be opened, read or written."""


def connect(path: Path, *, patience: float, read_only: bool = False) -> sqlite3.Connection:
    """Open the store at ``path``, and make it where there is none.

    Every commit is on the disk when it returns (``synchronous = EXTRA``). The log is written ahead (WAL) where
    the file system can share memory between processes; elsewhere SQLite's rollback journal does the same work.

    Args:
        path: The file; a new or an empty one becomes a store.
        patience: The longest wait for other processes, in seconds.
        read_only: Write nothing, and make no file.
    """
    with explained(path):
        _check_place(path, read_only)
        connection = _open(path, patience, read_only)
        try:
            _settle(connection, path, patience, read_only)
        except BaseException:
            connection.close()
            raise
        return connection


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
    """All that is done inside, or nothing."""
    try:
        connection.execute(f"BEGIN {kind}")
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # after some errors SQLite has gone back by itself
            connection.execute("ROLLBACK")
        raise


def patiently(action: Callable[[], T], patience: float) -> T:
    """Try again while other processes hold the file; the pauses grow and are random, so that all get their turn."""
    deadline, pause = time.monotonic() + patience, 0.002
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            if _code(error) not in _BUSY or time.monotonic() > deadline:
                raise
        time.sleep(pause * _DICE.uniform(0.5, 1.5))
        pause = min(2 * pause, 0.25)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Errors of SQLite and of the system in words: what is wrong with the file and what to do."""
    try:
        yield
    except AllpassError:
        raise
    except OSError as error:
        raise StoreError(f"{str(path)!r} cannot be opened: {error.strerror}.", _NO_ENTRY) from error
    except UnicodeDecodeError as error:  # SQLite quotes what is damaged
        problem, cure = _WORDS[sqlite3.SQLITE_CORRUPT]
        raise StoreError(f"{str(path)!r} {problem}", cure) from error
    except sqlite3.Error as error:
        said = "cannot be used as a store of runs.", "Give the path of a store, or of a new file."
        problem, cure = _WORDS.get(_code(error), said)
        raise StoreError(f"{str(path)!r} {problem} SQLite says: {error!s:.80}.", cure) from error


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF  # the upper bits say more than is needed


def _check_place(path: Path, read_only: bool) -> None:
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder.", "Give the path of a file, such as runs.db.")
    if path.exists() and not path.is_file():
        raise InputError(f"{str(path)!r} is no plain file.", "Give the path of a file, such as runs.db.")
    if read_only and not path.exists():
        raise MissingFileError(f"There is no store {str(path)!r}.", "Check the path.")
    if path.exists() and 0 < path.stat().st_size < _LEAST:  # SQLite would write over it
        problem, cure = _WORDS[sqlite3.SQLITE_NOTADB]
        raise StoreError(f"{str(path)!r} {problem}", cure)
    if not path.parent.is_dir():
        raise InputError(
            f"The folder {str(path.parent)!r} does not exist.", "Make it first, or give another path."
        )


def _address(path: Path, options: str) -> str:
    return f"{path.absolute().as_uri()}?{options}"


def _open(path: Path, patience: float, read_only: bool) -> sqlite3.Connection:
    def open_by(options: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            _address(path, options), timeout=min(patience, 5.0), isolation_level=None, uri=True
        )
        try:
            connection.execute("PRAGMA synchronous = EXTRA")
            patiently(lambda: connection.execute("PRAGMA user_version").fetchone(), patience)
        except BaseException:
            connection.close()
            raise
        return connection

    if not read_only:
        return open_by("mode=rwc")
    try:
        # With "mode=ro" the last to leave could not take the log away, and would leave an empty one behind.
        connection = open_by("mode=rw")
    except sqlite3.OperationalError as error:
        # In a folder that may not be written SQLite cannot make the files beside a log; without a log it needs none.
        log = path.with_name(path.name + "-wal")
        closed = _code(error) in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if not closed or (log.exists() and log.stat().st_size):
            raise
        return open_by("mode=ro&immutable=1")
    connection.execute("PRAGMA query_only = ON")
    return connection


def _settle(connection: sqlite3.Connection, path: Path, patience: float, read_only: bool) -> None:
    if not patiently(lambda: _is_blank(connection, path), patience):
        return
    if read_only:
        raise StoreError(f"{str(path)!r} is empty.", "Give the path of a store.")
    patiently(lambda: _use_log(connection), patience)
    patiently(lambda: _create(connection, path), patience)


def _is_blank(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the file is still empty; an error when it is not a store that this version knows."""
    with transaction(connection, "DEFERRED"):  # one view, while another process may be making the store
        mark, version, tables = (
            connection.execute(query).fetchone()[0]
            for query in (
                "PRAGMA application_id",
                "PRAGMA user_version",
                "SELECT count(*) FROM sqlite_master",
            )
        )
    if mark == 0 and version == 0 and tables == 0:
        return True
    if mark != MARK:
        raise StoreError(
            f"{str(path)!r} is an SQLite file of another program, not a store of runs.",
            "Give the path of a store, or of a new file.",
        )
    if version > VERSION:
        raise StoreError(
            f"{str(path)!r} was written by a newer allpass: its schema is {version}, this one knows {VERSION}.",
            "Update allpass, or give another path.",
        )
    return False


def _use_log(connection: sqlite3.Connection) -> None:
    try:
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
    except sqlite3.OperationalError as error:
        if _code(error) in _BUSY:
            raise
        connection.execute("PRAGMA journal_mode = DELETE").fetchone()


def _create(connection: sqlite3.Connection, path: Path) -> None:
    if not _is_blank(connection, path):
        return  # another process was quicker
    with transaction(connection):
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            for statement in _SCHEMA:
                connection.execute(statement)
