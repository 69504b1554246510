"""What a learned graph costs: an epoch next to one of GCN, and how time and memory grow with the graph.

``python -m benchmarks.adjacency NODES`` measures a graph of that size alone, as the benchmark does in processes of
their own: seconds an epoch with its share of the refreshes, and the most memory it took. Times are CPU time, which
other programs on the machine change little: on one thread, the time by the clock of a machine that is idle otherwise.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time

import torch
from torch_geometric.data import Data

from allpass.data import load
from allpass.data.splits import Split, several, splits
from allpass.graph.operator import Operator
from allpass.nn.adjacency import AdjacencyLearner
from allpass.nn.adjacency.pretraining import _finished
from allpass.nn.adjacency.search import approximate, exact
from allpass.train.fit import fit
from benchmarks.timing import Row

EPOCHS = 10  # and the refresh before them
PUBMED_EPOCHS = 50
SIZES = (50_000, 200_000)
K1 = 20
SEEN = 5_000
MEMORY = 4 * 2**30


def run(device: str) -> list[Row]:
    """Rows for a CPU; on a GPU nothing is claimed."""
    if device != "cpu":
        return []
    small, large = (_measured(nodes) for nodes in SIZES)
    whole, part = large["epoch"], small["epoch"] * SIZES[1] / SIZES[0]
    lost = 1 - recall(SIZES[1])
    return [
        _epochs(),
        Row(
            f"an epoch of {SIZES[1]:,} nodes, against as many candidates of {SIZES[0]:,} nodes",
            {"ours": whole, f"{SIZES[0]:,} nodes": part},
            whole / part,
            1.3,
        ),
        Row(f"memory at {SIZES[1]:,} nodes, of 4 GiB", {}, large["bytes"] / MEMORY, 1.0),
        Row(f"neighbours missed at {SIZES[1]:,} nodes, of a tenth", {}, lost / 0.1, 1.0),
    ]


def _epochs(repeats: int = 3) -> Row:
    """An epoch of adjacency-gcn on PubMed, with its refreshes and its share of the pretraining, next to one of gcn."""
    data = load("pubmed")
    split = several(splits(data, "public"))[0]
    seconds: dict[str, list[float]] = {"ours": [], "gcn": []}
    for _ in range(repeats):
        for name, model in (("gcn", "gcn"), ("ours", "adjacency-gcn")):
            _finished.clear()  # every training pays for its pretraining
            start = time.process_time()
            fit(model, data, split, stop="fixed", epochs=PUBMED_EPOCHS, weights=False, on_progress=None)
            seconds[name].append((time.process_time() - start) / PUBMED_EPOCHS)
    ratios = sorted(ours / gcn for ours, gcn in zip(seconds["ours"], seconds["gcn"], strict=True))
    medians = {name: sorted(values)[repeats // 2] for name, values in seconds.items()}
    return Row("an epoch on PubMed with the defaults", medians, ratios[repeats // 2], 10.0)


def large_graph(nodes: int) -> tuple[Data, Split]:
    """Ten clustered classes, five random edges a node, and a training label for one node in a hundred."""
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(nodes) % 10
    x = torch.randn(10, 64, generator=generator)[y] + torch.randn(nodes, 64, generator=generator)
    edges = torch.randint(nodes, (2, 5 * nodes), generator=generator)
    part = torch.rand(nodes, generator=generator)
    data = Data(x=x, y=y, edge_index=edges, num_nodes=nodes, name=f"{nodes} nodes")
    return data, Split(part < 0.01, (part >= 0.01) & (part < 0.02), part >= 0.02, "random")


def measure(nodes: int) -> dict[str, float]:
    """Seconds an epoch, refreshes included, and the most bytes that this process ever held."""
    data, split = large_graph(nodes)
    settings = {"k1": K1, "search": "approximate", "pretraining": 0}
    start = time.process_time()
    fit("adjacency-gcn", data, split, settings, stop="fixed", epochs=EPOCHS, weights=False, on_progress=None)
    seconds = (time.process_time() - start) / EPOCHS
    return {"epoch": seconds, "bytes": 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}


def _measured(nodes: int) -> dict[str, float]:
    """The same in a process of its own, whose memory nothing else has used."""
    words = [sys.executable, "-m", "benchmarks.adjacency", str(nodes)]
    threads = {"OMP_NUM_THREADS": str(torch.get_num_threads())}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, **threads})
    found: dict[str, float] = json.loads(done.stdout)
    return found


def recall(nodes: int) -> float:
    """The share of the 20 most similar nodes of 5,000 sampled ones that approximate search finds.

    Positions are those of a learner that is not trained yet.
    """
    data, _ = large_graph(nodes)
    torch.manual_seed(0)
    learner = AdjacencyLearner(data.num_features).eval()
    given = Operator.from_edge_index(data.edge_index, num_nodes=nodes)
    with torch.no_grad():
        z = learner.positions(data.x, given)
    found = approximate(z, given, K1)
    chosen = torch.randperm(nodes, generator=torch.Generator().manual_seed(1))[:SEEN]
    return float(
        (found[chosen].unsqueeze(2) == exact(z, given, K1, nodes=chosen).unsqueeze(1)).any(2).double().mean()
    )


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
