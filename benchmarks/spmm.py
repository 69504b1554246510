"""``op @ X`` against torch's own CSR product and against PyG's gather and scatter, forward and with backward."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch_geometric.utils import scatter

from allpass.graph import Operator, matrix
from benchmarks.timing import Row, race

GOAL = 1.1
SIZES = {"cora-like": (2708, 10_556), "squirrel-like": (5201, 396_846), "pubmed-like": (19_717, 88_648)}
WIDTHS = (16, 64, 192)


def random_edges(nodes: int, entries: int, seed: int = 0) -> Tensor:
    """A symmetric random graph with a few hubs, as real ones have: ends are drawn by rank to the power -1/2."""
    generator = torch.Generator().manual_seed(seed)
    popularity = torch.arange(1, nodes + 1).double().rsqrt()
    popularity = popularity[torch.randperm(nodes, generator=generator)]
    ends = torch.multinomial(popularity, entries, replacement=True, generator=generator).reshape(2, -1)
    return torch.cat([ends, ends.flip(0)], dim=1)


def run(device: str) -> list[Row]:
    """Every size, width and direction."""
    rows = []
    for name, (nodes, entries) in SIZES.items():
        A = Operator.from_edge_index(random_edges(nodes, entries), num_nodes=nodes)
        op = matrix(A, "A_hat_sym").to(device)
        assert isinstance(op, Operator)
        for width in WIDTHS:
            products = _products(op)
            x = torch.randn(nodes, width, device=device)
            forward = {key: _forward(product, x) for key, product in products.items()}
            rows.append(race(f"{name} F={width} forward", forward, goal=GOAL))
            both = {key: _with_backward(product, x) for key, product in products.items()}
            rows.append(race(f"{name} F={width} forward+backward", both, goal=GOAL))
    return rows


def _products(op: Operator) -> dict[str, Callable[[Tensor], Tensor]]:
    source, target = op.edge_index
    nodes, weight = op.shape[0], op.values.unsqueeze(1)
    csr = torch.sparse_csr_tensor(op.pattern.crow.long(), op.pattern.col.long(), op.values, op.shape)
    return {
        "ours": lambda x: op @ x,
        "torch CSR": lambda x: csr @ x,
        "PyG scatter": lambda x: scatter(weight * x[source], target, dim_size=nodes, reduce="sum"),
    }


def _forward(product: Callable[[Tensor], Tensor], x: Tensor) -> Callable[[], object]:
    return lambda: product(x)


def _with_backward(product: Callable[[Tensor], Tensor], x: Tensor) -> Callable[[], object]:
    leaf = x.clone().requires_grad_()
    grad = torch.ones_like(x)
    return lambda: torch.autograd.grad(product(leaf), leaf, grad)
