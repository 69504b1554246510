"""Recorded steps in CSV and Parquet files and in pandas frames."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allpass.data.tables.tabular import PARQUET_SUFFIXES, Table, import_pandas
from allpass.errors import DataError, InputError, MissingExtraError
from allpass.files import drafted

if TYPE_CHECKING:
    from allpass.rl.recording.transitions import Transitions

NAMES = {
    "state": ("state", "s", "obs", "observation"),
    "action": ("action", "a"),
    "reward": ("reward", "r"),
    "next_state": ("next_state", "s_next", "next_obs", "next_observation", "s'"),
    "terminated": ("terminated", "termination", "terminal"),
    "truncated": ("truncated", "truncation", "timeout"),
    "episode": ("episode", "episode_id"),
    "policy": ("policy", "policy_id"),
}
"""Columns of a log and the names they go by, in upper or lower case."""

_NEEDED = ("state", "action", "reward", "next_state")


def read_log(log: Any) -> dict[str, Any]:
    """The columns of a log by the names that :meth:`Transitions.from_arrays` takes.

    A column ``state`` holds numbers or names; vectors have a column for each part, ``state_0``, ``state_1``, ... The
    same holds for actions and next states. Episodes, policies and ends are optional.

    Args:
        log: Path of a CSV, TSV or Parquet file, or a pandas frame.
    """
    table = Table(log, "log of steps")
    if table.find(("done", "dones")) and not table.find(NAMES["terminated"]):
        raise DataError(
            "The column 'done' does not say whether episodes terminated or were truncated.",
            "Rename it to 'terminated' if nothing follows an end, or to 'truncated' if a time limit cut episodes.",
        )
    found = {role: _columns_of(table, role) for role in NAMES}
    for role in _NEEDED:
        if not found[role]:
            raise DataError(
                f"The log of steps has no column {role!r}.",
                f"Its columns are: {', '.join(table.columns[:20])}.",
            )
    used = [column for columns in found.values() for column in columns]
    frame = table.read([], used)
    return {role: _values(frame, columns, role) for role, columns in found.items() if columns}


def to_frame(steps: Transitions) -> Any:
    """A pandas frame of steps, with names where states or actions have them."""
    pandas = import_pandas("A frame of steps")
    columns: dict[str, Any] = {}
    for role in NAMES:
        values = getattr(steps, role)
        names = steps.action_names if role == "action" else steps.state_names if "state" in role else None
        if values.ndim == 2:
            columns |= {f"{role}_{part}": values[:, part] for part in range(values.shape[1])}
        else:
            columns[role] = values if names is None else [names[number] for number in values]
    return pandas.DataFrame(columns)


def write_log(steps: Transitions, path: str | Path) -> Path:
    """Write steps as CSV or Parquet, by the ending of the name; returns the path."""
    path = Path(path)
    frame = to_frame(steps)
    if path.suffix.lower() not in (".csv", *PARQUET_SUFFIXES):
        raise InputError(f"Got the file name {path.name!r}.", "Expected one that ends in .csv or .parquet.")
    with drafted(path) as draft:
        if path.suffix.lower() == ".csv":
            frame.to_csv(draft, index=False)
        else:
            try:
                frame.to_parquet(draft, index=False)
            except ImportError:
                raise MissingExtraError("pyarrow", "Writing Parquet", "parquet") from None
    return path


def _columns_of(table: Table, role: str) -> list[str]:
    """The column of a role, or its parts in the order of their numbers."""
    whole = table.find(NAMES[role])
    if whole:
        return [whole]
    parts = {
        int(match[2]): column
        for column in table.columns
        if (match := re.fullmatch(r"(.+?)[_.]?(\d+)", column.strip().lower())) and match[1] in NAMES[role]
    }
    return [parts[number] for number in sorted(parts)]


def _values(frame: Any, columns: list[str], role: str) -> Any:
    """One column as an array ``[T]``, several as ``[T, F]``."""
    empty = frame[columns].isna().any(axis=1).to_numpy()
    if empty.any():
        raise DataError(
            f"Row {int(empty.argmax()) + 1} of the log has no {role}.", "Fill the cell or remove the row."
        )
    arrays = [frame[column].to_numpy() for column in columns]
    if role in ("terminated", "truncated"):
        return _as_flags(arrays[0], role)
    return arrays[0] if len(columns) == 1 else np.column_stack(arrays)


def _as_flags(values: Any, role: str) -> Any:
    """Ends as true and false, from booleans, 0 and 1, or words."""
    words = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}
    read = [words.get(str(value).strip().lower()) for value in values]
    if None in read:
        raise DataError(
            f"The column {role!r} holds {str(values[read.index(None)])!r}.",
            "Expected true or false, or 1 or 0.",
        )
    return np.array(read, dtype=bool)
