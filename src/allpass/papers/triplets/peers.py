"""What PyKEEN reached under the same budget: rows of ``benchmarks/kge.py``, kept so that nothing needs PyKEEN."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

Peer = Mapping[str, float]


@cache
def peers() -> dict[tuple[str, str], dict[int, Peer]]:
    """MRR, Hits@10 and the processor's seconds of an epoch by graph and model, then by seed."""
    text = files("allpass.papers.triplets").joinpath("pykeen.csv").read_text(encoding="utf-8")
    found: dict[tuple[str, str], dict[int, Peer]] = {}
    for row in csv.DictReader(text.splitlines()):
        scores = {name: float(row[name]) for name in ("mrr", "hits@10", "epoch_seconds")}
        found.setdefault((row["dataset"], row["model"]), {})[int(row["seed"])] = scores
    return found
