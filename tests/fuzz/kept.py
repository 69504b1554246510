"""Checkpoints and stores of odd content whose digests are right: somebody wrote them on purpose."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

import torch
from safetensors.torch import load_file
from tests.fuzz.prototypes import QUICK
from tests.train.cards import read_card, reweigh, weights_file, write_card

_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 10**9, 2**63, 1e308, 0.5, "", "foo", "\ud800", "\x1b[31m", "classification",
    "regression", "binary", "columns", "rows", [], [0], [0.0] * 4, ["a", "a", "b"], ["a", "b", "c"], {}, {"a": 1},
    "x" * 5000,
)  # fmt: skip


def card(rng: Random, place: Path, originals: Path) -> list[str]:
    """Entries of a card lost, exchanged or of other types."""
    words = _copied(place, originals, rng)
    content = read_card(place / "kept")
    for _ in range(rng.choice((1, 1, 2))):
        _change(content, rng)
    try:
        write_card(place / "kept", content)
    except (KeyError, TypeError):
        (place / "kept" / "card.json").write_text("{}")
    return words


def weights(rng: Random, place: Path, originals: Path) -> list[str]:
    """Tensors lost, of other shapes and types, or with odd values."""
    words = _copied(place, originals, rng)
    content = load_file(weights_file(place / "kept"))
    name = rng.choice(sorted(content))
    tensor = content[name]
    kinds = (
        torch.float16,
        torch.bfloat16,
        torch.float8_e4m3fn,
        torch.float64,
        torch.int64,
        torch.uint8,
        torch.bool,
    )
    match rng.randrange(6):
        case 0:
            content[name] = tensor.to(rng.choice(kinds))
        case 1:
            del content[name]
        case 2:
            content[name] = tensor.reshape(-1)[: rng.choice((0, 1, 3))].clone()
        case 3:
            content[f"{name}.more"] = tensor.clone()
        case 4 if tensor.is_floating_point():
            content[name] = tensor * rng.choice((float("nan"), float("inf"), 1e30, 0.0))
        case _:
            content[name] = (tensor * 0 + rng.choice((0, 1, 2, 3, 100))).to(tensor.dtype)
    reweigh(place / "kept", content)
    return words


def store(rng: Random, place: Path, originals: Path) -> list[str]:
    """Values of a store replaced by blobs, nothing, or other types; tables lost."""
    (place / "g.npz").write_bytes((originals / "g.npz").read_bytes())
    shutil.copy(originals / "runs.db", place / "runs.db")
    connection = sqlite3.connect(place / "runs.db", isolation_level=None)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("PRAGMA ignore_check_constraints = ON")
    for _ in range(rng.choice((1, 1, 2))):
        table = rng.choice(("runs", "runs", "curves", "claims"))
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        odd = rng.choice(
            (b"\xff\x00", None, "", "{}", "[]", "null", 3.5, 2**62, "\x1b[31m", "1e999", "x" * 2000)
        )
        statement = f"UPDATE {table} SET {rng.choice(columns or ['number'])} = ?"
        if rng.random() < 0.1:
            statement, odd = f"DROP TABLE IF EXISTS {table}", None
        try:
            connection.execute(statement, () if "?" not in statement else (odd,))
        except sqlite3.Error:  # what the schema does not allow
            continue
    connection.close()
    return rng.choice(
        (
            ["store", "list", "runs.db"],
            ["store", "list", "runs.db", "--json"],
            ["store", "merge", "all.db", "runs.db"],
            ["compare", "g.npz", "--models", "mlp-1,gcn", *QUICK, "--store", "runs.db"],
        )
    )


def _copied(place: Path, originals: Path, rng: Random) -> list[str]:
    shutil.copytree(originals / "kept", place / "kept")
    (place / "g.npz").write_bytes((originals / "g.npz").read_bytes())
    return ["predict", "kept", *rng.choice((["g.npz"], [])), "-o", "predictions.csv"]


def _change(content: Any, rng: Random) -> None:
    """Exchange or drop something at any depth."""
    while True:
        places = list(content) if isinstance(content, dict) else list(range(len(content)))
        if not places:
            return
        here = rng.choice(places)
        inner = content[here]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.7:
            content = inner
            continue
        if rng.random() < 0.2:
            del content[here]
        else:
            content[here] = rng.choice(_VALUES)
        return
