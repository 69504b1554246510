"""A graph as two tables that :func:`allpass.load` reads again."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from torch_geometric.data import Data

from allpass.errors import InputError
from allpass.files import check_folder, write_whole


def save_tables(data: Data, folder: str | Path) -> Path:
    """Write ``nodes.csv`` and ``edges.csv``: an id, features and a label for each node, and a row for each edge.

    A missing label is an empty cell. Edges are written as they are stored, with their weight where there is one.

    Args:
        data: A graph with dense features, or none.
        folder: The folder to write to; it is made where it does not exist.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from allpass.data import fraud_payments, load
        >>> with TemporaryDirectory() as place:
        ...     again = load(save_tables(fraud_payments(200), f"{place}/accounts"))
        >>> again.num_nodes, again.class_names
        (200, ['fraud', 'legit'])
    """
    x, y = data.get("x"), data.get("y")
    if x is not None and x.is_sparse_csr:
        raise InputError("Got sparse features, which would fill a table.", "Write them with save_npz.")
    N = data.num_nodes
    names = data.get("feature_names") or [f"x{k}" for k in range(0 if x is None else x.shape[1])]
    classes = data.get("class_names")
    ids = data.get("node_ids") or range(N)
    cells: list[Iterable[Any]] = [ids, *([] if x is None else x.T.numpy())]
    heading = ["id", *names]
    if y is not None:
        heading.append("label")
        cells.append(_labels(list(y.numpy()), classes))
    source, target = ([list(ids)[node] for node in row] for row in data.edge_index.tolist())
    edges: list[Iterable[Any]] = [source, target]
    if data.get("edge_weight") is not None:
        edges.append(data.edge_weight.numpy())
    place = check_folder(folder)
    place.mkdir(parents=True, exist_ok=True)
    write_whole(place / "nodes.csv", _table(heading, zip(*cells, strict=True)))
    write_whole(
        place / "edges.csv", _table(["source", "target", "weight"][: len(edges)], zip(*edges, strict=True))
    )
    return place


def _labels(y: list[Any], classes: list[str] | None) -> list[Any]:
    missing = [np.isnan(value) if isinstance(value, np.floating) else value < 0 for value in y]
    return ["" if gone else classes[v] if classes else v for v, gone in zip(y, missing, strict=True)]


def _table(heading: list[str], rows: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows([_written(cell) for cell in row] for row in rows)
    return text.getvalue().encode()


def _written(cell: Any) -> Any:
    """The shortest digits that give a number back, without a point where it is whole."""
    return str(cell).removesuffix(".0") if isinstance(cell, float | np.floating) else cell
