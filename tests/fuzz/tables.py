"""Random tables with odd cells; what is read of them is what was written, or a note says what was changed."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
from torch_geometric.data import Data

from allpass.data import load

ODD = (
    "", " ", "?", "nan", "-0", "1e999", "0x10", "1,5", "12.06.2024", "a\tb", "\x00", "\x1b[31m", "\u202e", "\ud7ff",
    "😀", "'", "''", '"', "é", "None", "True", "-1", "9223372036854775808", "1_000", "٣", "=1+1", "x" * 400, "a;b",
    "#", "007", "1.0", "NA", "null", "-", "inf", "1e5", "a\nb", "\ufeff", "a ", " a", "\u00a0", "0", "1", "2024-01-31",
)  # fmt: skip
"""Cells that have a meaning somewhere."""

MISSING = {"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "null", "NULL", "None"}
_NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf)", re.ASCII | re.IGNORECASE)
NAMES = ("id", "size", "kind", "label")


@dataclass(frozen=True)
class Tables:
    """What is written.

    Args:
        nodes: Rows of :data:`NAMES`.
        edges: Pairs of ids.
        typed: Whether sizes and ids are numbers, where the format has types.
    """

    nodes: list[list[str]]
    edges: list[list[str]]
    typed: bool = False


def drawn(rng: Random) -> Tables:
    """Ids, numbers, categories, labels and edges, with some odd cells among them."""
    n = rng.randrange(6, 30)
    style = rng.choice(("name", "count", "from one", "zeros"))
    ids = [
        {"name": f"n{k}", "count": str(k), "from one": str(k + 1), "zeros": f"{k:03}"}[style]
        for k in range(n)
    ]
    rng.shuffle(ids)
    sizes = [str(round(rng.gauss(0, 9), rng.choice((0, 2)))) for _ in ids]
    kinds = rng.choice((("a", "b"), ("x y", "z", "w"), ("1", "2", "3"), ("yes", "no")))
    labels = rng.choice((("u", "v"), ("0", "1", "2"), ("1", "2"), ("red", "blue", "Red"), ("-1", "1")))
    nodes = [[i, s, rng.choice(kinds), rng.choice(labels)] for i, s in zip(ids, sizes, strict=True)]
    edges = [[rng.choice(ids), rng.choice(ids)] for _ in range(rng.randrange(4, 3 * n))]
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        row, place, cell = rng.randrange(n), rng.randrange(4), rng.choice(ODD)
        if place == 0:  # the edges follow
            edges = [[cell if end == nodes[row][0] else end for end in edge] for edge in edges]
        nodes[row][place] = cell
    if rng.random() < 0.1:
        nodes.append(list(rng.choice(nodes)))
    if rng.random() < 0.1:
        edges[rng.randrange(len(edges))][rng.randrange(2)] = rng.choice(ODD)
    return Tables(nodes, edges, typed=rng.random() < 0.5)


def write(tables: Tables, place: Path, rng: Random) -> str:
    """Write both tables in one of the formats; gives the ending of their names."""
    suffix = rng.choice((".csv", ".csv", ".csv", ".tsv", ".parquet"))
    for name, header, rows in (("nodes", NAMES, tables.nodes), ("edges", ("source", "target"), tables.edges)):
        path = place / f"{name}{suffix}"
        if suffix == ".parquet":
            frame = pd.DataFrame(rows, columns=list(header))
            if tables.typed and name == "nodes":
                frame["size"] = pd.to_numeric(frame["size"], errors="coerce")
            frame.to_parquet(path)
            continue
        buffer = io.StringIO()
        writer = csv.writer(
            buffer,
            delimiter="\t" if suffix == ".tsv" else rng.choice(",,;\t"),
            lineterminator=rng.choice(("\n", "\n", "\r\n")),
            quoting=rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
        )
        writer.writerow(header)
        writer.writerows(rows)
        path.write_bytes(buffer.getvalue().encode(rng.choice(("utf-8", "utf-8", "utf-8-sig"))))
    return suffix


def check(place: Path, suffix: str, tables: Tables) -> None:
    """Read the tables, and raise where anything differs from what was written and no note says so."""
    data = load(edges=place / f"edges{suffix}", nodes=place / f"nodes{suffix}", label="label", id_column="id")
    said = " ".join(note.what for note in data.account)
    if "Skipped" in said:  # a comment or another header, with its line
        return
    if suffix != ".parquet":  # spaces behind a separator belong to no value of a text table
        tables = Tables(_each(tables.nodes, str.lstrip, " "), _each(tables.edges, str.lstrip, " "))
    if "Spaces around" in said:
        tables = Tables(_each(tables.nodes, str.strip), _each(tables.edges, str.strip))
    ids = [row[0] for row in tables.nodes]
    assert data.node_ids == ids, (data.node_ids, ids)
    read = [(data.node_ids[u], data.node_ids[v]) for u, v in data.edge_index.T.tolist()]
    written = [(u, v) for u, v in tables.edges]
    assert read == list(dict.fromkeys(written)), "edges"
    assert len(read) == len(written) or "stored more than once" in said, "repeated edges"
    for node, row in enumerate(tables.nodes):
        _check_label(data, node, row[3], said)
        for column, cell in (("size", row[1]), ("kind", row[2])):
            _check_feature(data, node, column, cell, said)


def _check_label(data: Data, node: int, cell: str, said: str) -> None:
    y = data.y[node].item()
    if data.y.is_floating_point():
        assert math.isnan(y) if cell in MISSING else y == np.float32(float(cell)) or y == float(cell), (
            cell,
            y,
        )
        return
    name = None if y < 0 else (data.class_names[y] if data.get("class_names") is not None else str(y))
    if name is None:
        assert not cell or repr(cell) in said, f"the label {cell!r} was lost"
    else:
        same = _number(cell) is not None and _number(cell) == _number(name)
        assert same or name == cell, f"the label {cell!r} became {name!r}"


def _check_feature(data: Data, node: int, column: str, cell: str, said: str) -> None:
    (role,) = [role for role in data.roles if role.column == column and role.table == "nodes"]
    names: list[str] = data.get("feature_names") or []
    found: dict[str, Any] = {name: data.x[node, place].item() for place, name in enumerate(names)}
    gap = found.get(f"{column} is missing")
    if role.role == "number":
        number = _number(cell)
        if number is None or not math.isfinite(number):
            assert gap == 1 or repr(column) in said, f"the number {cell!r} became {found[column]}"
        else:
            assert found[column] in (number, float(np.float32(number))), f"{cell!r} became {found[column]}"
            assert not gap, f"{cell!r} counts as missing"
    elif role.role == "category":
        ones = [
            name.removeprefix(f"{column}=") for name in found if name.startswith(f"{column}=") and found[name]
        ]
        if gap or not ones:
            assert cell in MISSING or repr(cell) in said, f"the value {cell!r} became nothing"
        else:
            assert ones == [cell], f"the value {cell!r} became {ones}"
    else:
        assert role.reason, role


def _each(rows: list[list[str]], change: Callable[..., str], *given: str) -> list[list[str]]:
    return [[change(cell, *given) for cell in row] for row in rows]


def _number(cell: str) -> float | None:
    return float(cell) if _NUMBER.fullmatch(cell) else None
