"""A training step and an evaluation of acm-gcn against PyG's two-layer GCN and against the published form.

Each epoch is what the published protocol does: forward, backward and Adam on the training nodes with dropout 0.5 on the
input and the hidden layer, then a forward without dropout for the validation loss. Graphs and features have the size
and the density of the named datasets.

Each side runs as its own users write it: the peers get dense features and plain ``torch.optim.Adam``, ours gets
features that are sparse where they have zeros, and the fused Adam that allpass trains with. A second row of each
contest, without a goal, gives the peer the fused Adam too, so that the reader sees how much of the difference is the
optimiser.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn import GCNConv

from allpass.graph import Operator, matrix
from allpass.models import create
from benchmarks.spmm import random_edges
from benchmarks.timing import Row, race

HIDDEN, DROPOUT = 64, 0.5


@dataclass(frozen=True)
class Size:
    """A dataset's size, and the ratios not to be exceeded on one CPU thread: against PyG, and the published form.

    A size without goals shows what few features and many edges make of the same contest.
    """

    nodes: int
    entries: int
    features: int
    density: float
    classes: int
    pyg: float | None = None
    published: float | None = None


SIZES = {
    "texas-like": Size(183, 558, 1703, 0.049, 5, 0.6, 0.3),
    "cora-like": Size(2708, 10_556, 1433, 0.0127, 7, 0.4, 0.14),
    "squirrel-like": Size(5201, 396_846, 2089, 0.0086, 5, 0.3, 0.2),
    "pubmed-like": Size(19_717, 88_648, 500, 0.1, 3, 1.0, 0.5),
    "tolokers-like": Size(11_758, 1_038_000, 10, 1.0, 2),
}


class PlainGCN(nn.Module):
    """PyG's two-layer GCN as its examples write it."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.first = GCNConv(size.features, HIDDEN, cached=True)
        self.second = GCNConv(HIDDEN, size.classes, cached=True)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        x = F.dropout(x, DROPOUT, self.training)
        x = F.dropout(self.first(x, edge_index).relu(), DROPOUT, self.training)
        return self.second(x, edge_index)


class PublishedACM(nn.Module):
    """ACM-GCN as published: dense features, a product a channel, and a stored high-pass matrix."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            _PublishedLayer(i, o) for i, o in ((size.features, HIDDEN), (HIDDEN, size.classes))
        )

    def forward(self, x: Tensor, low: Tensor, high: Tensor) -> Tensor:
        x = F.dropout(x, DROPOUT, self.training)
        x = F.dropout(self.layers[0](x, low, high).relu(), DROPOUT, self.training)
        return self.layers[1](x, low, high)


class _PublishedLayer(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.weights = nn.ParameterList(torch.empty(in_channels, out_channels) for _ in range(3))
        self.scores = nn.ParameterList(torch.empty(out_channels, 1) for _ in range(3))
        self.mix = nn.Parameter(torch.empty(3, 3))
        for weight in self.parameters():
            nn.init.uniform_(weight, -(weight.shape[1] ** -0.5), weight.shape[1] ** -0.5)

    def forward(self, x: Tensor, low: Tensor, high: Tensor) -> Tensor:
        low_pass = torch.relu(torch.spmm(low, x @ self.weights[0]))
        high_pass = torch.relu(torch.spmm(high, x @ self.weights[1]))
        identity = torch.relu(x @ self.weights[2])
        parts = (low_pass, high_pass, identity)
        scores = torch.cat([part @ score for part, score in zip(parts, self.scores, strict=True)], dim=1)
        alpha = torch.softmax(torch.sigmoid(scores) @ self.mix / 3, dim=1)
        mixed = alpha[:, :1] * low_pass + alpha[:, 1:2] * high_pass + alpha[:, 2:] * identity
        return 3 * mixed


def run(device: str) -> list[Row]:
    """Every size, on one thread where it is a CPU; then the peak memory of an epoch."""
    rows = []
    for name, size in SIZES.items():
        ours = candidate("ours", size, device, fused=True)
        for peer, goal in (("PyG GCN", size.pyg), ("published ACM", size.published)):
            limit = goal if device == "cpu" else None  # a GPU waits for launches; replicas share them
            for fused, how, bar in ((False, "", limit), (True, ", fused Adam on both sides", None)):
                pair = {"ours": ours, peer: candidate(peer, size, device, fused=fused)}
                rows.append(race(f"{name} against {peer}{how}", pair, goal=bar, repeats=15, least=0.05))
    return rows + [_memory(name, device) for name in SIZES]


def candidate(key: str, size: Size, device: str, *, fused: bool) -> Callable[[], object]:
    """One epoch of ours, of PyG's GCN or of the published ACM, with the fused or with plain Adam."""
    torch.manual_seed(0)
    edge_index = random_edges(size.nodes, size.entries).to(device)
    x = torch.rand(size.nodes, size.features) * (torch.rand(size.nodes, size.features) < size.density)
    x = x.to(device)
    y = torch.randint(0, size.classes, (size.nodes,), device=device)
    train = torch.rand(size.nodes, device=device) < 0.6
    A = Operator.from_edge_index(edge_index, num_nodes=size.nodes)
    model: nn.Module
    given: tuple[Any, ...]
    if key == "ours":
        model = create("acm-gcn", in_channels=size.features, out_channels=size.classes, dropout=DROPOUT)
        given = (Operator.from_sparse(x.to_sparse_csr()) if size.density < 1 else x, A)
    elif key == "PyG GCN":
        model, given = PlainGCN(size), (x, edge_index)
    else:
        model, given = PublishedACM(size), (x, *_stored_pair(A))
    model = model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4, fused=fused or None)
    return _epoch(model, optimizer, given, y, train)


_FRESH_PROCESS = """
import sys
from benchmarks.acm import SIZES, candidate, peak_of
print(peak_of(sys.argv[1], SIZES[sys.argv[2]], sys.argv[3]))
"""


def _memory(name: str, device: str) -> Row:
    """Peak bytes of an epoch, data and model included, each candidate in a process of its own."""
    peaks = {}
    for key in ("ours", "published ACM"):
        command = [sys.executable, "-W", "ignore", "-c", _FRESH_PROCESS, key, name, device]
        # The allocator gives back what is freed, so that what is counted is in use.
        surroundings = {**os.environ, "MALLOC_TRIM_THRESHOLD_": "0", "MALLOC_MMAP_THRESHOLD_": "65536"}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=surroundings)
        peaks[key] = int(done.stdout)
    ours, theirs = (peaks[key] / 2**20 for key in ("ours", "published ACM"))
    case = f"{name} peak memory, {ours:.0f} of {theirs:.0f} MiB of the published ACM"
    return Row(case, {}, ours / theirs, goal=None if SIZES[name].published is None else 1)


def peak_of(key: str, size: Size, device: str) -> int:
    """Bytes in use at the peak of three epochs, beyond what the process had before it made graph and model."""
    torch.set_num_threads(1)
    before = _resident("VmRSS")
    epoch = candidate(key, size, device, fused=key == "ours")
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak of making random features is not ours
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    for _ in range(3):
        epoch()
    return torch.cuda.max_memory_allocated() if device == "cuda" else _resident("VmHWM") - before


def _resident(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(field))


def _stored_pair(A: Operator) -> tuple[Tensor, Tensor]:
    """The low- and the high-pass matrix in coordinates, both stored, as the release has them."""
    low = matrix(A, "A_hat_rw")
    assert isinstance(low, Operator)
    high = low.with_values(-low.values).detached().plus_diagonal(torch.ones_like(A.row_sums))
    first, second = (op.to_sparse().to_sparse_coo().coalesce() for op in (low, high))
    return first, second


def _epoch(
    model: nn.Module, optimizer: torch.optim.Optimizer, given: tuple[Any, ...], y: Tensor, train: Tensor
) -> Callable[[], object]:
    nodes, held = train.nonzero().squeeze(1), (~train).nonzero().squeeze(1)

    def epoch() -> float:
        model.train()
        optimizer.zero_grad()
        F.cross_entropy(model(*given)[nodes], y[nodes]).backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            return float(F.cross_entropy(model(*given)[held], y[held]))

    return epoch
