"""Who works on which run: claims that lapse by time, and at once when their process has ended."""

from __future__ import annotations

import itertools
import os
import platform
import sqlite3
import uuid
from dataclasses import dataclass, field

_PROCESS = uuid.uuid4().hex  # tells this process, and those forked from it, from an earlier one of its number
_COUNT = itertools.count()


@dataclass(frozen=True)
class Owner:
    """One open store, as others see it.

    Args:
        host: The name of the machine.
        process: The number of the process there.
        name: A name that no other open store has.
    """

    host: str = field(default_factory=platform.node)
    process: int = field(default_factory=os.getpid)
    name: str = field(default_factory=lambda: f"{_PROCESS}-{os.getpid()}-{next(_COUNT)}")

    def gone(self) -> bool:
        """Whether its process has surely ended; of other machines nothing is sure."""
        if self.host != platform.node() or os.name != "posix":
            return False
        if self.process == os.getpid():
            return not self.name.startswith(_PROCESS)
        try:
            os.kill(self.process, 0)  # no signal, a question
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False


def take(connection: sqlite3.Connection, identity: str, owner: Owner, *, now: float, expires: float) -> bool:
    """Claim one run, or claim it anew; false where another owner at work holds it."""
    found = connection.execute(
        "SELECT host, process, owner, expires FROM claims WHERE identity = ?", (identity,)
    ).fetchone()
    if found is not None:
        holder = Owner(*found[:3])
        if holder.name != owner.name and found[3] > now and not holder.gone():
            return False
    connection.execute(
        "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)",
        (identity, owner.host, owner.process, owner.name, expires),
    )
    return True


def drop(connection: sqlite3.Connection, identity: str, owner: Owner) -> None:
    """Give one run back, where this owner holds it."""
    connection.execute("DELETE FROM claims WHERE identity = ? AND owner = ?", (identity, owner.name))


def drop_all(connection: sqlite3.Connection, owner: Owner) -> None:
    """Give everything back that this owner holds."""
    connection.execute("DELETE FROM claims WHERE owner = ?", (owner.name,))
