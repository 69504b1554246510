"""Files of which bytes were flipped, lost, repeated or exchanged, by accident or in transfer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.fuzz.prototypes import QUICK
from tests.fuzz.tables import ODD


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


def file(*names: str) -> Callable[[Random, Path, Path], list[str]]:
    """One of these files, damaged and trained on."""

    def write(rng: Random, place: Path, originals: Path) -> list[str]:
        name = rng.choice(names)
        (place / name).write_bytes(damaged((originals / name).read_bytes(), rng))
        return ["train", name, "--model", "mlp-1", *QUICK, "-o", "kept"]

    return write


def tables(rng: Random, place: Path, originals: Path) -> list[str]:
    """Rows with too many or too few fields, other separators, encodings and line ends; damaged bytes."""
    chosen = rng.choice(("nodes.csv", "edges.csv"))
    for name in ("nodes.csv", "edges.csv"):
        text = (originals / name).read_text()
        if name != chosen:
            (place / name).write_text(text)
            continue
        rows = [line.split(",") for line in text.splitlines()]
        for _ in range(rng.choice((0, 1, 2, 6))):
            row = rng.choice(rows) if rng.random() < 0.7 else rows[0]
            match rng.randrange(5):
                case 0 | 1:
                    row[rng.randrange(len(row))] = rng.choice(ODD)
                case 2:
                    row.append(rng.choice(ODD))
                case 3:
                    rows.insert(rng.randrange(len(rows)), list(rng.choice(rows)))
                case _ if len(row) > 1:
                    row.pop()
        separator, end = (
            rng.choice((",", ",", ",", ";", "\t", " ", "|")),
            rng.choice(("\n", "\n", "\r\n", "\r")),
        )
        encoding = rng.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"))
        content = end.join(separator.join(row) for row in rows).encode(encoding, errors="replace")
        (place / name).write_bytes(damaged(content, rng) if rng.random() < 0.5 else content)
    return [
        "train", "--edges", "edges.csv", "--nodes", "nodes.csv", "--label", "label", "--model", "mlp-1", *QUICK, "-o",
        "kept",
    ]  # fmt: skip


def checkpoint(rng: Random, place: Path, originals: Path) -> list[str]:
    """A checkpoint with a damaged file."""
    kept = place / "kept"
    kept.mkdir()
    files = [path for path in sorted((originals / "kept").iterdir()) if path.is_file()]
    chosen = rng.choice(files)
    for path in files:
        content = path.read_bytes()
        (kept / path.name).write_bytes(damaged(content, rng) if path == chosen else content)
    (place / "g.npz").write_bytes((originals / "g.npz").read_bytes())
    return ["predict", "kept", *rng.choice((["g.npz"], [])), "-o", "predictions.csv"]


def store(rng: Random, place: Path, originals: Path) -> list[str]:
    """A damaged file of runs, listed, joined or gone on with."""
    (place / "runs.db").write_bytes(damaged((originals / "runs.db").read_bytes(), rng))
    (place / "g.npz").write_bytes((originals / "g.npz").read_bytes())
    return rng.choice(
        (
            ["store", "list", "runs.db"],
            ["store", "merge", "all.db", "runs.db"],
            ["compare", "g.npz", "--models", "mlp-1,gcn", *QUICK, "--store", "runs.db"],
        )
    )
