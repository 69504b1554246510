"""What layers cost: by formula, as printed and recounted, and counted on a real network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from allpass.graph import Operator

aten = torch.ops.aten


@dataclass(frozen=True)
class Size:
    """What of a graph costs.

    Args:
        nodes: N.
        edges: Entries of A.
        entries: Entries of Â, and of I − Â.
    """

    nodes: int
    edges: int
    entries: int

    @classmethod
    def of(cls, A: Operator) -> Size:
        """The size of an adjacency."""
        pattern = A.pattern
        loops = int((pattern.row == pattern.col).sum())
        return cls(A.shape[0], pattern.nnz, pattern.nnz + A.shape[0] - loops)


@dataclass(frozen=True)
class Cost:
    """Learnable parameters, and floating-point operations of one pass forward.

    Args:
        parameters: How many numbers are learnt.
        flops: How many operations it takes; a multiplication and an addition are two.
    """

    parameters: int
    flops: int

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.parameters + other.parameters, self.flops + other.flops)


Layer = Callable[[Size, int, int], Cost]
"""The cost of a layer from F to O columns."""


def linear(size: Size, F: int, O: int) -> Cost:
    """H W."""
    return Cost(F * O, 2 * size.nodes * F * O)


def convolution(size: Size, F: int, O: int) -> Cost:
    """Â H W, without a bias, in the order that sends fewer columns over the edges."""
    return linear(size, F, O) + Cost(0, 2 * min(F, O) * size.entries)


def convolution_as_printed(size: Size, F: int, O: int) -> Cost:
    """Â (H W): right where a layer narrows its input, as all of the source do."""
    return linear(size, F, O) + Cost(0, 2 * O * size.entries)


def mixing(size: Size, F: int, O: int, channels: int = 3) -> Cost:
    """A layer of adaptive channel mixing, recounted from its definition.

    Three weights, a score for each channel and a square of mixing weights; three products with weights and two with
    filters, scores, mixing weights, and the weighted sum. A layer that widens its input filters that, with one product
    and one subtraction. A fourth channel is that of the structure, A W.
    """
    N, C = size.nodes, channels
    filters = 2 * F * size.entries + N * F if F < O else 4 * O * size.entries
    features = Cost(3 * F * O, 6 * N * F * O + filters)
    structure = Cost(N * O, 2 * O * size.edges) if channels == 4 else Cost(0, 0)
    return features + structure + Cost(C * O + C * C, 2 * C * N * O + 2 * C * C * N + (2 * C - 1) * N * O)


def mixing_as_printed(size: Size, F: int, O: int) -> Cost:
    """The formulas of the papers: 3 F (O + 1) + 9, and N O (8 + 6 F) + 2 O (nnz(LP) + nnz(HP)) + 18 N."""
    N = size.nodes
    return Cost(3 * F * (O + 1) + 9, N * O * (8 + 6 * F) + 4 * O * size.entries + 18 * N)


def krylov(size: Size, F: int, O: int, blocks: int = 5) -> Cost:
    """[H, ÂH, ..., Â^(m-1) H] W, computed from the innermost bracket out: H W_0 + Â (H W_1 + Â (...))."""
    further = blocks - 1
    return Cost(
        blocks * F * O, 2 * size.nodes * blocks * F * O + further * O * (2 * size.entries + size.nodes)
    )


LAYERS: Mapping[str, tuple[Layer, Layer | None]] = {
    "convolution": (convolution, convolution_as_printed),
    "mixing": (mixing, mixing_as_printed),
    "mixing with structure": (partial(mixing, channels=4), None),
    "krylov": (krylov, None),
}
"""The layers by name: the cost recounted, and as it was printed where it was."""

FRAMES: Mapping[str, Callable[[int, int, int], Sequence[tuple[int, int]]]] = {
    "one layer": lambda F, _, C: [(F, C)],
    "two layers": lambda F, hidden, C: [(F, hidden), (hidden, C)],
    "snowball": lambda F, hidden, C: [(F, hidden), (F + hidden, C)],
    "hidden and readout": lambda F, hidden, _: [(F, hidden)],
}
"""The widths of the layers of a network by its frame, for F features, hidden columns and C classes."""


def by_formula(layer: Layer, frame: str, size: Size, F: int, hidden: int, C: int) -> Cost:
    """The cost of a whole network.

    Args:
        layer: The cost of one of its layers.
        frame: A name of ``FRAMES``; the readout of the last one is a linear map.
        size: The graph.
        F: Number of features.
        hidden: Columns between layers.
        C: Number of classes.
    """
    start = linear(size, hidden, C) if frame == "hidden and readout" else Cost(0, 0)
    return sum((layer(size, i, o) for i, o in FRAMES[frame](F, hidden, C)), start=start)


@torch.no_grad()
def count(network: nn.Module, x: Tensor, A: Operator) -> Cost:
    """The cost of a real network: its parameters, and the operations of one pass forward as torch is asked for them.

    Counted are products, of dense and of sparse matrices, sums, and what is done entry by entry with additions and
    multiplications. Not counted are activations, softmax, and what only moves numbers.

    Args:
        network: The network; its parameters are on the CPU.
        x: Dense features ``[N, F]``.
        A: The adjacency.

    Example:
        >>> A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]]))
        >>> from allpass.nn import GCNConv
        >>> count(GCNConv(3, 5, bias=False), torch.rand(2, 3), A)  # 2 * 2 * 3 * 5 + 2 * 4 * 3
        Cost(parameters=15, flops=84)
    """
    network.eval()
    network(x, A)  # what is kept of the graph is made now
    with _Counter() as counter:
        network(x, A)
    return Cost(sum(parameter.numel() for parameter in network.parameters()), counter.flops)


class _Counter(TorchDispatchMode):
    """Adds up the operations that torch is asked for."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.flops = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        flops = _FLOPS.get(func.overloadpacket)
        if flops is not None:
            self.flops += flops(args, result)
        return result


def _rows_in_bags(args: tuple[Any, ...], _: Any) -> int:
    """A sparse product as weighted sums of rows: each entry of the matrix meets a row."""
    rows, places = args[0], args[1]
    return 2 * places.numel() * rows.shape[1]


def _each_entry(_: Any, result: Tensor) -> int:
    return result.numel()


_FLOPS: Mapping[Any, Callable[[tuple[Any, ...], Any], int]] = {
    aten.mm: lambda args, _: 2 * args[0].numel() * args[1].shape[1],
    aten.mv: lambda args, _: 2 * args[0].numel(),
    aten._embedding_bag_forward_only: _rows_in_bags,
    aten._embedding_bag: _rows_in_bags,
    **dict.fromkeys((aten.add, aten.sub, aten.mul, aten.div), _each_entry),
    aten.addcmul: lambda _, result: 2 * result.numel(),
    aten.sum: lambda args, _: args[0].numel(),
}
