"""Social networks published as CSV and JSON at SNAP: Twitch Gamers, and GitHub of the MUSAE paper."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.data.draft import Draft
from allpass.data.readers.archive import open_text
from allpass.data.readers.arrays import compact_features, one_row_each, simple_edges, whole_labels
from allpass.data.readers.linkx import read_linkx_splits
from allpass.errors import DataError

TWITCH_COLUMNS = ("views", "life_time", "created_at", "updated_at", "dead_account", "language", "affiliate")


def read_twitch_gamer(paths: Mapping[str, Path]) -> Draft:
    """Mutual followers on Twitch; the label says whether a channel holds explicit content (``mature``).

    The features are the other seven columns, as LINKX makes them: a language is numbered in order of appearance, a
    date is the number yyyymmdd, and every column is standardised.
    """
    columns: dict[str, list[str]] = {key: [] for key in (*TWITCH_COLUMNS, "mature", "numeric_id")}
    with open_text(paths, _ending(paths, "feat.csv", "features.csv")) as stream:
        for row in _rows(stream, columns):
            for key, values in columns.items():
                values.append(row[key] or "")
    num_nodes = len(columns["mature"])
    ids = _numbers(columns["numeric_id"])
    if not np.array_equal(ids, np.arange(num_nodes)):
        raise DataError("The nodes of Twitch Gamers are not numbered in order.", "Get the file again.")
    with open_text(paths, "edges.csv") as stream:
        pairs = _edge_table(stream)
    languages = {name: number for number, name in enumerate(dict.fromkeys(columns["language"]))}
    numeric = {
        **{key: _numbers(columns[key]) for key in ("views", "life_time", "dead_account", "affiliate")},
        **{
            key: _numbers([day.replace("-", "") for day in columns[key]])
            for key in ("created_at", "updated_at")
        },
        "language": np.array([languages[name] for name in columns["language"]], dtype=np.float64),
    }
    x = np.stack([numeric[key] for key in TWITCH_COLUMNS], axis=1)
    spread = x.std(axis=0, ddof=1)
    x = (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1)
    draft = Draft(num_nodes, np.empty((2, 0), np.int64), x=compact_features(x))
    draft.feature_names = list(TWITCH_COLUMNS)
    draft.y = whole_labels(_numbers(columns["mature"]), num_nodes)
    draft.edge_index = simple_edges(pairs, num_nodes, draft.account, undirected=True)
    draft.account.add("standardised", len(TWITCH_COLUMNS), "The 7 features were standardised, as LINKX does.")
    draft.splits = read_linkx_splits(paths, num_nodes, draft, "linkx")
    return draft


def read_musae(paths: Mapping[str, Path]) -> Draft:
    """Mutual followers on GitHub; a node lists the numbers of its features, the label is the kind of developer."""
    with open_text(paths, "edges.csv") as stream:
        pairs = _edge_table(stream)
    with open_text(paths, "target.csv") as stream:
        rows = [(row["id"], row["ml_target"]) for row in _rows(stream, ("id", "ml_target"))]
    num_nodes = len(rows)
    labels = np.full(num_nodes, -1, dtype=np.int64)
    try:
        with open_text(paths, "features.json") as stream:
            lists = {int(node): np.asarray(numbers, np.int64) for node, numbers in json.load(stream).items()}
        labels[[int(node) for node, _ in rows]] = [int(label) for _, label in rows]
        nodes = np.repeat(np.fromiter(lists, np.int64), [numbers.size for numbers in lists.values()])
        numbers = np.concatenate(list(lists.values()))
        shape = (num_nodes, int(numbers.max()) + 1)
        x = sp.csr_array((np.ones(nodes.size, np.float32), (nodes, numbers)), shape)
    except (ValueError, IndexError, AttributeError, TypeError) as error:
        raise DataError(f"The node tables do not fit together: {error}.", "Get the files again.") from error
    x.data[:] = 1
    draft = Draft(
        num_nodes, np.empty((2, 0), np.int64), x=compact_features(one_row_each(x, num_nodes, "features"))
    )
    draft.y = labels
    draft.edge_index = simple_edges(pairs, num_nodes, draft.account, undirected=True)
    return draft


def _ending(paths: Mapping[str, Path], *endings: str) -> str:
    """The first ending that a file by itself has; the last one, used inside archives, otherwise."""
    return next((end for end in endings if any(name.endswith(end) for name in paths)), endings[-1])


def _rows(stream: TextIO, needed: Mapping[str, object] | tuple[str, ...]) -> csv.DictReader[str]:
    reader = csv.DictReader(stream)
    missing = sorted(set(needed) - set(reader.fieldnames or ()))
    if missing:
        raise DataError(f"A node table lacks the columns {', '.join(missing)}.", "Get the file again.")
    return reader


def _edge_table(stream: TextIO) -> NDArray[np.int64]:
    """Two columns of node numbers under a header line, as ``[2, E]``."""
    try:
        table = np.loadtxt(stream, dtype=np.int64, delimiter=",", skiprows=1, ndmin=2)
    except ValueError as error:
        raise DataError(f"The edge table is not readable: {error}.", "Get the file again.") from error
    if table.shape[1] != 2:
        raise DataError(f"The edge table has {table.shape[1]} columns.", "Expected two; get the file again.")
    return table.T


def _numbers(values: list[str]) -> NDArray[np.float64]:
    try:
        return np.array(values, dtype=np.float64)
    except ValueError as error:
        raise DataError(f"A node table is not readable: {error}.", "Get the file again.") from error
