"""Similarity at the places of a pattern, and what makes edge weights of it."""

from __future__ import annotations

from typing import Any, Literal, get_args

import torch
from torch import Tensor
from torch.autograd import Function

from allpass.errors import InputError
from allpass.graph.functions import call
from allpass.graph.pattern import Pattern
from allpass.graph.spmm import product, sampled_product

Normalisation = Literal["standard", "softmax", "cosine"]


def checked_normalisation(name: str) -> Normalisation:
    """The name, where there is such a normalisation."""
    if name not in get_args(Normalisation):
        raise InputError(
            f"Got normalisation = {name!r}.", f"Expected one of {', '.join(get_args(Normalisation))}."
        )
    return name  # type: ignore[return-value]


def similarity(z: Tensor, pattern: Pattern) -> Tensor:
    """``<z_i, z_j>`` at the places of a symmetric pattern, ``[E]``; no row of z is copied for an edge.

    Example:
        >>> pattern = Pattern(torch.tensor([0, 1, 2]), torch.tensor([1, 0]), (2, 2))
        >>> similarity(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), pattern)
        tensor([11., 11.])
    """
    return call(_Similarity, z, pattern)


class _Similarity(Function):
    """The derivative of both factors is one sparse product, as the pattern is symmetric."""

    @staticmethod
    def forward(z: Tensor, pattern: Pattern) -> Tensor:
        return sampled_product(pattern, z, z)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        z, ctx.pattern = inputs
        ctx.save_for_backward(z)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (z,) = ctx.saved_tensors
        mirrored = grad.index_select(0, ctx.pattern.transposition[1])
        return product(ctx.pattern, grad + mirrored, z), None


def logits(scores: Tensor, loops: Tensor, temperature: float, normalisation: Normalisation) -> Tensor:
    """Scores ``[E]`` as logits: divided by the temperature, after mean 0 and deviation 1 for ``"standard"``.

    Positions that are no candidates get minus infinity.

    Args:
        scores: Similarities.
        loops: Positions that are no candidates.
        temperature: Divides the logits.
        normalisation: How scores become weights.
    """
    if normalisation != "standard":
        return (scores / temperature).index_fill(0, loops, -torch.inf)
    count, own = max(scores.shape[0] - loops.shape[0], 1), scores.index_select(0, loops)
    mean = (scores.sum() - own.sum()) / count
    centred = scores - mean
    variance = (centred.dot(centred) - (own - mean).square().sum()) / count + 1e-6
    return (centred * (variance.clamp(min=1e-6).rsqrt() / temperature)).index_fill(0, loops, -torch.inf)


def weights(logits: Tensor, pattern: Pattern, keep: int, normalisation: Normalisation) -> Tensor:
    """Edge weights of 0 or more ``[E]`` from logits.

    ``"standard"`` is a sigmoid; ``"softmax"`` shares ``keep`` out among the candidates of each node; ``"cosine"`` cuts
    off what is negative.
    """
    if normalisation == "standard":
        return logits.sigmoid()
    if normalisation == "softmax":
        return keep * row_softmax(logits, pattern)
    return logits.relu()


def row_softmax(values: Tensor, pattern: Pattern) -> Tensor:
    """The softmax within each row, ``[E]``; 0 in rows of minus infinities."""
    rows = pattern.row
    highest = values.detach().new_full((pattern.shape[0],), torch.finfo(values.dtype).min)
    highest = highest.scatter_reduce(0, rows, values.detach(), "amax")
    shifted = (values - highest.index_select(0, rows)).exp()
    total = values.new_zeros(pattern.shape[0]).index_add(0, rows, shifted)
    return shifted / total.clamp(min=torch.finfo(values.dtype).tiny).index_select(0, rows)


def row_divided(values: Tensor, pattern: Pattern) -> Tensor:
    """Values of 0 or more ``[E]`` by the sum of their row; 0 in rows of zeros."""
    rows = pattern.row
    total = values.new_zeros(pattern.shape[0]).index_add(0, rows, values)
    return values / total.clamp(min=torch.finfo(values.dtype).tiny).index_select(0, rows)
