"""Every run in one SQLite file, from the moment it ends: many writers, nothing lost, nothing twice."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

from allpass.canonical import plain
from allpass.errors import InputError
from allpass.train.runs import claims, rows
from allpass.train.runs.database import StoreError, connect, explained, patiently, transaction
from allpass.train.runs.identity import holds
from allpass.train.runs.run import Key, Run, check_status

T = TypeVar("T")
_PAGE = 200
_COUNTED = (str, str, int, int, int, float, str)  # the columns of a summary


class Merged(NamedTuple):
    """What became of the runs of another store.

    Args:
        added: How many were new.
        present: How many were there already, with the same numbers.
        conflicts: The keys of those that were there with other numbers; the first are kept.
    """

    added: int
    present: int
    conflicts: list[Key]


class Summary(NamedTuple):
    """How many runs there are of one model on one dataset, how they ended, and how long they took."""

    dataset: str
    model: str
    runs: int
    done: int
    diverged: int
    seconds: float
    last: str


class Store:
    """A file of runs. A run is on the disk when :meth:`add` returns, and the same run is never stored twice.

    Any number of processes may open the same file on one machine; each process and thread opens its own. Stores
    of several machines are joined by :meth:`merge`. While a store is open, or after its process was killed, files
    that end in ``-wal`` and ``-shm`` stand beside it and belong to it.

    Args:
        path: The file; it is made where there is none.
        read_only: Write nothing.
        patience: The longest wait for other processes, in seconds.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> folder = TemporaryDirectory()
        >>> store = Store(Path(folder.name) / "runs.db")
        >>> key = Key(dataset="texas", fingerprint="63e7", model="gcn", split="random/0", split_hash="a1", seed=0)
        >>> store.add(Run(key=key, scores={"test_score": 0.8}))
        True
        >>> store.add(Run(key=key, scores={"test_score": 0.8}))
        False
        >>> store.missing([key])
        []
        >>> store.close()
        >>> folder.cleanup()
    """

    def __init__(self, path: str | Path, *, read_only: bool = False, patience: float = 60.0) -> None:
        self.path = Path(path)
        self._patience = patience
        self._owner = claims.Owner()
        self._home = os.getpid(), threading.get_ident()
        self._claimed = False
        self._connection: sqlite3.Connection | None = connect(
            self.path, patience=patience, read_only=read_only
        )
        self._connection.row_factory = sqlite3.Row

    def add(self, run: Run) -> bool:
        """Store a run; false where it is stored already."""
        return self.add_many([run]) == 1

    def add_many(self, runs: Iterable[Run]) -> int:
        """Store runs together, all or none of them; returns how many were new. Their claims are given back."""
        runs = list(runs)

        def write(connection: sqlite3.Connection) -> int:
            for run in runs:
                connection.execute("DELETE FROM claims WHERE identity = ?", (run.key.identity,))
            return sum(rows.insert(connection, run) for run in runs)

        return self._do(write) if runs else 0

    def get(self, key: Key) -> Run | None:
        """The stored run of a key."""
        return self._do(lambda connection: _find(connection, key.identity, curves=True), "DEFERRED")

    def find(self, keys: Iterable[Key]) -> list[Run]:
        """The stored runs of some keys, in their order and without curves; those that are missing are left out."""
        wanted = [key.identity for key in keys]

        def read(connection: sqlite3.Connection) -> list[Run]:
            found = (_find(connection, identity, curves=False) for identity in wanted)
            return [run for run in found if run is not None]

        return self._do(read, "DEFERRED")

    def runs(
        self,
        *,
        dataset: str | None = None,
        fingerprint: str | None = None,
        model: str | None = None,
        split: str | None = None,
        seed: int | None = None,
        status: str | None = None,
        settings: Mapping[str, Any] | None = None,
        protocol: Mapping[str, Any] | None = None,
        curves: bool = True,
    ) -> Iterator[Run]:
        """The runs that fit, in the order they were stored; more may be added while they are read.

        Args:
            dataset: The name of the graph.
            fingerprint: The hash of the graph.
            model: The name of the model.
            split: The name of the split.
            seed: The seed.
            status: ``"done"`` or ``"diverged"``.
            settings: Settings that the run has, among others.
            protocol: Entries of the protocol that the run has, among others.
            curves: Read the curves too.
        """
        given = {
            "dataset": dataset,
            "fingerprint": fingerprint,
            "model": model,
            "split": split,
            "seed": seed,
            "status": None if status is None else check_status(status),
        }
        columns = {name: value for name, value in given.items() if value is not None}
        wanted = plain(settings or {}, "settings"), plain(protocol or {}, "protocol")
        return self._pages(columns, wanted, curves)

    def missing(self, keys: Iterable[Key]) -> list[Key]:
        """The keys that are still to be run, each once and in their order: this is how a sweep goes on.

        Args:
            keys: All runs that are wanted.
        """
        wanted = list({key.identity: key for key in keys}.values())

        def read(connection: sqlite3.Connection) -> list[Key]:
            return [key for key in wanted if not _stored(connection, key)]

        return self._do(read, "DEFERRED")

    def claim(self, keys: Iterable[Key], *, seconds: float = 600.0) -> list[Key]:
        """Take work, so that two processes do not do it twice; returns the keys that are now this store's.

        Runs that are stored, or claimed by others, are left out. A claim ends when its run is added, by
        :meth:`release` or :meth:`close`, after ``seconds``, or when its process ends on this machine. To claim a
        key again makes the claim last longer.

        Args:
            keys: The runs that are wanted.
            seconds: How long a claim lasts.
        """
        if not seconds > 0:
            raise InputError(f"seconds is {seconds!r}; a claim has to last longer than that.")
        wanted = list({key.identity: key for key in keys}.values())

        def take(connection: sqlite3.Connection) -> list[Key]:
            now = time.time()
            return [
                key
                for key in wanted
                if not _stored(connection, key)
                and claims.take(connection, key.identity, self._owner, now=now, expires=now + seconds)
            ]

        mine = self._do(take)
        self._claimed = self._claimed or bool(mine)
        return mine

    def release(self, keys: Iterable[Key] | None = None) -> None:
        """Give claims back that this store holds, by default all."""
        wanted = None if keys is None else list(keys)

        def give(connection: sqlite3.Connection) -> None:
            if wanted is None:
                claims.drop_all(connection, self._owner)
            for key in wanted or ():
                claims.drop(connection, key.identity, self._owner)

        self._do(give)

    def merge(self, other: str | Path) -> Merged:
        """Join another store to this one; the other is not changed.

        Of two runs of one identity with other numbers the one that is here is kept and the key is reported.
        """
        other = Path(other)
        if other.exists() and other.samefile(self.path):
            raise InputError(f"{str(other)!r} is this store itself.", "Give the path of another store.")
        added, present, conflicts = 0, 0, list[Key]()
        with Store(other, read_only=True, patience=self._patience) as source:
            incoming = source.runs()
            while page := list(islice(incoming, _PAGE)):
                part = self._join(page)
                added, present = added + part.added, present + part.present
                conflicts += part.conflicts
        return Merged(added, present, conflicts)

    def summary(self) -> list[Summary]:
        """The runs counted by dataset and model."""
        query = """SELECT dataset, model, count(*), sum(status = 'done'), sum(status = 'diverged'),
                sum(seconds), max(ended)
            FROM runs GROUP BY dataset, model ORDER BY dataset, model"""
        found = self._do(lambda connection: connection.execute(query).fetchall(), kind="DEFERRED")
        for row in found:
            if not all(isinstance(value, kind) for value, kind in zip(row, _COUNTED, strict=True)):
                raise StoreError(
                    f"{str(self.path)!r} is damaged: a run of {row['model']!r:.40} on {row['dataset']!r:.40} lacks "
                    "what a run has.",
                    "Put a copy from a backup in its place.",
                )
        return [Summary(*row) for row in found]

    def close(self) -> None:
        """Give all claims back and close the file; to close twice does nothing."""
        if self._connection is None:
            return
        connection = self._open_here()
        try:
            if self._claimed:
                with suppress(StoreError):  # a disk that is full, say; claims lapse by themselves
                    self.release()
        finally:
            connection.close()
            self._connection = None

    def __len__(self) -> int:
        return self._do(
            lambda connection: int(connection.execute("SELECT count(*) FROM runs").fetchone()[0]), "DEFERRED"
        )

    def __contains__(self, key: object) -> bool:
        return isinstance(key, Key) and self._do(lambda connection: _stored(connection, key), "DEFERRED")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _do(self, action: Callable[[sqlite3.Connection], T], kind: str = "IMMEDIATE") -> T:
        """One transaction: all of ``action`` or nothing, tried again while others hold the file."""
        connection = self._open_here()

        def attempt() -> T:
            with transaction(connection, kind):
                return action(connection)

        with explained(self.path):
            return patiently(attempt, self._patience)

    def _open_here(self) -> sqlite3.Connection:
        if self._connection is None:
            raise InputError(f"The store {str(self.path)!r} is closed.", "Open it again with Store(path).")
        if self._home != (os.getpid(), threading.get_ident()):
            raise InputError(
                f"The store {str(self.path)!r} was opened in another process or thread.",
                "Open one with Store(path) in each of them.",
            )
        return self._connection

    def _pages(
        self, columns: Mapping[str, object], wanted: tuple[dict[str, Any], dict[str, Any]], curves: bool
    ) -> Iterator[Run]:
        """Page by page, each of one transaction, so that a slow reader holds nobody up."""
        where = " AND ".join(("number > :after", *(f"{name} = :{name}" for name in columns)))
        query = f"SELECT number, {rows.COLUMNS} FROM runs WHERE {where} ORDER BY number LIMIT {_PAGE}"  # noqa: S608
        after = 0

        def read(connection: sqlite3.Connection) -> list[tuple[int, Run]]:
            found = connection.execute(query, {**columns, "after": after}).fetchall()
            return [(row["number"], rows.read(connection, row, curves)) for row in found]

        while page := self._do(read, "DEFERRED"):
            for _, run in page:
                if holds(run.key.settings, wanted[0]) and holds(run.key.protocol, wanted[1]):
                    yield run
            after = page[-1][0]

    def _join(self, page: list[Run]) -> Merged:
        def write(connection: sqlite3.Connection) -> Merged:
            added, conflicts = 0, []
            for run in page:
                if rows.insert(connection, run):
                    added += 1
                    continue
                stored = _find(connection, run.key.identity, curves=False)
                if stored is not None and not run.agrees(stored):
                    conflicts.append(run.key)
            return Merged(added, len(page) - added - len(conflicts), conflicts)

        return self._do(write)


def _find(connection: sqlite3.Connection, identity: str, *, curves: bool) -> Run | None:
    query = f"SELECT number, {rows.COLUMNS} FROM runs WHERE identity = ?"  # noqa: S608
    row = connection.execute(query, (identity,)).fetchone()
    return None if row is None else rows.read(connection, row, curves)


def _stored(connection: sqlite3.Connection, key: Key) -> bool:
    query = "SELECT 1 FROM runs WHERE identity = ?"
    return connection.execute(query, (key.identity,)).fetchone() is not None
