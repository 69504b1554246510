"""Products with matrices that have few, long rows, cut into strips so that what they read stays in the cache.

The gradient of X W for sparse features X is X^T G: a few hundred rows with thousands of entries each, which jump about
in a G far larger than a cache. Strip by strip of X's nodes, the rows of G in use are few, and the product is two to
four times as fast.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from allpass.graph.pattern import Pattern

_HEIGHT = 1024  # rows of the right-hand side in one strip: half a megabyte at the width of a wide layer
_WIDTH = 192  # wider right-hand sides are taken in parts
_NARROW = 64  # below, the library's product is faster
_ENTRIES = 16  # a row has to have this many entries in a strip, or the strips cost more than they save


class Strips:
    """A pattern cut at every 1024th column.

    Args:
        pattern: What to cut.
    """

    def __init__(self, pattern: Pattern) -> None:
        M, N = pattern.shape
        strip, row = pattern.col.long() // _HEIGHT, pattern.expand_rows()
        self.shape = pattern.shape
        self.order = torch.sort(
            strip, stable=True
        ).indices  # entries of one strip together, rows still ascending
        self.ends = torch.bincount(strip, minlength=math.ceil(N / _HEIGHT)).cumsum(0).tolist()
        self.parts: list[tuple[Tensor, Tensor, tuple[int, int]]] = []  # crow, col, shape of every strip
        for number, (start, stop) in enumerate(self._bounds()):
            mine = self.order[start:stop]
            low, high = number * _HEIGHT, min((number + 1) * _HEIGHT, N)
            counts = torch.bincount(row[mine], minlength=M)
            crow = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
            col = pattern.col[mine] - low
            self.parts.append((crow.to(col.dtype), col, (M, high - low)))

    def _bounds(self) -> Iterator[tuple[int, int]]:
        return zip([0, *self.ends[:-1]], self.ends, strict=True)

    def multiply(self, values: Tensor, x: Tensor) -> Tensor:
        """A(values) x for x ``[N, F]``, without gradients."""
        sorted_ = values[self.order]
        matrices = [
            torch.sparse_csr_tensor(crow, col, sorted_[start:stop], shape, check_invariants=False)
            for (crow, col, shape), (start, stop) in zip(self.parts, self._bounds(), strict=True)
        ]
        columns = [self._narrow(matrices, tile) for tile in x.split(_WIDTH, dim=1)]
        return columns[0] if len(columns) == 1 else torch.cat(columns, dim=1)

    def _narrow(self, matrices: list[Tensor], x: Tensor) -> Tensor:
        x = x.contiguous()
        result = x.new_zeros(self.shape[0], x.shape[1])
        for number, matrix in enumerate(matrices):
            rows = x[number * _HEIGHT : number * _HEIGHT + matrix.shape[1]]
            result += torch.sparse.mm(matrix, rows, "sum")
        return result


def worth_cutting(pattern: Pattern) -> bool:
    """Whether the rows are long enough, and the right-hand side tall enough, for strips to pay."""
    M, N = pattern.shape
    tall = N >= 4 * _HEIGHT and pattern.device.type == "cpu"
    return tall and pattern.nnz >= _ENTRIES * M * math.ceil(N / _HEIGHT)


def wide_enough(x: Tensor) -> bool:
    """Whether the right-hand side has columns enough."""
    return x.dim() == 2 and x.shape[1] >= _NARROW and x.dtype in (torch.float32, torch.float64)
