"""``python -m benchmarks.grid --out FILE``: the whole published grid of acm-gcn on Texas in one call, by the clock.

270 settings times ten random "60/20/20" splits, at most 5000 epochs, the stopping rule of GPRGNN; the graph undirected
and rows of features divided by their sums, as published. The setting is chosen by validation accuracy, where the
published search chose by test accuracy.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import torch
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from allpass.data import load, splits
from allpass.files import write_whole
from allpass.models.entry import GRID
from allpass.train import Replica, fit, stopping
from benchmarks.timing import machine


def texas(folder: str | None) -> Data:
    """Texas, undirected."""
    data = load("texas", data_dir=folder)
    data.edge_index = to_undirected(data.edge_index, num_nodes=data.num_nodes)
    return data


def settings() -> list[dict[str, object]]:
    """Every setting of the published grid."""
    return [dict(zip(GRID, values, strict=True)) for values in product(*GRID.values())]


def measure(
    data: Data, grid: Sequence[Mapping[str, object]], *, count: int, max_epochs: int, device: str
) -> dict[str, Any]:
    """Train the grid on so many splits; how long it took, and what the best setting by validation gives."""
    parts = splits(data, "random", count=count)
    start = time.perf_counter()
    runs = fit(
        "acm-gcn",
        data,
        parts,
        grid,
        stop=stopping("gprgnn", max_epochs=max_epochs),
        scaling="rows",
        device=device,
        weights=False,
    )
    seconds = time.perf_counter() - start
    return {
        "benchmark": "grid",
        "machine": machine(),
        "device": device,
        "settings": len(grid),
        "splits": count,
        "max_epochs": max_epochs,
        "runs": len(runs),
        "diverged": sum(run.diverged for run in runs),
        "epochs": sum(run.epochs for run in runs),
        "seconds": seconds,
        "peak_bytes": torch.cuda.max_memory_allocated() if device.startswith("cuda") else None,
        "chosen": _chosen([runs[start : start + count] for start in range(0, len(runs), count)]),
    }


def _chosen(by_setting: Sequence[Sequence[Replica]]) -> dict[str, Any]:
    """The setting of the best mean validation accuracy (the first of equal ones), and its test accuracies."""
    best = max(by_setting, key=lambda runs: _mean(runs, "val_score"))
    return {
        "setting": {name: best[0].settings[name] for name in GRID},
        "val_accuracy": _mean(best, "val_score"),
        "test_accuracy": _mean(best, "test_score"),
        "test_accuracies": [run.scores["test_score"] for run in best],
    }


def _mean(runs: Sequence[Replica], score: str) -> float:
    """Mean over the splits; a run without a sound epoch counts as one that got nothing right."""
    return statistics.fmean(run.scores[score] if run.epoch is not None else 0.0 for run in runs)


def main() -> None:
    """Read the command line, measure, and write the file whole."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grid", description=__doc__)
    parser.add_argument("--data", help="folder of the datasets; by default the one that ALLPASS_DATA names")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=5000, help="the most epochs of a run")
    parser.add_argument("--out", type=Path, required=True, help="JSON file to write")
    given = parser.parse_args()
    found = measure(
        texas(given.data), settings(), count=given.splits, max_epochs=given.epochs, device=given.device
    )
    write_whole(given.out, (json.dumps(found, indent=2) + "\n").encode())
    print(
        f"{found['runs']} runs, {found['epochs']} epochs in all, {found['seconds']:.1f} s: {found['chosen']}"
    )


if __name__ == "__main__":
    main()
