"""The algebra of linear maps on node signals: sums, products, powers and I - A, none of them ever stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import reduce
from itertools import pairwise
from numbers import Real

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.functions import autocasts


class LinearMap(ABC):
    """A matrix known by what it does to a signal: ``op @ x`` for x of shape ``[N]`` or ``[N, F]``.

    A sparse x ``[N, F]`` gives a sparse CSR product, without gradients.

    Maps add, multiply, scale and raise to powers; the results are again maps that hold their parts and apply
    them in turn. Only :class:`~allpass.graph.operator.Operator` stores entries.
    """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """``(rows, columns)``."""

    @property
    @abstractmethod
    def dtype(self) -> torch.dtype:
        """Type of the values."""

    @property
    @abstractmethod
    def device(self) -> torch.device:
        """Where the values live."""

    @property
    @abstractmethod
    def T(self) -> LinearMap:
        """The transpose."""

    @property
    @abstractmethod
    def is_constant(self) -> bool:
        """Whether no gradient flows into the map itself."""

    @abstractmethod
    def to(self, target: torch.device | torch.dtype | str) -> LinearMap:
        """The same map on another device or in another precision."""

    @abstractmethod
    def _apply(self, x: Tensor) -> Tensor:
        """The product with x of shape ``[N, F]``."""

    def __matmul__(self, x: Tensor) -> Tensor:
        if not isinstance(x, Tensor):
            return NotImplemented
        if autocasts(x.device.type):  # sparse products have no half precision on a CPU
            with torch.autocast(x.device.type, enabled=False):
                return self @ x.to(self.dtype)
        self._check(x)
        if x.layout != torch.strided:
            return self._apply(x.to_sparse_csr())
        return self._apply(x.unsqueeze(1)).squeeze(1) if x.dim() == 1 else self._apply(x)

    def compose(self, *others: LinearMap) -> LinearMap:
        """``self`` after ``others``: ``a.compose(b) @ x`` is ``a @ (b @ x)``."""
        return Composition((self, *others))

    def complement(self) -> LinearMap:
        """I - self, computed as ``x - self @ x``: the high-pass partner of a low-pass map."""
        return identity_like(self) - self

    def __add__(self, other: LinearMap) -> LinearMap:
        return Combination(((1.0, self), (1.0, other)))

    def __sub__(self, other: LinearMap) -> LinearMap:
        return Combination(((1.0, self), (-1.0, other)))

    def __neg__(self) -> LinearMap:
        return -1.0 * self

    def __mul__(self, scale: float) -> LinearMap:
        return Combination(((scale, self),))

    def __rmul__(self, scale: float) -> LinearMap:
        return self * scale

    def __pow__(self, exponent: int) -> LinearMap:
        if exponent < 0 or self.shape[0] != self.shape[1]:
            raise InputError(
                f"Got the power {exponent} of a {self.shape[0]} x {self.shape[1]} map.",
                "Powers need a square map and an exponent of 0 or more.",
            )
        return Composition((self,) * exponent) if exponent else identity_like(self)

    def to_dense(self) -> Tensor:
        """The whole matrix. For tests and small graphs: it takes rows times columns numbers."""
        return self @ torch.eye(self.shape[1], dtype=self.dtype, device=self.device)

    def _check(self, x: Tensor) -> None:
        if x.layout != torch.strided and (x.dim() != 2 or x.requires_grad):
            raise InputError(
                f"Got a sparse signal of shape {list(x.shape)}{' that requires a gradient' * x.requires_grad}.",
                f"Expected constants of shape [{self.shape[1]}, F]; or convert it with .to_dense().",
            )
        if x.dim() not in (1, 2) or x.shape[0] != self.shape[1]:
            raise InputError(
                f"Got a signal of shape {list(x.shape)} for a map of shape {list(self.shape)}.",
                f"Expected [{self.shape[1]}] or [{self.shape[1]}, F]: one row for each node.",
            )
        if x.dtype != self.dtype:
            raise InputError(
                f"Got a signal of {x.dtype} for a map of {self.dtype}.",
                f"Call .to({x.dtype}) on the map once, or convert the signal.",
            )
        if x.device != self.device:
            raise InputError(
                f"Got a signal on {x.device} for a map on {self.device}.",
                "Move one of them with .to(device).",
            )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shape[0]} x {self.shape[1]}, {self.dtype}, {self.device})"


class Identity(LinearMap):
    """I: gives back the signal itself, without a copy."""

    def __init__(self, size: int, dtype: torch.dtype, device: torch.device) -> None:
        self._size, self._dtype, self._device = size, dtype, device

    @property
    def shape(self) -> tuple[int, int]:
        return self._size, self._size

    @property
    def dtype(self) -> torch.dtype:
        return self._dtype

    @property
    def device(self) -> torch.device:
        return self._device

    @property
    def T(self) -> Identity:
        return self

    @property
    def is_constant(self) -> bool:
        return True

    def to(self, target: torch.device | torch.dtype | str) -> Identity:
        if isinstance(target, torch.dtype):
            return Identity(self._size, target, self._device)
        device = torch.empty(0, device=target).device  # "cuda" becomes "cuda:0", as tensors say it
        return Identity(self._size, self._dtype, device)

    def _apply(self, x: Tensor) -> Tensor:
        return x


class Combination(LinearMap):
    """A weighted sum of maps of one shape."""

    def __init__(self, terms: tuple[tuple[float, LinearMap], ...]) -> None:
        for weight, term in terms:
            if not isinstance(weight, Real) or not isinstance(term, LinearMap):
                raise InputError(
                    f"Got {type(weight).__name__} times {type(term).__name__} in a sum of maps.",
                    "Expected a number times a map; learnable weights belong to the signal: w * (op @ x).",
                )
            if term.shape != terms[0][1].shape:
                raise InputError(
                    f"Got maps of shapes {terms[0][1].shape} and {term.shape} in one sum.",
                    "Expected the same shape.",
                )
        _check_alike(tuple(term for _, term in terms))
        self.terms = terms

    @property
    def shape(self) -> tuple[int, int]:
        return self.terms[0][1].shape

    @property
    def dtype(self) -> torch.dtype:
        return self.terms[0][1].dtype

    @property
    def device(self) -> torch.device:
        return self.terms[0][1].device

    @property
    def is_constant(self) -> bool:
        return all(term.is_constant for _, term in self.terms)

    @property
    def T(self) -> Combination:
        return Combination(tuple((weight, term.T) for weight, term in self.terms))

    def to(self, target: torch.device | torch.dtype | str) -> Combination:
        return Combination(tuple((weight, term.to(target)) for weight, term in self.terms))

    def _apply(self, x: Tensor) -> Tensor:
        (weight, first), *rest = self.terms
        total = first._apply(x) if weight == 1 else weight * first._apply(x)
        for weight, term in rest:
            total = torch.add(total, term._apply(x), alpha=weight)
        return total


class Composition(LinearMap):
    """A product of maps, applied from right to left."""

    def __init__(self, factors: tuple[LinearMap, ...]) -> None:
        for left, right in pairwise(factors):
            if left.shape[1] != right.shape[0]:
                raise InputError(
                    f"Got a product of maps of shapes {left.shape} and {right.shape}.",
                    "The columns of the left one must be as many as the rows of the right one.",
                )
        _check_alike(factors)
        self.factors = factors

    @property
    def shape(self) -> tuple[int, int]:
        return self.factors[0].shape[0], self.factors[-1].shape[1]

    @property
    def dtype(self) -> torch.dtype:
        return self.factors[0].dtype

    @property
    def device(self) -> torch.device:
        return self.factors[0].device

    @property
    def is_constant(self) -> bool:
        return all(factor.is_constant for factor in self.factors)

    @property
    def T(self) -> Composition:
        return Composition(tuple(factor.T for factor in reversed(self.factors)))

    def to(self, target: torch.device | torch.dtype | str) -> Composition:
        return Composition(tuple(factor.to(target) for factor in self.factors))

    def _apply(self, x: Tensor) -> Tensor:
        return reduce(lambda signal, factor: factor._apply(signal), reversed(self.factors), x)


def _check_alike(maps: tuple[LinearMap, ...]) -> None:
    kinds = sorted({f"{part.dtype} on {part.device}" for part in maps})
    if len(kinds) > 1:
        raise InputError(f"Got maps of {' and '.join(kinds)} together.", "Convert one with .to(...).")


def identity_like(op: LinearMap) -> Identity:
    """The identity beside a square map."""
    rows, columns = op.shape
    if rows != columns:
        raise InputError(f"Got a {rows} x {columns} map where I - A was asked for.", "Expected a square one.")
    return Identity(rows, op.dtype, op.device)
