"""Sound npz, mat and Parquet files of the wrong content: shapes, types, values, names, packing."""

from __future__ import annotations

import zipfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp
from tests.fuzz.bytewise import damaged
from tests.fuzz.prototypes import NODES, QUICK

TRAIN = ["--model", "mlp-1", *QUICK, "-o", "kept"]


def npz(rng: Random, place: Path, originals: Path) -> list[str]:
    """An array of the wrong shape, type or values, or one that is not expected."""
    with np.load(originals / "g.npz") as found:
        content = dict(found)
    names = [
        *content,
        "num_nodes",
        "edge_weight",
        "train_mask",
        "test_mask",
        "class_names",
        "node_ids",
        "allpass",
    ]
    for _ in range(rng.choice((1, 1, 2))):
        content[rng.choice(names)] = _array(rng)
    np.savez(place / "g.npz", **content)
    return ["train", "g.npz", *TRAIN]


def mat(rng: Random, place: Path, originals: Path) -> list[str]:
    """A variable of the wrong shape, type or values: matrices, sparse ones, cells, structs, texts."""
    content = {name: value for name, value in scipy.io.loadmat(originals / "g.mat").items() if name[0] != "_"}
    names = [*content, "A", "index_base", "num_nodes", "local_info"]
    cells = np.empty(NODES, dtype=object)
    cells[:] = [rng.choice(("a", "b", 1.5, np.zeros((2, 2)), "")) for _ in range(NODES)]
    value: Any = rng.choice((None, None, cells, {"part": np.ones(3)}, "text", sp.csc_matrix(np.eye(NODES))))
    value = _array(rng, kinds=("f8", "i8", "u8", "?", "U3", "c16", "i1")) if value is None else value
    scipy.io.savemat(
        place / "g.mat", {**content, rng.choice(names): value}, do_compression=rng.random() < 0.5
    )
    return ["train", "g.mat", *TRAIN]


def parquet(rng: Random, place: Path, originals: Path) -> list[str]:
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
        pd.array([1, None, 3] * (NODES // 3), dtype="Int64"),
        pd.array([True, None, False] * (NODES // 3), dtype="boolean"),
        [np.inf, -np.inf] * (NODES // 2),
        [2**63 - 1, -(2**63)] * (NODES // 2),
    ]
    for _ in range(rng.choice((1, 1, 2))):
        nodes[rng.choice(["id", "a", "label", "extra"])] = odd[rng.randrange(len(odd))]
    if rng.random() < 0.2:
        nodes.index = pd.MultiIndex.from_arrays([range(NODES), range(NODES)], names=["i", "a"])
    nodes.to_parquet(place / "nodes.parquet")
    links = (originals / "edges.parquet").read_bytes()
    (place / "edges.parquet").write_bytes(damaged(links, rng) if rng.random() < 0.3 else links)
    return ["train", "--edges", "edges.parquet", "--nodes", "nodes.parquet", *TRAIN]


def archive(rng: Random, place: Path, originals: Path) -> list[str]:
    """An npz file packed in another way, with other names or headers."""
    plain, packed = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
    method = rng.choice((plain, plain, packed, packed, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(originals / "g.npz") as old, zipfile.ZipFile(place / "g.npz", "w", method) as new:
        for number, info in enumerate(old.infolist()):
            content = old.read(info)
            if rng.random() < 0.4:
                head = damaged(content[:120], rng) if rng.random() < 0.7 else content[: rng.randrange(120)]
                content = head + content[120:]
            names = info.filename, info.filename, f"../{number}.npy", f"a/{number}.npy"
            new.writestr(rng.choice(names), content)
    return ["train", "g.npz", *TRAIN]


def _array(
    rng: Random,
    kinds: tuple[str, ...] = ("f8", "i8", "u8", "?", "U3", "S3", "c16", "M8[s]", "f2", "V4", "i1"),
) -> np.ndarray:
    shape = rng.choice(((), (0,), (NODES,), (NODES, 0), (2, NODES), (NODES, 4), (1, NODES, 1), (3,)))
    kind = rng.choice(kinds)
    if kind == "V4":
        return np.zeros(shape, "V4")
    value = np.full(shape, rng.choice((0, 1, 2, 127)), dtype="i8").astype(kind)
    if value.size and kind == "f8" and rng.random() < 0.5:
        value.flat[0] = rng.choice((np.nan, np.inf, -1e308, 2.5))
    if value.size and kind == "i8":
        value.flat[0] = rng.choice((-1, -(2**63), 2**63 - 1, 10**7, 99_999_999))
    return value
