"""A run as rows of a store and back: JSON and compressed raw bytes, never pickle, and nothing read on trust."""

from __future__ import annotations

import json
import math
import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from allpass.errors import AllpassError
from allpass.train.runs.database import StoreError
from allpass.train.runs.run import CURVE_LIMIT, Key, Run

COLUMNS = (
    "identity, dataset, fingerprint, model, split, seed, key, status, epoch, epochs, scores, seconds, versions, "
    "started, ended"
)
_PLACES = ", ".join("?" * len(COLUMNS.split(",")))


def insert(connection: sqlite3.Connection, run: Run) -> bool:
    """Write a run where its identity is new; says whether it was."""
    key = run.key
    values = (
        key.identity,
        key.dataset,
        key.fingerprint,
        key.model,
        key.split,
        key.seed,
        json.dumps(key.to_dict()),
        run.status,
        run.epoch,
        run.epochs,
        json.dumps({name: _written(value) for name, value in run.scores.items()}),
        run.seconds,
        json.dumps(dict(run.versions)),
        None if run.started is None else run.started.isoformat(timespec="microseconds"),
        run.ended.isoformat(timespec="microseconds"),
    )
    # Files have a column "message" that was never used; writing it empty lets every file stay as it is.
    cursor = connection.execute(
        f"INSERT INTO runs ({COLUMNS}, message) VALUES ({_PLACES}, '') ON CONFLICT (identity) DO NOTHING",  # noqa: S608
        values,
    )
    if cursor.rowcount != 1:
        return False
    connection.executemany(
        "INSERT INTO curves VALUES (?, ?, ?, ?)",
        [(cursor.lastrowid, name, *pack(values)) for name, values in run.curves.items()],
    )
    return True


def read(connection: sqlite3.Connection, row: sqlite3.Row, curves: bool) -> Run:
    """The run of a row of ``number`` and :data:`COLUMNS`; an error when its content is not what was written."""
    try:
        found: dict[str, NDArray[np.float32]] = {}
        if curves:
            query = "SELECT name, shape, content FROM curves WHERE number = ?"
            parts: Iterable[tuple[str, str, bytes]] = connection.execute(query, (row["number"],))
            found = {name: unpack(shape, content) for name, shape, content in parts}
        key = Key(**json.loads(row["key"]))
        run = Run(
            key=key,
            status=row["status"],
            epoch=row["epoch"],
            epochs=row["epochs"],
            scores=_scores(json.loads(row["scores"])),
            seconds=row["seconds"],
            curves=found,
            versions=json.loads(row["versions"]),
            started=None if row["started"] is None else datetime.fromisoformat(row["started"]),
            ended=datetime.fromisoformat(row["ended"]),
        )
        whole = key.identity == row["identity"]
    except (ValueError, TypeError, KeyError, AttributeError, zlib.error, AllpassError) as error:
        raise _damaged(row, str(error)) from error
    if not whole:
        raise _damaged(row, "its key and its identity differ")
    return run


def pack(values: NDArray[np.float32]) -> tuple[str, bytes]:
    """Shape and compressed little-endian bytes of a curve.

    Example:
        >>> unpack(*pack(np.array([0.5, 0.25], dtype=np.float32))).tolist()
        [0.5, 0.25]
    """
    return json.dumps(values.shape), zlib.compress(values.astype("<f4").tobytes(), 6)


def unpack(shape: str, content: bytes) -> NDArray[np.float32]:
    """The curve of :func:`pack`; content that claims another size, or more than a curve may have, is refused."""
    sizes = json.loads(shape)
    if not isinstance(sizes, list) or not all(type(size) is int and size >= 0 for size in sizes):
        raise ValueError(f"a curve has the shape {shape!r:.80}")
    size = math.prod(sizes)
    if size > CURVE_LIMIT:
        raise ValueError(f"a curve claims {size:,} values")
    stream = zlib.decompressobj()
    raw = stream.decompress(content, 4 * size + 1)  # one byte more than is right shows that there is more
    if len(raw) != 4 * size or not stream.eof:
        raise ValueError(f"a curve of shape {sizes} has another number of values")
    return np.frombuffer(raw, dtype="<f4").astype(np.float32).reshape(sizes)


def _written(value: float) -> float | str:
    return value if math.isfinite(value) else repr(value)  # JSON has no word for inf and nan


def _scores(content: Mapping[str, float | str]) -> dict[str, float]:
    return {name: float(value) for name, value in content.items()}


def _damaged(row: sqlite3.Row, reason: str) -> StoreError:
    return StoreError(
        f"Run {row['number']} ({row['identity']!r:.60}) of this store is damaged: {reason}.",
        "Put a copy from a backup in its place, or delete that row and run it again.",
    )
