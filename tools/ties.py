"""Exact ties in H_agg, counted in whole numbers: what rounding has to decide when nothing is done about it."""

from __future__ import annotations

from math import lcm
from pathlib import Path
from typing import Any

from allpass.data import load
from allpass.metrics import aggregation_homophily, prepare

DATASETS = {"Film": "film", "PubMed": "pubmed"}


def compare(data_dir: Path) -> str:
    """H_agg in exact fractions, in float64 with and without the tolerance, and the number of ties."""
    lines = [
        "| dataset | exact ties | H_agg in exact fractions | float64, `rtol=1e-12` | float64, `rtol=0` |",
        "| --- | --: | --: | --: | --: |",
    ]
    for title, name in DATASETS.items():
        data = load(name, data_dir=data_dir)
        passed, ties = count(data)
        values = [aggregation_homophily(data.edge_index, data.y, rtol=rtol) for rtol in (1e-12, 0.0)]
        shown = " | ".join(f"{value:.4f}" for value in (passed / data.num_nodes, *values))
        lines.append(f"| {title} | {ties} of {data.num_nodes:,} | {shown} |")
    return "\n".join(lines)


def count(data: Any) -> tuple[int, int]:
    """Nodes that fulfil the condition of H_agg, and nodes for which both sides are equal; every label known."""
    graph = prepare(data)
    B = (graph.neighbour_classes("keep") + graph.Z).long().tolist()  # (A + I) Z: whole numbers
    scale = lcm(*{sum(row) for row in B})
    M = [[entry * (scale // sum(row)) for entry in row] for row in B]  # Â Z, times one number for all
    y, C = graph.labels.tolist(), graph.num_classes
    sums = [
        [sum(row[k] for row, c in zip(M, y, strict=True) if c == own) for k in range(C)] for own in range(C)
    ]
    sizes = [y.count(k) for k in range(C)]
    passed = ties = 0
    for row, own in zip(M, y, strict=True):
        by_class = [sum(a * b for a, b in zip(row, total, strict=True)) for total in sums]
        left = by_class[own] * (len(y) - sizes[own])  # own mean >= other mean, multiplied out
        right = (sum(by_class) - by_class[own]) * sizes[own]
        passed += left >= right
        ties += left == right
    return passed, ties
