r"""Step 3 of an adjacency learner: which candidates are kept, and how they join the given graph.

With logits l and weights w of the candidates, and m = 1 for the :math:`k_2` candidates of each row that are kept:

==============  =====================================  =============================================
fusion          training                               evaluation
==============  =====================================  =============================================
``"top-k"``     m w, with m by l                       the same
``"gumbel"``    m w, with m by l + Gumbel noise        m w, with m by l
``"sample"``    Bernoulli(p), p = min(1, k2 softmax)   p
==============  =====================================  =============================================

Gradients go straight through: those of w, or of p, for every candidate, kept or not.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function

from allpass.errors import InputError
from allpass.graph.functions import call
from allpass.graph.matrices import degree_power
from allpass.graph.operator import Operator
from allpass.nn.adjacency.pattern import CandidateGraph
from allpass.nn.adjacency.scores import row_softmax
from allpass.nn.dropout import hashed, spread_indices

Fusion = Literal["top-k", "gumbel", "sample"]
RANDOM: tuple[Fusion, ...] = ("gumbel", "sample")


def checked_fusion(name: str) -> Fusion:
    """The name, where there is such a fusion."""
    if name not in get_args(Fusion):
        raise InputError(f"Got fusion = {name!r}.", f"Expected one of {', '.join(get_args(Fusion))}.")
    return name  # type: ignore[return-value]


class LearnedOperator(Operator):
    """An adjacency whose values were computed in this forward, and what follows from them in the same forward.

    All its values are 0 or more, and its pattern holds the diagonal.

    Args:
        graph: Where the entries stand.
        values: ``[E]``, differentiable.
    """

    def __init__(self, graph: CandidateGraph, values: Tensor) -> None:
        super().__init__(graph.pattern, values, _learnable=True)
        self._graph = graph

    @property
    def has_negative(self) -> bool:
        return False

    def derived(self, name, compute):  # type: ignore[no-untyped-def]
        """``compute()``, once in this forward; several layers of a network share it."""
        if name not in self._kept:
            self._kept[name] = compute()
        return self._kept[name]

    def plus_diagonal(self, values: Tensor) -> Operator:
        """A + diag(values) in the same pattern."""
        return LearnedOperator(self._graph, self.values.index_add(0, self._graph.loops, values))

    def _revalued(self, values: Tensor) -> Operator:
        return LearnedOperator(self._graph, values)


def constant(learned: Operator) -> Operator:
    """The entries other than 0, as constants."""
    kept = learned.values.detach() != 0
    rows, cols = learned.pattern.row[kept], learned.pattern.col[kept]
    return Operator._from_entries(rows, cols, learned.values.detach()[kept], learned.shape)


def kept(logits: Tensor, graph: CandidateGraph, k: int) -> Tensor:
    """Which entries are among the k largest of their row, bool ``[E]``; equal ones are all kept, loops never."""
    mask = logits > -torch.inf
    rows = graph.long_rows(k)
    if not rows:
        return mask
    padded = torch.cat([logits.detach(), logits.new_full((1,), -torch.inf)])
    least = logits.detach().new_full((graph.pattern.shape[0],), -torch.inf)
    for numbers, entries in rows:
        least = least.index_copy(0, numbers, kth_largest(padded[entries], k))
    return mask & (logits.detach() >= least.index_select(0, graph.pattern.row))


@torch.library.custom_op("allpass::kth_largest", mutates_args=())
def kth_largest(values: Tensor, k: int) -> Tensor:
    """The k-th largest value of each row of ``[n, L]``; NumPy sorts short rows ten times as fast as torch."""
    if values.device.type != "cpu":
        return values.topk(k, dim=1).values[:, -1].clone()
    return torch.from_numpy(np.ascontiguousarray(np.sort(values.numpy(), axis=1)[:, -k]))


def chosen_weights(
    logits: Tensor, weights: Tensor, graph: CandidateGraph, k: int, fusion: Fusion, key: Tensor | None
) -> Tensor:
    """The weights ``[E]`` of the candidates that are kept, 0 for the others.

    Args:
        logits: Of all candidates.
        weights: Of all candidates, for ``"top-k"`` and ``"gumbel"``.
        graph: Where they stand.
        k: How many each node keeps.
        fusion: How they are chosen.
        key: Decides random choices; nothing in evaluation.
    """
    if fusion == "sample":
        p = (k * row_softmax(logits, graph.pattern)).clamp(max=1.0)
        return p if key is None else through((uniform(p, key) < p).to(p.dtype), p)
    ranked = logits.detach()
    if fusion == "gumbel" and key is not None:
        ranked = ranked - (-uniform(ranked, key).log()).log()
    return through(kept(ranked, graph, k) * weights.detach(), weights)


def through(value: Tensor, slope: Tensor) -> Tensor:
    """``value``, with the gradient of ``slope``: the straight-through estimator."""
    return call(_Through, value, slope)


class _Through(Function):
    """The second input's derivative is that of the identity, the first one has none."""

    @staticmethod
    def forward(value: Tensor, slope: Tensor) -> Tensor:
        return value.clone() if value is slope else value

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[None, Tensor]:
        return None, grad


def uniform(like: Tensor, key: Tensor) -> Tensor:
    """A number between 0 and 1 for each element, a function of its place and the key."""
    bits = hashed(spread_indices(like.numel(), like.device), key) >> 11
    return ((bits + 2**52).to(torch.float64) * 2.0**-53).to(like.dtype).clamp(1e-7, 1 - 1e-7).view(like.shape)


def fuse(
    chosen: Tensor, graph: CandidateGraph, k: int, *, symmetrise: bool, renormalise: bool, mix: float
) -> Operator:
    r"""The learned graph beside the given one.

    .. math::
        S = \frac{1}{2} (V + V^\top), \qquad
        L = k_2 D_S^{-1/2} S D_S^{-1/2}, \qquad
        A' = \lambda L + (1 - \lambda) \, k_2 D^{-1/2} A D^{-1/2}

    Args:
        chosen: V ``[E]``.
        graph: Where its entries stand, and the given graph A.
        k: :math:`k_2`.
        symmetrise: S as above, else S = V.
        renormalise: Divide both by degrees, so that either weighs :math:`k_2` at a node; else L = S and A as it is.
        mix: The share of the given graph, :math:`1 - \lambda`.
    """
    S = (chosen + chosen.index_select(0, graph.mirrored)) / 2 if symmetrise else chosen
    if renormalise:
        half = degree_power(LearnedOperator(graph, S).row_sums, -0.5)
        S = LearnedOperator(graph, S).scale(k * half, half).values
    if mix > 0:
        S = torch.lerp(S, k * graph.normalized if renormalise else graph.weights, mix)
    return LearnedOperator(graph, S)
