"""All label metrics against PyG's three homophily calls; H_agg and the profile against one product with the labels.

The large graph has a million nodes, 20 million stored entries and ten classes. Its memory is that of a fresh process
that reads the edges from a file, builds the Operator and measures H_agg.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch_geometric.utils import homophily

from allpass.data.generators import planted_partition
from allpass.graph import Operator
from allpass.graph.pattern import Pattern
from allpass.metrics import METRICS, LabelledGraph, aggregation_homophily, profile
from benchmarks.timing import Row, race

LABEL_METRICS = [metric.name for metric in METRICS if metric.needs == {"labels"}]
GIB = 2**30
MEMORY_LIMIT = 4 * GIB

_FRESH_PROCESS = """
import json, resource, sys, time
import numpy as np, torch
from allpass.graph import Operator
from allpass.metrics import aggregation_homophily
edge_index, y = (torch.from_numpy(np.load(f"{sys.argv[1]}/{name}.npy")) for name in ("edges", "labels"))
start = time.perf_counter()
A = Operator.from_edge_index(edge_index, num_nodes=len(y), dtype=torch.float64)
value = aggregation_homophily(A, y)
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"value": value, "seconds": seconds, "peak": peak * (1 if sys.platform == "darwin" else 1024)}))
"""


def run(device: str) -> list[Row]:
    """A graph of Squirrel's size, then the large one; on a CPU alone, where metrics are computed."""
    if device != "cpu":
        return []
    small = _shuffled_graph(5201, 5, 396_846 / 5201)
    large = _shuffled_graph(1_000_000, 10, 20)
    return [
        *_against_pyg("squirrel-like", *small, repeats=21),
        *_against_pyg("1M nodes", *large, repeats=3),
        *_against_one_product(*large),
        _memory(*large),
    ]


def _shuffled_graph(nodes: int, classes: int, degree: float) -> tuple[Tensor, Tensor]:
    """A planted partition whose nodes come in random order, so that no memory access is lucky."""
    data = planted_partition(nodes, classes, degree, 0.3)
    place = torch.randperm(nodes, generator=torch.Generator().manual_seed(0))
    y = torch.empty_like(data.y)
    y[place] = data.y
    return place[data.edge_index], y


def _against_pyg(name: str, edge_index: Tensor, y: Tensor, repeats: int) -> list[Row]:
    fresh = _fresh_copies(edge_index, y)

    def pyg() -> list[float]:
        return [homophily(edge_index, y, method=method) for method in ("edge", "node", "edge_insensitive")]

    def from_edges() -> object:
        return profile(LabelledGraph.build(edge_index, y), LABEL_METRICS)

    def from_operator() -> object:
        return profile(LabelledGraph(fresh(), y), LABEL_METRICS)

    return [
        race(
            f"{name}: {len(LABEL_METRICS)} label metrics from {source}; peer: PyG's 3",
            {"ours": ours, "peer": pyg},
            goal=goal,
            repeats=repeats,
        )
        # From edges ours pays for sorting them, which PyG's passes over unsorted edges never do.
        for source, ours, goal in (("edges", from_edges, 2.0), ("Operator", from_operator, 1.0))
    ]


def _against_one_product(edge_index: Tensor, y: Tensor) -> list[Row]:
    fresh = _fresh_copies(edge_index, y)
    op, Z = fresh(), LabelledGraph(fresh(), y).Z

    def product() -> Tensor:
        return op @ Z

    contests: dict[str, tuple[Callable[[], object], float]] = {
        "H_agg from Operator": (lambda: aggregation_homophily(fresh(), y), 3),
        "all label metrics from Operator": (lambda: profile(LabelledGraph(fresh(), y), LABEL_METRICS), 10),
        "building the Operator": (
            lambda: Operator.from_edge_index(edge_index, num_nodes=len(y), dtype=torch.float64),
            10,
        ),
        "reading the edges as undirected": (lambda: LabelledGraph.build(edge_index, y), 10),
    }
    return [
        race(f"1M nodes: {name}; peer: op @ Z", {"ours": ours, "peer": product}, goal=goal, repeats=5)
        for name, (ours, goal) in contests.items()
    ]


def _fresh_copies(edge_index: Tensor, y: Tensor) -> Callable[[], Operator]:
    """Makes the built Operator anew each time, without what the last measurement left in it."""
    A = Operator.from_edge_index(edge_index, num_nodes=len(y), dtype=torch.float64)
    return lambda: Operator(Pattern(A.pattern.crow, A.pattern.col, A.shape), A.values)


def _memory(edge_index: Tensor, y: Tensor) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "edges.npy", edge_index.numpy())
        np.save(Path(folder) / "labels.npy", y.numpy())
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", _FRESH_PROCESS, folder],
            check=True,
            capture_output=True,
            text=True,
        )
    outcome = json.loads(done.stdout)
    seconds = dict.fromkeys(
        ("ours", "peer"), outcome["seconds"]
    )  # the contest here is for bytes, not for time
    peak, limit = outcome["peak"], MEMORY_LIMIT
    case = f"1M nodes: peak memory of building and H_agg, {peak / GIB:.2f} of {limit / GIB:.0f} GiB"
    return Row(case, seconds, peak / limit, goal=1)
