"""``python -m benchmarks.few_labels``: few-label strategies against plain GCN on Cora, beside the published table.

Twenty splits with 1 % and with 3 % of the labels; every strategy is trained on the same ones from the same weights.
Settings are those of Li, Han and Wu (arXiv:1801.07606) for GCN. What is compared with the table is the sign of the
difference from GCN: its splits are not published, and its rows come from three papers with different protocols.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch_geometric.data import Data

from allpass.data import load, splits
from allpass.data.splits import Split
from allpass.files import write_whole
from allpass.models import create
from allpass.train import fit, stopping
from allpass.train.few_labels import few_labels
from allpass.train.statistics import paired
from benchmarks.timing import RESULTS, machine

SETTINGS = {"hidden_channels": 16, "lr": 0.01, "weight_decay": 5e-4, "dropout": 0.5}
HOW: dict[str, Any] = {
    "stop": stopping("fixed", max_epochs=200),
    "select": "final",
    "scaling": "rows",
}

PUBLISHED = {
    "gcn": (56.9, 74.9),
    "label-propagation": (62.3, 67.5),
    "cheby": (52.0, 70.8),
    "co-training": (66.4, 75.9),
    "self-training": (66.1, 77.2),
    "union": (69.9, 78.5),
    "intersection": (65.0, 77.1),
    "multi-stage": (63.7, 76.1),
    "m3s": (67.2, 77.8),
    "svat": (53.9, 75.6),
    "dvat": (61.8, 75.9),
}
"""Accuracy on Cora without validation at 1 % and 3 % of the labels, in percent (report, Table 1)."""

PERCENT = (1, 3)

Run = Callable[[Data, Sequence[Split]], list[float]]


def trained(model: str) -> Run:
    """Test accuracy of a model, trained by itself."""
    return lambda data, parts: _scores(fit(model, data, parts, SETTINGS, **HOW))


def grown(strategy: str) -> Run:
    """Test accuracy of GCN, trained by a strategy."""
    return lambda data, parts: _scores(few_labels(strategy, "gcn", data, parts, SETTINGS, **HOW))


def propagated(data: Data, parts: Sequence[Split]) -> list[float]:
    """Test accuracy of label propagation, which is not trained."""
    model = create("label-propagation", in_channels=data.x.shape[1], out_channels=int(data.y.max()) + 1)
    found = []
    for split in parts:
        right = model(data.x, data.edge_index, labels=data.y, mask=split.train).argmax(1) == data.y
        found.append(float(right[split.test].double().mean()))
    return found


def _scores(runs: Sequence[Any]) -> list[float]:
    return [run.scores["test_score"] for run in runs]


RUNS: dict[str, Run] = {
    "gcn": trained("gcn"),
    "label-propagation": propagated,
    "cheby": trained("cheby"),
    **{name: grown(name) for name in PUBLISHED if name not in ("gcn", "label-propagation", "cheby")},
}


def compare(count: int, out: Path) -> dict[str, Any]:
    """Train what the file does not hold yet, and write the file anew after each strategy."""
    found: dict[str, Any] = json.loads(out.read_text()) if out.exists() else {}
    rows = found.setdefault("rows", {})
    data = load("cora")
    for column, percent in enumerate(PERCENT):
        parts = splits(data, "few-label", percent=percent, count=count)
        for name, run in RUNS.items():
            key = f"{name} at {percent} %"
            if key in rows:
                continue
            start = time.perf_counter()
            scores = run(data, parts)
            seconds = time.perf_counter() - start
            plain = scores if name == "gcn" else rows[f"gcn at {percent} %"]["scores"]
            rows[key] = _row(scores, plain, PUBLISHED[name][column], PUBLISHED["gcn"][column], seconds)
            found.update(benchmark="few_labels", machine=machine(), splits=count, settings=SETTINGS)
            _write(out, found)
    return found


def _row(
    scores: list[float], plain: list[float], published: float, published_gcn: float, seconds: float
) -> dict[str, Any]:
    difference = paired([100 * score for score in scores], [100 * score for score in plain])
    printed = round(published - published_gcn, 1)
    return {
        "accuracy": 100 * sum(scores) / len(scores),
        "published": published,
        "difference": difference.to_dict(),
        "published_difference": printed,
        "same_sign": difference.mean * printed > 0 if printed else None,
        "seconds": seconds,
        "scores": scores,
    }


def _write(out: Path, found: dict[str, Any]) -> None:
    write_whole(out, (json.dumps(found, indent=1) + "\n").encode())


def table(found: dict[str, Any]) -> str:
    """The rows as text, and how many signs agree."""
    lines = [f"{'':26}{'ours':>7}{'printed':>9}{'against gcn':>13}{'interval':>18}{'printed':>9}"]
    for key, row in found["rows"].items():
        gap, printed = row["difference"], row["published_difference"]
        interval = f"{gap['low']:+.1f} to {gap['high']:+.1f}" if row["same_sign"] is not None else ""
        verdict = "  other sign" if row["same_sign"] is False else ""
        verdict += "  undecided" if gap["low"] * gap["high"] < 0 else ""
        lines.append(
            f"{key:26}{row['accuracy']:7.1f}{row['published']:9.1f}{gap['mean']:+13.1f}{interval:>18}{printed:+9.1f}{verdict}"
        )
    compared = [row for row in found["rows"].values() if row["same_sign"] is not None]
    decided = [row for row in compared if row["difference"]["low"] * row["difference"]["high"] > 0]
    agree, sure = (sum(row["same_sign"] for row in rows) for rows in (compared, decided))
    lines.append(
        f"{agree} of {len(compared)} signs agree, {sure} of the {len(decided)} that our splits decide"
    )
    return "\n".join(lines)


def main() -> None:
    """Train, print the table, keep the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.few_labels", description=__doc__)
    parser.add_argument("--splits", type=int, default=20, help="splits for each percentage")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads torch may use")
    parser.add_argument("--out", type=Path, default=RESULTS / "few_labels.json", help="where results go")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    print(table(compare(arguments.splits, arguments.out)))


if __name__ == "__main__":
    main()
