"""Seeded round trips: a table with odd but legal ids, labels, quotes and line ends is read as it was written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from allpass.data.tables.from_tables import from_tables

IDS = (
    *(
        "007",
        "7",
        "0",
        "00",
        "-1",
        "+5",
        "1e5",
        "1.0",
        "1.50",
        "1_000",
        "0x1F",
        "9007199254740993",
        "9007199254740992",
    ),
    *(
        "18446744073709551617",
        "NA",
        "null",
        "None",
        "nan",
        "N/A",
        "inf",
        "True",
        "true",
        "a b",
        "a,b",
        "a;b",
        "x\ty",
    ),
    *(
        'say "hi"',
        '"',
        "it's",
        "#tag",
        "#",
        "# note",
        "a#b",
        "=1+1",
        "½",
        "é",
        "e\u0301",
        "日本",
        "a\u00a0b",
        "\\",
        "\\n",
    ),
    *(
        "source",
        "id",
        "label",
        "n1",
        "n2",
        "n3",
        "A",
        "a",
        "id2",
        "-",
        "--",
        "?",
        ".",
        "%",
        "2020-01-01",
        "12:30",
        "b",
    ),
)
LABELS: tuple[tuple[str, ...], ...] = (
    ("0", "1", "2"),
    ("3", "10", "2"),
    ("9007199254740992", "9007199254740993", "1"),
    ("9223372036854775807", "9223372036854775808", "18446744073709551617"),
    ("01", "1", "001"),
    ("x", "X", "é", "y z", "y,z", 'q"'),
    ("NA", "EU", "AS"),
    ("None", "mild", "severe"),
    ("-1", "0", "1"),
    ("-1", "1"),
    ("-2", "-1", "0", "1", "2"),
    ("True", "False"),
    ("true", "false"),
    ("1.0", "2.0", ""),
    ("a", "b", ""),
    ("1", "2", "null", ""),
    ("?", "5", "6"),
    ("2020-01-01", "2021-01-01"),
)
MISSING = {"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "null", "NULL", "None"}


def pick(rng: np.random.Generator, choices: Any) -> Any:
    return choices[int(rng.integers(len(choices)))]


def write(rng: np.random.Generator, path: Path, header: list[str], rows: list[list[str]]) -> None:
    """Write rows by hand, as no library does: any separator, quotes where they are needed or everywhere."""
    separator = {".csv": ",;\t", ".tsv": "\t", ".txt": "\t ,"}[path.suffix]
    separator = pick(rng, separator)
    everywhere, end = bool(rng.random() < 0.3), pick(rng, ("\n", "\n", "\r\n", "\r"))

    def field(text: str) -> str:
        odd = any(c in text for c in (separator, '"', "\n", "\r", " ", "\t")) or (
            separator == " " and not text
        )
        if odd or everywhere or text.startswith("#") or rng.random() < 0.05:
            return '"' + text.replace('"', '""') + '"'
        return text

    lines = [separator.join(map(field, row)) for row in [header, *rows]]
    for place in reversed(range(1, len(lines))):
        if rng.random() < 0.05:
            lines.insert(place, "")
    above = pick(rng, ([], [], [""], ["# about this table", "#"], ["", "# a, b; c"]))
    text = end.join([*above, *lines]) + pick(rng, (end, "", end + end))
    text = "\r" * bool(rng.random() < 0.1) + text
    path.write_bytes(b"\xef\xbb\xbf" * bool(rng.random() < 0.1) + text.encode())


def expected_class(label: str, written: set[str]) -> str | None:
    """The name of the class of a label, from the rules in the documentation alone."""
    if label in MISSING:
        return None
    present = written - MISSING
    if all(re.fullmatch(r"-?[1-9][0-9]*(\.0)?|0", text) for text in present):
        negative = {text for text in present if text.startswith("-")}
        lone = len(negative) == 1 and present != {"-1", "1"}
        return None if label in negative and lone else label.removesuffix(".0")
    return label


@pytest.mark.parametrize("seed", range(60))
def test_what_is_read_is_what_was_written(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 12))
    ids = [str(text) for text in rng.choice(IDS, n, replace=False)]
    pool = pick(rng, LABELS)
    labels = [str(text) for text in rng.choice(pool, n)]
    sizes = rng.integers(-9, 99, n)
    edges = [
        (pick(rng, ids), pick(rng, ids), int(rng.integers(1, 9))) for _ in range(int(rng.integers(2, 20)))
    ]
    weighted = bool(rng.random() < 0.3)
    suffix = pick(rng, (".csv", ".csv", ".tsv", ".txt"))
    names = pick(rng, (["source", "target"], ["u", "v"], ["page", "links to"], ["Von", "Nach"]))
    write(
        rng,
        tmp_path / f"e{suffix}",
        [*names, *["weight"] * weighted],
        [[u, v, *[str(w)] * weighted] for u, v, w in edges],
    )
    write(
        rng,
        tmp_path / f"n{suffix}",
        ["id", "size", "label"],
        [[*row] for row in zip(ids, map(str, sizes), labels, strict=True)],
    )

    data = from_tables(tmp_path / f"e{suffix}", tmp_path / f"n{suffix}", task="classification")

    assert data.node_ids == ids
    assert data.x[:, 0].tolist() == sizes.tolist()
    read = [(data.node_ids[u], data.node_ids[v]) for u, v in data.edge_index.T.tolist()]
    assert read == list(dict.fromkeys((u, v) for u, v, _ in edges))
    if weighted:
        sums: dict[tuple[str, str], int] = {}
        for u, v, w in edges:
            sums[u, v] = sums.get((u, v), 0) + w
        assert data.edge_weight.tolist() == list(sums.values())
    written = set(labels)
    expected = [expected_class(label, written) for label in labels]
    found = [
        None if k < 0 else (data.class_names[k] if "class_names" in data else str(k)) for k in data.y.tolist()
    ]
    assert found == expected
    lost = {label for label, name in zip(labels, expected, strict=True) if name is None and label}
    said = next((note.what for note in data.account if note.code == "missing-labels"), "")
    assert all(repr(label) in said for label in lost)
