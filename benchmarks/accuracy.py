"""``python -m benchmarks.accuracy``: acm-gcn at the published settings against the published code, split by split.

Nine datasets under the published protocol: undirected graphs with the self-loops of their files, rows of features
divided by their sums, random "60/20/20" splits, at most 5000 epochs, the stopping rule of GPRGNN, test accuracy at the
lowest validation loss. Ours trains all splits in one call. The transcription of the published layer and loop trains
them one at a time, each from the weights that ours begins with; the masks of dropout differ. What has been measured is
kept after every dataset, and a second call with the same file goes on from there.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from allpass.data import Split, load, splits
from allpass.data.arguments import whole_number
from allpass.files import write_whole
from allpass.train import fit, stopping
from allpass.train.network import untrained
from allpass.train.statistics import estimate, paired
from benchmarks.published import PublishedACM, stored_pair, train_published
from benchmarks.timing import machine

HIDDEN = 64
Runs: TypeAlias = Sequence[tuple[float, int]]
"""Test accuracy and number of epochs of every run, split by split."""


@dataclass(frozen=True)
class Published:
    """The setting of a dataset in Table 12 of the ACM paper, and what it is said to give, in percent.

    Args:
        lr: Learning rate.
        weight_decay: L2 weight decay.
        dropout: Of the features and of the hidden layer.
        mean: Mean test accuracy of ten splits beside the setting.
        std: Its standard deviation, as a population's.
        rerun_mean: What the authors' released code gives at this setting, run again on ten splits.
        rerun_std: Its standard deviation.
        limit: Points that the lower end of the interval of the difference may not fall below.
    """

    lr: float
    weight_decay: float
    dropout: float
    mean: float
    std: float
    rerun_mean: float
    rerun_std: float
    limit: float = -0.5

    @property
    def setting(self) -> dict[str, float]:
        """What is passed on."""
        return {"lr": self.lr, "weight_decay": self.weight_decay, "dropout": self.dropout}


TABLE = {
    "cornell-legacy": Published(0.05, 1e-2, 0.2, 94.75, 3.8, 93.61, 3.91, limit=-1.0),
    "wisconsin": Published(0.1, 5e-3, 0.0, 95.75, 2.03, 95.12, 1.18, limit=-1.0),
    "texas": Published(0.05, 1e-2, 0.6, 94.92, 2.88, 93.61, 2.00, limit=-1.0),
    "film": Published(0.1, 5e-4, 0.5, 41.62, 1.15, 40.98, 0.89),
    "chameleon": Published(0.01, 5e-5, 0.8, 68.18, 1.67, 67.07, 2.20),
    "squirrel": Published(0.05, 5e-6, 0.6, 58.02, 1.86, 57.12, 2.34),
    "cora": Published(0.1, 5e-3, 0.5, 88.62, 1.22, 87.82, 0.79),
    "citeseer": Published(0.05, 5e-3, 0.7, 81.68, 0.97, 80.80, 1.03),
    "pubmed": Published(0.1, 5e-4, 0.2, 90.54, 0.63, 90.27, 0.45),
}


@dataclass(frozen=True)
class Plan:
    """What is asked for.

    Args:
        splits: How many random splits.
        seeds: How many initial weights on every split; a split counts with its mean over them.
        max_epochs: The most epochs of a run.
        device: Where ours is trained.
        other: Where the transcription is trained.
    """

    splits: int
    seeds: int
    max_epochs: int
    device: str
    other: str

    def runs(self) -> list[tuple[int, int]]:
        """The number of the split and the seed of every run, in the order of ``fit``."""
        return list(product(range(self.splits), range(self.seeds)))


def prepared(name: str, folder: str | None) -> Data:
    """A dataset as the released code loads it: CiteSeer's nodes without a label are in class 0."""
    data = load(name, data_dir=folder, unlabelled="zero")
    data.edge_index = to_undirected(data.edge_index, num_nodes=data.num_nodes)
    sums = data.x.sum(dim=1, keepdim=True)
    data.x = data.x / torch.where(sums == 0, 1, sums)
    return data


def ours(data: Data, setting: dict[str, float], plan: Plan) -> Runs:
    """Accuracy and epochs of every run, all trained in one call."""
    runs = fit(
        "acm-gcn",
        data,
        splits(data, "random", count=plan.splits),
        {**setting, "hidden_channels": HIDDEN},
        seeds=range(plan.seeds),
        stop=stopping("gprgnn", max_epochs=plan.max_epochs),
        device=plan.device,
    )
    return [(run.scores["test_score"], run.epochs) for run in runs]


def compared(mine: Runs, theirs: Runs, published: Published, plan: Plan) -> dict[str, Any]:
    """Ours, the transcription, and the difference split by split; all in percent."""
    first, second = _by_split(mine, plan), _by_split(theirs, plan)
    difference = paired(first, second)
    return {
        "plan": asdict(plan),
        "machine": machine(),
        "published": asdict(published),
        "ours": _summary(first, mine),
        "transcription": _summary(second, theirs),
        "difference": difference.to_dict(),
        "holds": difference.low >= published.limit,
    }


def _by_split(runs: Runs, plan: Plan) -> list[float]:
    """Percent for every split, the mean over its seeds."""
    accuracies = np.reshape([accuracy for accuracy, _ in runs], (plan.splits, plan.seeds))
    return [round(100 * float(value), 6) for value in accuracies.mean(axis=1)]


def _summary(by_split: list[float], runs: Runs) -> dict[str, Any]:
    epochs = float(np.mean([epochs for _, epochs in runs]))
    return {**estimate(by_split).to_dict(), "epochs": epochs, "splits": by_split}


def published_run(plan: Plan, folder: str | None, name: str, number: int, seed: int) -> tuple[float, int]:
    """Accuracy and epochs of one run of the transcription; called in a process of its own."""
    data, low, high, parts = _at_hand(plan, folder, name)
    published = TABLE[name]
    F, C = data.x.shape[1], int(data.y.max()) + 1
    sizes = {"in_channels": F, "out_channels": C, "num_nodes": data.num_nodes}
    begun = untrained("acm-gcn", {"hidden_channels": HIDDEN}, **sizes, seed=seed)
    model = PublishedACM(F, HIDDEN, C, dropout=published.dropout)
    model.begin_as(begun.state_dict())
    torch.manual_seed(plan.splits * seed + number)  # every run has its own masks of dropout
    run = train_published(
        model.to(plan.other),
        data.x,
        low,
        high,
        data.y,
        parts[number],
        lr=published.lr,
        weight_decay=published.weight_decay,
        max_epochs=plan.max_epochs,
    )
    return run.test_accuracy, run.epochs


@lru_cache(maxsize=1)
def _at_hand(plan: Plan, folder: str | None, name: str) -> tuple[Data, Tensor, Tensor, list[Split]]:
    """What the runs of a process on one dataset share, on the device."""
    data = prepared(name, folder)
    low, high = (part.to(plan.other) for part in stored_pair(data))
    return data.to(plan.other), low, high, splits(data, "random", count=plan.splits)


def measure(names: Sequence[str], plan: Plan, folder: str | None, workers: int, out: Path) -> dict[str, Any]:
    """Compare every dataset that the file does not hold yet, and write the file anew after each."""
    found: dict[str, Any] = json.loads(out.read_text()) if out.exists() else {}
    left = [name for name in names if found.get(name, {}).get("plan") != asdict(plan)]
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=torch.set_num_threads, initargs=(1,)
    )
    try:
        # All are asked for at once, so that nobody waits for the last run of a dataset.
        pending = {
            name: pool.map(partial(published_run, plan, folder, name), *zip(*plan.runs(), strict=True))
            for name in left
        }
        for name in left:
            data, published = prepared(name, folder), TABLE[name]
            mine = ours(data, published.setting, plan)  # while the processes are at work
            found[name] = compared(mine, list(pending[name]), published, plan)
            found[name]["fingerprint"] = data.fingerprint
            _write(out, found)
            print(_line(name, found[name]), flush=True)
    finally:
        pool.shutdown(cancel_futures=True)
    return found


def _write(out: Path, found: dict[str, Any]) -> None:
    write_whole(out, (json.dumps(found, indent=1) + "\n").encode())


def _line(name: str, row: dict[str, Any]) -> str:
    mine, other, gap, published = (row[key] for key in ("ours", "transcription", "difference", "published"))
    return (
        f"{name:15} ours {mine['mean']:.2f} ± {mine['population']:.2f}, "
        f"transcription {other['mean']:.2f} ± {other['population']:.2f}, "
        f"difference {gap['mean']:+.2f} ({gap['low']:+.2f} to {gap['high']:+.2f}, limit {published['limit']}), "
        f"authors' code {published['rerun_mean']:.2f}, published {published['mean']:.2f}"
    )


def main() -> None:
    """Read the command line, and measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--datasets", nargs="+", choices=TABLE, default=list(TABLE), metavar="NAME")
    parser.add_argument("--splits", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=1, help="initial weights on every split")
    parser.add_argument("--epochs", type=int, default=5000, help="the most epochs of a run")
    parser.add_argument("--device", default="cpu", help="where ours is trained")
    parser.add_argument("--other", help="where the transcription is trained; by default there too")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes of the transcription")
    parser.add_argument("--data", help="folder of the datasets; by default the one that ALLPASS_DATA names")
    parser.add_argument("--out", type=Path, required=True, help="JSON file, read first and then rewritten")
    given = parser.parse_args()
    plan = Plan(
        whole_number("splits", given.splits, least=2),  # one has no interval
        whole_number("seeds", given.seeds, least=1),
        whole_number("epochs", given.epochs, least=1),
        given.device,
        given.other or given.device,
    )
    measure(given.datasets, plan, given.data, whole_number("workers", given.workers, least=1), given.out)


if __name__ == "__main__":
    main()
