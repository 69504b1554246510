"""Hostile and damaged inputs of the command line, each of which follows from its number alone."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import networkx as nx
import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp

from allpass.cli.main import run

NODES = 24
QUICK = ["--count", "1", "--epochs", "2", "--device", "cpu", "-o", "kept"]
ODD = (
    "", " ", "?", "nan", "-0", "1e999", "0x10", "1,5", "12.06.2024", "a\tb", "\x00", "\x1b[31m", "\u202e", "\ud7ff",
    "😀", "'", "''", "é", "None", "True", "-1", "9223372036854775808", "1_000", "٣", "=1+1", "x" * 400,
)  # fmt: skip
"""Cells that have a meaning somewhere."""


@dataclass(frozen=True)
class Case:
    """What to run.

    Args:
        kind: What was damaged.
        words: The words of the command line, in the folder of the case.
    """

    kind: str
    words: list[str]


def prototypes(folder: Path) -> Path:
    """Sound files of each format, a checkpoint and a store; made once."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    y = np.arange(NODES) % 3
    edges = np.stack([np.arange(NODES), (np.arange(NODES) + 3) % NODES])
    x = rng.normal(size=(NODES, 4)) + y[:, None]
    names = [f"n{number:02}" for number in range(NODES)]
    nodes = pd.DataFrame(
        {"id": names, "a": x[:, 0].round(3), "b": x[:, 1].round(3), "label": [f"c{k}" for k in y]}
    )
    links = pd.DataFrame({"source": [names[i] for i in edges[0]], "target": [names[i] for i in edges[1]]})
    nodes.to_csv(folder / "nodes.csv", index=False)
    links.to_csv(folder / "edges.csv", index=False)
    nodes.to_parquet(folder / "nodes.parquet")
    links.to_parquet(folder / "edges.parquet")
    np.savez(folder / "g.npz", edge_index=edges, x=x, y=y)
    scipy.io.savemat(folder / "g.mat", {"edge_index": edges, "node_feat": x, "label": y})
    scipy.io.savemat(
        folder / "A.mat", {"A": sp.csc_matrix((np.ones(NODES), edges)), "label": y, "node_feat": x}
    )
    graph = nx.Graph()
    for number, name in enumerate(names):
        graph.add_node(name, a=float(x[number, 0]), label=f"c{y[number]}")
    graph.add_edges_from((names[i], names[j]) for i, j in edges.T)
    nx.write_graphml(graph, folder / "g.graphml")
    graph_file = str(folder / "g.npz")
    for words in (
        ["train", graph_file, "--model", "gcn", *QUICK[:-1], str(folder / "kept"), "--json"],
        [
            "compare",
            graph_file,
            "--models",
            "mlp-1,gcn",
            *QUICK[:-2],
            "--store",
            str(folder / "runs.db"),
            "--json",
        ],
    ):
        with suppress(SystemExit):
            run(words)
    return folder


def prepare(number: int, place: Path, originals: Path) -> Case:
    """Write the files of a case into its folder."""
    rng = Random(number)
    kinds = list(KINDS)
    kind = kinds[number % len(kinds)]
    return Case(kind, KINDS[kind](rng, place, originals))


def damaged(content: bytes, rng: Random) -> bytes:
    """Bytes flipped, cut out, repeated, exchanged, or the end lost."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        here, length = rng.randrange(len(data)), rng.choice((1, 2, 8, 64))
        match rng.randrange(6):
            case 0:
                data[here] ^= 1 << rng.randrange(8)
            case 1:
                data[here : here + length] = bytes(rng.randrange(256) for _ in range(length))
            case 2:
                del data[here : here + length]
            case 3:
                data[here:here] = data[here : here + length] * rng.choice((1, 3))
            case 4:
                data = data[: max(here, 1)]
            case _:
                data[here : here + 4] = rng.choice((b"\xff\xff\xff\x7f", b"\0\0\0\0", b"\xff" * 4))
        data = data or bytearray(b"\0")
    return bytes(data)


def _bytes(*names: str) -> Callable[[Random, Path, Path], list[str]]:
    def write(rng: Random, place: Path, originals: Path) -> list[str]:
        name = rng.choice(names)
        (place / name).write_bytes(damaged((originals / name).read_bytes(), rng))
        return ["train", name, "--model", "mlp-1", *QUICK]

    return write


def _tables(rng: Random, place: Path, originals: Path) -> list[str]:
    """Cells, headers, rows and separators of a pair of tables."""
    chosen = rng.choice(("nodes.csv", "edges.csv"))
    for name in ("nodes.csv", "edges.csv"):
        rows = [line.split(",") for line in (originals / name).read_text().splitlines()]
        for _ in range(rng.choice((1, 2, 6)) if name == chosen else 0):
            row = rng.choice(rows) if rng.random() < 0.8 else rows[0]
            match rng.randrange(5):
                case 0 | 1:
                    row[rng.randrange(len(row))] = rng.choice(ODD)
                case 2:
                    row.append(rng.choice(ODD))
                case 3:
                    rows.insert(rng.randrange(len(rows)), list(rng.choice(rows)))
                case _:
                    rows.remove(row) if len(rows) > 2 else None
            rows = [one for one in rows if one] or [["id"]]
        text = "\n".join(rng.choice((",", ",", ",", ";")).join(row) for row in rows)
        encoding = rng.choice(("utf-8", "utf-8", "utf-8", "utf-16", "latin-1")) if name == chosen else "utf-8"
        content = text.encode(encoding, errors="replace")
        (place / name).write_bytes(
            damaged(content, rng) if rng.random() < 0.2 and name == chosen else content
        )
    return ["train", "--edges", "edges.csv", "--nodes", "nodes.csv", "--model", "mlp-1", *QUICK]


def _parquet(rng: Random, place: Path, originals: Path) -> list[str]:
    """Columns of odd types, or damaged bytes."""
    nodes = pd.read_parquet(originals / "nodes.parquet")
    odd: list[object] = [
        [[1, 2]] * NODES,
        [{"a": 1}] * NODES,
        [b"\xff\x00"] * NODES,
        [None] * NODES,
        pd.date_range("2024-01-01", periods=NODES, tz="UTC"),
        pd.to_timedelta(np.arange(NODES), unit="s"),
        pd.Categorical(["a", "b"] * (NODES // 2)),
        [np.inf, -np.inf] * (NODES // 2),
        [2**63 - 1, -(2**63)] * (NODES // 2),
    ]
    nodes[rng.choice(["id", "a", "label", "extra"])] = odd[rng.randrange(len(odd))]
    if rng.random() < 0.2:
        nodes.index = pd.MultiIndex.from_arrays([range(NODES), range(NODES)], names=["i", "a"])
    nodes.to_parquet(place / "nodes.parquet")
    links = (originals / "edges.parquet").read_bytes()
    (place / "edges.parquet").write_bytes(damaged(links, rng) if rng.random() < 0.3 else links)
    return ["train", "--edges", "edges.parquet", "--nodes", "nodes.parquet", "--model", "mlp-1", *QUICK]


def _arrays(rng: Random, place: Path, originals: Path) -> list[str]:
    """An npz file of sound arrays of the wrong shape, type or values."""
    with np.load(originals / "g.npz") as found:
        arrays = dict(found)
    name = rng.choice(
        [*arrays, "num_nodes", "edge_weight", "train_mask", "class_names", "node_ids", "allpass"]
    )
    shape = rng.choice(((), (0,), (NODES,), (NODES, 0), (2, NODES), (1, NODES, 1), (3,)))
    kind = rng.choice(("f8", "i8", "u8", "?", "U3", "S3", "c16", "M8[s]", "f2", "V4", "i1"))
    value = (
        np.full(shape, rng.choice((0, 1, 2, 127)), dtype="i8").astype(kind)
        if kind != "V4"
        else np.zeros(shape, "V4")
    )
    if kind == "f8" and rng.random() < 0.5 and value.size:
        value.flat[0] = rng.choice((np.nan, np.inf, -1e308, 2.5))
    if kind == "i8" and value.size:
        value.flat[0] = rng.choice((-1, -(2**63), 2**63 - 1, 10**7, 99_999_999))
    np.savez(place / "g.npz", **{**arrays, name: value})
    return ["train", "g.npz", "--model", "mlp-1", *QUICK]


def _archive(rng: Random, place: Path, originals: Path) -> list[str]:
    """An npz file packed in another way, with other names or headers."""
    method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(originals / "g.npz") as old, zipfile.ZipFile(place / "g.npz", "w", method) as new:
        for place_in, info in enumerate(old.infolist()):
            content = old.read(info)
            if rng.random() < 0.4:
                head = damaged(content[:120], rng) if rng.random() < 0.7 else content[: rng.randrange(120)]
                content = head + content[120:]
            new.writestr(
                rng.choice((info.filename, info.filename, f"../{place_in}.npy", f"a/{place_in}.npy")), content
            )
    buffer = io.BytesIO((place / "g.npz").read_bytes())
    (place / "g.npz").write_bytes(buffer.getvalue())
    return ["train", "g.npz", "--model", "mlp-1", *QUICK]


def _checkpoint(rng: Random, place: Path, originals: Path) -> list[str]:
    """A checkpoint with a damaged file."""
    kept = place / "kept"
    kept.mkdir()
    files = [path for path in sorted((originals / "kept").iterdir()) if path.is_file()]
    chosen = rng.choice(files)
    for path in files:
        content = path.read_bytes()
        (kept / path.name).write_bytes(damaged(content, rng) if path == chosen else content)
    (place / "g.npz").write_bytes((originals / "g.npz").read_bytes())
    return ["predict", "kept", "g.npz", "-o", "predictions.csv"]


def _store(rng: Random, place: Path, originals: Path) -> list[str]:
    """A damaged file of runs, listed or joined."""
    (place / "runs.db").write_bytes(damaged((originals / "runs.db").read_bytes(), rng))
    if rng.random() < 0.5:
        return ["store", "list", "runs.db"]
    return ["store", "merge", "all.db", "runs.db"]


def _options(rng: Random, place: Path, originals: Path) -> list[str]:
    """A sound graph and options that are not."""
    (place / "g.npz").write_bytes((originals / "g.npz").read_bytes())
    numbers = ("0", "-1", "1", "2.5", "nan", "1e9", "99999999999999999999", "", "x", "1000000000")
    option = rng.choice(
        ("--count", "--seed", "--epochs", "--patience", "--splits", "--score", "--stop", "--scaling", "--optimizer",
         "--select", "--model", "--set", "--device", "--unlabelled", "--features-from")
    )  # fmt: skip
    value = rng.choice((*numbers, "gcn", "acm-gnc", "gcn-99999999", "\x1b[31mred", "a" * 400))
    if option == "--set":
        setting = rng.choice(
            ("hidden_channels", "num_layers", "dropout", "lr", "weight_decay", "filter", "init", "x")
        )
        value = f"{setting}={value}"
    return ["train", "g.npz", "--model", "gcn", *QUICK, option, value]


KINDS: dict[str, Callable[[Random, Path, Path], list[str]]] = {
    "tables": _tables,
    "npz bytes": _bytes("g.npz"),
    "npz arrays": _arrays,
    "npz archive": _archive,
    "graphml": _bytes("g.graphml"),
    "parquet": _parquet,
    "tables again": _tables,
    "checkpoint": _checkpoint,
    "options": _options,
    "store": _store,
    "mat": _bytes("g.mat", "A.mat"),
}
"""What is damaged, in turns."""
