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
    _check_block(op, x, m)
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
    op: LinearMap, x: Tensor, *, max_blocks: int | None = None, tolerance: float | None = None
) -> KrylovSpace:
    """Block Arnoldi with deflation: directions that add less than ``tolerance`` of what A can add are dropped.

    Args:
        op: Square map. Ranks are meaningful in float64; in float32 near-equal eigenvalues are taken for one.
        x: Block vector ``[N, F]``.
        max_blocks: Stop after this many blocks even when the space still grows.
        tolerance: Relative size below which a new direction counts as none; by default eps^(2/3), 4e-11 in float64.
    """
    _check_block(op, x, max_blocks)
    small = tolerance if tolerance is not None else torch.finfo(x.dtype).eps ** (2 / 3)
    reach = _typical_gain(op)
    fresh = _orthonormal(x, x.new_zeros(x.shape[0], 0), small * _norm(x))
    Q, images, grade = fresh, [op @ fresh], 1
    while True:
        # Against A's own size, not the image's: the image of a null vector is rounding and would pass for new.
        reach = max(reach, _norm(images[-1]))
        fresh = _orthonormal(images[-1], Q, small * reach)
        if not fresh.shape[1] or grade == max_blocks:
            break
        Q, grade = torch.cat([Q, fresh], dim=1), grade + 1
        images.append(op @ fresh)
    return KrylovSpace(Q, Q.mT @ torch.cat(images, dim=1), Q.mT @ x, grade, not fresh.shape[1])


def block_grade(op: LinearMap, x: Tensor, *, tolerance: float | None = None) -> int:
    """The smallest m of 1 or more such that A^k X lies in span K_m(A, X) for all k >= m."""
    return krylov_space(op, x, tolerance=tolerance).grade


def apply_analytic(
    op: LinearMap, x: Tensor, g: Callable[[Tensor], Tensor], *, max_blocks: int | None = None
) -> Tensor:
    """g(A) X through the Krylov subspace: Q g(Q^T A Q) Q^T X. Exact when the subspace is complete.

    Args:
        op: Square map whose restriction can be diagonalised (every map similar to a symmetric one).
        x: Signal ``[N, F]``.
        g: Scalar function, applied to eigenvalues elementwise (``torch.exp``); complex ones unless A is symmetric.
        max_blocks: Truncate the subspace; the result is then Arnoldi's approximation.
    """
    space = krylov_space(op, x, max_blocks=max_blocks)
    return space.directions @ (_matrix_function(space.projection, g) @ space.coordinates)


def krylov_coefficients(
    op: LinearMap, x: Tensor, g: Callable[[Tensor], Tensor], *, max_blocks: int | None = None
) -> tuple[Tensor, int]:
    """Gamma and m with g(A) X = K_m(A, X) Gamma; of several, the smallest for columns of K_m scaled to unit length.

    The powers of A turn towards its leading eigenvectors, so K_m is ill-conditioned for large m. The product
    K_m Gamma is accurate all the same, to about 1e-13 of the largest term it adds up: near rounding for the
    normalised matrices and a g whose power series is tame on the spectrum (exp, cos, a resolvent away from its
    pole); worse for one that swings between eigenvalues, or for a map of large norm whose terms cancel.
    """
    space = krylov_space(op, x, max_blocks=max_blocks)
    image = _matrix_function(space.projection, g) @ space.coordinates  # Q^T g(A) X
    basis = space.directions.mT @ krylov_basis(op, x, space.grade)  # Q^T K_m
    lengths = basis.norm(dim=0)
    lengths = torch.where(lengths > 0, lengths, torch.ones_like(lengths))
    return torch.linalg.pinv(basis / lengths) @ image / lengths.unsqueeze(1), space.grade


def _check_block(op: LinearMap, x: Tensor, blocks: int | None) -> None:
    if blocks is not None and blocks < 1:
        raise InputError(f"Got {blocks} blocks.", "A Krylov space has at least one.")
    if x.dim() != 2 or op.shape[0] != op.shape[1]:
        raise InputError(
            f"Got a signal of shape {list(x.shape)} and a map of shape {list(op.shape)}.",
            "Expected a block [N, F] (a single signal has F = 1) and a square map.",
        )


def _norm(block: Tensor) -> float:
    return float(torch.linalg.matrix_norm(block, 2)) if block.numel() else 0.0


def _typical_gain(op: LinearMap) -> float:
    """|A z| / |z| for a random z: about the root mean square of A's singular values."""
    generator = torch.Generator().manual_seed(0)
    z = torch.randn(op.shape[1], generator=generator).to(op.device).to(op.dtype)
    return float((op @ z).norm() / z.norm()) if z.numel() else 0.0


def _orthonormal(block: Tensor, against: Tensor, limit: float) -> Tensor:
    """Orthonormal directions of ``block`` longer than ``limit`` outside ``against``; twice against rounding."""
    for _ in range(2):
        block = block - against @ (against.mT @ block)
    U, sizes, _ = torch.linalg.svd(block, full_matrices=False)
    U = U[:, sizes > limit]
    U = U - against @ (against.mT @ U)
    return torch.linalg.qr(U).Q if U.shape[1] else U


def _matrix_function(M: Tensor, g: Callable[[Tensor], Tensor]) -> Tensor:
    """g(M) by diagonalisation."""
    if not M.numel():
        return M
    eps = torch.finfo(M.dtype).eps
    if torch.allclose(M, M.mT, rtol=0, atol=1e4 * eps * float(M.abs().max())):
        values, U = torch.linalg.eigh((M + M.mT) / 2)
        return (U * g(values)) @ U.mT
    values, V = torch.linalg.eig(M)
    condition = float(torch.linalg.cond(V))
    if not condition < eps**-0.5:  # rounding is magnified by it: more than half of the digits would be lost
        raise InputError(
            f"Got a map that cannot be diagonalised (condition {condition:.1e}), as some directed graphs are.",
            "Use a symmetric one, A.symmetrized(), or a polynomial: apply_polynomial.",
        )
    return torch.linalg.solve(V.mT, (V * g(values)).mT).mT.real.to(M.dtype)
