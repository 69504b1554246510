"""The given edges and the candidates as one pattern, built on the host whenever candidates are chosen."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.matrices import degree_power
from allpass.graph.operator import Operator
from allpass.graph.pattern import Pattern, outside

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, eq=False)
class CandidateGraph:
    """A graph with the candidates of its nodes: what an adjacency learner works on between two choices of candidates.

    It takes the place of the graph where an adjacency learner, or a model around one, is called.

    Args:
        given: The given graph without self-loops.
        chosen: Candidates of the complement ``[N, k1]``, -1 for none.
        pattern: Both, in both directions, and the diagonal.
        weights: Weight of each entry in the given graph, ``[E]``; 0 for candidates.
        share: The share of the learned graph in the mixture; 0 while a warm-up lasts.
        temperature: Divides the scores.
        slow: Scores of the slowly moving weights, ``[E]``, where there are some.
        fixed: The learned graph, where nothing in it changes until candidates are chosen again.
    """

    given: Operator
    chosen: Tensor
    pattern: Pattern
    weights: Tensor
    share: float = 1.0
    temperature: float = 1.0
    slow: Tensor | None = None
    fixed: Operator | None = None
    _kept: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, given: Operator, chosen: Tensor, share: float = 1.0, temperature: float = 1.0
    ) -> CandidateGraph:
        """Build the pattern.

        Args:
            given: The given graph.
            chosen: Candidates ``[N, k1]``, -1 for none.
            share: See the class.
            temperature: See the class.
        """
        given = without_loops(given)
        N, device = given.shape[0], given.device
        adjacency = given.to("cpu").detached()._csr_view()
        if (adjacency.data < 0).any():
            raise InputError(
                f"Got {int((adjacency.data < 0).sum())} negative edge weights for an adjacency learner.",
                "Expected weights of 0 or more.",
            )
        picked = chosen.cpu().numpy()
        rows, slots = np.nonzero(picked >= 0)
        places = rows.astype(np.int32), picked[rows, slots].astype(np.int32)
        new = sp.coo_array((np.ones(len(rows), np.int8), places), shape=(N, N)).tocsr()
        old = sp.csr_array((np.ones(adjacency.nnz, np.int8), adjacency.indices, adjacency.indptr), (N, N))
        union = new + old
        union.data[:] = 1
        union = sp.csr_array(union + union.T + sp.eye_array(N, dtype=np.int8, format="csr"))
        union.sort_indices()
        pattern = Pattern(torch.from_numpy(union.indptr), torch.from_numpy(union.indices), (N, N))
        pattern = pattern.to(device)
        weights = torch.zeros(pattern.nnz, dtype=given.dtype, device=device)
        if given.nnz:
            stored = pattern.expand_rows() * N + pattern.col
            wanted = given.pattern.row * N + given.pattern.col
            weights[torch.searchsorted(stored, wanted)] = given.values.detach()
        return cls(given, chosen, pattern, weights, share, temperature)

    @property
    def mirrored(self) -> Tensor:
        """For each entry (i, j) the position of (j, i), ``[E]``."""
        return self.pattern.transposition[1]

    @property
    def loops(self) -> Tensor:
        """The positions of the diagonal, ``[N]``."""
        return self._once("loops", lambda: (self.pattern.row == self.pattern.col).nonzero().squeeze(1))

    @property
    def places(self) -> Tensor:
        """The position of each candidate of :attr:`chosen`, ``[N, k1]``; anything where there is none."""

        def compute() -> Tensor:
            N = self.pattern.shape[0]
            rows = torch.arange(N, device=self.chosen.device).unsqueeze(1)
            stored = self.pattern.row * N + self.pattern.col
            return torch.searchsorted(stored, rows * N + self.chosen.clamp(min=0)).clamp(max=len(stored) - 1)

        return self._once("places", compute)

    @property
    def normalized(self) -> Tensor:
        """The weights of D^-1/2 A D^-1/2, ``[E]``."""

        def compute() -> Tensor:
            degrees = self.given.row_sums.detach()
            half = degree_power(degrees, -0.5)
            return Operator(self.pattern, self.weights).scale(half, half).values

        return self._once("normalized", compute)

    def long_rows(self, keep: int) -> list[tuple[Tensor, Tensor]]:
        """Rows of more than ``keep`` candidates by their length: their numbers ``[n]``, their entries ``[n, L]``.

        Lengths are rounded up to powers of two; the position E stands for no entry.
        """
        return self._once(f"rows of more than {keep}", lambda: self._long_rows(keep))

    def _long_rows(self, keep: int) -> list[tuple[Tensor, Tensor]]:
        crow = self.pattern.crow.long()
        lengths = crow.diff()
        found = []
        least, most = keep + 1, 1 << (keep + 1).bit_length()  # one more than are kept, as the diagonal counts
        while bool((lengths > least).any()):
            rows = ((lengths > least) & (lengths <= most)).nonzero().squeeze(1)
            if len(rows):
                place = crow[rows].unsqueeze(1) + torch.arange(most, device=crow.device)
                inside = place < crow[rows + 1].unsqueeze(1)
                found.append((rows, torch.where(inside, place, self.pattern.nnz)))
            least, most = most, 2 * most
        return found

    def _once(self, name: str, compute: Callable[[], ResultT]) -> ResultT:
        if name not in self._kept:
            self._kept[name] = outside(compute, self.pattern.device)
        return self._kept[name]


def without_loops(given: Operator) -> Operator:
    """The graph without self-loops, which networks add themselves; kept with the graph."""

    def compute() -> Operator:
        if given.shape[0] == 0 or not bool((given.pattern.row == given.pattern.col).any()):
            return given
        csr = given.to("cpu").to_scipy()
        csr.setdiag(0)
        csr.eliminate_zeros()
        return Operator.from_scipy(csr, dtype=given.dtype).to(given.device)

    return given.derived("without self-loops", compute)


def stamp_of(given: Operator) -> int:
    """A number that says which graph it is: a hash of its edges."""

    def compute() -> int:
        digest = hashlib.blake2b(digest_size=7)
        for part in (given.pattern.crow, given.pattern.col):
            digest.update(part.cpu().numpy().tobytes())
        return int.from_bytes(digest.digest(), "little") + 1  # 0 is no graph

    return given.derived("stamp", compute)
