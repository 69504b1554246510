"""The places of a sparse matrix's entries, without their values."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import cached_property
from typing import TypeVar

import torch
from torch import Tensor

_INT32_MAX = 2**31 - 1

_thread = threading.local()

ResultT = TypeVar("ResultT")


def outside(compute: Callable[[], ResultT], device: torch.device) -> ResultT:
    """``compute()`` free of whatever transformation is running, so that its result may be kept.

    What is first asked for inside ``vmap``, ``grad``, ``torch.export`` or ``inference_mode`` would otherwise be kept
    as a tensor of that transformation and be useless after it. All of these belong to a thread: a new one has none.
    """
    if getattr(_thread, "fresh", False):
        return compute()
    stream = torch.cuda.stream(torch.cuda.current_stream(device)) if device.type == "cuda" else nullcontext()

    def run() -> ResultT:
        _thread.fresh = True
        with stream:
            return compute()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


class Pattern:
    """Compressed sparse rows without values: the places that many operators may share.

    Indices are 32-bit wherever they fit, which halves the bytes a product has to read. Everything derived
    from a pattern (its transpose, its block-diagonal repetition) is computed once and kept.

    Args:
        crow: Row pointers, ``[M + 1]``.
        col: Column of every entry, ascending within a row, ``[E]``.
        shape: ``(M, N)``.
    """

    def __init__(self, crow: Tensor, col: Tensor, shape: tuple[int, int]) -> None:
        index = torch.int32 if max(*shape, col.numel()) <= _INT32_MAX else torch.int64
        self.crow = crow.to(index)
        self.col = col.to(index)
        self.shape = shape
        self._blocks: dict[int, Pattern] = {}
        self._origin: tuple[Pattern, Tensor] | None = None  # of a transpose: what it is the transpose of

    @property
    def nnz(self) -> int:
        """Number of stored entries."""
        return self.col.numel()

    @property
    def device(self) -> torch.device:
        """Where the indices live."""
        return self.col.device

    @cached_property
    def row(self) -> Tensor:
        """Row of every entry, ``[E]``, 64-bit."""
        return outside(self.expand_rows, self.device)

    def expand_rows(self) -> Tensor:
        """The same, made anew: for whoever needs it once."""
        counts = self.crow.diff().long()
        rows = torch.arange(self.shape[0], device=self.device)
        return torch.repeat_interleave(rows, counts, output_size=self.nnz)

    @cached_property
    def transposition(self) -> tuple[Pattern, Tensor]:
        """The transposed pattern, and for each of its entries the position of that entry here."""
        return outside(self._transposition, self.device)

    def _transposition(self) -> tuple[Pattern, Tensor]:
        if self._origin is not None:
            # The way back: entry p here stands at order[p] there, so its inverse leads home.
            origin, order = self._origin
            inverse = torch.empty_like(order)
            inverse[order] = torch.arange(self.nnz, device=self.device)
            return origin, inverse
        # A stable sort by column keeps rows ascending within each column, which is what CSR asks for.
        order = torch.sort(self.col, stable=True).indices
        counts = torch.bincount(self.col, minlength=self.shape[1])
        crow = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
        transposed = Pattern(crow, self.expand_rows()[order], (self.shape[1], self.shape[0]))
        transposed._origin = self, order
        return transposed, order

    def block_diagonal(self, copies: int) -> Pattern:
        """The pattern repeated ``copies`` times along the diagonal; the last two asked for are kept.

        Two, because a network may need one for its replicas and another for its attention heads.
        """
        if copies not in self._blocks:
            kept = list(self._blocks.items())[-1:]
            self._blocks = dict([*kept, (copies, outside(lambda: self._block_diagonal(copies), self.device))])
        return self._blocks[copies]

    def _block_diagonal(self, copies: int) -> Pattern:
        M, N = self.shape
        step = torch.arange(copies, device=self.device).unsqueeze(1)  # [R, 1]
        col = (self.col.long() + step * N).reshape(-1)
        crow = (self.crow[:-1].long() + step * self.nnz).reshape(-1)
        crow = torch.cat([crow, crow.new_full((1,), copies * self.nnz)])
        return Pattern(crow, col, (copies * M, copies * N))

    @cached_property
    def with_diagonal(self) -> tuple[Pattern, Tensor, Tensor]:
        """The pattern with every place of the diagonal, and where in it the entries and the diagonal stand."""
        return outside(self._with_diagonal, self.device)

    def _with_diagonal(self) -> tuple[Pattern, Tensor, Tensor]:
        M, N = self.shape
        loops = torch.arange(min(M, N), device=self.device)
        places = torch.cat([self.expand_rows() * N + self.col, loops * (N + 1)])
        merged, where = torch.unique(places, return_inverse=True)
        counts = torch.bincount(merged // N, minlength=M) if N else merged.new_zeros(M)
        crow = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
        pattern = Pattern(crow, merged % N if N else merged, self.shape)
        return pattern, where[: self.nnz], where[self.nnz :]

    def filled(self, values: Tensor) -> Tensor:
        """The sparse CSR tensor with these places and values ``[E]``."""
        return torch.sparse_csr_tensor(self.crow, self.col, values, self.shape, check_invariants=False)

    def to(self, device: torch.device | str) -> Pattern:
        """The same pattern on another device."""
        if torch.device(device) == self.device:
            return self
        return Pattern(self.crow.to(device), self.col.to(device), self.shape)
