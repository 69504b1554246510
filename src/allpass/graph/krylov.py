r"""Block Krylov subspaces: every analytic filter of a graph is a polynomial one.

.. math::
    K_m(A, X) = [X, A X, \dots, A^{m-1} X], \qquad g(A) X = K_m(A, X)\, \Gamma

for the smallest m at which :math:`A^m X` adds no new direction (the block grade), and some
:math:`\Gamma \in \mathbb{R}^{mF \times F}`; a layer :math:`g(A) X W'` is then :math:`K_m(A, X) W` with
:math:`W = \Gamma W'`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.linear import LinearMap


def krylov_basis(op: LinearMap, x: Tensor, m: int) -> Tensor:
    """K_m(A, X) of shape ``[N, m F]``: X and its m - 1 repeated products side by side."""
    if m < 1:
        raise InputError(f"Got {m} blocks.", "A Krylov basis has at least one.")
    blocks = [x]
    while len(blocks) < m:
        blocks.append(op @ blocks[-1])
    return torch.cat(blocks, dim=1)


@dataclass(frozen=True)
class KrylovSpace:
    """An orthonormal view of a block Krylov subspace.

    Args:
        directions: Q, ``[N, r]``, orthonormal columns that span it.
        projection: Q^T A Q, ``[r, r]``: what A does inside the subspace.
        coordinates: Q^T X, ``[r, F]``.
        grade: Number of blocks the subspace was built from; the block grade when it is complete.
        complete: Whether A X' stays inside for every X' of the subspace.
    """

    directions: Tensor
    projection: Tensor
    coordinates: Tensor
    grade: int
    complete: bool


def krylov_space(
    op: LinearMap, x: Tensor, *, max_blocks: int | None = None, tolerance: float = 1e-10
) -> KrylovSpace:
    """Block Arnoldi with deflation: directions that add less than ``tolerance`` of their length are dropped.

    Args:
        op: Square map, in float64 for meaningful ranks.
        x: Block vector ``[N, F]``.
        max_blocks: Stop after this many blocks even when the space still grows.
        tolerance: Relative size below which a new direction counts as none.
    """
    fresh = _orthonormal(x, x.new_zeros(x.shape[0], 0), tolerance)
    Q = fresh
    grade = 1
    while fresh.shape[1] and (max_blocks is None or grade < max_blocks):
        fresh = _orthonormal(op @ fresh, Q, tolerance)
        if fresh.shape[1]:
            Q = torch.cat([Q, fresh], dim=1)
            grade += 1
    complete = not fresh.shape[1] or not _orthonormal(op @ fresh, Q, tolerance).shape[1]
    return KrylovSpace(Q, Q.mT @ (op @ Q), Q.mT @ x, grade, complete)


def block_grade(op: LinearMap, x: Tensor, *, tolerance: float = 1e-10) -> int:
    """The smallest m such that A^k X lies in span K_m(A, X) for all k >= m."""
    return krylov_space(op, x, tolerance=tolerance).grade


def apply_analytic(
    op: LinearMap, x: Tensor, g: Callable[[Tensor], Tensor], *, max_blocks: int | None = None
) -> Tensor:
    """g(A) X through the Krylov subspace: Q g(Q^T A Q) Q^T X. Exact when the subspace is complete.

    Args:
        op: Square map whose restriction can be diagonalised (every map similar to a symmetric one).
        x: Signal ``[N, F]``.
        g: Scalar function, applied to eigenvalues elementwise: ``torch.exp``.
        max_blocks: Truncate the subspace; the result is then Arnoldi's approximation.
    """
    space = krylov_space(op, x, max_blocks=max_blocks)
    return space.directions @ (_matrix_function(space.projection, g) @ space.coordinates)


def krylov_coefficients(
    op: LinearMap, x: Tensor, g: Callable[[Tensor], Tensor], *, max_blocks: int | None = None
) -> tuple[Tensor, int]:
    """Gamma and m with g(A) X = K_m(A, X) Gamma (the minimum-norm one where several exist)."""
    space = krylov_space(op, x, max_blocks=max_blocks)
    image = _matrix_function(space.projection, g) @ space.coordinates  # Q^T g(A) X
    basis = space.directions.mT @ krylov_basis(op, x, space.grade)  # Q^T K_m
    return torch.linalg.pinv(basis, rtol=1e-13) @ image, space.grade


def _orthonormal(block: Tensor, against: Tensor, tolerance: float) -> Tensor:
    """Orthonormal directions of ``block`` that are not in ``against``; twice is enough against rounding."""
    scale = torch.linalg.matrix_norm(block, 2) if block.numel() else block.new_zeros(())
    for _ in range(2):
        block = block - against @ (against.mT @ block)
    U, sizes, _ = torch.linalg.svd(block, full_matrices=False)
    U = U[:, sizes > tolerance * scale.clamp_min(torch.finfo(block.dtype).tiny)]
    U = U - against @ (against.mT @ U)
    return torch.linalg.qr(U).Q if U.shape[1] else U


def _matrix_function(M: Tensor, g: Callable[[Tensor], Tensor]) -> Tensor:
    """g(M) by diagonalisation."""
    if torch.allclose(M, M.mT, rtol=0, atol=1e-12 * float(M.abs().max()) if M.numel() else 0.0):
        values, U = torch.linalg.eigh((M + M.mT) / 2)
        return (U * g(values)) @ U.mT
    values, V = torch.linalg.eig(M)
    return torch.linalg.solve(V.mT, (V * g(values)).mT).mT.real.to(M.dtype)
