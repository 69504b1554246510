"""``python -m benchmarks.sweeps``: a sweep of 30 settings on ten splits, with and without what makes it fast.

The same sweep is run with one worker and every setting on every split, with more workers, and with early stopping on
all cores as by default, one after the other in one run of this program. The numbers of a setting do not depend on
the workers, so only early stopping may choose another setting; its test score is compared with that of the full one.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from joblib import cpu_count
from torch_geometric.data import Data

from allpass.data import contextual_sbm, splits
from allpass.files import write_whole
from allpass.train import Store, Sweep, estimate, overlap_of, sweep
from benchmarks.timing import RESULTS, machine

MODEL = "gcn"


def graph(nodes: int) -> Data:
    """Three classes with features and edges that each say a part.

    Args:
        nodes: How many nodes.
    """
    third = nodes // 3
    return contextual_sbm([third] * 3, [[6, 2, 2], [2, 6, 2], [2, 2, 6]], num_features=64, seed=0)


def timed(data: Data, *, count: int, trials: int, epochs: int, **how: Any) -> tuple[Sweep, dict[str, Any]]:
    """A sweep from an empty store, and what is told of it.

    Args:
        data: The graph.
        count: How many splits.
        trials: How many settings.
        epochs: The most epochs of a run.
        **how: Workers and early stopping.
    """
    parts = splits(data, "stratified", count=count)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "runs.db") as store:
        start = time.perf_counter()
        found = sweep(store, MODEL, data, parts, trials=trials, epochs=epochs, on_progress=None, **how)
        seconds = time.perf_counter() - start
    return found, {
        **how,
        "seconds": seconds,
        "runs": found.trained,
        "stopped": found.stopped,
        "chosen": dict(found.chosen.settings),
        "test_score": found.chosen.test.mean,
    }


def measure(data: Data, *, workers: int, **size: int) -> dict[str, Any]:
    """All sweeps, each once.

    Args:
        data: The graph.
        workers: The most workers.
        **size: Splits, settings and epochs.
    """
    counts = sorted({1, workers} | {2**k for k in range(workers.bit_length()) if 2**k <= workers})
    full = [timed(data, **size, workers=count, early_stop=False) for count in counts]
    quick = timed(data, **size, workers=workers, early_stop=True)
    whole, stopped = full[0][0], quick[0]
    gaps = [
        ours - theirs
        for ours, theirs in zip(stopped.chosen.test_scores, whole.chosen.test_scores, strict=True)
    ]
    overlap = overlap_of(splits(data, "stratified", count=size["count"]))
    return {
        "benchmark": "sweeps",
        "model": MODEL,
        "nodes": data.num_nodes,
        **size,
        "sweeps": [told for _, told in (*full, quick)],
        "times_as_fast": full[0][1]["seconds"] / quick[1]["seconds"],
        "difference": estimate(gaps, overlap=overlap).to_dict(),
        "same_numbers": all(found.trials == whole.trials for found, _ in full),
        "machine": machine(),
    }


def main() -> None:
    """Measure and write the result."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweeps", description=__doc__)
    parser.add_argument("--nodes", type=int, default=1200)
    parser.add_argument("--count", type=int, default=10, help="splits")
    parser.add_argument("--trials", type=int, default=30, help="settings")
    parser.add_argument("--epochs", type=int, default=1000, help="the most epochs of a run")
    parser.add_argument("--workers", type=int, default=cpu_count(), help="the most workers")
    parser.add_argument("--out", type=Path, default=RESULTS / "sweeps.json")
    given = parser.parse_args()
    found = measure(
        graph(given.nodes), workers=given.workers, count=given.count, trials=given.trials, epochs=given.epochs
    )
    write_whole(given.out, (json.dumps(found, indent=2) + "\n").encode())
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
