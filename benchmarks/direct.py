"""``python -m benchmarks.run direct``: models without epochs, against the plain sparse products they stand on.

Label propagation on a graph as large as a real one of web pages: 22,000 nodes, 171,000 links, 4 classes. Its peer is
50 SciPy CSR products of the same size with the same updates, in float32. ``fit`` is the whole call: checks, the
normalised matrix, one evaluation, scores. Trees are timed on a graph of PubMed's size, where there is no peer.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch_geometric.data import Data

from allpass.data import splits
from allpass.graph import Operator
from allpass.nn import LabelPropagation
from allpass.train import fit
from benchmarks.timing import Row, race

NODES, LINKS, CLASSES, STEPS, ALPHA = 22_000, 171_000, 4, 50, 0.9
PUBMED = {"nodes": 19_717, "links": 44_324, "features": 500, "classes": 3}


def homophilous(nodes: int, links: int, classes: int, features: int = 0) -> Data:
    """Links join the same class in 88 of 100; features are words, of which a tenth is there."""
    generator = torch.Generator().manual_seed(0)
    y = torch.randint(classes, (nodes,), generator=generator)
    source = torch.randint(nodes, (links,), generator=generator)
    by_class = [(y == c).nonzero().flatten() for c in range(classes)]
    target = torch.randint(nodes, (links,), generator=generator)
    alike = torch.rand(links, generator=generator) < 0.88
    for c, members in enumerate(by_class):
        mine = alike & (y[source] == c)
        target[mine] = members[torch.randint(len(members), (int(mine.sum()),), generator=generator)]
    edges = torch.stack([source, target])
    x = torch.rand(nodes, features, generator=generator) if features else torch.ones(nodes, 1)
    x = x * (torch.rand(x.shape, generator=generator) < 0.1) if features else x
    if features:
        x[:, :classes] += torch.eye(classes)[y] * (torch.rand(nodes, 1, generator=generator) < 0.5)
    return Data(x=x, edge_index=torch.cat([edges, edges.flip(0)], 1).unique(dim=1), y=y, num_nodes=nodes)


def run(device: str) -> list[Row]:
    """The contests; they run on a CPU alone."""
    return [] if device != "cpu" else [*propagation(), trees()]


def propagation() -> list[Row]:
    """The layer, and the whole call of ``fit``, against SciPy."""
    data = homophilous(NODES, LINKS, CLASSES)
    (split,) = splits(data, "random", count=1)
    A = Operator.from_edge_index(data.edge_index, num_nodes=NODES)
    layer, known = (
        LabelPropagation(CLASSES, num_layers=STEPS, alpha=ALPHA),
        {"labels": data.y, "mask": split.train},
    )
    S, Y_0 = (
        _normalised(A),
        np.where(split.train.numpy()[:, None], np.eye(CLASSES)[data.y], 0).astype(np.float32),
    )

    def scipy() -> Any:
        Y = Y_0
        for _ in range(STEPS):
            Y = ALPHA * (S @ Y) + (1 - ALPHA) * Y_0
        return Y

    with torch.no_grad():
        ours = layer(data.x, A, **known).numpy()
        np.testing.assert_allclose(ours, scipy(), rtol=1e-3, atol=1e-5)
        name = f"label propagation, {NODES:,} nodes, {LINKS:,} links"
        spread = race(
            f"{name}: {STEPS} steps", {"ours": lambda: layer(data.x, A, **known), "scipy": scipy}, goal=2.0
        )
        whole = race(
            f"{name}: fit", {"ours": lambda: fit("label-propagation", data, split), "scipy": scipy}, goal=None
        )
    return [spread, whole]


def trees() -> Row:
    """Seconds a split on a graph of PubMed's size, the first of which makes the columns that all share."""
    data = homophilous(**PUBMED)
    parts = splits(data, "random", count=3)
    start = time.perf_counter()
    fit("trees", data, parts[0])
    first = time.perf_counter() - start
    start = time.perf_counter()
    fit("trees", data, parts)
    each = (time.perf_counter() - start) / len(parts)
    return Row(
        f"trees, {PUBMED['nodes']:,} nodes, {PUBMED['features']} words: a split of three",
        {"ours": each, "alone": first},
        each / first,
        None,
    )


def _normalised(A: Operator) -> Any:
    crow, col = A.pattern.crow.numpy(), A.pattern.col.numpy()
    M = sp.csr_array((A.values.numpy(), col, crow), shape=A.shape)
    half = 1 / np.sqrt(np.maximum(np.asarray(M.sum(axis=1)).ravel(), 1))
    return sp.csr_array(sp.diags_array(half) @ M @ sp.diags_array(half), dtype=np.float32)
