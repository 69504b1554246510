"""Polynomial filters and two-channel filterbanks: what they do to a signal and to each frequency."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.linear import LinearMap

Basis = Literal["monomial", "chebyshev"]


def apply_polynomial(
    op: LinearMap, x: Tensor, coefficients: Sequence[float] | Tensor, basis: Basis = "monomial"
) -> Tensor:
    r"""p(op) x with :math:`p(t) = \sum_k c_k t^k`, or :math:`\sum_k c_k T_k(t)` for the Chebyshev basis.

    One product a degree. Differentiable in x and in the coefficients.
    """
    return _evaluate(coefficients, lambda v: op @ v, x, basis)


def frequency_response(
    coefficients: Sequence[float] | Tensor, eigenvalues: Tensor, basis: Basis = "monomial"
) -> Tensor:
    """p at each eigenvalue of the operator the polynomial is applied to (not of its Laplacian)."""
    return _evaluate(coefficients, lambda v: eigenvalues * v, torch.ones_like(eigenvalues), basis)


def _evaluate(
    coefficients: Sequence[float] | Tensor, apply: Callable[[Tensor], Tensor], x: Tensor, basis: Basis
) -> Tensor:
    if basis not in ("monomial", "chebyshev"):
        raise InputError(f"Got the basis {basis!r}.", "Expected 'monomial' or 'chebyshev'.")
    if len(coefficients) == 0:
        raise InputError("Got a polynomial without coefficients.", "Expected at least the constant term.")
    total = coefficients[0] * x
    before, now = x, x
    for k in range(1, len(coefficients)):
        product = apply(now)
        after = 2 * product - before if basis == "chebyshev" and k > 1 else product
        before, now = now, after
        total = total + coefficients[k] * now
    return total


@dataclass(frozen=True)
class FilterBank:
    """A two-channel analysis filterbank: a low-pass and a high-pass map.

    With H_LP + H_HP = I no information is lost (perfect reconstruction): the two outputs add up to the signal.

    Example:
        >>> from allpass.graph import Operator, matrix
        >>> A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]]))
        >>> bank = FilterBank.from_low_pass(matrix(A, "A_hat_rw"))
        >>> bank.is_perfect()
        True
    """

    low: LinearMap
    high: LinearMap

    @classmethod
    def from_low_pass(cls, low: LinearMap) -> FilterBank:
        """The bank {H, I - H}."""
        return cls(low, low.complement())

    def analyze(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """``(H_LP x, H_HP x)``."""
        return self.low @ x, self.high @ x

    def reconstruction_error(self, *, probes: int = 8, seed: int = 0) -> float:
        """Largest error of H_LP x + H_HP x = x over random signals, relative to the largest of the three terms.

        Zero, up to rounding, for these signals means zero for all signals almost surely.
        """
        generator = torch.Generator().manual_seed(seed)
        x = torch.randn(self.low.shape[1], probes, generator=generator, dtype=torch.float64)
        x = x.to(self.low.dtype).to(self.low.device)
        low, high = self.analyze(x)
        scale = torch.stack([part.norm(dim=0) for part in (x, low, high)]).amax(0)
        return float(((low + high - x).norm(dim=0) / scale).max()) if x.numel() else 0.0

    def is_perfect(self, tolerance: float | None = None) -> bool:
        """Whether the two channels add up to the identity within rounding."""
        limit = tolerance if tolerance is not None else 10 * torch.finfo(self.low.dtype).eps
        return self.reconstruction_error() <= limit
